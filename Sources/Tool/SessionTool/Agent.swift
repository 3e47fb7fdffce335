package import Commands

/// The requests to `cognito-agent` that only root can carry out for a session. A session is named by its token key's
/// serial number. Tokens are not sent: new ones arrive in the key.
package protocol Agent {
    /// Has the tokens renewed, unless the access token is still valid for `minimumLife` seconds.
    ///
    /// - Returns: Whether they were; false if another program had just done it.
    func renew(_ key: Int32, minimumLife: Int64) throws(AgentFailure) -> Bool

    /// Has the session's tokens verified as at sign-in: signature, issuer, app client, user, life.
    ///
    /// - Parameter online: Ask Cognito, too, whether it still accepts them.
    func check(_ key: Int32, online: Bool) throws(AgentFailure)
}

/// Why the agent did not do what it was asked.
package enum AgentFailure: Error, Equatable, Sendable {
    case absent
    /// It knows no such session of this person.
    case unknownSession
    /// This process does not prove that it is in the session.
    case notInSession
    /// Cognito permanently refuses the session: it was ended elsewhere, and its tokens are removed here.
    case ended
    /// The tokens do not stand up to verification.
    case invalid
    /// Cognito could not be reached. The tokens are as they were.
    case unreachable
    /// Cognito takes no more requests for the moment.
    case throttled
    /// Cognito failed, or answered nonsense.
    case serviceFault
    /// The newest refresh token never came here: the session cannot be renewed, and its tokens go on until they end.
    case renewalLost
    /// The session's tokens are locked.
    case locked
    /// Too many requests of this person at once.
    case busy
    /// Anything else that went wrong on this machine.
    case fault

    /// The program's exit status.
    package var exitStatus: ExitCode {
        switch self {
        case .absent: .noAgent
        case .unknownSession: .none
        case .ended, .invalid, .renewalLost, .notInSession: .refused
        case .unreachable, .throttled, .serviceFault: .unreachable
        case .locked: .locked
        case .busy, .fault: .fault
        }
    }

    /// The word for it in JSON: the exit status's, where several failures do not have the same.
    package var name: String {
        switch self {
        case .throttled: "throttled"
        case .serviceFault: "service_fault"
        case .renewalLost: "renewal_lost"
        case .busy: "busy"
        case .notInSession: "not_in_session"
        case .absent, .unknownSession, .ended, .invalid, .unreachable, .locked, .fault: exitStatus.name
        }
    }
}
