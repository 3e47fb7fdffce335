import HTTPClient
import Messages
import Protocol
import Steps
import Testing
import TokenSigning
import Tokens

private let current = "##Current password: "
private let new = "##New password: "
private let again = "#Retype new password: "
private let weak = ScriptedPool.refusal(
    "InvalidPasswordException", "Password did not conform with policy: Password not long enough")
private let good: ScriptedPool.Answer = .success((200, "{}"))

/// A change with these answers of the person's, and of ChangePassword's.
private func run(
    _ answers: [String], _ changes: [ScriptedPool.Answer] = [good], registers: Bool = true,
    prepare: (Step) -> Void = { _ in }
) -> (pool: ScriptedPool, root: ScriptedRoot) {
    let step = Step()
    step.pool.answers["ChangePassword"] = changes
    prepare(step)
    let root = step.run(
        [Step.changePassword()] + answers.map { answer in Step.answer(answer) }, registers: registers)
    return (step.pool, root)
}

/// A change that does not come to its end.
private struct Refusal: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let answers: [String]
    var changes: [ScriptedPool.Answer] = [good]
    let reason: FailureReason
    let text: String?
    let sent: Int

    init(
        _ name: String, _ answers: [String], changes: [ScriptedPool.Answer] = [good], _ reason: FailureReason,
        _ text: Phrase, sent: Int
    ) {
        testDescription = name
        self.answers = answers
        self.changes = changes
        self.reason = reason
        self.text = text.english
        self.sent = sent
    }

    static let all: [Refusal] = [
        Refusal("nothing entered", ["old", ""], .noNewPassword, WorkerWording.noNewPassword, sent: 0),
        Refusal(
            "three mismatches", ["old", "a", "b", "a", "b", "a", "b", "a", "a"], .noNewPassword,
            WorkerWording.noNewPassword, sent: 0),
        Refusal(
            "the old one three times", ["old", "old", "old", "old", "new", "new"], .noNewPassword,
            WorkerWording.noNewPassword, sent: 0),
        Refusal(
            "three violations", ["old", "a", "a", "b", "b", "c", "c", "d", "d"], changes: [weak], .noNewPassword,
            WorkerWording.noNewPassword, sent: 3),
        Refusal(
            "too many changes", ["old", "new", "new"],
            changes: [
                ScriptedPool.refusal("LimitExceededException", "Attempt limit exceeded, please try after some time.")
            ],
            .lockedOut, WorkerWording.passwordChangeLimit, sent: 1),
        Refusal(
            "refused", ["old", "new", "new"], changes: [ScriptedPool.refusal("NotAuthorizedException", "Incorrect")],
            .refused,
            WorkerWording.passwordChangeRefused, sent: 1),
        Refusal(
            "throttled", ["old", "new", "new"], changes: [ScriptedPool.refusal("TooManyRequestsException")], .throttled,
            WorkerWording.passwordChangeUnavailable, sent: 5),
        Refusal(
            "a connection that breaks", ["old", "new", "new"], changes: [.failure(.unreachable("reset"))], .unreachable,
            WorkerWording.passwordChangeUnknown, sent: 1),
        Refusal(
            "a name that is no longer known", ["old", "new", "new"], changes: [.failure(.unresolvable)],
            .unreachable, WorkerWording.passwordChangeUnavailable, sent: 1),
        Refusal(
            "a fault of the service", ["old", "new", "new"],
            changes: [ScriptedPool.refusal("InternalErrorException")], .serviceFault,
            WorkerWording.passwordChangeUnknown, sent: 1),
        Refusal(
            "an answer that gets lost", ["old", "new", "new"], changes: [.failure(.timedOut)], .unreachable,
            WorkerWording.passwordChangeUnknown, sent: 1),
        Refusal(
            "an answer that is none", ["old", "new", "new"], changes: [.success((200, "<html>"))], .serviceFault,
            WorkerWording.passwordChangeUnknown, sent: 1),
    ]
}

@Suite struct ChangePasswordTests {
    @Test("the old one once, the new one twice; the tokens are registered before use, and revoked before the result")
    func right() {
        let (pool, root) = run(["old", "new", "new"])
        #expect(root.questions == [current, new, again])
        #expect(root.last?.kind == .passwordChanged)
        #expect(root.last?.text(.logText) == nil)
        #expect(root.last?.outcome == .revoked)
        #expect(root.kinds == [.ask, .signedIn, .ask, .ask, .passwordChanged])
        #expect(root.sent[1].session?.refreshToken == "refresh-1" && root.sent[1].groups == ["staff"])
        #expect(pool.operations == ["InitiateAuth", "ChangePassword", "RevokeToken"])
        #expect(pool.bodies[1]["PreviousPassword"]?.text == "old")
        #expect(pool.bodies[1]["ProposedPassword"]?.text == "new")
        #expect(pool.bodies[2]["Token"]?.text == "refresh-1")
    }

    @Test("a root side that does not register them has its tokens revoked, and is asked nothing more")
    func notRegistered() {
        let (pool, root) = run(["old"], registers: false)
        #expect(root.kinds == [.ask, .signedIn])
        #expect(pool.operations == ["InitiateAuth", "RevokeToken"])
    }

    @Test("without a refresh token nothing begins: the tokens could not be ended")
    func noRefreshToken() {
        let (pool, root) = run(["old", "new", "new"]) { step in
            step.pool.answers["InitiateAuth"] = [step.pool.tokens(refresh: nil)]
        }
        #expect(root.last?.reason == .serviceFault)
        #expect(root.last?.text(.text) == WorkerWording.passwordChangeUnavailable.english)
        #expect(pool.operations == ["InitiateAuth"])
    }

    @Test("what was wrong stands above the next question")
    func notices() {
        let history = ScriptedPool.refusal("PasswordHistoryPolicyViolationException", "Used \\u001b[2J before")
        let form = ScriptedPool.refusal("InvalidParameterException", "Value ' x' at 'proposedPassword'")
        let unexplained = ScriptedPool.refusal("InvalidPasswordException")
        for (changes, notice) in [
            (weak, "Password did not conform with policy: Password not long enough\n"),
            (history, "Used [2J before\n"), (form, "The answer was not accepted.\n"),
            (unexplained, "The answer was not accepted.\n"),
        ] {
            let (pool, root) = run(["old", "a", "a", "new", "new"], [changes, good])
            #expect(root.questions == [current, new, again, "##" + notice + "New password: ", again])
            #expect(root.last?.kind == .passwordChanged)
            #expect(pool.operations.last == "RevokeToken")
        }
        let differing = run(["old", "a", "b", "new", "new"]).root
        #expect(differing.questions[3] == "##The two passwords do not match.\nNew password: ")
        #expect(differing.last?.kind == .passwordChanged)
        let same = run(["old", "old", "new", "new"]).root
        #expect(same.questions[2] == "##The new password must be different from the old one.\nNew password: ")
        #expect(same.last?.kind == .passwordChanged)
        for unfit in [String(repeating: "x", count: 257), " new", "new ", "n\u{1b}[Dew"] {
            let asked = run(["old", unfit, "new", "new"])
            #expect(
                asked.root.questions[2]
                    == "##A password can have at most 256 characters and no control characters, and must not "
                    + "begin or end with a space.\nNew password: ")
            #expect(asked.root.last?.kind == .passwordChanged)
        }
    }

    @Test("a refusal says why, and its tokens are revoked first", arguments: Refusal.all)
    private func refusals(refusal: Refusal) {
        let (pool, root) = run(refusal.answers, refusal.changes)
        #expect(root.last?.kind == .failed)
        #expect(root.last?.reason == refusal.reason)
        #expect(root.last?.text(.text) == refusal.text)
        #expect(root.last?.outcome == .revoked)
        #expect(pool.operations.count { operation in operation == "ChangePassword" } == refusal.sent)
        #expect(pool.operations.last == "RevokeToken")
    }

    @Test("the tokens are revoked also where the step's time is over")
    func outOfTime() {
        let (pool, root) = run(["old", "new", "new"]) { step in step.pool.lateOperations = ["ChangePassword"] }
        #expect(root.last?.reason == .unreachable)
        #expect(root.last?.outcome == .revoked)
        #expect(pool.operations == ["InitiateAuth", "ChangePassword", "RevokeToken"])
    }

    @Test("a wrong old password ends it, and there is nothing to revoke")
    func wrong() {
        let (pool, root) = run(["wrong", "new", "new"]) { step in
            step.pool.answers["InitiateAuth"] = [
                ScriptedPool.refusal("NotAuthorizedException", "Incorrect username or password.")
            ]
        }
        #expect(root.questions == [current])
        #expect(root.last?.reason == .refused)
        #expect(root.last?.text(.text) == WorkerWording.passwordChangeRefused.english)
        #expect(pool.operations == ["InitiateAuth"])
    }

    @Test("whoever leaves at a question leaves no token", arguments: [["old"], ["old", "new"], ["old", "a", "b"]])
    func gone(answers: [String]) {
        let (pool, root) = run(answers)
        #expect(root.last?.kind == .ask)
        #expect(pool.operations == ["InitiateAuth", "RevokeToken"])
        #expect(run([]).pool.operations == [])
    }

    @Test("somebody else's tokens change nothing, and are revoked")
    func otherIdentity() {
        let (pool, root) = run(["old", "new", "new"]) { step in
            step.pool.claims = ["username": .string("mallory")]
            step.pool.identityClaims = ["cognito:username": .string("mallory")]
        }
        #expect(root.last?.reason == .otherIdentity)
        #expect(root.questions == [current])
        #expect(pool.operations == ["InitiateAuth", "RevokeToken"])
    }

    @Test("a password that had to be changed on the way is not changed again")
    func changedOnTheWay() {
        let (pool, root) = run(["old", "new", "new"]) { step in
            step.pool.answers["InitiateAuth"] = [challenge("NEW_PASSWORD_REQUIRED")]
        }
        #expect(root.questions == [current, "##You must change your password now.\nNew password: ", again])
        #expect(root.last?.kind == .passwordChanged)
        #expect(pool.operations == ["InitiateAuth", "RespondToAuthChallenge", "RevokeToken"])
    }

    @Test("where the sign-in went without a password, the current one is asked for then")
    func withoutPassword() {
        let step = Step()
        step.pool.answers["InitiateAuth"] = [challenge("CUSTOM_CHALLENGE")]
        step.pool.answers["ChangePassword"] = [good]
        let answers = ["blue", "old", "new", "new"].map { answer in Step.answer(answer) }
        let root = step.run([Step.changePassword(flow: .custom)] + answers, registers: true)
        #expect(root.questions == ["Answer: ", current, new, again])
        #expect(root.last?.kind == .passwordChanged)
        #expect(step.pool.bodies[2]["PreviousPassword"]?.text == "old")
    }

    @Test(
        "what became of the tokens is said with a success and with a failure",
        arguments: [
            (ScriptedPool.refusal("NotAuthorizedException", "Refresh Token has been revoked"), .alreadyRevoked, ""),
            (ScriptedPool.refusal("NotAuthorizedException", "Refresh Token has expired"), .expired, ""),
            (ScriptedPool.refusal("UnsupportedOperationException"), .notSupported, "does not allow RevokeToken"),
            (ScriptedPool.refusal("InternalErrorException"), nil, "could not be revoked yet"),
            (.failure(.unreachable("reset")), nil, "could not be revoked yet"),
        ] as [(ScriptedPool.Answer, SignOutOutcome?, String)])
    func revocation(answer: ScriptedPool.Answer, outcome: SignOutOutcome?, remark: String) {
        let done = run(["old", "new", "new"]) { step in step.pool.answers["RevokeToken"] = [answer] }.root
        #expect(done.last?.kind == .passwordChanged)
        let failed = run(["old", ""]) { step in step.pool.answers["RevokeToken"] = [answer] }.root
        #expect(failed.last?.reason == .noNewPassword)
        for last in [done.last, failed.last] {
            #expect(last?.outcome == outcome)
            #expect(remark.isEmpty || last?.text(.logText)?.contains(remark) == true)
        }
    }
}
