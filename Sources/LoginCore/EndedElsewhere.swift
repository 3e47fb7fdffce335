package import ByteText
import Configuration
import KernelKeyring
import LinuxProcess
import Wording

/// What follows for a session that was ended elsewhere: its person is told, and `on_revoked` says what becomes of it. The tokens
/// go by other ways.
package struct EndedElsewhere<System: Machine, Sessions: SessionControl> {
    private let machine: System
    private let sessions: Sessions
    private let user: [UInt8]
    private let host: ProcessIdentity
    private let action: RevokedAction
    private let who: AuditSubject

    /// About the session of `entry`, as its configuration of today has it.
    package init(_ entry: borrowing RegistryEntry, _ who: AuditSubject, on machine: System, _ sessions: Sessions) {
        self.machine = machine
        self.sessions = sessions
        user = entry.user
        host = entry.host
        self.who = who
        action = (try? machine.settings(at: entry.configuration, arguments: []))?.onRevoked ?? .notify
    }

    /// Tells the person, on the terminals of that session.
    ///
    /// - Parameter hasHeard: Whether they know of it already, by what they asked for.
    package func tell(whoHasHeard hasHeard: Bool) {
        guard action != .notify || !hasHeard, let person = try? machine.account(named: user) else {
            return
        }
        _ = sessions.tell(text, person, inSessionOf: host)
    }

    private var text: StaticString {
        switch action {
        case .notify: TerminalWording.endedElsewhere
        case .lock: TerminalWording.locked
        case .terminate: TerminalWording.terminated
        }
    }

    /// Does as `on_revoked` says.
    ///
    /// - Parameter report: Gets a line for the log about it; whether it is a fault.
    package func act(report: (ByteText, Bool) -> Void) {
        guard action != .notify, machine.isAlive(host), let person = try? machine.account(named: user) else {
            return
        }
        switch action {
        case .notify:
            break
        case .lock where sessions.lockScreen(of: person, inSessionOf: host):
            report(who.line("session locked"), false)
        case .lock:
            report(
                "\(who.line("session not locked")): on_revoked = lock locks sessions of systemd-logind, and this is none",
                true)
        case .terminate where sessions.terminate(person, inSessionOf: host):
            report(who.line("session terminated"), false)
        case .terminate:
            report("\(who.line("session not terminated")): no process of the person's was found in it", true)
        }
    }
}
