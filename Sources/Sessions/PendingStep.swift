import Base
import Keyring
import Protocol

/// A worker's step about a session. No other process has that session until it is unlocked.
final class PendingStep<System: Machine> {
    let key: RootKey
    private let machine: System
    private let userPoolID: [UInt8]
    private let deadline: Instant
    private var lock: EntryLock?
    private var step: WorkerStep<System.Worker>

    /// Starts a worker with `frame`, which leaves it `limit` milliseconds for all of the network.
    init(
        _ frame: borrowing Frame, limit: Int64, about entry: borrowing RegistryEntry, _ key: RootKey, _ lock: EntryLock,
        by _: RootsProcess, on machine: System
    ) throws(Fault) {
        // A little more than the worker has, so that it can say what happened.
        let patience = limit + 1000
        step = try WorkerStep(frame, to: try machine.startWorker(), timeLimit: patience)
        deadline = Instant(milliseconds: machine.now.milliseconds + patience)
        userPoolID = entry.userPoolID
        self.key = key
        self.lock = lock
        self.machine = machine
    }

    /// Waits for the worker's result; nil: its time is over.
    func result() throws(Fault) -> Frame? {
        // Others may have been waited for meanwhile.
        step.limit(to: deadline.milliseconds - machine.now.milliseconds)
        return try step.result(ofPool: userPoolID, on: machine)
    }

    /// Waits for what follows a `late`.
    func lateResult() throws(Fault) -> Frame? {
        step.extend(to: lateAnswerPatience + 1000)
        return try step.result(ofPool: userPoolID, on: machine)
    }

    func send(_ frame: borrowing Frame) throws(Fault) {
        try step.send(frame)
    }

    /// Unlocks the session. To continue with it, lock it again.
    func unlock() {
        lock = nil
    }
}
