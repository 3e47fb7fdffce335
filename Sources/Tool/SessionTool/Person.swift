package import Commands
package import Tokens

package struct Person: Sendable {
    private let session: Session
    /// For scripts.
    package let exitCode: ExitCode
    private let complaint: String?

    /// The person of a session; `now` in seconds since the epoch.
    package init(_ status: SessionStatus, at now: Int64) throws(Refusal) {
        session = try TokenRequest.session(status).0
        exitCode = status.exitCode(at: now)
        complaint = status.complaint(at: now)
    }

    /// The name in the pool.
    package var text: String {
        printable(session.userName)
    }

    /// The person as one JSON object.
    package var json: JSONValue {
        answerObject(exitCode, complaint, session.person)
    }
}
