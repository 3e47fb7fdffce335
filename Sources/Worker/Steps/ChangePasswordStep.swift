internal import CognitoIdentityProvider
internal import HTTPClient
internal import Messages
internal import Protocol
internal import Tokens

/// The result of a password change.
struct PasswordChange {
    /// The result of revoking the step's tokens; nil: they are still valid.
    let outcome: SignOutOutcome?
    /// A further sentence for the log.
    let logText: String?
}

/// Changing a person's password: a sign-in with the current one, ChangePassword with the tokens, and their end.
///
/// The root side has the tokens in its registry before they are used, so that they end whatever happens here, and
/// decides whether this person may come in. They are revoked before anything is reported; a root side that is gone
/// changes nothing about that.
struct ChangePasswordStep {
    /// How often the two new passwords may differ, and how often Cognito may say no.
    static let mostTries = 3

    private let authentication: Authentication

    init(
        _ frame: borrowing Frame, _ conversation: Conversation, _ surroundings: StepSurroundings
    ) throws(StepFailure) {
        authentication = try Authentication(frame, conversation, surroundings)
    }

    private var manner: Manner { authentication.manner }

    /// Returns nil when the user is gone.
    func run() throws(StepFailure) -> PasswordChange? {
        var dialogue = authentication.dialogue(.change)
        let handOver = SessionHandOver(.signedIn, authentication.conversation, authentication.keys)
        let refreshToken: SecretValue
        let result: AuthenticationResult
        do {
            guard let answered = try dialogue.run() else {
                return nil
            }
            result = answered
            refreshToken = try Authentication.refreshToken(of: answered)
        } catch {
            throw Self.explained(authentication.explained(error))
        }
        let isDone: Bool
        do {
            let tokens = try authentication.verified(result)
            if try !give(tokens, refreshToken, handOver) {
                isDone = false
            } else {
                // If the pool required a new password first, it is already set.
                isDone = dialogue.hasNewPassword ? true : try change(dialogue.usedPassword, tokens.accessToken)
            }
        } catch {
            let end = revoke(refreshToken)
            var failure = dialogue.hasNewPassword ? error.saying(ChallengeWording.newPasswordIsSet) : error
            failure.outcome = end.outcome
            throw Self.explained(end.logText.map(failure.adding) ?? failure)
        }
        let end = revoke(refreshToken)
        return isDone ? end : nil
    }

    /// True when the root side has the tokens in its registry, and lets this person in.
    private func give(
        _ tokens: VerifiedTokens, _ refreshToken: SecretValue, _ handOver: consuming SessionHandOver
    ) throws(StepFailure) -> Bool {
        let session = authentication.session(tokens, refreshToken, signOut: .session)
        return try handOver.send(session, tokens, withholding: false)
    }

    private func revoke(_ refreshToken: SecretValue) -> PasswordChange {
        authentication.client.extendTime(to: Authentication.revocationTimeLimit)
        do {
            let result = try authentication.client.result(ofRevoking: refreshToken)
            return PasswordChange(outcome: result.outcome, logText: result.advice)
        } catch {
            return PasswordChange(
                outcome: nil, logText: "The tokens from the password change could not be revoked yet.")
        }
    }

    // MARK: - The new password

    /// Prompts for a new password until one is accepted; returns false when the user is gone.
    private func change(_ used: SecretValue?, _ accessToken: SecretValue) throws(StepFailure) -> Bool {
        var known = used
        if known == nil {
            // The sign-in went without it, by a code or the pool's own questions.
            known = try authentication.questions.ask(
                .currentPassword, manner.prompt(ChallengeWording.currentPassword))
        }
        guard let current = known else {
            return false
        }
        guard current.isText, (1...PersonDialogue.longestPassword).contains(current.characterCount) else {
            throw StepFailure(.refused, "The current password cannot be correct, so no request was sent to Cognito.")
        }
        var notice = ""
        var differing = 0
        var refused = 0
        while differing < Self.mostTries, refused < Self.mostTries {
            let (event, entered) = try authentication.questions.askNewPassword(notice, not: [current])
            switch (event, entered) {
            case (.answered, let proposed?):
                guard let objection = try propose(proposed, accessToken, current) else {
                    return true
                }
                refused += 1
                notice = objection
            case (.differs, _):
                differing += 1
                notice = manner.say(ChallengeWording.differs)
            case (.password, _):
                refused += 1
                notice = manner.say(ChallengeWording.samePassword)
            case (.unusable, _):
                refused += 1
                notice = manner.say(ChallengeWording.unfitPassword)
            case (.gone, _): return false
            default: refused = Self.mostTries
            }
        }
        throw StepFailure(
            .noNewPassword, "No acceptable new password was entered.", text: WorkerWording.noNewPassword)
    }

    /// Sends the new password; nil when it is set, else why it is not, for the next question.
    private func propose(
        _ proposed: SecretValue, _ accessToken: SecretValue, _ current: SecretValue
    ) throws(StepFailure) -> String? {
        do {
            try authentication.client.changePassword(accessToken: accessToken, previous: current, proposed: proposed)
            return nil
        } catch {
            switch error.kind {
            case .passwordNotAcceptable:
                guard case .service(let refusal) = error else {
                    break
                }
                let reason = PromptText.cleaned(refusal.message, limit: 200)
                return reason.isEmpty
                    ? manner.say(ChallengeWording.notAcceptableUnexplained)
                    : manner.say(ChallengeWording.notAcceptable, filling: reason)
            case .invalidRequest:
                // The service's words for a password of a wrong form are none for a person, and might hold it.
                return manner.say(ChallengeWording.notAcceptableUnexplained)
            default:
                break
            }
            // The current password may have been asked for only now, and be wrong.
            authentication.conversation.judgement = .wrong
            throw StepFailure(settingPassword: error, hasArrived: true)
        }
    }

    // MARK: - Failures

    /// The failure with a line for the person, who is one that this machine knows: there is no stranger to be told
    /// less.
    private static func explained(_ failure: StepFailure) -> StepFailure {
        failure.explained(orSaying: WorkerWording.passwordChangeRefused)
    }
}
