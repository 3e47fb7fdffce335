import Base
package import Keyring
import Protocol
package import Sessions

/// Ends sessions, one after the other, that PAM applications have closed at about the same time: their sign-outs share
/// a worker and its connection.
package struct EndingQueue<System: Machine> {
    private let machine: System

    package init(machine: System) {
        self.machine = machine
    }

    /// What a wait for the next session came to.
    package enum Next {
        case session(KeySerial)
        case timedOut
        /// No session will come any more.
        case closed
    }

    /// How long a queue waits for a session until it checks whether another process still has the lock of sign-outs, in
    /// milliseconds. While no process has that lock, each closed session starts a process of its own.
    private static var lockInterval: Int64 { 20 }

    /// Ends as many sessions as a worker may sign out, as long as one may live.
    ///
    /// - Parameters:
    ///   - next: Waits for the next session, at most so many milliseconds.
    ///   - report: Gets a line for the log; whether it is a fault.
    /// - Returns: Whether more sessions may come.
    @discardableResult
    package func run(next: (Int64) -> Next, report: (LogLine, Bool) -> Void) -> Bool {
        let workers = SharedWorkers(on: machine)
        let deadline = machine.now.milliseconds + Exchange.longestSharing
        var mark: EntryLock?
        defer { withExtendedLifetime(mark) {} }
        var signOuts = 0
        while signOuts < Exchange.mostSignOuts {
            mark = mark ?? machine.lock(.signOuts, within: 0)
            let left = deadline - machine.now.milliseconds
            guard left > 0 else {
                break
            }
            switch next(mark == nil ? min(left, Self.lockInterval) : left) {
            case .session(let serial):
                signOuts += 1
                _ = machine.endHandedOver(serial, sharing: workers, report: report)
            case .timedOut: break
            case .closed: return false
            }
        }
        return true
    }
}
