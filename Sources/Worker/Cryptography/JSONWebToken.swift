package import Tokens

/// Why a token is not believed. Never says what was in it.
package enum TokenError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Not three parts of base64url, or not JSON where JSON must be.
    case malformed
    /// More than a key can hold.
    case tooLarge
    /// Another algorithm than RS256.
    case algorithm
    /// The header demands something that we do not know (`crit`).
    case criticalExtension
    /// No key of that `kid`.
    case unknownKey
    /// The key is too short to be trusted.
    case weakKey
    /// The signature is not the key's.
    case signature
    /// A claim is missing or is not what it must be.
    case claim(String)
    /// The token has run out.
    case expired(secondsAgo: Int64)
    /// A claim names a moment so many seconds ahead.
    case early(String, seconds: Int64)
    case cryptography

    /// The end of a sentence that begins with the token, without a full stop.
    package var description: String {
        switch self {
        case .malformed: "is malformed"
        case .tooLarge: "is too large for a key (\(JSONWebToken.largestSize) bytes)"
        case .algorithm: "is not signed with RS256"
        case .criticalExtension: "has an unsupported critical extension"
        case .unknownKey: "is signed with a key that is missing from the pool's key set"
        case .weakKey: "is signed with a key that is too weak"
        case .signature: "has an invalid signature"
        case .claim(let name): "has an incorrect or missing \"\(name)\" claim"
        case .expired(let seconds): "expired \(seconds) seconds ago according to this machine's clock"
        case .early(let name, let seconds): "is dated in the future (\(name), by \(seconds) s)"
        case .cryptography: "could not be checked: the cryptographic library failed"
        }
    }
}

/// A signed token (RFC 7519, RFC 7515). Its content can be read only after its signature was checked.
package struct JSONWebToken: Sendable {
    /// Longer ones are refused: what a key of type `user` can hold (keyrings(7)). A token's bundle, which has to fit,
    /// is looked at later.
    package static let largestSize = 32_767

    /// The header's `kid`.
    package let keyIdentifier: String
    private let token: SecretValue
    private let parts: TokenParts
    private let payload: [UInt8]
    private let signature: SecretValue

    /// Takes a token apart. Only RS256 is let through: the algorithm is ours to choose, not the token's.
    package init(parsing token: SecretValue) throws(TokenError) {
        guard token.count <= Self.largestSize else {
            throw .tooLarge
        }
        guard let parts = token.withBytes({ bytes in TokenParts(bytes) }),
            !parts.header.isEmpty, !parts.payload.isEmpty, !parts.signature.isEmpty,
            let header = token.withBytes({ bytes in Base64.url.decode(bytes.extracting(parts.header)) })
                .flatMap(JSONValue.init(parsing:)), header.members != nil,
            let payload = token.withBytes({ bytes in Base64.url.decode(bytes.extracting(parts.payload)) }),
            let signature = token.withBytes({ bytes in Base64.url.decode(secret: bytes.extracting(parts.signature)) })
        else {
            throw .malformed
        }
        guard header["alg"]?.text.map({ name in Array(name.utf8) == Array("RS256".utf8) }) == true else {
            throw .algorithm
        }
        guard header["crit"] == nil else {
            throw .criticalExtension
        }
        guard let keyIdentifier = header["kid"]?.text else {
            throw .unknownKey
        }
        self.keyIdentifier = keyIdentifier
        self.token = token
        self.parts = parts
        self.payload = payload
        self.signature = SecretValue(signature)
    }

    /// Checks the signature and only then reads the payload.
    package func verified(by keys: KeySet) throws(TokenError) -> Claims {
        guard let key = try keys.key(keyIdentifier) else {
            throw .unknownKey
        }
        let valid: Bool
        do {
            valid = try token.withBytes { token throws(CryptographyError) in
                try signature.withBytes { signature throws(CryptographyError) in
                    try key.isValidRS256(signature, of: token.extracting(0..<parts.payload.upperBound))
                }
            }
        } catch {
            throw .cryptography
        }
        guard valid else {
            throw .signature
        }
        guard let claims = Claims(parsing: payload) else {
            throw .malformed
        }
        return claims
    }
}
