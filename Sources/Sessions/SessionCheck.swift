package import Base
import Configuration
package import Keyring
package import Protocol

/// What a check found out about a session.
package enum Checked: Equatable {
    /// The tokens are genuine; and accepted by Cognito, if it was asked.
    case good(Standing)
    /// Nothing; why, and a line for the log. The tokens are as before.
    case unknown(FailureReason, ByteText)
    /// The tokens are not genuine, or another person's. A line for the log.
    case invalid(ByteText)
    /// Cognito refused the session for good. The session's key is gone, and the entry waits to be ended. A line for the log.
    case ended(ByteText)
    /// There is no such session any more.
    case gone
    /// Another process is at it, and takes too long; or Cognito may not be asked now.
    case busy
}

/// What tokens that stood up to a check say of their person.
package struct Standing: Equatable {
    /// When the person last proved who they are, in seconds since the epoch; nil where the tokens do not say.
    package let authenticatedAt: Int64?
    /// Their Cognito groups.
    package let groups: [[UInt8]]
    /// The place that was asked for, see `Field.sessionPlace`; nil where Cognito did not say.
    package let place: Int64?

    /// What they say.
    package init(authenticatedAt: Int64?, groups: [[UInt8]], place: Int64? = nil) {
        self.authenticatedAt = authenticatedAt
        self.groups = groups
        self.place = place
    }
}

/// A check that a worker is at.
package struct AskedCheck<System: Machine> {
    fileprivate let step: AskedStep<System>
    fileprivate let isOnline: Bool
    fileprivate let placed: Int64?
}

/// How a check begins.
package enum BegunCheck<System: Machine> {
    /// It was its end, too.
    case over(Checked)
    /// A worker has to say the rest.
    case asked(AskedCheck<System>)
}

/// Checks sessions: their tokens as at sign-in, and what Cognito says of them.
package struct SessionCheck<System: Machine> {
    private let machine: System

    /// Checks sessions of `machine`.
    package init(machine: System) {
        self.machine = machine
    }

    /// Checks one session.
    ///
    /// - Parameters:
    ///   - isOnline: Whether Cognito is asked, too. The pool's key set may be fetched in any case.
    ///   - isOpening: Whether something is opened by it, so that tokens which have ended are not good, either.
    ///   - placed: Of which session of the person's the place among theirs is asked for, too: see `Field.sessionPlace`. Another
    ///     one than this leaves this one as it is, whatever comes of it.
    ///   - timeLimit: All of the network in milliseconds, where it is less than what the configuration says.
    ///   - milliseconds: How long to wait for another process that is at the same session: a renewal must not take the
    ///     tokens away while Cognito is asked about them.
    ///   - mayCall: Whether Cognito may be asked, once that is needed.
    package func check(
        _ key: RootKey,
        online isOnline: Bool,
        opening isOpening: Bool = false,
        placing placed: Int64? = nil,
        timeLimit: Int64 = .max,
        waiting milliseconds: Int32,
        ifMayCall mayCall: () -> Bool
    ) -> Checked {
        let begun = begin(
            key, online: isOnline, opening: isOpening, placing: placed, timeLimit: timeLimit, waiting: milliseconds,
            ifMayCall: mayCall)
        switch begun {
        case .over(let checked): return checked
        case .asked(let asked): return finish(asked)
        }
    }

    /// Begins a check whose result `finish` waits for: several may be begun before the first one is waited for. The parameters
    /// are those of `check`.
    package func begin(
        _ key: RootKey,
        online isOnline: Bool,
        opening isOpening: Bool = false,
        placing placed: Int64? = nil,
        timeLimit: Int64,
        waiting milliseconds: Int32,
        ifMayCall mayCall: () -> Bool
    ) -> BegunCheck<System> {
        guard let lock = machine.lock(key, within: milliseconds) else {
            return .over(.busy)
        }
        defer { withExtendedLifetime(lock) {} }
        guard let entry = machine.openEntry(key) else {
            return .over(.gone)
        }
        guard mayCall() else {
            return .over(.busy)
        }
        do throws(Fault) {
            return .asked(try ask(lock, key, entry, isOnline, isOpening, placed, timeLimit))
        } catch {
            return .over(.unknown(.internalFault, error.line))
        }
    }

    private func ask(
        _ lock: EntryLock,
        _ key: RootKey,
        _ entry: borrowing RegistryEntry,
        _ isOnline: Bool,
        _ isOpening: Bool,
        _ placed: Int64?,
        _ timeLimit: Int64
    ) throws(Fault) -> AskedCheck<System> {
        let limit = min(timeLimit, machine.networkLimit(entry))
        var request = try machine.tokenFrame(.check, entry, timeLimit: limit)
        request.add(.online, code: isOnline ? 1 : 0)
        request.add(.unexpired, code: isOpening ? 1 : 0)
        if let placed {
            request.add(.sessionPlace, placed)
        }
        let frame = try finished(request)

        let step = try AskedStep(frame, limit: limit, about: entry, key, lock, on: machine)
        return AskedCheck(step: step, isOnline: isOnline, placed: placed)
    }

    /// Waits for the result of a check that has begun.
    package func finish(_ asked: AskedCheck<System>) -> Checked {
        let key = asked.step.key
        defer { asked.step.letGo() }
        do throws(Fault) {
            guard let answer = try asked.step.result() else {
                return .unknown(.unreachable, "Cognito did not answer in time")
            }
            guard let entry = machine.openEntry(key) else {
                return .gone
            }
            guard answer.kind == .checked else {
                return failure(answer, key, entry, isOfOther: asked.placed ?? 0 > 0)
            }
            let place = answer.number(.sessionPlace)
            if asked.isOnline {
                // What Cognito did not say is taken for what excludes least.
                enter(key, entry, place: asked.placed == 0 ? place ?? 1 : nil)
            }
            return .good(
                Standing(
                    authenticatedAt: answer.number(.authenticatedAt), groups: answer.list(.group), place: place))
        } catch {
            return .unknown(.internalFault, error.line)
        }
    }

    /// Enters that the session was looked at. Where that fails, it is again sooner than need be.
    private func enter(_ key: RootKey, _ entry: consuming RegistryEntry, place: Int64? = nil) {
        var checked = entry
        checked.place = place ?? checked.place
        checked.checked = machine.now
        if let payload = checked.encode() {
            try? machine.replace(key, with: payload, expiringIn: max(1, checked.expires - machine.time))
        }
    }

    private func failure(
        _ answer: borrowing Frame,
        _ key: RootKey,
        _ entry: consuming RegistryEntry,
        isOfOther: Bool
    ) -> Checked {
        let line = logLine(of: answer)
        // A reason that only a newer worker knows changes nothing here.
        let reason = answer.code(.reason).flatMap { code in FailureReason(rawValue: code) } ?? .internalFault
        switch reason {
        case .sessionEnded:
            if !isOfOther {
                machine.clear(key, entry, revoked: answer.code(.revoked) == 1)
            }
            return .ended(line)
        case .invalidTokens, .otherIdentity:
            enter(key, entry)
            return .invalid(line)
        default:
            return .unknown(reason, line)
        }
    }
}
