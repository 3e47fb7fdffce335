import Base

/// Hexadecimal digits.
package enum Hexadecimal {
    /// Two lower-case digits for each byte.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: hexadecimal(bytes), as: UTF8.self)
    }

    /// The number that `text` spells, as big-endian bytes: an odd count of digits reads as if a zero stood in front.
    /// Nil when there is none, or something else between the digits.
    package static func decode(_ text: String) -> [UInt8]? {
        let digits = [UInt8](text.utf8)
        guard !digits.isEmpty else {
            return nil
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2 + 1)
        var high: UInt8? = digits.count.isMultiple(of: 2) ? nil : 0
        for digit in digits {
            // In either case; no other byte becomes a letter by that.
            guard let value = (digit < 0x40 ? digit : digit | 0x20).digitValue else {
                return nil
            }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }
}
