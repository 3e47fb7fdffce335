internal import Commands
internal import Messages
internal import Protocol
internal import Tokens

func forgotPassword(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    guard let terminal = Terminal() else {
        throw Refusal(.usage, ToolWording.recoveryTerminal)
    }
    do throws(AgentFault) {
        try agent.recoverPassword(of: invocation.operands.first, terminal)
    } catch {
        switch error {
        // The reason was already shown on the terminal.
        case .refused(.notRecovered, _) where !invocation.has(.json): return .refused
        case .refused(.serviceFault, _) where !invocation.has(.json): return .unreachable
        case .refused(.notRecovered, let text): throw Refusal(.refused, text)
        case .refused(.serviceFault, let text): throw Refusal(.unreachable, text)
        case .refused(_, let text): throw Refusal(.fault, text)
        case .absent: throw Refusal(.noAgent, ToolWording.recoveryAbsent)
        case .broken: throw Refusal(.fault, ToolWording.recoveryBroken)
        case .cancelled: throw Refusal(.cancelled, ToolWording.recoveryCancelled)
        }
    }
    if invocation.has(.json) {
        try answer(answerObject(.valid), afterChange: true)
    }
    return .valid
}
