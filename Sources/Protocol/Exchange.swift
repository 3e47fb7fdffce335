/// One step between the root side and the worker, as both must see it: what may arrive now, and how often.
///
/// Both ends feed every message that they send or receive; a message out of place ends the step.
package struct Exchange: Sendable {
    /// How many times a worker may ask, and hand over something to keep, before it must come to a result.
    package static let mostQuestions = 40
    package static let mostKept = 6
    /// How many refusals of Cognito's a worker may tell root's log of, and not the person.
    package static let mostWithheld = 8
    /// How many sessions a worker may sign out before it ends, and how long it may do so, in milliseconds.
    package static let mostSignOuts = 16
    package static let longestSharing: Int64 = 2000
    /// How many people a page has at most, and how many pages a worker may tell of.
    package static let mostOnPage = 60
    package static let mostPages = 2000

    private enum StepState: Sendable {
        case start
        case working(MessageKind)
        case asked(MessageKind)
        case answered(MessageKind)
        case finished
    }

    private var state = StepState.start
    /// Whether the root side has a password change's tokens in its registry.
    private var isRegistered = false
    private var questions = 0
    private var kept = 0
    private var withheld = 0
    private var peopleOnPage = 0
    private var pages = 0
    /// Whether the worker has said that its answer is late.
    private var isLate = false

    /// Begins before the step itself.
    package init() {}

    /// Whether the step has come to its end.
    package var isFinished: Bool {
        if case .finished = state { true } else { false }
    }

    /// Takes note of `message`; false when it may not come now.
    package mutating func accept(_ message: MessageKind) -> Bool {
        switch (state, message.rule.place) {
        case (.start, .step):
            state = .working(message)
        case (.asked(let step), .reply(let questions)) where questions.contains(.ask):
            state = .working(step)
        case (.answered(.changePassword), .reply(let tokens)) where tokens.contains(.signedIn):
            // Only now may the tokens be used for what they are there for.
            isRegistered = true
            state = .working(.changePassword)
        case (.answered, .reply(let tokens)) where tokens.contains(.signedIn):
            state = .finished
        case (.working(let step), .during(let steps)) where steps.contains(step):
            return goOn(step, with: message)
        case (.asked(let step), .during(let steps)) where message == .keep && steps.contains(step):
            return goOn(step, with: message)
        case (.working(let step), .end(let steps)) where steps.contains(step):
            guard step != .changePassword || isRegistered else {
                return false
            }
            state = .finished
        case (.working, .endOfAnyStep), (.asked, .endOfAnyStep):
            state = .finished
        default:
            return false
        }
        return true
    }

    /// Takes note of a message in the course of `step`.
    private mutating func goOn(_ step: MessageKind, with message: MessageKind) -> Bool {
        switch message {
        case .ask:
            guard count(&questions, Self.mostQuestions) else {
                return false
            }
            state = .asked(step)
        case .signedIn, .renewed:
            guard !isRegistered else {
                return false
            }
            state = .answered(step)
        case .late:
            guard !isLate else {
                return false
            }
            isLate = true
        case .page:
            peopleOnPage = 0
            return count(&pages, Self.mostPages)
        case .keep: return count(&kept, Self.mostKept)
        case .withheld: return count(&withheld, Self.mostWithheld)
        case .person: return count(&peopleOnPage, Self.mostOnPage)
        default: return false
        }
        return true
    }
}

/// Counts one more; false when that is too many.
func count(_ number: inout Int, _ most: Int) -> Bool {
    number += 1
    return number <= most
}
