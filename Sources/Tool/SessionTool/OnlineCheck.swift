internal import Messages
internal import Protocol
internal import Tokens

/// Cognito's verdict on a session.
package enum OnlineStatus: Equatable, Sendable {
    /// It accepts the session's tokens.
    case accepted
    /// It does not, or could not be asked.
    case unknown(AgentFault)
}

/// Asking Cognito whether the session still stands.
package struct OnlineCheck: Sendable {
    /// An access token that ends sooner, in seconds, is renewed instead: Cognito's answer to that says the same.
    static let leastLife: Int64 = 30

    /// The session, as it was after Cognito had been asked.
    package let status: SessionStatus
    /// Cognito's verdict; nil if it was not asked.
    package let onlineStatus: OnlineStatus?

    /// Looks at the session, and asks if that is `wanted` and there is one.
    package init(
        _ wanted: Bool, of status: () -> SessionStatus, by agent: some Agent, at now: () -> Int64
    ) {
        let before = status()
        guard wanted, case .session(let session, let place) = before.finding else {
            self.status = before
            onlineStatus = nil
            return
        }
        do throws(AgentFault) {
            if session.accessTokenExpiry - now() > Self.leastLife {
                try agent.check(place.key, online: true)
            } else {
                _ = try agent.renew(place.key, minimumLife: Self.leastLife + TokenRequest.margin)
            }
            onlineStatus = .accepted
        } catch {
            onlineStatus = .unknown(error)
        }
        var after = status()
        // What was there a moment ago was removed for this answer, whatever the surroundings may suggest.
        if case .absent(let absence) = after.finding, absence.meansNothingIsHere,
            case .unknown(.refused(.endedElsewhere, _))? = onlineStatus
        {
            after.finding = .absent(.vanished)
        }
        self.status = after
    }
}
