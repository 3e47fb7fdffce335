internal import Messages

/// The exit statuses for scripts, documented in the manual page.
package enum ExitCode: Int32, CaseIterable, Sendable {
    /// The request succeeded, and the tokens have not expired.
    case valid = 0
    /// The session has no tokens.
    case none = 1
    case expired = 2
    /// Cognito refuses the session: it was ended elsewhere.
    case refused = 3
    /// Cognito could not be asked.
    case unreachable = 4
    /// The agent, which does what only root can do, does not answer.
    case noAgent = 5
    /// The person thought better of it.
    case cancelled = 6
    /// The doctor found something that should be fixed.
    case improvable = 7
    /// The doctor found something that keeps people out, or lets in others.
    case broken = 8
    /// Less was done than was asked for: a sign-out everywhere has ended this session only.
    case partly = 9
    /// The session's tokens are locked until its person proves who they are.
    case locked = 10
    /// EX_USAGE of sysexits.h(3head).
    case usage = 64
    /// EX_SOFTWARE: something failed on this machine.
    case fault = 70
    /// EX_IOERR: the answer could not be written.
    case unwritten = 74
    /// EX_NOPERM: only root may.
    case notPermitted = 77
    /// `exec` could not get a token, so the command was not started. As with env(1).
    case notStarted = 125
    /// `exec` found the command and could not start it.
    case notExecutable = 126
    /// `exec` did not find the command.
    case notFound = 127

    private var row: (name: String, meaning: String) {
        switch self {
        case .valid: ("valid", ToolWording.statusValid)
        case .none: ("none", ToolWording.statusNone)
        case .expired: ("expired", ToolWording.statusExpired)
        case .refused: ("refused", ToolWording.statusRefused)
        case .unreachable: ("unreachable", ToolWording.statusUnreachable)
        case .noAgent: ("no_agent", ToolWording.statusNoAgent)
        case .cancelled: ("cancelled", ToolWording.statusCancelled)
        case .improvable: ("improvable", ToolWording.statusWarnings)
        case .broken: ("broken", ToolWording.statusBroken)
        case .partly: ("partly", ToolWording.statusPartly)
        case .locked: ("locked", ToolWording.statusLocked)
        case .usage: ("usage", ToolWording.statusUsage)
        case .fault: ("fault", ToolWording.statusFault)
        case .unwritten: ("unwritten", ToolWording.statusUnwritten)
        case .notPermitted: ("not_permitted", ToolWording.statusNotPermitted)
        case .notStarted: ("not_started", ToolWording.statusNotStarted)
        case .notExecutable: ("not_executable", ToolWording.statusNotExecutable)
        case .notFound: ("not_found", ToolWording.statusNotFound)
        }
    }

    /// One line for the help.
    package var meaning: String { row.meaning }

    /// The word for it in JSON.
    package var name: String { row.name }
}
