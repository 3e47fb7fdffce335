import HTTPClient
import Protocol
import Steps
import Testing
import Tokens

private func challenge(_ name: String, available: [String] = []) -> ScriptedPool.Answer {
    let parameters = [
        "USERNAME": "alice", "USER_ID_FOR_SRP": "alice", "SALT": "1f", "SRP_B": "abcdef", "SECRET_BLOCK": "QUJD",
    ]
    let members: [String: JSONValue] = [
        "ChallengeName": .string(name), "Session": .string("s"),
        "ChallengeParameters": .object(parameters.mapValues(JSONValue.string)),
        "AvailableChallenges": .array(available.map(JSONValue.string)),
    ]
    return .success((200, String(decoding: JSONValue.object(members).serialized ?? [], as: UTF8.self)))
}

private let proof = challenge("PASSWORD_VERIFIER")
private let ofAge = "Invalid session for the user, session is expired."

/// What came of a sign-in of somebody who types.
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
private func run(
    _ preconnection: UInt8, _ first: [ScriptedPool.Answer] = [proof], then: [ScriptedPool.Answer] = [],
    flow: AuthenticationFlow = .secureRemotePassword, preferred: PreferredFactor? = nil, hasKeys: Bool = true,
    isAtOnce: Bool = false, password: String? = "secret", late: Set<String> = [], timeLimit: Int64 = 15_000,
    meanwhile: @escaping (Step) -> Void = { _ in }
) -> Outcome {
    let step = Step()
    step.pool.answers["InitiateAuth"] = first
    step.pool.answers["RespondToAuthChallenge"] = then + [step.pool.tokens()]
    step.pool.lateOperations = late
    var before: [String] = []
    let begin = Step.signIn(
        flow: flow, preconnect: preconnection, keySet: hasKeys ? ScriptedPool.keySet : nil, preferred: preferred,
        timeLimit: timeLimit)
    // Who goes ahead of nobody has no time to be told.
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
        // The password would have to be there, or somebody would be sent something, or a program of the pool's run.
        Way(preconnection: 2, flow: .password, before: ["jwks"]),
        Way(preconnection: 2, flow: .choice, preferred: .password, before: ["jwks"]),
        Way(preconnection: 2, flow: .customAfterProof, before: ["jwks"]),
    ]

    @Test("what goes out while the person is typing, and that nothing is asked twice", arguments: ways.indices)
    func order(index: Int) {
        let way = Self.ways[index]
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
        let outcome = run(2) { step in step.clock.now += 9_990 + beyond }
        #expect(outcome.root.last?.kind == .signedIn)
        #expect(outcome.publicTexts.count == 1 + Int(beyond))
        #expect(Set(outcome.publicTexts).count == outcome.publicTexts.count)
        #expect(outcome.count("RespondToAuthChallenge") == 1)
        #expect(outcome.root.kinds == [.ask, .signedIn])
    }

    /// What refuses the proof -> how often it is given, and the end.
    struct Refusal: Sendable {
        var text = ""
        /// In place of a refusal.
        var fault: HTTPError?
        var preconnection: UInt8 = 2
        var times = 1
        let proofs: Int
        var reason: FailureReason?
    }

    static let refusals = [
        Refusal(text: ofAge, proofs: 2),
        Refusal(text: ofAge, times: 2, proofs: 2, reason: .serviceFault),
        Refusal(text: ofAge, preconnection: 1, proofs: 1, reason: .serviceFault),
        Refusal(text: "Incorrect username or password.", proofs: 1, reason: .refused),
        Refusal(text: "Invalid session for the user.", proofs: 1, reason: .serviceFault),
        Refusal(
            text: "Invalid session for the user, session can only be used once.", proofs: 1, reason: .serviceFault),
        Refusal(text: ofAge.lowercased(), proofs: 1, reason: .serviceFault),
        Refusal(text: "Password attempts exceeded", proofs: 1, reason: .lockedOut),
        Refusal(fault: .timedOut, proofs: 1, reason: .unreachable),
        Refusal(fault: .unreachable("reset"), proofs: 1, reason: .unreachable),
    ]

    @Test("a proof is given again on the very words that it was not looked at, and once", arguments: refusals.indices)
    func refusal(index: Int) {
        let refusal = Self.refusals[index]
        let answer = refusal.fault.map(ScriptedPool.Answer.failure)
        let answers = Array(
            repeating: answer ?? ScriptedPool.refusal("NotAuthorizedException", refusal.text), count: refusal.times)
        let outcome = run(refusal.preconnection, then: answers)
        #expect(outcome.count("RespondToAuthChallenge") == refusal.proofs)
        #expect(Set(outcome.publicTexts).count == refusal.proofs && outcome.publicTexts.count == refusal.proofs)
        #expect(outcome.root.last?.reason == refusal.reason)
        #expect(outcome.root.kinds == [.ask, refusal.reason == nil ? .signedIn : .failed])
    }

    @Test("a sign-in that begins anew for another reason gives its proof once")
    func anew() {
        let aged = ScriptedPool.refusal("NotAuthorizedException", ofAge)
        for preconnection in [1, 2] as [UInt8] {
            let outcome = run(preconnection, then: [challenge("SMS_MFA"), aged, aged])
            #expect(outcome.root.kinds == [.ask, .ask, .failed])
            #expect(outcome.root.last?.reason == .serviceFault)
            #expect(outcome.count("InitiateAuth") == 2)
        }
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

    @Test("whatever InitiateAuth answers, it is as if it had been asked behind Enter", arguments: answers.indices)
    func answer(index: Int) {
        let (answer, flow) = Self.answers[index]
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

    @Test("without keys nothing is begun that would have to wait for them")
    func noKeys() {
        let step = Step()
        step.pool.answers["jwks"] = [.failure(.unreachable("x"))] + (step.pool.answers["jwks"] ?? [])
        step.pool.answers["InitiateAuth"] = [proof]
        step.pool.answers["RespondToAuthChallenge"] = [step.pool.tokens()]
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
        "a service that does not answer costs five seconds at most, and a third of the time, and is told behind the password",
        arguments: [AuthenticationFlow.secureRemotePassword, .choice],
        [(6_000, 2_000), (15_000, 5_000), (60_000, 5_000)] as [(Int64, Int64)])
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
