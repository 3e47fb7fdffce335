import Base
package import Keyring
package import Sessions

/// The end of a session whose host did not wait for it.
package struct HandedOverEnd<System: Machine> {
    /// How long the host may go on to have the entry, and Cognito may take for its answer, in milliseconds.
    private static var lockLimit: Int32 { holderPatience }
    private static var patience: Int64 { 30_000 }

    private let machine: System
    private let workers: SharedWorkers<System>?

    /// - Parameter workers: The workers that ends share; nil: this one has its own.
    package init(machine: System, sharing workers: SharedWorkers<System>? = nil) {
        self.machine = machine
        self.workers = workers
    }

    /// Ends the session of an entry that is closing; what that does not reach is left to the reaper, like any other.
    ///
    /// - Parameter report: Gets a line for the log; whether it is a fault.
    /// - Returns: false when the session is not over yet at Cognito.
    package func end(_ serial: KeySerial, report: (LogLine, Bool) -> Void) -> Bool {
        guard let key = machine.entry(at: serial), let entry = machine.readEntry(key) else {
            return true
        }
        // Sessions that end meanwhile are left to an `EndingQueue`.
        let mark = machine.lock(.signOuts, within: 0)
        defer { withExtendedLifetime(mark) {} }
        let who = Candidate.subject(key, entry)
        let why: ByteText = entry.delivered ? "its application has closed it" : "no session followed"
        let ending = SessionEnding(machine: machine, sharing: workers).end(
            key, mode: nil, forLock: Self.lockLimit, waiting: Self.patience,
            onlyIf: { entry in entry.state == .closing })
        ending.tell(of: who, because: why, report: report)
        return switch ending {
        case .left: false
        // Busy: the reaper was here first, or another agent.
        case .done, .busy, .handedOver: true
        }
    }
}
