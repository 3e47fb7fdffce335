package import Protocol

/// What a hook returns to PAM: the values of `<security/_pam_types.h>`, which a test compares.
package enum ReturnValue: Int32, Sendable {
    case success = 0
    case systemError = 4
    case permissionDenied = 6
    case authenticationError = 7
    case authenticationInformationUnavailable = 9
    case userUnknown = 10
    case tooManyTries = 11
    case sessionError = 14
    case credentialsUnavailable = 15
    case conversationError = 19
    case authenticationTokenError = 20
    case authenticationTokenRecoveryError = 21
    /// "Authentication token aging disabled": for the account lines of the shipped stacks.
    case authenticationTokenAgingDisabled = 23
    case tryAgain = 24
    case ignore = 25
    case abort = 26

    /// The value that a refusal has.
    package init(_ refusal: PAMRefusal) {
        self = ReturnValue(rawValue: refusal.rawValue) ?? .systemError
    }
}

extension FailureReason {
    /// The result of a sign-in that failed for this reason.
    ///
    /// A refusal of the user never falls through to another module. Every other fault does, so that it locks out no
    /// user.
    package var refusal: PAMRefusal {
        switch self {
        case .refused: .authenticationError
        case .lockedOut: .tooManyTries
        case .disabled, .notConfirmed, .passwordChangeNeeded, .challengeNotSupported, .refusedByPool, .otherIdentity,
            .noNewPassword, .levelNotReached, .operationNotEnabled, .managedLogin:
            .permissionDenied
        case .invalidTokens, .unreachable, .throttled, .serviceFault, .configuration, .internalFault, .sessionEnded,
            .accessTokenExpired, .renewalLost, .notListed, .credentialRefused:
            .authenticationInformationUnavailable
        }
    }

    /// The word in the log, for a monitor to count.
    package var name: StaticString {
        switch self {
        case .refused: "refused"
        case .lockedOut: "locked_out"
        case .disabled: "disabled"
        case .notConfirmed: "not_confirmed"
        case .passwordChangeNeeded: "password_change_needed"
        case .challengeNotSupported: "challenge_not_supported"
        case .refusedByPool: "refused_by_pool"
        case .otherIdentity: "other_identity"
        case .invalidTokens: "invalid_tokens"
        case .unreachable: "unreachable"
        case .throttled: "throttled"
        case .serviceFault: "service_fault"
        case .configuration: "configuration"
        case .internalFault: "internal_fault"
        case .sessionEnded: "session_ended"
        case .accessTokenExpired: "access_token_expired"
        case .noNewPassword: "no_new_password"
        case .renewalLost: "renewal_lost"
        case .notListed: "not_listed"
        case .credentialRefused: "credential_refused"
        case .levelNotReached: "level_not_reached"
        case .operationNotEnabled: "operation_not_enabled"
        case .managedLogin: "managed_login"
        }
    }
}
