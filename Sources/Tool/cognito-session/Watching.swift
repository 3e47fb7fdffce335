internal import CLinux
internal import Commands
internal import Glibc
internal import Messages

/// `status --watch`: until the session ends, or the person does.
func watch(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    guard isatty(STDOUT_FILENO) == 1, !isDumb else {
        throw Refusal(.usage, ToolWording.watchNeedsTerminal)
    }
    var watch = Watch(asking: invocation.has(.online))
    var onlineStatus: OnlineStatus?
    var shown = ""
    var notices: [String] = []
    while true {
        var pending = watch.look(at: currentStatus, now: now)[...]
        while let action = pending.popFirst() {
            switch action {
            case .renew:
                pending += watch.renewed(failure { () throws(AgentFault) in try renew() }, at: now)
            case .ask:
                let failure = failure { () throws(AgentFault) in try ask() }
                onlineStatus = failure.map(OnlineStatus.unknown) ?? .accepted
                pending += watch.asked(failure, at: now)
            case .tell(let text):
                notices = [text]
                try answer("\u{7}")
                if invocation.has(.notify) {
                    unsafe linux_notify("--app-name=\(ToolWording.program)", ToolWording.program, text)
                }
            case .end(let code):
                try answer((notices + [""]).joined(separator: "\n"))
                if notices.isEmpty {
                    try answer(Report(currentStatus, at: now).text(.current, localTime: localTime))
                }
                return code
            }
        }
        let status = currentStatus
        let report = Report(status, onlineStatus: onlineStatus, at: now).text(.current, localTime: localTime)
        let text = ([report] + notices.map { notice in "\n\(notice)\n" }).joined()
        if text != shown {
            shown = text
            let title = ShellPrompt(status, at: now).text
            try answer("\u{1B}]2;\(ToolWording.program): \(title)\u{7}\u{1B}[H\u{1B}[2J\(text)")
        }
        sleep(1)
    }
}

private func renew() throws(AgentFault) {
    if case .session(_, let place) = currentStatus.finding {
        // Whatever is left: it is little.
        _ = try agent.renew(place.key, minimumLife: Watch.renewal)
    }
}

private func ask() throws(AgentFault) {
    if case .session(_, let place) = currentStatus.finding {
        try agent.check(place.key, online: true)
    }
}

private func failure(_ body: () throws(AgentFault) -> Void) -> AgentFault? {
    do throws(AgentFault) {
        try body()
        return nil
    } catch {
        return error
    }
}
