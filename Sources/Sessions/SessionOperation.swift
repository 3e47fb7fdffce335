package import Base
import Configuration
package import Keyring
package import Protocol

/// An operation on a session that has begun: several may, before the first one is waited for.
package enum SessionOperation<Outcome> {
    /// It is over already.
    case finished(Outcome)
    /// A worker runs, and this process has the session's lock; waits for the result.
    case pending(() -> Outcome)

    /// Waits for the result.
    package func finish() -> Outcome {
        switch self {
        case .finished(let outcome): outcome
        case .pending(let finish): finish()
        }
    }

    /// The same operation, of whose outcome something else is made.
    package func map<Other>(_ transform: @escaping (Outcome) -> Other) -> SessionOperation<Other> {
        switch self {
        case .finished(let outcome): .finished(transform(outcome))
        case .pending(let finish): .pending { transform(finish()) }
        }
    }
}

/// Why an operation that uses the tokens of an open session has no result.
package enum OperationFailure: Error, Equatable {
    /// The tokens are as before; why, and a line for the log.
    case kept(FailureReason, ByteText)
    /// Cognito refused the session permanently. The session's key is gone, and the entry waits to be ended. A line for
    /// the log.
    case ended(ByteText)
    /// There is no such session any more.
    case gone
    /// Another process is at it, and takes too long; or Cognito may not be asked now.
    case busy
}

/// What such an operation may come to.
package protocol OperationOutcome {
    static func failed(_ failure: OperationFailure) -> Self
}

extension Machine {
    /// Begins an operation that uses the tokens of an open session.
    ///
    /// - Parameters:
    ///   - timeLimit: All of the network in milliseconds, where it is less than what the configuration says.
    ///   - milliseconds: How long to wait for another process that is at the same session.
    ///   - isOver: What comes of it without a worker; nil: it takes one.
    ///   - mayCall: Whether Cognito may be asked, once that is needed.
    ///   - whenLate: Is told of an outcome that is one for the time being, when the worker goes on waiting for a late
    ///     answer.
    ///   - request: What a worker is told, that has so many milliseconds.
    ///   - take: Makes the outcome of the worker's last word and of the entry as it is then.
    func beginOperation<Outcome: OperationOutcome>(
        _ key: RootKey,
        timeLimit: Int64,
        waiting milliseconds: Int32,
        isOver: (borrowing RegistryEntry) -> Outcome? = { _ in nil },
        ifMayCall mayCall: () -> Bool,
        whenLate: ((Outcome) -> Void)? = nil,
        request: (borrowing RegistryEntry, Int64) throws(Fault) -> Frame,
        take: @escaping (borrowing Frame, inout RegistryEntry, PendingStep<Self>) throws(Fault) -> Outcome
    ) -> SessionOperation<Outcome> {
        guard let process = RootsProcess(self) else {
            return .finished(
                .failed(
                    .kept(
                        .internalFault,
                        """
                        a program that its user can suspend must contact Cognito through cognito-agent. This is a bug \
                        in pam_cognito; please report it
                        """
                    )))
        }
        guard let lock = lock(key, within: milliseconds) else {
            return .finished(.failed(.busy))
        }
        defer { withExtendedLifetime(lock) {} }
        guard let entry = openEntry(key) else {
            return .finished(.failed(.gone))
        }
        if let outcome = isOver(entry) {
            return .finished(outcome)
        }
        guard mayCall() else {
            return .finished(.failed(.busy))
        }
        do throws(Fault) {
            let limit = min(timeLimit, networkLimit(entry))
            let step = try PendingStep(
                try request(entry, limit), limit: limit, about: entry, key, lock, by: process, on: self)
            return .pending { self.finish(step, whenLate, take) }
        } catch {
            return .finished(.failed(.kept(.internalFault, error.line)))
        }
    }

    private func finish<Outcome: OperationOutcome>(
        _ step: PendingStep<Self>,
        _ whenLate: ((Outcome) -> Void)?,
        _ take: (borrowing Frame, inout RegistryEntry, PendingStep<Self>) throws(Fault) -> Outcome
    ) -> Outcome {
        defer { step.unlock() }
        do throws(Fault) {
            var answer = try step.result()
            if answer?.kind == .late {
                whenLate?(.failed(.kept(.unreachable, lateAnswer)))
                answer = try step.lateResult()
            }
            guard let answer else {
                return .failed(.kept(.unreachable, lateAnswer))
            }
            guard var entry = openEntry(step.key) else {
                return .failed(.gone)
            }
            return try take(answer, &entry, step)
        } catch {
            return .failed(.kept(.internalFault, error.line))
        }
    }

    /// Enters that the user of an open session was signed out at that moment; its own end is noticed later.
    package func noteSignedOut(_ key: RootKey, of userPoolID: [UInt8], before moment: Instant) {
        _ = withEntry(key, lockedWithin: 5000) { entry in
            guard entry.isOpen, entry.userPoolID == userPoolID, entry.created <= moment else {
                return
            }
            entry.isSignedOut = true
            try? write(key, &entry)
        }
    }

    /// Removes a session that Cognito has permanently refused: the token key immediately; the entry after the rest has
    /// been revoked.
    ///
    /// - Parameter refusal: The worker's message.
    func clear(_ key: RootKey, _ entry: inout RegistryEntry, after refusal: borrowing Frame) {
        entry.wasRevoked = refusal.code(.revoked) == 1
        entry.ranOut = refusal.code(.ranOut) == 1
        clear(key, &entry)
    }

    /// The same, where nothing more is known of it.
    func clear(_ key: RootKey, _ entry: inout RegistryEntry) {
        destroyTokens(entry.tokenKey, of: key)
        entry.state = .closing
        entry.signOut = .session
        try? write(key, &entry)
        if entry.isShared {
            try? shareNewest(of: entry.user)
        }
        runHooks(SignOutNotice(user: entry.user, reason: entry.refusalReason))
    }
}

/// How much longer than its time a worker waits for tokens that Cognito may have issued, in milliseconds.
package var lateAnswerPatience: Int64 { 20_000 }

/// What the log says of an answer that did not come.
var lateAnswer: ByteText { "Cognito did not answer in time" }

extension Frame {
    /// Why the worker gave up. One that only a newer worker knows is a fault of this machine's.
    var failureReason: FailureReason {
        code(.reason, FailureReason.self) ?? .internalFault
    }
}
