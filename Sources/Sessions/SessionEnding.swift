package import Base
package import Configuration
package import Keyring
package import Protocol

/// What became of the end of a session.
package enum Ending: Equatable {
    /// It is over, and ours are gone; how.
    case done(Ended)
    /// Not yet; why, for the log. The registry keeps them.
    case left(ByteText)
    /// Another process is at it.
    case busy
}

/// How a session is over, for the log.
package struct Ended: Equatable {
    /// What stands behind `outcome=`: a word, and perhaps further fields and a text.
    package let outcome: ByteText
    /// Whether the administrator should see to it: less was reached than was meant to be, and that was no other's doing.
    package let isFault: Bool

    /// How it is over.
    package init(_ outcome: ByteText, isFault: Bool = false) {
        self.outcome = outcome
        self.isFault = isFault
    }
}

/// What became of a sign-out that the person waits for.
package enum EndingNow: Equatable {
    /// The session is over, and ours are gone; what was reached, and how the log has it.
    case done(SignOutResult, Ended)
    /// Nothing was changed; why, and a line for the log.
    case kept(FailureReason, ByteText)
    /// Cognito refuses whatever the session asks for. Its key is gone, and the entry waits to be ended. A line for the log.
    case refused(ByteText)
    /// There is no such session any more.
    case gone
    /// Another process is at it.
    case busy
}

/// An end that Cognito has been asked for. Nobody else is at that session as long as this lives.
package final class AskedEnding<System: Machine> {
    fileprivate let lock: EntryLock
    fileprivate let key: RootKey
    fileprivate let tokenKey: Int32
    fileprivate let sharer: [UInt8]?
    /// What Cognito was asked for, and why that is less than was meant; nil where it is not.
    fileprivate var revocation: Revocation
    fileprivate var shortfall: Shortfall?
    fileprivate let persistence: Persistence
    /// How often it was asked again.
    fileprivate var repetitions: Int64 = 0
    fileprivate let deadline: Instant
    /// What hooks are run for then.
    fileprivate let notice: SignOutNotice?
    fileprivate var step: WorkerStep<System.Worker>

    fileprivate init(
        _ lock: EntryLock, _ key: RootKey, _ entry: borrowing RegistryEntry,
        _ reach: (revocation: Revocation, shortfall: Shortfall?), _ persistence: Persistence,
        _ step: WorkerStep<System.Worker>, by deadline: Instant, _ notice: SignOutNotice?
    ) {
        self.lock = lock
        self.key = key
        tokenKey = entry.tokenKey
        sharer = entry.isShared ? entry.user : nil
        revocation = reach.revocation
        shortfall = reach.shortfall
        self.persistence = persistence
        self.step = step
        self.deadline = deadline
        self.notice = notice
    }
}

/// How the end of a session begins.
package enum BegunEnding<System: Machine> {
    /// It was its end, too.
    case ended(Ending)
    /// Cognito has to say the rest.
    case asked(AskedEnding<System>)
}

/// Ends sessions: the hosts their own, the reaper what was left.
package struct SessionEnding<System: Machine> {
    private let machine: System
    private let entriesOf: (([UInt8]) -> [RootKey])?

    /// How long a worker that nobody waits for may go on.
    private static var workerLimit: Int64 { 30_000 }

    /// Ends sessions of `machine`.
    package init(machine: System) {
        self.machine = machine
        entriesOf = nil
    }

    /// Ends sessions of `machine`, many in a row.
    ///
    /// - Parameter entriesOf: The entries that may be about sessions of a person.
    package init(machine: System, entriesOf: @escaping ([UInt8]) -> [RootKey]) {
        self.machine = machine
        self.entriesOf = entriesOf
    }

    /// Ends one session: server first, then local.
    ///
    /// - Parameters:
    ///   - mode: How far; nil: as the entry says.
    ///   - lockLimit: How long to wait for another process that is at the same session, in milliseconds. It is part of the following.
    ///   - milliseconds: How long to wait for Cognito. After that the worker goes on by itself, and the entry stays.
    ///   - persistence: How long the worker tries. Whoever ends a session needs to know no more than that the registry has it: by
    ///     itself, the first failure is waited for, and none that may follow.
    ///   - reason: Why, for hooks.
    ///   - isDue: Looks at the entry again now that it is locked.
    package func end(
        _ key: RootKey,
        mode: SignOutMode?,
        forLock lockLimit: Int32 = 0,
        waiting milliseconds: Int64,
        trying persistence: Persistence = .unattended,
        because reason: SignOutReason = .logout,
        onlyIf isDue: (borrowing RegistryEntry) -> Bool = { _ in true }
    ) -> Ending {
        let begun = begin(
            key, mode: mode, forLock: lockLimit, waiting: milliseconds, trying: persistence, because: reason,
            onlyIf: isDue)
        switch begun {
        case .ended(let ending): return ending
        case .asked(let asked): return finish(asked)
        }
    }

    /// Ends one session as far as that goes without an answer of Cognito's, for which `finish` waits: several may be asked for
    /// before the first one is waited for. The parameters are those of `end`.
    package func begin(
        _ key: RootKey,
        mode: SignOutMode?,
        forLock lockLimit: Int32,
        waiting milliseconds: Int64,
        trying persistence: Persistence,
        because reason: SignOutReason,
        onlyIf isDue: (borrowing RegistryEntry) -> Bool
    ) -> BegunEnding<System> {
        let asked = machine.now
        guard let lock = machine.lock(key, within: lockLimit) else {
            return .ended(.busy)
        }
        defer { withExtendedLifetime(lock) {} }
        let left = max(0, milliseconds - (machine.now.milliseconds - asked.milliseconds))
        do throws(ErrorNumber) {
            let payload = try machine.read(key)
            guard RegistryEntry.isOfThisVersion(payload) else {
                return .ended(.busy)
            }
            guard let entry = RegistryEntry.decode(payload) else {
                machine.remove(key)
                return .ended(.done(Ended("damaged")))
            }
            guard isDue(entry) else {
                return .ended(.busy)
            }
            // Tokens that nobody ever had are of no use to anybody: they do not stay, whatever becomes of a session's.
            let meant = mode ?? (entry.delivered ? entry.signOut : .session)
            // Once: whoever ended it before had them run.
            let notice = entry.state == .open ? SignOutNotice(user: entry.user, reason: reason) : nil
            let begun = begin(key, entry, lock, meant, asked, left, persistence, notice)
            if case .ended = begun, let notice {
                machine.runHooks(notice)
            }
            return begun
        } catch {
            switch error {
            case .noKey, .keyExpired, .keyRevoked, .permissionDenied:
                // Not there, expired, revoked or another key by now: taken away by somebody who had finished the same.
                return .ended(.done(Ended("gone")))
            default:
                return .ended(.left("the registry cannot be read (errno \(error.code))"))
            }
        }
    }

    private func begin(
        _ key: RootKey,
        _ entry: consuming RegistryEntry,
        _ lock: EntryLock,
        _ mode: SignOutMode,
        _ asked: Instant,
        _ milliseconds: Int64,
        _ persistence: Persistence,
        _ notice: SignOutNotice?
    ) -> BegunEnding<System> {
        var closing = entry
        let tokenKey = closing.tokenKey
        let sharer = closing.isShared ? closing.user : nil
        guard mode != .none else {
            forget(key, tokenKey, sharer)
            return .ended(.done(Ended("kept_at_cognito")))
        }
        guard !closing.isGivenUp(at: machine.time) else {
            forget(key, tokenKey, sharer)
            return .ended(.done(Ended("unknown", isFault: true)))
        }
        closing.state = .closing
        // Of a host that is gone nobody knows since when.
        if closing.attempts == 0, closing.closed.milliseconds == 0, machine.life(of: closing.host) == .alive {
            closing.closed = asked
        }
        if closing.attempts < UInt8.max {
            closing.attempts += 1
        }
        closing.nextAttempt = nextAttempt(after: closing.attempts)
        mark(key, &closing, mode)
        let limit = persistence == .once ? milliseconds : Self.workerLimit
        do throws(Fault) {
            let reach = reach(of: closing)
            let step = try ask(closing, reach.revocation, timeLimit: limit, waiting: milliseconds, trying: persistence)
            let deadline = Instant(milliseconds: machine.now.milliseconds + milliseconds)
            return .asked(AskedEnding(lock, key, closing, reach, persistence, step, by: deadline, notice))
        } catch {
            return .ended(.left(error.line))
        }
    }

    /// Waits for what Cognito says, as long as `begin` was told.
    package func finish(_ asked: AskedEnding<System>) -> Ending {
        defer {
            if let notice = asked.notice {
                machine.runHooks(notice)
            }
        }
        do throws(Fault) {
            while true {
                asked.step.limit(to: asked.deadline.milliseconds - machine.now.milliseconds)
                switch try answer(from: &asked.step) {
                case .over(let result, let remark):
                    forget(asked.key, asked.tokenKey, asked.sharer)
                    return .done(result.lessened(by: asked.shortfall).ended(remark))
                case .failed(let reason, let line):
                    guard try askAgain(asked, after: reason) else {
                        return .left(line)
                    }
                // The worker goes on without us.
                case .late: return .left(Self.late)
                }
            }
        } catch {
            return .left(error.line)
        }
    }

    /// Asks once more, where there is time for it and nobody comes back: a worker signs out everywhere only once, since what is
    /// asked for then must be decided anew.
    private func askAgain(_ asked: AskedEnding<System>, after reason: FailureReason) throws(Fault) -> Bool {
        guard asked.persistence == .patient, asked.revocation == .global,
            [.throttled, .serviceFault, .unreachable].contains(reason)
        else {
            return false
        }
        let longest = Int64(200) << min(asked.repetitions, 4)
        let pause = longest - machine.random(below: longest / 2)
        guard machine.now.milliseconds + pause < asked.deadline.milliseconds else {
            return false
        }
        asked.repetitions += 1
        machine.pause(milliseconds: pause)
        guard let payload = try? machine.read(asked.key), let entry = RegistryEntry.decode(payload) else {
            return false
        }
        let reach = reach(of: entry)
        asked.step = try ask(
            entry, reach.revocation, timeLimit: Self.workerLimit,
            waiting: asked.deadline.milliseconds - machine.now.milliseconds)
        asked.revocation = reach.revocation
        asked.shortfall = reach.shortfall
        return true
    }

    /// Enters what is about to happen. Should this process die now, the reaper sees what was meant.
    ///
    /// Which session is the last one is decided here, under a lock, and is entered with the same: of two that end at the same
    /// moment exactly one sees no other.
    private func mark(_ key: RootKey, _ closing: inout RegistryEntry, _ mode: SignOutMode) {
        let lock = mode == .last ? machine.lock(.counting, within: countingLimit) : nil
        defer { withExtendedLifetime(lock) {} }
        closing.signOut = mode
        if mode == .last {
            let others = machine.liveSessions(
                of: closing.user, userPoolID: closing.userPoolID, besides: key, among: entriesOf?(closing.user))
            closing.signOut = others == 0 ? .global : .session
        }
        if let payload = closing.encode() {
            try? machine.replace(key, with: payload, expiringIn: max(1, closing.expires - machine.time))
        }
    }

    /// When to try again should this attempt be in vain.
    private func nextAttempt(after attempts: UInt8) -> Instant {
        let pause = machine.pause(after: attempts)
        return Instant(milliseconds: pause > 0 ? machine.now.milliseconds + pause : 0)
    }

    /// Signs the person of one session out everywhere: server first, then local. What Cognito does not confirm stays as it was.
    ///
    /// - Parameter lockLimit: How long to wait for another process that is at the same session, in milliseconds.
    package func endNow(_ key: RootKey, forLock lockLimit: Int32) -> EndingNow {
        guard let lock = machine.lock(key, within: lockLimit) else {
            return .busy
        }
        defer { withExtendedLifetime(lock) {} }
        guard let payload = try? machine.read(key), let entry = RegistryEntry.decode(payload), entry.state == .open
        else {
            return .gone
        }
        do throws(Fault) {
            let limit = machine.networkLimit(entry)
            var step = try ask(entry, .global, timeLimit: limit, waiting: limit + 1000, trying: .once)
            switch try answerNow(from: &step) {
            case .over(.nothing(let shortfall), let remark):
                return .kept(.configuration, SignOutResult.nothing(shortfall).ended(remark).outcome)
            case .over(let result, let remark):
                forget(key, entry.tokenKey, entry.isShared ? entry.user : nil)
                machine.runHooks(SignOutNotice(user: entry.user, reason: .signedOut))
                return endElsewhere(entry, result, remark, within: limit)
            case .failed(.sessionEnded, let line):
                machine.clear(key, entry)
                return .refused(line)
            case .failed(let reason, let line): return .kept(reason, line)
            case .late:
                return .kept(.unreachable, Self.late)
            }
        } catch {
            return .kept(.internalFault, error.line)
        }
    }

    /// What a session could not do that was over before, or may not: ends the person's others with the rights of the machine's IAM
    /// identity, where it has one.
    private func endElsewhere(
        _ entry: borrowing RegistryEntry, _ result: SignOutResult, _ remark: ByteText, within limit: Int64
    ) -> EndingNow {
        guard case .onlySession(let shortfall) = result, shortfall != .userGone,
            let settings = try? machine.settings(at: entry.configuration, arguments: []), settings.hasIAMIdentity,
            settings.userPoolID == entry.userPoolID
        else {
            return .done(result, result.ended(remark))
        }
        let subject = AdminSignOutSubject(
            userPoolID: entry.userPoolID, clientID: entry.clientID, endpoint: entry.endpoint, caFile: entry.caFile,
            loginName: entry.loginName)
        do throws(Fault) {
            let wider = try subject.signOut(by: settings, on: machine, within: limit)
            return .done(wider, wider.ended(""))
        } catch {
            return .done(result, result.ended(error.line))
        }
    }

    /// Takes a session's tokens away at once, without the network, and leaves the entry to be ended by itself.
    ///
    /// - Parameter reason: Why, for hooks.
    /// - Returns: false when another process is at it for longer than `lockLimit`.
    package func letGo(_ key: RootKey, forLock lockLimit: Int32, because reason: SignOutReason) -> Bool {
        guard let lock = machine.lock(key, within: lockLimit) else {
            return false
        }
        defer { withExtendedLifetime(lock) {} }
        guard let payload = try? machine.read(key), let entry = RegistryEntry.decode(payload) else {
            return true
        }
        let tokenKey = entry.tokenKey
        let isOpen = entry.state == .open
        var closing = entry
        closing.state = .closing
        closing.signOut = .session
        if let payload = closing.encode() {
            try? machine.replace(key, with: payload, expiringIn: max(1, closing.expires - machine.time))
        }
        if tokenKey > 0 {
            machine.destroy(KeySerial(tokenKey))
        }
        if closing.isShared {
            try? machine.shareNewest(of: closing.user)
        }
        if isOpen {
            machine.runHooks(SignOutNotice(user: closing.user, reason: reason))
        }
        return true
    }

    /// Takes an entry off the registry whose tokens are known to be dead.
    package func forget(_ key: RootKey) {
        // Whoever has the lock ends it as well.
        guard let lock = machine.lock(key, within: 1000) else {
            return
        }
        defer { withExtendedLifetime(lock) {} }
        machine.strikeOut(key)
        machine.remove(key)
    }

    private func forget(_ key: RootKey, _ tokenKey: Int32, _ sharer: [UInt8]?) {
        if tokenKey > 0 {
            machine.destroy(KeySerial(tokenKey))
        }
        // Before the entry goes: what the registry does not know, and the journal does, was left by a crash.
        machine.strikeOut(key)
        machine.remove(key)
        if let sharer {
            try? machine.shareNewest(of: sharer, among: entriesOf?(sharer))
        }
    }

    private static var late: ByteText { "Cognito did not answer in time" }

    private enum Answer {
        case over(SignOutResult, remark: ByteText)
        case failed(FailureReason, ByteText)
        case late
    }

    /// Asks a worker to revoke the tokens of `entry`.
    private func ask(
        _ entry: borrowing RegistryEntry,
        _ revocation: Revocation,
        timeLimit: Int64,
        waiting milliseconds: Int64,
        trying persistence: Persistence = .patient
    ) throws(Fault) -> WorkerStep<System.Worker> {
        var request = try machine.stepFrame(.signOut, entry, timeLimit: timeLimit)
        request.add(.bundle, entry.bundle)
        request.add(.revocation, code: revocation.rawValue)
        request.add(.tellsReach, code: 1)
        if persistence != .patient {
            request.add(.persistence, code: persistence.rawValue)
        }
        let frame = try finished(request)

        let worker = try machine.startWorker()
        return try WorkerStep(frame, to: worker, timeLimit: milliseconds)
    }

    private func answer(from step: inout WorkerStep<System.Worker>) throws(Fault) -> Answer {
        guard let answer = try step.receive(by: { machine.now }) else {
            return .late
        }
        guard answer.kind == .signedOut, let result = SignOutResult(answer) else {
            let reason = answer.code(.reason).flatMap { code in FailureReason(rawValue: code) }
            return .failed(reason ?? .internalFault, logLine(of: answer))
        }
        return .over(result, remark: logLine(of: answer))
    }

    /// The answer that somebody waits for. What is not known to be done must not be done later, behind their back: a worker that is
    /// late, or cannot be heard, ends.
    private func answerNow(from step: inout WorkerStep<System.Worker>) throws(Fault) -> Answer {
        do throws(Fault) {
            let answer = try answer(from: &step)
            if case .late = answer {
                step.kill()
            }
            return answer
        } catch {
            step.kill()
            throw error
        }
    }

    /// What Cognito is asked for now, and why that is less than is meant. Decided anew before each attempt.
    private func reach(of entry: borrowing RegistryEntry) -> (revocation: Revocation, shortfall: Shortfall?) {
        // Tokens that no session ever had are not worth ending every session of the person.
        guard entry.signOut == .global, entry.delivered else {
            return (.session, nil)
        }
        return hasNewerSession(entry) ? (.session, .newerSession) : (.global, nil)
    }

    /// Whether the person has signed in here again since it ended, or, where nobody knows when that was, since it began: Cognito
    /// revokes by time, so a late global sign-out would end that session, too.
    private func hasNewerSession(_ entry: borrowing RegistryEntry) -> Bool {
        let since = entry.closed.milliseconds > 0 ? entry.closed : entry.created
        let (user, pool) = (entry.user, entry.userPoolID)
        let newer = try? machine.firstEntry(among: entriesOf?(user)) { _, session in
            session.user == user && session.userPoolID == pool
                && (session.state == .pending || session.state == .open) && session.created > since
        }
        return newer != nil
    }
}

extension RegistryEntry {
    /// Whether its end is tried no longer: a week ago the tokens should have run out, and more than a day of attempts was in vain.
    ///
    /// When they do run out is Cognito's to say: this machine knows what the configuration says, and a clock that may be wrong.
    package func isGivenUp(at time: Int64) -> Bool {
        attempts >= 100 && expires < time - 604_800
    }
}

/// The longest time between two attempts to end a session, in milliseconds.
package let longestPause: Int64 = 900_000

extension Machine {
    /// How long after that many attempts in vain the next one is due, in milliseconds: the first time as soon as somebody comes
    /// by; then after one minute, two, four and so on to a quarter of an hour, each cut by up to a half at random, so that
    /// sessions that ended together, here and on other machines, do not come back together.
    package func pause(after attempts: UInt8) -> Int64 {
        guard attempts > 1 else {
            return 0
        }
        let longest = min(60_000 << Int64(min(attempts, 10) - 2), longestPause)
        return longest - random(below: longest / 2)
    }
}

extension SignOutResult {
    /// The same where the root side has asked for less than was meant, because of `shortfall`.
    fileprivate func lessened(by shortfall: Shortfall?) -> SignOutResult {
        guard let shortfall else {
            return self
        }
        return switch self {
        case .nothing: .nothing(shortfall)
        default: .onlySession(shortfall)
        }
    }

    /// How the log has it.
    ///
    /// - Parameter remark: The worker's own words, where there are any.
    package func ended(_ remark: ByteText) -> Ended {
        let rest: ByteText = remark.bytes.isEmpty ? "" : ": \(remark)"
        return switch self {
        case .everywhere: Ended("revoked_everywhere")
        case .session(.revoked): Ended("revoked")
        case .session(.alreadyRevoked): Ended("already_revoked")
        case .session(.expired): Ended("expired")
        case .onlySession(.userGone): Ended("user_gone")
        case .onlySession(let shortfall):
            Ended("only_this_session reason=\(shortfall.name)\(rest)", isFault: shortfall.isFault)
        case .nothing(nil): Ended("revocation_not_enabled_for_this_app_client\(rest)", isFault: true)
        case .nothing(let shortfall?):
            Ended("revocation_not_enabled_for_this_app_client reason=\(shortfall.name)\(rest)", isFault: true)
        }
    }
}

extension Shortfall {
    /// Whether it is more than what happens in the course of things.
    fileprivate var isFault: Bool {
        switch self {
        case .alreadyRevoked, .expired, .userGone, .newerSession: false
        case .passwordResetRequired, .notConfirmed, .disabled, .scope, .firewall, .configuration, .refused,
            .notRenewed, .notCarriedOut:
            true
        }
    }
}
