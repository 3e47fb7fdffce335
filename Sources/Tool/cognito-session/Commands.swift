internal import Commands
internal import Glibc
internal import Messages
internal import Protocol
internal import SessionTool

/// The time, in seconds since the epoch.
var now: Int64 { Int64(time(nil)) }

/// Who does what only root can do.
let agent = RootAgent()

/// The session as it is now.
var currentStatus: SessionStatus {
    SessionStatus.current(in: .current) { serial in isTokenKey(serial) }
}

/// Does what was asked for, and says it.
func perform(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    switch invocation.command {
    case .status: try showStatus(invocation)
    case .whoami: try showPerson(invocation)
    case .token: try printToken(invocation)
    case .exec: try execute(invocation)
    case .claims: try showClaims(invocation)
    case .prompt: try showPrompt(invocation)
    case .refresh: try refresh(invocation)
    case .signOut: try signOut(invocation)
    case .signIn: try signIn(invocation)
    case .forgotPassword: try forgotPassword(invocation)
    case .doctor: try becomeDoctor()
    case .sessions: try sessions(invocation)
    }
}

/// `status`.
func showStatus(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    if invocation.has(.watch) {
        return try watch(invocation)
    }
    let check = OnlineCheck(invocation.has(.online), of: { currentStatus }, by: agent, at: { now })
    let report = Report(check.status, onlineStatus: check.onlineStatus, at: now)
    if invocation.has(.json) {
        try answer(report.json)
    } else if !invocation.has(.check) {
        try answer(report.text(.current, localTime: localTime))
    }
    return report.exitStatus
}

/// `whoami`.
func showPerson(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    let person = try Person(currentStatus, at: now)
    if invocation.has(.json) {
        try answer(person.json)
    } else {
        try answer(person.text + "\n")
    }
    return person.exitCode
}

/// `prompt`.
func showPrompt(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    let prompt = ShellPrompt(currentStatus, at: now)
    if invocation.has(.json) {
        try answer(prompt.json)
    } else {
        try answer(prompt.text)
    }
    return prompt.exitCode
}

/// `claims`.
func showClaims(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    let report = try ClaimsReport(invocation.tokenKind, of: currentStatus, verifiedBy: agent, at: now)
    if invocation.has(.json) {
        try answer(report.json)
    } else {
        try answer(report.text(.current, localTime: localTime))
    }
    return report.exitCode
}

/// `exec`: returns only when there is no command to become.
func execute(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    let request = TokenRequest(invocation.tokenKind, minimumLife: invocation.seconds(.minimumLife))
    let token: GrantedToken
    do {
        token = try request.obtain(from: { currentStatus }, renewedBy: agent, at: { now })
    } catch {
        throw Refusal(.notStarted, error.message)
    }
    agent.note(token, .command)
    if let name = invocation.text(.variable) {
        unsafe setenv(name, token.text, 1)
    } else {
        try putInDescriptor(token.text, invocation.descriptor(.descriptor) ?? 3)
    }
    throw become(invocation.operands)
}

/// `token`.
func printToken(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    guard isatty(STDOUT_FILENO) == 0 || invocation.has(.force) else {
        throw Refusal(.usage, ToolWording.terminal)
    }
    let request = TokenRequest(invocation.tokenKind, minimumLife: invocation.seconds(.minimumLife))
    let token = try request.obtain(from: { currentStatus }, renewedBy: agent, at: { now })
    agent.note(token, .printed)
    if invocation.has(.json) {
        try answer(token.json(at: now))
    } else {
        try answer(token.text + "\n")
    }
    return .valid
}
