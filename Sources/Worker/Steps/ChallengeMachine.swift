/// The way from the first question to tokens, as a pure function: what happened makes a new state and something to do.
/// Nothing here knows a password, a code or a name.
package struct ChallengeMachine: Hashable, Sendable {
    /// More challenges than any pool needs.
    package static let mostRounds = 10
    /// How often one thing may be wrong: a code, a new password, a repetition.
    package static let mostWrong = 3

    package private(set) var waiting = Waiting.start
    /// Told to the user before the next prompt.
    package private(set) var notice: Notice?
    /// Actions that are allowed once in a sign-in and have been done.
    private var done: Set<Once> = []
    private var hasPassword = false
    /// The new password that the pool has accepted.
    private var newPassword = NewPassword.none
    private var rounds = 0
    private var wrong = 0
    private var busy = 0
    private var empty = 0
    private var missing = 0
    private var wanted = 0
    /// Sent after the password was entered.
    private var withPassword = Request.initiate
    /// Sent after a first factor was chosen.
    private var withFactor = Request.firstFactor
    /// Sent after a new password was entered.
    private var withNewPassword = Request.newPassword
    /// There is a new password; only its code may be wrong.
    private var hasProposal = false
    private var wrongResetCodes = 0
    private var recovers = false

    private enum Once {
        case restart
        case forgetDevice
        case declinePasskey
        case reset
        case offerNewCode
    }

    private enum NewPassword {
        case none
        /// Set with a code: it is the one that is known now.
        case known
        /// Set at a challenge: the one that is known is none any more.
        case unknown
    }

    package var hasNewPassword: Bool { newPassword != .none }

    /// Whether that was not done before.
    private mutating func isFirst(_ step: Once) -> Bool { done.insert(step).inserted }

    /// A sign-in that has not begun.
    package init() {}

    /// A sign-in that waits for `waiting`, for a table of all cases.
    package init(waiting: Waiting) {
        self.waiting = waiting
    }

    /// Takes note of what happened; the result is what to do.
    package mutating func take(_ event: SignInEvent) -> SignInAction {
        switch (waiting, event) {
        case (.end, _): return .fail(.outOfPlace)
        case (_, .gone): return end(.leave)
        case (.start, .begin(let withPassword)): return withPassword ? askPassword(.initiate) : send(.initiate)
        case (.start, .beginInBrowser): return ask(.browserCode)
        case (.start, .recover):
            recovers = true
            withNewPassword = .resetPassword
            return send(.sendResetCode)
        case (.start, _): return fail(.outOfPlace)
        case (.person(let question), _): return take(event, from: question)
        case (.service(let request), _): return take(event, from: request)
        }
    }

    // MARK: - The person

    private mutating func take(_ event: SignInEvent, from question: Question) -> SignInAction {
        switch (question, event) {
        case (.password, .answered):
            hasPassword = true
            return send(withPassword)
        case (.password, .empty), (.password, .unusable):
            return fail(.hopelessPassword)

        case (.password, .choseBrowser): return ask(.browserCode)
        case (.browserCode, .answered): return send(.redeem)
        case (.browserCode, .ofAnotherPrompt):
            return askAgain(.browserCode, .ofAnotherPrompt, orFail: .wrongTooOften)
        case (.browserCode, .truncated): return askAgain(.browserCode, .truncated, orFail: .wrongTooOften)
        case (.browserCode, .refusedInBrowser): return fail(.refusedInBrowser)

        case (.code, .answered): return send(.code)
        case (.codeKind, .answered): return send(.codeKind)
        case (.firstFactor, .answered): return send(withFactor)
        case (.firstFactor, .chosePassword): return sendWithPassword(withFactor)
        case (.newPassword, .answered):
            hasProposal = true
            return missing > 0 ? ask(.attribute) : send(withNewPassword)
        case (.newPassword, .differs):
            empty = 0
            return askAgain(.newPassword, .differs, orFail: .noNewPassword)
        case (.attribute, .answered):
            missing -= 1
            return missing > 0 ? ask(.attribute) : send(withNewPassword)
        case (.setupKind, .choseApp): return send(.setupKey)
        case (.setupKind, .choseAddress): return ask(.setupAddress)
        case (.setupCode, .answered): return send(.setupCode)
        case (.setupAddress, .answered): return send(.setupAddress)
        case (.custom, .answered): return send(.custom)
        case (.resetOffer, .answered), (.resetCode, .answered):
            return hasProposal ? send(.resetPassword) : ask(.newPassword)
        case (.resetOffer, .empty): return send(.sendResetCode)

        case (.newPassword, .password): return askAgain(.newPassword, .samePassword, orFail: .noNewPassword)
        case (.newPassword, .unusable): return askAgain(.newPassword, .unfitPassword, orFail: .noNewPassword)
        case (_, .password) where question != .password:
            return fail(.passwordAsAnswer)
        case (_, .unusable):
            return askAgain(question, .unusable, orFail: .wrongTooOften)
        case (_, .empty):
            empty += 1
            guard empty < 2 else {
                return fail(.noAnswer)
            }
            notice = .nothingEntered
            return ask(question)
        default:
            return fail(.outOfPlace)
        }
    }

    // MARK: - The service

    private mutating func take(_ event: SignInEvent, from request: Request) -> SignInAction {
        switch (request, event) {
        // Setting up an app takes three requests; only the last of them can come to tokens.
        case (.setupKey, .granted): return ask(.setupCode)
        case (.setupCode, .granted): return send(.setup)
        case (.setupKey, .tokens), (.setupKey, .challenge), (.setupCode, .tokens), (.setupCode, .challenge):
            return fail(.outOfPlace)

        // It comes to tokens, or to nothing.
        case (.redeem, .tokens): return end(.finish)
        case (.redeem, .wrongAnswer): return askAgain(.browserCode, .browserCodeUnfit, orFail: .wrongTooOften)
        case (.redeem, .refused): return fail(.asRefused)
        case (.redeem, _): return fail(.outOfPlace)

        case (.sendResetCode, _), (.resetPassword, _): return take(event, fromReset: request)
        case (.initiate, .resetRequired), (.proof, .resetRequired), (.password, .resetRequired),
            (.firstFactor, .resetRequired):
            guard isFirst(.reset) else {
                return fail(.asRefused)
            }
            withNewPassword = .resetPassword
            wrong = 0
            empty = 0
            // One for a challenge that expired is none for this.
            hasProposal = false
            notice = .passwordReset
            return ask(.resetOffer)

        case (_, .tokens):
            noteNewPassword(request)
            return end(.finish)
        case (_, .challenge(let kind, let missing)):
            noteNewPassword(request)
            return take(kind, missing)

        case (_, .deviceUnknown):
            // The password that is known would be a wrong one once another is set.
            guard newPassword != .unknown, isFirst(.forgetDevice) else {
                return fail(.asRefused)
            }
            return send(.initiate)
        default:
            return takeRefusal(event, of: request)
        }
    }

    private mutating func takeRefusal(_ event: SignInEvent, of request: Request) -> SignInAction {
        switch (request, event) {
        case (.code, .wrongAnswer): return askAgain(.code, .wrongCode, orFail: .wrongTooOften)
        case (.code, .usedCode): return askAgain(.code, .usedCode, orFail: .wrongTooOften)
        case (.setupCode, .wrongAnswer): return askAgain(.setupCode, .wrongCode, orFail: .wrongTooOften)
        case (.custom, .wrongAnswer): return askAgain(.custom, .wrongCode, orFail: .wrongTooOften)
        // An answer that was not checked may be sent again. The user decides when.
        case (.code, .busy): return askOnceMore(.code)
        case (.setupCode, .busy): return askOnceMore(.setupCode)
        case (.custom, .busy): return askOnceMore(.custom)
        case (.setupAddress, .busy): return askOnceMore(.setupAddress)
        case (.newPassword, .busy): return askOnceMore(.newPassword)
        case (.setupAddress, .aliasTaken): return askAgain(.setupAddress, .aliasTaken, orFail: .asRefused)
        case (.newPassword, .aliasTaken(let missing)) where missing > 0:
            self.missing = missing
            return askAgain(.attribute, .aliasTaken, orFail: .asRefused)
        case (.setupAddress, .notAcceptable): return askAgain(.setupAddress, .notAcceptable, orFail: .wrongTooOften)
        case (.newPassword, .notAcceptable): return askAgain(.newPassword, .notAcceptable, orFail: .noNewPassword)
        case (.newPassword, .attributeNotAcceptable) where wanted > 0:
            missing = wanted
            return askAgain(.attribute, .notAcceptable, orFail: .wrongTooOften)

        // The proof follows its challenge at once: if that is too late, again would be, too.
        case (.initiate, .expired), (.proof, .expired): return fail(.asRefused)
        case (_, .expired): return restart(.expired, orFail: .tooLate)
        // An address is another's once its code was right: only from the beginning can there be a different one.
        case (_, .aliasTaken): return restart(.aliasTaken, orFail: .asRefused)
        case (_, .refused), (_, .wrongAnswer), (_, .notAcceptable), (_, .busy): return fail(.asRefused)
        default: return fail(.outOfPlace)
        }
    }

    private mutating func take(_ event: SignInEvent, fromReset request: Request) -> SignInAction {
        switch (request, event) {
        case (.sendResetCode, .granted):
            notice = recovers ? .resetCodeSent : nil
            return ask(.resetCode)
        case (.resetPassword, .granted):
            newPassword = .known
            return recovers ? end(.finish) : send(.initiate)
        case (.resetPassword, .wrongAnswer),
            (.resetPassword, .expired) where recovers:
            return askResetCodeAgain(recovers ? .resetCodeUnfit : .wrongCode)
        case (.resetPassword, .expired):
            guard isFirst(.offerNewCode) else {
                return fail(.resetCodeExpired)
            }
            notice = .resetCodeExpired
            return ask(.resetOffer)
        case (.resetPassword, .busy): return askOnceMore(.resetCode)
        case (.resetPassword, .notAcceptable):
            return askAgain(.newPassword, .notAcceptable, orFail: .noNewPassword)
        case (_, .refused), (_, .wrongAnswer), (_, .expired), (_, .notAcceptable), (_, .busy): return fail(.asRefused)
        default: return fail(.outOfPlace)
        }
    }

    private mutating func askResetCodeAgain(_ notice: Notice) -> SignInAction {
        wrongResetCodes += 1
        guard wrongResetCodes < Self.mostWrong else {
            return fail(.resetCodeTooOften)
        }
        self.notice = notice
        // It may have been too old, or never have arrived.
        return ask(recovers && isFirst(.offerNewCode) ? .resetOffer : .resetCode)
    }

    private mutating func noteNewPassword(_ request: Request) {
        if request == .newPassword {
            newPassword = .unknown
        }
    }

    private mutating func take(_ challenge: ChallengeKind, _ missing: Int) -> SignInAction {
        rounds += 1
        guard rounds <= Self.mostRounds else {
            return fail(.tooManyRounds)
        }
        wrong = 0
        busy = 0
        empty = 0
        self.missing = missing
        wanted = missing
        switch challenge {
        case .proof: return hasPassword ? send(.proof) : fail(.outOfPlace)
        case .device: return send(.device)
        case .deviceProof: return send(.deviceProof)
        case .password: return sendWithPassword(.password)
        case .code: return ask(.code)
        case .onlyCodeKind: return send(.codeKind)
        case .severalCodeKinds: return ask(.codeKind)
        case .onlyFirstFactor: return send(.firstFactor)
        case .onlyPassword: return sendWithPassword(.firstFactor)
        case .severalFirstFactors:
            withFactor = .firstFactor
            return ask(.firstFactor)
        case .newPassword:
            withNewPassword = .newPassword
            return ask(.newPassword)
        case .setupApp: return send(.setupKey)
        case .setupAddress: return ask(.setupAddress)
        case .severalSetups: return ask(.setupKind)
        case .custom: return ask(.custom)
        case .passkeyOrFactor, .passkeyOrFactors, .passkeyOrPassword:
            // Begun anew with another factor; when that leads to a passkey as well, there is none.
            guard isFirst(.declinePasskey) else {
                return fail(.notSupported)
            }
            withFactor = .initiate
            switch challenge {
            case .passkeyOrFactor: return send(.initiate)
            case .passkeyOrPassword: return sendWithPassword(.initiate)
            default: return ask(.firstFactor)
            }
        case .unanswerable: return fail(.notSupported)
        case .foreign: return fail(.foreignChallenge)
        }
    }

    // MARK: - Steps

    private mutating func ask(_ question: Question) -> SignInAction {
        if case .person(let earlier) = waiting, earlier != question {
            empty = 0
        }
        waiting = .person(question)
        return .ask(question)
    }

    /// Asks once more because of `notice`, or fails when that was too often.
    private mutating func askAgain(
        _ question: Question, _ notice: Notice, orFail ending: SignInEnding
    ) -> SignInAction {
        wrong += 1
        guard wrong < Self.mostWrong else {
            return fail(ending)
        }
        self.notice = notice
        return ask(question)
    }

    /// Prompts again for an answer that the service was too busy to check, which is not the user's mistake. Fails if
    /// that happened too often.
    private mutating func askOnceMore(_ question: Question) -> SignInAction {
        busy += 1
        guard busy < Self.mostWrong else {
            return fail(.tooBusy)
        }
        notice = .busy
        return ask(question)
    }

    /// Begins anew because of `notice`, once.
    private mutating func restart(_ notice: Notice, orFail ending: SignInEnding) -> SignInAction {
        guard newPassword != .unknown, isFirst(.restart) else {
            return fail(ending)
        }
        self.notice = notice
        return send(.initiate)
    }

    private mutating func sendWithPassword(_ next: Request) -> SignInAction {
        hasPassword ? send(next) : askPassword(next)
    }

    private mutating func askPassword(_ next: Request) -> SignInAction {
        withPassword = next
        return ask(.password)
    }

    private mutating func send(_ request: Request) -> SignInAction {
        waiting = .service(request)
        return .send(request)
    }

    /// The person has been told.
    package mutating func noticeWasShown() {
        notice = nil
    }

    private mutating func end(_ action: SignInAction) -> SignInAction {
        waiting = .end
        return action
    }

    private mutating func fail(_ ending: SignInEnding) -> SignInAction {
        end(.fail(ending))
    }
}
