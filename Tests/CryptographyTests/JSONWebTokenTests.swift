import Cryptography
import Testing
import TokenSigning
import Tokens

private let signer = TokenSigner()
private let stranger = TokenSigner()
private let now: Int64 = 1_800_000_000
private let issuer = "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbCdEf123"
private let expected = Claims.Expectation(issuers: [issuer], clientID: "client", now: now)
private let header: JSONValue = .object(["alg": .string("RS256"), "kid": .string("a/b+c=")])

private func claims(_ changes: [String: JSONValue] = [:], without: [String] = []) -> JSONValue {
    var members: [String: JSONValue] = [
        "iss": .string(issuer), "token_use": .string("access"), "client_id": .string("client"),
        "sub": .string("0000-1111"), "username": .string("alice"), "exp": .integer(now + 3600),
        "cognito:groups": .array([.string("staff")]),
    ]
    members.merge(changes) { _, new in new }
    for name in without {
        members[name] = nil
    }
    return .object(members)
}

private func identityClaims(_ changes: [String: JSONValue] = [:]) -> JSONValue {
    let own: [String: JSONValue] = [
        "token_use": .string("id"), "aud": .string("client"), "cognito:username": .string("alice"),
    ]
    return claims(own.merging(changes) { _, new in new }, without: ["client_id", "username"])
}

private func keys() throws -> KeySet {
    let signer = try #require(signer)
    return try #require(KeySet(parsing: signer.keySet("a/b+c=")))
}

private func verified(_ content: JSONValue, header: JSONValue = header) throws -> Claims {
    let token = try #require(signer).token(header: header, claims: content)
    return try JSONWebToken(parsing: SecretValue(token)).verified(by: keys())
}

@Suite struct JSONWebTokenTests {
    @Test("a genuine access token is accepted")
    func accessToken() throws {
        let claims = try verified(claims())
        try claims.check(.access, expected)
        #expect(claims.userName == "alice")
        #expect(claims.groups == ["staff"])
        #expect(claims.expiry == now + 3600)
    }

    @Test("a genuine ID token is accepted")
    func idToken() throws {
        let claims = try verified(identityClaims())
        try claims.check(.identity, expected)
        #expect(claims.userName == "alice")
    }

    @Test(
        "no other algorithm gets as far as a key",
        arguments: ["none", "None", "HS256", "RS512", "PS256", "ES256", "rs256", "", "RS256\u{200d}"]
    )
    func algorithm(name: String) {
        #expect(throws: TokenError.algorithm) {
            _ = try verified(claims(), header: .object(["alg": .string(name), "kid": .string("a/b+c=")]))
        }
    }

    @Test("a header without algorithm or key, or with demands of its own")
    func headers() {
        #expect(throws: TokenError.algorithm) {
            _ = try verified(claims(), header: .object(["kid": .string("a/b+c=")]))
        }
        #expect(throws: TokenError.unknownKey) {
            _ = try verified(claims(), header: .object(["alg": .string("RS256")]))
        }
        #expect(throws: TokenError.criticalExtension) {
            _ = try verified(
                claims(),
                header: .object(["alg": .string("RS256"), "kid": .string("a/b+c="), "crit": .array([.string("b64")])])
            )
        }
    }

    @Test("the key's name is compared exactly", arguments: ["a/b+c", "A/b+c=", "a/b+c= ", ""])
    func keyIdentifier(name: String) {
        #expect(throws: TokenError.unknownKey) {
            _ = try verified(claims(), header: .object(["alg": .string("RS256"), "kid": .string(name)]))
        }
    }

    @Test("a signature by somebody else's key")
    func otherKey() throws {
        let token = try #require(stranger).token(header: header, claims: claims())
        #expect(throws: TokenError.signature) { _ = try JSONWebToken(parsing: SecretValue(token)).verified(by: keys()) }
    }

    @Test("any changed character of header, payload or signature")
    func changed() throws {
        let token = Array(try #require(signer).token(header: header, claims: claims()).utf8)
        for offset in stride(from: 0, to: token.count, by: 7) where token[offset] != UInt8(ascii: ".") {
            var other = token
            other[offset] = other[offset] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let text = String(decoding: other, as: UTF8.self)
            #expect(throws: TokenError.self, "offset \(offset)") {
                _ = try JSONWebToken(parsing: SecretValue(text)).verified(by: keys())
            }
        }
    }

    @Test(
        "what is not three parts of base64url",
        arguments: [
            "", ".", "..", "a.b", "a.b.c.d", "a..c", ".b.c", "a.b.", "e30.e30=.c2ln", "e30.e30.c2ln\n", "a.b.c.d.e",
        ]
    )
    func malformed(text: String) {
        #expect(throws: TokenError.malformed) { _ = try JSONWebToken(parsing: SecretValue(text)) }
    }

    @Test("a token that no key could hold is too long; a shorter one is read", arguments: [16_000, 32_767, 32_768])
    func tooLong(size: Int) {
        let text = "e30.\(String(repeating: "A", count: size - "e30..c2ln".utf8.count)).c2ln"
        // It has no algorithm, which is what is seen of it first.
        #expect(throws: size > 32_767 ? TokenError.tooLarge : .algorithm) {
            _ = try JSONWebToken(parsing: SecretValue(text))
        }
    }

    @Test("a signed payload that is no object")
    func payload() {
        #expect(throws: TokenError.malformed) { _ = try verified(.array([])) }
    }
}

@Suite struct ClaimTests {
    @Test(
        "each claim of an access token",
        arguments: [
            ("iss", JSONValue.string("https://elsewhere/")), ("iss", .string(issuer + "/")), ("iss", .null),
            ("token_use", .string("id")), ("token_use", .string("refresh")), ("token_use", .integer(1)),
            ("client_id", .string("other")), ("client_id", .array([.string("client")])), ("sub", .string("")),
            ("sub", .integer(1)), ("username", .string("")), ("exp", .string("1900000000")), ("exp", .integer(0)),
            ("exp", .number(1e30)), ("cognito:groups", .string("admins")), ("cognito:groups", .array([.integer(1)])),
        ]
    )
    func access(name: String, value: JSONValue) throws {
        let claims = try verified(claims([name: value]))
        #expect(throws: TokenError.claim(name)) { try claims.check(.access, expected) }
    }

    @Test("claims that are not there", arguments: ["iss", "token_use", "client_id", "sub", "username", "exp"])
    func missing(name: String) throws {
        let claims = try verified(claims(without: [name]))
        #expect(throws: TokenError.claim(name)) { try claims.check(.access, expected) }
    }

    @Test("an ID token is no access token, and the other way round")
    func exchanged() throws {
        let access = try verified(claims())
        #expect(throws: TokenError.claim("token_use")) { try access.check(.identity, expected) }
        let identity = try verified(identityClaims())
        #expect(throws: TokenError.claim("token_use")) { try identity.check(.access, expected) }
    }

    @Test("the audience of an ID token")
    func audience() throws {
        let claims = try verified(identityClaims(["aud": .string("other")]))
        #expect(throws: TokenError.claim("aud")) { try claims.check(.identity, expected) }
    }

    @Test(
        "expiry, with 60 seconds of leeway",
        arguments: [(Int64(3600), true), (0, true), (-59, true), (-60, false), (-3600, false)]
    )
    func expiry(offset: Int64, valid: Bool) throws {
        let claims = try verified(claims(["exp": .integer(now + offset)]))
        if valid {
            try claims.check(.access, expected)
        } else {
            #expect(throws: TokenError.expired(secondsAgo: -offset)) { try claims.check(.access, expected) }
        }
    }

    @Test(
        "moments that cannot be ahead, with 300 seconds for a clock that is behind",
        arguments: ["nbf", "iat", "auth_time"],
        [(Int64(-86_400), true), (0, true), (300, true), (301, false), (86_400, false), (10_000_000_000, false)]
    )
    func early(name: String, moment: (offset: Int64, valid: Bool)) throws {
        for (use, claims) in [
            (Claims.Use.access, try verified(claims([name: .integer(now + moment.offset)]))),
            (.identity, try verified(identityClaims([name: .integer(now + moment.offset)]))),
        ] {
            if moment.valid {
                try claims.check(use, expected)
            } else {
                #expect(throws: TokenError.early(name, seconds: moment.offset)) { try claims.check(use, expected) }
            }
        }
    }

    @Test("moments that are none", arguments: ["nbf", "iat", "auth_time"])
    func noMoment(name: String) throws {
        for value: JSONValue in [.string("1800000000"), .number(1e30), .integer(0), .integer(-1), .null] {
            let claims = try verified(claims([name: value]))
            #expect(throws: TokenError.claim(name)) { try claims.check(.access, expected) }
        }
    }

    @Test(
        "an e-mail address counts only when it is verified",
        arguments: [
            (JSONValue.boolean(true), true), (.string("true"), true), (.boolean(false), false),
            (.string("false"), false), (.integer(1), false), (.null, false), (.string("TRUE"), false),
        ]
    )
    func email(flag: JSONValue, counts: Bool) throws {
        let claims = try verified(identityClaims(["email": .string("a@example.com"), "email_verified": flag]))
        #expect(claims.verifiedEmail == (counts ? "a@example.com" : nil))
    }
}

@Suite struct KeySetTests {
    private func set(_ key: JSONValue) -> [UInt8] {
        JSONValue.object(["keys": .array([key])]).serialized ?? []
    }

    @Test("keys that RS256 cannot use are left out", arguments: ["kty", "alg", "use"])
    func otherKinds(member: String) throws {
        let signer = try #require(signer)
        var key = try #require(signer.publicKey("1").members)
        key[member] = .string("EC")
        #expect(KeySet(parsing: set(.object(key))) == nil)
    }

    @Test(
        "what is no key set", arguments: ["", "{}", "[]", #"{"keys":{}}"#, #"{"keys":[]}"#, #"{"keys":[1]}"#, "<html>"])
    func malformed(text: String) {
        #expect(KeySet(parsing: Array(text.utf8)) == nil)
    }

    @Test(
        "a key of 1024 bits, an even modulus, an exponent of one",
        arguments: [(128, 0xff, "AQAB"), (256, 0xfe, "AQAB"), (256, 0xff, "AQ"), (2048, 0xff, "AQAB")])
    func weak(size: Int, last: Int, exponent: String) throws {
        let modulus = [UInt8](repeating: 0xff, count: size - 1) + [UInt8(last)]
        let keys = try #require(
            KeySet(
                parsing: set(
                    .object([
                        "kty": .string("RSA"), "kid": .string("1"), "n": .string(Base64.url.encode(modulus)),
                        "e": .string(exponent),
                    ])
                )
            )
        )
        #expect(throws: TokenError.weakKey) { _ = try keys.key("1") != nil }
    }
}
