/// One step between the root side and the worker, or one connection between a client and the agent, as both ends must
/// see it: what may arrive now, and how often.
///
/// A connection is for one request. Both ends feed every message that they send or receive; a message out of place ends
/// the step or the connection.
package struct Exchange: Sendable {
    /// Between whom it is.
    package enum Peers: Sendable {
        case rootSideAndWorker
        case clientAndAgent
    }

    /// How many times a worker or the agent may ask before it must come to a result.
    package static let mostQuestions = 40
    /// How many times a worker may hand over something to keep.
    package static let mostKept = 6
    /// How many refusals of Cognito's a worker may tell root's log of, and not the person.
    package static let mostWithheld = 8
    /// How many sessions a worker may sign out before it ends, and how long it may do so, in milliseconds.
    package static let mostSignOuts = 16
    package static let longestSharing: Int64 = 2000
    /// How many people a page has at most, and how many pages a worker may tell of.
    package static let mostOnPage = 60
    package static let mostPages = 2000
    /// How many times the agent may show something.
    package static let mostShown = 20

    /// Where it stands, with the step or the request that it is for.
    private enum ExchangeState: Sendable {
        case start
        case working(MessageKind)
        case asked(MessageKind)
        /// The root side has the tokens that the worker got.
        case answered(MessageKind)
        /// There is something in the client's inbox.
        case offered(MessageKind)
        case taken(MessageKind)
        case finished
    }

    private let peers: Peers
    private var state = ExchangeState.start
    /// Whether the root side has a password change's tokens in its registry.
    private var isRegistered = false
    private var questions = 0
    private var kept = 0
    private var withheld = 0
    private var peopleOnPage = 0
    private var pages = 0
    private var shown = 0
    private var offers = 0
    /// Whether the worker has said that its answer is late.
    private var isLate = false

    /// Begins before the step or the request itself.
    package init(_ peers: Peers) {
        self.peers = peers
    }

    /// Whether it has come to its end.
    package var isFinished: Bool {
        if case .finished = state { true } else { false }
    }

    /// Takes note of `message`; false when it may not come now.
    package mutating func accept(_ message: MessageKind) -> Bool {
        switch (state, message.rule.place) {
        case (.start, .step) where peers == .rootSideAndWorker, (.start, .request) where peers == .clientAndAgent:
            state = .working(message)
        case (.asked(let kind), .reply(let questions)) where questions.contains(.ask):
            state = .working(kind)
        case (.answered(.changePassword), .reply(let tokens)) where tokens.contains(.signedIn):
            // Only now may the tokens be used for what they are there for.
            isRegistered = true
            state = .working(.changePassword)
        case (.answered, .reply(let tokens)) where tokens.contains(.signedIn):
            state = .finished
        case (.offered(let request), .reply(let offers)) where offers.contains(.inInbox):
            state = .taken(request)
        case (.working(let kind), .during(let kinds)) where kinds.contains(kind),
            (.asked(let kind), .during(let kinds)) where message == .keep && kinds.contains(kind),
            // A sign-in brings two keys: the secret, then the tokens.
            (.taken(let kind), .during(let kinds))
        where kinds.contains(.taken) || message == .inInbox && kind == .signInRequest:
            return goOn(kind, with: message)
        case (.working(let kind), .end(let kinds)) where kinds.contains(kind):
            guard kind != .changePassword || isRegistered else {
                return false
            }
            state = .finished
        case (.taken, .end(let kinds)) where kinds.contains(.taken):
            state = .finished
        case (.working, .endOfAnyStep) where peers == .rootSideAndWorker,
            (.asked, .endOfAnyStep) where peers == .rootSideAndWorker,
            (.start, .note) where peers == .clientAndAgent,
            (.start, .endOfAnyRequest) where peers == .clientAndAgent,
            (.working, .endOfAnyRequest) where peers == .clientAndAgent,
            (.offered, .endOfAnyRequest), (.taken, .endOfAnyRequest):
            state = .finished
        default:
            return false
        }
        return true
    }

    /// Takes note of a message in the course of a step or a request.
    private mutating func goOn(_ kind: MessageKind, with message: MessageKind) -> Bool {
        switch message {
        case .ask:
            guard count(&questions, Self.mostQuestions) else {
                return false
            }
            state = .asked(kind)
        case .signedIn, .renewed:
            guard !isRegistered else {
                return false
            }
            state = .answered(kind)
        case .late:
            guard !isLate else {
                return false
            }
            isLate = true
        case .page:
            peopleOnPage = 0
            return count(&pages, Self.mostPages)
        case .inInbox:
            guard count(&offers, 2) else {
                return false
            }
            state = .offered(kind)
        case .keep: return count(&kept, Self.mostKept)
        case .withheld: return count(&withheld, Self.mostWithheld)
        case .person: return count(&peopleOnPage, Self.mostOnPage)
        case .show: return count(&shown, Self.mostShown)
        // As many as there are: the agent ends the list.
        case .registeredSession: break
        default: return false
        }
        return true
    }

    /// Counts one more; false when that is too many.
    private func count(_ number: inout Int, _ most: Int) -> Bool {
        number += 1
        return number <= most
    }
}
