package import Commands
package import Protocol

/// Why the agent did not do what was asked of it.
package enum AgentFault: Error, Equatable, Sendable {
    /// There is no agent on this machine, or none that is root's.
    case absent
    /// It said no; with its words for the person.
    case refused(AgentRefusal, text: String)
    /// It ended without an answer, or gave none that this program understands.
    case broken
    /// The person gave no answer.
    case cancelled
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
