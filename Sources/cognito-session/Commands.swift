internal import Glibc
internal import SessionTool
internal import Wording

/// The time, in seconds since the epoch.
var now: Int64 { Int64(time(nil)) }

/// The session as it is now.
var currentSituation: Situation {
    Situation.current(in: .current) { serial in isTokenKey(serial) }
}

/// `status`.
func showStatus(_ invocation: Invocation) -> ExitCode {
    let report = Report(currentSituation, at: now)
    if invocation.has(.json) {
        write(report.json)
    } else if !invocation.has(.check) {
        write(report.text(colored: isColored, localTime: localTime), to: STDOUT_FILENO)
    }
    return report.exitStatus
}

/// `token`.
func printToken(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    guard isatty(STDOUT_FILENO) == 0 || invocation.has(.force) else {
        throw Refusal(.usage, ToolWording.terminal)
    }
    let request = TokenRequest(invocation.has(.id) ? .id : .access, minimumLife: invocation.seconds(.minimumLife))
    let token = try request.obtain(from: { currentSituation }, renewedBy: RootAgent(), at: { now })
    if invocation.has(.json) {
        write(token.json(at: now))
    } else {
        write(token.text + "\n", to: STDOUT_FILENO)
    }
    return .valid
}
