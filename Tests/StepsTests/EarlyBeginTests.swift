import HTTPClient
import Protocol
import Testing
import Tokens

@testable import Steps

private let proof = challenge("PASSWORD_VERIFIER", proofParameters)
private let ofAge = "Invalid session for the user, session is expired."
private let incorrect = ScriptedPool.refusal("NotAuthorizedException", "Incorrect username or password.")

/// The result of a sign-in while the user types.
private struct Outcome {
    let step: Step
    let root: ScriptedRoot
    /// The operations before the answer.
    let before: [String]

    var operations: [String] { step.pool.operations }
    /// The SRP_A of each InitiateAuth.
    var publicTexts: [String] {
        step.pool.bodies.compactMap { body in body["AuthParameters"]?["SRP_A"]?.text }
    }

    func count(_ operation: String) -> Int {
        operations.filter { other in other == operation }.count
    }
}

/// - Parameters:
///   - first: What InitiateAuth answers, each time or one after the other.
///   - meanwhile: What happens while the person is typing, after the worker has done what it does then.
///   - password: nil: the person leaves.
///   - life: For how many milliseconds a challenge can be answered.
private func run(
    _ preconnection: UInt8, _ first: [ScriptedPool.Answer] = [proof], then: [ScriptedPool.Answer] = [],
    flow: AuthenticationFlow = .secureRemotePassword, preferred: PreferredFactor? = nil, hasKeys: Bool = true,
    isAtOnce: Bool = false, password: String? = "secret", late: Set<String> = [], timeLimit: Int64 = 15_000,
    life: Int64? = nil,
    meanwhile: @escaping (Step) -> Void = { _ in }
) -> Outcome {
    let step = Step()
    step.pool.answers["InitiateAuth"] = first
    step.pool.answers["RespondToAuthChallenge"] = then + [step.pool.tokens()]
    step.pool.lateOperations = late
    step.pool.challengeLife = life
    var before: [String] = []
    let begin = Step.signIn(
        flow: flow, preconnect: preconnection, keySet: hasKeys ? ScriptedPool.keySet : nil, preferred: preferred,
        timeLimit: timeLimit)
    // A begin that is ahead of no prompt has no time to be told.
    var events = [begin] + (isAtOnce || !(1...2).contains(preconnection) ? [] : [.nothing])
    events.append(.meanwhile)
    events.append(password.map { password in Step.answer(password) } ?? .closed)
    let root = step.run(events, registers: true, person: ("secret", "123456")) {
        before = step.pool.operations
        meanwhile(step)
    }
    return Outcome(step: step, root: root, before: before)
}

@Suite("A proof that is begun before the password is there") struct EarlyBeginTests {
    /// What goes out while the person is typing.
    struct Way: Sendable {
        let preconnection: UInt8
        var flow = AuthenticationFlow.secureRemotePassword
        var preferred: PreferredFactor?
        var hasKeys = true
        let before: [String]
    }

    static let ways = [
        Way(preconnection: 0, before: []),
        Way(preconnection: 1, before: ["jwks"]),
        Way(preconnection: 2, before: ["InitiateAuth"]),
        Way(preconnection: 2, hasKeys: false, before: ["jwks", "InitiateAuth"]),
        Way(preconnection: 2, flow: .choice, preferred: .proof, before: ["InitiateAuth"]),
        // Of another version.
        Way(preconnection: 3, before: []),
        // The password would be needed, or a message would be sent, or a program of the pool would run.
        Way(preconnection: 2, flow: .password, before: ["jwks"]),
        Way(preconnection: 2, flow: .choice, preferred: .password, before: ["jwks"]),
        Way(preconnection: 2, flow: .customAfterProof, before: ["jwks"]),
    ]

    @Test("what goes out while the person is typing, and that nothing is asked twice", arguments: ways)
    func order(way: Way) {
        let isProof = way.preferred != .password && way.flow != .password
        let first = isProof ? proof : Step().pool.tokens()
        let outcome = run(
            way.preconnection, [first], flow: way.flow, preferred: way.preferred, hasKeys: way.hasKeys)
        #expect(outcome.before == way.before)
        #expect(outcome.root.last?.kind == .signedIn)
        #expect(outcome.count("InitiateAuth") == 1)
        #expect(outcome.count("RespondToAuthChallenge") == (isProof ? 1 : 0))
        // Never more than without.
        let ever = run(1, [first], flow: way.flow, preferred: way.preferred, hasKeys: way.hasKeys)
        #expect(outcome.operations.count <= ever.operations.count)
    }

    @Test("a password that is there at once is waited for by nothing, and no later question begins anything")
    func atOnce() {
        let outcome = run(2, then: [challenge("SOFTWARE_TOKEN_MFA")], isAtOnce: true)
        #expect(outcome.before == [])
        #expect(outcome.root.last?.kind == .signedIn)
        #expect(outcome.operations == ["InitiateAuth", "RespondToAuthChallenge", "RespondToAuthChallenge"])
        #expect(outcome.root.timeLimits.filter { limit in limit == 5 }.count == 1)
    }

    @Test("a challenge that is too old is not answered: another is asked for, with another secret", arguments: [0, 1])
    func age(beyond: Int64) {
        // The request takes 10 ms, which count.
        let outcome = run(2) { step in step.clock.now += 2_989 + beyond }
        #expect(outcome.root.last?.kind == .signedIn)
        #expect(outcome.publicTexts.count == 1 + Int(beyond))
        #expect(Set(outcome.publicTexts).count == outcome.publicTexts.count)
        #expect(outcome.count("RespondToAuthChallenge") == 1)
        #expect(outcome.root.kinds == [.ask, .signedIn])
    }

    /// How long 200 users type, in milliseconds: 1 to 30 seconds.
    static let delays = (0..<200).map { index in Int64(1_000 + index * 29_000 / 199) }

    @Test(
        "where challenges live 3.5 s, none of 200 sign-ins is refused, and a wrong password is proved once",
        arguments: [true, false])
    func delays(isRight: Bool) {
        var begins = [0, 0, 0]
        for delay in Self.delays {
            let outcome = run(2, then: isRight ? [] : [incorrect, incorrect], life: 3_500) { step in
                step.clock.now += delay
            }
            #expect(outcome.root.kinds == [.ask, isRight ? .signedIn : .failed])
            #expect(outcome.root.last?.reason == (isRight ? nil : .refused))
            #expect(outcome.count("RespondToAuthChallenge") == 1)
            begins[outcome.count("InitiateAuth")] += 1
        }
        #expect(begins == [0, 14, 186])
    }

    /// What refuses the proof -> the end.
    struct Refusal: Sendable {
        var text = ""
        /// In place of a refusal.
        var fault: HTTPError?
        var preconnection: UInt8 = 2
        var reason: FailureReason
    }

    static let refusals = [
        Refusal(text: ofAge, reason: .serviceFault),
        Refusal(text: ofAge, preconnection: 1, reason: .serviceFault),
        Refusal(text: "Incorrect username or password.", reason: .refused),
        Refusal(text: "Invalid session for the user.", reason: .serviceFault),
        Refusal(text: "Invalid session for the user, session can only be used once.", reason: .serviceFault),
        Refusal(text: "Password attempts exceeded", reason: .lockedOut),
        Refusal(fault: .timedOut, reason: .unreachable),
        Refusal(fault: .unreachable("reset"), reason: .unreachable),
    ]

    @Test("a proof is given once, whatever Cognito answers", arguments: refusals)
    func refusal(refusal: Refusal) {
        let answer = refusal.fault.map(ScriptedPool.Answer.failure)
        let outcome = run(
            refusal.preconnection, then: [answer ?? ScriptedPool.refusal("NotAuthorizedException", refusal.text)])
        #expect(outcome.operations.suffix(2) == ["InitiateAuth", "RespondToAuthChallenge"])
        #expect(outcome.publicTexts.count == 1)
        #expect(outcome.root.last?.reason == refusal.reason)
        #expect(outcome.root.kinds == [.ask, .failed])
    }

    @Test(
        "a throttled proof is sent again only while its challenge is no older than that",
        arguments: [0, 2_000, 2_985])
    func throttled(age: Int64) {
        let outcome = run(
            2, then: Array(repeating: ScriptedPool.refusal("TooManyRequestsException"), count: 5), timeLimit: 60_000
        ) { step in
            step.clock.now += age
        }
        let sent = outcome.step.pool.times["RespondToAuthChallenge"] ?? []
        // The first wait is 200 ms at most, and all four are more than a second and a half.
        #expect(sent.count == 1 ? age == 2_985 : age < 2_985)
        #expect(sent.allSatisfy { time in time - Step().clock.now <= EarlyBegin.longestLife })
        #expect(outcome.count("InitiateAuth") == 1)
    }

    @Test("the proof of a sign-in that begins anew is sent again as long as any other")
    func throttledAnew() {
        let step = Step()
        step.pool.answers["InitiateAuth"] = [proof]
        step.pool.answers["RespondToAuthChallenge"] = [
            challenge("SMS_MFA"), ScriptedPool.refusal("NotAuthorizedException", ofAge),
            ScriptedPool.refusal("TooManyRequestsException"), step.pool.tokens(),
        ]
        let begin = Step.signIn(flow: .secureRemotePassword, preconnect: 2)
        // The user takes too long for the code.
        let root = step.run(
            [begin, .nothing, Step.answer(), .meanwhile, Step.answer("123456"), Step.registered]
        ) {
            step.clock.now += 60_000
        }
        #expect(root.last?.kind == .signedIn)
        #expect(
            step.pool.operations == [
                "InitiateAuth", "RespondToAuthChallenge", "RespondToAuthChallenge", "InitiateAuth",
                "RespondToAuthChallenge", "RespondToAuthChallenge",
            ])
    }

    static let answers: [(ScriptedPool.Answer, AuthenticationFlow)] = [
        (ScriptedPool.refusal("UserNotFoundException", "User does not exist."), .secureRemotePassword),
        (ScriptedPool.refusal("NotAuthorizedException", "User is disabled."), .secureRemotePassword),
        (ScriptedPool.refusal("NotAuthorizedException", "Password attempts exceeded"), .secureRemotePassword),
        (ScriptedPool.refusal("NotAuthorizedException", ofAge), .secureRemotePassword),
        (ScriptedPool.refusal("UserNotConfirmedException"), .secureRemotePassword),
        (ScriptedPool.refusal("PasswordResetRequiredException"), .secureRemotePassword),
        (ScriptedPool.refusal("ResourceNotFoundException", "User pool client c does not exist."), .choice),
        (ScriptedPool.refusal("TooManyRequestsException", "Rate exceeded"), .choice),
        (ScriptedPool.refusal("InvalidParameterException", "USER_SRP_AUTH is not enabled for the client."), .choice),
        (.success((500, "")), .secureRemotePassword), (.success((200, "[]")), .choice),
        (.failure(.timedOut), .choice), (.failure(.unreachable("x")), .secureRemotePassword),
        (challenge("CUSTOM_CHALLENGE"), .secureRemotePassword), (challenge("RETINA_SCAN"), .choice),
        (challenge("PASSWORD"), .choice),
    ]

    @Test("whatever InitiateAuth answers, it is as if it had been asked behind Enter", arguments: answers)
    func answer(answer: ScriptedPool.Answer, flow: AuthenticationFlow) {
        let early = run(2, [answer], flow: flow, preferred: .proof)
        let ever = run(1, [answer], flow: flow, preferred: .proof)
        // Once, whatever it is.
        #expect(early.before == ["InitiateAuth"])
        #expect(early.root.kinds == [.ask, .failed])
        #expect(early.root.last?.fields == ever.root.last?.fields)
        // As many as ever wait for it.
        #expect(early.operations.dropFirst() == ever.operations.dropFirst())
    }

    @Test("a menu is put behind the password only, and the sign-in that passes a fault completes")
    func passing() {
        let menu = challenge("SELECT_CHALLENGE", available: ["EMAIL_OTP"])
        let chosen = run(2, [menu], then: [challenge("EMAIL_OTP")], flow: .choice, preferred: .proof)
        #expect(chosen.before == ["InitiateAuth"])
        #expect(chosen.root.kinds == [.ask, .ask, .signedIn])
        #expect(chosen.operations.dropFirst() == ["InitiateAuth", "RespondToAuthChallenge", "RespondToAuthChallenge"])
        let throttled = run(2, [ScriptedPool.refusal("TooManyRequestsException"), proof])
        #expect(throttled.root.last?.kind == .signedIn)
        #expect(throttled.operations == ["InitiateAuth", "InitiateAuth", "RespondToAuthChallenge"])
    }

    @Test("a client secret that comes with the answer is used from then on")
    func clientSecret() {
        let step = Step()
        step.pool.answers["InitiateAuth"] = [proof]
        let begin = Step.signIn(flow: .secureRemotePassword, preconnect: 2)
        let root = step.run([begin, .nothing, Step.answer("secret", clientSecret: "new")], registers: true)
        #expect(root.last?.kind == .signedIn)
        #expect(step.pool.operations == ["InitiateAuth", "RespondToAuthChallenge"])
        #expect(step.pool.bodies[0]["AuthParameters"]?["SECRET_HASH"] == nil)
        #expect(step.pool.bodies[1]["ChallengeResponses"]?["SECRET_HASH"] != nil)
    }

    @Test("without keys nothing is begun that would have to wait for them")
    func noKeys() {
        let step = Step()
        step.pool.answers["jwks"] = [.failure(.unreachable("x"))] + (step.pool.answers["jwks"] ?? [])
        step.pool.answers["InitiateAuth"] = [proof]
        let root = step.run(
            [Step.signIn(flow: .secureRemotePassword, preconnect: 2, keySet: nil), .nothing, Step.answer()],
            registers: true)
        #expect(root.last?.kind == .signedIn)
        #expect(step.pool.operations == ["jwks", "jwks", "InitiateAuth", "RespondToAuthChallenge"])
    }

    @Test("whoever leaves, or types nothing that could be one, has proved nothing")
    func left() {
        for (password, kinds) in [(nil, [.ask]), ("", [.ask, .failed])] as [(String?, [MessageKind])] {
            let outcome = run(2, password: password)
            #expect(outcome.operations == ["InitiateAuth"])
            #expect(outcome.root.kinds == kinds)
        }
    }

    @Test("tokens for no password are revoked, and let nobody in")
    func tokens() {
        let tokens = Step().pool.tokens(refresh: "given-away")
        let outcome = run(2, [tokens, proof], password: nil)
        #expect(outcome.operations == ["InitiateAuth", "RevokeToken"])
        #expect(outcome.step.pool.bodies.last?["Token"]?.text == "given-away")
        #expect(outcome.root.kinds == [.ask])
    }

    @Test(
        """
        a service that does not answer costs three seconds at most, and a third of the time, and is told behind \
        the password
        """,
        arguments: [AuthenticationFlow.secureRemotePassword, .choice],
        [(6_000, 2_000), (15_000, 3_000), (60_000, 3_000)] as [(Int64, Int64)])
    func silence(flow: AuthenticationFlow, time: (limit: Int64, lost: Int64)) {
        var waited: Int64 = 0
        let outcome = run(
            2, flow: flow, preferred: .proof, late: ["InitiateAuth"], timeLimit: time.limit
        ) { step in
            waited = step.clock.now - Step().clock.now
            step.pool.lateOperations = []
        }
        #expect(waited == time.lost + 10)
        #expect(outcome.root.kinds == [.ask, .signedIn])
        #expect(outcome.operations == ["InitiateAuth", "InitiateAuth", "RespondToAuthChallenge"])
    }
}
