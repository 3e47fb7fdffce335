import Base
import Configuration
import Keyring
import Protocol

/// How wide an end is: what Cognito is asked for, and why that is less than is meant; nil where it is not.
struct SignOutReach {
    let revocation: Revocation
    let shortfall: Shortfall?
}

extension SessionEnding {
    /// How wide an end is that is about to begin, to be entered with it: should this process die now, the reaper sees what was
    /// meant. Where it depends on
    /// the person's other sessions, that is decided and entered under a lock: of two that end at the same moment exactly
    /// one sees no other. Where it cannot be decided it is left open, for the next attempt.
    ///
    /// - Returns: Whether the registry has taken it.
    func decideMode(_ mode: SignOutMode, of key: RootKey, _ entry: inout RegistryEntry) -> Bool {
        let lock = mode == .last ? machine.lock(.counting(PersonIndex(of: entry.user)), within: countingLimit) : nil
        entry.signOut = mode
        if mode == .last, lock != nil {
            let others = machine.hasSession(of: entry.user, userPoolID: entry.userPoolID, besides: key)
            switch others {
            case true?: entry.signOut = .session
            case false?: entry.signOut = .global
            case nil: break
            }
        }
        defer { withExtendedLifetime(lock) {} }
        do throws(ErrorNumber) {
            try machine.write(key, &entry)
            return true
        } catch {
            return false
        }
    }

    /// How wide an attempt may be now: decided anew before each.
    ///
    /// - Parameter isEntered: Whether others see in the registry that it is under way: who signs in meanwhile without having seen it
    ///   would have tokens that are dead.
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

    /// Whether the person has signed in here again since it ended, or, where nobody knows when that was, since it began: Cognito
    /// revokes by time, so a late global sign-out would end that session, too. Nil where that cannot be found out.
    private func hasNewerSession(_ entry: borrowing RegistryEntry) -> Bool? {
        let since = entry.closed.milliseconds > 0 ? entry.closed : entry.created
        let pool = entry.userPoolID
        return machine.hasEntry(of: entry.user) { _, session in
            session.userPoolID == pool
                && (session.state == .pending || session.state == .open) && session.created > since
        }
    }
}

/// How long a sign-in waits for a sign-out everywhere of the same person, in milliseconds.
private let signOutPatience: Int64 = 5000
/// How long the agent may take to be at a session that was handed over to it, in milliseconds.
private let handOverPatience: Int64 = 2000
/// How long a first attempt may be under way that nobody waits for any more, in milliseconds: its host has given up or was killed, and
/// the worker goes on.
private let attemptPatience: Int64 = 10_000

/// What may lead to a sign-out everywhere of a person, as it was when somebody looked: their sessions, and what a crash left.
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

    /// There was none.
    package init() {}

    fileprivate mutating func add(_ key: RootKey, _ entry: borrowing RegistryEntry) {
        sessions.append(Seen(serial: key.serial, isClosing: entry.state == .closing, attempts: entry.attempts))
    }

    /// Whether one may have been carried out from `earlier` until now: one that nobody has seen under way is over by now, or was tried.
    package func mayFollowOne(since earlier: SignOutLook) -> Bool {
        wasOne || earlier.sessions.contains { session in !sessions.contains(session) }
            || earlier.journal != journal
    }
}

extension Machine {
    /// Waits for sign-outs everywhere of a person that are under way here: Cognito revokes by time, and what it gave somebody meanwhile
    /// would be dead at once. Those that wait for their next attempt are decided anew before it.
    ///
    /// - Parameter isSwept: Whether this machine also signs people out everywhere whose sessions a crash has left.
    package func awaitSignOuts(of user: [UInt8], userPoolID: [UInt8], sweeping isSwept: Bool) -> SignOutLook {
        var look = SignOutLook()
        var ending: [RootKey] = []
        if isSwept {
            look.journal = journalStamp
        }
        try? forEachEntry(of: user) { key, entry in
            guard entry.userPoolID == userPoolID, entry.delivered else {
                return
            }
            look.add(key, entry)
            if entry.state == .closing, entry.signOut == .global || entry.signOut == .last {
                ending.append(key)
            }
        }
        let deadline = now.milliseconds + signOutPatience
        for key in ending {
            var isAtIt = isUnderWay(key)
            // One that has just gone was carried out.
            look.wasOne = look.wasOne || isAtIt ?? true
            while isAtIt == true, now.milliseconds < deadline {
                pause(milliseconds: min(20, deadline - now.milliseconds))
                isAtIt = isUnderWay(key)
            }
        }
        return look
    }

    /// Whether somebody ends a session, an agent is about to, to which it was handed over, or a worker by itself; nil: it has ended.
    ///
    /// It is only looked at: who signs in has proved nothing yet, and whoever can stop their program must not keep the end back.
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
            // Whoever came second may have found no worker, and the first one's be at it still.
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
