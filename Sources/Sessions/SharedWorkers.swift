import Base
import Protocol

/// Workers that sign-outs of one process share: a worker that has signed a session out also signs out the next one, if
/// that has the same app client and the same way to it.
///
/// A server that takes over a worker sees every token that the worker gets later. So a worker gets a token only when it
/// is that session's turn, signs out 16 sessions at most, and lives for two seconds at most.
package final class SharedWorkers<System: Machine> {
    /// A worker, and what it can be used for.
    struct Shared {
        fileprivate let worker: System.Worker
        fileprivate let path: NetworkPath
        fileprivate let service: [UInt8]
        fileprivate let started: Instant
        fileprivate var signOuts = 1
    }

    private let machine: System
    private var idle: [Shared] = []

    package init(on machine: System) {
        self.machine = machine
    }

    /// Begins a sign-out with a worker that has no other, or else with a new one.
    func begin(
        _ frame: borrowing Frame, by path: NetworkPath, for service: [UInt8], timeLimit: Int64
    ) throws(Fault) -> (step: WorkerStep<System.Worker>, shared: Shared) {
        idle = idle.filter(mayGoOn)
        if let index = idle.firstIndex(where: { shared in shared.path == path && shared.service == service }) {
            var shared = idle.remove(at: index)
            shared.signOuts += 1
            // It may have been killed meanwhile.
            if let step = try? WorkerStep(frame, to: shared.worker, timeLimit: timeLimit) {
                return (step, shared)
            }
        }
        let started = machine.now
        let worker = try machine.startWorker()
        return (
            try WorkerStep(frame, to: worker, timeLimit: timeLimit),
            Shared(worker: worker, path: path, service: service, started: started)
        )
    }

    /// Takes a worker back that has said that the session is signed out.
    func takeBack(_ shared: Shared) {
        if mayGoOn(shared) {
            idle.append(shared)
        }
    }

    private func mayGoOn(_ shared: Shared) -> Bool {
        shared.signOuts < Exchange.mostSignOuts
            && machine.now.milliseconds - shared.started.milliseconds < Exchange.longestSharing
    }
}
