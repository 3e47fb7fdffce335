import Encodings
import HTTPClient
import Session
import SignIn
import Testing
import WorkerProtocol

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
        #expect(step.pool.bodies[0]["AccessToken"]?.text == session.accessToken)
    }

    @Test(
        "what Cognito says decides the reason",
        arguments: [
            (ScriptedPool.refusal("NotAuthorizedException", "Access Token has been revoked"), .sessionEnded),
            (ScriptedPool.refusal("NotAuthorizedException", "Access Token has expired"), .accessTokenExpired),
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
        var letters = Array(session.accessToken.utf8)
        let place = letters.count - 20
        letters[place] = letters[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        session.accessToken = String(decoding: letters, as: UTF8.self)
        #expect(step.run([Step.check(session, isOnline: false)]).last?.reason == .invalidTokens)
        #expect(step.run([Step.check(step.session(), isOnline: false)]).last?.reason == .invalidTokens)
    }
}
