internal import CognitoIdentityProvider
internal import Messages
internal import Protocol
internal import Tokens

extension StepFailure {
    /// Why a sign-in came to no tokens.
    init(_ ending: SignInEnding, _ progress: borrowing SignInProgress) {
        self =
            switch ending {
            case .asRefused:
                progress.failure ?? StepFailure(.serviceFault, "Cognito refused without a reason.")
            case .hopelessPassword:
                StepFailure(.refused, "The password was empty, or longer than Cognito allows: Cognito was not asked.")
            case .noAnswer: StepFailure(.refused, "The sign-in needed a further answer, and nothing was entered.")
            case .passwordAsAnswer:
                StepFailure(
                    .refused,
                    "A further prompt was answered with the password, which was not sent. The application may support "
                        + "only one prompt: configure it to show all of them, for sshd with "
                        + "KbdInteractiveAuthentication."
                )
            case .wrongTooOften:
                StepFailure(.refused, "A code or another answer was wrong too often.")
            case .tooBusy:
                StepFailure(
                    .throttled,
                    "Cognito received too many requests, and did not check the user's answer even when it was sent "
                        + "again. See the quotas of the AWS account.", text: WorkerWording.tooBusy
                )
            case .noNewPassword where progress.isAnonymous:
                StepFailure(
                    .noNewPassword, "No acceptable new password was entered.", text: WorkerWording.noNewPassword)
            case .resetCodeTooOften:
                StepFailure(
                    .refused, "The code for setting a new password was wrong too often.",
                    text: WorkerWording.resetCodeTooOften
                )
            case .resetCodeExpired:
                StepFailure(
                    .refused, "The code for setting a new password was too old, and so was the one after it.",
                    text: WorkerWording.resetCodeExpired
                )
            case .noNewPassword:
                StepFailure(
                    .passwordChangeNeeded, "The user must set a new password, and no acceptable one was entered.",
                    text: WorkerWording.noFirstPassword
                )
            case .notSupported, .foreignChallenge, .tooManyRounds:
                Self.unanswered(ending, progress)
            case .tooLate:
                StepFailure(
                    .refused,
                    "The answer came after the time that Cognito waits for it (AuthSessionValidity of the app client).",
                    text: ChallengeWording.tooLate
                )
            case .refusedInBrowser:
                StepFailure(
                    .refused,
                    "The pasted address says that the sign-in in the browser was refused (\(progress.explanation)). "
                        + "See the identity provider's log, and its attribute mapping in the pool.",
                    text: WorkerWording.refusedInBrowser)
            case .outOfPlace: StepFailure(.serviceFault, "Cognito's answer does not match the request.")
            }
    }

    /// Translates the token endpoint's answer to a code, if it has no tokens.
    init(redeeming error: CognitoError) {
        switch error.kind {
        case .codeMismatch:
            self.init(
                .refused,
                "Cognito did not accept the code from the browser: it belongs to another prompt, was used before, or "
                    + "is older than five minutes.")
        case .flowNotEnabled, .invalidRequest:
            self.init(
                .managedLogin,
                "Cognito's token endpoint refused the request: the app client must allow the authorization code grant, "
                    + "\"managed_login_scopes\" and \"redirect_uri\".", text: WorkerWording.managedLogin)
        default:
            self = StepFailure(signIn: error).behindBrowser.adding("Check \"managed_login_domain\".")
        }
    }

    /// The same failure for a sign-in with a code from a browser. Anyone who opens the address can influence the
    /// result, and managed login is another server than the pool's endpoint. So none of its faults means that Cognito
    /// is unavailable, which would permit other passwords.
    var behindBrowser: StepFailure {
        switch reason {
        case .invalidTokens, .unreachable, .throttled, .serviceFault, .configuration, .internalFault, .sessionEnded,
            .accessTokenExpired, .renewalLost, .notListed, .credentialRefused:
            StepFailure(.managedLogin, logText, text: WorkerWording.managedLogin)
        case .refused, .lockedOut, .disabled, .notConfirmed, .passwordChangeNeeded, .challengeNotSupported,
            .refusedByPool, .otherIdentity, .noNewPassword, .levelNotReached, .operationNotEnabled, .managedLogin:
            self
        }
    }

    /// A challenge that was not answered.
    private static func unanswered(_ ending: SignInEnding, _ progress: borrowing SignInProgress) -> StepFailure {
        switch ending {
        case .notSupported where progress.offersPasskey:
            StepFailure(
                .challengeNotSupported,
                "This user can sign in with a passkey only, which needs a browser. Configure the pool to offer another "
                    + "factor, too.",
                text: ChallengeWording.passkeyOnly
            )
        case .notSupported:
            StepFailure(
                .challengeNotSupported,
                "Cognito asks this user for \(Self.name(progress.challenge)), which cannot be answered here.",
                text: WorkerWording.challengeNotSupported
            )
        case .foreignChallenge:
            StepFailure(
                .challengeNotSupported,
                "Cognito asks for \(Self.name(progress.challenge)), which this flow does not have at this point: it "
                    + "was not answered. Check \"auth_flow\" and \"endpoint\"; if they are right, something may be "
                    + "answering in Cognito's place.",
                text: WorkerWording.challengeNotSupported
            )
        default:
            StepFailure(
                .challengeNotSupported,
                "Cognito asked more than \(ChallengeMachine.mostRounds) questions without completing the sign-in.",
                text: WorkerWording.challengeNotSupported
            )
        }
    }

    /// The challenge's name as the log can show it.
    private static func name(_ challenge: Challenge?) -> String {
        (challenge?.name ?? "").printableASCII(limit: 64, blanks: false)
    }
}
