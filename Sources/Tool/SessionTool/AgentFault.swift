package import Commands
internal import Messages
package import Protocol

/// Why the agent did not do what was asked of it.
package enum AgentFault: Error, Equatable, Sendable {
    /// There is no agent on this machine, or none that is root's.
    case absent
    /// It said no; with its words for the person.
    case refused(AgentRefusal, text: String = "")
    /// It ended without an answer, or gave none that this program understands.
    case broken
    /// The person gave no answer.
    case cancelled

    /// Why it said no; nil where it did not.
    var refusal: AgentRefusal? {
        if case .refused(let refusal, _) = self { refusal } else { nil }
    }

    /// Whether Cognito permanently refuses the session, or its tokens do not stand up to verification.
    var isEnd: Bool { refusal == .endedElsewhere || refusal == .invalidTokens }
}

/// Of requests about this session's tokens, for which this program has words of its own.
extension AgentFault {
    /// The program's exit status, the word for the fault in JSON if several have the same exit status, and what a
    /// command says that failed for this reason, or that wanted Cognito's word.
    private var row: (exitStatus: ExitCode, name: String?, message: String, online: String) {
        switch self {
        case .absent: (.noAgent, nil, ToolWording.noAgent, ToolWording.onlineNoAgent)
        case .refused(.noSession, _): (.none, nil, ToolWording.unknownSession, ToolWording.onlineUnknownSession)
        case .refused(.notInSession, _):
            (.refused, "not_in_session", ToolWording.notInSession, ToolWording.notInSession)
        case .refused(.endedElsewhere, _): (.refused, nil, ToolWording.ended, ToolWording.ended)
        case .refused(.invalidTokens, _): (.refused, nil, ToolWording.invalid, ToolWording.invalid)
        case .refused(.unreachable, _):
            (.unreachable, nil, ToolWording.unreachable, ToolWording.onlineUnreachable)
        case .refused(.throttled, _):
            (.unreachable, "throttled", ToolWording.throttled, ToolWording.onlineThrottled)
        case .refused(.serviceFault, _):
            (.unreachable, "service_fault", ToolWording.serviceFault, ToolWording.onlineServiceFault)
        case .refused(.renewalLost, _):
            (.refused, "renewal_lost", ToolWording.renewalLost, ToolWording.renewalLost)
        case .refused(.locked, _): (.locked, nil, ToolWording.lockedNow, ToolWording.lockedNow)
        case .refused(.busy, _): (.fault, "busy", ToolWording.busy, ToolWording.busy)
        case .refused, .broken, .cancelled: (.fault, nil, ToolWording.agentFault, ToolWording.onlineFault)
        }
    }

    package var exitStatus: ExitCode { row.exitStatus }
    package var name: String { row.name ?? exitStatus.name }
    package var message: String { row.message }

    /// Why Cognito's word is missing, or what it is.
    var onlineMessage: String { row.online }
}

extension AgentRefusal {
    /// The exit status of a program that was refused for this reason.
    package var exitStatus: ExitCode {
        switch self {
        case .unreachable, .throttled, .serviceFault: .unreachable
        case .notSignedIn, .endedElsewhere, .invalidTokens, .notRecovered, .notPermitted, .renewalLost,
            .credentialRefused:
            .refused
        case .noSuchCredential: .usage
        case .locked: .locked
        case .notTheirs, .usedUp, .notInSession: .refused
        case .cannotSeal: .fault
        case .noSession, .notCovered, .notListed: .none
        case .busy, .configuration, .internalFault, .malformed, .noInbox, .noReceiver, .wrongCode, .notHandedOver:
            .fault
        }
    }
}

extension Refusal {
    /// The reason why a command ends that asks the agent: in the agent's own words if it refused.
    ///
    /// - Parameters:
    ///   - isRoot: Whether root started an agent only for this, so that there is always one.
    ///   - absent: The message if there is no agent.
    ///   - broken: The message if it gave no answer.
    ///   - cancelled: The message if the user gave no answer; nil: the user is not asked.
    package init(
        _ fault: AgentFault, asRoot isRoot: Bool = false, absent: String, broken: String, cancelled: String? = nil
    ) {
        switch fault {
        case .absent: self.init(isRoot ? .fault : .noAgent, absent)
        case .refused(let refusal, let text): self.init(refusal.exitStatus, text)
        case .cancelled: self.init(cancelled == nil ? .fault : .cancelled, cancelled ?? broken)
        case .broken: self.init(.fault, broken)
        }
    }
}
