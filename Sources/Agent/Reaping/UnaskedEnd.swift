import Base
import Configuration
import Keyring
import LoginHooks
import Messages
package import Sessions

/// Why a session ends without its person wanting it.
package enum UnaskedEndCause: Sendable {
    /// Cognito no longer accepts it.
    case endedElsewhere
    /// Its person has ended it at Cognito from another session on this machine.
    case byOtherSession
    /// The refresh token has run out by itself.
    case ranOut
    /// The pool's limit of sessions, at a newer sign-in. Nobody wanted to sign this one out.
    case sessionLimit
    /// One of the two.
    case unclear
    /// Nobody has typed for long.
    case idle
}

/// What follows for a session that ends without its person asking for it: they are told, and `on_revoked` says what becomes of
/// it. The tokens go by other ways.
package struct UnaskedEnd<System: Machine, Sessions: SessionControl> {
    private let machine: System
    private let sessions: Sessions
    private let user: [UInt8]
    private let host: ProcessIdentity
    private let cause: UnaskedEndCause
    private let action: RevokedAction
    private let wanted: RevokedAction
    private let who: AuditSubject

    /// About the session of `entry`, as its configuration of today has it.
    package init(
        _ cause: UnaskedEndCause, of entry: borrowing RegistryEntry, _ who: AuditSubject, on machine: System,
        _ sessions: Sessions
    ) {
        self.machine = machine
        self.sessions = sessions
        user = entry.user
        host = entry.host
        self.cause = cause
        self.who = who
        let wanted = ((try? machine.settings(at: entry.configuration, arguments: [])) ?? .defaults).onRevoked
        self.wanted = wanted
        action =
            switch cause {
            case .endedElsewhere, .byOtherSession, .ranOut, .idle: wanted
            // A shell in which somebody works is not ended since they have signed in elsewhere.
            case .sessionLimit, .unclear: .notify
            }
    }

    /// Tells the person, on the terminals of that session.
    ///
    /// - Parameter hasHeard: Whether they know of it already, by what they asked for.
    package func tell(whoHasHeard hasHeard: Bool) {
        if wanted != .notify || !hasHeard {
            say(text)
        }
    }

    /// Tells the person what is about to happen to the session because nobody types.
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

    private var text: Phrase {
        switch (cause, action) {
        case (.endedElsewhere, .notify): TerminalWording.endedElsewhere
        case (.endedElsewhere, .lock): TerminalWording.endedElsewhereLocked
        case (.endedElsewhere, .terminate): TerminalWording.endedElsewhereTerminated
        case (.byOtherSession, .notify): TerminalWording.endedByOther
        case (.byOtherSession, .lock): TerminalWording.endedByOtherLocked
        case (.byOtherSession, .terminate): TerminalWording.endedByOtherTerminated
        case (.ranOut, .notify): TerminalWording.ranOut
        case (.ranOut, .lock): TerminalWording.ranOutLocked
        case (.ranOut, .terminate): TerminalWording.ranOutTerminated
        case (.sessionLimit, _): TerminalWording.sessionLimit
        case (.unclear, _): TerminalWording.endedUnclear
        case (.idle, .notify): TerminalWording.idle
        case (.idle, .lock): TerminalWording.idleLocked
        case (.idle, .terminate): TerminalWording.idleTerminated
        }
    }

    /// Does as `on_revoked` says.
    ///
    /// - Parameter report: Gets a line for the log about it; whether it is a fault.
    package func act(report: (LogLine, Bool) -> Void) {
        switch cause {
        case .sessionLimit:
            report(
                who.line(.sessionLeftOpen, reason: "session_limit", text: "the pool has ended it for a newer one"),
                false)
        case .unclear where wanted != .notify:
            report(
                who.line(
                    .sessionLeftOpen, reason: "unclear",
                    text: """
                        it was signed out elsewhere, or the pool has ended it for a newer one; nothing here tells which
                        """), true)
        case .endedElsewhere, .byOtherSession, .ranOut, .unclear, .idle:
            break
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
                    .sessionNotLocked, text: "on_revoked = lock locks sessions of systemd-logind, and this is none"),
                true)
        case .terminate where sessions.terminate(person, inSessionOf: host):
            report(who.line(.sessionTerminated), false)
        case .terminate:
            report(who.line(.sessionNotTerminated, text: "no process of the person's was found in it"), true)
        }
    }
}
