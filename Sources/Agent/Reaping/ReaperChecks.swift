import Base
import Configuration
import Keyring
import Messages
import Protocol
import Sessions

/// An open session that the run must look after. It contains no secret.
struct OpenSession {
    let key: RootKey
    let who: AuditSubject
    let user: [UInt8]
    let service: [UInt8]
    /// The seconds without input until it ends; 0: unlimited.
    let longestIdle: Int64
    /// Whether Cognito is asked about it.
    let isDue: Bool
    /// Whether the access token is too old to ask with, or is to be renewed ahead: a renewal shows whether the session
    /// stands, too.
    let mustRenew: Bool
    /// Whether its tokens are locked with its screen.
    let followsScreen: Bool
    /// Whether its place among the person's sessions is asked for.
    let isPlaced: Bool
    /// Whether the user must be told that its tokens expire soon and cannot be renewed.
    let endsSoon: Bool
}

/// Which open sessions a round looks after, by the configurations that those began with.
struct OpenSessionRules<System: Machine> {
    private let machine: System
    private let scope: ReaperScope
    private var known: [(path: [UInt8], rules: Rules)] = []

    private struct Rules {
        var checkInterval: Int64 = 0
        var longestIdle: Int64 = 0
        /// Whether tokens are renewed ahead.
        var renewsAhead = false
        /// Whether tokens are locked with the screen.
        var followsScreen = false
        /// Whether something is done to sessions that end elsewhere.
        var acts = false
        /// The validity of refresh tokens, in seconds; 0: unknown.
        var validity: Int64 = 0
    }

    /// An access token that ends sooner, in seconds, is renewed.
    static var leastLife: Int64 { 60 }
    /// Rounds are a minute and a half apart at most: what is renewed ahead is renewed so long before its end, in
    /// seconds, at least.
    private static var leastAhead: Int64 { 150 }

    init(_ machine: System, _ scope: ReaperScope) {
        self.machine = machine
        self.scope = scope
    }

    /// The session of `entry`, if there is something to be looked after now.
    mutating func session(
        _ key: RootKey,
        _ entry: borrowing RegistryEntry,
        report: (LogLine, Bool) -> Void
    ) -> OpenSession? {
        guard scope != .everything, entry.state == .open, entry.tokenKey > 0 else {
            return nil
        }
        let rules = rules(entry.configuration, report)
        // How it stands to others has to be known before it ends.
        let isUnplaced = rules.acts && entry.place == nil && !wasLookedAt(entry, since: entry.renewed.milliseconds)
        let mustRenew = rules.renewsAhead && isEnding(key, entry) && !wasLookedAt(entry, since: end(of: entry))
        let isDue =
            mustRenew
            || rules.checkInterval > 0
                && (scope == .now || isUnplaced || hasTurn(key, entry, rules.checkInterval * 1000))
        let endsSoon = !entry.endTold && endsSoon(entry.expires - machine.time, of: rules.validity)
        guard isDue || rules.longestIdle > 0 || rules.followsScreen || endsSoon else {
            return nil
        }
        return OpenSession(
            key: key, who: Candidate.subject(key, entry), user: entry.user, service: entry.asked,
            longestIdle: rules.longestIdle, isDue: isDue,
            mustRenew: mustRenew || entry.accessTokenExpiry - machine.time < Self.leastLife,
            followsScreen: rules.followsScreen, isPlaced: rules.acts, endsSoon: endsSoon)
    }

    /// Whether its look or renewal was Cognito's definite word after that moment, in milliseconds since boot: then the
    /// next one waits for its turn.
    private func wasLookedAt(_ entry: borrowing RegistryEntry, since moment: Int64) -> Bool {
        entry.checked.milliseconds > moment
    }

    /// When the access token ends, or has ended, in milliseconds since boot.
    private func end(of entry: borrowing RegistryEntry) -> Int64 {
        machine.now.milliseconds + (entry.accessTokenExpiry - machine.time) * 1000
    }

    /// Whether that is the time to tell people of the end: a tenth of the life before it, but at least a quarter of an
    /// hour and at most a day.
    private func endsSoon(_ left: Int64, of validity: Int64) -> Bool {
        validity > 0 && left > 0 && left <= min(86_400, max(900, validity / 10))
    }

    /// Whether an access token is to be renewed ahead: 5 to 15 minutes before its end, for each session at another
    /// moment, so that those that began together stay apart; of tokens that live shorter in the last quarter of their
    /// life, but not so late that no round came by before the end.
    private func isEnding(_ key: RootKey, _ entry: borrowing RegistryEntry) -> Bool {
        let left = entry.accessTokenExpiry - machine.time
        let life = left + max(0, machine.now.milliseconds - entry.renewed.milliseconds) / 1000
        let ahead = 300 + Int64(fnv1a(key.description) % 600)
        return left < max(Self.leastAhead, min(ahead, life / 4))
    }

    private mutating func rules(_ path: [UInt8], _ report: (LogLine, Bool) -> Void) -> Rules {
        if let found = known.first(where: { known in known.path == path }) {
            return found.rules
        }
        var rules = Rules()
        do throws(Fault) {
            let settings = try machine.settings(at: path, arguments: [])
            rules = Rules(
                checkInterval: settings.checkInterval, longestIdle: settings.idleSignOut,
                renewsAhead: settings.renewsAhead, followsScreen: settings.locksTokens,
                acts: settings.onRevoked != .notify, validity: settings.givenRefreshTokenValidity ?? 0)
        } catch {
            report("\(error.line); open sessions that use this configuration file are not checked", true)
        }
        known.append((path, rules))
        return rules
    }

    /// Time is cut into intervals, for each session at other moments, which its random name decides: so they stay
    /// apart, whatever was the same for all of them. Its turn is once in each.
    private func hasTurn(_ key: RootKey, _ entry: borrowing RegistryEntry, _ interval: Int64) -> Bool {
        let now = machine.now.milliseconds
        // A renewal is Cognito's word, too. What is damaged is not of tomorrow.
        let last = min(
            now, max(entry.created.milliseconds, entry.renewed.milliseconds, entry.checked.milliseconds))
        let phase = Int64(fnv1a(key.description) % UInt64(interval))
        return (now + phase) / interval > (last + phase) / interval
    }
}

extension ReaperRound {
    /// Looks after open sessions, after what is to be ended: a host of the quota that others need takes what is left.
    mutating func lookAfter(_ open: [OpenSession], report: (LogLine, Bool) -> Void) {
        for session in open {
            if session.followsScreen {
                watchScreen(session, report)
            }
            if session.endsSoon {
                tellOfEnd(session)
            }
            if session.longestIdle > 0, endIdle(session, report) {
                continue
            }
            if session.isDue {
                look(session, report)
            }
        }
        settleLooks(upTo: 0, report)
        // Once none of them is at work any more: why one has ended, others tell.
        let ended = ended
        self.ended = []
        // All of them first: what is ended tells nothing any more.
        var reasons: [EndReason?] = []
        for session in ended {
            if let entry = machine.readEntry(session.key) {
                reasons.append(machine.askWhyEnded(entry, session.key, gone: ended.map(\.key)))
            } else {
                reasons.append(nil)
            }
        }
        for (session, reason) in zip(ended, reasons) {
            // If it is gone altogether, so is the person.
            guard let reason, let entry = machine.readEntry(session.key) else {
                continue
            }
            end(
                session, UnaskedEnd(reason, of: entry, session.who, on: machine, sessions),
                "the session was ended elsewhere", report)
        }
    }

    private func watchScreen(_ session: OpenSession, _ report: (LogLine, Bool) -> Void) {
        TokenLock(machine: machine).settle(session.key)
        if let entry = machine.readEntry(session.key) {
            _ = machine.areTokensLocked(session.key, entry, session.who, bySessions: sessions, waiting: 0) { line in
                report(line, false)
            }
        }
    }

    /// Tells the user, once, when the session's tokens expire without another renewal.
    private func tellOfEnd(_ session: OpenSession) {
        _ = machine.withEntry(session.key, lockedWithin: 0) { entry in
            guard entry.isOpen, let person = try? machine.account(named: entry.user) else {
                return
            }
            entry.endTold = true
            guard (try? machine.write(session.key, &entry)) != nil else {
                return
            }
            let end = TerminalWording.endsSoon(in: entry.expires - machine.time)
            let line = end.phrase.said(
                in: machine.language ?? .english, filling: [("\(end.count)" as ByteText).bytes])
            _ = sessions.tell(line, person, inSessionOf: entry.host)
        }
    }

    private mutating func look(_ session: OpenSession, _ report: (LogLine, Bool) -> Void) {
        settleLooks(upTo: mayWait(for: session.service), report)
        guard mayAsk(session.service) else {
            return
        }
        let look = begin(session)
        switch look {
        case .finished(let checked): take(checked, of: session, report)
        case .pending: looking.append((session, look))
        }
    }

    /// Waits for answers until no more than `count` are missing.
    private mutating func settleLooks(upTo count: Int, _ report: (LogLine, Bool) -> Void) {
        while looking.count > count {
            let first = looking.removeFirst()
            take(first.look.finish(), of: first.session, report)
        }
    }

    private mutating func take(
        _ checked: Checked,
        of session: OpenSession,
        _ report: (LogLine, Bool) -> Void
    ) {
        switch checked {
        case .good(let tokens):
            answering.append(session.service)
            if let note = tokens.note {
                report(note.line, note.isFault)
            }
        case .failed(.ended(let line)):
            answering.append(session.service)
            report(session.who.line(.sessionEnded, reason: "session_ended", text: line), false)
            guard let entry = machine.readEntry(session.key) else {
                break
            }
            guard !entry.wasRevoked else {
                ended.append(session)
                break
            }
            end(
                session, UnaskedEnd(entry.refusalReason, of: entry, session.who, on: machine, sessions),
                entry.ranOut ? "the refresh token has expired" : "the session was ended elsewhere", report)
        case .failed(.kept(let reason, let line)):
            switch reason {
            case .unreachable, .throttled: silent.append(session.service)
            case .serviceFault, .internalFault, .refusedByPool:
                recordFailure(session.service, whichFailed: session.user)
            case .renewalLost: answering.append(session.service)
            // Of this session's tokens alone.
            default: break
            }
            report(session.who.line(.notChecked, reason: reason.name, text: line), true)
        case .invalid(let line):
            report(session.who.line(.sessionIsNotValid, text: line), true)
        case .failed(.gone), .failed(.busy):
            break
        }
    }

    /// Goes on with a session whose tokens are out of reach already.
    mutating func end(
        _ session: OpenSession,
        _ consequences: UnaskedEnd<System, Sessions>,
        _ why: ByteText,
        _ report: (LogLine, Bool) -> Void
    ) {
        consequences.tell(whoHasHeard: false)
        if let entry = machine.readEntry(session.key) {
            end(
                Candidate(session.key, entry, why, machine.time), onlyIf: { entry in entry.state == .closing },
                report: report)
            settle(upTo: 0, report)
        }
        consequences.act(report: report)
    }

    /// Asks Cognito whether a session stands; or for new tokens, which shows that, too, where the access token is too
    /// old to ask with.
    private func begin(_ session: OpenSession) -> SessionOperation<Checked> {
        guard session.mustRenew else {
            return SessionCheck(machine: machine).check(
                session.key, online: true, placing: session.isPlaced ? 0 : nil, timeLimit: scope.patience, waiting: 0,
                ifMayCall: { true })
        }
        return SessionRenewal(machine: machine).renew(
            session.key, minimumLife: .max, asked: machine.now, timeLimit: scope.patience, waiting: 0,
            ifMayCall: { true }, whenLate: scope == .everything ? nil : { _ in }
        ).map { renewal in Checked(renewal) }
    }
}
