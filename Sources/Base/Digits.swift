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
    package var isLetterOrDigit: Bool { isDecimalDigit || (0x61...0x7a).contains(self | 0x20) }

    /// The value of a hexadecimal digit in lower case; nil for any other byte.
    package var digitValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x61...0x66: self - 0x57
        default: nil
        }
    }
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
