import Testing
import TokenSigning
import Tokens

private let sample = Session(
    accessToken: token(#"{"username":"alice","exp":1800000000,"cognito:groups":["admins","staff"]}"#),
    idToken: token(
        #"{"cognito:username":"alice","name":"Alice\u001b[2J Ex","email":"a@example.com","exp":1800000000}"#),
    refreshToken: "a.b.c.d.e", accessTokenExpiry: 1_800_000_000, refreshTokenExpiry: 1_802_592_000,
    userName: "alice", userPoolID: "eu-west-1_AbCdEf123", clientID: "client", region: "eu-west-1",
    signedInAt: 1_799_996_400, renewedAt: 1_799_996_400, signOut: .global
)

private func token(_ payload: String) -> SecretValue {
    let header = Base64.url.encode(Array(#"{"alg":"RS256","kid":"1"}"#.utf8))
    return SecretValue("\(header).\(Base64.url.encode(Array(payload.utf8))).c2ln")
}

private func changed(_ name: String, _ value: JSONValue?) throws -> [UInt8] {
    guard var members = JSONValue(parsing: try sample.bundle())?.members else {
        return []
    }
    members[name] = value
    return JSONValue.object(members).serialized ?? []
}

@Suite struct SessionTests {
    @Test("a bundle is read back as it was written")
    func roundTrip() throws {
        #expect(try Session(decoding: sample.bundle()) == sample)
        #expect(try Session(decoding: sample.withoutRefreshToken.bundle()).refreshToken == nil)
        var remembered = sample
        remembered.deviceKey = "eu-west-1_0b1c"
        #expect(try Session(decoding: remembered.bundle()) == remembered)
    }

    @Test("the bundle has the documented members and no others")
    func members() throws {
        let members = try #require(JSONValue(parsing: try sample.bundle())?.members)
        #expect(
            members.keys.sorted() == [
                "access_token", "client_id", "expires_at", "id_token", "refresh_token",
                "refresh_token_expires_at", "region", "renewed_at", "sign_out", "signed_in_at", "token_type",
                "user_pool_id", "username",
            ]
        )
        #expect(members["token_type"] == .string("Bearer"))
        #expect(members["expires_at"] == .integer(1_800_000_000))
        #expect(members["sign_out"] == .string("global"))
    }

    @Test(
        "every member but the refresh token is needed",
        arguments: [
            "access_token", "client_id", "expires_at", "id_token", "refresh_token_expires_at", "region",
            "renewed_at", "sign_out", "signed_in_at", "token_type", "user_pool_id", "username",
        ]
    )
    func missing(name: String) throws {
        let bytes = try changed(name, nil)
        #expect(throws: SessionError.missing(name)) { try Session(decoding: bytes) }
    }

    @Test(
        "a value that cannot be right is refused",
        arguments: [
            ("token_type", JSONValue.string("MAC")), ("access_token", .string("")), ("access_token", .integer(1)),
            ("id_token", .string("a b")), ("refresh_token", .null), ("refresh_token", .string("a\n")),
            ("expires_at", .string("1800000000")), ("expires_at", .integer(0)), ("expires_at", .integer(-1)),
            ("signed_in_at", .number(1e30)), ("username", .string("")), ("username", .string("a\u{7}b")),
            ("username", .string(String(repeating: "a", count: 257))), ("region", .string("us-east-1")),
            ("sign_out", .string("later")), ("client_id", .array([])),
        ]
    )
    func malformed(name: String, value: JSONValue) throws {
        let bytes = try changed(name, value)
        #expect(throws: SessionError.malformed(name)) { try Session(decoding: bytes) }
    }

    @Test("members of later versions are ignored")
    func laterMembers() throws {
        #expect(try Session(decoding: changed("token_family", .string("x"))) == sample)
    }

    @Test("what is not one JSON object is refused", arguments: ["", "[]", "null", "{", "{} {}", "\"a\"", "\u{0}"])
    func notAnObject(text: String) {
        #expect(throws: SessionError.notAnObject) { try Session(decoding: Array(text.utf8)) }
    }

    @Test("a bundle that no key can hold is refused on both ways")
    func tooLarge() {
        var large = sample
        large.refreshToken = SecretValue(String(repeating: "a", count: Session.largestSize))
        let session = large
        #expect(throws: SessionError.tooLarge) { try session.bundle() }
        #expect(throws: SessionError.tooLarge) {
            try Session(decoding: [UInt8](repeating: 32, count: Session.largestSize + 1))
        }
    }

    @Test("claims are shown without control characters")
    func claims() {
        #expect(sample.idTokenClaims?.fullName == "Alice[2J Ex")
        #expect(sample.idTokenClaims?.emailAddress == "a@example.com")
        #expect(sample.groups == ["admins", "staff"])
        #expect(sample.accessTokenClaims?.expiry == 1_800_000_000)
        #expect(sample.accessTokenClaims?.userName == "alice")
    }

    @Test(
        "what is not a JSON Web Token has no claims",
        arguments: ["", "a", "a.b", "..", "a.b.c.d.e", "a.e30=.c", "a.W10.c"])
    func noClaims(text: String) {
        #expect(UnverifiedClaims(token: SecretValue(text)) == nil)
    }
}
