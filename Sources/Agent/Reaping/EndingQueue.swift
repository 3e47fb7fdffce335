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

    /// Ends as many sessions as a worker may sign out, as long as one may live.
    ///
    /// - Parameters:
    ///   - next: Waits for the next session, at most so many milliseconds; nil: none came.
    ///   - report: Gets a line for the log; whether it is a fault.
    package func run(next: (Int64) -> KeySerial?, report: (LogLine, Bool) -> Void) {
        let workers = SharedWorkers(on: machine)
        let deadline = machine.now.milliseconds + Exchange.longestSharing
        var mark: EntryLock?
        for _ in 0..<Exchange.mostSignOuts {
            mark = mark ?? machine.lock(.signOuts, within: 0)
            let left = deadline - machine.now.milliseconds
            guard left > 0, let serial = next(left) else {
                break
            }
            _ = HandedOverEnd(machine: machine, sharing: workers).end(serial, report: report)
        }
        withExtendedLifetime(mark) {}
    }
}
