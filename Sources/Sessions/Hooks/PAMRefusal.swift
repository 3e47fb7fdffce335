/// A value that is thrown: all but PAM_SUCCESS. An application's conversation may return anything, even PAM_SUCCESS
/// together with no answer, and no error is a success.
package enum PAMRefusal: Int32, Error, Sendable {
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
    case authenticationTokenAgingDisabled = 23
    case tryAgain = 24
    case ignore = 25
    case abort = 26

    /// The value for a user who gave no answer: what PAM said, unless that would pass the user on to another module.
    var ofUser: PAMRefusal {
        switch self {
        case .ignore, .userUnknown, .authenticationInformationUnavailable: .authenticationError
        default: self
        }
    }
}
