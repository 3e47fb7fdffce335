/// What a sign-out has reached at Cognito. Nothing that is less than what was asked for carries its name.
package enum SignOutResult: Equatable, Sendable {
    /// Every session of the person is over, on all machines and in all of the pool's applications.
    case everywhere
    /// This session is over, as was asked for: Cognito has revoked its tokens.
    case revoked
    /// The same; Cognito had revoked them before, or the user is gone.
    case alreadyRevoked
    /// The same; they have expired by themselves.
    case expired
    /// This session is over, and more was asked for. Others of the person may go on.
    case onlySession(Shortfall)
    /// Nothing is over: the app client does not allow RevokeToken, and the refresh token lives until it expires. Why it
    /// was not ended in a wider way, where that was asked for.
    case nothing(Shortfall?)

    /// Why less was reached than was asked for; nil where it was not, or nothing wider was asked for.
    package var shortfall: Shortfall? {
        switch self {
        case .everywhere, .revoked, .alreadyRevoked, .expired: nil
        case .onlySession(let shortfall): shortfall
        case .nothing(let shortfall): shortfall
        }
    }
}

/// Why a sign-out did not reach as far as it was meant to. A closed set, for programs to go by.
package enum Shortfall: UInt8, Sendable, CaseIterable {
    /// The session had already ended in Cognito, so other sessions could not be ended.
    case alreadyRevoked = 1
    /// The session's tokens had expired, so other sessions could not be ended.
    case expired = 2
    /// The user no longer exists.
    case userGone = 3
    /// The user must set a new password first.
    case passwordResetRequired = 4
    /// The user was never confirmed in the pool.
    case notConfirmed = 5
    /// The user is disabled in the pool.
    case disabled = 6
    /// The access token lacks the scope `aws.cognito.signin.user.admin`.
    case scope = 7
    /// The pool's firewall blocked the request.
    case firewall = 8
    /// The pool or app client has changed, or Cognito does not accept the request.
    case configuration = 9
    /// Cognito refused the request for another reason.
    case refused = 10
    /// The access token had expired, and Cognito refused to renew it.
    case notRenewed = 11
    /// The user has signed in on this machine again. No global sign-out was requested, because it would have ended the
    /// new session.
    case newerSession = 12
    /// The global sign-out failed temporarily, but the session's tokens had to be revoked immediately.
    case notCarriedOut = 13
    /// No global sign-out was requested, because it is unknown whether the user has other sessions on this machine.
    case othersUnknown = 14
}

extension Shortfall {
    /// The word for programs, in the log and elsewhere.
    package var name: StaticString {
        switch self {
        case .alreadyRevoked: "already_revoked"
        case .expired: "expired"
        case .userGone: "user_gone"
        case .passwordResetRequired: "password_reset_required"
        case .notConfirmed: "not_confirmed"
        case .disabled: "disabled"
        case .scope: "scope"
        case .firewall: "firewall"
        case .configuration: "configuration"
        case .refused: "refused"
        case .notRenewed: "not_renewed"
        case .newerSession: "newer_session"
        case .notCarriedOut: "not_carried_out"
        case .othersUnknown: "others_unknown"
        }
    }
}

/// How far a sign-out has reached, as messages have it.
private enum Reach: UInt8 {
    /// All sessions of the user.
    case everywhere = 1
    /// Only this session.
    case session = 2
    /// No session. The tokens stay valid until they expire.
    case nothing = 3
}

extension SignOutResult {
    /// The result without how far it reached: never that what was asked for is done where it is not.
    package var outcome: SignOutOutcome {
        switch self {
        case .everywhere, .revoked: .revoked
        case .expired, .onlySession(.expired): .expired
        case .alreadyRevoked, .onlySession: .alreadyRevoked
        case .nothing: .notSupported
        }
    }

    fileprivate var reach: Reach {
        switch self {
        case .everywhere: .everywhere
        case .revoked, .alreadyRevoked, .expired, .onlySession: .session
        case .nothing: .nothing
        }
    }

    /// The result that `frame` tells; nil where it is none.
    package init?(_ frame: borrowing Frame) {
        let shortfall = frame.code(.shortfall).map { code in Shortfall(rawValue: code) ?? .refused }
        guard let outcome = frame.code(.outcome, SignOutOutcome.self) else {
            return nil
        }
        switch (frame.code(.reach, Reach.self), shortfall, outcome) {
        case (.everywhere?, nil, .revoked): self = .everywhere
        case (.session?, let shortfall?, _): self = .onlySession(shortfall)
        case (.session?, nil, .revoked): self = .revoked
        case (.session?, nil, .alreadyRevoked): self = .alreadyRevoked
        case (.session?, nil, .expired): self = .expired
        case (.nothing?, let shortfall, .notSupported): self = .nothing(shortfall)
        default: return nil
        }
    }
}

extension FrameWriter {
    /// Adds what a sign-out has reached.
    package mutating func add(_ result: SignOutResult) {
        add(.outcome, result.outcome)
        add(.reach, result.reach)
        add(.shortfall, result.shortfall)
    }
}
