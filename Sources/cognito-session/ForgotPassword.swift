internal import AgentClient
internal import SessionTool
internal import Wording
internal import WorkerProtocol

/// `forgot-password`.
func forgotPassword(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    guard let terminal = Terminal() else {
        throw Refusal(.usage, ToolWording.recoveryTerminal)
    }
    do throws(AgentFault) {
        try AgentClient().recoverPassword(of: invocation.operands.first, terminal)
        return .valid
    } catch {
        switch error {
        // Why was said in the course of it.
        case .refused(.notRecovered, _): return .refused
        case .refused(.serviceFault, _): return .unreachable
        case .refused(_, let text): throw Refusal(.fault, text)
        case .absent: throw Refusal(.noAgent, ToolWording.recoveryAbsent)
        case .broken: throw Refusal(.fault, ToolWording.recoveryBroken)
        case .cancelled: throw Refusal(.cancelled, ToolWording.recoveryCancelled)
        }
    }
}
