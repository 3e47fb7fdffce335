internal import CCrypto

/// Public keys of servers, as they are pinned.
package enum PublicKeyPin {
    /// `sha256//` and the base64 of the SHA-256 of a certificate's SubjectPublicKeyInfo (RFC 7469, section 2.4), as
    /// CURLOPT_PINNEDPUBLICKEY(3) has it.
    ///
    /// - Parameter certificate: X.509, PEM.
    /// - Returns: nil for what is no certificate.
    package static func make(certificate: String) -> String? {
        var text = [CChar](repeating: 0, count: 64)
        var certificate = certificate
        let isMade = certificate.withUTF8 { bytes in
            unsafe cryptoPublicKeyPin(bytes.baseAddress, CInt(clamping: bytes.count), &text, text.count) == 1
        }
        return isMade
            ? String(decoding: text.prefix { byte in byte != 0 }.map(UInt8.init(truncatingIfNeeded:)), as: UTF8.self)
            : nil
    }
}
