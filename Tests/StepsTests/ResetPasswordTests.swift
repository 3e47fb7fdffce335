import HTTPClient
import Messages
import Protocol
import Steps
import Testing
import Tokens

private let offer = "Code (or press Enter to request a code): "
private let start = "Your password was reset. Set a new password now, with the code that was sent to you.\n" + offer
private let new = "##New password: "
private let again = "#Retype new password: "
private let good: ScriptedPool.Answer = .success((200, "{}"))
private let sent = ScriptedPool.answer([
    "CodeDeliveryDetails": .object(
        ["Destination": "a***@e***", "DeliveryMedium": "EMAIL", "AttributeName": "email"]
            .mapValues(JSONValue.string))
])
private let required = ScriptedPool.refusal("PasswordResetRequiredException", "Password reset required for the user")
private let mismatch = ScriptedPool.refusal("CodeMismatchException", "Invalid verification code provided")
private let expired = ScriptedPool.refusal(
    "ExpiredCodeException", "Invalid code provided, please request a code again.")
private let weak = ScriptedPool.refusal("InvalidPasswordException", "Password not long enough")

/// A sign-in of a user whose password was reset.
private func signIn(
    _ answers: [String], code: ScriptedPool.Answer = sent, confirmed: [ScriptedPool.Answer] = [good],
    prepare: (Step) -> Void = { _ in }
) -> (pool: ScriptedPool, root: ScriptedRoot) {
    let step = Step()
    step.pool.answers["InitiateAuth"] = [required, step.pool.tokens()]
    step.pool.answers["ForgotPassword"] = [code]
    step.pool.answers["ConfirmForgotPassword"] = confirmed
    prepare(step)
    let root = step.run(
        [Step.signIn(), Step.answer("old")] + answers.map { answer in Step.answer(answer) }, registers: true)
    return (step.pool, root)
}

/// A reset that comes to nothing.
private struct Refusal: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let answers: [String]
    var code: ScriptedPool.Answer = sent
    var confirmed: [ScriptedPool.Answer] = [good]
    let reason: FailureReason
    let text: String?

    init(
        _ name: String, _ answers: [String], code: ScriptedPool.Answer = sent,
        confirmed: [ScriptedPool.Answer] = [good], _ reason: FailureReason, _ text: Phrase?
    ) {
        testDescription = name
        self.answers = answers
        self.code = code
        self.confirmed = confirmed
        self.reason = reason
        self.text = text?.english
    }

    static let all: [Refusal] = [
        Refusal("the password in place of a code", ["old"], .refused, nil),
        Refusal("nothing entered twice", ["", "", ""], .refused, nil),
        Refusal(
            "three wrong codes", ["1", "new", "new", "2", "3"], confirmed: [mismatch], .refused,
            WorkerWording.resetCodeTooOften),
        Refusal(
            "two codes that are too old", ["1", "new", "new", "", "2"], confirmed: [expired], .refused,
            WorkerWording.resetCodeExpired),
        Refusal(
            "three passwords against the rules", ["1", "a", "a", "b", "b", "c", "c"], confirmed: [weak],
            .passwordChangeNeeded, WorkerWording.noFirstPassword),
        Refusal(
            "a first password", [""],
            code: ScriptedPool.refusal(
                "NotAuthorizedException", "User password cannot be reset in the current state."),
            .passwordChangeNeeded, WorkerWording.passwordNotResettable),
        Refusal(
            "nowhere to send a code", [""],
            code: ScriptedPool.refusal(
                "InvalidParameterException",
                "Cannot reset password for the user as there is no registered/verified email or phone_number"),
            .passwordChangeNeeded, WorkerWording.noVerifiedContact),
        Refusal(
            "a code that cannot be sent", [""], code: ScriptedPool.refusal("CodeDeliveryFailureException"),
            .passwordChangeNeeded, WorkerWording.codeNotDelivered),
        Refusal(
            "too many codes", [""], code: ScriptedPool.refusal("LimitExceededException", "Attempt limit exceeded"),
            .lockedOut, WorkerWording.passwordChangeLimit),
        Refusal(
            "the pool's limit for messages", [""],
            code: ScriptedPool.refusal(
                "LimitExceededException", "Exceeded daily email limit for the operation or the account."),
            .passwordChangeNeeded, WorkerWording.messageLimit),
        Refusal(
            "a replica, which sets no passwords", [""], code: ScriptedPool.refusal("OperationNotEnabledException"),
            .operationNotEnabled, WorkerWording.passwordChangeNotEnabled),
        Refusal(
            "too many attempts", ["1", "new", "new"],
            confirmed: [ScriptedPool.refusal("TooManyFailedAttemptsException")],
            .lockedOut, WorkerWording.passwordChangeLimit),
        Refusal(
            "no code for want of a network", [""], code: .failure(.unreachable("reset")), .unreachable,
            WorkerWording.passwordChangeUnavailable),
        Refusal(
            "an answer that gets lost", ["1", "new", "new"], confirmed: [.failure(.timedOut)], .unreachable,
            WorkerWording.passwordChangeUnknown),
    ]
}

@Suite struct ResetPasswordTests {
    @Test("with the code that came with the reset: nothing more is sent, and the new password signs in")
    func codeAtHand() {
        let (pool, root) = signIn(["12 34 56", "new", "new"])
        #expect(root.questions == ["#Password: ", start, new, again])
        #expect(root.last?.kind == .signedIn)
        #expect(pool.operations == ["InitiateAuth", "ConfirmForgotPassword", "InitiateAuth"])
        #expect(pool.bodies[1]["ConfirmationCode"]?.text == "123456")
        #expect(pool.bodies[1]["Password"]?.text == "new")
        #expect(pool.bodies[1]["Username"]?.text == "alice")
        #expect(pool.bodies[2]["AuthParameters"]?["PASSWORD"]?.text == "new")
    }

    @Test("Enter has a code sent, and says where to; blanks are no code", arguments: ["", " "])
    func codeToBeSent(nothing: String) {
        let (pool, root) = signIn([nothing, "123456", "new", "new"])
        #expect(root.questions == ["#Password: ", start, "Code sent by e-mail to a***@e***: ", new, again])
        #expect(root.last?.kind == .signedIn)
        #expect(
            pool.operations == ["InitiateAuth", "ForgotPassword", "ConfirmForgotPassword", "InitiateAuth"])
    }

    @Test("what was wrong stands above the next question, and only that is asked for again")
    func notices() {
        let code = signIn(["1", "new", "new", "2"], confirmed: [mismatch, good]).root
        #expect(code.questions.dropFirst(4) == ["The code is incorrect. Try again.\nCode: "])
        #expect(code.last?.kind == .signedIn)
        let late = signIn(["1", "new", "new", "", "2"], confirmed: [expired, good]).root
        #expect(
            late.questions.dropFirst(4) == [
                "The code has expired.\n" + offer, "Code sent by e-mail to a***@e***: ",
            ])
        #expect(late.last?.kind == .signedIn)
        let refused = signIn(["1", "a", "a", "new", "new"], confirmed: [weak, good]).root
        #expect(refused.questions.dropFirst(4) == ["##Password not long enough\nNew password: ", again])
        #expect(refused.last?.kind == .signedIn)
        let same = signIn(["1", "old", "new", "new"]).root
        #expect(same.questions[3] == "##The new password must be different from the old one.\nNew password: ")
        #expect(same.last?.kind == .signedIn)
    }

    @Test("a reset that comes to nothing says why", arguments: Refusal.all)
    private func refusals(refusal: Refusal) {
        let (_, root) = signIn(refusal.answers, code: refusal.code, confirmed: refusal.confirmed)
        #expect(root.last?.kind == .failed)
        #expect(root.last?.reason == refusal.reason)
        #expect(root.last?.text(.text) == refusal.text)
    }

    @Test("a host that cannot ask has no code sent")
    func noAnswer() {
        let (pool, root) = signIn([])
        #expect(root.last?.kind == .ask)
        #expect(pool.operations == ["InitiateAuth"])
    }

    @Test("only whoever shows the password is told that it was reset")
    func beforeThePassword() {
        let step = Step()
        step.pool.answers["InitiateAuth"] = [required]
        let root = step.run([Step.signIn(flow: .secureRemotePassword), Step.answer("perhaps"), Step.answer("")])
        #expect(root.questions == ["#Password: "])
        #expect(root.last?.reason == .passwordChangeNeeded)
        #expect(step.pool.operations == ["InitiateAuth"])
    }

    @Test("a password change goes the same way, and the password is not changed twice")
    func passwd() {
        let step = Step()
        step.pool.answers["InitiateAuth"] = [required, step.pool.tokens()]
        step.pool.answers["ConfirmForgotPassword"] = [good]
        let answers = ["old", "1", "new", "new"].map { answer in Step.answer(answer) }
        let root = step.run([Step.changePassword()] + answers, registers: true)
        #expect(root.last?.kind == .passwordChanged)
        #expect(
            step.pool.operations == ["InitiateAuth", "ConfirmForgotPassword", "InitiateAuth", "RevokeToken"])
    }

    @Test("when the sign-in fails afterwards, it is said that the new password is set")
    func failureAfterwards() {
        let (_, root) = signIn(["1", "new", "new"]) { step in
            step.pool.answers["InitiateAuth"] = [required, .failure(.unreachable("reset"))]
        }
        #expect(root.last?.reason == .unreachable)
        #expect(root.last?.text(.text) == ChallengeWording.newPasswordIsSet.english)
    }
}

/// A recovery with these answers of the person's.
private func recover(
    _ answers: [String], name: String? = "alice", code: ScriptedPool.Answer = sent,
    confirmed: [ScriptedPool.Answer] = [good]
) -> (pool: ScriptedPool, root: ScriptedRoot) {
    let step = Step()
    step.pool.answers["ForgotPassword"] = [code]
    step.pool.answers["ConfirmForgotPassword"] = confirmed
    let root = step.run([Step.forgotPassword(name)] + answers.map { answer in Step.answer(answer) })
    return (step.pool, root)
}

@Suite struct RecoverPasswordTests {
    private static let first =
        "If this account exists, a code is being sent to its owner by e-mail or SMS.\nCode: "

    @Test("a code, the new password twice, and no tokens; where the code went is not said")
    func right() {
        let (pool, root) = recover(["123456", "new", "new"])
        #expect(root.questions == [Self.first, new, again])
        #expect(root.last?.kind == .passwordChanged && root.last?.outcome == nil)
        #expect(pool.operations == ["ForgotPassword", "ConfirmForgotPassword"])
        #expect(pool.bodies[1]["Username"]?.text == "alice" && pool.bodies[1]["Password"]?.text == "new")
    }

    /// Answers that Cognito gives only for some names. The user sees the same as for a code that was sent, or was
    /// wrong.
    private static let personal: [ScriptedPool.Answer] = [
        ("UserNotFoundException", "Username/client id combination not found."),
        ("NotAuthorizedException", "User is disabled."),
        ("NotAuthorizedException", "User password cannot be reset in the current state."),
        ("UserNotConfirmedException", "User is not confirmed."),
        ("InvalidParameterException", "there is no registered/verified email or phone_number"),
        ("LimitExceededException", "Attempt limit exceeded, please try after some time."),
        ("TooManyFailedAttemptsException", ""),
        ("LimitExceededException", "Exceeded daily email limit for the operation or the account."),
        ("CodeDeliveryFailureException", ""),
        ("UserLambdaValidationException", "Custom"),
        ("UnexpectedLambdaException", ""),
        ("InvalidEmailRoleAccessPolicyException", ""),
    ].map { name, message in ScriptedPool.refusal(name, message) }

    @Test(
        "who is not known, or cannot have a code, sees nothing else than anybody with a wrong one", arguments: personal)
    private func stranger(answer: ScriptedPool.Answer) {
        let answers = ["1", "new", "new", "", "2", "3"]
        let wrong = recover(answers, confirmed: [mismatch]).root
        #expect(wrong.last?.text(.text) == WorkerWording.resetCodeTooOften.english)
        for (code, confirmed) in [(answer, mismatch), (answer, expired), (sent, expired), (answer, answer)] {
            // A form that Cognito does not take is said of what was typed, not of whose it is.
            guard case .success((_, let body)) = confirmed, !body.contains("InvalidParameter") else {
                continue
            }
            let root = recover(answers, code: code, confirmed: [confirmed]).root
            #expect(root.questions == wrong.questions)
            #expect(root.last?.kind == .failed)
            #expect(root.last?.reason == wrong.last?.reason)
            #expect(root.last?.text(.text) == wrong.last?.text(.text))
        }
    }

    @Test("what is withheld is told root's log before anything is asked: the person may leave", arguments: personal)
    private func withheld(answer: ScriptedPool.Answer) {
        let left = recover([], code: answer).root
        #expect(left.kinds == [.withheld, .ask])
        #expect(left.sent.first?.text(.logText)?.isEmpty == false && left.sent.first?.reason != nil)
        // Nor is it lost where the code was refused, or something else was before.
        let refused = recover(["1", "new", "new"], code: answer, confirmed: [mismatch]).root
        #expect(refused.kinds == [.withheld, .ask, .ask, .ask, .withheld, .ask])
        #expect(refused.sent[4].text(.logText) == "The password reset code was wrong.")
        // Of a name that is not Cognito's here, Cognito says nothing: it was asked about another.
        #expect(recover([], name: nil, code: answer).root.kinds == [.ask])
    }

    @Test("a limit of the pool's is none of the user's")
    func messageLimit() {
        let limit = ScriptedPool.refusal("LimitExceededException", "Exceeded daily email limit for the operation")
        let told = recover([], code: limit).root.sent.first?.text(.logText) ?? ""
        #expect(told.contains("the user pool or the AWS account has reached its limit"))
        #expect(told.contains("Exceeded daily") && !told.contains("tries"))
    }

    @Test("somebody without a name is asked about under one that nobody has, in the same way")
    func nobody() {
        let wrong = recover(["1", "new", "new", "2", "3"], confirmed: [mismatch])
        let nobody = recover(["1", "new", "new", "2", "3"], name: nil, confirmed: [mismatch])
        #expect(nobody.root.questions == wrong.root.questions)
        #expect(nobody.pool.operations == wrong.pool.operations)
        #expect(nobody.pool.bodies.first?["Username"]?.text?.hasPrefix("nobody-") == true)
    }

    @Test(
        "what is nobody's business in particular is said",
        arguments: [
            (ScriptedPool.refusal("TooManyRequestsException"), FailureReason.throttled),
            (ScriptedPool.refusal("InternalErrorException"), .serviceFault),
            (ScriptedPool.refusal("NotAuthorizedException", "Unable to verify secret hash"), .configuration),
            (.failure(.unreachable("reset")), .unreachable),
            (.success((200, "<html>")), .serviceFault),
        ] as [(ScriptedPool.Answer, FailureReason)])
    private func faults(answer: ScriptedPool.Answer, reason: FailureReason) {
        let root = recover(["1", "new", "new"], code: answer).root
        #expect(root.last?.reason == reason)
        #expect(root.last?.text(.text) == WorkerWording.passwordChangeUnavailable.english)
        #expect(root.questions == [])
    }

    @Test("a password against the rules is said in Cognito's words, to whoever has the right code")
    func policy() {
        let root = recover(["1", "a", "a", "new", "new"], confirmed: [weak, good]).root
        #expect(root.questions == [Self.first, new, again, "##Password not long enough\nNew password: ", again])
        #expect(root.last?.kind == .passwordChanged)
        // Its words for a wrong form would have in them what was typed.
        let form = ScriptedPool.refusal("InvalidParameterException", "Value 'a' at 'password' failed")
        let formless = recover(["1", "a", "a", "new", "new"], confirmed: [form, good]).root
        #expect(
            formless.questions == [Self.first, new, again, "##The answer was not accepted.\nNew password: ", again])
        let never = recover(["1", "a", "a", "b", "b", "c", "c"], confirmed: [weak]).root
        #expect(never.last?.reason == .noNewPassword)
        #expect(never.last?.text(.text) == WorkerWording.noNewPassword.english)
    }
}
