internal import Messages

/// What scripts go by, documented in the manual page.
package enum ExitCode: Int32, CaseIterable, Sendable {
    /// What was asked for is there, and has not expired; or it is done.
    case valid = 0
    /// The session has no tokens.
    case none = 1
    /// The tokens have expired.
    case expired = 2
    /// Cognito refuses the session: it was ended elsewhere.
    case refused = 3
    /// Cognito could not be asked.
    case unreachable = 4
    /// The agent, which does what only root can do, does not answer.
    case noAgent = 5
    /// The person thought better of it.
    case cancelled = 6
    /// The doctor found something that should be mended.
    case improvable = 7
    /// The doctor found something that keeps people out, or lets in others.
    case broken = 8
    /// Less was done than was asked for: a sign-out everywhere has ended this session only.
    case partly = 9
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

    /// One line for the help.
    package var meaning: String {
        switch self {
        case .valid: ToolWording.statusValid
        case .none: ToolWording.statusNone
        case .expired: ToolWording.statusExpired
        case .refused: ToolWording.statusRefused
        case .unreachable: ToolWording.statusUnreachable
        case .noAgent: ToolWording.statusNoAgent
        case .cancelled: ToolWording.statusCancelled
        case .improvable: DoctorWording.statusWarnings
        case .broken: DoctorWording.statusBroken
        case .partly: ToolWording.statusPartly
        case .usage: ToolWording.statusUsage
        case .fault: ToolWording.statusFault
        case .unwritten: ToolWording.statusUnwritten
        case .notPermitted: ToolWording.statusNotPermitted
        case .notStarted: ToolWording.statusNotStarted
        case .notExecutable: ToolWording.statusNotExecutable
        case .notFound: ToolWording.statusNotFound
        }
    }

    /// The word for it in JSON.
    package var name: String {
        switch self {
        case .valid: "valid"
        case .none: "none"
        case .expired: "expired"
        case .refused: "refused"
        case .unreachable: "unreachable"
        case .noAgent: "no_agent"
        case .cancelled: "cancelled"
        case .improvable: "improvable"
        case .broken: "broken"
        case .partly: "partly"
        case .usage: "usage"
        case .fault: "fault"
        case .unwritten: "unwritten"
        case .notPermitted: "not_permitted"
        case .notStarted: "not_started"
        case .notExecutable: "not_executable"
        case .notFound: "not_found"
        }
    }
}
