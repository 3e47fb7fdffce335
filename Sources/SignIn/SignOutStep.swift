internal import CognitoIdentityProvider
internal import Session
internal import WorkerProtocol

/// Ending a session at Cognito. Nobody needs to be listening any more: the step is carried to its end all the same.
struct SignOutStep {
    /// An access token that ends sooner, in seconds, is renewed first: it may have ended when the request arrives.
    static let leastLifetime: Int64 = 30

    private let client: CognitoClient
    private let clock: any Clock
    private let session: Session
    private let revocation: Revocation

    /// - Parameter report: Is told of the first failure, where the step goes on and nobody waits for it any longer.
    init(
        _ frame: borrowing Frame, _ surroundings: StepSurroundings, report: @escaping (StepFailure) -> Void
    ) throws(StepFailure) {
        clock = surroundings.clock
        client = try surroundings.client(for: frame)
        session = try Session(heldIn: frame, of: client.pool)
        client.deviceKey = session.deviceKey
        guard let revocation = frame.code(.revocation).flatMap(Revocation.init) else {
            throw StepFailure(.internalFault, "The sign-out message has a value that this worker does not know.")
        }
        self.revocation = revocation
        switch frame.code(.persistence).flatMap(Persistence.init) ?? .patient {
        case .patient: break
        case .once: client.isPatient = false
        case .unattended: client.onSetback = { error in report(StepFailure(session: error)) }
        }
    }

    func run() throws(StepFailure) -> SignOutOutcome {
        do {
            return try revocation == .global ? signOutEverywhere() : revoke(session.refreshToken)
        } catch {
            throw StepFailure(session: error)
        }
    }

    private func signOutEverywhere() throws(CognitoError) -> SignOutOutcome {
        if session.accessTokenExpiry - clock.seconds() > Self.leastLifetime {
            do {
                try client.globalSignOut(accessToken: session.accessToken)
                return .revoked
            } catch {
                switch error.kind {
                case .accessTokenRevoked, .userNotFound, .userDeleted:
                    return try alsoRevoke(session.refreshToken)
                case .accessTokenExpired, .accessTokenInvalid:
                    break
                default:
                    return try orRevoke(session.refreshToken, after: error)
                }
            }
        }
        return try renewAndSignOutEverywhere()
    }

    private func renewAndSignOutEverywhere() throws(CognitoError) -> SignOutOutcome {
        guard let refreshToken = session.refreshToken else {
            return .expired
        }
        let renewed: AuthenticationResult
        do {
            renewed = try client.refresh(refreshToken, userName: session.userName, .persistent)
        } catch {
            switch error.kind {
            case .refreshTokenRevoked, .userNotFound, .userDeleted: return .alreadyRevoked
            case .refreshTokenExpired: return .expired
            default: return try orRevoke(refreshToken, after: error)
            }
        }
        do {
            try client.globalSignOut(accessToken: renewed.accessToken)
            return .revoked
        } catch {
            switch error.kind {
            case .accessTokenRevoked, .userNotFound, .userDeleted:
                return try alsoRevoke(renewed.refreshToken ?? refreshToken)
            default: return try orRevoke(renewed.refreshToken ?? refreshToken, after: error)
            }
        }
    }

    /// RevokeToken after an answer that the access token was dead before. That says nothing of the refresh token: Cognito revokes
    /// by the second, and a short session that came right after another's end has one that lives.
    private func alsoRevoke(_ refreshToken: String?) throws(CognitoError) -> SignOutOutcome {
        guard let refreshToken else {
            return .alreadyRevoked
        }
        let outcome = try client.outcome(ofRevoking: refreshToken)
        // Cognito says yes to a token that it had revoked before, too.
        return outcome == .revoked ? .alreadyRevoked : outcome
    }

    /// RevokeToken after a refusal of something wider; a failure that passes stays what it is.
    private func orRevoke(_ refreshToken: String?, after error: CognitoError) throws(CognitoError) -> SignOutOutcome {
        guard let kind = error.kind, kind != .throttled, kind != .serviceFault, refreshToken != nil else {
            throw error
        }
        return try revoke(refreshToken)
    }

    private func revoke(_ refreshToken: String?) throws(CognitoError) -> SignOutOutcome {
        guard let refreshToken else {
            throw .local("The session's tokens cannot be revoked: there is no refresh token.")
        }
        return try client.outcome(ofRevoking: refreshToken)
    }
}

extension SignOutOutcome {
    /// What the log should know of it.
    var remark: String? {
        switch self {
        case .notSupported:
            "The app client does not allow RevokeToken, so the refresh token lives until it expires: enable token "
                + "revocation for the app client."
        case .revoked, .alreadyRevoked, .expired: nil
        }
    }
}

extension CognitoClient {
    /// RevokeToken, and what it came to; throws where it may be tried again.
    func outcome(ofRevoking refreshToken: String) throws(CognitoError) -> SignOutOutcome {
        do {
            try revoke(refreshToken: refreshToken)
            return .revoked
        } catch {
            switch error.kind {
            case .refreshTokenRevoked, .userNotFound, .userDeleted: return .alreadyRevoked
            case .refreshTokenExpired, .refreshTokenInvalid: return .expired
            case .operationNotSupported: return .notSupported
            default: throw error
            }
        }
    }
}
