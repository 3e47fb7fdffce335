internal import Commands
internal import Glibc
internal import Messages
internal import Protocol
internal import Tokens

func sessions(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    if invocation.has(.everywhere) {
        return try sessionsEverywhere(invocation)
    }
    if let whose = invocation.text(.end) {
        return try endSessions(whose, invocation)
    }
    return try listSessions(invocation)
}

private func sessionsEverywhere(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    let field = try invocation.field(of: .sessions, PoolSessionsReport.fields)
    let report = try PoolSessionsReport(of: currentStatus, by: agent, at: now)
    guard let name = invocation.text(.end) else {
        if let field {
            try answer(field.texts(in: report.json["sessions"]))
        } else {
            try invocation.answer(report.json, report.text(.current, localTime: localTime))
        }
        return .valid
    }
    let ended = try report.end(name, by: agent)
    try invocation.answer(
        answerObject(.valid, nil, ["ended": .integer(1)]), ToolWording.endedElsewhere(ended), afterChange: true)
    return .valid
}

/// `sessions --end`.
private func endSessions(_ whose: String, _ invocation: Invocation) throws(Refusal) -> ExitCode {
    guard geteuid() == 0 else {
        throw Refusal(.notPermitted, ToolWording.endNotPermitted)
    }
    let sessions: MachineSignOut
    do throws(AgentFault) {
        sessions = try agent.endSessions(whose)
    } catch {
        throw Refusal(error, asRoot: true, absent: ToolWording.endUnavailable, broken: ToolWording.sessionsFault)
    }
    guard sessions.left == 0 else {
        throw Refusal(.partly, ToolWording.partlyEnded(sessions.ended, of: sessions.ended + sessions.left))
    }
    guard sessions.ended > 0 else {
        throw Refusal(.none, ToolWording.nothingToEnd(printable(whose)))
    }
    try invocation.answer(
        answerObject(.valid, nil, ["ended": .integer(sessions.ended), "pending": .boolean(true)]),
        ToolWording.ended(sessions.ended), afterChange: true)
    return .valid
}

private func listSessions(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    let isRoot = geteuid() == 0
    let field = try invocation.field(of: .sessions, SessionsReport.fields)
    let sessions: [RegisteredSession]
    do throws(AgentFault) {
        sessions = try agent.registeredSessions(asRoot: isRoot)
    } catch {
        throw Refusal(
            error, asRoot: isRoot, absent: isRoot ? ToolWording.sessionsUnavailable : ToolWording.sessionsAbsent,
            broken: ToolWording.sessionsFault)
    }
    let report = SessionsReport(sessions, ofEverybody: isRoot, at: now)
    if let field {
        try answer(field.texts(in: report.json["sessions"]))
    } else {
        try invocation.answer(report.json, report.text(.current, localTime: localTime))
    }
    return .valid
}
