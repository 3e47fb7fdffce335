import Protocol
import Steps
import Testing
import TokenSigning
import Tokens

private let level = "urn:cognito:loa:4"

extension Step {
    /// What tokens say from now on.
    fileprivate func proving(_ acr: JSONValue?, issued: Int64 = 0, subject: String = "s") {
        var claims: [String: JSONValue] = [
            "iat": .integer(clock.wall + issued), "auth_time": .integer(clock.wall), "sub": .string(subject),
            "amr": .array(["pwd", "otp", "mfa"].map(JSONValue.string)),
        ]
        claims["acr"] = acr
        (pool.claims, pool.identityClaims) = (claims, claims)
    }

    /// A step-up from a session of alice's, whose person knows every code.
    fileprivate func stepUp(_ first: ScriptedPool.Answer, then: [ScriptedPool.Answer] = []) -> ScriptedRoot {
        let held = genuineSession()
        pool.answers["InitiateAuth"] = [first]
        pool.answers["RespondToAuthChallenge"] = then
        let begin = Step.signIn(flow: .stepUp, levels: [level, "urn:x"], from: held, maxAge: 300)
        return run([begin, Step.answer("123456"), Step.registered])
    }

    fileprivate static let code = challenge("SOFTWARE_TOKEN_MFA")
}

@Suite("Levels, and stepping up to them") struct LevelTests {
    @Test("a code alone is asked for, with the session's own access token")
    func stepUp() {
        let step = Step()
        let held = step.genuineSession().accessToken.text
        step.proving(.string(level))
        let root = step.stepUp(Step.code, then: [step.pool.tokens()])
        #expect(root.kinds == [.ask, .signedIn])
        let begin = step.pool.bodies[0]
        #expect(begin["AuthFlow"]?.text == "USER_AUTH")
        #expect(begin["AuthParameters"]?["TARGET_ACR_VALUES"]?.text == "\(level) urn:x")
        #expect(begin["AuthParameters"]?["MAX_AGE"]?.text == "300")
        #expect(begin["AuthParameters"]?["USERNAME"]?.text == "alice")
        #expect(begin["AuthParameters"]?["ACCESS_TOKEN"]?.text?.split(separator: ".").count == 3)
        #expect(held != nil && begin["AuthParameters"]?["PREFERRED_CHALLENGE"] == nil)
        #expect(root.last?.text(.acr) == level)
        #expect(root.last?.methods == ["pwd", "otp", "mfa"])
        #expect(root.last?.fields[.authenticatedAt] == Step.number(step.clock.wall))
    }

    @Test(
        "an answer that is none counts for nothing, and its tokens are revoked",
        arguments: [
            ("older than the request", -61, "s", FailureReason.levelNotReached),
            ("another person of the same name", 0, "t", .otherIdentity), ("right", -60, "s", nil),
        ] as [(String, Int64, String, FailureReason?)])
    func unrelated(name: String, issued: Int64, subject: String, reason: FailureReason?) {
        let step = Step()
        step.proving(.string(level))
        let held = step.genuineSession()
        step.proving(.string(level), issued: issued, subject: subject)
        let begin = Step.signIn(flow: .stepUp, levels: [level], from: held, maxAge: 300)
        let root = step.run([begin, Step.registered])
        #expect(root.last?.reason == reason, "\(name)")
        #expect((step.pool.operations.last == "RevokeToken") == (reason != nil))
    }

    @Test("a session's tokens that are none, or another person's, are not stepped up from")
    func wrongSession() {
        let step = Step()
        step.pool.claims["username"] = .string("bob")
        step.pool.identityClaims["cognito:username"] = .string("bob")
        let root = step.stepUp(Step.code)
        #expect(root.last?.reason == .otherIdentity)
        #expect(step.pool.operations == [])
    }

    @Test("without a session, a level or an age there is no stepping up", arguments: 0..<3)
    func incomplete(missing: Int) {
        let step = Step()
        let begin = Step.signIn(
            flow: .stepUp, levels: missing == 0 ? [] : [level], from: missing == 1 ? nil : step.genuineSession(),
            maxAge: missing == 2 ? nil : 300)
        #expect(step.run([begin]).last?.reason == .internalFault)
        #expect(step.pool.operations == [])
    }

    @Test(
        "what the tokens do not say alike, or as it can be, is not said",
        arguments: [
            (JSONValue.string(level), JSONValue.string(level), level), (.string(level), .string("urn:x"), nil),
            (.string(level), nil, nil), (nil, .string(level), nil), (.integer(4), .integer(4), nil),
            (.string("a b"), .string("a b"), nil), (.string(""), .string(""), nil),
            (.string(String(repeating: "a", count: 65)), .string(String(repeating: "a", count: 65)), nil),
            (.array([.string(level)]), .array([.string(level)]), nil),
        ] as [(JSONValue?, JSONValue?, String?)])
    func said(access: JSONValue?, identity: JSONValue?, told: String?) {
        let step = Step()
        step.proving(access)
        step.pool.identityClaims["acr"] = identity
        let begin = Step.signIn(flow: .choice, preferred: .password, levels: [level])
        let root = step.run([begin, Step.answer(), Step.registered])
        #expect(root.last?.kind == .signedIn)
        #expect(root.last?.text(.acr) == told)
        #expect(root.last?.methods == (told == nil ? [] : ["pwd", "otp", "mfa"]))
    }

    @Test("tokens of two seconds prove the level, since the earlier", arguments: [(0, 1, 0), (1, 0, 0), (0, nil, nil)])
    func secondBetween(access: Int64, identity: Int64?, told: Int64?) {
        let step = Step()
        step.proving(.string(level))
        step.pool.claims["auth_time"] = .integer(step.clock.wall + access)
        step.pool.identityClaims["auth_time"] = identity.map { identity in .integer(step.clock.wall + identity) }
        let begin = Step.signIn(flow: .choice, preferred: .password, levels: [level])
        let root = step.run([begin, Step.answer(), Step.registered])
        #expect(root.last?.text(.acr) == level)
        #expect(root.last?.fields[.authenticatedAt] == told.map { told in Step.number(step.clock.wall + told) })
    }

    @Test("a sign-in has no session's token with it, and the level", arguments: [UInt8(0), 2])
    func target(preconnect: UInt8) {
        let step = Step()
        step.pool.answers["InitiateAuth"] = [ScriptedPool.refusal("InternalErrorException")]
        let begin = Step.signIn(flow: .choice, preconnect: preconnect, preferred: .proof, levels: [level])
        _ = step.run(preconnect == 0 ? [begin, Step.answer()] : [begin, .nothing, Step.answer()])
        let asked = step.pool.bodies.filter { body in body["AuthFlow"] != nil }
        #expect(!asked.isEmpty)
        for body in asked {
            #expect(body["AuthFlow"]?.text == "USER_AUTH")
            #expect(body["AuthParameters"]?["TARGET_ACR_VALUES"]?.text == level)
            #expect(body["AuthParameters"]?["ACCESS_TOKEN"] == nil && body["AuthParameters"]?["MAX_AGE"] == nil)
        }
    }

    @Test(
        "a pool that does not ask for the level lets nobody through, and the log says why",
        arguments: [
            ("FeatureUnavailableInTierException", "x", "feature plan"),
            ("InvalidParameterException", "x", "has not set up a factor"),
            ("InvalidParameterException", "USER_AUTH is not enabled for the client.", "ALLOW_USER_AUTH"),
        ], [true, false])
    func refused(refusal: (name: String, message: String, words: String), isStepUp: Bool) {
        let step = Step()
        let answer = ScriptedPool.refusal(refusal.name, refusal.message)
        let root: ScriptedRoot
        if isStepUp {
            root = step.stepUp(answer)
        } else {
            step.pool.answers["InitiateAuth"] = [answer]
            root = step.run([
                Step.signIn(flow: .choice, preferred: .proof, levels: [level]), Step.answer(), Step.registered,
            ])
        }
        #expect(root.last?.reason == .levelNotReached)
        #expect(root.last?.text(.logText)?.contains(refusal.words) == true, "\(root.last?.text(.logText) ?? "")")
        // Strangers hear nothing of what an account has.
        #expect((root.last?.text(.text) != nil) == isStepUp)
    }
}
