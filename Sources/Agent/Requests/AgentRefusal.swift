import Messages
import Protocol

extension AgentRefusal {
    /// Translates a worker's failure for a user who keeps the tokens.
    init(_ reason: FailureReason) {
        switch reason {
        case .unreachable: self = .unreachable
        case .throttled: self = .throttled
        case .serviceFault, .invalidTokens, .refusedByPool, .accessTokenExpired: self = .serviceFault
        case .configuration, .operationNotEnabled: self = .configuration
        case .renewalLost: self = .renewalLost
        case .notListed: self = .notListed
        case .credentialRefused: self = .credentialRefused
        default: self = .internalFault
        }
    }

    /// The word in the log.
    var name: StaticString {
        switch self {
        case .noSession: "no_session"
        case .endedElsewhere: "session_ended"
        case .unreachable: "unreachable"
        case .throttled: "throttled"
        case .serviceFault: "service_fault"
        case .configuration: "configuration"
        case .internalFault: "internal_fault"
        case .busy: "busy"
        case .malformed: "malformed"
        case .notSignedIn: "not_signed_in"
        case .notCovered: "not_covered"
        case .noInbox: "no_inbox"
        case .invalidTokens: "invalid_tokens"
        case .notRecovered: "not_recovered"
        case .notPermitted: "not_permitted"
        case .renewalLost: "renewal_lost"
        case .notListed: "not_listed"
        case .credentialRefused: "credential_refused"
        case .noSuchCredential: "no_such_credential"
        case .noReceiver: "no_receiver"
        case .wrongCode: "wrong_code"
        case .notHandedOver: "not_handed_over"
        case .locked: "tokens_locked"
        case .notTheirs: "not_theirs"
        case .usedUp: "used_up"
        case .cannotSeal: "cannot_seal"
        case .notInSession: "not_in_session"
        }
    }

    /// What the person is told.
    var text: Phrase {
        switch self {
        case .noSession: AgentWording.noSession
        case .endedElsewhere: AgentWording.endedElsewhere
        case .unreachable: AgentWording.unreachable
        case .throttled: AgentWording.throttled
        case .serviceFault: AgentWording.serviceFault
        case .configuration: Wording.configuration
        case .internalFault: Wording.internalFault
        case .busy: AgentWording.busy
        case .malformed: AgentWording.malformed
        case .notSignedIn: AgentWording.notSignedIn
        case .notCovered: AgentWording.notCovered
        case .noInbox: AgentWording.noInbox
        case .invalidTokens: AgentWording.invalidTokens
        case .notRecovered: AgentWording.notRecovered
        case .notPermitted: AgentWording.notPermitted
        case .renewalLost: AgentWording.renewalLost
        case .notListed: AgentWording.notListed
        case .credentialRefused: AgentWording.credentialRefused
        case .noSuchCredential: AgentWording.noSuchCredential
        case .noReceiver: AgentWording.noReceiver
        case .wrongCode: AgentWording.wrongCode
        case .notHandedOver: AgentWording.notHandedOver
        case .locked: AgentWording.locked
        case .notTheirs: AgentWording.notTheirs
        case .usedUp: AgentWording.usedUp
        case .cannotSeal: AgentWording.cannotSeal
        case .notInSession: AgentWording.notInSession
        }
    }
}
