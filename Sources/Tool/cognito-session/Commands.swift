internal import Commands
internal import Glibc
internal import Messages
internal import Protocol

/// The time, in seconds since the epoch.
var now: Int64 { Int64(time(nil)) }

/// Carries out what only root can do.
let agent = AgentClient()

/// The session as it is now.
var currentStatus: SessionStatus {
    let status = SessionStatus.current(in: .current) { serial in isTokenKey(serial) }
    Trace.note(ToolWording.traceKeyring(status.exitCode(at: now).name))
    return status
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
    case .attach: try attach(invocation)
    case .lock: try lock(invocation)
    case .unlock: try unlock(invocation)
    case .export: try exportTokens(invocation)
    case .importTokens: try importTokens(invocation)
    case .forgotPassword: try forgotPassword(invocation)
    case .doctor: try becomeRootsProgram(orRefuse: ToolWording.doctorNotRoot)
    case .sessions: try sessions(invocation)
    case .kubeCredential: try giveToKubectl(invocation)
    case .gitCredential: try answerGit(invocation)
    case .dockerCredential: try answerDocker(invocation)
    case .awsCredentials: try printAWSCredentials(invocation)
    case .accounts: try becomeRootsProgram(orRefuse: AccountWording.notPermitted)
    }
}

func showStatus(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    if invocation.has(.watch) {
        return try watch(invocation)
    }
    let field = try invocation.field(of: .status, Report.fields)
    let check = OnlineCheck(invocation.has(.online), of: { currentStatus }, by: agent, at: { now })
    let report = Report(check.status, onlineStatus: check.onlineStatus, at: now)
    if let field {
        try answer(field.text(in: report.json))
    } else if invocation.has(.json) {
        try answer(report.json)
    } else if !invocation.has(.check) {
        try answer(report.text(.current, localTime: localTime))
    }
    return report.exitStatus
}

/// `whoami`.
func showPerson(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    let person = try Person(currentStatus, at: now)
    try invocation.answer(person.json, person.text + "\n")
    return person.exitCode
}

func showPrompt(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    let prompt = ShellPrompt(currentStatus, at: now)
    try invocation.answer(prompt.json, prompt.text)
    return prompt.exitCode
}

func showClaims(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    let report = try ClaimsReport(invocation.tokenKind, of: currentStatus, verifiedBy: agent, at: now)
    try invocation.answer(report.json, report.text(.current, localTime: localTime))
    return report.exitCode
}

/// `exec`: returns only when there is no command to become.
func execute(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    do throws(Refusal) {
        if invocation.has(.keep) {
            try keepTokens()
        }
        if invocation.has(.aws) {
            try exportAWSCredentials(named: invocation.text(.name))
        } else {
            let token = try grantedToken(invocation, .command)
            let text = invocation.has(.header) ? token.header : token.text
            if let name = invocation.text(.variable) {
                unsafe setenv(name, text, 1)
            } else {
                try putInDescriptor(text, invocation.descriptor(.descriptor) ?? 3)
            }
        }
    } catch {
        throw Refusal(.notStarted, error.message)
    }
    throw become(invocation.operands)
}

func printToken(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    try keepFromTerminal(invocation)
    let token = try grantedToken(invocation, .printed)
    if invocation.has(.json) {
        try answer(token.json(at: now))
    } else {
        try answer(credential: (invocation.has(.header) ? token.header : token.text) + "\n")
    }
    return .valid
}

/// The token that is meant, renewed first where it would end too soon; the log says that it was given away.
func grantedToken(_ invocation: Invocation, _ use: HandOutUse) throws(Refusal) -> GrantedToken {
    let request = TokenRequest(invocation.tokenKind, minimumLife: invocation.seconds(.minimumLife))
    let token = try request.obtain(from: { currentStatus }, renewedBy: agent, at: { now })
    guard token.isFit else {
        throw Refusal(.fault, ToolWording.unfitToken)
    }
    agent.note(token, use)
    return token
}

/// Text printed to a terminal stays there.
func keepFromTerminal(_ invocation: Invocation) throws(Refusal) {
    guard isatty(STDOUT_FILENO) == 0 || invocation.has(.force) else {
        throw Refusal(.usage, ToolWording.terminal)
    }
}
