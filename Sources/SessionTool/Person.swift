package import Encodings
internal import Session

/// What `whoami` says.
package struct Person: Sendable {
    private let session: Session
    /// What scripts go by.
    package let exitCode: ExitCode

    /// The person of a session; `now` in seconds since the epoch.
    package init(_ situation: Situation, at now: Int64) throws(Refusal) {
        session = try TokenRequest.session(situation).0
        exitCode = situation.exitCode(at: now)
    }

    /// The name in the pool.
    package var text: String {
        printable(session.userName)
    }

    /// The person as one JSON object.
    package var json: JSONValue {
        .object(session.person.merging(["exit_status": .integer(Int64(exitCode.rawValue))]) { _, new in new })
    }
}
