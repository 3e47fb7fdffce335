/// What a person can be asked on the way to tokens.
package enum Question: CaseIterable, Hashable, Sendable {
    /// The account's password.
    case password
    /// A one-time code, from wherever it comes.
    case code
    /// Which kind of code.
    case codeKind
    /// With what to sign in: password or a code.
    case firstFactor
    /// A new password.
    case newPassword
    /// The same once more.
    case newPasswordAgain
    /// Something about the person that the pool needs to know.
    case attribute
    /// What to set up for the codes of later sign-ins.
    case setupKind
    /// A code of an authenticator app that has just been set up.
    case setupCode
    /// The e-mail address to which codes shall go.
    case setupAddress
    /// The pool's own question.
    case custom
    /// The code with which a reset password may be set anew, or nothing to have one sent.
    case resetOffer
    /// The same code, now that it was sent.
    case resetCode
}

/// What the service can be sent on the way to tokens.
package enum Request: CaseIterable, Hashable, Sendable {
    /// InitiateAuth.
    case initiate
    /// The proof of the password (PASSWORD_VERIFIER).
    case proof
    /// The beginning of the proof that this host is known (DEVICE_SRP_AUTH).
    case device
    /// That proof (DEVICE_PASSWORD_VERIFIER).
    case deviceProof
    /// The password itself, or the beginning of its proof, where a challenge asks for it.
    case password
    case code
    case codeKind
    case firstFactor
    /// The new password, with what else is needed.
    case newPassword
    /// AssociateSoftwareToken.
    case setupKey
    /// VerifySoftwareToken.
    case setupCode
    /// MFA_SETUP, after a code was verified.
    case setup
    /// MFA_SETUP with an e-mail address.
    case setupAddress
    case custom
    /// ForgotPassword: a code for setting a new password.
    case sendResetCode
    /// ConfirmForgotPassword.
    case resetPassword
}

/// What a challenge comes to, whatever its name.
package enum ChallengeKind: CaseIterable, Hashable, Sendable {
    case proof
    case device
    case deviceProof
    case password
    case code
    /// There is one kind of code.
    case onlyCodeKind
    case severalCodeKinds
    /// There is one factor that this program can use, and it is no password.
    case onlyFirstFactor
    case severalFirstFactors
    /// There is one factor that this program can use: the password.
    case onlyPassword
    case newPassword
    case setupApp
    case setupAddress
    case severalSetups
    case custom
    /// A passkey, which needs a browser, in place of a factor that this program can use, and that is no password.
    case passkeyOrFactor
    case passkeyOrFactors
    /// A passkey, in place of which there may be the password.
    case passkeyOrPassword
    /// Unknown, or known not to work here.
    case unanswerable
}

/// What can happen.
package enum SignInEvent: Hashable, Sendable {
    /// The sign-in begins; whether with a password.
    case begin(withPassword: Bool)
    /// There is no sign-in: a forgotten password is to be set anew, for somebody who has shown nothing yet.
    case recover

    // From the person.
    case answered
    /// Nothing was entered.
    case empty
    /// Too long, not text, or not on the menu.
    case unusable
    /// The account's password was entered.
    case password
    /// A repetition that is none.
    case differs
    /// A choice after which the password is needed.
    case chosePassword
    case choseApp
    case choseAddress
    /// Nobody is there any more.
    case gone

    // From the service.
    case tokens
    /// With the number of attributes that are missing.
    case challenge(ChallengeKind, missing: Int = 0)
    /// What was asked for has come: a key for the app, a code on its way, a password set.
    case granted
    /// The password is right, but was reset: another must be set first.
    case resetRequired
    case wrongAnswer
    /// An app's code that was good once.
    case usedCode
    /// Against the pool's rules for passwords, or no address.
    case notAcceptable
    /// Something about the person that the pool does not take.
    case attributeNotAcceptable
    case expired
    /// The service does not know this host any more, or not so.
    case deviceUnknown
    /// Everything else.
    case refused
}

/// What to do next.
package enum SignInAction: Hashable, Sendable {
    case ask(Question)
    case send(Request)
    case finish
    /// Ends without a word: there is nobody to hear it.
    case leave
    case fail(SignInEnding)
}

/// Why a sign-in comes to no tokens.
package enum SignInEnding: CaseIterable, Hashable, Sendable {
    /// As the service's refusal says.
    case asRefused
    /// A password that cannot be one.
    case hopelessPassword
    case noAnswer
    /// A question was answered with the password.
    case passwordAsAnswer
    case wrongTooOften
    /// No new password that is one.
    case noNewPassword
    case resetCodeTooOften
    /// The code for a new password was too old, and so was the one after it.
    case resetCodeExpired
    case notSupported
    case tooManyRounds
    case tooLate
    /// What happened may not happen here.
    case outOfPlace
}

/// What the person must know before the next question.
package enum Notice: CaseIterable, Hashable, Sendable {
    case nothingEntered
    case unusable
    case wrongCode
    case usedCode
    case differs
    case samePassword
    /// With the service's own words.
    case notAcceptable
    case expired
    case passwordReset
    case resetCodeExpired
    /// Perhaps a code is on its way: whether somebody is known is not said.
    case resetCodeSent
    /// A code that is wrong or too old: which of the two is not said.
    case resetCodeUnfit
}

/// What a sign-in is waiting for.
package enum Waiting: Hashable, Sendable {
    case start
    case person(Question)
    case service(Request)
    case end
}

/// The way from the first question to tokens, as a pure function: what happened makes a new state and something to do.
/// Nothing here knows a password, a code or a name.
package struct ChallengeMachine: Hashable, Sendable {
    /// More challenges than any pool needs.
    package static let mostRounds = 10
    /// How often one thing may be wrong: a code, a new password, a repetition.
    package static let mostWrong = 3

    /// What it waits for.
    package private(set) var waiting = Waiting.start
    /// What the person must know before the next question.
    package private(set) var notice: Notice?
    /// The pool has accepted a new password.
    package private(set) var hasNewPassword = false
    /// A password was set at a challenge: the one that is known is none any more.
    private var isPasswordStale = false
    private var hasPassword = false
    private var hasRestarted = false
    private var hasForgottenDevice = false
    private var hasDeclinedPasskey = false
    private var rounds = 0
    private var wrong = 0
    private var empty = 0
    private var missing = 0
    private var wanted = 0
    /// What is sent once the password is there.
    private var withPassword = Request.initiate
    /// What is sent once a first factor is chosen.
    private var withFactor = Request.firstFactor
    /// What is sent once a new password is there.
    private var withNewPassword = Request.newPassword
    private var hasReset = false
    /// There is a new password; only its code may be wrong.
    private var hasProposal = false
    private var hasOfferedNewCode = false
    private var wrongResetCodes = 0
    private var recovers = false

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

        case (.code, .answered): return send(.code)
        case (.codeKind, .answered): return send(.codeKind)
        case (.firstFactor, .answered): return send(withFactor)
        case (.firstFactor, .chosePassword): return sendWithPassword(withFactor)
        case (.newPassword, .answered): return ask(.newPasswordAgain)
        case (.newPasswordAgain, .answered):
            hasProposal = true
            return missing > 0 ? ask(.attribute) : send(withNewPassword)
        case (.newPasswordAgain, .differs), (.newPasswordAgain, .empty), (.newPasswordAgain, .unusable):
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
        case (.newPassword, .unusable): return askAgain(.newPassword, .unusable, orFail: .noNewPassword)
        case (_, .password) where question != .password && question != .newPasswordAgain:
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

        case (.sendResetCode, _), (.resetPassword, _): return take(event, fromReset: request)
        case (.initiate, .resetRequired), (.proof, .resetRequired), (.password, .resetRequired),
            (.firstFactor, .resetRequired):
            guard !hasReset else {
                return fail(.asRefused)
            }
            hasReset = true
            withNewPassword = .resetPassword
            wrong = 0
            empty = 0
            missing = 0
            notice = .passwordReset
            return ask(.resetOffer)

        case (_, .tokens):
            noteNewPassword(request)
            return end(.finish)
        case (_, .challenge(let kind, let missing)):
            noteNewPassword(request)
            return take(kind, missing)

        case (.code, .wrongAnswer): return askAgain(.code, .wrongCode, orFail: .wrongTooOften)
        case (.code, .usedCode): return askAgain(.code, .usedCode, orFail: .wrongTooOften)
        case (.setupCode, .wrongAnswer): return askAgain(.setupCode, .wrongCode, orFail: .wrongTooOften)
        case (.custom, .wrongAnswer): return askAgain(.custom, .wrongCode, orFail: .wrongTooOften)
        case (.setupAddress, .notAcceptable): return askAgain(.setupAddress, .notAcceptable, orFail: .wrongTooOften)
        case (.newPassword, .notAcceptable): return askAgain(.newPassword, .notAcceptable, orFail: .noNewPassword)
        case (.newPassword, .attributeNotAcceptable) where wanted > 0:
            missing = wanted
            return askAgain(.attribute, .notAcceptable, orFail: .wrongTooOften)

        case (_, .deviceUnknown):
            // The password that is known would be a wrong one once another is set.
            guard !hasForgottenDevice, !isPasswordStale else {
                return fail(.asRefused)
            }
            hasForgottenDevice = true
            return send(.initiate)

        // The proof follows its challenge at once: if that is too late, again would be, too.
        case (.initiate, .expired), (.proof, .expired): return fail(.asRefused)
        case (_, .expired):
            guard !hasRestarted, !isPasswordStale else {
                return fail(.tooLate)
            }
            hasRestarted = true
            notice = .expired
            return send(.initiate)
        case (_, .refused), (_, .wrongAnswer), (_, .notAcceptable): return fail(.asRefused)
        default: return fail(.outOfPlace)
        }
    }

    private mutating func take(_ event: SignInEvent, fromReset request: Request) -> SignInAction {
        switch (request, event) {
        case (.sendResetCode, .granted):
            notice = recovers ? .resetCodeSent : nil
            return ask(.resetCode)
        case (.resetPassword, .granted):
            hasNewPassword = true
            // The new password is the one that is known now.
            return recovers ? end(.finish) : send(.initiate)
        case (.resetPassword, .wrongAnswer),
            (.resetPassword, .expired) where recovers:
            return askResetCodeAgain(recovers ? .resetCodeUnfit : .wrongCode)
        case (.resetPassword, .expired):
            guard !hasOfferedNewCode else {
                return fail(.resetCodeExpired)
            }
            hasOfferedNewCode = true
            notice = .resetCodeExpired
            return ask(.resetOffer)
        case (.resetPassword, .notAcceptable):
            hasProposal = false
            return askAgain(.newPassword, .notAcceptable, orFail: .noNewPassword)
        case (_, .refused), (_, .wrongAnswer), (_, .expired), (_, .notAcceptable): return fail(.asRefused)
        default: return fail(.outOfPlace)
        }
    }

    private mutating func askResetCodeAgain(_ notice: Notice) -> SignInAction {
        wrongResetCodes += 1
        guard wrongResetCodes < Self.mostWrong else {
            return fail(.resetCodeTooOften)
        }
        self.notice = notice
        guard recovers, !hasOfferedNewCode else {
            return ask(.resetCode)
        }
        // It may have been too old, or never have arrived.
        hasOfferedNewCode = true
        return ask(.resetOffer)
    }

    private mutating func noteNewPassword(_ request: Request) {
        if request == .newPassword {
            hasNewPassword = true
            isPasswordStale = true
        }
    }

    private mutating func take(_ challenge: ChallengeKind, _ missing: Int) -> SignInAction {
        rounds += 1
        guard rounds <= Self.mostRounds else {
            return fail(.tooManyRounds)
        }
        wrong = 0
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
            guard !hasDeclinedPasskey else {
                return fail(.notSupported)
            }
            hasDeclinedPasskey = true
            withFactor = .initiate
            switch challenge {
            case .passkeyOrFactor: return send(.initiate)
            case .passkeyOrPassword: return sendWithPassword(.initiate)
            default: return ask(.firstFactor)
            }
        case .unanswerable: return fail(.notSupported)
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
