internal import Base
internal import CognitoIdentityProvider
internal import Messages
internal import Protocol
internal import Tokens

/// The person's side of a sign-in: puts the questions, and judges what was entered as far as that is possible here.
struct PersonDialogue: ~Copyable {
    /// Cognito's own limit for a password, in characters.
    static let longestPassword = 256
    /// How many digits an authenticator app's codes have.
    static let appCodeLength = CombinedCode.length
    /// Longer than any code, in bytes.
    static let longestCode = 64
    /// Cognito's own limit for an answer, in bytes.
    static let longestAnswer = 2048
    /// As much as a message takes, in bytes.
    static let longestPastedAnswer = 4096

    private let questions: Questions
    private let passwordQuestion: PasswordQuestion
    private let combinesCode: Bool
    /// For an authenticator app's list.
    private let loginName: String
    private let browser: BrowserSignIn?

    /// The text typed as the password, if a code followed it.
    private var typed: SecretValue?
    private var codeBehindPassword: SecretValue?

    init(
        _ questions: Questions, passwordQuestion: PasswordQuestion, combinesCode: Bool, loginName: String,
        browser: BrowserSignIn?
    ) {
        self.browser = browser
        self.questions = questions
        self.passwordQuestion = passwordQuestion
        self.combinesCode = combinesCode
        self.loginName = loginName
    }

    /// Puts `question`, with the notice in front of it that `progress` holds; what was entered goes there.
    mutating func ask(_ question: Question, _ progress: inout SignInProgress) throws(StepFailure) -> SignInEvent {
        switch question {
        case .password:
            return try askPassword(&progress)
        case .newPassword:
            return try askNewPassword(&progress)
        case .codeKind, .firstFactor, .setupKind:
            return try choose(question, &progress)
        case .code where takeCodeBehindPassword(&progress):
            return .answered
        case .code, .setupCode:
            let text = question == .code ? codePrompt(progress) : setupPrompt(progress)
            let event = try askLine(text, atMost: Self.longestCode, &progress)
            guard event == .answered, let code = progress.answer?.withoutBlanks() else {
                return event == .answered ? .unusable : event
            }
            guard code.count > 0 else {
                return .empty
            }
            progress.answer = code
            // Codes are digits, an app's six of them. A password is none, also where none was asked for that it could
            // be compared with: a program that answers every question with it must not send it there.
            return code.isDigits && (question == .code || code.count == Self.appCodeLength) ? .answered : .unusable
        case .attribute:
            guard let name = progress.missing.first else {
                return .gone
            }
            let event = try askLine(PromptText.attribute(name, questions.manner), atMost: Self.longestAnswer, &progress)
            if event == .answered, let value = progress.answer {
                progress.missing.removeFirst()
                progress.attributes.append((name, value))
            }
            return event
        case .setupAddress:
            return try askLine(say(ChallengeWording.setupAddress), atMost: Self.longestAnswer, &progress)
        case .custom:
            return try askLine(customPrompt(progress), atMost: Self.longestAnswer, &progress)
        case .browserCode:
            return try askBrowserCode(&progress)
        case .resetOffer:
            return try askResetCode(say(ChallengeWording.resetOffer), &progress)
        case .resetCode:
            let text = deliveryPrompt(progress)
            return try askResetCode(text, &progress)
        }
    }

    private func askResetCode(_ text: String, _ progress: inout SignInProgress) throws(StepFailure) -> SignInEvent {
        let event = try askLine(text, atMost: Self.longestCode, &progress)
        guard event == .answered, let code = progress.answer?.withoutBlanks() else {
            return event == .answered ? .unusable : event
        }
        guard code.count > 0 else {
            return .empty
        }
        guard code.allSatisfy(\.isVisibleASCII) else {
            return .unusable
        }
        progress.resetCode = code
        return .answered
    }

    /// Shows the address, and takes what the browser came back with. A request whose code was used up is followed by a
    /// new one.
    private func askBrowserCode(_ progress: inout SignInProgress) throws(StepFailure) -> SignInEvent {
        guard let browser else {
            return .gone
        }
        let request: AuthorizationRequest =
            switch progress.authorization.take() {
            case .some(let open): open
            case .none: try browser.begin()
            }
        let state = request.state
        let text = browser.prompt(request, questions.manner)
        progress.authorization = consume request
        let event = try askLine(text, atMost: Self.longestPastedAnswer, &progress)
        guard event == .answered, let answer = progress.answer else {
            return event
        }
        switch PastedAnswer(answer, state: state) {
        case .code(let code):
            progress.answer = code
            return .answered
        case .refused(let why):
            progress.explanation = why
            return .refusedInBrowser
        case .ofAnotherPrompt: return .ofAnotherPrompt
        case .truncated: return .truncated
        case .unusable: return .unusable
        }
    }

    private func say(_ phrase: Phrase) -> String {
        questions.manner.say(phrase)
    }

    private func codePrompt(_ progress: borrowing SignInProgress) -> String {
        guard let challenge = progress.challenge, let question = progress.question else {
            return ""
        }
        return PromptText.code(question, challenge, questions.manner)
    }

    private func deliveryPrompt(_ progress: borrowing SignInProgress) -> String {
        progress.resetDelivery.map { delivery in PromptText.delivery(delivery, questions.manner) }
            ?? say(ChallengeWording.resetCode)
    }

    private func customPrompt(_ progress: borrowing SignInProgress) -> String {
        progress.challenge.map { challenge in PromptText.custom(challenge, questions.manner) } ?? ""
    }

    /// The key is shown once, and again with every question about it: what was above may have left the screen.
    private func setupPrompt(_ progress: borrowing SignInProgress) -> String {
        progress.token.map { token in PromptText.setup(token, account: loginName, questions.manner) } ?? ""
    }

    private mutating func askPassword(_ progress: inout SignInProgress) throws(StepFailure) -> SignInEvent {
        guard
            let given = try questions.ask(
                passwordQuestion.style, takeNotice(&progress) + questions.manner.prompt(passwordQuestion.text))
        else {
            return .gone
        }
        let characters = given.characterCount
        guard characters > 0 else {
            return browser == nil ? .empty : .choseBrowser
        }
        guard characters <= Self.longestPassword else {
            return .unusable
        }
        progress.password = given
        guard combinesCode, let start = given.withBytes({ bytes in CombinedCode.passwordLength(in: bytes) }),
            let code = given.part(start..<given.count), let password = given.part(0..<start)
        else {
            return .answered
        }
        codeBehindPassword = code
        progress.password = password
        typed = given
        return .answered
    }

    /// Takes the code that was typed behind the password. Only an app's can have been: others are sent after it.
    private mutating func takeCodeBehindPassword(_ progress: inout SignInProgress) -> Bool {
        guard let code = codeBehindPassword, progress.challenge?.knownName == .softwareTokenMFA else {
            return false
        }
        progress.answer = code
        codeBehindPassword = nil
        return true
    }

    private func askNewPassword(_ progress: inout SignInProgress) throws(StepFailure) -> SignInEvent {
        var text = takeNotice(&progress)
        if text.isEmpty, progress.resetCode == nil {
            text = say(ChallengeWording.passwordChange)
        }
        let (event, entered) = try questions.askNewPassword(text, not: [progress.password, typed])
        progress.newPassword = entered
        return event
    }

    /// One line with echo, kept in `answer`.
    private func askLine(
        _ text: String, atMost limit: Int, _ progress: inout SignInProgress
    ) throws(StepFailure) -> SignInEvent {
        // The previous answer is erased while the user types.
        progress.answer = nil
        guard let given = try questions.ask(.visible, takeNotice(&progress) + text) else {
            return .gone
        }
        // A program that knows one question only answers every other with the password, too.
        if isPassword(given, progress) {
            return .password
        }
        guard given.count <= limit, given.isPrintable else {
            return .unusable
        }
        progress.answer = given
        return given.count == 0 ? .empty : .answered
    }

    /// A menu; Enter is the first line of it.
    private func choose(_ question: Question, _ progress: inout SignInProgress) throws(StepFailure) -> SignInEvent {
        let title =
            switch question {
            case .codeKind: ChallengeWording.codeKind
            case .setupKind: ChallengeWording.setupKind
            default: progress.offersPasskey ? ChallengeWording.firstFactorNoPasskey : ChallengeWording.firstFactor
            }
        let app = ChallengeName.softwareTokenMFA.rawValue
        if question == .codeKind, codeBehindPassword != nil, progress.choices.contains(app) {
            progress.choice = app
            return .answered
        }
        let event = try askLine(
            PromptText.menu(title, progress.choices, questions.manner), atMost: Self.longestCode, &progress)
        guard event == .answered || event == .empty else {
            return event
        }
        let number = event == .empty ? 1 : progress.answer?.text.flatMap { text in Int(text) }
        guard let number, (1...progress.choices.count).contains(number) else {
            return .unusable
        }
        progress.choice = progress.choices[number - 1]
        switch (question, progress.chosen) {
        case (.firstFactor, let name?) where name.isPassword: return .chosePassword
        case (.setupKind, .softwareTokenMFA): return .choseApp
        case (.setupKind, _): return .choseAddress
        default: return .answered
        }
    }

    private func isPassword(_ given: SecretValue, _ progress: borrowing SignInProgress) -> Bool {
        progress.password == given || typed == given
    }

    /// Returns the notice that the user must see first, and clears it.
    private func takeNotice(_ progress: inout SignInProgress) -> String {
        defer { progress.notice = nil }
        switch progress.notice {
        case nil: return ""
        case .nothingEntered: return say(ChallengeWording.nothingEntered)
        case .unusable: return say(ChallengeWording.unusable)
        case .wrongCode: return say(ChallengeWording.wrongCode)
        case .usedCode: return say(ChallengeWording.usedCode)
        case .differs: return say(ChallengeWording.differs)
        case .unfitPassword: return say(ChallengeWording.unfitPassword)
        case .samePassword: return say(ChallengeWording.samePassword)
        case .notAcceptable:
            return progress.explanation.isEmpty
                ? say(ChallengeWording.notAcceptableUnexplained)
                : questions.manner.say(ChallengeWording.notAcceptable, filling: progress.explanation)
        case .aliasTaken: return say(ChallengeWording.aliasTaken)
        case .busy: return say(ChallengeWording.busy)
        case .expired: return say(ChallengeWording.expired)
        case .passwordReset: return say(ChallengeWording.passwordReset)
        case .resetCodeExpired: return say(ChallengeWording.resetCodeExpired)
        case .resetCodeSent: return say(ChallengeWording.resetCodeSent)
        case .resetCodeUnfit: return say(ChallengeWording.resetCodeUnfit)
        case .ofAnotherPrompt: return say(ChallengeWording.ofAnotherPrompt)
        case .truncated: return say(ChallengeWording.truncated)
        case .browserCodeUnfit: return say(ChallengeWording.browserCodeUnfit)
        }
    }
}
