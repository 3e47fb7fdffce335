package import Base
package import Cryptography
internal import Tokens

/// Why a proof of the password cannot be made.
package enum SRPError: Error, Equatable {
    /// A value of the challenge is missing or is not what its name says.
    case malformed(String)
    /// Values with which the proof would tell something about the password, or prove nothing.
    case unacceptableValue(String)
    case cryptography(CryptographyError)

    /// A sentence for the log.
    package var description: String {
        switch self {
        case .malformed(let name): "The challenge's \(name) is missing or malformed."
        case .unacceptableValue(let name): "The challenge's \(name) is not acceptable for SRP."
        case .cryptography(let error): error.description
        }
    }
}

/// The ChallengeParameters of PASSWORD_VERIFIER and DEVICE_PASSWORD_VERIFIER, which a proof needs.
package struct SRPChallenge: Sendable {
    /// SALT: a number in hexadecimal digits, also an odd count of them.
    package var salt: String
    /// SRP_B: the server's public value in hexadecimal digits.
    package var serverValue: String
    /// SECRET_BLOCK: opaque, in base64.
    package var secretBlock: String

    /// Makes a challenge from its three parts.
    package init(salt: String, serverValue: String, secretBlock: String) {
        self.salt = salt
        self.serverValue = serverValue
        self.secretBlock = secretBlock
    }
}

/// The identity that a password belongs to: for a user the pool's name and USER_ID_FOR_SRP, for a device its group's
/// key and its own.
package struct SRPIdentity: Sendable {
    /// The part of the pool id after the first underscore, or the device group's key.
    package var realm: String
    /// USER_ID_FOR_SRP, or the device's key.
    package var identifier: String

    /// Makes an identity from its two parts.
    package init(realm: String, identifier: String) {
        self.realm = realm
        self.identifier = identifier
    }
}

/// Cognito's variant of SRP-6a, the client's half: proves a password without sending it.
///
/// It departs from RFC 5054 in three things: g is 2, numbers are hashed as Java's `BigInteger.toByteArray()` spells
/// them (never at a fixed width), and the proof is an HMAC under a key that HKDF derives from the shared secret. Each
/// function below is one line of the protocol; the letters in the comments are the usual ones.
package struct SecureRemotePassword: ~Copyable {
    /// The info parameter of HKDF.
    package static let keyInfo = [UInt8]("Caldera Derived Key".utf8)
    /// The length of the proof's key in bytes.
    package static let keySize = 16
    /// Bytes of randomness in the private value.
    static let privateValueSize = 32

    private let prime: BigNumber
    private let generator: BigNumber
    private let privateValue: BigNumber
    private let publicValue: BigNumber

    /// Begins an exchange with a private value of its own.
    package init() throws(SRPError) {
        let random = try Self.crypto { () throws(CryptographyError) in
            try RandomBytes.secret(Self.privateValueSize)
        }
        try self.init(privateValue: random)
    }

    /// Begins an exchange with a given private value, a.
    package init(privateValue bytes: borrowing Secret) throws(SRPError) {
        let prime = try Self.crypto(Self.prime)
        let generator = try Self.crypto(Self.generator)
        let privateValue = try Self.value(bytes)
        // A = g^a mod N
        let publicValue = try Self.crypto { () throws(CryptographyError) in
            try generator.power(privateValue, modulo: prime)
        }
        guard !publicValue.isZero() else {
            throw .unacceptableValue("SRP_A")
        }
        self.prime = prime
        self.generator = generator
        self.privateValue = privateValue
        self.publicValue = publicValue
    }

    /// SRP_A: A in hexadecimal digits, without leading zeros.
    package borrowing func publicText() throws(SRPError) -> String {
        do {
            let digits = try publicValue.bytes().withBytes { bytes in Hexadecimal.encode(bytes.copied()) }
            return digits.hasPrefix("0") ? String(digits.dropFirst()) : digits
        } catch {
            throw .cryptography(error)
        }
    }

    /// The proof, PASSWORD_CLAIM_SIGNATURE, in base64.
    ///
    /// - Parameter timestamp: TIMESTAMP, exactly as it will be sent.
    package borrowing func signature(
        password: RawSpan, identity: SRPIdentity, challenge: SRPChallenge, timestamp: String
    ) throws(SRPError) -> String {
        let serverValue = try serverValue(challenge.serverValue)
        guard let salt = Hexadecimal.decode(challenge.salt), salt.count <= 1024 else {
            throw .malformed("SALT")
        }
        guard let block = Base64.standard.decode(challenge.secretBlock), !block.isEmpty else {
            throw .malformed("SECRET_BLOCK")
        }
        let scrambler = try scrambler(serverValue)
        do throws(CryptographyError) {
            let passwordKey = try Self.passwordKey(salt: salt, identity: identity, password: password)
            let shared = try sharedSecret(serverValue, scrambler: scrambler, passwordKey: passwordKey)
            let key = try Self.proofKey(try Self.extractedKey(shared, scrambler: scrambler))
            var code = try key.withBytes { key throws(CryptographyError) in try HMACSHA256(key: key) }
            try code.update(Array(identity.realm.utf8))
            try code.update(Array(identity.identifier.utf8))
            try code.update(block)
            try code.update(Array(timestamp.utf8))
            return try code.finish().withBytes { bytes in Base64.standard.encode(bytes.copied()) }
        } catch {
            throw .cryptography(error)
        }
    }

    // MARK: - The lines of the protocol

    /// B: the server's public value, not a multiple of the prime.
    package borrowing func serverValue(_ text: String) throws(SRPError) -> BigNumber {
        guard let bytes = Hexadecimal.decode(text), bytes.count <= 385 else {
            throw .malformed("SRP_B")
        }
        let value = try Self.crypto { () throws(CryptographyError) in try BigNumber(bigEndian: bytes) }
        let remainder: BigNumber
        do { remainder = try value.reduced(modulo: prime) } catch { throw .cryptography(error) }
        guard !remainder.isZero() else {
            throw .unacceptableValue("SRP_B")
        }
        return value
    }

    /// u = SHA256(pad(A) || pad(B)), not zero.
    package borrowing func scrambler(_ serverValue: borrowing BigNumber) throws(SRPError) -> BigNumber {
        let digest: Secret
        do { digest = try Self.hash(publicValue, serverValue) } catch { throw .cryptography(error) }
        return try Self.scrambler(digest)
    }

    /// A scrambler, unless it is zero: then the shared secret would not depend on the password.
    package static func scrambler(_ digest: borrowing Secret) throws(SRPError) -> BigNumber {
        let value = try value(digest)
        guard !value.isZero() else {
            throw .unacceptableValue("SRP_B")
        }
        return value
    }

    /// k = SHA256(pad(N) || pad(g)).
    package static func multiplier() throws(CryptographyError) -> BigNumber {
        try number(try hash(try prime(), try generator()))
    }

    /// SHA256(realm || identifier || ":" || password): the inner half of x.
    package static func innerHash(identity: SRPIdentity, password: RawSpan) throws(CryptographyError) -> Secret {
        var inner = try SHA256()
        try inner.update(Array("\(identity.realm)\(identity.identifier):".utf8))
        try inner.update(password)
        return try inner.finish()
    }

    /// x = SHA256(pad(SALT) || inner hash).
    package static func passwordKey(
        salt: [UInt8], identity: SRPIdentity, password: RawSpan
    ) throws(CryptographyError) -> BigNumber {
        let inner = try innerHash(identity: identity, password: password)
        return try number(try hash(try paddedSalt(salt), inner))
    }

    /// pad(SALT): the salt is a number, so zeros in front of it do not count.
    package static func paddedSalt(_ salt: [UInt8]) throws(CryptographyError) -> Secret {
        try BigNumber(bigEndian: salt).signedBytes()
    }

    /// S = (B - k * g^x) ^ (a + u * x) mod N.
    package borrowing func sharedSecret(
        _ serverValue: borrowing BigNumber, scrambler: borrowing BigNumber, passwordKey: borrowing BigNumber
    ) throws(CryptographyError) -> BigNumber {
        let verifier = try generator.power(passwordKey, modulo: prime)
        let masked = try Self.multiplier().multiplied(by: verifier, modulo: prime)
        let base = try serverValue.subtracting(masked, modulo: prime)
        let exponent = try privateValue.adding(try scrambler.multiplied(by: passwordKey))
        return try base.power(exponent, modulo: prime)
    }

    /// PRK = HMAC-SHA256(key: pad(u), message: pad(S)).
    package static func extractedKey(
        _ shared: borrowing BigNumber, scrambler: borrowing BigNumber
    ) throws(CryptographyError) -> Secret {
        let salt = try scrambler.signedBytes()
        let material = try shared.signedBytes()
        return try salt.withBytes { salt throws(CryptographyError) in
            try material.withBytes { material throws(CryptographyError) in
                try HKDFSHA256.extract(salt: salt, material: material)
            }
        }
    }

    /// K: the first 16 bytes of HKDF's output.
    package static func proofKey(_ extracted: borrowing Secret) throws(CryptographyError) -> Secret {
        try extracted.withBytes { key throws(CryptographyError) in
            try HKDFSHA256.expand(key, info: keyInfo, size: keySize)
        }
    }

    /// v = g^x mod N, with its salt: what ConfirmDevice registers. Both in base64.
    package static func deviceVerifier(
        salt: [UInt8], identity: SRPIdentity, password: RawSpan
    ) throws(CryptographyError) -> (verifier: String, salt: String) {
        let key = try passwordKey(salt: salt, identity: identity, password: password)
        let verifier = try generator().power(key, modulo: try prime()).signedBytes()
        return (
            verifier.withBytes { bytes in Base64.standard.encode(bytes.copied()) },
            try paddedSalt(salt).withBytes { bytes in Base64.standard.encode(bytes.copied()) }
        )
    }

    // MARK: - Helpers

    /// N.
    package static func prime() throws(CryptographyError) -> BigNumber { try BigNumber.prime3072() }

    /// g.
    package static func generator() throws(CryptographyError) -> BigNumber { try BigNumber(2) }

    private static func number(_ digest: borrowing Secret) throws(CryptographyError) -> BigNumber {
        try digest.withBytes { bytes throws(CryptographyError) in try BigNumber(bigEndian: bytes) }
    }

    private static func hash(
        _ first: borrowing BigNumber, _ second: borrowing BigNumber
    ) throws(CryptographyError) -> Secret {
        try hash(try first.signedBytes(), try second.signedBytes())
    }

    /// The digest of two secrets, one behind the other.
    private static func hash(
        _ first: borrowing Secret, _ second: borrowing Secret
    ) throws(CryptographyError) -> Secret {
        var hash = try SHA256()
        try first.withBytes { bytes throws(CryptographyError) in try hash.update(bytes) }
        try second.withBytes { bytes throws(CryptographyError) in try hash.update(bytes) }
        return try hash.finish()
    }

    private static func value(_ bytes: borrowing Secret) throws(SRPError) -> BigNumber {
        do { return try number(bytes) } catch { throw .cryptography(error) }
    }

    private static func crypto<R: ~Copyable>(
        _ body: () throws(CryptographyError) -> R
    ) throws(SRPError) -> R {
        do { return try body() } catch { throw .cryptography(error) }
    }
}
