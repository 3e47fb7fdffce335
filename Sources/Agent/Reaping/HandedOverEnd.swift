import Base
package import Keyring
package import Sessions

/// How long Cognito may take for its answer, in milliseconds.
private let patience: Int64 = 30_000

extension Machine {
    /// Ends a session whose application did not wait for it: that of an entry that is closing. What this does not reach
    /// is left to the reaper, like any other.
    ///
    /// - Parameters:
    ///   - workers: The workers that ends share; nil: this one has its own.
    ///   - report: Gets a line for the log; whether it is a fault.
    /// - Returns: false when the session is not over yet at Cognito.
    package func endHandedOver(
        _ serial: KeySerial, sharing workers: SharedWorkers<Self>? = nil, report: (LogLine, Bool) -> Void
    ) -> Bool {
        guard let key = entry(at: serial), let entry = readEntry(key) else {
            return true
        }
        // Sessions that end meanwhile are left to an `EndingQueue`.
        let mark = lock(.signOuts, within: 0)
        defer { withExtendedLifetime(mark) {} }
        let who = Candidate.subject(key, entry)
        let why: ByteText =
            entry.delivered ? "the PAM application has closed the session" : "no session was opened after the sign-in"
        let ending = SessionEnding(machine: self, sharing: workers).end(
            key, mode: nil, forLock: holderPatience, waiting: patience,
            onlyIf: { entry in entry.state == .closing })
        ending.tell(of: who, because: why, report: report)
        return switch ending {
        case .left: false
        // Busy: the reaper was here first, or another agent.
        case .done, .busy, .handedOver: true
        }
    }
}
