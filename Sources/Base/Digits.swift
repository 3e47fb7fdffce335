// Numbers in text, as keys, files and arguments have them: digits and nothing else, neither sign nor blank nor prefix.

extension FixedWidthInteger {
    /// Reads decimal digits. Nil if there are none or more than `length`, for any other byte, and for a number that
    /// does not fit.
    package init?(decimal digits: some Collection<UInt8>, atMost length: Int) {
        self.init(digits, base: 10, atMost: length)
    }

    /// Reads hexadecimal digits, in lower case. Nil if there are none or more than `length`, for any other byte, and
    /// for a number that does not fit.
    package init?(hexadecimal digits: some Collection<UInt8>, atMost length: Int) {
        self.init(digits, base: 16, atMost: length)
    }

    private init?(_ digits: some Collection<UInt8>, base: UInt8, atMost length: Int) {
        guard !digits.isEmpty, digits.count <= length else {
            return nil
        }
        self = 0
        for byte in digits {
            guard let digit = byte.digitValue, digit < base else {
                return nil
            }
            let (scaled, overflow) = multipliedReportingOverflow(by: Self(truncatingIfNeeded: base))
            let (sum, carry) = scaled.addingReportingOverflow(Self(truncatingIfNeeded: digit))
            guard !overflow, !carry else {
                return nil
            }
            self = sum
        }
    }
}

extension UInt8 {
    /// Whether this is an ASCII digit.
    package var isDecimalDigit: Bool { (0x30...0x39).contains(self) }

    /// Whether this is an ASCII letter or digit.
    package var isAlphanumericASCII: Bool { isDecimalDigit || (0x61...0x7a).contains(self | 0x20) }

    /// Whether this is an ASCII letter or digit, or one of `others`.
    package func isAlphanumericASCII(or others: StaticString) -> Bool {
        isAlphanumericASCII || others.withUTF8Buffer { others in unsafe others.contains(self) }
    }

    /// The value of a hexadecimal digit in lower case; nil for any other byte.
    package var digitValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x61...0x66: self - 0x57
        default: nil
        }
    }
}

extension Int64 {
    /// Reads a length of time, in seconds: at most nine digits, and s, m, h or d behind them; seconds without a unit.
    package init?(duration text: some BidirectionalCollection<UInt8>) {
        let unit: Int64? =
            switch text.last {
            case UInt8(ascii: "s"): 1
            case UInt8(ascii: "m"): 60
            case UInt8(ascii: "h"): 3600
            case UInt8(ascii: "d"): 86_400
            default: nil
            }
        guard let number = Int64(decimal: unit == nil ? text[...] : text.dropLast(), atMost: 9) else {
            return nil
        }
        self = number * (unit ?? 1)
    }
}

/// How many elements have to be added, taken away or exchanged (Levenshtein).
package func editDistance<Element: Equatable>(_ left: [Element], _ right: [Element]) -> Int {
    // One row of the table, which each element of `left` makes the next one.
    var row = Array(0...right.count)
    for from in left {
        var diagonal = row[0]
        row[0] += 1
        for column in right.indices {
            let substituted = diagonal + (from == right[column] ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(substituted, min(diagonal, row[column]) + 1)
        }
    }
    return row[right.count]
}

/// Two hexadecimal digits for each byte, in lower case.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var digits: [UInt8] = []
    digits.reserveCapacity(2 * bytes.underestimatedCount)
    for byte in bytes {
        digits.append(hexadecimalDigit(byte >> 4))
        digits.append(hexadecimalDigit(byte & 15))
    }
    return digits
}

private func hexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? 0x30 + value : 0x57 + value
}

/// FNV-1a, 64 bits (draft-eastlake-fnv). It is not cryptographic: an attacker can choose bytes with a given hash.
package func fnv1a(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { hash, byte in (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
}
