internal import CognitoIdentityProvider
internal import JSONWebToken
internal import SecretMemory
internal import Session
internal import Wording
internal import WorkerProtocol

/// Signing a person in: from the password to tokens that the root side has entered into its registry.
struct SignInStep {
    /// How long the root side may take to enter the tokens into its registry, in milliseconds.
    static let registrationTimeLimit: Int64 = 10_000
    /// How long to look for an answer before the connection is opened: the host may have the password already.
    static let promptAnswerTimeLimit: Int64 = 5
    /// More rounds than any pool needs.
    static let mostRounds = 10
    /// Cognito's own limit, in characters.
    static let longestPassword = 256

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
        keys = KeySource(client: client, given: frame.bytes(.keySet))
    }

    func run() throws(StepFailure) {
        guard let password = try askPassword() else {
            return
        }
        let result: AuthenticationResult
        do {
            result = try authenticate(password)
        } catch {
            throw explained(error)
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

    // MARK: - The password

    /// Asks for the password, and opens the connection while the person is typing. Nil when nobody is there any more.
    private func askPassword() throws(StepFailure) -> Secret? {
        let question = try Self.frame { () throws(FrameError) in
            var writer = FrameWriter(.ask)
            writer.add(.promptStyle, code: PromptStyle.password.rawValue)
            writer.add(.text, Array(Wording.passwordPrompt.description.utf8))
            return try writer.finish()
        }
        guard conversation.send(question) else {
            return nil
        }
        guard case .frame(let frame) = receiveAnswer(), let password = frame.secret(.answer) else {
            return nil
        }
        let characters = password.withBytes { bytes in
            (0..<bytes.byteCount).count { offset in bytes.byte(at: offset).map { byte in byte & 0xc0 != 0x80 } ?? false
            }
        }
        guard (1...Self.longestPassword).contains(characters) else {
            throw StepFailure(.refused, "The password was empty or longer than any: Cognito was not asked.")
        }
        return password
    }

    private func receiveAnswer() -> Received {
        guard request.preconnect else {
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

    // MARK: - The challenges

    private func authenticate(_ password: borrowing Secret) throws(StepFailure) -> AuthenticationResult {
        var challenges: ChallengeAnswers
        var step: AuthenticationStep
        switch request.flow {
        case .secureRemotePassword:
            let exchange = try Self.srp { () throws(SRPError) in try SecureRemotePassword() }
            let publicText = try Self.srp { () throws(SRPError) in try exchange.publicText() }
            step = try Self.ask { () throws(CognitoError) in
                try client.beginSRP(userName: request.loginName, publicText: publicText)
            }
            challenges = ChallengeAnswers(client: client, clock: clock, exchange: exchange)
        case .password:
            let text = password.withBytes { bytes in StepSurroundings.text(bytes.copied()) }
            guard let text else {
                throw StepFailure(.refused, "The password is not valid UTF-8: Cognito was not asked.")
            }
            step = try Self.ask { () throws(CognitoError) in
                try client.begin(userName: request.loginName, password: text)
            }
            challenges = ChallengeAnswers(client: client, clock: clock, exchange: nil)
        }
        for _ in 0..<Self.mostRounds {
            switch step {
            case .tokens(let result): return result
            case .challenge(let challenge): step = try challenges.answer(challenge, password)
            }
        }
        throw StepFailure(
            .challengeNotSupported, "Cognito asked more than \(Self.mostRounds) questions without coming to an end.",
            text: WorkerWording.challengeNotSupported
        )
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
    let flow: AuthenticationFlow
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
        self.flow = flow
        preconnect = frame.code(.preconnect) == 1
        signOutMode = mode
        withholdsRefreshToken = frame.code(.withholdRefreshToken) == 1
        refreshTokenValidity = validity
        self.timeLimit = timeLimit
    }
}

extension SignInStep {
    /// Runs one operation of the service.
    static func ask<R>(_ operation: () throws(CognitoError) -> R) throws(StepFailure) -> R {
        do {
            return try operation()
        } catch {
            throw StepFailure(signIn: error)
        }
    }

    /// Runs one part of an SRP exchange.
    static func srp<R: ~Copyable>(_ operation: () throws(SRPError) -> R) throws(StepFailure) -> R {
        do {
            return try operation()
        } catch {
            switch error {
            case .cryptography:
                throw StepFailure(.internalFault, error.description)
            case .malformed, .unacceptableValue:
                throw StepFailure(.serviceFault, "Cognito's challenge was refused. \(error.description)")
            }
        }
    }

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
