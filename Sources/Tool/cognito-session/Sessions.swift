internal import Commands
internal import Glibc
internal import Messages
internal import Protocol
internal import SessionTool

/// `sessions`.
func listSessions(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    guard geteuid() == 0 else {
        throw Refusal(.notPermitted, ToolWording.sessionsNotPermitted)
    }
    let sessions: [RegisteredSession]
    do throws(AgentFault) {
        sessions = try AgentClient.own.registeredSessions()
    } catch {
        throw Refusal(.fault, error == .absent ? ToolWording.sessionsUnavailable : ToolWording.sessionsFault)
    }
    let report = SessionsReport(sessions, at: now)
    if invocation.has(.json) {
        try answer(report.json)
    } else {
        try answer(report.text(.current, localTime: localTime))
    }
    return .valid
}
