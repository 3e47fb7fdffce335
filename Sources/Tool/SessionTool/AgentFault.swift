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
    /// What becomes of a program that was refused for this.
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
    /// Why a command that asks the agent ends: in the agent's own words where it refused.
    ///
    /// - Parameters:
    ///   - absent: What to say where there is no agent.
    ///   - broken: The same where it gave no answer.
    ///   - cancelled: The same where the person gave none; nil: nobody is asked.
    package init(_ fault: AgentFault, absent: String, broken: String, cancelled: String? = nil) {
        switch fault {
        case .absent: self.init(.noAgent, absent)
        case .refused(let refusal, let text): self.init(refusal.exitStatus, text)
        case .cancelled: self.init(cancelled == nil ? .fault : .cancelled, cancelled ?? broken)
        case .broken: self.init(.fault, broken)
        }
    }
}
