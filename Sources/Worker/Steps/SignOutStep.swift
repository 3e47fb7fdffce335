internal import CognitoIdentityProvider
internal import Protocol
internal import Tokens

/// The result of a sign-out, and a sentence for the log.
struct SignOutStepResult {
    let result: SignOutResult
    let remark: String?
}

/// Ends a session at Cognito. The step continues to its end even if the root side is gone.
struct SignOutStep {
    /// An access token that ends sooner, in seconds, is renewed first: it may have ended when the request arrives.
    static let leastLifetime: Int64 = 30

    private let client: CognitoClient
    private let clock: any Clock
    private let session: Session
    private let revocation: Revocation
    /// The time limit of a global sign-out in milliseconds. It is less than the whole time if no program waits for the
    /// result.
    private let widerTimeLimit: Int64

    /// - Parameter report: Called with the first failure if the step continues and no program waits for it any more.
    init(
        _ frame: borrowing Frame, _ surroundings: StepSurroundings, report: @escaping (StepFailure) -> Void
    ) throws(StepFailure) {
        clock = surroundings.clock
        client = try surroundings.client(for: frame)
        client.asksFirstOnly = true
        session = try Session(from: frame, of: client.pool)
        client.deviceKey = session.deviceKey
        guard let revocation = frame.code(.revocation, Revocation.self) else {
            throw StepFailure(.internalFault, "The calling program's sign-out message contains an unknown value.")
        }
        self.revocation = revocation
        let persistence = frame.code(.persistence, Persistence.self) ?? .patient
        widerTimeLimit = persistence == .once ? client.timeLeft : 10_000
        switch persistence {
        case .patient: break
        case .once: client.isPatient = false
        case .unattended:
            client.onSetback = { [client] error in
                report(StepFailure(session: error).adding(client.signOutRemark(error)))
            }
        }
    }

    func run() throws(StepFailure) -> SignOutStepResult {
        do {
            return try revocation == .global ? signOutEverywhere() : endSession()
        } catch {
            throw StepFailure(session: error).adding(client.signOutRemark(error))
        }
    }

    /// The result of one attempt at a global sign-out.
    private enum GlobalSignOutAttempt {
        case over(SignOutStepResult)
        /// It failed; with the session's current refresh token, and whether only this process knows that token.
        case failed(CognitoError, WiderRequest, refreshToken: SecretValue?, isNew: Bool = false)
    }

    /// Makes one attempt, soon: a later one would also sign out a user who has signed in since. The root side checks
    /// that before it asks for another attempt.
    private func signOutEverywhere() throws(CognitoError) -> SignOutStepResult {
        switch try client.once(within: widerTimeLimit, attemptEverywhere) {
        case .over(let report): return report
        case .failed(let error, let request, let refreshToken, let isNew):
            return try endSession(refreshToken, since: request, failed: error, atOnce: isNew)
        }
    }

    private func attemptEverywhere() throws(CognitoError) -> GlobalSignOutAttempt {
        var wasRevoked = false
        if session.accessTokenExpiry - clock.seconds() > Self.leastLifetime {
            do {
                try client.globalSignOut(accessToken: session.accessToken)
                return .over(SignOutStepResult(result: .everywhere, remark: nil))
            } catch {
                switch error.kind {
                // Cognito revokes by the second, and that says nothing of the refresh token.
                case .accessTokenExpired, .accessTokenInvalid, .accessTokenRevoked:
                    wasRevoked = error.kind == .accessTokenRevoked
                default: return .failed(error, .globalSignOut, refreshToken: session.refreshToken)
                }
            }
        }
        guard let refreshToken = session.refreshToken else {
            return .over(SignOutStepResult(result: .onlySession(wasRevoked ? .alreadyRevoked : .expired), remark: nil))
        }
        return attemptAfterRenewal(refreshToken, isNew: false, mayWait: true)
    }

    private func attemptAfterRenewal(_ old: SecretValue, isNew wasNew: Bool, mayWait: Bool) -> GlobalSignOutAttempt {
        let renewed: AuthenticationResult
        do {
            renewed = try client.refresh(old, userName: session.userName)
        } catch {
            switch error.kind {
            case .refreshTokenRevoked:
                return .over(SignOutStepResult(result: .onlySession(.alreadyRevoked), remark: nil))
            case .refreshTokenExpired: return .over(SignOutStepResult(result: .onlySession(.expired), remark: nil))
            case .userNotFound, .userDeleted:
                return .over(SignOutStepResult(result: .onlySession(.userGone), remark: nil))
            default: return .failed(error, .renewal, refreshToken: old, isNew: wasNew)
            }
        }
        let refreshToken = renewed.refreshToken ?? old
        let isNew = wasNew || renewed.refreshToken != nil
        do {
            try client.globalSignOut(accessToken: renewed.accessToken)
            return .over(SignOutStepResult(result: .everywhere, remark: nil))
        } catch {
            // The token was revoked in the same second as others. A token of the next second is not affected.
            guard mayWait, error.kind == .accessTokenRevoked, client.pause(milliseconds: 1100) else {
                return .failed(error, .globalSignOut, refreshToken: refreshToken, isNew: isNew)
            }
            return attemptAfterRenewal(refreshToken, isNew: isNew, mayWait: false)
        }
    }

    /// Calls RevokeToken after a refusal of a wider request, which is reported. A temporary failure stays one.
    ///
    /// - Parameter atOnce: Also after a temporary failure, because this token could not be revoked later.
    private func endSession(
        _ refreshToken: SecretValue?, since request: WiderRequest, failed error: CognitoError, atOnce: Bool
    ) throws(CognitoError) -> SignOutStepResult {
        let refusal = error.kind.flatMap { kind in Shortfall(kind, of: request) }
        guard let shortfall = refusal ?? (atOnce ? .notCarriedOut : nil) else {
            throw error
        }
        guard let refreshToken else {
            guard shortfall == .userGone else {
                throw error
            }
            return SignOutStepResult(result: .onlySession(shortfall), remark: nil)
        }
        let isSupported = try client.result(ofRevoking: refreshToken) != .nothing(nil)
        let result: SignOutResult = isSupported ? .onlySession(shortfall) : .nothing(shortfall)
        return SignOutStepResult(result: result, remark: result.remark(error, of: request))
    }

    /// RevokeToken, where nothing wider was asked for.
    private func endSession() throws(CognitoError) -> SignOutStepResult {
        guard let refreshToken = session.refreshToken else {
            throw .local("The session's tokens cannot be revoked, because there is no refresh token.")
        }
        let result = try client.result(ofRevoking: refreshToken)
        return SignOutStepResult(result: result, remark: result.advice)
    }
}

/// A request that ends more than one session.
enum WiderRequest: String {
    case globalSignOut = "GlobalSignOut"
    /// GetTokensFromRefreshToken or REFRESH_TOKEN_AUTH, for an access token to sign out with.
    case renewal = "the renewal that GlobalSignOut requires"
}

extension Shortfall {
    /// Translates a refusal of `request`; nil if a later attempt may succeed.
    fileprivate init?(_ kind: ServiceErrorKind, of request: WiderRequest) {
        switch kind {
        case .throttled, .serviceFault, .concurrentModification: return nil
        case .userNotFound, .userDeleted: self = .userGone
        case .passwordResetRequired: self = .passwordResetRequired
        case .notConfirmed: self = .notConfirmed
        case .disabled: self = .disabled
        case .accessTokenScope: self = .scope
        case .refusedByFirewall: self = .firewall
        case .clientNotFound, .clientSecret, .invalidRequest, .flowNotEnabled, .poolConfiguration,
            .operationNotSupported, .operationNotEnabled:
            self = .configuration
        default: self = request == .renewal ? .notRenewed : .refused
        }
    }
}

extension SignOutResult {
    /// Returns a sentence for the log if `request` failed, so that less was signed out than requested.
    fileprivate func remark(_ error: CognitoError, of request: WiderRequest) -> String? {
        // Nothing is wrong with a session whose user is gone.
        guard shortfall != .userGone else {
            return nil
        }
        let failed: String
        if case .service(let refusal) = error {
            let words = refusal.cleanedMessage
            failed = "Cognito refused \(request.rawValue) (\(refusal.name)\(words.isEmpty ? "" : ": \(words)"))"
        } else {
            failed = "Cognito did not respond to \(request.rawValue)"
        }
        return "\(failed)\(advice.map { advice in ". \(advice)" } ?? ": the user's other sessions stay signed in.")"
    }

    /// A sentence for the log.
    var advice: String? {
        guard case .nothing = self else {
            return nil
        }
        return """
            The app client does not allow RevokeToken, so the refresh token stays valid until it expires: enable \
            token revocation for the app client.
            """
    }
}

extension CognitoClient {
    /// RevokeToken, and what it came to; throws where it may be tried again.
    func result(ofRevoking refreshToken: SecretValue) throws(CognitoError) -> SignOutResult {
        do {
            try revoke(refreshToken: refreshToken)
            return .revoked
        } catch {
            switch error.kind {
            case .refreshTokenRevoked, .userNotFound, .userDeleted: return .alreadyRevoked
            case .refreshTokenExpired, .refreshTokenInvalid: return .expired
            // Others of that kind, of a region or a replica that does not offer it, may pass.
            case .operationNotSupported where error.saysUnsupported: return .nothing(nil)
            default: throw error
            }
        }
    }
}

extension CognitoError {
    /// Whether this, in answer to RevokeToken, says that the app client does not allow it.
    var saysUnsupported: Bool {
        if case .service(let refusal) = self { refusal.name == "UnsupportedOperationException" } else { false }
    }
}
