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
    var name: StaticString { words.name }
    /// What the person is told.
    var text: Phrase { words.text }

    private var words: (name: StaticString, text: Phrase) {
        switch self {
        case .noSession: ("no_session", AgentWording.noSession)
        case .endedElsewhere: ("session_ended", AgentWording.endedElsewhere)
        case .unreachable: ("unreachable", AgentWording.unreachable)
        case .throttled: ("throttled", AgentWording.throttled)
        case .serviceFault: ("service_fault", AgentWording.serviceFault)
        case .configuration: ("configuration", Wording.configuration)
        case .internalFault: ("internal_fault", Wording.internalFault)
        case .busy: ("busy", AgentWording.busy)
        case .malformed: ("malformed", AgentWording.malformed)
        case .notSignedIn: ("not_signed_in", AgentWording.notSignedIn)
        case .notCovered: ("not_covered", AgentWording.notCovered)
        case .noInbox: ("no_inbox", AgentWording.noInbox)
        case .invalidTokens: ("invalid_tokens", AgentWording.invalidTokens)
        case .notRecovered: ("not_recovered", AgentWording.notRecovered)
        case .notPermitted: ("not_permitted", AgentWording.notPermitted)
        case .renewalLost: ("renewal_lost", AgentWording.renewalLost)
        case .notListed: ("not_listed", AgentWording.notListed)
        case .credentialRefused: ("credential_refused", AgentWording.credentialRefused)
        case .noSuchCredential: ("no_such_credential", AgentWording.noSuchCredential)
        case .noReceiver: ("no_receiver", AgentWording.noReceiver)
        case .wrongCode: ("wrong_code", AgentWording.wrongCode)
        case .notHandedOver: ("not_handed_over", AgentWording.notHandedOver)
        case .locked: ("tokens_locked", AgentWording.locked)
        case .notTheirs: ("not_theirs", AgentWording.notTheirs)
        case .usedUp: ("used_up", AgentWording.usedUp)
        case .cannotSeal: ("cannot_seal", AgentWording.cannotSeal)
        case .notInSession: ("not_in_session", AgentWording.notInSession)
        }
    }
}
