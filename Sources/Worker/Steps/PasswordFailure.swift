internal import CognitoIdentityProvider
internal import HTTPClient
internal import Messages
internal import Protocol

extension StepFailure {
    /// Translates an operation's failure for a user who is setting a new password.
    ///
    /// - Parameter hasArrived: The request contained the new password: without an answer, it may be set.
    init(settingPassword error: CognitoError, hasArrived: Bool) {
        let failure = StepFailure(signIn: error)
        if hasArrived, error.mayHaveBeenCarriedOut {
            self = failure.unknown
        } else if case .service(let refusal) = error {
            self = Self.refusal(refusal, failure)
        } else {
            self = failure.explained()
        }
    }

    private static func refusal(_ error: ServiceError, _ failure: StepFailure) -> StepFailure {
        switch error.kind {
        case .limitExceeded, .lockedOut:
            StepFailure(
                .lockedOut,
                "Cognito is currently refusing to set passwords or send codes for this user, because there were "
                    + "too many attempts.", text: WorkerWording.passwordChangeLimit
            )
        case .passwordNotResettable:
            StepFailure(
                .passwordChangeNeeded,
                "The user's status in the pool does not allow a password reset: an administrator of the pool "
                    + "must set a new password.", text: WorkerWording.passwordNotResettable
            )
        case .noVerifiedContact:
            StepFailure(
                .passwordChangeNeeded,
                "The user has no verified e-mail address or phone number that could receive a code: an "
                    + "administrator of the pool must verify one, or set a new password.",
                text: WorkerWording.noVerifiedContact
            )
        case .codeNotDelivered:
            StepFailure(.passwordChangeNeeded, delivery(error), text: WorkerWording.codeNotDelivered)
        case .messageLimit:
            StepFailure(.passwordChangeNeeded, delivery(error), text: WorkerWording.messageLimit)
        case .operationNotEnabled: failure.saying(WorkerWording.passwordChangeNotEnabled)
        case .codeMismatch:
            StepFailure(.refused, "The password reset code was wrong.")
        case .codeExpired:
            StepFailure(.refused, "The password reset code had expired, or no code had been sent.")
        default:
            failure.explained()
        }
    }

    private var unknown: StepFailure {
        adding("The password may or may not have been changed.").saying(WorkerWording.passwordChangeUnknown)
    }

    /// The failure with a line for the person: that Cognito cannot be asked, or else `text`.
    func explained(orSaying text: Phrase? = nil) -> StepFailure {
        guard self.text == nil else {
            return self
        }
        return reason.concernsUser ? text.map(saying) ?? self : saying(WorkerWording.passwordChangeUnavailable)
    }
}

extension CognitoError {
    /// Whether Cognito may have done what it was asked for, and its answer was lost, or was none.
    var mayHaveBeenCarriedOut: Bool {
        switch self {
        case .service(let refusal): refusal.kind == .serviceFault
        case .transport(.unresolvable), .transport(.shortage), .transport(.certificate), .transport(.publicKey),
            .transport(.proxy), .transport(.tlsTooOld), .transport(.caFile), .challenge, .local, .outOfTime:
            false
        case .transport, .malformed: true
        }
    }
}
