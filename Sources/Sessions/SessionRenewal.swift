package import Base
import Configuration
package import Keyring
package import Protocol

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

/// How a renewal begins.
package enum BegunRenewal<System: Machine> {
    /// It was its end, too.
    case over(Renewal)
    /// A worker has to say the rest.
    case asked(AskedStep<System>)
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
            return .asked(try ask(lock, key, entry, timeLimit))
        } catch {
            return .over(.kept(.internalFault, error.line))
        }
    }

    private func ask(
        _ lock: EntryLock,
        _ key: RootKey,
        _ entry: borrowing RegistryEntry,
        _ timeLimit: Int64
    ) throws(Fault) -> AskedStep<System> {
        let limit = min(timeLimit, machine.networkLimit(entry))
        var request = try machine.tokenFrame(.renew, entry, timeLimit: limit)
        request.add(.withholdRefreshToken, code: entry.withholdsRefreshToken ? 1 : 0)
        request.add(.refreshTokenValidity, max(1, entry.expires - machine.time))
        let frame = try finished(request)
        return try AskedStep(frame, limit: limit, about: entry, key, lock, on: machine)
    }

    /// Waits for the result of a renewal that has begun.
    package func finish(_ asked: AskedStep<System>) -> Renewal {
        defer { asked.letGo() }
        do throws(Fault) {
            guard let answer = try asked.result() else {
                return .kept(.unreachable, "Cognito did not answer in time")
            }
            guard let entry = machine.openEntry(asked.key) else {
                return .gone
            }
            guard answer.kind == .renewed else {
                return failure(answer, asked.key, entry)
            }
            return try take(answer, entry, asked)
        } catch {
            return .kept(.internalFault, error.line)
        }
    }

    /// The registry first: from then on the session's end revokes what is new.
    private func take(
        _ answer: borrowing Frame,
        _ entry: consuming RegistryEntry,
        _ asked: AskedStep<System>
    ) throws(Fault) -> Renewal {
        let key = asked.key
        let description = TokenKey.description(userPoolID: entry.userPoolID, clientID: entry.clientID)
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
                throw .messageTooLong
            }
            try machine.replace(key, with: payload, expiringIn: seconds)
        } catch {
            throw Fault("the renewed tokens cannot be registered (errno \(error.code)); the session keeps the old ones")
        }
        // It may be gone by now: nothing depends on its hearing this.
        try? asked.send(try finished(FrameWriter(.registered)))
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
        machine.clear(key, entry, revoked: answer.code(.revoked) == 1)
        return .ended(line)
    }
}

extension Machine {
    /// Takes away what is here of a session that Cognito has refused for good: the token key at once; the entry, once what
    /// is left has been revoked.
    func clear(_ key: RootKey, _ entry: consuming RegistryEntry, revoked wasRevoked: Bool = false) {
        destroy(KeySerial(entry.tokenKey))
        var closing = entry
        closing.wasRevoked = wasRevoked
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
