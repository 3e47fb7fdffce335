internal import Messages
internal import Tokens

/// Credentials of another system that were made of the session's tokens, and live there until their end, whatever
/// becomes of the session.
package struct MadeCredentials: Equatable, Sendable {
    /// The administrator's name for them.
    package var name: String
    /// When they end, in seconds since the epoch.
    package var end: Int64
}

extension [MadeCredentials] {
    /// Those that have not ended, by their names; nil where there are none.
    func alive(at now: Int64) -> String? {
        let alive = filter { credentials in credentials.end > now }.sorted { left, right in left.name < right.name }
        return alive.isEmpty
            ? nil : alive.map { one in ToolWording.credentialsFor(one.name, one.end - now) }.joined(separator: ", ")
    }

    /// The same for a program.
    func json(at now: Int64) -> JSONValue {
        .array(
            filter { credentials in credentials.end > now }.map { credentials in
                .object([
                    "name": .string(credentials.name), "expires_at": .integer(credentials.end),
                    "expires_in": .integer(credentials.end - now),
                ])
            })
    }
}
