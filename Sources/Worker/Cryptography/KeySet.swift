package import Tokens

/// A pool's public keys: a JSON Web Key Set (RFC 7517).
package struct KeySet: Sendable, Equatable {
    private struct Key: Sendable, Equatable {
        let identifier: [UInt8]
        let modulus: [UInt8]
        let exponent: [UInt8]
    }

    /// More keys than any pool has.
    private static let mostKeys = 32

    private var keys: [Key]
    /// How many keys tokens could be signed with.
    package var count: Int { keys.count }

    /// Reads a key set; nil when `bytes` are none, or hold no key that RS256 could use. Keys of other kinds are left
    /// out.
    package init?(parsing bytes: [UInt8]) {
        guard let document = JSONValue(parsing: bytes) else {
            return nil
        }
        self.init(document)
    }

    /// The same of a key set that is read already.
    package init?(_ document: JSONValue) {
        guard let list = document["keys"]?.elements, list.count <= Self.mostKeys else {
            return nil
        }
        keys = list.compactMap(Self.key)
        guard !keys.isEmpty else {
            return nil
        }
    }

    /// Adds the keys of `other` that this one does not have, by their ids.
    package mutating func add(_ other: KeySet) {
        keys += other.keys.filter { key in !keys.contains { own in own.identifier == key.identifier } }
    }

    private static func key(_ value: JSONValue) -> Key? {
        guard value["kty"]?.text == "RSA", let identifier = value["kid"]?.text,
            value["alg"] == nil || value["alg"]?.text == "RS256",
            value["use"] == nil || value["use"]?.text == "sig",
            let modulus = value["n"]?.text.flatMap(Base64.url.decode),
            let exponent = value["e"]?.text.flatMap(Base64.url.decode)
        else {
            return nil
        }
        return Key(identifier: Array(identifier.utf8), modulus: modulus, exponent: exponent)
    }

    /// How many of the keys have a `kid` that `isCounted` is true for.
    package func count(where isCounted: ([UInt8]) -> Bool) -> Int {
        keys.count { key in isCounted(key.identifier) }
    }

    /// Whether there is a key of that `kid`.
    package func has(_ identifier: [UInt8]) -> Bool {
        keys.contains { key in key.identifier == identifier }
    }

    /// The key whose `kid` is exactly `identifier`; nil when there is none.
    package func key(_ identifier: String) throws(TokenError) -> RSAPublicKey? {
        let wanted = Array(identifier.utf8)
        guard let found = keys.first(where: { key in key.identifier == wanted }) else {
            return nil
        }
        let key: RSAPublicKey?
        do {
            key = try RSAPublicKey(modulus: found.modulus, exponent: found.exponent)
        } catch {
            throw .cryptography
        }
        guard let key else {
            throw .weakKey
        }
        return key
    }
}
