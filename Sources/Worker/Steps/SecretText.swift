internal import Base
internal import Protocol
internal import Tokens

extension Frame {
    /// A field's bytes as a secret that several may hold.
    borrowing func sharedSecret(_ field: Field) -> SecretValue? {
        switch secret(field) {
        case .some(let secret): SecretValue(secret)
        case .none: nil
        }
    }
}

extension SecretValue {
    /// How many characters there are, counted as scalars of UTF-8.
    var characterCount: Int {
        var count = 0
        _ = allSatisfy { byte in
            count += byte & 0xc0 != 0x80 ? 1 : 0
            return true
        }
        return count
    }

    /// Whether it is UTF-8.
    var isText: Bool { forEachScalar { _ in } }

    /// Whether it is UTF-8 without control characters. An arrow key leaves some in a line by mistake.
    var isPrintable: Bool {
        var isPrintable = true
        let isText = forEachScalar { scalar in
            isPrintable = isPrintable && scalar.properties.generalCategory != .control
        }
        return isText && isPrintable
    }

    /// Whether there are digits and nothing else.
    var isDigits: Bool {
        allSatisfy { byte in byte.isDecimalDigit }
    }

    /// The same without blanks: apps show codes in two groups. Nil when there is no memory.
    func withoutBlanks() -> SecretValue? {
        guard var kept = Secret(capacity: count) else {
            return nil
        }
        _ = allSatisfy { byte in byte == UInt8(ascii: " ") || kept.append(byte) }
        return SecretValue(kept)
    }

    /// The bytes at `range`; nil when there is no memory.
    func part(_ range: Range<Int>) -> SecretValue? {
        withBytes { bytes in SecretValue(copying: bytes.extracting(range)) }
    }
}
