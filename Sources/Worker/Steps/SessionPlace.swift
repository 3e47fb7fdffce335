internal import CognitoIdentityProvider
internal import Tokens

extension CognitoClient {
    /// How far the clocks of this machine and of Cognito may differ, in seconds, as far as a sign-in allows.
    private static var clockDifference: Int64 { 300 }

    /// See `Field.sessionPlace`; nil where Cognito does not say.
    ///
    /// - Parameter lastUsed: When the session was used whose place is wanted; nil: it is the one that `accessToken` is
    ///   of.
    func place(of accessToken: SecretValue, lastUsed: Int64?) -> Int64? {
        let sessions: [TrackedSession]
        do {
            sessions = try self.sessions(accessToken: accessToken)
        } catch {
            switch error.kind {
            case .invalidRequest, .flowNotEnabled, .operationNotSupported: return 0
            default: return nil
            }
        }
        if let lastUsed {
            return 1 + Int64(sessions.count { session in session.lastActive < lastUsed - Self.clockDifference })
        }
        // A new session is listed after some seconds only: until then all others were used before.
        let own = sessions.first(where: \.isCurrent)?.lastActive ?? .max
        return 1 + Int64(sessions.count { session in !session.isCurrent && session.lastActive < own })
    }
}
