import Base
import Configuration
import Keyring
import Sessions

extension ReaperRound {
    /// How long before the end a person is told of it, in milliseconds.
    private static var notice: Int64 { 120_000 }

    /// Ends a session that has been idle for too long, if its user has been warned; returns whether it did.
    mutating func endIdle(_ session: OpenSession, _ report: (LogLine, Bool) -> Void) -> Bool {
        guard let entry = machine.openEntry(session.key), let person = try? machine.account(named: entry.user),
            // Never without a terminal: activity in such a session cannot be seen.
            let idle = sessions.idleTime(of: person, inSessionOf: entry.host)
        else {
            return false
        }
        // Not as far back as the clock that was set: what is longer than the limit is as good as that.
        let idleTime = min(idle, session.longestIdle) * 1000
        guard idleTime >= session.longestIdle * 1000 - Self.notice else {
            return false
        }
        let consequences = UnaskedEnd(.idle, of: entry, session.who, on: machine, sessions)
        let now = machine.now.milliseconds
        let lastTyped = now - idleTime
        // What was said before they typed was about another time. That time may seem to be before the machine's start:
        // its clock was set, or a new machine's was.
        guard entry.warned.milliseconds > max(0, lastTyped) else {
            if enterWarning(session.key) {
                consequences.warn()
            }
            return false
        }
        guard idleTime >= session.longestIdle * 1000, now - entry.warned.milliseconds >= Self.notice,
            SessionEnding(machine: machine).destroyTokens(session.key, forLock: holderPatience, because: .idle)
        else {
            return false
        }
        report(session.who.line(.sessionEnded, reason: "idle", text: "no terminal input for \(idle) seconds"), false)
        end(session, consequences, "no terminal input", report)
        return true
    }

    /// Enters that the person is told now; whether that could be done. A session that another process is at has not
    /// been idle.
    private func enterWarning(_ key: RootKey) -> Bool {
        let access = machine.withEntry(key, lockedWithin: 0) { entry in
            guard entry.isOpen else {
                return false
            }
            entry.warned = machine.now
            return (try? machine.write(key, &entry)) != nil
        }
        return access == .had(true)
    }
}
