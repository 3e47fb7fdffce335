internal import Base
internal import CCrypto

/// An RSA key that can check signatures.
@safe
package struct RSAPublicKey: ~Copyable {
    /// Shorter keys are refused (RFC 7518 section 3.3).
    package static let fewestBits = 2048
    /// Longer ones too: checking would take too long.
    package static let mostBits = 8192

    private let key: OpaquePointer

    /// Makes a key of its modulus and exponent, the most significant byte first; nil when the key is too short, too
    /// long or none at all.
    package init?(modulus: [UInt8], exponent: [UInt8]) throws(CryptographyError) {
        let n = try BigNumber(bigEndian: modulus)
        let e = try BigNumber(bigEndian: exponent)
        guard (Self.fewestBits...Self.mostBits).contains(n.bitCount()), (2...64).contains(e.bitCount()),
            modulus.last.map({ byte in byte & 1 == 1 }) == true,
            exponent.last.map({ byte in byte & 1 == 1 }) == true
        else {
            return nil
        }
        guard let key = unsafe n.withNumbers(e, { n, e in unsafe cryptoMakeRSAPublicKey(n, e) }) else {
            throw CryptographyError("create an RSA key")
        }
        unsafe self.key = key
    }

    deinit {
        unsafe EVP_PKEY_free(key)
    }

    /// Whether `signature` is this key's over `message`: RSASSA-PKCS1-v1_5 with SHA-256, the `RS256` of RFC 7518.
    package borrowing func isValidRS256(_ signature: RawSpan, of message: RawSpan) throws(CryptographyError) -> Bool {
        guard let context = unsafe EVP_MD_CTX_new() else {
            throw CryptographyError("create a digest context")
        }
        defer { unsafe EVP_MD_CTX_free(context) }
        try check(unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key), "start a signature verification")
        let result = unsafe signature.withUnsafeBytes { signature in
            unsafe message.withUnsafeBytes { message in
                unsafe EVP_DigestVerify(
                    context, signature.bindMemory(to: UInt8.self).baseAddress, signature.count,
                    message.bindMemory(to: UInt8.self).baseAddress, message.count)
            }
        }
        // A wrong signature leaves errors in libcrypto's list, where TLS would find them.
        ERR_clear_error()
        return result == 1
    }
}
