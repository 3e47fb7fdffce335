package import Commands
internal import Messages
package import Tokens

/// New tokens for the session, whatever is left of the old ones.
package struct Refreshment: Equatable, Sendable {
    /// More than any token lives, in seconds: 100 years.
    private static let anyLife: Int64 = 100 * 365 * 86_400

    /// When the access token ends now, in seconds since the epoch.
    package var expiry: Int64

    /// Has the session renewed.
    ///
    /// - Parameter status: Looks at the session as it is now.
    package init(of status: () -> SessionStatus, by agent: some Agent) throws(Refusal) {
        let (_, place) = try TokenRequest.session(status())
        do throws(AgentFault) {
            _ = try agent.renew(place.key, minimumLife: Self.anyLife)
        } catch {
            throw Refusal(error)
        }
        expiry = try TokenRequest.session(status()).0.accessTokenExpiry
    }

    /// For a person.
    package func text(at now: Int64) -> String {
        ToolWording.renewed(ToolWording.duration(max(0, expiry - now)))
    }

    /// The same as one JSON object.
    package func json(at now: Int64) -> JSONValue {
        answerObject(
            .valid, nil, ["expires_at": .integer(expiry), "expires_in": .integer(max(0, expiry - now))])
    }
}
