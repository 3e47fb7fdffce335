internal import CognitoIdentityProvider
internal import HTTPClient
internal import Messages
internal import Protocol
internal import Tokens

/// The way from a step's first message to a person's tokens, for the steps that begin with a person.
struct Authentication {
    /// How long to look for an answer before the connection is opened: the host may have the password already.
    static let promptAnswerTimeLimit: Int64 = 5
    /// Milliseconds for a revocation before what made it necessary is reported.
    static let revocationTimeLimit: Int64 = 2_000

    let conversation: Conversation
    let manner: Manner
    let client: CognitoClient
    let keys: KeySource
    let clock: any Clock
    let identity: ExpectedIdentity
    let timeLimit: Int64
    private let refreshTokenValidity: Int64
    private let loginName: String
    let flow: SignInFlow
    private let early: EarlyBegin
    private let device: RememberedDevice?

    init(
        _ frame: borrowing Frame, _ conversation: Conversation, _ surroundings: StepSurroundings
    ) throws(StepFailure) {
        identity = try ExpectedIdentity(frame)
        guard let flow = frame.code(.flow, AuthenticationFlow.self), let timeLimit = frame.number(.timeLimit),
            let validity = frame.number(.refreshTokenValidity), (1...10_000_000_000).contains(validity)
        else {
            throw StepFailure(.internalFault, "The calling program sent a request with an unknown value.")
        }
        guard let loginName = StepSurroundings.text(identity.loginName) else {
            throw StepFailure(.refused, "The user name is not valid UTF-8. Cognito was not contacted.")
        }
        self.conversation = conversation
        manner = Manner(frame)
        self.loginName = loginName
        self.timeLimit = timeLimit
        refreshTokenValidity = validity
        clock = surroundings.clock
        client = try surroundings.client(for: frame)
        let browser = try surroundings.browserSignIn(frame, loginName: loginName)
        self.flow = SignInFlow(
            kind: flow,
            preferred: flow == .stepUp ? nil : frame.code(.preferredFactor, PreferredFactor.self),
            combinesCode: frame.flag(.combinedCode),
            target: try TargetLevel(frame, flow, of: client.pool),
            browser: flow == .stepUp || frame.kind != .signIn ? nil : browser
        )
        client.context = surroundings.context(frame)
        let manner = manner
        client.onLateAnswer = { conversation.report(StepFailure(signIn: .transport(.timedOut)), manner) }
        switch frame.secret(.device) {
        case .some(let kept):
            device = RememberedDevice(decoding: kept)
            if device == nil {
                conversation.forgetDevice()
            }
        case .none:
            device = nil
        }
        client.deviceKey = device?.key
        keys = KeySource(frame, client: client, conversation, clock)
        early = EarlyBegin(
            frame.code(.preconnect, Preconnection.self) ?? .nothing, self.flow, loginName: loginName,
            client: client, keys: keys, clock: clock)
    }

    /// The person, to be asked.
    var questions: Questions {
        Questions(conversation, manner, receive: receiveAnswer)
    }

    /// The dialogue that leads to tokens.
    func dialogue(_ passwordQuestion: PasswordQuestion) -> SignInDialogue {
        SignInDialogue(
            questions, client: client, clock: clock, flow: flow, loginName: loginName,
            passwordQuestion: passwordQuestion, device: device, prepare: keys.prepare, early: early
        )
    }

    /// Waits for an answer, as long as it takes, and goes ahead of it, if that was not done.
    private func receiveAnswer() -> Received {
        guard early.isDue else {
            return conversation.receive(timeLimit: nil)
        }
        switch conversation.receive(timeLimit: Self.promptAnswerTimeLimit) {
        case .frame(let frame):
            return .frame(frame)
        case .closed:
            return .closed
        case .nothing:
            early.run()
            return conversation.receive(timeLimit: nil)
        }
    }

    /// A refusal with what may really lie behind it: Cognito calls several faults a wrong password.
    func explained(_ failure: StepFailure) -> StepFailure {
        cause(of: failure).adding(client.endpointRemark)
    }

    private func cause(of failure: StepFailure) -> StepFailure {
        guard failure.reason == .refused else {
            return failure
        }
        if keys.isMissing {
            return StepFailure(
                .configuration,
                "Cognito refused the password, because no pool with this id exists: check \"user_pool_id\"."
            )
        }
        if let skew = client.clockFault {
            return failure.adding(
                "This machine's clock is \(abs(skew)) seconds \(skew > 0 ? "ahead of" : "behind") Cognito's, so even "
                    + "a correct password is refused: check the clock."
            )
        }
        return failure
    }

    /// The refresh token of `result`, which every step needs: without it the tokens could not be ended.
    static func refreshToken(of result: AuthenticationResult) throws(StepFailure) -> SecretValue {
        guard let refreshToken = result.refreshToken else {
            throw StepFailure(
                .serviceFault, "Cognito sent no refresh token, so the session cannot be renewed or revoked.")
        }
        return refreshToken
    }

    /// The session that begins now with verified tokens, which belong to the device of that key.
    func session(
        _ tokens: VerifiedTokens, _ refreshToken: SecretValue, signOut: SignOutPolicy, deviceKey: String? = nil
    ) -> Session {
        let now = clock.seconds()
        let pool = client.pool
        return Session(
            accessToken: tokens.accessToken, idToken: tokens.idToken, refreshToken: refreshToken,
            accessTokenExpiry: tokens.accessTokenExpiry, refreshTokenExpiry: now + refreshTokenValidity,
            userName: tokens.userName, userPoolID: pool.identifier, clientID: pool.clientID, region: pool.region.name,
            signedInAt: now, renewedAt: now, signOut: signOut, deviceKey: deviceKey
        )
    }

    /// `sub` of the session that is stepped up from, once its tokens are found to be genuine and this person's; nil
    /// where there is none.
    func heldSubject() throws(StepFailure) -> String? {
        guard let session = flow.target?.held?.session else {
            return nil
        }
        return try VerifiedTokens(
            session.accessToken, session.idToken, keys: keys, pool: client.pool, identity: identity,
            now: session.renewedAt
        ).subject
    }

    /// Returns the claims of the tokens in `result` after checking that they are genuine and belong to this user.
    ///
    /// - Parameter browser: Further requirements for tokens that came through a browser.
    func verified(
        _ result: AuthenticationResult, through browser: BrowserProof? = nil
    ) throws(StepFailure) -> VerifiedTokens {
        try VerifiedTokens(
            result.accessToken, result.idToken, keys: keys, pool: client.pool, identity: identity,
            now: clock.seconds(), through: browser)
    }
}
