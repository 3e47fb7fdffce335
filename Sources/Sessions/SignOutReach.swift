import Base
import Configuration
package import Keyring
import Protocol

/// How wide an end is: what Cognito is asked for, and why that is less than is meant; nil where it is not.
struct SignOutReach {
    let revocation: Revocation
    let shortfall: Shortfall?
}

extension SessionEnding {
    /// How wide an end is that is about to begin, to be entered with it: should this process die now, the reaper sees
    /// what was meant. Where it depends on the person's other sessions, that is decided and entered under a lock: of
    /// two that end at the same moment exactly one sees no other. Where it cannot be decided it is left open, for the
    /// next attempt.
    ///
    /// - Returns: Whether the registry has taken it.
    func decideMode(_ mode: SignOutMode, of key: RootKey, _ entry: inout RegistryEntry) -> Bool {
        let lock = mode == .last ? machine.lockForEnd(.counting(entry.user)) : nil
        entry.signOut = mode
        if mode == .last, lock != nil {
            switch hasOtherSession(key, entry) {
            case true?: entry.signOut = .session
            case false?: entry.signOut = .global
            case nil: break
            }
        }
        defer { withExtendedLifetime(lock) {} }
        return (try? machine.write(key, &entry)) != nil
    }

    /// Whether the user has another session here, or a sign-in has had its tokens only for a moment.
    private func hasOtherSession(_ key: RootKey, _ entry: borrowing RegistryEntry) -> Bool? {
        machine.hasSession(
            of: entry.user, userPoolID: entry.userPoolID, besides: key,
            orPendingSince: Instant(milliseconds: machine.now.milliseconds - beginningPatience))
    }

    /// Waits for sessions that a busy machine has not yet started after their sign-ins: whether this is the user's last
    /// session depends on them. Programs that only authenticate never start one.
    func awaitBeginnings(_ key: RootKey, _ entry: borrowing RegistryEntry, until deadline: Int64) {
        while machine.now.milliseconds < deadline, hasOtherSession(key, entry) == false {
            let since = Instant(milliseconds: machine.now.milliseconds - longestBeginning)
            let userPoolID = entry.userPoolID
            let mayBegin = machine.hasEntry(of: entry.user) { _, other in
                other.userPoolID == userPoolID && machine.mayBegin(other, since: since)
            }
            guard mayBegin == true else {
                return
            }
            machine.pause(milliseconds: min(20, deadline - machine.now.milliseconds))
        }
    }

    /// How wide an attempt may be now: decided anew before each.
    ///
    /// - Parameter isEntered: Whether others see in the registry that it is under way: who signs in meanwhile without
    ///   having seen it would have tokens that are dead.
    func reach(of entry: borrowing RegistryEntry, isEntered: Bool) -> SignOutReach {
        // Tokens that no session ever had are not worth ending every session of the person.
        guard entry.delivered else {
            return SignOutReach(revocation: .session, shortfall: nil)
        }
        switch entry.signOut {
        case .session, .none: return SignOutReach(revocation: .session, shortfall: nil)
        case .last: return SignOutReach(revocation: .session, shortfall: .othersUnknown)
        case .global: break
        }
        return switch isEntered ? hasNewerSession(entry) : nil {
        case true?: SignOutReach(revocation: .session, shortfall: .newerSession)
        case false?: SignOutReach(revocation: .global, shortfall: nil)
        case nil: SignOutReach(revocation: .session, shortfall: .othersUnknown)
        }
    }

    /// Whether the user signs in here at this moment, or has since it ended, or, if the time of its end is unknown,
    /// since it began: Cognito revokes by time, so a late global sign-out would end that session, too. Nil if this is
    /// unknown.
    private func hasNewerSession(_ entry: borrowing RegistryEntry) -> Bool? {
        let since = entry.closed.milliseconds > 0 ? entry.closed : entry.created
        let (pool, loginName, identity) = (entry.userPoolID, entry.loginName, entry.identity)
        return machine.hasEntry(of: entry.user) { _, session in
            guard session.isOf(pool, loginName, identity) else {
                return false
            }
            return switch session.state {
            case .open: session.created > since
            // A sign-in that is about to have its session has its tokens a moment longer.
            case .pending:
                machine.mayBegin(session, since: Instant(milliseconds: since.milliseconds - beginningPatience))
            case .temporary, .closing: false
            }
        }
    }
}

/// How long a sign-in, or a user who requests a global sign-out, waits for the other of the two, in milliseconds.
let signOutPatience: Int64 = 5000
/// How long the end of a session, for which no user waits, waits for answers that Cognito is checking, in milliseconds.
/// A machine at which many users sign in at the same time takes longer than `signOutPatience` for one answer.
let answerPatience: Int64 = 15_000
/// The age, in milliseconds, up to which a sign-in that has tokens and no session yet counts as a session.
private let beginningPatience: Int64 = 5_000
/// The age, in milliseconds, up to which the end of a session waits for the session of such a sign-in.
private let longestBeginning: Int64 = 30_000
/// The seconds for which a note of an answer counts if it is not removed: longer than the time limit of Cognito's
/// answer.
private let answeredLife: Int64 = 120
/// How long the agent may take to be at a session that was handed over to it, in milliseconds.
private let handOverPatience: Int64 = 2000
/// How long a first attempt can run on after its caller stopped waiting, in milliseconds: the application has given up
/// or was killed, and the worker continues.
private let attemptPatience: Int64 = 10_000

/// The possible causes of a global sign-out of a user at one moment: their sessions, and those left by a crash.
package struct SignOutLook {
    private struct Seen: Equatable {
        let serial: KeySerial
        let isClosing: Bool
        let attempts: UInt8
    }

    private var sessions: [Seen] = []
    /// When a file last came into the journal or went, whosever it was, where that may have been such an end.
    fileprivate var journal: Int64?
    /// Whether a sign-out everywhere was under way, and was waited for.
    fileprivate var wasOne = false

    package init() {}

    fileprivate mutating func add(_ key: RootKey, _ entry: borrowing RegistryEntry) {
        sessions.append(Seen(serial: key.serial, isClosing: entry.state == .closing, attempts: entry.attempts))
    }

    /// Whether one may have been carried out from `earlier` until now: one that no process has seen under way is over
    /// by now, or was tried.
    package func globalSignOutPossible(since earlier: SignOutLook) -> Bool {
        wasOne || earlier.wasOne || earlier.sessions.contains { session in !sessions.contains(session) }
            || earlier.journal != journal
    }
}

extension Machine {
    /// Waits for global sign-outs of a user that are under way here: Cognito revokes by time, and tokens issued
    /// meanwhile would be invalid immediately. Those that wait for their next attempt are decided again before it.
    ///
    /// - Parameter isSwept: Whether this machine also signs out the users of sessions that a crash has left.
    package func awaitSignOuts(of user: [UInt8], userPoolID: [UInt8], sweeping isSwept: Bool) -> SignOutLook {
        var (look, underWay) = lookForSignOuts(of: user, userPoolID: userPoolID, sweeping: isSwept)
        look.wasOne = awaitEnds(of: underWay, until: now.milliseconds + signOutPatience) || look.wasOne
        return look
    }

    /// The same before an answer of the user goes to Cognito, which is noted: a sign-out everywhere that begins from
    /// then on waits for what comes of it. Of the two, each notes what it is about to do before it looks for the other;
    /// where both have, this one waits.
    ///
    /// - Parameter subject: Who signs in as whom.
    /// - Returns: What was there, and the note, which is the caller's to take back; nil where it could not be made.
    package func awaitSignOuts(
        of user: [UInt8], userPoolID: [UInt8], sweeping isSwept: Bool, noting subject: AttemptSubject
    ) -> (look: SignOutLook, answered: RootKey?) {
        let deadline = now.milliseconds + signOutPatience
        while true {
            let answered = try? noteAttempt(.answered, subject, lasting: answeredLife)
            var (look, underWay) = lookForSignOuts(of: user, userPoolID: userPoolID, sweeping: isSwept)
            // Past the deadline the answer goes out all the same, and is looked after.
            look.wasOne = underWay.contains { signOut in isUnderWay(signOut) == true }
            guard look.wasOne, now.milliseconds < deadline else {
                return (look, answered)
            }
            if let answered {
                forgetAttempt(answered)
            }
            _ = awaitEnds(of: underWay, until: deadline)
        }
    }

    /// Waits for answers of a user that Cognito is judging: their tokens would be invalid immediately, and no process
    /// would know them.
    ///
    /// - Parameters:
    ///   - deadline: The end of the wait, in milliseconds. A sign-out continues then.
    ///   - isGlobal: Whether the sign-out is still to be global. Other sign-outs need not wait.
    func awaitAnswers(of user: [UInt8], until deadline: Int64, while isGlobal: () -> Bool = { true }) {
        while now.milliseconds < deadline, isGlobal(), hasAnswer(of: user) {
            pause(milliseconds: min(20, deadline - now.milliseconds))
        }
    }

    private func hasAnswer(of user: [UInt8]) -> Bool {
        hasAttempt(of: user) { attempt in
            // A stopped program delays others only once.
            let age = answeredLife * 1000 - (attempt.end.milliseconds - now.milliseconds)
            return attempt.kind == .answered && age < answerPatience && !isProcessGone(attempt)
        }
    }

    /// Signs a user out everywhere by `body` without an entry of the registry: answers to Cognito wait for it, and it
    /// waits for those that Cognito is judging.
    ///
    /// - Parameter limit: The time limit of Cognito's answer, in milliseconds. After that the note of it expires by
    ///   itself.
    package func signingOutEverywhere<Result>(
        _ user: [UInt8], within limit: Int64, _ body: () throws(Fault) -> Result
    ) throws(Fault) -> Result {
        let seconds = (signOutPatience + limit) / 1000 + 1
        let note = try? noteAttempt(.signingOut, AttemptSubject(user: user, caller: 0), lasting: seconds)
        defer {
            if let note {
                forgetAttempt(note)
            }
        }
        awaitAnswers(of: user, until: now.milliseconds + signOutPatience)
        return try body()
    }

    private func lookForSignOuts(
        of user: [UInt8], userPoolID: [UInt8], sweeping isSwept: Bool
    ) -> (look: SignOutLook, underWay: [SignOutUnderWay]) {
        var look = SignOutLook()
        var underWay: [SignOutUnderWay] = []
        if isSwept {
            look.journal = journalStamp
        }
        try? forEachEntry(of: user) { key, entry in
            guard entry.userPoolID == userPoolID, entry.delivered else {
                return
            }
            look.add(key, entry)
            if entry.state == .closing, entry.signOut == .global || entry.signOut == .last {
                underWay.append(.entry(key))
            }
        }
        if signingOut(user) {
            underWay.append(.noted(user))
        }
        return (look, underWay)
    }

    /// Waits until these are over; whether one was under way at all. One that has just gone was carried out.
    private func awaitEnds(of signOuts: [SignOutUnderWay], until deadline: Int64) -> Bool {
        var wasOne = false
        for signOut in signOuts {
            var isAtIt = isUnderWay(signOut)
            wasOne = wasOne || isAtIt ?? true
            while isAtIt == true, now.milliseconds < deadline {
                pause(milliseconds: min(20, deadline - now.milliseconds))
                isAtIt = isUnderWay(signOut)
            }
        }
        return wasOne
    }

    /// nil: it is over.
    private func isUnderWay(_ signOut: SignOutUnderWay) -> Bool? {
        switch signOut {
        case .entry(let key): isUnderWay(key)
        case .noted(let user): signingOut(user) ? true : nil
        }
    }

    /// The process that notes it may end while the worker continues: the note expires in time by itself.
    private func signingOut(_ user: [UInt8]) -> Bool {
        hasAttempt(of: user) { attempt in attempt.kind == .signingOut && now < attempt.end }
    }

    private func hasAttempt(of user: [UInt8], where isWanted: (Attempt) -> Bool) -> Bool {
        (try? attempts { subject in subject.user == user })?.contains(where: isWanted) ?? false
    }

    /// Whether a process ends a session: this or another program, an agent to which it was handed over, or a worker by
    /// itself; nil: it has ended.
    ///
    /// It is only read: a user who signs in has proved nothing yet, and a user who can stop their program must not
    /// delay the end.
    private func isUnderWay(_ key: RootKey) -> Bool? {
        guard !isLocked(key) else {
            return true
        }
        let access = lookAtEntry(key) { entry in
            guard entry.state == .closing, entry.closed.milliseconds > 0 else {
                return false
            }
            let age = now.milliseconds - entry.closed.milliseconds
            return switch entry.attempts {
            case 0: age < handOverPatience
            case 1: entry.nextAttempt.milliseconds == 0 && age < attemptPatience
            // The second process may have found no worker while the first one's is still running.
            default: age < attemptPatience
            }
        }
        return switch access {
        case .had(let isUnderWay): isUnderWay
        case .busy: true
        case .gone: nil
        case .otherVersion, .damaged, .unreadable: false
        }
    }
}

/// A sign-out everywhere that may be under way.
private enum SignOutUnderWay {
    /// The end of a session.
    case entry(RootKey)
    /// One that was requested for that user.
    case noted([UInt8])
}

extension SignOutResult {
    /// The same where the root side has asked for less than was meant, because of `shortfall`.
    func lessened(by shortfall: Shortfall?) -> SignOutResult {
        guard let shortfall else {
            return self
        }
        return switch self {
        case .nothing: .nothing(shortfall)
        default: .onlySession(shortfall)
        }
    }
}
