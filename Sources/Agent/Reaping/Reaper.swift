import Base
import Configuration
import Keyring
package import Sessions

/// Which entries a round is about.
package enum ReaperScope: Sendable {
    /// Those that ended badly and are due.
    case due
    /// Those that ended badly, also before their next attempt is due, however many there are.
    case now
    /// All that this machine ends, their sessions with them: it is about to stop.
    case everything
}

/// Ends the sessions that ended badly: no session ends without its tokens being revoked. And asks about open ones,
/// which may have been ended elsewhere.
package struct Reaper<System: Machine, Sessions: SessionControl> {
    private let machine: System
    private let sessions: Sessions

    /// Reaps on `machine`, whose sessions are reached by `sessions`.
    package init(machine: System, sessions: Sessions) {
        self.machine = machine
        self.sessions = sessions
    }

    /// Goes through the registry once.
    ///
    /// An app client that does not answer is asked once, and its other sessions wait for a round to come; one that
    /// answers is asked about all of its sessions, also those that are not due.
    ///
    /// - Parameters:
    ///   - dryRun: Only says what it would do.
    ///   - report: Gets a line for what is not left alone; whether it is a fault.
    /// - Returns: How many entries could not be ended yet.
    package func reap(_ scope: ReaperScope = .due, dryRun: Bool, report: (LogLine, Bool) -> Void) -> Int {
        let lock = dryRun ? EntryLock(nil) : machine.lock(.reaping, within: scope.lockLimit)
        guard lock != nil || scope == .everything else {
            report("another cognito-agent is reading the registry", false)
            return 0
        }
        defer { withExtendedLifetime(lock) {} }
        guard let found = findings(scope, dryRun, report) else {
            return 1
        }
        guard !dryRun else {
            for candidate in found.ended {
                let schedule = candidate.schedule(machine.now)
                report(candidate.who.line(.wouldBeSignedOut, schedule, text: candidate.why), false)
            }
            for session in found.open where session.isDue {
                report(session.who.line(.wouldBeChecked), false)
            }
            return journalRound(scope, dryRun: true, report)
        }
        machine.removeLeftTurns()
        var round = ReaperRound(machine, scope, sessions)
        round.end(found.ended, onlyIf: { entry in reason(machine.judge(entry), scope) != nil }, report: report)
        if scope == .everything {
            round.retryUntilDeadline(found.ended, report)
        }
        round.lookAfter(found.open, report: report)
        return round.left + journalRound(scope, dryRun: false, report)
    }

    private func journalRound(_ scope: ReaperScope, dryRun: Bool, _ report: (LogLine, Bool) -> Void) -> Int {
        // While the machine stops, what an earlier crash left is not what the time is for.
        guard scope != .everything else {
            return 0
        }
        var round = JournalRound(machine, scope)
        return round.run(dryRun: dryRun, report: report)
    }

    /// Why what was judged so is to be ended in a round; nil when it is not.
    private func reason(_ verdict: Verdict, _ scope: ReaperScope) -> ByteText? {
        switch verdict {
        case .end(let why): why
        case .leave, .unknown: scope == .everything ? "all sessions are being ended" : nil
        case .foreign: nil
        }
    }

    /// What is to be ended, what was tried least often first, and which open ones are to be looked after; nil when the
    /// registry cannot be read.
    private func findings(
        _ scope: ReaperScope,
        _ dryRun: Bool,
        _ report: (LogLine, Bool) -> Void
    ) -> (ended: [Candidate], open: [OpenSession])? {
        let serials: [KeySerial]
        do throws(ErrorNumber) {
            serials = try machine.serials()
        } catch {
            let remedy: StaticString = machine.effectiveUserID == 0 ? error.keyringRemedy : "run this command as root"
            report("the registry cannot be read (errno \(error.code)); \(remedy)", true)
            return nil
        }
        var found: [Candidate] = []
        var open: [OpenSession] = []
        var known: [(key: RootKey, user: [UInt8])] = []
        var rules = OpenSessionRules(machine, scope)
        guard var payload = Secret(capacity: largestPayload + 1) else {
            report("the registry cannot be read: not enough memory", true)
            return nil
        }
        for serial in serials {
            guard let key = machine.entry(at: serial, reading: &payload) else {
                continue
            }
            guard RegistryEntry.isOfThisVersion(payload) else {
                // Of a newer module, in a host that is still there; its own reaper understands it.
                if dryRun {
                    report("skipping a registry entry from another version of pam-cognito", false)
                }
                continue
            }
            guard let entry = RegistryEntry.decodeMetadata(payload) else {
                guard !dryRun else {
                    report("a damaged registry entry would be removed", true)
                    continue
                }
                machine.remove(key)
                report("a damaged registry entry was removed", true)
                continue
            }
            known.append((key, entry.user))
            let verdict = machine.judge(entry)
            if let why = reason(verdict, scope) {
                found.append(Candidate(key, entry, why, machine.time))
                continue
            }
            if dryRun, let why = verdict.doubt {
                report(Candidate.subject(key, entry).line(.leftAlone, text: why), false)
            }
            if verdict.isOurs, let session = rules.session(key, entry, report: report) {
                open.append(session)
            }
        }
        if !dryRun {
            // If it cannot be written, sign-ins go through all entries.
            try? machine.index(known)
        }
        found.sort { left, right in
            (left.attempts, left.created, left.key.serial.number)
                < (right.attempts, right.created, right.key.serial.number)
        }
        return (found, open)
    }
}
