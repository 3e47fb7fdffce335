internal import CCrypto
package import Tokens

/// Signs tokens for tests, as a pool would.
@safe
package final class TokenSigner: @unchecked Sendable {
    private let key: OpaquePointer

    /// Makes a new 2048-bit key.
    package init?() {
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "RSA", nil) else {
            return nil
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1, unsafe EVP_PKEY_generate(context, &made) == 1,
            let made = unsafe made
        else {
            return nil
        }
        unsafe key = made
    }

    deinit {
        unsafe EVP_PKEY_free(key)
    }

    /// The key as a JSON Web Key.
    package func publicKey(_ identifier: String) -> JSONValue {
        .object([
            "kty": .string("RSA"), "alg": .string("RS256"), "use": .string("sig"), "kid": .string(identifier),
            "n": .string(Base64.url.encode(number("n"))), "e": .string(Base64.url.encode(number("e"))),
        ])
    }

    /// A key set of this key alone.
    package func keySet(_ identifier: String) -> [UInt8] {
        JSONValue.object(["keys": .array([publicKey(identifier)])]).serialized ?? []
    }

    /// A token of these parts, signed whatever they say.
    package func token(header: JSONValue, claims: JSONValue) -> String {
        let parts = [header, claims].map { part in Base64.url.encode(part.serialized ?? []) }
        let signed = parts.joined(separator: ".")
        return "\(signed).\(Base64.url.encode(sign(Array(signed.utf8))))"
    }

    private func number(_ name: String) -> [UInt8] {
        var value: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(key, name, &value) == 1, let value = unsafe value else {
            return []
        }
        defer { unsafe BN_free(value) }
        var bytes = [UInt8](repeating: 0, count: (Int(unsafe BN_num_bits(value)) + 7) / 8)
        _ = unsafe BN_bn2bin(value, &bytes)
        return bytes
    }

    private func sign(_ message: [UInt8]) -> [UInt8] {
        guard let context = unsafe EVP_MD_CTX_new() else {
            return []
        }
        defer { unsafe EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: 512)
        var length = signature.count
        guard unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            unsafe EVP_DigestSign(context, &signature, &length, message, message.count) == 1
        else {
            return []
        }
        return Array(signature.prefix(length))
    }
}
