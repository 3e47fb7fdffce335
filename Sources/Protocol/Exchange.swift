/// One step between the root side and the worker, as both must see it: what may arrive now, and how often.
///
/// Both ends feed every message that they send or receive; a message out of place ends the step.
package struct Exchange: Sendable {
    /// How many times a worker may ask, and hand over something to keep, before it must come to a result.
    package static let mostQuestions = 40
    package static let mostKept = 6
    /// How many refusals of Cognito's a worker may tell root's log of, and not the person.
    package static let mostWithheld = 8
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

    /// Whether this side now owes the worker an answer to its question.
    package var owesAnswer: Bool {
        if case .asked = state { true } else { false }
    }

    /// Takes note of `message`; false when it may not come now.
    package mutating func accept(_ message: MessageKind) -> Bool {
        switch (state, message) {
        case (.start, .signIn), (.start, .renew), (.start, .signOut), (.start, .changePassword),
            (.start, .forgotPassword), (.start, .check), (.start, .probe), (.start, .adminSignOut),
            (.start, .poolSessions), (.start, .listPeople), (.start, .makeCredential):
            state = .working(message)
        case (.working(let step), .ask) where step.asks:
            questions += 1
            guard questions <= Self.mostQuestions else {
                return false
            }
            state = .asked(step)
        case (.asked(let step), .answer):
            state = .working(step)
        case (.working(.signIn), .keep), (.working(.changePassword), .keep), (.working(.renew), .keep),
            (.working(.check), .keep), (.working(.makeCredential), .keep), (.working(.probe), .keep),
            (.asked(.signIn), .keep), (.asked(.changePassword), .keep):
            kept += 1
            guard kept <= Self.mostKept else {
                return false
            }
        case (.working(.forgotPassword), .withheld):
            withheld += 1
            guard withheld <= Self.mostWithheld else {
                return false
            }
        case (.working(.listPeople), .person):
            peopleOnPage += 1
            guard peopleOnPage <= Self.mostOnPage else {
                return false
            }
        case (.working(.listPeople), .page):
            peopleOnPage = 0
            pages += 1
            guard pages <= Self.mostPages else {
                return false
            }
        case (.working(.renew), .late) where !isLate:
            isLate = true
        case (.working(.signIn), .signedIn):
            state = .answered(.signIn)
        case (.working(.changePassword), .signedIn) where !isRegistered:
            state = .answered(.changePassword)
        case (.working(.renew), .renewed):
            state = .answered(.renew)
        case (.answered(.changePassword), .registered):
            // Only now may the tokens be used for what they are there for.
            isRegistered = true
            state = .working(.changePassword)
        case (.answered, .registered):
            state = .finished
        case (.working(.changePassword), .passwordChanged) where isRegistered:
            state = .finished
        case (.working(.signOut), .signedOut), (.working(.adminSignOut), .signedOut),
            (.working(.forgotPassword), .passwordChanged), (.working(.listPeople), .listed),
            (.working(.check), .checked), (.working(.probe), .probed),
            (.working(.poolSessions), .poolSessionList), (.working(.makeCredential), .credentialMade),
            (.working, .failed), (.asked, .failed):
            state = .finished
        default:
            return false
        }
        return true
    }
}

extension MessageKind {
    /// Whether this step is one with a person.
    fileprivate var asks: Bool {
        self == .signIn || self == .changePassword || self == .forgotPassword
    }
}
