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
                progress.failure ?? StepFailure(.serviceFault, "Cognito refused the sign-in without giving a reason.")
            case .hopelessPassword:
                StepFailure(
                    .refused,
                    "The password was empty, or longer than Cognito allows. Cognito was not contacted.")
            case .noAnswer:
                StepFailure(.refused, "The sign-in required a further answer, but the user entered nothing.")
            case .passwordAsAnswer:
                StepFailure(
                    .refused,
                    "The user entered the password at a later prompt, and the password was not sent. The application "
                        + "may support only one prompt: configure the application to show all prompts (for sshd, "
                        + "KbdInteractiveAuthentication)."
                )
            case .wrongTooOften:
                StepFailure(.refused, "The user entered too many wrong codes or answers.")
            case .tooBusy:
                StepFailure(
                    .throttled,
                    "Cognito received too many requests, and did not check the user's answer even after a "
                        + "retry. See the quotas of the AWS account.", text: WorkerWording.tooBusy
                )
            case .noNewPassword where progress.isAnonymous:
                StepFailure(
                    .noNewPassword, "No acceptable new password was entered.", text: WorkerWording.noNewPassword)
            case .resetCodeTooOften:
                StepFailure(
                    .refused, "The user entered too many wrong password reset codes.",
                    text: WorkerWording.resetCodeTooOften
                )
            case .resetCodeExpired:
                StepFailure(
                    .refused, "The user entered two password reset codes that had expired.",
                    text: WorkerWording.resetCodeExpired
                )
            case .noNewPassword:
                StepFailure(
                    .passwordChangeNeeded,
                    "The user must set a new password, but did not enter an acceptable password.",
                    text: WorkerWording.noFirstPassword
                )
            case .notSupported where progress.offersPasskey:
                StepFailure(
                    .challengeNotSupported,
                    "This user can sign in only with a passkey, which needs a browser. Configure the pool to "
                        + "offer another factor.",
                    text: ChallengeWording.passkeyOnly
                )
            case .notSupported:
                StepFailure(
                    .challengeNotSupported,
                    "Cognito requires the \(Self.name(progress.challenge)) challenge, which pam_cognito does not support.",
                    text: WorkerWording.challengeNotSupported
                )
            case .foreignChallenge:
                StepFailure(
                    .challengeNotSupported,
                    "Cognito sent the \(Self.name(progress.challenge)) challenge, which is not part of this flow "
                        + "and was not answered. Check \"auth_flow\" and \"endpoint\"; if they are correct, "
                        + "another server may be answering in Cognito's place.",
                    text: WorkerWording.challengeNotSupported
                )
            case .tooManyRounds:
                StepFailure(
                    .challengeNotSupported,
                    "Cognito sent more than \(ChallengeMachine.mostRounds) challenges without completing the sign-in.",
                    text: WorkerWording.challengeNotSupported
                )
            case .tooLate:
                StepFailure(
                    .refused,
                    "The user answered after Cognito's time limit had passed (AuthSessionValidity of the app client).",
                    text: ChallengeWording.tooLate
                )
            case .refusedInBrowser:
                StepFailure(
                    .refused,
                    "According to the pasted address, the browser sign-in was refused (\(progress.explanation)). "
                        + "See the identity provider's log and the attribute mapping in the pool.",
                    text: WorkerWording.refusedInBrowser)
            case .outOfPlace: StepFailure(.serviceFault, "Cognito's response does not match the request.")
            }
    }

    /// Translates the token endpoint's answer to a code, if it has no tokens.
    init(redeeming error: CognitoError) {
        switch error.kind {
        case .codeMismatch:
            self.init(
                .refused,
                "Cognito did not accept the code from the browser. The code belongs to another prompt, was "
                    + "already used, or is older than five minutes.")
        case .flowNotEnabled, .invalidRequest:
            self.init(
                .managedLogin,
                "Cognito's token endpoint refused the request: the app client must allow the authorization code "
                    + "grant, the scopes in \"managed_login_scopes\" and the address in \"redirect_uri\".",
                text: WorkerWording.managedLogin)
        default:
            self = StepFailure(signIn: error).behindBrowser.adding("Check \"managed_login_domain\".")
        }
    }

    /// The same failure for a sign-in with a code from a browser. Anyone who opens the address can influence the
    /// result, and managed login is another server than the pool's endpoint. So none of its faults means that Cognito
    /// is unavailable, which would permit other passwords.
    var behindBrowser: StepFailure {
        reason.concernsUser ? self : StepFailure(.managedLogin, logText, text: WorkerWording.managedLogin)
    }

    /// The challenge's name as the log can show it.
    private static func name(_ challenge: Challenge?) -> String {
        (challenge?.name ?? "").printableASCII(limit: 64, blanks: false)
    }
}
