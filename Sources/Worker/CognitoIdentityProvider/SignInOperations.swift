package import Tokens

// Requests without tokens: those that lead to tokens, and those for a forgotten password.
extension CognitoClient {
    /// InitiateAuth with USER_SRP_AUTH. Nothing is proved yet, so it may be repeated.
    package func beginSRP(
        userName: String, publicText: String, _ policy: RetryPolicy = .idempotent
    ) throws(CognitoError) -> AuthenticationStep {
        try begin("USER_SRP_AUTH", userName, ["SRP_A": .string(publicText)], policy)
    }

    /// InitiateAuth with USER_PASSWORD_AUTH: the password itself is sent.
    package func begin(userName: String, password: SecretValue) throws(CognitoError) -> AuthenticationStep {
        try begin("USER_PASSWORD_AUTH", userName, ["PASSWORD": .secret(password)])
    }

    /// InitiateAuth with USER_AUTH: what the service asks for decides the rest. Each may send a code.
    ///
    /// - Parameters:
    ///   - preferred: PREFERRED_CHALLENGE.
    ///   - parameters: what goes with it: PASSWORD or SRP_A.
    package func beginChoice(
        userName: String, preferred: String?, parameters: [String: JSONValue], _ policy: RetryPolicy = .attempt
    ) throws(CognitoError) -> AuthenticationStep {
        var all = parameters
        all["PREFERRED_CHALLENGE"] = preferred.map(JSONValue.string)
        return try begin("USER_AUTH", userName, all, policy)
    }

    /// InitiateAuth with CUSTOM_AUTH.
    ///
    /// - Parameter publicText: SRP_A, where the password is to be proved first.
    package func beginCustom(userName: String, publicText: String?) throws(CognitoError) -> AuthenticationStep {
        var parameters: [String: JSONValue] = [:]
        if let publicText {
            parameters = ["CHALLENGE_NAME": .string("SRP_A"), "SRP_A": .string(publicText)]
        }
        return try begin("CUSTOM_AUTH", userName, parameters)
    }

    private func begin(
        _ flow: String, _ userName: String, _ parameters: [String: JSONValue], _ policy: RetryPolicy = .attempt
    ) throws(CognitoError) -> AuthenticationStep {
        var parameters = parameters
        parameters["USERNAME"] = .string(userName)
        parameters["SECRET_HASH"] = try secretHash(userName)
        return try authenticate(flow, parameters, policy)
    }

    /// RespondToAuthChallenge.
    ///
    /// - Parameters:
    ///   - userName: the USERNAME that is sent and hashed.
    ///   - responses: the challenge's own ChallengeResponses.
    ///   - repeatUntil: after which moment of the clock, in milliseconds, a throttled request is not sent again; nil:
    ///     there is none.
    package func answer(
        _ challenge: Challenge, userName: String, responses: [String: JSONValue], repeatUntil: Int64? = nil
    ) throws(CognitoError) -> AuthenticationStep {
        var values = responses
        values["USERNAME"] = .string(userName)
        values["SECRET_HASH"] = try secretHash(userName)
        values["DEVICE_KEY"] = deviceKey.map(JSONValue.string)
        var members: [String: JSONValue] = [
            "ClientId": .string(pool.clientID), "ChallengeName": .string(challenge.name),
            "ChallengeResponses": .object(values),
        ]
        members["Session"] = challenge.session.map(JSONValue.secret)
        members.merge(context.members) { own, _ in own }
        let policy = repeatUntil.map(RetryPolicy.attemptUntil) ?? .attempt
        return try step(try call("RespondToAuthChallenge", members, policy, to: .current))
    }

    /// AssociateSoftwareToken: a new key for the person's authenticator app.
    package func softwareToken(_ challenge: Challenge) throws(CognitoError) -> SoftwareToken {
        var members: [String: JSONValue] = [:]
        members["Session"] = challenge.session.map(JSONValue.secret)
        guard let token = SoftwareToken(try call("AssociateSoftwareToken", members, .attempt, to: .current)) else {
            throw .malformed(status: 200)
        }
        return token
    }

    /// VerifySoftwareToken: whether the app makes the right codes. The result is the session to go on in; nil when the
    /// code is wrong.
    package func verifySoftwareToken(_ challenge: Challenge, code: SecretValue) throws(CognitoError) -> Challenge? {
        var members: [String: JSONValue] = ["UserCode": .secret(code)]
        members["Session"] = challenge.session.map(JSONValue.secret)
        let answer = try call("VerifySoftwareToken", members, .attempt, to: .current)
        guard let status = answer["Status"]?.text else {
            throw .malformed(status: 200)
        }
        return status == "SUCCESS" ? challenge.continued(in: answer["Session"]?.secret) : nil
    }

    /// InitiateAuth by `flow`.
    func authenticate(
        _ flow: String, _ parameters: [String: JSONValue], _ policy: RetryPolicy
    ) throws(CognitoError) -> AuthenticationStep {
        var parameters = parameters
        parameters["DEVICE_KEY"] = deviceKey.map(JSONValue.string)
        var members: [String: JSONValue] = [
            "AuthFlow": .string(flow), "ClientId": .string(pool.clientID), "AuthParameters": .object(parameters),
        ]
        members.merge(context.members) { own, _ in own }
        return try step(try call("InitiateAuth", members, policy, to: .any))
    }

    private func step(_ answer: JSONValue) throws(CognitoError) -> AuthenticationStep {
        if let result = AuthenticationResult(answer["AuthenticationResult"]) {
            return .tokens(result)
        }
        if let challenge = Challenge(answer) {
            return .challenge(challenge)
        }
        throw .malformed(status: 200)
    }
}

extension CognitoClient {
    /// ForgotPassword: has a code for a new password sent to the user. Each call sends a message.
    package func forgotPassword(userName: String) throws(CognitoError) -> CodeDelivery {
        CodeDelivery(try call("ForgotPassword", try members(of: userName), .attempt, to: .any))
    }

    /// ConfirmForgotPassword: sets a new password. After an answer that got lost, the code is used up.
    package func confirmForgotPassword(userName: String, code: SecretValue, password: SecretValue) throws(CognitoError)
    {
        var members = try members(of: userName)
        members["ConfirmationCode"] = .secret(code)
        members["Password"] = .secret(password)
        _ = try call("ConfirmForgotPassword", members, .attempt, to: .current)
    }

    private func members(of userName: String) throws(CognitoError) -> [String: JSONValue] {
        var members: [String: JSONValue] = ["ClientId": .string(pool.clientID), "Username": .string(userName)]
        members["SecretHash"] = try secretHash(userName)
        members.merge(context.members) { own, _ in own }
        return members
    }
}
