import HTTPClient
import Protocol
import Steps
import Testing
import TokenSigning
import Tokens

@Suite struct CheckTests {
    private static func accepted(_ name: String = "alice") -> ScriptedPool.Answer {
        .success((200, #"{"Username":"\#(name)","UserAttributes":[]}"#))
    }

    @Test("genuine tokens are verified without the network, also those that have ended", arguments: [3600, 1, 0, -50])
    func offline(lifetime: Int64) {
        let step = Step()
        let root = step.run([Step.check(step.genuineSession(lifetime: lifetime), isOnline: false)])
        #expect(root.kinds == [.checked])
        #expect(step.pool.operations.isEmpty)
    }

    @Test(
        "tokens that shall open something must not have ended, but for a minute of difference between clocks",
        arguments: [(3600, true), (-59, true), (-61, false)] as [(Int64, Bool)])
    func opening(lifetime: Int64, isGood: Bool) {
        let step = Step()
        let root = step.run([Step.check(step.genuineSession(lifetime: lifetime), isOnline: false, isOpening: true)])
        #expect(root.kinds == [isGood ? .checked : .failed])
        #expect(root.last?.reason == (isGood ? nil : .invalidTokens))
    }

    @Test("the root side is told when the person signed in, and their groups")
    func standing() {
        let step = Step()
        step.pool.claims["auth_time"] = .integer(1_700_000_123)
        step.pool.identityClaims["auth_time"] = .integer(1_700_000_123)
        step.pool.claims["cognito:groups"] = .array([.string("staff"), .string("é b")])
        let answer = step.run([Step.check(step.genuineSession(), isOnline: false)]).last
        #expect(answer?.fields[.authenticatedAt] == [0, 0, 0, 0, 0x65, 0x53, 0xf1, 0x7b])
        #expect(answer?.groups == ["staff", "é b"])
        step.pool.claims = [:]
        let silent = step.run([Step.check(step.genuineSession(), isOnline: false)]).last
        #expect(silent?.fields[.authenticatedAt] == nil)
        #expect(silent?.groups == [])
    }

    @Test("the key set is fetched where there is none, and kept")
    func keySet() {
        let step = Step()
        let root = step.run([Step.check(step.genuineSession(), isOnline: false, keySet: nil)])
        #expect(root.kinds == [.keep, .checked])
        #expect(step.pool.operations == ["jwks"])
    }

    @Test("Cognito is asked when that is wanted")
    func online() {
        let step = Step()
        step.pool.answers["GetUser"] = [Self.accepted()]
        let session = step.genuineSession()
        #expect(step.run([Step.check(session, isOnline: true)]).kinds == [.checked])
        #expect(step.pool.operations == ["GetUser"])
        #expect(step.pool.bodies[0]["AccessToken"]?.text == session.accessToken.text)
    }

    private static let listed: ScriptedPool.Answer = .success(
        (
            200,
            #"""
            {"Sessions":[{"SessionId":"a","LastActiveDate":1000.5},{"SessionId":"b","LastActiveDate":2000},
            {"SessionId":"c","LastActiveDate":3000,"IsCurrentSession":true},{"SessionId":"d","CreateDate":4000}]}
            """#
        ))

    @Test(
        "how many of the person's sessions were used before one is asked of the pool's list",
        arguments: [
            (listed, 0, 3), (listed, 900, 1), (listed, 1301, 2), (listed, 9000, 5),
            (.success((200, #"{"Sessions":[]}"#)), 0, 1),
            (ScriptedPool.refusal("InvalidParameterException", "Session tracking is not enabled"), 0, 0),
            (ScriptedPool.refusal("UnknownOperationException", ""), 0, 0),
            (ScriptedPool.refusal("FeatureUnavailableInTierException", ""), 0, 0),
            (ScriptedPool.refusal("NotAuthorizedException", "Access Token does not have required scopes"), 0, nil),
            (ScriptedPool.refusal("InternalErrorException", ""), 0, nil),
        ] as [(ScriptedPool.Answer, UInt16, UInt8?)])
    func place(answer: ScriptedPool.Answer, lastUse: UInt16, place: UInt8?) {
        let step = Step()
        step.pool.answers["GetUser"] = [Self.accepted()]
        step.pool.answers["ListUserSessions"] = [answer, answer, answer, answer]
        let asked: [UInt8] = [0, 0, 0, 0, 0, 0, UInt8(lastUse >> 8), UInt8(lastUse & 0xff)]
        let root = step.run([Step.check(step.genuineSession(), isOnline: true, placing: asked)])
        #expect(root.kinds == [.checked])
        #expect(root.last?.fields[.sessionPlace] == place.map { place in [0, 0, 0, 0, 0, 0, 0, place] })
    }

    @Test(
        "a revocation and a refresh token that has run out are told apart from other refusals",
        arguments: [
            ("Refresh Token has been revoked", Field.revoked), ("Refresh Token has expired", .ranOut),
            ("User is disabled.", nil),
        ] as [(String, Field?)])
    func revocation(text: String, field: Field?) {
        let step = Step()
        step.pool.answers["GetTokensFromRefreshToken"] = [ScriptedPool.refusal("NotAuthorizedException", text)]
        let root = step.run([Step.renew(step.session(), keySet: ScriptedPool.keySet)])
        for one in [Field.revoked, .ranOut] {
            #expect(root.last?.fields[one] == (one == field ? [1] : nil))
        }
    }

    @Test(
        "what Cognito says decides the reason",
        arguments: [
            // They say nothing of the refresh token.
            (ScriptedPool.refusal("NotAuthorizedException", "Access Token has been revoked"), .accessTokenExpired),
            (ScriptedPool.refusal("NotAuthorizedException", "Invalid Access Token"), .accessTokenExpired),
            (
                ScriptedPool.refusal("NotAuthorizedException", "Could not verify signature for Access Token"),
                .accessTokenExpired
            ),
            (
                ScriptedPool.refusal("NotAuthorizedException", "Access Token does not have required scopes"),
                .configuration
            ),
            (ScriptedPool.refusal("NotAuthorizedException", "Access Token has expired"), .accessTokenExpired),
            (ScriptedPool.refusal("NotAuthorizedException", "words that nobody knows"), .accessTokenExpired),
            (ScriptedPool.refusal("NotAuthorizedException", "User is disabled."), .sessionEnded),
            (ScriptedPool.refusal("UserNotFoundException", ""), .sessionEnded),
            (ScriptedPool.refusal("PasswordResetRequiredException", ""), .sessionEnded),
            (ScriptedPool.refusal("TooManyRequestsException", ""), .throttled),
            (ScriptedPool.refusal("InternalErrorException", ""), .serviceFault),
            (.failure(.unreachable("x")), .unreachable),
            (.success((200, "{}")), .serviceFault),
            (Self.accepted("mallory"), .otherIdentity),
        ] as [(ScriptedPool.Answer, FailureReason)])
    func reason(answer: ScriptedPool.Answer, reason: FailureReason) {
        let step = Step()
        step.pool.answers["GetUser"] = [answer]
        #expect(step.run([Step.check(step.genuineSession(), isOnline: true)]).last?.reason == reason)
    }

    @Test(
        "tokens that are not genuine, or of somebody else, are told without asking Cognito",
        arguments: [
            ("username", "cognito:username", "mallory", FailureReason.otherIdentity),
            ("iss", "iss", "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Other", .invalidTokens),
            ("client_id", "aud", "another", .invalidTokens), ("token_use", "token_use", "refresh", .invalidTokens),
        ])
    func invalid(access: String, identity: String, value: String, reason: FailureReason) {
        let step = Step()
        step.pool.claims[access] = .string(value)
        step.pool.identityClaims[identity] = .string(value)
        #expect(step.run([Step.check(step.genuineSession(), isOnline: true)]).last?.reason == reason)
        #expect(step.pool.operations.isEmpty)
    }

    @Test("a signature that does not hold")
    func signature() {
        let step = Step()
        var session = step.genuineSession()
        var letters = Array((session.accessToken.text ?? "").utf8)
        let place = letters.count - 20
        letters[place] = letters[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        session.accessToken = SecretValue(String(decoding: letters, as: UTF8.self))
        #expect(step.run([Step.check(session, isOnline: false)]).last?.reason == .invalidTokens)
        #expect(step.run([Step.check(step.session(), isOnline: false)]).last?.reason == .invalidTokens)
    }
}
