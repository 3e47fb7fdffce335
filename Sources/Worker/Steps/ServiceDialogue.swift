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
    private var exchange: SecureRemotePassword?

    init(_ client: CognitoClient, clock: any Clock, flow: SignInFlow, loginName: String) {
        self.client = client
        self.clock = clock
        self.flow = flow
        self.loginName = loginName
    }

    /// Sends `request`, made of what `progress` holds; what came back goes there too.
    mutating func send(_ request: Request, _ progress: inout SignInProgress) throws(StepFailure) -> SignInEvent {
        do throws(RequestFailure) {
            return try perform(request, &progress)
        } catch {
            switch error {
            case .step(let error):
                throw error
            case .service(let error):
                return event(request, error, &progress)
            }
        }
    }

    private mutating func perform(
        _ request: Request, _ progress: inout SignInProgress
    ) throws(RequestFailure) -> SignInEvent {
        if request == .initiate {
            progress.begin(as: loginName)
            return progress.take(try initiate(progress), .first)
        }
        if request == .sendResetCode || request == .resetPassword {
            return try reset(request, &progress)
        }
        guard let challenge = progress.challenge else {
            throw .step(StepFailure(.internalFault, "There is no challenge to answer."))
        }
        switch request {
        case .initiate, .sendResetCode, .resetPassword:
            return .refused
        case .proof:
            return try prove(challenge, &progress)
        case .device:
            return try respond(challenge, ["SRP_A": .string(try beginExchange())], &progress)
        case .deviceProof:
            return try proveDevice(challenge, &progress)
        case .password:
            return try respond(challenge, try passwordResponses(challenge.name, progress), &progress)
        case .code:
            return try respond(challenge, ["\(challenge.name)_CODE": try answer(progress)], &progress)
        case .codeKind:
            return try respond(challenge, ["ANSWER": .string(progress.choice)], &progress)
        case .firstFactor:
            var responses = try passwordResponses(progress.choice, progress)
            responses["ANSWER"] = .string(progress.choice)
            return try respond(challenge, responses, &progress)
        case .newPassword:
            var responses: [String: JSONValue] = [:]
            responses["NEW_PASSWORD"] = progress.newPassword.map(JSONValue.secret)
            for attribute in progress.attributes {
                responses["userAttributes.\(attribute.name)"] = .secret(attribute.value)
            }
            return try respond(challenge, responses, &progress)
        case .setupKey:
            let token = try Self.service { () throws(CognitoError) in try client.softwareToken(challenge) }
            progress.token = token
            progress.challenge = challenge.continued(in: token.session)
            return .granted
        case .setupCode:
            guard let code = progress.answer else {
                throw Self.unanswered
            }
            let verified = try Self.service { () throws(CognitoError) in
                try client.verifySoftwareToken(challenge, code: code)
            }
            guard let verified else {
                return .wrongAnswer
            }
            progress.challenge = verified
            return .granted
        case .setup:
            return try respond(challenge, [:], &progress)
        case .setupAddress:
            return try respond(challenge, ["EMAIL": try answer(progress)], &progress)
        case .custom:
            return try respond(challenge, ["ANSWER": try answer(progress)], &progress)
        }
    }

    /// What the person entered, to be sent.
    private func answer(_ progress: borrowing SignInProgress) throws(RequestFailure) -> JSONValue {
        guard let answer = progress.answer else {
            throw Self.unanswered
        }
        return .secret(answer)
    }

    private mutating func initiate(_ progress: borrowing SignInProgress) throws(RequestFailure) -> AuthenticationStep {
        switch flow.kind {
        case .secureRemotePassword:
            let publicText = try beginExchange()
            return try Self.service { () throws(CognitoError) in
                try client.beginSRP(userName: loginName, publicText: publicText)
            }
        case .password:
            let password = try password(progress)
            return try Self.service { () throws(CognitoError) in
                try client.begin(userName: loginName, password: password)
            }
        case .choice:
            let preferred = progress.preferred
            let parameters = try passwordResponses(preferred ?? "", progress)
            return try Self.service { () throws(CognitoError) in
                try client.beginChoice(userName: loginName, preferred: preferred, parameters: parameters)
            }
        case .custom, .customAfterProof:
            let publicText = flow.kind == .customAfterProof ? try beginExchange() : nil
            return try Self.service { () throws(CognitoError) in
                try client.beginCustom(userName: loginName, publicText: publicText)
            }
        }
    }

    /// The two requests with which a password is set anew.
    private func reset(_ request: Request, _ progress: inout SignInProgress) throws(RequestFailure) -> SignInEvent {
        guard request == .resetPassword else {
            let delivery = try Self.service { () throws(CognitoError) in try client.forgotPassword(userName: loginName)
            }
            // An address, even with most of it hidden, tells more than nothing.
            progress.resetDelivery = progress.isAnonymous ? nil : delivery
            return .granted
        }
        guard let code = progress.resetCode, let password = progress.newPassword else {
            throw Self.unanswered
        }
        try Self.service { () throws(CognitoError) in
            try client.confirmForgotPassword(userName: loginName, code: code, password: password)
        }
        // The sign-in goes on with it.
        progress.password = password
        progress.newPassword = nil
        return .granted
    }

    /// Begins an SRP exchange; the result is SRP_A.
    private mutating func beginExchange() throws(RequestFailure) -> String {
        let exchange = try Self.srp { () throws(SRPError) in try SecureRemotePassword() }
        let publicText = try Self.srp { () throws(SRPError) in try exchange.publicText() }
        self.exchange = consume exchange
        return publicText
    }

    /// The password, where it can be sent as text.
    private func password(_ progress: borrowing SignInProgress) throws(RequestFailure) -> SecretValue {
        guard let password = progress.password else {
            throw Self.unanswered
        }
        guard password.isText else {
            throw .step(StepFailure(.refused, "The password is not valid UTF-8: Cognito was not asked."))
        }
        return password
    }

    /// What goes with a challenge, or a choice, that is about the password.
    private mutating func passwordResponses(
        _ name: String, _ progress: borrowing SignInProgress
    ) throws(RequestFailure) -> [String: JSONValue] {
        switch name {
        case "PASSWORD": ["PASSWORD": .secret(try password(progress))]
        case "PASSWORD_SRP": ["SRP_A": .string(try beginExchange())]
        default: [:]
        }
    }

    private mutating func prove(
        _ challenge: Challenge, _ progress: inout SignInProgress
    ) throws(RequestFailure) -> SignInEvent {
        guard challenge.userName != nil, let identifier = challenge.parameters["USER_ID_FOR_SRP"] else {
            throw Self.incomplete(challenge)
        }
        let identity = SRPIdentity(realm: client.pool.name, identifier: identifier)
        guard let password = progress.password else {
            throw Self.unasked
        }
        return try respond(challenge, try claim(challenge, identity, password), &progress)
    }

    /// Proves that this is the host that the pool remembers.
    private mutating func proveDevice(
        _ challenge: Challenge, _ progress: inout SignInProgress
    ) throws(RequestFailure) -> SignInEvent {
        guard let device = progress.device else {
            throw Self.unasked
        }
        return try respond(challenge, try claim(challenge, device.identity, device.password), &progress)
    }

    /// The proof of a password, as ChallengeResponses. It uses the exchange up: each further one would be one more guess of
    /// the password for whoever sent the challenge.
    private mutating func claim(
        _ challenge: Challenge, _ identity: SRPIdentity, _ password: SecretValue
    ) throws(RequestFailure) -> [String: JSONValue] {
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

    private static func incomplete(_ challenge: Challenge) -> RequestFailure {
        .step(StepFailure(.serviceFault, "Cognito's challenge \(challenge.name) lacks a parameter."))
    }

    private static var unanswered: RequestFailure {
        .step(StepFailure(.internalFault, "There is nothing to send: the person was not asked."))
    }

    private static var unasked: RequestFailure {
        .step(StepFailure(.serviceFault, "Cognito sent an SRP challenge to a sign-in that is none."))
    }

    private mutating func respond(
        _ challenge: Challenge, _ responses: [String: JSONValue], _ progress: inout SignInProgress
    ) throws(RequestFailure) -> SignInEvent {
        let userName = progress.userName
        let step = try Self.service { () throws(CognitoError) in
            try client.answer(challenge, userName: userName, responses: responses)
        }
        return progress.take(step, .later)
    }

    /// What a failed request means for the dialogue.
    private mutating func event(
        _ request: Request, _ error: CognitoError, _ progress: inout SignInProgress
    ) -> SignInEvent {
        let failure = StepFailure(signIn: error)
        // Nobody is locked out whom Cognito does not know: said to a stranger, it would say that there is such a user.
        let isStranger = progress.password == nil || [.initiate, .proof, .password, .firstFactor].contains(request)
        progress.failure = failure.reason == .lockedOut && isStranger ? failure.unsaid : failure
        progress.explanation = ""
        if case .service(let refusal) = error {
            progress.explanation = PromptText.cleaned(refusal.message, limit: 200)
        }
        if request == .sendResetCode || request == .resetPassword {
            return resetEvent(request, error, &progress)
        }
        switch (request, error.kind) {
        // A device that the service has forgotten, or has another verifier of.
        case (_, .deviceNotFound) where client.deviceKey != nil, (.device, .refused), (.device, .invalidRequest),
            (.deviceProof, .refused), (.deviceProof, .invalidRequest):
            progress.device = nil
            client.deviceKey = nil
            return .deviceUnknown
        case (_, .passwordResetRequired) where sendsPassword(request, progress): return .resetRequired
        case (_, .codeMismatch): return .wrongAnswer
        case (.code, .codeExpired) where progress.challenge?.name == "SOFTWARE_TOKEN_MFA": return .usedCode
        case (_, .codeExpired), (_, .challengeExpired): return .expired
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
    /// Whether `request` shows the service the password: only then is its answer for somebody who knows it.
    private func sendsPassword(_ request: Request, _ progress: borrowing SignInProgress) -> Bool {
        switch request {
        case .proof: true
        case .initiate: flow.kind == .password || flow.kind == .choice && flow.preferred == .password
        case .password: progress.challenge?.name == "PASSWORD"
        case .firstFactor: progress.choice == "PASSWORD"
        default: false
        }
    }

    private func resetEvent(
        _ request: Request, _ error: CognitoError, _ progress: inout SignInProgress
    ) -> SignInEvent {
        progress.failure = StepFailure(settingPassword: error, hasArrived: request == .resetPassword)
        let kind = error.kind
        guard !progress.isAnonymous || kind.map(Self.concernsNobody) ?? true else {
            // What the service says to this name, it may not say to another.
            switch kind {
            case .passwordNotAcceptable: return .notAcceptable
            case .invalidRequest where request == .resetPassword:
                progress.explanation = ""
                return .notAcceptable
            default:
                progress.withheld = progress.withheld ?? progress.failure?.logText
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

    /// Whether the service says so whoever is asked about.
    private static func concernsNobody(_ kind: ServiceErrorKind) -> Bool {
        switch kind {
        case .clientSecret, .clientNotFound, .operationNotSupported, .refusedByFirewall, .throttled, .serviceFault,
            .unknown:
            true
        default:
            false
        }
    }
}

/// Why a request came to nothing: what the machine decides about, or what it does not.
private enum RequestFailure: Error {
    case service(CognitoError)
    case step(StepFailure)
}

extension ServiceDialogue {
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
