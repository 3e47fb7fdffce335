import CognitoIdentityProvider
import Protocol
import Testing
import Tokens

@testable import Steps

/// An English text of AWS that decides what a refusal means, and what is left of that where AWS changes it.
private struct DecidingText: CustomTestStringConvertible, Sendable {
    let name: String
    let text: String
    let otherwise: ServiceErrorKind

    init(_ name: String, _ text: String, otherwise: ServiceErrorKind) {
        (self.name, self.text, self.otherwise) = (name, text, otherwise)
    }

    var testDescription: String { "\(name): \(text)" }

    /// Texts that AWS may have in its place.
    var changed: [String] { ["", "Nobody knows these words.", String(text.reversed()), "\u{e9}" + text.dropFirst(3)] }

    /// Steps of whose service one operation refuses in such words.
    func steps(refusing operation: String) -> [Step] {
        changed.prefix(2).map { text in
            let step = Step()
            step.pool.answers[operation] = [ScriptedPool.refusal(name, text)]
            return step
        }
    }
}

private let notAuthorized = [
    " failed with error ", "Password attempts exceeded", "User is disabled", "User is not confirmed",
    "Temporary password has expired", "User password cannot be reset", "Invalid session", "secret",
    "Access Token has expired", "Access Token has been revoked", "Invalid Access Token",
    "Could not verify signature for Access Token",
    "Access Token does not have required scopes", "Refresh Token has expired", "Refresh Token has been revoked",
    "Invalid Refresh Token", "Refresh Token has different Client", "The user has been deleted",
].map { text in DecidingText("NotAuthorizedException", text, otherwise: .refused) }

private let texts =
    notAuthorized + [
        DecidingText("ExpiredCodeException", "Your software token has already been used", otherwise: .codeExpired),
        DecidingText("LimitExceededException", "Exceeded daily", otherwise: .limitExceeded),
        DecidingText("CodeDeliveryFailureException", "limit", otherwise: .codeNotDelivered),
        DecidingText("CodeDeliveryFailureException", "quota", otherwise: .codeNotDelivered),
        DecidingText("ResourceNotFoundException", "Device does not exist", otherwise: .clientNotFound),
        DecidingText("ResourceNotFoundException", "Group not found", otherwise: .clientNotFound),
        DecidingText("InvalidParameterException", "not enabled for th", otherwise: .invalidRequest),
        DecidingText("InvalidParameterException", "not configured for secret", otherwise: .invalidRequest),
        DecidingText("InvalidParameterException", "no registered/verified", otherwise: .invalidRequest),
    ]

/// What a user answers, and how that comes to be asked.
private struct Answered: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var flow = AuthenticationFlow.password
    /// What is answered before, by operation.
    var before: [(String, String)] = []
    var refused = "RespondToAuthChallenge"
}

private func challenge(_ name: String, _ parameters: String = "{}") -> (String, String) {
    ("InitiateAuth", #"{"ChallengeName":"\#(name)","Session":"s","ChallengeParameters":\#(parameters)}"#)
}

private let proved =
    #"{"USERNAME":"alice","USER_ID_FOR_SRP":"alice","SALT":"1f","SRP_B":"abcdef","SECRET_BLOCK":"QUJD"}"#
private let key = ("AssociateSoftwareToken", #"{"SecretCode":"ABCDEFGHIJKLMNOP","Session":"t"}"#)
private let answered = [
    Answered(testDescription: "the password", refused: "InitiateAuth"),
    Answered(
        testDescription: "its proof", flow: .secureRemotePassword, before: [challenge("PASSWORD_VERIFIER", proved)]),
    Answered(testDescription: "a code of an app", before: [challenge("SOFTWARE_TOKEN_MFA")]),
    Answered(testDescription: "a code by SMS", before: [challenge("SMS_MFA")]),
    Answered(testDescription: "a code by e-mail", before: [challenge("EMAIL_OTP")]),
    Answered(testDescription: "a question of the pool's", flow: .custom, before: [challenge("CUSTOM_CHALLENGE")]),
    Answered(testDescription: "a new password", before: [challenge("NEW_PASSWORD_REQUIRED")]),
    Answered(
        testDescription: "the first code of an app",
        before: [challenge("MFA_SETUP", #"{"MFAS_CAN_SETUP":"[\"SOFTWARE_TOKEN_MFA\"]"}"#), key],
        refused: "VerifySoftwareToken"),
]

@Suite("English texts of AWS that decide") struct DecidingTextsTests {
    @Test("each one is in the list of what happens when it changes")
    func complete() {
        let deciding = ServiceError.table.compactMap { entry -> String? in
            switch entry.message {
            case .any: nil
            case .begins(let text), .contains(let text): "\(entry.name): \(text)"
            }
        }
        #expect(deciding == texts.map(\.testDescription))
    }

    @Test("a changed one is taken for what its name means", arguments: texts)
    private func kind(text: DecidingText) {
        for changed in text.changed {
            #expect(ServiceError(name: text.name, message: changed).kind == text.otherwise, "\(changed)")
        }
    }

    @Test("a refusal in other words lets nobody in, and counts as a failure", arguments: texts, answered)
    private func answer(text: DecidingText, answered: Answered) {
        for step in text.steps(refusing: answered.refused) {
            for (operation, body) in answered.before {
                step.pool.answers[operation] = [.success((200, body))]
            }
            let root = step.run(
                [Step.signIn(flow: answered.flow, tellingJudgement: true)], registers: true,
                person: ("secret", "123456"))
            #expect(step.pool.operations.contains(answered.refused))
            #expect(!root.kinds.contains(.signedIn))
            #expect(root.last?.kind == .failed)
            #expect(root.last?.fields[.judgement] == [AnswerJudgement.wrong.rawValue])
        }
    }

    @Test("with a device that is remembered, too", arguments: texts)
    private func device(text: DecidingText) {
        for step in text.steps(refusing: "InitiateAuth") {
            let root = step.run(
                [Step.signIn(device: "1\neu-west-1_0b1c\n-group\nc2VjcmV0", remember: true, tellingJudgement: true)],
                registers: true, person: ("secret", "123456"))
            #expect(step.pool.bodies[0]["AuthParameters"]?["DEVICE_KEY"]?.text == "eu-west-1_0b1c")
            #expect(root.last?.kind == .failed)
            #expect(root.last?.fields[.judgement] == [AnswerJudgement.wrong.rawValue])
        }
    }

    @Test(
        "a change of the password that is refused in other words counts, and its own tokens are revoked",
        arguments: texts)
    private func changedPassword(text: DecidingText) {
        for step in text.steps(refusing: "ChangePassword") {
            let root = step.run(
                [Step.changePassword()] + ["old", "new", "new"].map { answer in Step.answer(answer) }, registers: true)
            #expect(root.kinds.allSatisfy { kind in kind != .passwordChanged })
            #expect(step.pool.operations.last == "RevokeToken")
        }
    }

    @Test(
        "whoever holds tokens goes on holding them, or has them revoked: neither is said to be done", arguments: texts)
    private func renewal(text: DecidingText) {
        for step in text.steps(refusing: "GetTokensFromRefreshToken") {
            let root = step.run([Step.renew(step.session(), keySet: ScriptedPool.keySet)])
            #expect(root.kinds == [.failed])
            #expect(root.last?.fields[.revoked] == nil && root.last?.fields[.ranOut] == nil)
        }
    }

    @Test("an access token that is refused in other words does not end the session", arguments: texts)
    private func check(text: DecidingText) {
        for step in text.steps(refusing: "GetUser") {
            let root = step.run([Step.check(step.genuineSession(), isOnline: true)])
            #expect(root.kinds == [.failed])
            #expect(root.last?.reason != .sessionEnded)
        }
    }

    @Test(
        "a sign-out everywhere that is refused in other words comes to a revocation", arguments: texts,
        ["GlobalSignOut", "GetTokensFromRefreshToken"])
    private func signOut(text: DecidingText, operation: String) {
        for step in text.steps(refusing: operation) {
            let isRenewed = operation == "GetTokensFromRefreshToken"
            let root = step.run([Step.signOut(step.session(lifetime: isRenewed ? 0 : 3600))])
            #expect(step.pool.operations == [operation, "RevokeToken"])
            #expect(step.pool.bodies.last?["Token"]?.text == "refresh-0")
            #expect(root.last?.kind == .signedOut && root.last?.result != .everywhere)
        }
    }

    @Test("a revocation that is refused in other words is not over", arguments: texts, [Revocation.global, .session])
    private func revocation(text: DecidingText, revocation: Revocation) {
        for step in text.steps(refusing: "RevokeToken") {
            step.pool.answers["GlobalSignOut"] = [ScriptedPool.refusal("NotAuthorizedException", "Nobody knows these.")]
            let root = step.run([Step.signOut(step.session(), revocation)])
            #expect(root.kinds == [.failed])
        }
    }

    @Test("a device that cannot be confirmed, for whatever reason, costs no tokens", arguments: texts)
    private func confirmation(text: DecidingText) {
        for step in text.steps(refusing: "ConfirmDevice") {
            step.pool.answers["InitiateAuth"] = [step.pool.tokens(newDevice: "eu-west-1_d")]
            let root = step.run([Step.signIn(remember: true)], registers: true, person: ("secret", "123456"))
            #expect(step.pool.operations.contains("ConfirmDevice"))
            #expect(root.last?.kind == .signedIn || step.pool.operations.last == "RevokeToken")
        }
    }
}
