internal import CognitoIdentityProvider
internal import SecretMemory
internal import Wording
internal import WorkerProtocol

/// Carries out what `ChallengeMachine` decides: puts the questions, sends the answers, and tells the machine what happened.
struct SignInDialogue: ~Copyable {
    /// Cognito's own limit for a password, in characters.
    static let longestPassword = 256
    /// Longer than any code, in bytes.
    static let longestCode = 64
    /// Cognito's own limit for an answer, in bytes.
    static let longestAnswer = 2048
    /// The attributes that may be asked for.
    static let mostAttributes = 10

    private let questions: Questions
    private let client: CognitoClient
    private let clock: any Clock
    private let flow: SignInFlow
    private let loginName: String
    private let passwordQuestion: PasswordQuestion

    private var machine = ChallengeMachine()
    private var password: Secret?
    /// What was typed as the password, where a code stood behind it.
    private var typed: Secret?
    private var codeBehindPassword = ""
    private var exchange: SecureRemotePassword?
    private var challenge: Challenge?
    private var userName: String
    private var token: SoftwareToken?
    private var answer = ""
    private var newPassword: Secret?
    private var attributes: [(name: String, value: String)] = []
    private var missing: [String] = []
    private var choices: [String] = []
    private var explanation = ""
    private var failure: StepFailure?
    private var result: AuthenticationResult?

    init(
        _ questions: Questions, client: CognitoClient, clock: any Clock, flow: SignInFlow, loginName: String,
        passwordQuestion: PasswordQuestion
    ) {
        self.questions = questions
        self.client = client
        self.clock = clock
        self.flow = flow
        self.loginName = loginName
        self.passwordQuestion = passwordQuestion
        userName = loginName
    }

    /// Goes on until there are tokens. Nil when nobody is there any more.
    mutating func run() throws(StepFailure) -> AuthenticationResult? {
        var event = SignInEvent.begin(withPassword: flow.beginsWithPassword)
        while true {
            switch machine.take(event) {
            case .ask(let question): event = try ask(question)
            case .send(let request): event = try send(request)
            case .finish: return result
            case .leave: return nil
            case .fail(let ending): throw ended(ending)
            }
        }
    }

    /// Whether a new password was set on the way.
    var hasNewPassword: Bool { machine.hasNewPassword }

    /// A copy of the password that was used, if one was.
    var usedPassword: Secret? {
        switch password {
        case .some(let password): password.duplicate()
        case .none: nil
        }
    }

    // MARK: - Questions

    private mutating func ask(_ question: Question) throws(StepFailure) -> SignInEvent {
        switch question {
        case .password:
            return try askPassword()
        case .newPassword:
            return try askNewPassword()
        case .newPasswordAgain:
            return try askNewPasswordAgain()
        case .codeKind, .firstFactor, .setupKind:
            return try choose(question)
        case .code where takeCodeBehindPassword():
            return .answered
        case .code, .setupCode:
            let text = question == .code ? codePrompt() : setupPrompt()
            let event = try askLine(text, atMost: Self.longestCode)
            // Apps show codes in two groups.
            answer.removeAll { character in character == " " }
            guard event == .answered else {
                return event
            }
            if answer.isEmpty {
                return .empty
            }
            // The service takes nothing else here, and would call it a malformed request.
            let isUsable =
                question == .code
                || answer.utf8.count == 6 && answer.utf8.allSatisfy { byte in (48...57).contains(byte) }
            return isUsable && answer.utf8.allSatisfy { byte in (0x21..<0x7f).contains(byte) } ? .answered : .unusable
        case .attribute:
            guard let name = missing.first else {
                return .gone
            }
            let event = try askLine(PromptText.attribute(name), atMost: Self.longestAnswer)
            if event == .answered {
                missing.removeFirst()
                attributes.append((name, answer))
            }
            return event
        case .setupAddress:
            return try askLine(ChallengeWording.setupAddress.description, atMost: Self.longestAnswer)
        case .custom:
            return try askLine(challenge.map(PromptText.custom) ?? "", atMost: Self.longestAnswer)
        }
    }

    private func codePrompt() -> String {
        challenge.map(PromptText.code) ?? ""
    }

    /// The key is shown once, and again with every question about it: what was above may have left the screen.
    private func setupPrompt() -> String {
        token.map { token in PromptText.setup(token, account: loginName) } ?? ""
    }

    private mutating func askPassword() throws(StepFailure) -> SignInEvent {
        guard let given = try questions.ask(passwordQuestion.style, takeNotice() + passwordQuestion.text.description)
        else {
            return .gone
        }
        let characters = given.characterCount
        guard characters > 0 else {
            return .empty
        }
        guard characters <= Self.longestPassword else {
            return .unusable
        }
        guard flow.combinesCode, let code = given.finalCode else {
            password = consume given
            return .answered
        }
        codeBehindPassword = code
        password = given.withoutFinalCode()
        typed = consume given
        return .answered
    }

    /// Takes the code that was typed behind the password. Only an app's can have been: others are sent after it.
    private mutating func takeCodeBehindPassword() -> Bool {
        guard !codeBehindPassword.isEmpty, challenge?.name == "SOFTWARE_TOKEN_MFA" else {
            return false
        }
        answer = codeBehindPassword
        codeBehindPassword = ""
        return true
    }

    private mutating func askNewPassword() throws(StepFailure) -> SignInEvent {
        var text = takeNotice()
        if text.isEmpty {
            text = ChallengeWording.passwordChange.description
        }
        guard let given = try questions.ask(.hidden, text + ChallengeWording.newPassword.description) else {
            return .gone
        }
        switch given.characterCount {
        case 0: return .empty
        case 1...Self.longestPassword where given.text != nil: break
        default: return .unusable
        }
        if isPassword(given) {
            return .password
        }
        newPassword = consume given
        return .answered
    }

    private mutating func askNewPasswordAgain() throws(StepFailure) -> SignInEvent {
        guard let given = try questions.ask(.hidden, ChallengeWording.newPasswordAgain.description) else {
            return .gone
        }
        let isSame: Bool
        switch newPassword {
        case .some(let chosen): isSame = chosen.isEqual(to: given)
        case .none: isSame = false
        }
        if !isSame {
            newPassword = nil
        }
        return isSame ? .answered : .differs
    }

    /// One line with echo, kept in `answer`.
    private mutating func askLine(_ text: String, atMost limit: Int) throws(StepFailure) -> SignInEvent {
        answer = ""
        guard let given = try questions.ask(.visible, takeNotice() + text) else {
            return .gone
        }
        // A program that knows one question only answers every other with the password, too.
        if isPassword(given) {
            return .password
        }
        guard given.count <= limit, let line = given.text,
            line.unicodeScalars.allSatisfy({ scalar in scalar.properties.generalCategory != .control })
        else {
            return .unusable
        }
        answer = line
        return line.isEmpty ? .empty : .answered
    }

    /// A menu; Enter is the first line of it.
    private mutating func choose(_ question: Question) throws(StepFailure) -> SignInEvent {
        let title =
            switch question {
            case .codeKind: ChallengeWording.codeKind
            case .setupKind: ChallengeWording.setupKind
            default: offersPasskey ? ChallengeWording.firstFactorNoPasskey : ChallengeWording.firstFactor
            }
        if question == .codeKind, !codeBehindPassword.isEmpty, choices.contains("SOFTWARE_TOKEN_MFA") {
            answer = "SOFTWARE_TOKEN_MFA"
            return .answered
        }
        let event = try askLine(PromptText.menu(title, choices), atMost: Self.longestCode)
        guard event == .answered || event == .empty else {
            return event
        }
        let number = event == .empty ? 1 : Int(answer)
        guard let number, (1...choices.count).contains(number) else {
            return .unusable
        }
        answer = choices[number - 1]
        switch (question, answer) {
        case (.firstFactor, "PASSWORD"), (.firstFactor, "PASSWORD_SRP"): return .chosePassword
        case (.setupKind, "SOFTWARE_TOKEN_MFA"): return .choseApp
        case (.setupKind, _): return .choseAddress
        default: return .answered
        }
    }

    private var offersPasskey: Bool {
        challenge?.available.contains("WEB_AUTHN") ?? false
    }

    private func isPassword(_ given: borrowing Secret) -> Bool {
        Self.isEqual(password, given) || Self.isEqual(typed, given)
    }

    private static func isEqual(_ known: borrowing Secret?, _ given: borrowing Secret) -> Bool {
        switch known {
        case .some(let known): known.isEqual(to: given)
        case .none: false
        }
    }

    /// What the person must know first; said once.
    private mutating func takeNotice() -> String {
        defer { machine.noticeWasShown() }
        switch machine.notice {
        case nil: return ""
        case .nothingEntered: return ChallengeWording.nothingEntered.description
        case .unusable: return ChallengeWording.unusable.description
        case .wrongCode: return ChallengeWording.wrongCode.description
        case .usedCode: return ChallengeWording.usedCode.description
        case .differs: return ChallengeWording.differs.description
        case .samePassword: return ChallengeWording.samePassword.description
        case .notAcceptable:
            return explanation.isEmpty
                ? ChallengeWording.notAcceptableUnexplained.description
                : PromptText.filled(ChallengeWording.notAcceptable, explanation)
        case .expired: return ChallengeWording.expired.description
        }
    }

    // MARK: - Requests

    private mutating func send(_ request: Request) throws(StepFailure) -> SignInEvent {
        do throws(RequestFailure) {
            return try perform(request)
        } catch {
            switch error {
            case .step(let error):
                throw error
            case .service(let error):
                return event(request, error)
            }
        }
    }

    private mutating func perform(_ request: Request) throws(RequestFailure) -> SignInEvent {
        if request == .initiate {
            return try initiate()
        }
        guard let challenge else {
            throw .step(StepFailure(.internalFault, "There is no challenge to answer."))
        }
        switch request {
        case .initiate:
            return .refused
        case .proof:
            return try prove(challenge)
        case .password:
            return try respond(challenge, try passwordResponses(challenge.name))
        case .code:
            return try respond(challenge, ["\(challenge.name)_CODE": answer])
        case .codeKind:
            return try respond(challenge, ["ANSWER": answer])
        case .firstFactor:
            let responses = try passwordResponses(answer)
            return try respond(challenge, responses.merging(["ANSWER": answer]) { old, _ in old })
        case .newPassword:
            var responses = ["NEW_PASSWORD": newPassword?.text ?? ""]
            for attribute in attributes {
                responses["userAttributes.\(attribute.name)"] = attribute.value
            }
            return try respond(challenge, responses)
        case .setupKey:
            let token = try Self.service { () throws(CognitoError) in try client.softwareToken(challenge) }
            self.token = token
            self.challenge = challenge.continued(in: token.session)
            return .granted
        case .setupCode:
            let verified = try Self.service { () throws(CognitoError) in
                try client.verifySoftwareToken(challenge, code: answer)
            }
            guard let verified else {
                return .wrongAnswer
            }
            self.challenge = verified
            return .granted
        case .setup:
            return try respond(challenge, [:])
        case .setupAddress:
            return try respond(challenge, ["EMAIL": answer])
        case .custom:
            return try respond(challenge, ["ANSWER": answer])
        }
    }

    private mutating func initiate() throws(RequestFailure) -> SignInEvent {
        challenge = nil
        userName = loginName
        switch flow.kind {
        case .secureRemotePassword:
            let publicText = try beginExchange()
            return took(
                try Self.service { () throws(CognitoError) in
                    try client.beginSRP(userName: loginName, publicText: publicText)
                }
            )
        case .password:
            let text = try passwordText()
            return took(
                try Self.service { () throws(CognitoError) in try client.begin(userName: loginName, password: text) }
            )
        case .choice:
            let preferred = flow.preferred?.name
            let parameters = try passwordResponses(preferred ?? "")
            return took(
                try Self.service { () throws(CognitoError) in
                    try client.beginChoice(userName: loginName, preferred: preferred, parameters: parameters)
                }
            )
        case .custom, .customAfterProof:
            let publicText = flow.kind == .customAfterProof ? try beginExchange() : nil
            return took(
                try Self.service { () throws(CognitoError) in
                    try client.beginCustom(userName: loginName, publicText: publicText)
                }
            )
        }
    }

    /// Begins an SRP exchange; the result is SRP_A.
    private mutating func beginExchange() throws(RequestFailure) -> String {
        let exchange = try Self.srp { () throws(SRPError) in try SecureRemotePassword() }
        let publicText = try Self.srp { () throws(SRPError) in try exchange.publicText() }
        self.exchange = consume exchange
        return publicText
    }

    private func passwordText() throws(RequestFailure) -> String {
        switch password {
        case .some(let password):
            if let text = password.text {
                return text
            }
            throw .step(StepFailure(.refused, "The password is not valid UTF-8: Cognito was not asked."))
        case .none:
            throw .step(StepFailure(.internalFault, "There is no password to send."))
        }
    }

    /// What goes with a challenge, or a choice, that is about the password.
    private mutating func passwordResponses(_ name: String) throws(RequestFailure) -> [String: String] {
        switch name {
        case "PASSWORD": ["PASSWORD": try passwordText()]
        case "PASSWORD_SRP": ["SRP_A": try beginExchange()]
        default: [:]
        }
    }

    private mutating func prove(_ challenge: Challenge) throws(RequestFailure) -> SignInEvent {
        guard let values = challenge.srp, challenge.userName != nil,
            let identifier = challenge.parameters["USER_ID_FOR_SRP"], let timestamp = Timestamp.text(clock.seconds())
        else {
            throw .step(StepFailure(.serviceFault, "Cognito's challenge PASSWORD_VERIFIER lacks a parameter."))
        }
        let identity = SRPIdentity(realm: client.pool.name, identifier: identifier)
        guard let signature = try signature(identity, values, timestamp) else {
            throw .step(StepFailure(.serviceFault, "Cognito sent an SRP challenge to a sign-in that is none."))
        }
        return try respond(
            challenge,
            [
                "PASSWORD_CLAIM_SIGNATURE": signature, "PASSWORD_CLAIM_SECRET_BLOCK": values.secretBlock,
                "TIMESTAMP": timestamp,
            ]
        )
    }

    private func signature(
        _ identity: SRPIdentity, _ values: SRPChallenge, _ timestamp: String
    ) throws(RequestFailure) -> String? {
        switch exchange {
        case .some(let exchange):
            switch password {
            case .some(let password):
                return try Self.srp { () throws(SRPError) in
                    try password.withBytes { password throws(SRPError) in
                        try exchange.signature(
                            password: password, identity: identity, challenge: values, timestamp: timestamp
                        )
                    }
                }
            case .none: return nil
            }
        case .none: return nil
        }
    }

    private mutating func respond(
        _ challenge: Challenge, _ responses: [String: String]
    ) throws(RequestFailure) -> SignInEvent {
        let name = userName
        return took(
            try Self.service { () throws(CognitoError) in
                try client.answer(challenge, userName: name, responses: responses)
            }
        )
    }

    // MARK: - What came back

    private mutating func took(_ step: AuthenticationStep) -> SignInEvent {
        switch step {
        case .tokens(let result):
            self.result = result
            return .tokens
        case .challenge(let challenge):
            self.challenge = challenge
            userName = challenge.userName ?? userName
            return understand(challenge)
        }
    }

    private mutating func understand(_ challenge: Challenge) -> SignInEvent {
        switch challenge.name {
        case "PASSWORD_VERIFIER":
            return .challenge(.proof)
        case "PASSWORD", "PASSWORD_SRP":
            return .challenge(.password)
        case "SOFTWARE_TOKEN_MFA", "SMS_MFA", "EMAIL_OTP", "SMS_OTP":
            return .challenge(.code)
        case "SELECT_MFA_TYPE":
            return offer(
                challenge.list("MFAS_CAN_CHOOSE"), among: ["SOFTWARE_TOKEN_MFA", "EMAIL_OTP", "EMAIL_MFA", "SMS_MFA"],
                one: .onlyCodeKind, several: .severalCodeKinds
            )
        case "SELECT_CHALLENGE":
            var offered = challenge.available
            // One line for the password, sent or proved: proved, where there is the choice.
            if offered.contains("PASSWORD_SRP") {
                offered.removeAll { name in name == "PASSWORD" }
            }
            let event = offer(
                offered, among: ["PASSWORD_SRP", "PASSWORD", "EMAIL_OTP", "SMS_OTP"],
                one: .onlyFirstFactor, several: .severalFirstFactors
            )
            return event == .challenge(.onlyFirstFactor) && answer.hasPrefix("PASSWORD")
                ? .challenge(.onlyPassword) : event
        case "NEW_PASSWORD_REQUIRED":
            missing = challenge.list("requiredAttributes").compactMap { name in
                let prefix = "userAttributes."
                let bare = name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
                return bare.isEmpty || bare.utf8.count > 64 ? nil : bare
            }
            attributes = []
            return missing.count > Self.mostAttributes
                ? .challenge(.unanswerable) : .challenge(.newPassword, missing: missing.count)
        case "MFA_SETUP":
            let event = offer(
                challenge.list("MFAS_CAN_SETUP"), among: ["SOFTWARE_TOKEN_MFA", "EMAIL_OTP"],
                one: .setupApp, several: .severalSetups
            )
            return event == .challenge(.setupApp) && answer == "EMAIL_OTP" ? .challenge(.setupAddress) : event
        case "CUSTOM_CHALLENGE":
            return .challenge(.custom)
        default:
            return .challenge(.unanswerable)
        }
    }

    /// Keeps what of `offered` can be done here, in the order of `known`; a single choice is made already.
    private mutating func offer(
        _ offered: [String], among known: [String], one: ChallengeKind, several: ChallengeKind
    ) -> SignInEvent {
        choices = known.filter(offered.contains)
        answer = choices.first ?? ""
        return switch choices.count {
        case 0: .challenge(.unanswerable)
        case 1: .challenge(one)
        default: .challenge(several)
        }
    }

    /// What a failed request means for the dialogue.
    private mutating func event(_ request: Request, _ error: CognitoError) -> SignInEvent {
        failure = StepFailure(signIn: error)
        explanation = ""
        if case .service(let refusal) = error {
            explanation = PromptText.cleaned(refusal.message, limit: 200)
        }
        switch (request, error.kind) {
        case (_, .codeMismatch): return .wrongAnswer
        case (.code, .codeExpired) where challenge?.name == "SOFTWARE_TOKEN_MFA": return .usedCode
        case (_, .codeExpired), (_, .challengeExpired): return .expired
        case (.newPassword, .passwordNotAcceptable), (.setupAddress, .invalidRequest): return .notAcceptable
        case (.newPassword, .invalidRequest) where !attributes.isEmpty:
            missing = attributes.map(\.name)
            attributes = []
            return .attributeNotAcceptable
        default: return .refused
        }
    }

    // MARK: - The end

    private func ended(_ ending: SignInEnding) -> StepFailure {
        let failure = failure(ending)
        // Whatever happened: the old password is none any more.
        return machine.hasNewPassword
            ? failure.saying(ChallengeWording.newPasswordIsSet) : failure
    }

    private func failure(_ ending: SignInEnding) -> StepFailure {
        switch ending {
        case .asRefused:
            return failure ?? StepFailure(.serviceFault, "Cognito refused, and did not say why.")
        case .hopelessPassword:
            return StepFailure(.refused, "The password was empty or longer than any: Cognito was not asked.")
        case .noAnswer:
            return StepFailure(.refused, "Cognito asked a further question, and nothing was entered.")
        case .passwordAsAnswer:
            return StepFailure(
                .refused,
                "A further question of Cognito's was answered with the password, which was not sent. The program that "
                    + "people sign in with may know one question only: let it ask all of them, for sshd with "
                    + "KbdInteractiveAuthentication."
            )
        case .wrongTooOften:
            return StepFailure(.refused, "A code, or an answer to another question of Cognito's, was wrong too often.")
        case .noNewPassword:
            return StepFailure(
                .passwordChangeNeeded, "The user must set a new password, and none that would do was entered.",
                text: WorkerWording.passwordChangeNeeded
            )
        case .notSupported where challenge?.name == "WEB_AUTHN" || offersPasskey:
            return StepFailure(
                .challengeNotSupported,
                "This user can sign in with a passkey only, which needs a browser. Let the pool offer another factor, too.",
                text: ChallengeWording.passkeyOnly
            )
        case .notSupported:
            let name = (challenge?.name ?? "").utf8.prefix(64).map { byte in
                (0x21..<0x7f).contains(byte) ? byte : UInt8(ascii: "?")
            }
            return StepFailure(
                .challengeNotSupported,
                "Cognito asks this user for \(String(decoding: name, as: UTF8.self)), which cannot be answered here.",
                text: WorkerWording.challengeNotSupported
            )
        case .tooManyRounds:
            return StepFailure(
                .challengeNotSupported,
                "Cognito asked more than \(ChallengeMachine.mostRounds) questions without coming to an end.",
                text: WorkerWording.challengeNotSupported
            )
        case .tooLate:
            return StepFailure(
                .refused,
                "Cognito waits for an answer only so long (AuthSessionValidity of the app client), and the answer came "
                    + "later.", text: ChallengeWording.tooLate
            )
        case .outOfPlace:
            return StepFailure(.serviceFault, "Cognito's answer does not follow from what it was asked.")
        }
    }
}

/// With what a sign-in begins.
struct SignInFlow {
    let kind: AuthenticationFlow
    let preferred: PreferredFactor?
    let combinesCode: Bool

    /// Whether the password is asked for before anything else.
    var beginsWithPassword: Bool {
        switch kind {
        case .secureRemotePassword, .password, .customAfterProof: true
        case .custom: false
        case .choice: preferred == .proof || preferred == .password
        }
    }
}

extension PreferredFactor {
    /// The API's name.
    fileprivate var name: String {
        switch self {
        case .proof: "PASSWORD_SRP"
        case .password: "PASSWORD"
        case .emailCode: "EMAIL_OTP"
        case .messageCode: "SMS_OTP"
        }
    }
}

/// How the account's password is asked for.
struct PasswordQuestion {
    /// For a sign-in: the host may have it already.
    static let signIn = PasswordQuestion(style: .password, text: Wording.passwordPrompt)
    /// Before a new one is set.
    static let change = PasswordQuestion(style: .hidden, text: ChallengeWording.currentPassword)

    let style: PromptStyle
    let text: StaticString
}

/// Questions to the person, through the root side.
struct Questions {
    private let conversation: Conversation
    /// What to do while the person types the first answer; waiting for it at all.
    private let receive: () -> Received

    init(_ conversation: Conversation, receive: @escaping () -> Received) {
        self.conversation = conversation
        self.receive = receive
    }

    /// Puts a question; nil when nobody is there any more.
    func ask(_ style: PromptStyle, _ text: String) throws(StepFailure) -> Secret? {
        let question = try SignInStep.frame { () throws(FrameError) in
            var writer = FrameWriter(.ask)
            writer.add(.promptStyle, code: style.rawValue)
            writer.add(.text, Array(text.utf8))
            return try writer.finish()
        }
        guard conversation.send(question), case .frame(let frame) = receive() else {
            return nil
        }
        return frame.secret(.answer)
    }
}

/// Why a request came to nothing: what the machine decides about, or what it does not.
private enum RequestFailure: Error {
    case service(CognitoError)
    case step(StepFailure)
}

extension SignInDialogue {
    private static func service<R>(_ operation: () throws(CognitoError) -> R) throws(RequestFailure) -> R {
        do {
            return try operation()
        } catch {
            throw .service(error)
        }
    }

    private static func srp<R: ~Copyable>(_ operation: () throws(SRPError) -> R) throws(RequestFailure) -> R {
        do {
            return try operation()
        } catch {
            switch error {
            case .cryptography:
                throw .step(StepFailure(.internalFault, error.description))
            case .malformed, .unacceptableValue:
                throw .step(StepFailure(.serviceFault, "Cognito's challenge was refused. \(error.description)"))
            }
        }
    }
}

extension Secret {
    /// How many characters there are, counted as scalars of UTF-8.
    var characterCount: Int {
        withBytes { bytes in
            (0..<bytes.byteCount).count { offset in (bytes.byte(at: offset) ?? 0) & 0xc0 != 0x80 }
        }
    }

    /// The bytes as text; nil when they are not UTF-8.
    var text: String? {
        withBytes { bytes in StepSurroundings.text(bytes.copied()) }
    }

    /// The last six bytes, where they are digits with something before them.
    fileprivate var finalCode: String? {
        withBytes { bytes in
            let start = bytes.byteCount - 6
            guard start > 0 else {
                return nil
            }
            let code = bytes.extracting(start..<bytes.byteCount).copied()
            return code.allSatisfy { byte in (48...57).contains(byte) } ? StepSurroundings.text(code) : nil
        }
    }

    /// All but the last six bytes.
    fileprivate func withoutFinalCode() -> Secret? {
        withBytes { bytes in Secret(copying: bytes.extracting(0..<max(0, bytes.byteCount - 6))) }
    }

    borrowing func isEqual(to other: borrowing Secret) -> Bool {
        guard count == other.count else {
            return false
        }
        return withBytes { own in
            other.withBytes { others in
                (0..<own.byteCount).allSatisfy { offset in own.byte(at: offset) == others.byte(at: offset) }
            }
        }
    }
}
