internal import Base

extension UInt8 {
    /// VCHAR of RFC 5234: printable ASCII without the blank.
    package var isVisibleASCII: Bool { (0x21...0x7e).contains(self) }
}

extension String {
    /// The text on one line of printable ASCII, at most `limit` bytes of it: what is anything else becomes "?".
    ///
    /// - Parameter blanks: whether a blank may stay.
    package func printableASCII(limit: Int, blanks: Bool = true) -> String {
        let shown = utf8.prefix(limit).map { byte in
            byte.isVisibleASCII || blanks && byte == 0x20 ? byte : UInt8(ascii: "?")
        }
        return String(decoding: shown, as: UTF8.self)
    }
}

extension String {
    /// Percent-encoding (RFC 3986, section 2.1) of all bytes but letters, digits and `marks`.
    package func percentEncoded(but marks: StaticString = "-._~") -> String {
        utf8.map { byte in
            byte.isAlphanumericASCII(or: marks)
                ? String(UnicodeScalar(byte)) : "%" + Hexadecimal.encode([byte]).uppercased()
        }.joined()
    }
}
