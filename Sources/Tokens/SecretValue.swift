package import Base

/// A secret that several owners share without copies: it is erased when the last of them releases it.
///
/// There is no description. The content is lent to a closure.
package final class SecretValue: @unchecked Sendable {
    // Never changed once it is here.
    private let secret: Secret

    package init(_ secret: consuming Secret) {
        self.secret = secret
    }

    /// Makes a secret that holds a copy of `bytes`; nil when there is no memory.
    package init?(copying bytes: RawSpan) {
        guard let secret = Secret(copying: bytes) else {
            return nil
        }
        self.secret = secret
    }

    /// How many bytes there are.
    package var count: Int { secret.count }

    /// Lends the bytes to `body`, which must not keep them.
    package func withBytes<R: ~Copyable, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try secret.withBytes(body)
    }

    /// Whether every byte is as `predicate` wants it.
    package func allSatisfy(_ predicate: (UInt8) -> Bool) -> Bool {
        withBytes { bytes in
            (0..<bytes.byteCount).allSatisfy { offset in bytes.byte(at: offset).map(predicate) ?? false }
        }
    }

    /// Hands each character (Unicode scalar) to `body`; false when the bytes are not UTF-8.
    package func forEachScalar(_ body: (Unicode.Scalar) -> Void) -> Bool {
        withBytes { bytes in
            unsafe bytes.withUnsafeBytes { buffer in
                var iterator = unsafe buffer.makeIterator()
                var decoder = Unicode.UTF8()
                while true {
                    switch unsafe decoder.decode(&iterator) {
                    case .scalarValue(let scalar): body(scalar)
                    case .emptyInput: return true
                    case .error: return false
                    }
                }
            }
        }
    }

    /// The bytes as text in ordinary memory, for what is to be shown to its owner, or turns out to be no secret; nil
    /// when they are not UTF-8.
    package var text: String? {
        withBytes { bytes in String(validating: bytes.copied(), as: UTF8.self) }
    }
}

extension SecretValue: Equatable {
    /// Whether both hold the same bytes.
    package static func == (left: SecretValue, right: SecretValue) -> Bool {
        left.secret.isEqual(to: right.secret)
    }
}
