/// One connection between a client and the agent, as both must see it: what may arrive now, and how often.
///
/// A connection is for one request. Both ends feed every message that they send or receive; a message out of place ends
/// the connection.
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
        switch (state, message.rule.place) {
        case (.start, .request):
            state = .working(message)
        case (.start, .note), (.start, .endOfAnyRequest), (.working, .endOfAnyRequest), (.offered, .endOfAnyRequest),
            (.taken, .endOfAnyRequest):
            state = .finished
        case (.asked(let request), .reply(let questions)) where questions.contains(.ask):
            state = .working(request)
        case (.offered(let request), .reply(let offers)) where offers.contains(.inInbox):
            state = .taken(request)
        case (.working(let request), .during(let requests)) where requests.contains(request),
            // A sign-in brings two keys: the secret, then the tokens.
            (.taken(let request), .during(let requests))
        where requests.contains(.taken) || message == .inInbox && request == .signInRequest:
            return goOn(request, with: message)
        case (.working(let request), .end(let requests)) where requests.contains(request):
            state = .finished
        case (.taken, .end(let requests)) where requests.contains(.taken):
            state = .finished
        default:
            return false
        }
        return true
    }

    /// Takes note of a message in the course of `request`.
    private mutating func goOn(_ request: MessageKind, with message: MessageKind) -> Bool {
        switch message {
        case .ask:
            guard count(&questions, Self.mostQuestions) else {
                return false
            }
            state = .asked(request)
        case .inInbox:
            guard count(&offers, 2) else {
                return false
            }
            state = .offered(request)
        case .show: return count(&shown, Self.mostShown)
        // As many as there are: the agent ends the list.
        case .registeredSession: break
        default: return false
        }
        return true
    }
}
