import Base
package import Keyring
import Protocol

/// The pool's own list of a user's sessions.
package enum PoolSessionsAnswer: OperationOutcome {
    /// The sessions, each as the worker wrote it (JSON), and which of them asks; none, where one was ended.
    case found([[UInt8]], own: [UInt8]?)
    case failed(OperationFailure)
}

/// Asks for the pool's own list of a user's sessions with the tokens of one of them.
package struct PoolSessions<System: Machine> {
    private let machine: System

    /// The list, as `machine` can ask for it.
    package init(machine: System) {
        self.machine = machine
    }

    /// Has the sessions listed, or one of them ended.
    ///
    /// - Parameters:
    ///   - key: The session that asks.
    ///   - ended: Which one is to be ended, by its id in the list; nil: none.
    ///   - milliseconds: How long to wait for another process that is at the asking session.
    ///   - mayCall: Whether Cognito may be asked.
    ///   - noting: Gets what the log is to be told of a renewal that it took.
    package func ask(
        _ key: RootKey, ending ended: [UInt8]?, waiting milliseconds: Int32, ifMayCall mayCall: () -> Bool,
        noting: (RenewalNote?) -> Void
    ) -> PoolSessionsAnswer {
        let answer = askOnce(key, ended, milliseconds, mayCall)
        guard case .failed(.kept(.accessTokenExpired, _)) = answer else {
            return answer
        }
        let renewal = SessionRenewal(machine: machine).renew(
            key, minimumLife: .max, asked: machine.now, waiting: milliseconds, ifMayCall: { true }, whenLate: { _ in }
        ).finish()
        switch renewal {
        case .renewed(_, let note):
            noting(note)
            return askOnce(key, ended, milliseconds, { true })
        case .fresh: return askOnce(key, ended, milliseconds, { true })
        case .failed(let failure): return .failed(failure)
        }
    }

    /// Whether the pool keeps such a list, asked with tokens that belong to no session; nil if this is unknown.
    package func areTracked(askingWith key: RootKey) -> Bool? {
        guard let process = RootsProcess(machine), let lock = machine.lock(key, within: 0),
            let entry = machine.readEntry(key)
        else {
            return nil
        }
        do throws(Fault) {
            let limit = machine.networkLimit(entry)
            var request = try machine.stepFrame(.poolSessions, entry, timeLimit: limit)
            request.add(.bundle, entry.bundle)
            let step = try PendingStep(
                try finished(request), limit: limit, about: entry, key, lock, by: process, on: machine)
            defer { step.unlock() }
            guard let answer = try step.result() else {
                return nil
            }
            guard answer.kind == .failed else {
                return answer.kind == .poolSessionList
            }
            return answer.failureReason == .notListed ? false : nil
        } catch {
            return nil
        }
    }

    private func askOnce(
        _ key: RootKey, _ ended: [UInt8]?, _ milliseconds: Int32, _ mayCall: () -> Bool
    ) -> PoolSessionsAnswer {
        machine.beginOperation(key, timeLimit: .max, waiting: milliseconds, ifMayCall: mayCall) {
            entry, limit throws(Fault) in
            var request = try machine.stepFrame(.poolSessions, entry, timeLimit: limit)
            request.add(.bundle, entry.bundle)
            request.add(.poolSession, ifPresent: ended)
            return try finished(request)
        } take: { answer, entry, step throws(Fault) in
            guard answer.kind == .failed else {
                return .found(answer.list(.report), own: answer.bytes(.poolSession))
            }
            let line = logLine(of: answer)
            guard answer.failureReason == .sessionEnded else {
                return .failed(.kept(answer.failureReason, line))
            }
            machine.clear(step.key, &entry, after: answer)
            return .failed(.ended(line))
        }.finish()
    }
}
