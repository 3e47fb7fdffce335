package import Base
package import Configuration
package import Keyring
package import Protocol

/// Ends sessions: the hosts their own, the reaper what was left.
package struct SessionEnding<System: Machine> {
    let machine: System
    private let patience = AnswerPatience()
    private let holders = HolderPatience()
    private let workers: SharedWorkers<System>?

    /// - Parameter workers: The workers that sign-outs share; nil: each starts its own.
    package init(machine: System, sharing workers: SharedWorkers<System>? = nil) {
        self.machine = machine
        self.workers = workers
    }

    /// Ends one session: first at Cognito, then here.
    ///
    /// - Parameters:
    ///   - mode: The extent of the sign-out; nil: the entry's.
    ///   - lockLimit: How long to wait for another process that has the session, in milliseconds. It is part of the
    ///     following. A PAM application that has been waited for as long as `holderPatience`, in this call and others
    ///     of this value, is ended.
    ///   - milliseconds: How long to wait for Cognito. After that the worker continues by itself, and the entry stays.
    ///     0: an agent does all of it, if one can be started.
    ///   - persistence: How long the worker tries. The caller needs to know only that the registry has the end: by
    ///     itself, it waits for the first failure, and for no later one.
    ///   - reason: The reason, for hooks.
    ///   - isDue: Looks at the entry again after it is locked.
    package func end(
        _ key: RootKey,
        mode: SignOutMode?,
        forLock lockLimit: Int32 = 0,
        waiting milliseconds: Int64,
        trying persistence: Persistence = .unattended,
        because reason: EndReason = .logout,
        onlyIf isDue: (borrowing RegistryEntry) -> Bool = { _ in true }
    ) -> Ending {
        // While it is waited for, the person may sign in anew: that one is newer.
        let asked = machine.now
        if milliseconds == 0, persistence == .unattended, RootsProcess(machine) != nil,
            handOver(key, mode, lockLimit, reason, asked, onlyIf: isDue)
        {
            return .handedOver
        }
        return begin(
            key, mode: mode, forLock: lockLimit, waiting: milliseconds, trying: persistence, because: reason,
            asked: asked, onlyIf: isDue
        ).finish()
    }

    /// Enters that a session is over, takes its tokens away from it, and has an agent ask Cognito; whether one was
    /// started.
    private func handOver(
        _ key: RootKey, _ mode: SignOutMode?, _ lockLimit: Int32, _ reason: EndReason, _ asked: Instant,
        onlyIf isDue: (borrowing RegistryEntry) -> Bool
    ) -> Bool {
        let access = withEntry(key, lockedWithin: lockLimit) { entry in
            let meant = mode ?? entry.meantSignOut
            guard isDue(entry), meant != .none, !entry.isGivenUp(at: machine.time) else {
                return false
            }
            let notice = notice(entry, reason)
            close(&entry, asked)
            // What the registry does not take, no agent would end.
            guard decideMode(meant, of: key, &entry) else {
                return false
            }
            machine.destroyTokens(entry.tokenKey, of: key)
            run(notice)
            return true
        }
        // Without the lock, which the agent needs.
        return access == .had(true) && machine.startEnding(key)
    }

    /// Ends one session in a program that its caller can stop. Work that waits for no other process is done here, under
    /// the lock. The agent does the rest, and this waits for it without the lock.
    private func leaveToAgent(
        _ key: RootKey, _ mode: SignOutMode?, _ lockLimit: Int32, waiting milliseconds: Int64, _ reason: EndReason,
        _ asked: Instant, onlyIf isDue: (borrowing RegistryEntry) -> Bool
    ) -> SessionOperation<Ending> {
        var notice: SignOutNotice?
        var sharer: [UInt8]?
        let access = withEntry(key, lockedWithin: lockLimit) { entry in
            guard isDue(entry) else {
                return SessionOperation<Ending>.finished(.busy)
            }
            notice = self.notice(entry, reason)
            sharer = entry.isShared ? entry.user : nil
            close(&entry, asked)
            // What depends on others the agent decides, who waits for them.
            entry.signOut = mode ?? entry.meantSignOut
            let isEntered = (try? machine.write(key, &entry)) != nil
            machine.destroyTokens(entry.tokenKey, of: key)
            return .finished(
                isEntered
                    ? .handedOver
                    : .left(
                        .internalFault,
                        "the end of the session cannot be recorded in the registry"))
        }
        let closed = operation(key, access)
        run(notice)
        if let sharer {
            try? machine.shareNewest(of: sharer)
        }
        guard case .finished(.handedOver) = closed else {
            return closed
        }
        guard machine.startEnding(key) else {
            return .finished(.left(.internalFault, "cognito-agent, which completes the sign-out, cannot be started"))
        }
        guard milliseconds > 0 else {
            return closed
        }
        let deadline = asked.milliseconds + milliseconds
        return .pending {
            while machine.now.milliseconds < deadline, isUnderWay(key) {
                machine.pause(milliseconds: min(50, deadline - machine.now.milliseconds))
            }
            return .handedOver
        }
    }

    /// Whether the result of a session's end is still to come: a first attempt that has failed is due again.
    private func isUnderWay(_ key: RootKey) -> Bool {
        guard let entry = machine.readEntry(key) else {
            return false
        }
        return entry.attempts == 0 || entry.nextAttempt.milliseconds == 0 || machine.now < entry.nextAttempt
    }

    /// Begins to end one session, as far as that goes without an answer of Cognito's. The parameters are those of
    /// `end`.
    ///
    /// - Parameter asked: When the session was over; nil: now.
    package func begin(
        _ key: RootKey,
        mode: SignOutMode?,
        forLock lockLimit: Int32,
        waiting milliseconds: Int64,
        trying persistence: Persistence,
        because reason: EndReason,
        asked: Instant? = nil,
        onlyIf isDue: (borrowing RegistryEntry) -> Bool
    ) -> SessionOperation<Ending> {
        let begun = machine.now
        guard let process = RootsProcess(machine) else {
            return leaveToAgent(
                key, mode, lockLimit, waiting: milliseconds, reason, asked ?? begun, onlyIf: isDue)
        }
        guard let lock = holders.lock(key, within: lockLimit, on: machine) else {
            return .finished(.busy)
        }
        defer { withExtendedLifetime(lock) {} }
        // A program that its user has stopped with the lock does not take all of Cognito's time.
        let deadline = max(begun.milliseconds + milliseconds, machine.now.milliseconds + min(milliseconds, 1000))
        let access = machine.withEntry(key, under: lock) { entry in
            guard isDue(entry) else {
                return SessionOperation<Ending>.finished(.busy)
            }
            let meant = mode ?? entry.meantSignOut
            let notice = notice(entry, reason)
            let tokens = LocalTokens(key, entry)
            guard meant != .none else {
                forget(tokens, notice)
                return .finished(.done(Ended("kept_at_cognito")))
            }
            guard !entry.isGivenUp(at: machine.time) else {
                forget(tokens, notice)
                return .finished(.done(Ended("unknown", isFault: true)))
            }
            // The other half is for Cognito's answer.
            let latest = deadline - milliseconds / 2
            // While the machine stops, there is nothing to wait for.
            if meant == .last, reason != .shutdown {
                awaitBeginnings(
                    key, entry, until: min(latest, patience.deadline(of: entry.user, at: machine.now)))
            }
            let isEntered = enterAttempt(key, &entry, meant, asked ?? begun)
            var reach = reach(of: entry, isEntered: isEntered)
            if reach.revocation == .global, reason != .shutdown {
                machine.awaitAnswers(
                    of: entry.user, until: min(latest, patience.deadline(of: entry.user, at: machine.now))
                ) {
                    reach = self.reach(of: entry, isEntered: isEntered)
                    return reach.revocation == .global
                }
                reach = self.reach(of: entry, isEntered: isEntered)
            }
            do throws(Fault) {
                let attempt = try SignOutAttempt(
                    of: entry, reach, within: max(0, deadline - machine.now.milliseconds), trying: persistence,
                    sharing: workers, by: process, on: machine)
                return .pending { finish(attempt, tokens, lock, notice) }
            } catch {
                run(notice)
                return .finished(.left(.internalFault, error.line))
            }
        }
        return operation(key, access)
    }

    private func operation(
        _ key: RootKey, _ access: EntryAccess<SessionOperation<Ending>>
    ) -> SessionOperation<Ending> {
        switch access {
        case .had(let operation): return operation
        case .busy, .otherVersion: return .finished(.busy)
        // Removed by another process that had finished the same.
        case .gone: return .finished(.done(Ended("gone")))
        case .damaged:
            machine.remove(key)
            return .finished(.done(Ended("damaged")))
        case .unreadable(.notPermitted):
            return .finished(
                .left(
                    .internalFault,
                    "this program has dropped root privileges since the sign-in and cannot revoke the tokens"))
        case .unreadable(let error):
            return .finished(
                .left(.internalFault, "the registry cannot be read (errno \(error.code)); \(error.keyringRemedy)"))
        }
    }

    /// Enters what is about to happen, and when to try again should it be in vain; whether the registry has taken it.
    private func enterAttempt(
        _ key: RootKey, _ entry: inout RegistryEntry, _ mode: SignOutMode, _ asked: Instant
    ) -> Bool {
        close(&entry, asked)
        if entry.attempts < UInt8.max {
            entry.attempts += 1
        }
        let pause = machine.pause(after: entry.attempts)
        entry.nextAttempt = Instant(milliseconds: pause > 0 ? machine.now.milliseconds + pause : 0)
        return decideMode(mode, of: key, &entry)
    }

    /// The session of an entry is over.
    private func close(_ entry: inout RegistryEntry, _ asked: Instant) {
        entry.state = .closing
        // The time at which an application disappeared is unknown.
        if entry.attempts == 0, entry.closed.milliseconds == 0, machine.life(of: entry.host) == .alive {
            entry.closed = asked
        }
    }

    /// The notice of a session's end for hooks, once: an earlier process that ended it had them run.
    private func notice(_ entry: borrowing RegistryEntry, _ reason: EndReason) -> SignOutNotice? {
        entry.state == .open ? SignOutNotice(user: entry.user, reason: reason) : nil
    }

    /// Waits for what Cognito says, as long as `begin` was told.
    private func finish(
        _ first: SignOutAttempt<System>, _ tokens: LocalTokens, _ lock: EntryLock, _ notice: SignOutNotice?
    ) -> Ending {
        defer {
            run(notice)
            withExtendedLifetime(lock) {}
        }
        var attempt = first
        do throws(Fault) {
            while true {
                switch try attempt.answer(on: machine) {
                case .over(let result, let remark):
                    forget(tokens)
                    return .done(result.lessened(by: attempt.reach.shortfall).ended(remark))
                case .failed(let reason, let line):
                    guard try askAgain(&attempt, tokens.key, after: reason) else {
                        enterFailure(tokens.key, lock)
                        return .left(reason, line)
                    }
                // The worker goes on without us.
                case .late: return .left(.unreachable, lateAnswer)
                }
            }
        } catch {
            return .left(.internalFault, error.line)
        }
    }

    /// Enters that Cognito is not being asked any more, which is so of a first attempt that is due again: see
    /// `awaitSignOuts`.
    private func enterFailure(_ key: RootKey, _ lock: EntryLock) {
        _ = machine.withEntry(key, under: lock) { entry in
            if entry.attempts == 1 {
                entry.nextAttempt = machine.now
                try? machine.write(key, &entry)
            }
        }
    }

    /// Asks once more, if there is time and no later attempt will follow. A worker requests a global sign-out only
    /// once, since each attempt must be decided again.
    private func askAgain(
        _ attempt: inout SignOutAttempt<System>, _ key: RootKey, after reason: FailureReason
    ) throws(Fault) -> Bool {
        guard attempt.persistence == .patient, attempt.reach.revocation == .global,
            [.throttled, .serviceFault, .unreachable].contains(reason)
        else {
            return false
        }
        let longest = Int64(200) << min(attempt.repetitions, 4)
        let pause = longest - machine.random(below: longest / 2)
        guard machine.now.milliseconds + pause < attempt.deadline.milliseconds else {
            return false
        }
        machine.pause(milliseconds: pause)
        guard let entry = machine.readEntry(key) else {
            return false
        }
        try attempt.repeat(of: entry, reach(of: entry, isEntered: true), on: machine)
        return true
    }

    /// Signs the person of one session out everywhere: server first, then local. What Cognito does not confirm stays as
    /// it was.
    ///
    /// - Parameter lockLimit: How long to wait for another process that is at the same session, in milliseconds.
    package func endNow(_ key: RootKey, forLock lockLimit: Int32) -> EndingNow {
        guard let process = RootsProcess(machine) else {
            return .failed(.busy)
        }
        let access = withEntry(key, lockedWithin: lockLimit) { entry in
            guard entry.state == .open else {
                return EndingNow.failed(.gone)
            }
            do throws(Fault) {
                return try machine.signingOutEverywhere(
                    entry.user, within: 2 * machine.networkLimit(entry)
                ) { () throws(Fault) in
                    try endNow(key, &entry, by: process)
                }
            } catch {
                return .failed(.kept(.internalFault, error.line))
            }
        }
        return switch access {
        case .had(let ending): ending
        case .busy: .failed(.busy)
        case .gone, .otherVersion, .damaged, .unreadable: .failed(.gone)
        }
    }

    private func endNow(
        _ key: RootKey, _ entry: inout RegistryEntry, by process: RootsProcess
    ) throws(Fault) -> EndingNow {
        let limit = machine.networkLimit(entry)
        var attempt = try SignOutAttempt(
            of: entry, SignOutReach(revocation: .global, shortfall: nil), within: limit + 1000, trying: .once,
            timeLimit: limit, by: process, on: machine)
        switch try attempt.answerNow(on: machine) {
        case .over(.nothing(let shortfall), let remark):
            return .failed(.kept(.configuration, SignOutResult.nothing(shortfall).ended(remark).line))
        case .over(let result, let remark):
            forget(LocalTokens(key, entry))
            machine.runHooks(SignOutNotice(user: entry.user, reason: .signedOut))
            return endElsewhere(entry, result, remark, within: limit)
        case .failed(.sessionEnded, let line):
            machine.clear(key, &entry)
            return .failed(.ended(line))
        case .failed(let reason, let line): return .failed(.kept(reason, line))
        case .late:
            return .failed(.kept(.unreachable, lateAnswer))
        }
    }

    /// What a session could not do that was over before, or may not: ends the person's others with the rights of the
    /// machine's IAM identity, where it has one.
    private func endElsewhere(
        _ entry: borrowing RegistryEntry, _ result: SignOutResult, _ remark: ByteText, within limit: Int64
    ) -> EndingNow {
        guard case .onlySession(let shortfall) = result, shortfall != .userGone,
            let settings = try? machine.settings(at: entry.configuration, arguments: []), settings.hasIAMIdentity,
            settings.userPoolID == entry.userPoolID
        else {
            return .done(result, result.ended(remark))
        }
        do throws(Fault) {
            let path = machine.networkPath(of: entry, settings)
            let wider = try machine.adminSignOut(of: entry.loginName, by: path, settings, within: limit)
            return .done(wider, wider.ended(""))
        } catch {
            return .done(result, result.ended(error.line))
        }
    }

    /// Takes a session's tokens away at once, without the network, and leaves the entry to be ended by itself.
    ///
    /// - Parameter reason: Why, for hooks.
    /// - Returns: false when another process is doing it for longer than `lockLimit`.
    package func destroyTokens(_ key: RootKey, forLock lockLimit: Int32, because reason: EndReason) -> Bool {
        let access = withEntry(key, lockedWithin: lockLimit) { entry in
            let notice = notice(entry, reason)
            // A logout that has begun meanwhile goes as far as it was meant to.
            if entry.state != .closing {
                entry.state = .closing
                entry.signOut = .session
                try? machine.write(key, &entry)
            }
            machine.destroyTokens(entry.tokenKey, of: key)
            if entry.isShared {
                try? machine.shareNewest(of: entry.user)
            }
            run(notice)
        }
        return if case .busy = access { false } else { true }
    }

    /// `withEntry` of the registry, for an end.
    private func withEntry<Result>(
        _ key: RootKey, lockedWithin milliseconds: Int32, _ body: (inout RegistryEntry) -> Result
    ) -> EntryAccess<Result> {
        guard let lock = holders.lock(key, within: milliseconds, on: machine) else {
            return .busy
        }
        return machine.withEntry(key, under: lock, body)
    }

    /// Takes an entry off the registry whose tokens are known to be dead.
    package func forget(_ key: RootKey) {
        // The process that has the lock ends it as well.
        guard let lock = machine.lock(key, within: 1000) else {
            return
        }
        defer { withExtendedLifetime(lock) {} }
        machine.removeFromJournal(key)
        machine.remove(key)
    }

    /// Takes away what is here of a session that has ended.
    private func forget(_ tokens: LocalTokens, _ notice: SignOutNotice? = nil) {
        machine.destroyTokens(tokens.tokenKey, of: tokens.key)
        // Before the entry goes: what the registry does not know, and the journal does, was left by a crash.
        machine.removeFromJournal(tokens.key)
        machine.remove(tokens.key)
        if let sharer = tokens.sharer {
            try? machine.shareNewest(of: sharer)
        }
        run(notice)
    }

    private func run(_ notice: SignOutNotice?) {
        if let notice {
            machine.runHooks(notice)
        }
    }
}

/// How long sign-outs of one user may wait for that user's sign-ins, all together: who ends many sessions does not wait
/// for each.
private final class AnswerPatience {
    private var deadlines: [(user: [UInt8], deadline: Int64)] = []

    func deadline(of user: [UInt8], at now: Instant) -> Int64 {
        if let known = deadlines.first(where: { known in known.user == user }) {
            return known.deadline
        }
        let deadline = now.milliseconds + answerPatience
        deadlines.append((user, deadline))
        return deadline
    }
}

extension RegistryEntry {
    /// The intended extent of its end. Tokens that were never delivered have no use: they do not stay, whatever happens
    /// to a session's.
    fileprivate var meantSignOut: SignOutMode { delivered ? signOut : .session }
}

/// What is on this machine of a session: the entry, the token key, and whose other sessions may read that.
private struct LocalTokens {
    let key: RootKey
    let tokenKey: Int32
    let sharer: [UInt8]?

    init(_ key: RootKey, _ entry: borrowing RegistryEntry) {
        self.key = key
        tokenKey = entry.tokenKey
        sharer = entry.isShared ? entry.user : nil
    }
}
