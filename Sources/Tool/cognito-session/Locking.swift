internal import Base
internal import Commands
internal import Glibc
internal import Keyring
internal import Messages
internal import Protocol

func lock(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    if case .absent(.locked) = currentStatus.finding {
        return try answerChange(invocation, ToolWording.locked)
    }
    let (_, place) = try TokenRequest.session(currentStatus)
    do throws(AgentFault) {
        try agent.lock(place.key)
    } catch {
        throw Refusal(locking: error)
    }
    return try answerChange(invocation, ToolWording.locked)
}

func unlock(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    guard let terminal = Terminal() else {
        throw Refusal(.usage, ToolWording.unlockNeedsTerminal)
    }
    guard let name = (try? accountName(getuid())) ?? nil else {
        throw Refusal(
            AgentRefusal.notCovered.exitStatus,
            String(decoding: AgentWording.notCovered.said(in: .current), as: UTF8.self))
    }
    do throws(AgentFault) {
        try agent.unlock(name, terminal)
    } catch {
        throw Refusal(locking: error)
    }
    return try answerChange(invocation, ToolWording.unlocked)
}

private func answerChange(_ invocation: Invocation, _ text: String) throws(Refusal) -> ExitCode {
    try invocation.answer(answerObject(.valid, nil), text, afterChange: true)
    return .valid
}

extension Refusal {
    fileprivate init(locking fault: AgentFault) {
        self.init(
            fault, absent: ToolWording.lockAbsent, broken: ToolWording.lockBroken,
            cancelled: ToolWording.unlockCancelled)
    }
}

/// Puts this process into a session keyring of its own, with tokens that stay readable while the session's are locked.
func keepTokens() throws(Refusal) {
    _ = try TokenRequest.session(currentStatus)
    try withInbox(after: SessionKeyring.joinOwn) { inbox throws(Refusal) in
        do throws(AgentFault) {
            guard case .session(_, let place) = currentStatus.finding else {
                throw .broken
            }
            try agent.keep(place.key, inbox: inbox.number, take: takeFromInbox)
        } catch {
            throw Refusal(error, absent: ToolWording.keepAbsent, broken: ToolWording.keepBroken)
        }
    }
}
