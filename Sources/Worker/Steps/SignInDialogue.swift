internal import CognitoIdentityProvider
internal import HTTPClient
internal import Messages
internal import Protocol
internal import Tokens

/// Carries out what `ChallengeMachine` decides: has the person asked and the service answered, and tells the machine
/// what happened.
struct SignInDialogue: ~Copyable {
    private let beginning: SignInEvent
    private let prepare: () throws(StepFailure) -> Void
    private let client: CognitoClient
    private let questions: Questions
    private let reportWithheld: (StepFailure) -> Void
    private var machine = ChallengeMachine()
    private var progress: SignInProgress
    private var person: PersonDialogue
    private var service: ServiceDialogue

    /// Begins nothing yet.
    ///
    /// - Parameters:
    ///   - prepare: called before each request that may lead to tokens.
    ///   - reportWithheld: called with each refusal that the person is not told, before they are asked anything else.
    init(
        _ questions: Questions, client: CognitoClient, clock: any Clock, flow: SignInFlow, loginName: String,
        passwordQuestion: PasswordQuestion, isAnonymous: Bool = false, device: RememberedDevice? = nil,
        prepare: @escaping () throws(StepFailure) -> Void = {},
        reportWithheld: @escaping (StepFailure) -> Void = { _ in }, early: EarlyBegin? = nil
    ) {
        self.client = client
        self.questions = questions
        self.reportWithheld = reportWithheld
        beginning = flow.beginning
        self.prepare = prepare
        progress = SignInProgress(userName: loginName, isAnonymous: isAnonymous, device: device, flow: flow)
        person = PersonDialogue(
            questions, passwordQuestion: passwordQuestion, combinesCode: flow.combinesCode, loginName: loginName,
            browser: flow.browser)
        service = ServiceDialogue(client, clock: clock, flow: flow, loginName: loginName, early: early)
    }

    /// Continues until there are tokens. Returns nil when the user is gone.
    mutating func run() throws(StepFailure) -> AuthenticationResult? {
        try go(on: beginning) ? progress.result : nil
    }

    /// Continues until a forgotten password is replaced. Returns false when the user is gone.
    mutating func recover() throws(StepFailure) -> Bool {
        try go(on: .recover)
    }

    private mutating func go(on first: SignInEvent) throws(StepFailure) -> Bool {
        var event = first
        var isInDoubt = false
        while true {
            switch machine.take(event) {
            case .ask(let question): event = try ask(question)
            case .send(let request):
                if let secret = questions.conversation.clientSecret.take() {
                    client.secret = secret
                }
                try prepare()
                client.onLateAnswer = lateReport(request)
                event = try service.send(request, &progress)
                note(event, of: request)
                if let failure = progress.withheld.take() {
                    reportWithheld(failure)
                }
                // It may be the app client that is not there, or the pool: what is kept stays until another answer
                // comes.
                let isOfClient = progress.refusal == .clientNotFound
                switch event {
                case .deviceUnknown where isOfClient: isInDoubt = true
                case .busy: break
                case .refused where isOfClient: break
                default:
                    if isInDoubt || event == .deviceUnknown {
                        questions.conversation.forgetDevice()
                    }
                    isInDoubt = false
                }
            case .finish: return true
            case .leave: return false
            case .fail(let ending): throw ended(ending)
            }
        }
    }

    /// Whether a new password was set on the way.
    var hasNewPassword: Bool { machine.hasNewPassword }

    /// Further requirements for the tokens, if they came through a browser.
    var browserProof: BrowserProof? { progress.browserProof }

    /// The password that was used, if one was.
    var usedPassword: SecretValue? { progress.password }

    private mutating func ask(_ question: Question) throws(StepFailure) -> SignInEvent {
        progress.notice = machine.notice
        let event = try person.ask(question, &progress)
        if progress.notice == nil {
            machine.noticeWasShown()
        }
        return event
    }

    /// Notes what an answer came to, for the root side, which counts wrong ones.
    private func note(_ event: SignInEvent, of request: Request) {
        let conversation = questions.conversation
        // Cognito says so of the right code alone.
        let isUsed = event == .usedCode && progress.refusal == .codeUsed
        // A firewall in front of Cognito stops the request: Cognito has not looked at the answer, and a code that it
        // has sent still counts.
        if event != .refused || progress.refusal != .refusedByFirewall {
            conversation.judgement =
                isUsed ? .notWrong : event.judgement(of: request, after: conversation.judgement)
        }
        if event.hasSentCode(for: request, asking: progress.question) {
            conversation.codeWasSent = true
        }
    }

    /// Tells the root side that an answer that may bring tokens did not come in time; nil: it brings none.
    private func lateReport(_ request: Request) -> (() -> Void)? {
        guard !progress.isAnonymous else {
            return nil
        }
        let error = CognitoError.transport(.timedOut)
        let failure =
            request == .newPassword
            ? StepFailure(settingPassword: error, hasArrived: true) : withNewPassword(StepFailure(signIn: error))
        // Not `questions`, which has what receives answers, and with it the client that keeps this closure.
        return { [conversation = questions.conversation, manner = questions.manner] in
            conversation.report(failure, manner)
        }
    }

    private func ended(_ ending: SignInEnding) -> StepFailure {
        withNewPassword(StepFailure(ending, progress))
    }

    /// Whatever happened after a new password was set: the old one is none any more.
    private func withNewPassword(_ failure: StepFailure) -> StepFailure {
        machine.hasNewPassword ? failure.saying(ChallengeWording.newPasswordIsSet) : failure
    }
}
