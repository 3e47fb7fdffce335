import Base
import Protocol

/// A worker that is asked to revoke the tokens of a session, and how long it is waited for.
struct SignOutAttempt<System: Machine> {
    enum Answer {
        case over(SignOutResult, remark: ByteText)
        case failed(FailureReason, ByteText)
        case late
    }

    /// The time limit of a worker that is not waited for, in milliseconds.
    private static var workerLimit: Int64 { 30_000 }

    private(set) var reach: SignOutReach
    let persistence: Persistence
    let deadline: Instant
    /// How often it was asked again.
    private(set) var repetitions: Int64 = 0
    private var step: WorkerStep<System.Worker>
    private let workers: SharedWorkers<System>?
    private var shared: SharedWorkers<System>.Shared?

    /// Begins with a worker, while the entry is locked.
    ///
    /// - Parameters:
    ///   - milliseconds: How long it is waited for.
    ///   - timeLimit: All of its network in milliseconds; nil: as `persistence` has it.
    ///   - workers: The workers that it may share with others; nil: it has its own.
    init(
        of entry: borrowing RegistryEntry, _ reach: SignOutReach, within milliseconds: Int64,
        trying persistence: Persistence, timeLimit: Int64? = nil, sharing workers: SharedWorkers<System>? = nil,
        by _: RootsProcess, on machine: System
    ) throws(Fault) {
        self.reach = reach
        self.persistence = persistence
        self.workers = workers
        let limit = timeLimit ?? (persistence == .once ? milliseconds : Self.workerLimit)
        (step, shared) = try Self.step(entry, reach, limit, milliseconds, persistence, workers, machine)
        deadline = Instant(milliseconds: machine.now.milliseconds + milliseconds)
    }

    /// Starts another worker, for the time that is left.
    mutating func `repeat`(
        of entry: borrowing RegistryEntry, _ reach: SignOutReach, on machine: System
    ) throws(Fault) {
        repetitions += 1
        (step, shared) = try Self.step(
            entry, reach, Self.workerLimit, deadline.milliseconds - machine.now.milliseconds, .patient, nil, machine)
        self.reach = reach
    }

    private static func step(
        _ entry: borrowing RegistryEntry, _ reach: SignOutReach, _ timeLimit: Int64, _ milliseconds: Int64,
        _ persistence: Persistence, _ workers: SharedWorkers<System>?, _ machine: System
    ) throws(Fault) -> (WorkerStep<System.Worker>, SharedWorkers<System>.Shared?) {
        let today = machine.todaysSettings(of: entry)
        let path = machine.networkPath(of: entry, today)
        var request = try machine.stepFrame(.signOut, entry, by: path, today, timeLimit: timeLimit)
        request.add(.bundle, entry.bundle)
        request.add(.revocation, reach.revocation)
        request.add(.tellsReach, true)
        request.add(.persistence, persistence == .patient ? nil : persistence)
        if workers != nil {
            request.add(.keepsConnection, true)
        }
        let frame = try finished(request)
        guard let workers else {
            return (try WorkerStep(frame, to: try machine.startWorker(), timeLimit: milliseconds), nil)
        }
        return try workers.begin(frame, by: path, for: entry.service, timeLimit: milliseconds)
    }

    /// Waits for the answer. A worker that is late goes on by itself.
    mutating func answer(on machine: System) throws(Fault) -> Answer {
        step.limit(to: deadline.milliseconds - machine.now.milliseconds)
        guard let answer = try step.receive(by: { machine.now }) else {
            return .late
        }
        guard answer.kind == .signedOut, let result = SignOutResult(answer) else {
            return .failed(answer.failureReason, logLine(of: answer))
        }
        if let shared {
            workers?.takeBack(shared)
        }
        return .over(result, remark: logLine(of: answer))
    }

    /// Waits for the answer. A sign-out that is not known to be done must not be done later unnoticed, so a worker that
    /// is late, or cannot be heard, is ended.
    mutating func answerNow(on machine: System) throws(Fault) -> Answer {
        do throws(Fault) {
            let answer = try answer(on: machine)
            if case .late = answer {
                step.kill()
            }
            return answer
        } catch {
            step.kill()
            throw error
        }
    }
}
