import HTTPClient
import Messages
import Protocol
import Steps
import Testing
import Tokens

private let proof = challenge("PASSWORD_VERIFIER", proofParameters, session: "s2")
private let mismatch = ScriptedPool.refusal("CodeMismatchException", "Invalid code received for user")
private let late = ScriptedPool.refusal(
    "NotAuthorizedException", "Invalid session for the user, session is expired.")

extension ScriptedPool {
    /// The ChallengeResponses of the request with that number.
    fileprivate func responses(_ index: Int) -> [String: JSONValue] {
        bodies.indices.contains(index) ? bodies[index]["ChallengeResponses"]?.members ?? [:] : [:]
    }
}

/// A step in which the pool asks `first` after the password, where the flow has one, and then what is in `then`.
private func run(
    _ first: ScriptedPool.Answer, then: [ScriptedPool.Answer] = [], _ answers: [String],
    by flow: AuthenticationFlow = .password, registered: Bool = true
) -> (step: Step, root: ScriptedRoot) {
    run(
        Step.signIn(flow: flow, preferred: flow == .choice ? .password : nil), first, then: then,
        (flow == .custom ? [] : ["secret"]) + answers, registered: registered)
}

/// The same with a beginning, and answers, of the test's own.
private func run(
    _ signIn: ScriptedRoot.Event, _ first: ScriptedPool.Answer, then: [ScriptedPool.Answer] = [], _ answers: [String],
    registered: Bool = true
) -> (step: Step, root: ScriptedRoot) {
    let step = Step()
    step.pool.answers["InitiateAuth"] = [first]
    step.pool.answers["RespondToAuthChallenge"] = then + [step.pool.tokens()]
    let events = [signIn] + answers.map { answer in Step.answer(answer) }
    return (step, step.run(events + (registered ? [Step.registered] : [])))
}

@Suite struct DialogueTests {
    @Test("nothing of a step is left when it is over, so that its secrets are erased", arguments: [true, false])
    func released(isSignIn: Bool) {
        weak var pool: ScriptedPool?
        do {
            let step = Step()
            pool = step.pool
            step.pool.answers["InitiateAuth"] = [step.pool.tokens()]
            let begin = isSignIn ? Step.signIn() : Step.changePassword()
            #expect(step.run([begin, Step.answer("secret"), Step.registered]).sent.count > 1)
        }
        #expect(pool == nil)
    }

    @Test(
        "codes: the question, with echo, and the name under which the answer goes",
        arguments: [
            ("SOFTWARE_TOKEN_MFA", [:], "Code from your authenticator app: "),
            (
                "SOFTWARE_TOKEN_MFA", ["FRIENDLY_DEVICE_NAME": "Ana's\u{1b}[2J\nphone"],
                "Code from your authenticator app (Ana's [2J phone): "
            ),
            ("SMS_MFA", ["CODE_DELIVERY_DESTINATION": "+*******1234"], "Code sent by SMS to +*******1234: "),
            ("EMAIL_OTP", ["CODE_DELIVERY_DESTINATION": "a***@e***"], "Code sent by e-mail to a***@e***: "),
            ("SMS_OTP", [:], "Code sent by SMS to you: "),
        ] as [(String, [String: String], String)]
    )
    func codes(name: String, parameters: [String: String], question: String) {
        let flow: AuthenticationFlow = name == "SMS_OTP" ? .choice : .password
        let (step, root) = run(challenge(name, parameters), ["123 456"], by: flow)
        #expect(root.questions == ["#Password: ", question])
        #expect(root.last?.kind == .signedIn)
        #expect(step.pool.responses(1)["\(name)_CODE"]?.text == "123456")
        #expect(step.pool.responses(1)["USERNAME"]?.text == "alice")
        #expect(step.pool.bodies[1]["Session"]?.text == "s")
    }

    @Test(
        "the person is asked, and told, in the language of the step; prompts only where that is asked for",
        arguments: [
            (nil, nil, "#Password: ", "Code sent by SMS to you: "),
            ("en", true, "#Password: ", "Code sent by SMS to you: "),
            ("es", nil, "#Password: ", "Código enviado por SMS a usted: "),
            ("es", true, "#Contraseña: ", "Código enviado por SMS a usted: "),
            ("fr", false, "#Password: ", "Code sent by SMS to you: "),
        ] as [(String?, Bool?, String, String)])
    func languages(language: String?, prompts: Bool?, first: String, second: String) {
        let refusal = ScriptedPool.refusal("NotAuthorizedException", "Password attempts exceeded")
        let signIn = Step.signIn(language: language, translatesPrompts: prompts)
        let root = run(signIn, challenge("SMS_MFA"), then: [refusal], ["secret", "000000"]).root
        #expect(root.questions == [first, second])
        #expect(root.last?.reason == .lockedOut)
        let manner = Manner(language == "es" ? .spanish : .english)
        #expect(root.last?.text(.text) == manner.say(WorkerWording.lockedOut))
        // The log is always in English.
        #expect(root.last?.text(.logText)?.hasPrefix("After too many failed attempts, Cognito rejects") == true)
    }

    @Test("a wrong code may be tried again in the same session, and the third is the last")
    func wrongCodes() {
        let right = run(challenge("SMS_MFA"), then: [mismatch, mismatch], ["000000", "000001", "123456"])
        #expect(right.root.last?.kind == .signedIn)
        #expect(right.root.questions.last == "The code is incorrect. Try again.\nCode sent by SMS to you: ")
        let wrong = run(challenge("SMS_MFA"), then: [mismatch, mismatch, mismatch], ["000000", "000001", "000002"])
        #expect(wrong.root.last?.reason == .refused)
        #expect(wrong.step.pool.operations.count == 4)
    }

    @Test("what a replica does not do is told to who knew the password, and counts as a wrong answer")
    func notEnabled() {
        let refusal = ScriptedPool.refusal("OperationNotEnabledException", "Not in this Region.")
        let root = run(challenge("SOFTWARE_TOKEN_MFA"), then: [refusal], ["000000"]).root
        #expect(root.last?.reason == .operationNotEnabled)
        #expect(root.last?.text(.text) == WorkerWording.operationNotEnabled.english)
        #expect(root.last?.text(.logText)?.contains("Not in this Region.") == true)
    }

    @Test("the password is never sent in place of an answer", arguments: ["SMS_MFA", "CUSTOM_CHALLENGE"])
    func passwordAsCode(name: String) {
        let (step, root) = run(proof, then: [challenge(name)], ["secret"], by: .customAfterProof)
        #expect(root.last?.reason == .refused)
        #expect(step.pool.operations == ["InitiateAuth", "RespondToAuthChallenge"])
        #expect(step.pool.responses(1)["PASSWORD_CLAIM_SIGNATURE"] != nil)
    }

    @Test(
        "answers that cannot be right stay here",
        arguments: [String(repeating: "1", count: 2000), "12\u{7}3456", "é", "Secret-9!", "-123456"])
    func unusable(answer: String) {
        let (step, root) = run(challenge("SMS_MFA"), [answer, "123456"])
        #expect(root.last?.kind == .signedIn)
        #expect(root.questions.last?.hasPrefix("The answer is not valid.\n") == true)
        #expect(step.pool.operations.count { operation in operation == "RespondToAuthChallenge" } == 1)
    }

    @Test("what is no text, or longer than any answer, is asked for again, and not sent")
    func noAnswer() {
        let longest = String(repeating: "é", count: 1024)
        for unfit in [Array((longest + "e").utf8), [0x66, 0xff]] {
            let step = Step()
            step.pool.answers["InitiateAuth"] = [challenge("CUSTOM_CHALLENGE")]
            let root = step.run([
                Step.signIn(flow: .custom), Step.message(.answer, [(.answer, unfit)]), Step.answer(longest),
                Step.registered,
            ])
            #expect(root.last?.kind == .signedIn)
            #expect(root.questions == ["Answer: ", "The answer is not valid.\nAnswer: "])
            #expect(step.pool.responses(1)["ANSWER"]?.text == longest)
        }
    }

    @Test("nothing entered is asked about once")
    func empty() {
        #expect(run(challenge("SMS_MFA"), ["", "123456"]).root.last?.kind == .signedIn)
        let (step, root) = run(challenge("SMS_MFA"), ["", " "])
        #expect(root.last?.reason == .refused)
        #expect(step.pool.operations == ["InitiateAuth"])
        let demand = challenge("NEW_PASSWORD_REQUIRED")
        let password = run(demand, ["", "New-1", "New-1"])
        #expect(password.root.last?.kind == .signedIn)
        #expect(password.root.questions[2] == "##\(ChallengeWording.nothingEntered.english)New password: ")
        #expect(password.step.pool.responses(1)["NEW_PASSWORD"]?.text == "New-1")
        let none = run(demand, ["", ""])
        #expect(none.root.last?.reason == .refused)
        #expect(none.step.pool.operations == ["InitiateAuth"])
    }

    @Test("a challenge that expired is begun anew, once, and without the password")
    func expired() {
        let step = Step()
        step.pool.answers["InitiateAuth"] = [
            challenge("SMS_MFA", ["USERNAME": "0-0-1"]), challenge("SMS_MFA", session: "s2"),
        ]
        step.pool.answers["RespondToAuthChallenge"] = [late, step.pool.tokens()]
        let answers = [Step.signIn(), Step.answer(), Step.answer("111111"), Step.answer("222222"), Step.registered]
        let root = step.run(answers)
        #expect(root.last?.kind == .signedIn)
        #expect(root.questions.count == 3 && root.questions[2].hasPrefix("The answer came too late"))
        #expect(step.pool.bodies[3]["Session"]?.text == "s2")
        // An answer goes under the name that the challenge has, and without one under that of the sign-in.
        #expect([1, 3].map { index in step.pool.responses(index)["USERNAME"]?.text } == ["0-0-1", "alice"])

        let again = Step()
        again.pool.answers["InitiateAuth"] = [challenge("SMS_MFA")]
        again.pool.answers["RespondToAuthChallenge"] = [late]
        let refused = again.run(answers)
        #expect(refused.last?.reason == .refused)
        #expect(refused.last?.text(.text) == "The sign-in took too long. Sign in again.")
        #expect(again.pool.operations.count { operation in operation == "InitiateAuth" } == 2)
    }

    @Test("a menu has a default, and takes nothing that is not on it")
    func menu() {
        let offer = challenge("SELECT_MFA_TYPE", ["MFAS_CAN_CHOOSE": #"["SMS_MFA","SOFTWARE_TOKEN_MFA","NEW_THING"]"#])
        let app = challenge("SOFTWARE_TOKEN_MFA", session: "s2")
        let (step, root) = run(offer, then: [app], ["", "123456"])
        #expect(root.last?.kind == .signedIn)
        #expect(
            root.questions[1] == """
                How do you want to receive your code?
                  1  code from an authenticator app
                  2  code by SMS
                Number [1]: \("")
                """)
        #expect(step.pool.responses(1)["ANSWER"]?.text == "SOFTWARE_TOKEN_MFA")
        #expect(step.pool.bodies[2]["Session"]?.text == "s2")
        #expect(run(offer, then: [app], ["2", "123456"]).step.pool.responses(1)["ANSWER"]?.text == "SMS_MFA")
        #expect(run(offer, ["3", "0", "-1"]).root.last?.reason == .refused)
        let single = run(challenge("SELECT_MFA_TYPE", ["MFAS_CAN_CHOOSE": #"["EMAIL_OTP"]"#]), [])
        #expect(single.step.pool.responses(1)["ANSWER"]?.text == "EMAIL_OTP")
    }

    @Test("a new password, with what the pool lacks")
    func newPassword() {
        let demand = challenge(
            "NEW_PASSWORD_REQUIRED",
            ["requiredAttributes": #"["userAttributes.email","userAttributes.family_name"]"#, "userAttributes": "{}"])
        let (step, root) = run(demand, ["New-1", "New-1", "ana@example.com", "García"])
        #expect(root.last?.kind == .signedIn)
        #expect(
            root.questions == [
                "#Password: ", "##You must change your password now.\nNew password: ", "#Retype new password: ",
                "E-mail address: ", "family name: ",
            ])
        let responses = step.pool.responses(1)
        #expect(responses["NEW_PASSWORD"]?.text == "New-1")
        #expect(responses["userAttributes.email"]?.text == "ana@example.com")
        #expect(responses["userAttributes.family_name"]?.text == "García")
    }

    @Test("what was said at a challenge that expired is no answer to the next one")
    func newPasswordAnew() {
        let demands = ["email", "family_name"].map { name in
            challenge("NEW_PASSWORD_REQUIRED", ["requiredAttributes": "[\"userAttributes.\(name)\"]"])
        }
        let step = Step()
        step.pool.answers["InitiateAuth"] = demands
        step.pool.answers["RespondToAuthChallenge"] = [late, step.pool.tokens()]
        let answers = ["secret", "New-1", "New-1", "ana@example.com", "New-2", "New-2", "García"]
        let root = step.run([Step.signIn()] + answers.map { answer in Step.answer(answer) } + [Step.registered])
        #expect(root.last?.kind == .signedIn)
        #expect(
            step.pool.responses(3).mapValues(\.text) == [
                "USERNAME": "alice", "NEW_PASSWORD": "New-2", "userAttributes.family_name": "García",
            ])
    }

    @Test("ten things that the pool lacks are asked for, and no more than that, nor what has no name")
    func attributeNames() {
        func demand(_ names: [String]) -> ScriptedPool.Answer {
            let list = names.map { name in "\"userAttributes.\(name)\"" }.joined(separator: ",")
            return challenge("NEW_PASSWORD_REQUIRED", ["requiredAttributes": "[\(list)]"])
        }
        let names = (1...11).map { number in "custom:\(number)" }
        let ten = run(demand(Array(names.prefix(10))), ["New-1", "New-1"] + names.prefix(10))
        #expect(ten.root.last?.kind == .signedIn)
        #expect(ten.root.questions.count == 13)
        let eleven = run(demand(names), [])
        #expect(eleven.root.last?.reason == .challengeNotSupported)
        #expect(eleven.root.questions == ["#Password: "])
        let long = String(repeating: "x", count: 64)
        let odd = run(demand(["", long + "x", long, "email"]), ["New-1", "New-1", "y", "ana@example.com"])
        #expect(odd.root.last?.kind == .signedIn)
        #expect(odd.root.questions.dropFirst(3) == ["\(long): ", "E-mail address: "])
    }

    @Test("what Cognito does not take of what the pool lacks is asked for again, and counts once")
    func attributesAgain() {
        let demand = challenge(
            "NEW_PASSWORD_REQUIRED", ["requiredAttributes": #"["userAttributes.email","userAttributes.family_name"]"#])
        let unfit = ScriptedPool.refusal("InvalidParameterException", "Invalid email address format.")
        let taken = ScriptedPool.refusal("AliasExistsException", "An account with the email already exists.")
        let (step, root) = run(
            demand, then: [unfit, taken],
            ["New-1", "New-1", "ana", "García", "bob@example.com", "Díaz", "ana@example.com"])
        #expect(root.last?.kind == .signedIn)
        #expect(
            root.questions.dropFirst(3) == [
                "E-mail address: ", "family name: ", "Invalid email address format.\nE-mail address: ",
                "family name: ", "Another account already uses that value. Enter a different value.\nE-mail address: ",
            ])
        #expect(
            step.pool.responses(3).mapValues(\.text) == [
                "USERNAME": "alice", "NEW_PASSWORD": "New-1", "userAttributes.email": "ana@example.com",
                "userAttributes.family_name": "Díaz",
            ])
    }

    @Test("what is wrong with a new password is said above the next question")
    func newPasswordAgain() {
        let policy = ScriptedPool.refusal(
            "InvalidPasswordException", "Password did not conform with policy: Password not long enough")
        let (step, root) = run(
            challenge("NEW_PASSWORD_REQUIRED"), then: [policy],
            ["secret", "a", "b", "short", "short", "Long-1", "Long-1"])
        // The old one, then a repetition that is none: that leaves one chance, which the policy takes.
        #expect(root.last?.reason == .passwordChangeNeeded)
        #expect(root.last?.text(.text) == WorkerWording.noFirstPassword.english)
        #expect(root.questions[2] == "##The new password must be different from the old one.\nNew password: ")
        #expect(root.questions[4] == "##The two passwords do not match.\nNew password: ")
        #expect(step.pool.operations == ["InitiateAuth", "RespondToAuthChallenge"])
        let other = run(challenge("NEW_PASSWORD_REQUIRED"), then: [policy], ["short", "short", "Long-1", "Long-1"])
        #expect(other.root.last?.kind == .signedIn)
        #expect(
            other.root.questions[3]
                == "##Password did not conform with policy: Password not long enough\nNew password: ")
    }

    @Test("what is no password for Cognito is not sent", arguments: [" Long-1", "Long-1 ", "Long\u{7}1"])
    func unfitNewPassword(unfit: String) {
        let (step, root) = run(challenge("NEW_PASSWORD_REQUIRED"), [unfit, "Long 1", "Long 1"])
        #expect(root.last?.kind == .signedIn)
        #expect(root.questions[2].contains("must not begin or end with a space.\nNew password: "))
        #expect(step.pool.responses(1)["NEW_PASSWORD"]?.text == "Long 1")
    }

    @Test("where the answer to a new password is lost, nobody is told that the old one holds")
    func lostNewPassword() {
        for answer in [
            ScriptedPool.Answer.failure(.unreachable("reset")), .failure(.timedOut), .success((502, "<html>")),
        ] {
            let (_, root) = run(challenge("NEW_PASSWORD_REQUIRED"), then: [answer], ["New-1", "New-1"])
            #expect(root.last?.text(.text) == WorkerWording.passwordChangeUnknown.english)
        }
        let unsent = run(
            challenge("NEW_PASSWORD_REQUIRED"), then: [.failure(.certificate("x"))], ["New-1", "New-1"])
        #expect(unsent.root.last?.kind == .failed && unsent.root.last?.text(.text) == nil)
    }

    @Test("nor is it where the answer comes too late; nor where that of a later challenge does")
    func lateNewPassword() {
        let entered = ["secret", "New-1", "New-1", "123456"].map { answer in Step.answer(answer) }
        for (challenges, text) in [
            (["NEW_PASSWORD_REQUIRED"], WorkerWording.passwordChangeUnknown),
            (["NEW_PASSWORD_REQUIRED", "SOFTWARE_TOKEN_MFA"], ChallengeWording.newPasswordIsSet),
        ] {
            let step = Step()
            step.pool.answers["InitiateAuth"] = [challenge(challenges[0])]
            step.pool.answers["RespondToAuthChallenge"] =
                challenges.dropFirst().map { name in challenge(name) } + [step.pool.tokens()]
            step.pool.late = { operation, count in operation == "RespondToAuthChallenge" && count == challenges.count }
            let root = step.run([Step.signIn()] + entered)
            #expect(root.last?.reason == .unreachable)
            #expect(root.last?.text(.text) == text.english, "\(challenges)")
            #expect(step.pool.operations.last == "RevokeToken")
        }
    }

    @Test("tokens that do not stand up to verification after a new password say which one holds")
    func unfitAfterChange() {
        let step = Step()
        step.pool.claims["client_id"] = .string("another")
        step.pool.answers["InitiateAuth"] = [challenge("NEW_PASSWORD_REQUIRED")]
        let given = ["secret", "New-1", "New-1"].map { answer in Step.answer(answer) }
        let root = step.run([Step.signIn()] + given)
        #expect(root.last?.reason == .invalidTokens)
        #expect(root.last?.text(.text) == ChallengeWording.newPasswordIsSet.english)
        #expect(step.pool.operations.last == "RevokeToken")
    }

    @Test("an expired challenge after a new password says which one holds")
    func lateAfterChange() {
        let (step, root) = run(
            challenge("NEW_PASSWORD_REQUIRED"), then: [challenge("SMS_MFA"), late], ["New-1", "New-1", "123456"])
        #expect(root.last?.reason == .refused)
        #expect(root.last?.text(.text) == ChallengeWording.newPasswordIsSet.english)
        #expect(step.pool.operations.count { operation in operation == "InitiateAuth" } == 1)
    }

    @Test("an authenticator app is set up with a key that was checked")
    func setUp() throws {
        let step = Step()
        step.pool.answers["InitiateAuth"] = [
            challenge("MFA_SETUP", ["MFAS_CAN_SETUP": #"["SMS_MFA","SOFTWARE_TOKEN_MFA"]"#])
        ]
        let key = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXPJBSW"
        step.pool.answers["AssociateSoftwareToken"] = [.success((200, #"{"SecretCode":"\#(key)","Session":"s2"}"#))]
        step.pool.answers["VerifySoftwareToken"] = [
            ScriptedPool.refusal("EnableSoftwareTokenMFAException", "Code mismatch"),
            .success((200, #"{"Status":"ERROR"}"#)), .success((200, #"{"Status":"SUCCESS","Session":"s3"}"#)),
        ]
        let answers = ["111111", "222222", "333333"].map { code in Step.answer(code) }
        let root = step.run([Step.signIn(), Step.answer()] + answers + [Step.registered])
        #expect(root.last?.kind == .signedIn)
        #expect(
            step.pool.operations.prefix(6) == [
                "InitiateAuth", "AssociateSoftwareToken", "VerifySoftwareToken", "VerifySoftwareToken",
                "VerifySoftwareToken", "RespondToAuthChallenge",
            ])
        #expect(step.pool.bodies[1]["Session"]?.text == "s")
        #expect(step.pool.bodies[2]["Session"]?.text == "s2")
        #expect(step.pool.bodies[5]["Session"]?.text == "s3")
        let question = try #require(root.questions.dropFirst().first)
        #expect(question.contains("JBSW Y3DP EHPK 3PXP"))
        #expect(question.contains("\u{2588}\u{2580}"))
        #expect(question.utf8.count < 16_384)
        #expect(root.questions[2].hasPrefix("The code is incorrect. Try again.\n"))
    }

    @Test("the pool's own question is shown without what could move the cursor")
    func custom() {
        let shown = [
            (["question": "What is\u{1b}[2J 2 + 2?", "hint": "x"], "What is [2J 2 + 2? "),
            (["captcha": "type \u{202e}this"], "type this: "), ([:], "Answer: "),
            (["b": "2", "a": "1"], "a: 1\nb: 2\nAnswer: "),
        ]
        for (parameters, question) in shown {
            let (step, root) = run(challenge("CUSTOM_CHALLENGE", parameters), [" fo ur "], by: .custom)
            #expect(root.questions.last == question)
            #expect(step.pool.responses(1)["ANSWER"]?.text == " fo ur ")
        }
    }

    @Test(
        "whoever goes away at a question leaves no token",
        arguments: [
            (AuthenticationFlow.password, "SMS_MFA"), (.password, "NEW_PASSWORD_REQUIRED"),
            (.custom, "CUSTOM_CHALLENGE"),
        ])
    func gone(flow: AuthenticationFlow, name: String) {
        let (step, root) = run(challenge(name), [], by: flow, registered: false)
        #expect(root.kinds == (flow == .custom ? [.ask] : [.ask, .ask]))
        #expect(step.pool.operations == ["InitiateAuth"])
    }
}

@Suite struct FlowTests {
    private static let factors = challenge(
        "SELECT_CHALLENGE", available: ["PASSWORD", "PASSWORD_SRP", "EMAIL_OTP", "WEB_AUTHN"])

    @Test("a person who chooses a code is not asked for a password")
    func choice() {
        let code = challenge("EMAIL_OTP", session: "s2")
        let (step, root) = run(Step.signIn(flow: .choice), Self.factors, then: [code], ["2", "12345678"])
        #expect(root.last?.kind == .signedIn)
        #expect(
            root.questions == [
                "Passkeys cannot be used here. How do you want to sign in instead?\n  1  password\n"
                    + "  2  code by e-mail\nNumber [1]: ", "Code sent by e-mail to you: ",
            ])
        #expect(step.pool.bodies[0]["AuthFlow"]?.text == "USER_AUTH")
        #expect(step.pool.bodies[0]["AuthParameters"]?.members?.keys.sorted() == ["USERNAME"])
        #expect(step.pool.responses(1)["ANSWER"]?.text == "EMAIL_OTP")
        #expect(step.pool.responses(2)["EMAIL_OTP_CODE"]?.text == "12345678")
    }

    @Test("the password is proved, where there is the choice between that and sending it")
    func chosenPassword() {
        let (step, root) = run(Step.signIn(flow: .choice), Self.factors, then: [proof], ["", "secret"])
        #expect(root.last?.kind == .signedIn)
        #expect(root.questions.last == "#Password: ")
        #expect(step.pool.responses(1)["ANSWER"]?.text == "PASSWORD_SRP")
        #expect(step.pool.responses(1)["SRP_A"]?.text?.isEmpty == false)
        #expect(step.pool.responses(2)["PASSWORD_CLAIM_SIGNATURE"] != nil)
        #expect(step.pool.bodies[2]["Session"]?.text == "s2")
    }

    @Test(
        "a preference begins at once",
        arguments: [
            (PreferredFactor.proof, "PASSWORD_SRP", "SRP_A"), (.password, "PASSWORD", "PASSWORD"),
            (.emailCode, "EMAIL_OTP", nil), (.messageCode, "SMS_OTP", nil),
        ] as [(PreferredFactor, String, String?)])
    func preferred(factor: PreferredFactor, name: String, member: String?) {
        let first = member == nil ? challenge(name) : member == "SRP_A" ? proof : Step().pool.tokens()
        let (step, root) = run(Step.signIn(flow: .choice, preferred: factor), first, ["12345678"])
        #expect(root.last?.kind == .signedIn)
        let parameters = step.pool.bodies[0]["AuthParameters"]?.members ?? [:]
        #expect(parameters["PREFERRED_CHALLENGE"]?.text == name)
        #expect(member.map { member in parameters[member] != nil } ?? (parameters.count == 2))
        #expect((root.questions.first == "#Password: ") == (member != nil))
    }

    @Test("only a passkey is a refusal that says so")
    func passkey() {
        let only = challenge("SELECT_CHALLENGE", available: ["WEB_AUTHN"])
        let (_, root) = run(Step.signIn(flow: .choice), only, [])
        #expect(root.last?.reason == .challengeNotSupported)
        #expect(root.last?.text(.text) == ChallengeWording.passkeyOnly.english)
    }

    @Test("the pool's own challenges, with and without a password before", arguments: [true, false])
    func custom(afterProof: Bool) {
        let question = challenge("CUSTOM_CHALLENGE", ["question": "2 + 2?"], session: "s3")
        let (step, root) = run(
            Step.signIn(flow: afterProof ? .customAfterProof : .custom), afterProof ? proof : question,
            then: afterProof ? [question] : [], afterProof ? ["secret", "4"] : ["4"])
        #expect(root.last?.kind == .signedIn)
        let parameters = step.pool.bodies[0]["AuthParameters"]?.members ?? [:]
        #expect(parameters["CHALLENGE_NAME"]?.text == (afterProof ? "SRP_A" : nil))
        #expect(root.questions.last == "2 + 2? ")
    }

    @Test("a code behind the password answers an app's challenge, and no other")
    func combined() {
        let app = run(Step.signIn(combined: true), challenge("SOFTWARE_TOKEN_MFA"), ["secret123456"])
        #expect(app.root.last?.kind == .signedIn)
        #expect(app.root.questions == ["#Password: "])
        #expect(app.step.pool.bodies[0]["AuthParameters"]?["PASSWORD"]?.text == "secret")
        #expect(app.step.pool.responses(1)["SOFTWARE_TOKEN_MFA_CODE"]?.text == "123456")
        let mail = run(Step.signIn(combined: true), challenge("EMAIL_OTP"), ["secret123456", "654321"])
        #expect(mail.step.pool.responses(1)["EMAIL_OTP_CODE"]?.text == "654321")
        for password in ["secret", "secret12345", "123456", "12345\u{661}"] {
            let plain = run(Step.signIn(combined: true), challenge("SOFTWARE_TOKEN_MFA"), [password, "654321"])
            #expect(plain.step.pool.bodies[0]["AuthParameters"]?["PASSWORD"]?.text == password)
            #expect(plain.step.pool.responses(1)["SOFTWARE_TOKEN_MFA_CODE"]?.text == "654321")
        }
        // Where there is a choice, it is made; but not for a code that is sent.
        for (kinds, answers) in [("SOFTWARE_TOKEN_MFA", []), ("EMAIL_OTP", ["1", "654321"])] {
            let offer = challenge("SELECT_MFA_TYPE", ["MFAS_CAN_CHOOSE": "[\"SMS_MFA\",\"\(kinds)\"]"])
            let (step, root) = run(
                Step.signIn(combined: true), offer, then: [challenge(kinds)], ["secret123456"] + answers)
            #expect(root.last?.kind == .signedIn)
            #expect(root.questions.count == 1 + answers.count)
            #expect(step.pool.responses(1)["ANSWER"]?.text == kinds)
            #expect(step.pool.responses(2)["\(kinds)_CODE"]?.text == answers.last ?? "123456")
        }
        // A code is none of an app that is still to be set up.
        let setup = challenge("MFA_SETUP", ["MFAS_CAN_SETUP": #"["SOFTWARE_TOKEN_MFA","EMAIL_OTP"]"#])
        let (step, root) = run(Step.signIn(combined: true), setup, ["secret123456", "2", "ana@example.com"])
        #expect(root.last?.kind == .signedIn)
        #expect(root.questions.count == 3)
        #expect(step.pool.responses(1)["EMAIL"]?.text == "ana@example.com")
        // A program that knows one question only gives the same answer again: it is not sent.
        let again = run(
            Step.signIn(combined: true), challenge("SOFTWARE_TOKEN_MFA"), then: [mismatch],
            ["secret123456", "secret123456"])
        #expect(again.root.last?.reason == .refused)
        #expect(again.step.pool.operations.count == 2)
    }
}

@Suite struct ContextTests {
    private func bodies(address: String? = nil, service: String? = nil) -> [JSONValue] {
        let signIn = Step.signIn(address: address, service: service)
        return Array(run(signIn, challenge("SMS_MFA"), ["secret", "123456"]).step.pool.bodies.prefix(2))
    }

    @Test("a literal address goes with every request", arguments: ["203.0.113.7", "2001:db8::1", "::ffff:192.0.2.1"])
    func address(address: String) {
        for body in bodies(address: address) {
            #expect(body["UserContextData"] == .object(["IpAddress": .string(address)]))
            #expect(body["ClientMetadata"] == nil)
        }
    }

    @Test(
        "a name is no address",
        arguments: ["host.example.com", "203.0.113", "203.0.113.7 ", "fe80::1%eth0", "1.2.3.4\0x", "0x7f000001", nil])
    func name(name: String?) {
        #expect(bodies(address: name).allSatisfy { body in body["UserContextData"] == nil })
    }

    @Test("triggers are told the service and this machine, where they shall be")
    func metadata() {
        for body in bodies(service: "sshd\u{1b}") {
            #expect(body["ClientMetadata"] == .object(["service": .string("sshd"), "host": .string("demo")]))
        }
        #expect(bodies().allSatisfy { body in body["ClientMetadata"] == nil })
    }
}

/// What the service did not carry out.
@Suite struct BusyTests {
    private static let throttled = ScriptedPool.refusal("TooManyRequestsException", "Rate exceeded")
    private static func times(_ count: Int) -> [ScriptedPool.Answer] {
        [ScriptedPool.Answer](repeating: throttled, count: count)
    }

    @Test("one refusal for its rate, at the proof or at a code, costs a moment", arguments: [1, 4])
    func passing(count: Int) {
        let step = Step()
        step.pool.answers["InitiateAuth"] = Self.times(count) + [proof]
        step.pool.answers["RespondToAuthChallenge"] =
            Self.times(count) + [challenge("SMS_MFA")] + Self.times(count) + [step.pool.tokens()]
        let events = ["secret", "123456"].map { answer in Step.answer(answer) }
        let root = step.run([Step.signIn(flow: .secureRemotePassword)] + events + [Step.registered])
        #expect(root.last?.kind == .signedIn)
        #expect(root.questions == ["#Password: ", "Code sent by SMS to you: "])
    }

    @Test("a code that was not looked at is asked for again, and is not lost")
    func code() {
        let (step, root) = run(challenge("SMS_MFA"), then: Self.times(5), ["123456", "123456"])
        #expect(root.last?.kind == .signedIn)
        #expect(
            root.questions.last
                == "Cognito is too busy and has not checked your answer. Enter your answer again.\n"
                + "Code sent by SMS to you: ")
        #expect(step.pool.operations.count { operation in operation == "InitiateAuth" } == 1)
        #expect(Set(step.pool.bodies.dropFirst().compactMap { body in body["Session"]?.text }) == ["s"])
    }

    @Test("and in the end it is said what was the matter")
    func lasting() {
        let (step, root) = run(challenge("SMS_MFA"), then: Self.times(99), ["123456", "123456", "123456", "123456"])
        #expect(root.last?.reason == .throttled)
        #expect(root.last?.text(.text) == "Cognito is too busy at the moment. Try again in a minute.")
        #expect(root.questions.count == 4)
        #expect(step.clock.now < 16_000)
    }

    @Test("another account's address is asked for again, with all that may be one, and nothing else")
    func alias() {
        let demand = challenge(
            "NEW_PASSWORD_REQUIRED",
            ["requiredAttributes": #"["userAttributes.family_name","userAttributes.email"]"#, "userAttributes": "{}"])
        let taken = ScriptedPool.refusal("AliasExistsException", "An account with the email already exists.")
        let (step, root) = run(
            demand, then: [taken], ["New-1", "New-1", "García", "bob@example.com", "ana@example.com"])
        #expect(root.last?.kind == .signedIn)
        #expect(
            root.questions.last
                == "Another account already uses that value. Enter a different value.\nE-mail address: ")
        let responses = step.pool.responses(2)
        #expect(responses["NEW_PASSWORD"]?.text == "New-1")
        #expect(responses["userAttributes.email"]?.text == "ana@example.com")
        #expect(responses["userAttributes.family_name"]?.text == "García")
    }

    @Test("an address for codes that another account has")
    func setupAddress() {
        let demand = challenge("MFA_SETUP", ["MFAS_CAN_SETUP": #"["EMAIL_OTP"]"#])
        let taken = ScriptedPool.refusal("AliasExistsException", "Already found an entry for username alice")
        let (_, root) = run(demand, then: [taken], ["bob@example.com", "ana@example.com"])
        #expect(root.last?.kind == .signedIn)
        #expect(
            root.questions.last?
                .hasPrefix("Another account already uses that value. Enter a different value.\n") == true)
        let never = run(demand, then: [taken, taken, taken], ["a@b", "a@b", "a@b", "a@b"]).root
        #expect(never.last?.reason == .refusedByPool)
        #expect(
            never.last?.text(.text)?.hasPrefix("Another account already uses that e-mail address or phone number")
                == true)
    }
}
