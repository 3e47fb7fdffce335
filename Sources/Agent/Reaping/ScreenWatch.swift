import Base
package import Keyring
import LoginHooks
package import Sessions

/// Locks a session's tokens when its screen is locked (`lock_tokens`). There is no notification: each cleanup run
/// checks it, and each request for tokens. It never unlocks anything, because the session's own processes can decide
/// what systemd-logind reports.
package struct ScreenWatch<System: Machine, Sessions: SessionControl> {
    private let machine: System
    private let sessions: Sessions

    /// Looks at sessions of `machine`.
    package init(_ machine: System, _ sessions: Sessions) {
        self.machine = machine
        self.sessions = sessions
    }

    /// Looks at a session; whether its tokens are locked, now or before.
    ///
    /// - Parameters:
    ///   - milliseconds: How long to wait for another process that has the session locked.
    ///   - report: Gets a line for the log.
    package func areTokensLocked(
        _ key: RootKey, _ entry: borrowing RegistryEntry, _ who: AuditSubject, waiting milliseconds: Int32,
        report: (LogLine) -> Void
    ) -> Bool {
        guard entry.locked.milliseconds == 0 else {
            return true
        }
        let lock = TokenLock(machine: machine)
        guard entry.isOpen, lock.obeysScreen(entry), let person = try? machine.account(named: entry.user),
            sessions.isScreenLocked(of: person, inSessionOf: entry.host) == true
        else {
            return false
        }
        switch lock.lock(key, waiting: milliseconds) {
        case .had(.made): report(who.line(.tokensLocked, ["by": "screen"]))
        case .had(.failed(let error)): report(who.line(.tokensNotLocked, text: "errno \(error.code)"))
        default: break
        }
        return true
    }
}
