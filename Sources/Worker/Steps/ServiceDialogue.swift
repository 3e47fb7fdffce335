internal import Base
internal import CognitoIdentityProvider
internal import Protocol
internal import Tokens

/// The service's side of a sign-in: sends what the person entered, and says what came of it.
struct ServiceDialogue: ~Copyable {
    private let client: CognitoClient
    private let clock: any Clock
    private let flow: SignInFlow
    private let loginName: String
    private let early: EarlyBegin?
    private var exchange: SecureRemotePassword?
    /// After which moment of the clock a proof is not sent any more whose challenge was there before the password.
    private var proofLimit: Int64?

    init(_ client: CognitoClient, clock: any Clock, flow: SignInFlow, loginName: String, early: EarlyBegin?) {
        self.client = client
        self.clock = clock
        self.flow = flow
        self.loginName = loginName
        self.early = early
    }

    /// Sends `request`, made of what `progress` holds; what came back goes there too.
    mutating func send(_ request: Request, _ progress: inout SignInProgress) throws(StepFailure) -> SignInEvent {
        if request == .initiate {
            progress.begin(as: loginName)
        }
        guard !sendsPasswordInClear(request, progress) || progress.password?.isText != false else {
            throw StepFailure(.refused, "The password is not valid UTF-8. Cognito was not contacted.")
        }
        do throws(CognitoError) {
            switch request {
            case .initiate:
                return progress.take(try initiate(progress), .first)
            case .redeem:
                return try redeem(&progress)
            case .sendResetCode:
                let delivery = try client.forgotPassword(userName: loginName)
                // An address, even with most of it hidden, tells more than nothing.
                progress.resetDelivery = progress.isAnonymous ? nil : delivery
                return .granted
            case .resetPassword:
                let password = try Self.entered(progress.newPassword)
                try client.confirmForgotPassword(
                    userName: loginName, code: try Self.entered(progress.resetCode), password: password)
                // The sign-in goes on with it.
                progress.password = password
                progress.newPassword = nil
                return .granted
            default:
                guard let challenge = progress.challenge else {
                    throw CognitoError.local("There is no challenge to answer.")
                }
                return try answer(challenge, request, &progress)
            }
        } catch {
            return event(request, error, &progress)
        }
    }

    /// Exchanges a browser's code for tokens. The request is used up, whatever comes of it.
    private func redeem(_ progress: inout SignInProgress) throws(CognitoError) -> SignInEvent {
        let code = try Self.entered(progress.answer)
        progress.answer = nil
        guard let browser = flow.browser, let request = progress.authorization.take() else {
            throw .local("There is no browser sign-in to complete.")
        }
        progress.browserProof = browser.proof(of: request)
        // A remembered device is of the pool's own user of that name.
        client.deviceKey = nil
        return progress.take(.tokens(try request.redeem(code, at: browser.login, by: client)), .later)
    }

    private mutating func initiate(_ progress: borrowing SignInProgress) throws(CognitoError) -> AuthenticationStep {
        switch early?.take() {
        case .some(let begun):
            proofLimit = begun.begunAt + EarlyBegin.longestLife
            let challenge = begun.challenge
            exchange = (consume begun).exchange
            return .challenge(challenge)
        case .none:
            break
        }
        switch flow.kind {
        case .secureRemotePassword:
            return try client.beginSRP(userName: loginName, publicText: try beginExchange())
        case .password:
            return try client.begin(userName: loginName, password: try Self.entered(progress.password))
        case .choice, .stepUp:
            let preferred = progress.preferred
            var parameters = try passwordResponses(preferred, progress)
            parameters.merge(flow.target?.parameters ?? [:]) { _, target in target }
            return try client.beginChoice(userName: loginName, preferred: preferred?.rawValue, parameters: parameters)
        case .custom:
            return try client.beginCustom(userName: loginName, publicText: nil)
        case .customAfterProof:
            return try client.beginCustom(userName: loginName, publicText: try beginExchange())
        }
    }

    /// Answers `challenge`, by RespondToAuthChallenge or what may stand in its place.
    private mutating func answer(
        _ challenge: Challenge, _ request: Request, _ progress: inout SignInProgress
    ) throws(CognitoError) -> SignInEvent {
        switch request {
        case .setupKey:
            let token = try client.softwareToken(challenge)
            progress.token = token
            progress.challenge = challenge.continued(in: token.session)
            return .granted
        case .setupCode:
            let code = try Self.entered(progress.answer)
            guard let verified = try client.verifySoftwareToken(challenge, code: code) else {
                return .wrongAnswer
            }
            progress.challenge = verified
            return .granted
        default:
            let step = try client.answer(
                challenge, userName: progress.userName, responses: try responses(challenge, request, progress),
                repeatUntil: request == .proof ? proofLimit : nil)
            return progress.take(step, .later)
        }
    }

    /// The ChallengeResponses with which `request` answers.
    private mutating func responses(
        _ challenge: Challenge, _ request: Request, _ progress: borrowing SignInProgress
    ) throws(CognitoError) -> [String: JSONValue] {
        switch request {
        case .proof:
            return try proof(challenge, progress)
        case .device:
            return ["SRP_A": .string(try beginExchange())]
        case .deviceProof:
            // Proves that this is the host that the pool remembers.
            guard let device = progress.device else {
                throw Self.unasked
            }
            return try claim(challenge, device.identity, device.password)
        case .password:
            return try passwordResponses(challenge.knownName, progress)
        case .code:
            guard let question = progress.question else {
                throw .local("The \(challenge.name) challenge has no prompt for the user.")
            }
            return [question.response: .secret(try Self.entered(progress.answer))]
        case .codeKind:
            return ["ANSWER": .string(progress.choice)]
        case .firstFactor:
            var responses = try passwordResponses(progress.chosen, progress)
            responses["ANSWER"] = .string(progress.choice)
            return responses
        case .newPassword:
            var responses = ["NEW_PASSWORD": JSONValue.secret(try Self.entered(progress.newPassword))]
            for attribute in progress.attributes {
                responses["userAttributes.\(attribute.name)"] = .secret(attribute.value)
            }
            return responses
        case .setupAddress:
            return ["EMAIL": .secret(try Self.entered(progress.answer))]
        case .custom:
            return ["ANSWER": .secret(try Self.entered(progress.answer))]
        case .setup, .setupKey, .setupCode, .initiate, .sendResetCode, .resetPassword, .redeem:
            return [:]
        }
    }

    /// Returns the user's answer, to be sent.
    private static func entered(_ secret: SecretValue?) throws(CognitoError) -> SecretValue {
        guard let secret else {
            throw .local("There is no answer to send, because the user was not prompted.")
        }
        return secret
    }

    /// Begins an SRP exchange; the result is SRP_A.
    private mutating func beginExchange() throws(CognitoError) -> String {
        proofLimit = nil
        let exchange = try Self.srp { () throws(SRPError) in try SecureRemotePassword() }
        let publicText = try Self.srp { () throws(SRPError) in try exchange.publicText() }
        self.exchange = consume exchange
        return publicText
    }

    /// The responses to a challenge, or a choice, about the password.
    private mutating func passwordResponses(
        _ name: ChallengeName?, _ progress: borrowing SignInProgress
    ) throws(CognitoError) -> [String: JSONValue] {
        switch name {
        case .password: ["PASSWORD": .secret(try Self.entered(progress.password))]
        case .passwordSRP: ["SRP_A": .string(try beginExchange())]
        default: [:]
        }
    }

    private mutating func proof(
        _ challenge: Challenge, _ progress: borrowing SignInProgress
    ) throws(CognitoError) -> [String: JSONValue] {
        guard challenge.userName != nil, let identifier = challenge.parameters["USER_ID_FOR_SRP"] else {
            throw Self.incomplete(challenge)
        }
        guard let password = progress.password else {
            throw Self.unasked
        }
        return try claim(challenge, SRPIdentity(realm: client.pool.name, identifier: identifier), password)
    }

    /// Computes the proof of a password, as ChallengeResponses. It uses the exchange up: each further proof would give
    /// the sender of the challenge one more guess of the password.
    private mutating func claim(
        _ challenge: Challenge, _ identity: SRPIdentity, _ password: SecretValue
    ) throws(CognitoError) -> [String: JSONValue] {
        guard let values = challenge.srp, let timestamp = Timestamp.text(clock.seconds()) else {
            throw Self.incomplete(challenge)
        }
        let signature: String
        switch exchange.take() {
        case .some(let exchange):
            signature = try Self.srp { () throws(SRPError) in
                try password.withBytes { password throws(SRPError) in
                    try exchange.signature(
                        password: password, identity: identity, challenge: values, timestamp: timestamp
                    )
                }
            }
        case .none:
            throw Self.unasked
        }
        return [
            "PASSWORD_CLAIM_SIGNATURE": .string(signature),
            "PASSWORD_CLAIM_SECRET_BLOCK": .string(values.secretBlock), "TIMESTAMP": .string(timestamp),
        ]
    }

    private static func incomplete(_ challenge: Challenge) -> CognitoError {
        .challenge("The \(challenge.name) challenge from Cognito lacks a parameter.")
    }

    private static var unasked: CognitoError {
        .challenge("Cognito sent an SRP challenge in a sign-in that does not use SRP.")
    }

    private static func srp<R: ~Copyable>(_ operation: () throws(SRPError) -> R) throws(CognitoError) -> R {
        do {
            return try operation()
        } catch {
            switch error {
            case .cryptography:
                throw .local(error.description)
            case .malformed, .unacceptableValue:
                throw .challenge("The challenge from Cognito was rejected. \(error.description)")
            }
        }
    }

    /// Translates a failed request to an event of the dialogue.
    private mutating func event(
        _ request: Request, _ error: CognitoError, _ progress: inout SignInProgress
    ) -> SignInEvent {
        var failure = StepFailure(signIn: error)
        if request == .initiate, let target = flow.target {
            failure = StepFailure(error, beginning: target)
        }
        if request == .redeem {
            failure = StepFailure(redeeming: error)
        }
        if request == .newPassword, error.mayHaveBeenCarriedOut {
            failure = StepFailure(settingPassword: error, hasArrived: true)
        }
        // Only users whom Cognito knows are locked out or have TOTP. A stranger must not be told so, because it would
        // reveal that the user exists.
        let isStranger = progress.password == nil || [.initiate, .proof, .password, .firstFactor].contains(request)
        let tellsOfUser =
            [.lockedOut, .operationNotEnabled].contains(failure.reason)
            || error.concernsDelivery && !sendsPassword(request, progress)
        progress.failure = tellsOfUser && isStranger ? failure.saying(nil) : failure
        progress.refusal = error.kind
        if case .service(let refusal) = error {
            progress.explanation = PromptText.cleaned(refusal.message, limit: 200)
        }
        if request == .redeem {
            return error.kind == .codeMismatch ? .wrongAnswer : .refused
        }
        if request == .sendResetCode || request == .resetPassword {
            return resetEvent(request, error, &progress)
        }
        switch (request, error.kind) {
        // A device that the service has forgotten, or has another verifier of.
        case _ where error.kind?.mayConcernDevice == true && client.deviceKey != nil,
            (.device, .refused), (.device, .invalidRequest), (.deviceProof, .refused), (.deviceProof, .invalidRequest):
            progress.device = nil
            client.deviceKey = nil
            return .deviceUnknown
        case (_, .passwordResetRequired) where sendsPassword(request, progress): return .resetRequired
        case (_, .codeMismatch): return .wrongAnswer
        case (.code, .codeExpired) where progress.challenge?.knownName == .softwareTokenMFA, (.code, .codeUsed):
            return .usedCode
        case (_, .codeExpired), (_, .codeUsed), (_, .challengeExpired): return .expired
        case (_, .throttled), (_, .concurrentModification): return .busy
        case (_, .aliasTaken):
            progress.missing = request == .newPassword ? progress.withdrawAliases() : []
            return .aliasTaken(missing: progress.missing.count)
        case (.newPassword, .passwordNotAcceptable), (.setupAddress, .invalidRequest): return .notAcceptable
        case (.newPassword, .invalidRequest) where !progress.attributes.isEmpty:
            progress.missing = progress.attributes.map(\.name)
            progress.attributes = []
            return .attributeNotAcceptable
        default: return .refused
        }
    }
}

extension ServiceDialogue {
    /// Whether `request` shows the service the password. Only then is its answer for a user who knows it.
    private func sendsPassword(_ request: Request, _ progress: borrowing SignInProgress) -> Bool {
        request == .proof || sendsPasswordInClear(request, progress)
    }

    private func sendsPasswordInClear(_ request: Request, _ progress: borrowing SignInProgress) -> Bool {
        switch request {
        case .initiate: flow.kind == .password || flow.kind == .choice && progress.preferred == .password
        case .password: progress.challenge?.knownName == .password
        case .firstFactor: progress.chosen == .password
        default: false
        }
    }

    private func resetEvent(
        _ request: Request, _ error: CognitoError, _ progress: inout SignInProgress
    ) -> SignInEvent {
        progress.failure = StepFailure(settingPassword: error, hasArrived: request == .resetPassword)
        let kind = error.kind
        guard !progress.isAnonymous || kind.map(Self.concernsNobody) ?? true else {
            // These answers depend on the name, so they may reveal whether it exists.
            switch kind {
            case .passwordNotAcceptable: return .notAcceptable
            case .invalidRequest where request == .resetPassword:
                progress.explanation = ""
                return .notAcceptable
            default:
                progress.withheld = progress.failure
                return request == .sendResetCode ? .granted : .wrongAnswer
            }
        }
        switch (request, kind) {
        case (_, .throttled): return .busy
        case (.resetPassword, .codeMismatch): return .wrongAnswer
        case (.resetPassword, .codeExpired): return .expired
        case (.resetPassword, .passwordNotAcceptable): return .notAcceptable
        default: return .refused
        }
    }

    /// Whether the service gives this answer for every user name.
    private static func concernsNobody(_ kind: ServiceErrorKind) -> Bool {
        switch kind {
        case .clientSecret, .clientNotFound, .operationNotSupported, .operationNotEnabled, .refusedByFirewall,
            .throttled, .serviceFault, .unknown:
            true
        default:
            false
        }
    }
}
