import ByteText
import Configuration
import KernelKeyring
import LinuxProcess
import WorkerProtocol

/// An open session about which Cognito is asked. No secret is in it.
struct DueCheck {
    let key: RootKey
    let who: AuditSubject
    let service: [UInt8]
    /// Whether the access token is too old to ask with: then a renewal shows whether the session stands.
    let mustRenew: Bool
}

/// When Cognito is asked about open sessions, by the configurations that those began with.
struct CheckSchedule<System: Machine> {
    private let machine: System
    private let scope: ReaperScope
    /// The seconds from one check to the next; 0: none.
    private var intervals: [(path: [UInt8], seconds: Int64)] = []

    /// An access token that ends sooner, in seconds, is renewed.
    static var leastLife: Int64 { 60 }

    init(_ machine: System, _ scope: ReaperScope) {
        self.machine = machine
        self.scope = scope
    }

    /// Whether it is the turn of an open session; nil when it is not.
    mutating func due(_ key: RootKey, _ entry: borrowing RegistryEntry, report: (ByteText, Bool) -> Void) -> DueCheck? {
        guard scope != .everything, entry.state == .open, entry.tokenKey > 0 else {
            return nil
        }
        let seconds = interval(entry.configuration, report)
        guard seconds > 0, scope == .now || hasTurn(key, entry, seconds * 1000) else {
            return nil
        }
        return DueCheck(
            key: key, who: Candidate.subject(key, entry), service: entry.asked,
            mustRenew: entry.accessTokenExpiry - machine.time < Self.leastLife)
    }

    private mutating func interval(_ path: [UInt8], _ report: (ByteText, Bool) -> Void) -> Int64 {
        if let known = intervals.first(where: { interval in interval.path == path }) {
            return known.seconds
        }
        var seconds: Int64 = 0
        do throws(Fault) {
            seconds = try machine.settings(at: path, arguments: []).checkInterval
        } catch {
            report("\(error.line); sessions that began with this file are not checked", true)
        }
        intervals.append((path, seconds))
        return seconds
    }

    /// Time is cut into intervals, for each session at other moments, which its random name decides: so they stay apart, whatever
    /// was the same for all of them. Its turn is once in each.
    private func hasTurn(_ key: RootKey, _ entry: borrowing RegistryEntry, _ interval: Int64) -> Bool {
        let now = machine.now.milliseconds
        // A renewal is Cognito's word, too. What is damaged is not of tomorrow.
        let last = min(
            now, max(entry.created.milliseconds, entry.renewed.milliseconds, entry.checked.milliseconds))
        let phase = Int64(Self.hash(key.description) % UInt64(interval))
        return (now + phase) / interval > (last + phase) / interval
    }

    /// FNV-1a: the same in every round, and nobody depends on what it is.
    private static func hash(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { hash, byte in (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
}

extension ReaperRound {
    /// Asks Cognito about open sessions, after what is to be ended: a host of the quota that others need takes what is left.
    mutating func check(_ due: [DueCheck], _ sessions: some SessionControl, report: (ByteText, Bool) -> Void) {
        for session in due where mayAsk(session.service) {
            check(session, sessions, report)
        }
    }

    private mutating func check(
        _ session: DueCheck, _ sessions: some SessionControl, _ report: (ByteText, Bool) -> Void
    ) {
        guard let entry = machine.openEntry(session.key) else {
            return
        }
        let consequences = EndedElsewhere(entry, session.who, on: machine, sessions)
        switch ask(session) {
        case .good:
            answering.append(session.service)
        case .ended(let line):
            answering.append(session.service)
            report("\(session.who.line("session ended")) reason=session_ended: \(line)", false)
            consequences.tell(whoHasHeard: false)
            end(
                Candidate(session.key, entry, "it was ended elsewhere", machine.time),
                onlyIf: { entry in entry.state == .closing },
                report: report)
            settle(upTo: 0, report)
            consequences.act(report: report)
        case .unknown(let reason, let line):
            silent.append(session.service)
            report("\(session.who.line("not checked")) reason=\(reason.name): \(line)", true)
        case .invalid(let line):
            report("\(session.who.line("session is not valid")): \(line)", true)
        case .gone, .busy:
            break
        }
    }

    /// What Cognito says of a session, by a renewal where the access token is too old to ask with.
    private func ask(_ session: DueCheck) -> Checked {
        guard !session.mustRenew else {
            return renew(session.key)
        }
        let checked = SessionCheck(machine: machine).check(
            session.key, online: true, timeLimit: scope.patience, waiting: 0, ifMayCall: { true })
        if case .unknown(.accessTokenExpired, _) = checked {
            return renew(session.key)
        }
        return checked
    }

    private func renew(_ key: RootKey) -> Checked {
        let renewal = SessionRenewal(machine: machine).renew(
            key, minimumLife: .max, asked: machine.now, waiting: 0, ifMayCall: { true })
        switch renewal {
        case .renewed, .fresh: return .good(Standing(authenticatedAt: nil, groups: []))
        case .kept(let reason, let line): return .unknown(reason, line)
        case .ended(let line): return .ended(line)
        case .gone: return .gone
        case .busy: return .busy
        }
    }
}
