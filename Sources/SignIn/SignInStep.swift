internal import CognitoIdentityProvider
internal import JSONWebToken
internal import Session
internal import WorkerProtocol

/// Signing a person in: from the password to tokens that the root side has entered into its registry.
struct SignInStep {
    /// How long the root side may take to enter the tokens into its registry, in milliseconds.
    static let registrationTimeLimit: Int64 = 10_000
    /// How long to look for an answer before the connection is opened: the host may have the password already.
    static let promptAnswerTimeLimit: Int64 = 5

    private let conversation: Conversation
    private let client: CognitoClient
    private let keys: KeySource
    private let clock: any Clock
    private let request: SignInRequest

    init(
        _ frame: borrowing Frame, _ conversation: Conversation, _ surroundings: StepSurroundings
    ) throws(StepFailure) {
        self.conversation = conversation
        clock = surroundings.clock
        request = try SignInRequest(frame)
        client = try surroundings.client(for: frame)
        client.context = surroundings.context(frame)
        keys = KeySource(client: client, given: frame.bytes(.keySet))
    }

    func run() throws(StepFailure) {
        let answered: AuthenticationResult?
        do {
            answered = try authenticate()
        } catch {
            throw explained(error)
        }
        guard let result = answered else {
            return
        }
        guard let refreshToken = result.refreshToken else {
            throw StepFailure(
                .serviceFault, "Cognito gave no refresh token: the session could not be renewed or ended.")
        }
        // From here on there is something to revoke, whatever goes wrong.
        let registered: Bool
        do {
            registered = try handOver(result, refreshToken)
        } catch {
            client.extendTime(to: Self.leastRevocationTime)
            try? client.revoke(refreshToken: refreshToken)
            throw error
        }
        if !registered {
            client.extendTime(to: request.timeLimit)
            try? client.revoke(refreshToken: refreshToken)
        }
    }

    /// Milliseconds for a revocation before the failure that made it necessary is reported.
    private static let leastRevocationTime: Int64 = 2_000

    // MARK: - The challenges

    private func authenticate() throws(StepFailure) -> AuthenticationResult? {
        var dialogue = SignInDialogue(
            Questions(conversation, receive: receiveAnswer), client: client, clock: clock, flow: request.flow,
            loginName: request.loginName
        )
        return try dialogue.run()
    }

    /// Waits for an answer, as long as it takes; meanwhile opens the connection, if that was not done.
    private func receiveAnswer() -> Received {
        guard request.preconnect, !keys.wasAsked else {
            return conversation.receive(timeLimit: nil)
        }
        switch conversation.receive(timeLimit: Self.promptAnswerTimeLimit) {
        case .frame(let frame):
            return .frame(frame)
        case .closed:
            return .closed
        case .nothing:
            keys.preload()
            return conversation.receive(timeLimit: nil)
        }
    }

    /// A refusal with what may really lie behind it: Cognito calls several faults a wrong password.
    private func explained(_ failure: StepFailure) -> StepFailure {
        guard failure.reason == .refused else {
            return failure
        }
        if keys.isMissing {
            return StepFailure(
                .configuration,
                "Cognito refused the password, and there is no pool of this id at its address: check \"user_pool_id\"."
            )
        }
        if let skew = client.clockSkew, abs(skew) > 120 {
            return failure.adding(
                "This machine's clock is \(abs(skew)) seconds \(skew > 0 ? "ahead of" : "behind") Cognito's, and with a "
                    + "wrong clock a right password is refused as well: check the clock."
            )
        }
        return failure
    }

    // MARK: - The tokens

    /// Verifies the tokens and hands them over; true when the root side has entered them into its registry.
    private func handOver(_ result: AuthenticationResult, _ refreshToken: String) throws(StepFailure) -> Bool {
        let now = clock.seconds()
        let tokens = try VerifiedTokens(result, keys: keys, pool: client.pool, identity: request.identity, now: now)
        let session = Session(
            accessToken: tokens.accessToken, idToken: tokens.idToken, refreshToken: refreshToken,
            accessTokenExpiry: tokens.accessTokenExpiry,
            refreshTokenExpiry: now + request.refreshTokenValidity, userName: tokens.userName,
            userPoolID: client.pool.identifier, clientID: client.pool.clientID, region: client.pool.region,
            signedInAt: now, renewedAt: now, signOut: request.signOutMode
        )
        return try SessionHandOver(conversation, keys)
            .send(.signedIn, session, groups: tokens.groups, withholding: request.withholdsRefreshToken)
    }
}

/// The sign-in message's own fields.
private struct SignInRequest {
    let loginName: String
    let identity: ExpectedIdentity
    let flow: SignInFlow
    let preconnect: Bool
    let signOutMode: SignOutMode
    let withholdsRefreshToken: Bool
    let refreshTokenValidity: Int64
    let timeLimit: Int64

    init(_ frame: borrowing Frame) throws(StepFailure) {
        guard let userName = frame.bytes(.userName), let loginBytes = frame.bytes(.loginName),
            let rule = frame.code(.identityRule).flatMap(IdentityRule.init),
            let flow = frame.code(.flow).flatMap(AuthenticationFlow.init),
            let mode = StepSurroundings.text(frame.bytes(.signOutMode)).flatMap(SignOutMode.init),
            let validity = frame.number(.refreshTokenValidity), (1...10_000_000_000).contains(validity),
            let timeLimit = frame.number(.timeLimit)
        else {
            throw StepFailure(.internalFault, "The sign-in message has a value that this worker does not know.")
        }
        guard let loginName = StepSurroundings.text(loginBytes) else {
            throw StepFailure(.refused, "The user name is not valid UTF-8: Cognito was not asked.")
        }
        self.loginName = loginName
        identity = ExpectedIdentity(userName: userName, loginName: loginBytes, rule: rule)
        self.flow = SignInFlow(
            kind: flow, preferred: frame.code(.preferredFactor).flatMap(PreferredFactor.init),
            combinesCode: frame.code(.combinedCode) == 1
        )
        preconnect = frame.code(.preconnect) == 1
        signOutMode = mode
        withholdsRefreshToken = frame.code(.withholdRefreshToken) == 1
        refreshTokenValidity = validity
        self.timeLimit = timeLimit
    }
}

extension SignInStep {
    /// Makes a message.
    static func frame(_ make: () throws(FrameError) -> Frame) throws(StepFailure) -> Frame {
        do {
            return try make()
        } catch {
            throw StepFailure(
                .internalFault, "A message to the root side does not fit its bounds: the tokens are too long.")
        }
    }
}
