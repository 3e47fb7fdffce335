import Protocol

/// What a step with a person is for: it decides what a failure is called, and what PAM is told.
enum Purpose {
    case signIn
    case passwordChange
    case passwordRecovery

    /// How a failure's line in the log begins.
    var failure: AuditEventName {
        switch self {
        case .signIn: .authenticationFailure
        case .passwordChange: .passwordChangeFailure
        case .passwordRecovery: .passwordRecoveryFailure
        }
    }

    /// How the line in the log begins that comes before Cognito is asked.
    var attempt: AuditEventName {
        switch self {
        case .signIn: .authenticationAttempt
        case .passwordChange: .passwordChangeAttempt
        case .passwordRecovery: .passwordRecoveryAttempt
        }
    }

    /// What a fault that is not the person's returns.
    var fault: PAMRefusal {
        switch self {
        case .signIn: .authenticationInformationUnavailable
        case .passwordChange, .passwordRecovery: .authenticationTokenRecoveryError
        }
    }

    func refusal(_ reason: FailureReason) -> PAMRefusal {
        switch self {
        case .signIn: reason.refusal
        case .passwordChange, .passwordRecovery: reason.passwordRefusal
        }
    }

    /// What a step returns whose user gave no answer.
    func unanswered(_ refusal: PAMRefusal) -> PAMRefusal {
        switch self {
        case .signIn: refusal.ofUser
        case .passwordChange, .passwordRecovery: .authenticationTokenError
        }
    }
}
