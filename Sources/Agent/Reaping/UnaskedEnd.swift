import Base
import Configuration
import Keyring
import Messages
package import Sessions

/// What a person reads on the terminals of a session that has ended, by what `on_revoked` makes of it.
private struct EndTexts {
    let notified: Phrase
    /// nil: it is neither locked nor terminated, whatever is set.
    var locked: Phrase?
    var terminated: Phrase?
}

extension EndReason {
    /// nil: the person has asked for it, or others tell.
    fileprivate var texts: EndTexts? {
        switch self {
        case .endedElsewhere:
            EndTexts(
                notified: TerminalWording.endedElsewhere, locked: TerminalWording.endedElsewhereLocked,
                terminated: TerminalWording.endedElsewhereTerminated)
        case .signedOut:
            EndTexts(
                notified: TerminalWording.endedByOther, locked: TerminalWording.endedByOtherLocked,
                terminated: TerminalWording.endedByOtherTerminated)
        case .expired:
            EndTexts(
                notified: TerminalWording.ranOut, locked: TerminalWording.ranOutLocked,
                terminated: TerminalWording.ranOutTerminated)
        case .idle:
            EndTexts(
                notified: TerminalWording.idle, locked: TerminalWording.idleLocked,
                terminated: TerminalWording.idleTerminated)
        // A shell in use is not ended because its user has signed in elsewhere.
        case .sessionLimit: EndTexts(notified: TerminalWording.sessionLimit)
        case .unclear: EndTexts(notified: TerminalWording.endedUnclear)
        case .logout, .hostGone, .shutdown, .accountLocked, .groupLost: nil
        }
    }
}

/// What follows for a session that ends without its person asking for it: they are told, and `on_revoked` says what
/// becomes of it. The tokens go by other ways.
package struct UnaskedEnd<System: Machine, Sessions: SessionControl> {
    private let machine: System
    private let sessions: Sessions
    private let user: [UInt8]
    private let host: ProcessIdentity
    private let reason: EndReason
    private let action: RevokedAction
    private let wanted: RevokedAction
    private let who: AuditSubject

    /// About the session of `entry`, as its configuration of today has it.
    package init(
        _ reason: EndReason, of entry: borrowing RegistryEntry, _ who: AuditSubject, on machine: System,
        _ sessions: Sessions
    ) {
        self.machine = machine
        self.sessions = sessions
        user = entry.user
        host = entry.host
        self.reason = reason
        self.who = who
        let wanted = ((try? machine.settings(at: entry.configuration, arguments: [])) ?? .defaults).onRevoked
        self.wanted = wanted
        action = reason.texts?.locked == nil ? .notify : wanted
    }

    /// Tells the person, on the terminals of that session.
    ///
    /// - Parameter hasHeard: Whether they know of it already, by what they asked for.
    package func tell(whoHasHeard hasHeard: Bool) {
        if wanted != .notify || !hasHeard, let text {
            say(text)
        }
    }

    /// Warns the user that the idle session will be ended.
    func warn() {
        switch action {
        case .notify: say(TerminalWording.idleSoon)
        case .lock: say(TerminalWording.idleSoonLocked)
        case .terminate: say(TerminalWording.idleSoonTerminated)
        }
    }

    private func say(_ phrase: Phrase) {
        if let person = try? machine.account(named: user) {
            _ = sessions.tell(phrase.said(in: machine.language ?? .english), person, inSessionOf: host)
        }
    }

    private var text: Phrase? {
        switch action {
        case .notify: reason.texts?.notified
        case .lock: reason.texts?.locked
        case .terminate: reason.texts?.terminated
        }
    }

    /// Does as `on_revoked` says.
    ///
    /// - Parameter report: Gets a line for the log about it; whether it is a fault.
    package func act(report: (LogLine, Bool) -> Void) {
        if reason == .sessionLimit {
            report(
                who.line(
                    .sessionLeftOpen, reason: "session_limit",
                    text: "the pool ended the session because of a newer session"),
                false)
        } else if reason == .unclear, wanted != .notify {
            report(
                who.line(
                    .sessionLeftOpen, reason: "unclear",
                    text: "the session was signed out elsewhere, or was ended by the pool's session limit"
                ), true)
        }
        guard action != .notify, machine.life(of: host) != .gone, let person = try? machine.account(named: user) else {
            return
        }
        switch action {
        case .notify:
            break
        case .lock where sessions.lockScreen(of: person, inSessionOf: host):
            report(who.line(.sessionLocked), false)
        case .lock:
            report(
                who.line(
                    .sessionNotLocked,
                    text: "on_revoked = lock applies only to sessions that systemd-logind manages"),
                true)
        case .terminate where sessions.terminate(person, inSessionOf: host):
            report(who.line(.sessionTerminated), false)
        case .terminate:
            report(who.line(.sessionNotTerminated, text: "no process of the user was found in the session"), true)
        }
    }
}
