// Names that have no case: hosts and domains (RFC 4343), schemes (RFC 3986), keywords. Letters beyond ASCII stay as
// they are.

extension Sequence<UInt8> {
    /// Whether both are the same but for the case of ASCII letters.
    package func equalsIgnoringCase(_ other: some Sequence<UInt8>) -> Bool {
        elementsEqual(other) { left, right in lowercaseASCII(left) == lowercaseASCII(right) }
    }

    /// Whether `prefix` is the beginning, but for the case of ASCII letters.
    package func startsIgnoringCase(with prefix: some Sequence<UInt8>) -> Bool {
        starts(with: prefix) { left, right in lowercaseASCII(left) == lowercaseASCII(right) }
    }
}

/// The byte, a capital letter of ASCII as a small one.
package func lowercaseASCII(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}

/// Whether two e-mail addresses are the same: the domain has no case, what is before it does (RFC 5321, section 2.4).
package func areSameAddress(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard let at = left.lastIndex(of: UInt8(ascii: "@")), left.count == right.count else {
        return left == right
    }
    return left[..<at] == right[..<at] && left[at...].equalsIgnoringCase(right[at...])
}
