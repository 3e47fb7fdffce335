internal import Commands
internal import Glibc
internal import Messages
internal import Protocol
internal import SessionTool

/// `sessions`.
func listSessions(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    let isRoot = geteuid() == 0
    let sessions: [RegisteredSession]
    do throws(AgentFault) {
        sessions = try AgentClient.own.registeredSessions(asRoot: isRoot)
    } catch {
        switch error {
        case .absent where isRoot: throw Refusal(.fault, ToolWording.sessionsUnavailable)
        case .absent: throw Refusal(.noAgent, ToolWording.sessionsAbsent)
        case .refused(let refusal, let text): throw Refusal(refusal.exitStatus, text)
        case .cancelled, .broken: throw Refusal(.fault, ToolWording.sessionsFault)
        }
    }
    let report = SessionsReport(sessions, ofEverybody: isRoot, at: now)
    if invocation.has(.json) {
        try answer(report.json)
    } else {
        try answer(report.text(.current, localTime: localTime))
    }
    return .valid
}
