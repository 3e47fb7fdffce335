package import ByteText
import Configuration
package import KernelKeyring
package import LinuxProcess
import SecretMemory
package import WorkerProtocol

/// What became of a renewal.
package enum Renewal: Equatable {
    /// The session has new tokens; when the access token ends, in seconds since the epoch.
    case renewed(until: Int64)
    /// The tokens are good for long enough, or have just been renewed by somebody else. Cognito was not asked.
    case fresh(until: Int64)
    /// The tokens are as before; why, and a line for the log.
    case kept(FailureReason, ByteText)
    /// Cognito refused the session for good. The session's key is gone, and the entry waits to be ended. A line for the log.
    case ended(ByteText)
    /// There is no such session any more.
    case gone
    /// Another process is at it, and takes too long.
    case busy
}

/// A renewal that a worker is at. Nobody else is at that session until it is finished.
package final class AskedRenewal<System: Machine> {
    fileprivate var lock: EntryLock?
    fileprivate let key: RootKey
    fileprivate let userPoolID: [UInt8]
    fileprivate let description: [UInt8]
    fileprivate let deadline: Instant
    fileprivate var step: WorkerStep<System.Worker>

    fileprivate init(
        _ lock: EntryLock, _ key: RootKey, _ userPoolID: [UInt8], _ description: [UInt8], by deadline: Instant,
        _ step: WorkerStep<System.Worker>
    ) {
        self.lock = lock
        self.key = key
        self.userPoolID = userPoolID
        self.description = description
        self.deadline = deadline
        self.step = step
    }
}

/// How a renewal begins.
package enum BegunRenewal<System: Machine> {
    /// It was its end, too.
    case over(Renewal)
    /// A worker has to say the rest.
    case asked(AskedRenewal<System>)
}

/// Renews sessions: one process at a time, registry first, in place.
package struct SessionRenewal<System: Machine> {
    private let machine: System

    /// Renews sessions of `machine`.
    package init(machine: System) {
        self.machine = machine
    }

    /// Renews one session, unless that has been done since it was asked for.
    ///
    /// - Parameters:
    ///   - minimumLife: For how many seconds the access token must still be good.
    ///   - asked: When it was asked for: tokens that are newer than this are not renewed again, so that many who ask at
    ///     once make one call.
    ///   - timeLimit: All of the network in milliseconds, where it is less than what the configuration says.
    ///   - milliseconds: How long to wait for another process that is at the same session.
    ///   - mayCall: Whether Cognito may be asked, once that is needed.
    package func renew(
        _ key: RootKey,
        minimumLife: Int64,
        asked: Instant,
        timeLimit: Int64 = .max,
        waiting milliseconds: Int32,
        ifMayCall mayCall: () -> Bool
    ) -> Renewal {
        let begun = begin(
            key, minimumLife: minimumLife, asked: asked, timeLimit: timeLimit, waiting: milliseconds, ifMayCall: mayCall
        )
        switch begun {
        case .over(let renewal): return renewal
        case .asked(let asked): return finish(asked)
        }
    }

    /// Begins a renewal whose result `finish` waits for: several may be begun before the first one is waited for. The parameters
    /// are those of `renew`.
    package func begin(
        _ key: RootKey,
        minimumLife: Int64,
        asked: Instant,
        timeLimit: Int64 = .max,
        waiting milliseconds: Int32,
        ifMayCall mayCall: () -> Bool
    ) -> BegunRenewal<System> {
        guard let lock = machine.lock(key, within: milliseconds) else {
            return .over(.busy)
        }
        defer { withExtendedLifetime(lock) {} }
        guard let entry = machine.openEntry(key) else {
            return .over(.gone)
        }
        let description = TokenKey.description(userPoolID: entry.userPoolID, clientID: entry.clientID)
        guard machine.isDelivered(KeySerial(entry.tokenKey), description: description) else {
            return .over(.gone)
        }
        // Both are no later than a key's life can be set: the difference is within bounds.
        let left = entry.accessTokenExpiry - machine.time
        if left > 0, left >= minimumLife || entry.renewed >= asked {
            return .over(.fresh(until: entry.accessTokenExpiry))
        }
        guard mayCall() else {
            return .over(.busy)
        }
        do throws(Fault) {
            return .asked(try ask(lock, key, entry, description, timeLimit))
        } catch {
            return .over(.kept(.internalFault, error.line))
        }
    }

    private func ask(
        _ lock: EntryLock,
        _ key: RootKey,
        _ entry: borrowing RegistryEntry,
        _ description: [UInt8],
        _ timeLimit: Int64
    ) throws(Fault) -> AskedRenewal<System> {
        let limit = min(timeLimit, machine.networkLimit(entry))
        var request = try machine.tokenFrame(.renew, entry, timeLimit: limit)
        request.add(.withholdRefreshToken, code: entry.withholdsRefreshToken ? 1 : 0)
        request.add(.refreshTokenValidity, max(1, entry.expires - machine.time))
        let frame = try finished(request)

        let worker = try machine.startWorker()
        // A little more than the worker has, so that it can say what happened.
        let patience = limit + 1000
        let step = try WorkerStep(frame, to: worker, timeLimit: patience)
        let deadline = Instant(milliseconds: machine.now.milliseconds + patience)
        return AskedRenewal(lock, key, entry.userPoolID, description, by: deadline, step)
    }

    /// Waits for the result of a renewal that has begun.
    package func finish(_ asked: AskedRenewal<System>) -> Renewal {
        // Whoever goes on with the session locks it anew.
        defer { asked.lock = nil }
        asked.step.limit(to: asked.deadline.milliseconds - machine.now.milliseconds)
        do throws(Fault) {
            guard let answer = try asked.step.result(ofPool: asked.userPoolID, on: machine) else {
                return .kept(.unreachable, "Cognito did not answer in time")
            }
            guard let entry = machine.openEntry(asked.key) else {
                return .gone
            }
            guard answer.kind == .renewed else {
                return failure(answer, asked.key, entry)
            }
            return try take(answer, asked.key, entry, asked.description, &asked.step)
        } catch {
            return .kept(.internalFault, error.line)
        }
    }

    /// The registry first: from then on the session's end revokes what is new.
    private func take(
        _ answer: borrowing Frame,
        _ key: RootKey,
        _ entry: consuming RegistryEntry,
        _ description: [UInt8],
        _ step: inout WorkerStep<System.Worker>
    ) throws(Fault) -> Renewal {
        guard let name = answer.bytes(.userName), entry.identity == .verifiedEmail || name == entry.user,
            let bundle = answer.secret(.bundle), let visible = visibleBundle(of: answer),
            let expiry = answer.number(.accessTokenExpiry), expiry > 0
        else {
            throw Fault("the renewed tokens are another person's, or cannot be held; they are not used")
        }
        let tokenKey = KeySerial(entry.tokenKey)
        let seconds = max(1, entry.expires - machine.time)
        var renewed = entry
        renewed.bundle = bundle
        renewed.accessTokenExpiry = expiry
        renewed.renewed = machine.now
        do throws(ErrorNumber) {
            guard let payload = renewed.encode() else {
                throw ErrorNumber(90)
            }
            try machine.replace(key, with: payload, expiringIn: seconds)
        } catch {
            throw Fault("the renewed tokens cannot be registered (errno \(error.code)); the session keeps the old ones")
        }
        // It may be gone by now: nothing depends on its hearing this.
        try? step.send(try finished(FrameWriter(.registered)))
        do throws(ErrorNumber) {
            try machine.update(tokenKey, description: description, with: visible, entry: key, expiringIn: seconds)
        } catch {
            return .gone
        }
        return .renewed(until: expiry)
    }

    /// What the session may see: all of it, unless the refresh token is withheld.
    private func visibleBundle(of answer: borrowing Frame) -> Secret? {
        if let less = answer.secret(.sessionBundle) {
            return less
        }
        return answer.secret(.bundle)
    }

    private func failure(
        _ answer: borrowing Frame,
        _ key: RootKey,
        _ entry: consuming RegistryEntry
    ) -> Renewal {
        let line = logLine(of: answer)
        // A reason that only a newer worker knows changes nothing here.
        let reason = answer.code(.reason).flatMap { code in FailureReason(rawValue: code) } ?? .internalFault
        guard reason == .sessionEnded else {
            return .kept(reason, line)
        }
        machine.clear(key, entry)
        return .ended(line)
    }
}

extension Machine {
    /// Takes away what is here of a session that Cognito has refused for good: the token key at once; the entry, once what
    /// is left has been revoked.
    func clear(_ key: RootKey, _ entry: consuming RegistryEntry) {
        destroy(KeySerial(entry.tokenKey))
        var closing = entry
        closing.state = .closing
        closing.signOut = .session
        if let payload = closing.encode() {
            try? replace(key, with: payload, expiringIn: max(1, closing.expires - time))
        }
        if closing.isShared {
            try? shareNewest(of: closing.user)
        }
        runHooks(SignOutNotice(user: closing.user, reason: .endedElsewhere))
    }
}
