/// Text as bytes: what names, log lines and messages are on the root side.
///
/// Swift's `String` compares by Unicode equivalence and repairs invalid bytes; a login name must survive as it came. A
/// literal with interpolations makes one: `"no user \(name) in line \(number)"`.
package struct ByteText: ExpressibleByStringInterpolation, Equatable, Sendable {
    /// The bytes, UTF-8 where they come from a literal.
    package var bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package init(stringLiteral value: StaticString) {
        bytes = value.bytes
    }

    package init(stringInterpolation: Interpolation) {
        bytes = stringInterpolation.bytes
    }

    /// Collects the pieces of a literal.
    package struct Interpolation: StringInterpolationProtocol {
        var bytes: [UInt8] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            bytes.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        package mutating func appendLiteral(_ literal: StaticString) {
            bytes += literal.bytes
        }

        package mutating func appendInterpolation(_ piece: [UInt8]) {
            bytes += piece
        }

        package mutating func appendInterpolation(_ piece: ByteText) {
            bytes += piece.bytes
        }

        package mutating func appendInterpolation(_ piece: StaticString) {
            bytes += piece.bytes
        }

        package mutating func appendInterpolation(_ number: some BinaryInteger) {
            bytes += decimal(Int64(clamping: number))
        }

        /// Bytes from outside, fit for a log line: in quotes, at most 60 of them, nothing but printable ASCII, and no
        /// quote.
        package mutating func appendInterpolation(quoting outside: some Collection<UInt8>) {
            bytes.append(UInt8(ascii: "'"))
            for byte in outside.prefix(60) {
                bytes.append((0x20...0x7e).contains(byte) && byte != UInt8(ascii: "'") ? byte : UInt8(ascii: "?"))
            }
            if outside.count > 60 {
                bytes += [0x2e, 0x2e, 0x2e]
            }
            bytes.append(UInt8(ascii: "'"))
        }
    }
}

private func decimal(_ number: Int64) -> [UInt8] {
    var digits: [UInt8] = []
    var rest = number.magnitude
    repeat {
        digits.insert(48 + UInt8(truncatingIfNeeded: rest % 10), at: 0)
        rest /= 10
    } while rest > 0
    return number < 0 ? [UInt8(ascii: "-")] + digits : digits
}

extension StaticString {
    /// The text as UTF-8 bytes.
    package var bytes: [UInt8] {
        withUTF8Buffer { buffer in unsafe Array(buffer) }
    }

    /// Whether the text is these bytes.
    package func equals(_ other: some Collection<UInt8>) -> Bool {
        utf8CodeUnitCount == other.count && withUTF8Buffer { own in unsafe own.elementsEqual(other) }
    }
}
