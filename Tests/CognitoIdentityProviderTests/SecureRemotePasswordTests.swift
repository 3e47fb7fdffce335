import Base
import CognitoIdentityProvider
import Cryptography
import FoundationEssentials
import Testing
import TokenSigning
import Tokens

/// One vector of `srp-vectors.json`: values that three independent clients agree on.
struct SRPVector: Sendable, CustomTestStringConvertible {
    let content: JSONValue

    var testDescription: String { text("name") }

    func text(_ path: String...) -> String {
        var value: JSONValue? = content
        for name in path {
            value = value?[name]
        }
        return value?.text ?? ""
    }

    var isDevice: Bool { text("kind") == "device" }

    var identity: SRPIdentity {
        isDevice
            ? SRPIdentity(realm: text("device", "group_key"), identifier: text("device", "key"))
            : SRPIdentity(
                realm: text("pool_name"), identifier: text("challenge_parameters", "USER_ID_FOR_SRP")
            )
    }

    var challenge: SRPChallenge {
        SRPChallenge(
            salt: text("challenge_parameters", "SALT"), serverValue: text("challenge_parameters", "SRP_B"),
            secretBlock: text("challenge_parameters", "SECRET_BLOCK")
        )
    }

    static let file: JSONValue? = {
        let path = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        guard let data = FileManager.default.contents(atPath: "/\(path)/Vectors/srp-vectors.json") else {
            return nil
        }
        return JSONValue(parsing: [UInt8](data))
    }()

    static let all: [SRPVector] = (file?["vectors"]?.elements ?? []).map(SRPVector.init)
}

private func secret(_ bytes: [UInt8]) throws -> Secret {
    guard let secret = Secret(copying: bytes.span.bytes) else {
        throw SRPError.malformed("memory")
    }
    return secret
}

private func hexadecimal(_ secret: borrowing Secret) -> String {
    secret.withBytes { bytes in Hexadecimal.encode(bytes.copied()) }
}

private func bytes(_ text: String) throws -> [UInt8] {
    try #require(Hexadecimal.decode(text))
}

/// Digits without leading zeros: `S_hex`, `A_hex` are numbers.
private func digits(_ number: borrowing BigNumber) throws -> String {
    let text = hexadecimal(try number.bytes())
    return text.hasPrefix("0") ? String(text.dropFirst()) : text
}

@Suite struct SecureRemotePasswordTests {
    @Test("the vectors are there: six of people, one of a device")
    func vectors() {
        #expect(SRPVector.all.count == 7)
        #expect(SRPVector.all.count(where: \.isDevice) == 1)
    }

    @Test("the constants")
    func constants() throws {
        let constants = try #require(SRPVector.file?["constants"])
        #expect(try digits(SecureRemotePassword.prime()) == constants["N_hex"]?.text)
        #expect(constants["g"] == .integer(2))
        #expect(try digits(SecureRemotePassword.generator()) == "2")
        #expect(try digits(SecureRemotePassword.multiplier()) == constants["k_hex"]?.text)
        #expect(String(decoding: SecureRemotePassword.keyInfo, as: UTF8.self) == constants["hkdf_info"]?.text)
        #expect(constants["hkdf_output_bytes"] == .integer(Int64(SecureRemotePassword.keySize)))
    }

    @Test("every intermediate value", arguments: SRPVector.all)
    func intermediateValues(vector: SRPVector) throws {
        let client = try SecureRemotePassword(privateValue: secret(bytes(vector.text("small_a_hex"))))
        #expect(try client.publicText() == vector.text("expected", "A_hex"))
        let publicValue = try BigNumber(bigEndian: bytes(client.publicText()))
        #expect(hexadecimal(try publicValue.signedBytes()) == vector.text("expected", "padded_A_hex"))

        let serverValue = try client.serverValue(vector.challenge.serverValue)
        let scrambler = try client.scrambler(serverValue)
        // u is a digest, so its leading zeros are written out.
        let digest = String(repeating: "0", count: 64) + (try digits(scrambler))
        #expect(String(digest.suffix(64)) == vector.text("expected", "u_hex"))
        #expect(hexadecimal(try scrambler.signedBytes()) == vector.text("expected", "padded_u_hex"))

        let password = try secret(bytes(vector.text("password_utf8_hex")))
        let salt = try bytes(vector.challenge.salt)
        let inner = try password.withBytes { password in
            try SecureRemotePassword.innerHash(identity: vector.identity, password: password)
        }
        #expect(hexadecimal(inner) == vector.text("expected", "inner_hash_hex"))
        #expect(
            hexadecimal(try SecureRemotePassword.paddedSalt(salt)) == vector.text("expected", "padded_salt_hex")
        )
        let passwordKey = try password.withBytes { password in
            try SecureRemotePassword.passwordKey(salt: salt, identity: vector.identity, password: password)
        }
        let key = String(repeating: "0", count: 64) + (try digits(passwordKey))
        #expect(String(key.suffix(64)) == vector.text("expected", "x_hex"))

        let shared = try client.sharedSecret(serverValue, scrambler: scrambler, passwordKey: passwordKey)
        #expect(try digits(shared) == vector.text("expected", "S_hex"))
        #expect(hexadecimal(try shared.signedBytes()) == vector.text("expected", "padded_S_hex"))

        let extracted = try SecureRemotePassword.extractedKey(shared, scrambler: scrambler)
        #expect(hexadecimal(extracted) == vector.text("expected", "hkdf_prk_hex"))
        #expect(
            hexadecimal(try SecureRemotePassword.proofKey(extracted)) == vector.text("expected", "hkdf_key_hex")
        )
    }

    @Test("the server comes to the same secret: S = (A * v^u)^b", arguments: SRPVector.all)
    func serverSide(vector: SRPVector) throws {
        let prime = try SecureRemotePassword.prime()
        let client = try SecureRemotePassword(privateValue: secret(bytes(vector.text("small_a_hex"))))
        let scrambler = try client.scrambler(try client.serverValue(vector.challenge.serverValue))
        let verifier = try BigNumber(bigEndian: bytes(vector.text("server_side", "verifier_hex")))
        let privateValue = try BigNumber(bigEndian: bytes(vector.text("server_side", "small_b_hex")))
        let publicValue = try BigNumber(bigEndian: bytes(client.publicText()))
        let mixed = try publicValue.multiplied(by: verifier.power(scrambler, modulo: prime), modulo: prime)
        #expect(try digits(mixed.power(privateValue, modulo: prime)) == vector.text("expected", "S_hex"))
    }

    @Test("the proof, made in one call", arguments: SRPVector.all)
    func signature(vector: SRPVector) throws {
        let client = try SecureRemotePassword(privateValue: secret(bytes(vector.text("small_a_hex"))))
        let parameters = vector.content["expected"]?["initiate_auth_parameters"]
        #expect(try client.publicText() == parameters?["SRP_A"]?.text)
        let password = try secret(bytes(vector.text("password_utf8_hex")))
        let signature = try password.withBytes { password in
            try client.signature(
                password: password, identity: vector.identity, challenge: vector.challenge,
                timestamp: vector.text("expected", "timestamp")
            )
        }
        #expect(signature == vector.text("expected", "signature_b64"))
        let responses = vector.content["expected"]?["challenge_responses"]
        #expect(signature == responses?["PASSWORD_CLAIM_SIGNATURE"]?.text)
    }

    @Test("SECRET_HASH, over the name that is sent", arguments: SRPVector.all.filter { vector in !vector.isDevice })
    func secretHash(vector: SRPVector) throws {
        let expected = vector.content["expected"]
        let clientSecret = vector.text("client_secret")
        guard !clientSecret.isEmpty else {
            #expect(expected?["initiate_auth_parameters"]?["SECRET_HASH"] == nil)
            return
        }
        for part in ["initiate_auth_parameters", "challenge_responses"] {
            let values = try #require(expected?[part])
            let hash = try SecretHash.make(
                clientSecret: SecretValue(clientSecret), userName: try #require(values["USERNAME"]?.text),
                clientID: vector.text("client_id")
            )
            #expect(hash == values["SECRET_HASH"]?.text)
        }
    }

    @Test("a device's registration")
    func deviceRegistration() throws {
        let vector = SRPVector(content: try #require(SRPVector.file?["device_registration"]))
        let password = Base64.standard.encode(try bytes(vector.text("random_40_bytes_hex")))
        #expect(password == vector.text("expected", "device_password"))
        let registered = try SecureRemotePassword.deviceVerifier(
            salt: try bytes(vector.text("random_16_bytes_hex")),
            identity: SRPIdentity(realm: vector.text("device", "group_key"), identifier: vector.text("device", "key")),
            password: Array(password.utf8).span.bytes
        )
        #expect(registered.verifier == vector.text("expected", "DeviceSecretVerifierConfig", "PasswordVerifier"))
        #expect(registered.salt == vector.text("expected", "DeviceSecretVerifierConfig", "Salt"))
    }

    @Test("every exchange has its own private value")
    func fresh() throws {
        #expect(try SecureRemotePassword().publicText() != SecureRemotePassword().publicText())
    }
}

@Suite struct SecureRemotePasswordRefusals {
    private func attempt(_ change: (inout SRPChallenge) -> Void) throws {
        let vector = SRPVector.all[0]
        var challenge = vector.challenge
        change(&challenge)
        _ = try SecureRemotePassword().signature(
            password: Array("x".utf8).span.bytes, identity: vector.identity, challenge: challenge, timestamp: ""
        )
    }

    @Test("B that is a multiple of the prime", arguments: [0, 1])
    func serverValue(factor: UInt32) throws {
        let multiple = try SecureRemotePassword.prime().multiplied(by: BigNumber(factor))
        let text = factor == 0 ? "0" : hexadecimal(try multiple.bytes())
        #expect(throws: SRPError.unacceptableValue("SRP_B")) {
            try attempt { challenge in challenge.serverValue = text }
        }
    }

    @Test("a private value that makes A zero cannot exist, so A is never zero")
    func publicValue() throws {
        // g^a mod N is a power of 2 modulo a prime.
        #expect(try SecureRemotePassword(privateValue: secret([0])).publicText() == "1")
    }

    @Test("u that is zero")
    func scrambler() throws {
        let zeros = try secret([UInt8](repeating: 0, count: 32))
        #expect(throws: SRPError.unacceptableValue("SRP_B")) {
            _ = try SecureRemotePassword.scrambler(zeros).bitCount()
        }
    }

    @Test(
        "B that is no number, or far too long",
        arguments: ["", "xyz", "0x12", " 12", String(repeating: "f", count: 772)])
    func malformedServerValue(text: String) {
        #expect(throws: SRPError.malformed("SRP_B")) { try attempt { challenge in challenge.serverValue = text } }
    }

    @Test("a salt that is no number", arguments: ["", "g0", "12 34", String(repeating: "0", count: 4000)])
    func malformedSalt(text: String) {
        #expect(throws: SRPError.malformed("SALT")) { try attempt { challenge in challenge.salt = text } }
    }

    @Test("a secret block that is not base64", arguments: ["", "%%%%", "QUJD\n", "QUI"])
    func malformedBlock(text: String) {
        #expect(throws: SRPError.malformed("SECRET_BLOCK")) {
            try attempt { challenge in challenge.secretBlock = text }
        }
    }

    @Test(
        "a salt is a number: zeros in front do not count, odd digits do",
        arguments: [
            ("0012", "12"), ("12", "12"), ("ff", "00ff"), ("abc", "0abc"), ("0", "00"), ("00", "00"), ("80", "0080"),
        ]
    )
    func saltPadding(text: String, padded: String) throws {
        #expect(hexadecimal(try SecureRemotePassword.paddedSalt(try bytes(text))) == padded)
    }
}

@Suite struct TimestampTests {
    @Test(
        "English names, UTC, no padding of the day",
        arguments: [
            (1_693_922_587, "Tue Sep 5 14:03:07 UTC 2023"), (0, "Thu Jan 1 00:00:00 UTC 1970"),
            (1_767_225_599, "Wed Dec 31 23:59:59 UTC 2025"), (1_709_164_800, "Thu Feb 29 00:00:00 UTC 2024"),
            (951_782_400, "Tue Feb 29 00:00:00 UTC 2000"), (4_102_444_800, "Fri Jan 1 00:00:00 UTC 2100"),
        ]
    )
    func text(seconds: Int64, expected: String) {
        #expect(Timestamp.text(seconds) == expected)
    }

    @Test("the vectors' times", arguments: SRPVector.all)
    func vectors(vector: SRPVector) throws {
        let date = try Date(vector.text("timestamp_utc"), strategy: .iso8601)
        #expect(Timestamp.text(Int64(date.timeIntervalSince1970)) == vector.text("expected", "timestamp"))
    }

    @Test("a time beyond all years has no text")
    func overflow() {
        #expect(Timestamp.text(.max) == nil)
    }
}

@Suite struct UserPoolTests {
    @Test("a pool's parts follow from its id")
    func parts() throws {
        let pool = try #require(UserPool(identifier: "us-east-1_AbCdEf123", clientID: "client"))
        #expect(pool.region.name == "us-east-1")
        #expect(pool.name == "AbCdEf123")
        #expect(pool.host == "cognito-idp.us-east-1.amazonaws.com")
    }

    @Test(
        """
        who may issue a pool's tokens: the pool's Region under both names, and the Regions of its endpoints under \
        the original one
        """,
        arguments: [
            ([], []), (["https://cognito.example.com", "https://127.0.0.1:8443"], []),
            (["https://cognito-idp.eu-west-1.amazonaws.com"], []),
            (
                ["https://cognito-idp.eu-west-1.amazonaws.com", "https://cognito-idp.us-east-1.amazonaws.com"],
                ["us-east-1"]
            ),
            (
                [
                    "https://cognito-idp-fips.us-west-2.amazonaws.com", "https://x",
                    "https://cognito-idp.us-east-1.api.aws",
                ],
                ["us-east-1", "us-west-2"]
            ),
        ] as [([String], [String])])
    func issuers(endpoints: [String], replicas: [String]) throws {
        let pool = try #require(UserPool(identifier: "eu-west-1_X", clientID: "client"))
        var expected: [String: IssuerType] = [
            "https://issuer-cognito-idp.eu-west-1.amazonaws.com/eu-west-1_X": .updated
        ]
        for region in ["eu-west-1"] + replicas {
            expected["https://cognito-idp.\(region).amazonaws.com/eu-west-1_X"] = .original
        }
        #expect(pool.issuers(endpoints: endpoints) == expected)
    }

    @Test(
        "what is no pool's id",
        arguments: ["", "eu-west-1", "_abc", "eu-west-1_", "eu/west_a", "eu-west-1_a_b", "eu-west-1_a/b"])
    func malformed(identifier: String) {
        #expect(UserPool(identifier: identifier, clientID: "client") == nil)
    }
}
