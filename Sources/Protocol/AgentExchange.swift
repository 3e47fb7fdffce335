/// One connection between a client and the agent, as both must see it: what may arrive now, and how often.
///
/// A connection is for one request. Both ends feed every message that they send or receive; a message out of place ends the
/// connection.
package struct AgentExchange: Sendable {
    /// How many times the agent may ask, and show something, in one connection.
    package static let mostQuestions = Exchange.mostQuestions
    package static let mostShown = 20

    private enum RequestState: Sendable {
        case start
        case working(MessageKind)
        case asked(MessageKind)
        case offered(MessageKind)
        case taken(MessageKind)
        case finished
    }

    private var state = RequestState.start
    private var questions = 0
    private var shown = 0
    private var offers = 0

    /// Begins before the request itself.
    package init() {}

    /// Whether the connection has come to its end.
    package var isFinished: Bool {
        if case .finished = state { true } else { false }
    }

    /// Takes note of `message`; false when it may not come now.
    package mutating func accept(_ message: MessageKind) -> Bool {
        switch (state, message) {
        case (.start, .renewRequest), (.start, .signOutRequest), (.start, .signInRequest),
            (.start, .checkRequest), (.start, .recoverRequest), (.start, .unlockRequest), (.start, .registryRequest),
            (.start, .poolSessionsRequest), (.start, .credentialRequest), (.start, .attachRequest),
            (.start, .giveRequest), (.start, .lockRequest), (.start, .keepRequest),
            (.start, .exportRequest), (.start, .importRequest), (.start, .openingRequest), (.start, .endingRequest):
            state = .working(message)
        case (.start, .handOut), (.start, .watchRequest):
            // Told, not asked: nobody waits for an answer.
            state = .finished
        case (.working(let request), .ask) where request.asks:
            questions += 1
            guard questions <= Self.mostQuestions else {
                return false
            }
            state = .asked(request)
        case (.asked(let request), .answer):
            state = .working(request)
        case (.working(.signInRequest), .show), (.working(.recoverRequest), .show), (.working(.unlockRequest), .show),
            (.working(.attachRequest), .show), (.working(.giveRequest), .show), (.taken, .show):
            shown += 1
            guard shown <= Self.mostShown else {
                return false
            }
        case (.working(.registryRequest), .registeredSession):
            // As many as there are: the agent ends the list.
            break
        case (.working(let request), .inInbox) where request.bringsKeys,
            (.taken(let request), .inInbox)
        where request == .signInRequest:
            // A sign-in brings two keys: the secret, then the tokens.
            offers += 1
            guard offers <= 2 else {
                return false
            }
            state = .offered(request)
        case (.offered(let request), .taken):
            state = .taken(request)
        case (.working(.renewRequest), .renewal),
            (.working(.signOutRequest), .ending), (.working(.checkRequest), .tokensValid), (.taken, .complete),
            (.working(.recoverRequest), .complete), (.working(.unlockRequest), .complete),
            (.working(.registryRequest), .complete), (.working(.poolSessionsRequest), .poolSessionsFound),
            (.working(.credentialRequest), .credential), (.working(.giveRequest), .complete),
            (.working(.lockRequest), .complete), (.working(.exportRequest), .exported),
            (.working(.openingRequest), .sessionChecked), (.working(.endingRequest), .complete),
            (.start, .refused), (.working, .refused),
            (.offered, .refused), (.taken, .refused):
            state = .finished
        default:
            return false
        }
        return true
    }
}

extension MessageKind {
    /// Whether a person is asked while this request is carried out.
    fileprivate var asks: Bool {
        self == .signInRequest || self == .recoverRequest || self == .unlockRequest || self == .giveRequest
    }

    /// Whether a key comes into the client's session by this request.
    fileprivate var bringsKeys: Bool {
        self == .signInRequest || self == .credentialRequest || self == .attachRequest || self == .keepRequest
            || self == .importRequest
    }
}

/// Whether a request is served while the tokens of its session are locked (`lock_tokens`).
package enum WhileLocked: Sendable {
    /// It takes no token, or proves who the user is.
    case served
    /// For jobs of `exec --keep` alone: a secret of their own proves that they are such.
    case servedForJobs
    case refused
}

extension MessageKind {
    /// Whether this request is served while tokens are locked. There is no default: who adds a message says it here.
    package var allowedWhileLocked: WhileLocked {
        switch self {
        case .checkRequest, .handOut, .lockRequest, .signOutRequest, .signInRequest, .attachRequest, .importRequest,
            .unlockRequest, .recoverRequest, .registryRequest, .watchRequest, .openingRequest, .endingRequest:
            .served
        case .renewRequest, .credentialRequest:
            .servedForJobs
        case .giveRequest, .keepRequest, .poolSessionsRequest, .exportRequest:
            .refused
        // None of them is a request.
        case .signIn, .renew, .signOut, .answer, .registered, .changePassword, .forgotPassword, .check, .probe,
            .adminSignOut, .poolSessions, .listPeople, .makeCredential, .ask, .keep, .signedIn, .renewed, .signedOut,
            .failed, .passwordChanged, .late, .person, .checked, .probed, .poolSessionList, .page, .listed,
            .credentialMade, .withheld, .taken, .refused, .renewal, .ending, .show, .inInbox, .complete, .tokensValid,
            .registeredSession, .poolSessionsFound, .credential, .exported, .sessionChecked:
            .refused
        }
    }
}
