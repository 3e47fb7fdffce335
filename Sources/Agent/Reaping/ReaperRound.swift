import Base
import Configuration
import Keyring
import Protocol
import Sessions

/// A session that is to be ended. No secret is in it.
struct Candidate {
    let key: RootKey
    let who: AuditSubject
    let user: [UInt8]
    let why: ByteText
    /// Who is asked about it, and with which rights: what fails for one session fails for all with the same.
    let service: [UInt8]
    let attempts: UInt8
    let nextAttempt: Instant
    let created: Instant
    /// The time when its end began; zero if it has not begun.
    let closed: Instant
    /// Whether Cognito is not asked: it was in vain for too long, or the tokens may live.
    let isLocal: Bool
    /// Whether it was in vain for too long.
    let isGivenUp: Bool

    init(_ key: RootKey, _ entry: borrowing RegistryEntry, _ why: ByteText, _ time: Int64) {
        self.key = key
        who = Self.subject(key, entry)
        user = entry.user
        self.why = why
        service = entry.asked
        attempts = entry.attempts
        nextAttempt = entry.nextAttempt
        created = entry.created
        closed = entry.closed
        isGivenUp = entry.isGivenUp(at: time)
        isLocal = isGivenUp || entry.delivered && entry.signOut == .none
    }

    /// Whom the reaper's lines are about: the session and its host.
    static func subject(_ key: RootKey, _ entry: borrowing RegistryEntry) -> AuditSubject {
        AuditSubject(key, entry, ["process": "\(entry.host.id)"])
    }

    /// What follows from earlier attempts: fields of a line.
    func schedule(_ now: Instant) -> AuditFields {
        guard attempts > 0 else {
            return [:]
        }
        let pause = nextAttempt.milliseconds - now.milliseconds
        return ["attempts": "\(attempts)", "next": "\(pause > 0 ? (pause + 999) / 1000 : 0)s"]
    }
}

extension RegistryEntry {
    /// Who is asked about the session, and with which rights.
    var asked: [UInt8] {
        userPoolID + [0x20] + clientID + [0x20] + (endpoint ?? [])
    }
}

extension ReaperScope {
    /// How long a round may wait for another one, in milliseconds.
    var lockLimit: Int32 { self == .now ? 60_000 : 0 }
    /// How long a round may go on beginning with other sessions, in milliseconds.
    fileprivate var timeLimit: Int64 {
        switch self {
        case .due: 50_000
        case .now: Int64.max
        case .everything: 8_000
        }
    }
    /// How long one session may take, in milliseconds.
    var patience: Int64 { self == .everything ? 5000 : 10_000 }
    /// So many workers may be waiting for a service at a time, once it has answered: a slow one does not hold up a
    /// round, and one that does not answer is known by the first. While the machine stops there is no time to find out.
    fileprivate var mostAsked: Int { self == .everything ? 16 : 8 }
}

/// One round's way through what is to be ended: how fast it goes, and what it learns of the services.
struct ReaperRound<System: Machine, Sessions: SessionControl> {
    /// So many sign-outs may follow each other at once; then there is one each interval, in milliseconds. Of Cognito's
    /// quota of 120 requests a second for all hosts of an account (UserToken) a host takes a small part.
    private static var burst: Int64 { 20 }
    private static var interval: Int64 { 100 }

    let machine: System
    let scope: ReaperScope
    let sessions: Sessions
    private let sessionEnding: SessionEnding<System>
    private let began: Instant
    private var asked: Int64 = 0
    /// How many could not be ended yet.
    private(set) var left = 0
    private var notTried = 0
    /// Whom another process was at, or has taken over meanwhile.
    private var busy: [Candidate] = []
    var silent: [[UInt8]] = []
    /// Which services have failed whom.
    private var failed: [(service: [UInt8], user: [UInt8])] = []
    var answering: [[UInt8]] = []
    /// Whom Cognito has been asked about, the longest waiting first.
    private var waiting: [(candidate: Candidate, ending: SessionOperation<Ending>)] = []
    /// Which open sessions it has been asked about, the longest waiting first.
    var looking: [(session: OpenSession, look: SessionOperation<Checked>)] = []
    /// Open sessions that Cognito has refused in this round.
    var ended: [OpenSession] = []

    init(_ machine: System, _ scope: ReaperScope, _ sessions: Sessions) {
        self.machine = machine
        self.sessions = sessions
        sessionEnding = SessionEnding(machine: machine, sharing: SharedWorkers(on: machine))
        self.scope = scope
        began = machine.now
    }

    /// Ends `found` as far as it goes.
    ///
    /// - Parameter isMeant: Looks at an entry again, now that it is locked.
    mutating func end(
        _ found: [Candidate],
        onlyIf isMeant: (borrowing RegistryEntry) -> Bool,
        report: (LogLine, Bool) -> Void
    ) {
        var early: [Candidate] = []
        for candidate in found {
            if scope == .due, !candidate.isLocal, candidate.nextAttempt > machine.now {
                early.append(candidate)
            } else {
                end(candidate, onlyIf: isMeant, report: report)
            }
        }
        settle(upTo: 0, report)
        for candidate in early {
            if answering.contains(candidate.service), !silent.contains(candidate.service) {
                end(candidate, onlyIf: isMeant, report: report)
            } else {
                left += 1
            }
        }
        settle(upTo: 0, report)
        if scope != .everything {
            passOver(onlyIf: isMeant, report)
        }
        if notTried > 0 {
            report(
                .event(
                    .roundNotFinished, ["waiting": "\(notTried)"],
                    text: "the other sessions wait for the next cleanup run"), true)
        }
    }

    /// Sees to those that another process has locked: most often it is about to end them; a stopped one does not.
    private mutating func passOver(
        onlyIf isMeant: (borrowing RegistryEntry) -> Bool, _ report: (LogLine, Bool) -> Void
    ) {
        let since = machine.now.milliseconds
        while busy.contains(where: { candidate in machine.isLocked(candidate.key) }),
            machine.now.milliseconds - since < holderPatience
        {
            machine.pause(milliseconds: 200)
        }
        let again = busy.filter { candidate in machine.isLocked(candidate.key) && !silent.contains(candidate.service) }
        busy = busy.filter { candidate in silent.contains(candidate.service) }
        for candidate in again {
            end(candidate, onlyIf: isMeant, report: report)
        }
        settle(upTo: 0, report)
        for candidate in busy where machine.isLocked(candidate.key) {
            left += 1
            let isRecent = since - candidate.closed.milliseconds < longestEnd
            report(
                candidate.who.line(
                    .signOutNotFinished, text: "\(candidate.why): another process has locked the registry entry"),
                !isRecent)
        }
        busy = []
    }

    mutating func end(
        _ candidate: Candidate,
        onlyIf isMeant: (borrowing RegistryEntry) -> Bool,
        report: (LogLine, Bool) -> Void
    ) {
        if !candidate.isLocal {
            settle(upTo: mayWait(for: candidate.service), report)
        }
        guard candidate.isLocal || mayAsk(candidate.service) else {
            left += 1
            if scope == .everything {
                // There is no other round.
                report(
                    candidate.who.line(.signOutNotFinished, text: "\(candidate.why): Cognito was not contacted again"),
                    true)
            } else {
                notTried += 1
            }
            return
        }
        let begun = sessionEnding.begin(
            candidate.key, mode: nil, forLock: 0, waiting: min(scope.patience, max(500, scope.timeLimit - elapsed)),
            trying: scope == .everything ? .patient : .once,
            because: scope == .everything ? .shutdown : .hostGone, onlyIf: isMeant)
        switch begun {
        case .finished(let ending): take(ending, of: candidate, report)
        case .pending: waiting.append((candidate, begun))
        }
    }

    /// How many answers of `service` may be missing when it is asked for another one.
    func mayWait(for service: [UInt8]) -> Int {
        answering.contains(service) || scope == .everything && !silent.contains(service) ? scope.mostAsked - 1 : 0
    }

    /// Waits for answers until no more than `count` are missing.
    mutating func settle(upTo count: Int, _ report: (LogLine, Bool) -> Void) {
        while waiting.count > count {
            let first = waiting.removeFirst()
            take(first.ending.finish(), of: first.candidate, report)
        }
    }

    private mutating func take(_ ending: Ending, of candidate: Candidate, _ report: (LogLine, Bool) -> Void) {
        switch ending {
        case .done(let how):
            if !candidate.isLocal, !answering.contains(candidate.service) {
                answering.append(candidate.service)
            }
            let remark: ByteText =
                candidate.isGivenUp
                ? ". The tokens have probably expired, but Cognito never confirmed the revocation" : ""
            report(
                candidate.who.line(
                    candidate.isGivenUp ? .givenUp : .signedOut, how.fields,
                    text: how.remark(before: "\(candidate.why)\(remark)")), how.isFault)
        case .left(let reason, let fault):
            left += 1
            switch reason {
            case .serviceFault, .internalFault: recordFailure(candidate.service, whichFailed: candidate.user)
            default: silent.append(candidate.service)
            }
            report(candidate.who.line(.signOutNotFinished, text: "\(candidate.why): \(fault)"), true)
        case .busy:
            busy.append(candidate)
        case .handedOver: break
        }
    }

    /// Records that a service has failed for a user. One user's tokens can be the cause, so others still use the
    /// service.
    mutating func recordFailure(_ service: [UInt8], whichFailed user: [UInt8]) {
        if failed.contains(where: { one in one.service == service && one.user != user }) {
            silent.append(service)
        }
        failed.append((service, user))
    }

    /// While the machine stops, hosts are at their own sessions. What those leave is tried once more; what is left when
    /// the time is over is told, and no worker goes on with it: systemd would wait for that.
    mutating func retryUntilDeadline(_ found: [Candidate], _ report: (LogLine, Bool) -> Void) {
        while elapsed < scope.timeLimit, !busy.isEmpty || left > 0 && found.contains(where: hasHost) {
            machine.pause(milliseconds: 200)
            guard elapsed < scope.timeLimit else {
                break
            }
            let again = busy
            busy = []
            for candidate in again {
                end(candidate, onlyIf: { _ in true }, report: report)
            }
            settle(upTo: 0, report)
        }
        for candidate in busy {
            left += 1
            report(
                candidate.who.line(
                    .signOutNotFinished,
                    text: "\(candidate.why): the PAM application kept the registry entry locked"), true)
        }
        if left > 0 {
            machine.endWorkers()
        }
    }

    /// Whether a process runs that may begin with its end.
    private func hasHost(_ candidate: Candidate) -> Bool {
        guard let entry = machine.readEntry(candidate.key) else {
            return false
        }
        return machine.life(of: entry.host) == .alive
    }

    private var elapsed: Int64 { machine.now.milliseconds - began.milliseconds }

    /// Whether Cognito may be asked now; waits for the moment.
    mutating func mayAsk(_ service: [UInt8]) -> Bool {
        var elapsed = elapsed
        guard !silent.contains(service), elapsed < scope.timeLimit else {
            return false
        }
        let earliest = (asked - Self.burst + 1) * Self.interval
        if scope != .everything, earliest > elapsed {
            machine.pause(milliseconds: earliest - elapsed)
            elapsed = earliest
        }
        asked += 1
        return elapsed < scope.timeLimit
    }
}
