internal import Cryptography
internal import Encodings
package import HTTPClient
package import SecretMemory

/// Why an operation did not come to its answer.
package enum CognitoError: Error, Equatable, Sendable {
    /// The service refused.
    case service(ServiceError)
    /// No answer came.
    case transport(HTTPError)
    /// An answer came that means nothing; with its status.
    case malformed(status: Int)
    /// The time for this step's network is used up.
    case outOfTime
    /// This machine failed.
    case local(String)

    /// What a refusal means; nil when it was none.
    package var kind: ServiceErrorKind? {
        if case .service(let error) = self { error.kind } else { nil }
    }
}

/// How often an operation may be tried.
package enum RetryPolicy: Sendable {
    /// Once: a repetition would count as another attempt of the person, or use something up.
    case never
    /// At most twice more, for requests that change nothing.
    case idempotent
    /// Until the time is up: for revocations, which must not be lost.
    case persistent
}

/// What the service is told of a sign-in's circumstances, besides what it needs.
package struct RequestContext: Sendable, Equatable {
    /// UserContextData.IpAddress: the client's, for threat protection.
    package var address: String?
    /// ClientMetadata: for the pool's Lambda triggers.
    package var metadata: [String: String] = [:]

    /// Nothing at all.
    package init() {}

    fileprivate var members: [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        if let address {
            members["UserContextData"] = .object(["IpAddress": .string(address)])
        }
        if !metadata.isEmpty {
            members["ClientMetadata"] = .object(metadata.mapValues(JSONValue.string))
        }
        return members
    }
}

/// Time as a step sees it.
package protocol Clock: AnyObject {
    /// Milliseconds that only ever go forward.
    func milliseconds() -> Int64
    /// Seconds since the epoch.
    func seconds() -> Int64
    /// Waits.
    func sleep(milliseconds: Int64)
}

/// The operations of `cognito-idp` that a sign-in, a renewal and a sign-out need, for one app client; unsigned, but for one.
///
/// Refusals are never tried again by themselves: each try feeds the lock-out. What may be repeated is said at each
/// operation.
package final class CognitoClient {
    /// Sent as User-Agent: the service's firewall refuses requests without one.
    package static let userAgent = "pam-cognito"

    /// The pool and app client.
    package let pool: UserPool
    /// What is sent with every request of a sign-in.
    package var context = RequestContext()
    /// The remembered device that requests speak for, by its key; nil where there is none.
    package var deviceKey: String?
    private let endpoint: String
    private let secret: ClientSecret?
    private let transport: any HTTPTransport
    private let clock: any Clock
    /// Milliseconds of network time that are left for the step.
    package private(set) var timeLeft: Int64
    /// Whether requests are repeated at all, where their policy allows it.
    package var isPatient = true
    /// Is told of the first failure that is followed by another attempt. Nobody waits from then on, so that the attempts are further
    /// apart.
    package var onSetback: ((CognitoError) -> Void)?
    /// How far this machine's clock is ahead of the service's, in seconds, by the last answer's Date.
    package private(set) var clockSkew: Int64?

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - endpoint: `https://host[:port]` instead of the region's own; nil when it is not such an address.
    ///   - timeLimit: milliseconds of network time for everything that this client does, its waits included.
    package init?(
        pool: UserPool, secret: consuming Secret?, endpoint: String?, transport: any HTTPTransport,
        clock: any Clock, timeLimit: Int64
    ) {
        guard let endpoint = Self.base(endpoint ?? "https://\(pool.host)") else {
            return nil
        }
        self.pool = pool
        self.endpoint = endpoint
        switch consume secret {
        case .some(let secret): self.secret = ClientSecret(secret)
        case .none: self.secret = nil
        }
        self.transport = transport
        self.clock = clock
        timeLeft = timeLimit
    }

    /// `https://host[:port]` without a final slash; nil for everything else.
    private static func base(_ text: String) -> String? {
        let scheme = "https://"
        guard text.hasPrefix(scheme) else {
            return nil
        }
        var host = text.dropFirst(scheme.count)
        if host.hasSuffix("/") {
            host = host.dropLast()
        }
        let allowed = host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"),
                UInt8(ascii: "["), UInt8(ascii: "]"):
                true
            default:
                false
            }
        }
        return allowed && !host.isEmpty ? scheme + host : nil
    }

    /// Gives the client at least this much network time: for a revocation after the step's own time.
    package func extendTime(to milliseconds: Int64) {
        timeLeft = max(timeLeft, milliseconds)
    }

    // MARK: - Signing in

    /// InitiateAuth with USER_SRP_AUTH. Nothing is proved yet, so it may be repeated.
    package func beginSRP(userName: String, publicText: String) throws(CognitoError) -> AuthenticationStep {
        try begin("USER_SRP_AUTH", userName, ["SRP_A": .string(publicText)], .idempotent)
    }

    /// InitiateAuth with USER_PASSWORD_AUTH: the password itself is sent.
    package func begin(userName: String, password: String) throws(CognitoError) -> AuthenticationStep {
        try begin("USER_PASSWORD_AUTH", userName, ["PASSWORD": .string(password)])
    }

    /// InitiateAuth with USER_AUTH: what the service asks for decides the rest. Never repeated, as it may send a code.
    ///
    /// - Parameters:
    ///   - preferred: PREFERRED_CHALLENGE.
    ///   - parameters: what goes with it: PASSWORD or SRP_A.
    package func beginChoice(
        userName: String, preferred: String?, parameters: [String: String]
    ) throws(CognitoError) -> AuthenticationStep {
        var all = parameters.mapValues(JSONValue.string)
        all["PREFERRED_CHALLENGE"] = preferred.map(JSONValue.string)
        return try begin("USER_AUTH", userName, all)
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
        _ flow: String, _ userName: String, _ parameters: [String: JSONValue], _ policy: RetryPolicy = .never
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
    package func answer(
        _ challenge: Challenge, userName: String, responses: [String: String]
    ) throws(CognitoError) -> AuthenticationStep {
        var values = responses.mapValues(JSONValue.string)
        values["USERNAME"] = .string(userName)
        values["SECRET_HASH"] = try secretHash(userName)
        values["DEVICE_KEY"] = deviceKey.map(JSONValue.string)
        var members: [String: JSONValue] = [
            "ClientId": .string(pool.clientID), "ChallengeName": .string(challenge.name),
            "ChallengeResponses": .object(values),
        ]
        members["Session"] = challenge.session.map(JSONValue.string)
        members.merge(context.members) { own, _ in own }
        return try step(try call("RespondToAuthChallenge", members, .never))
    }

    /// AssociateSoftwareToken: a new key for the person's authenticator app.
    package func softwareToken(_ challenge: Challenge) throws(CognitoError) -> SoftwareToken {
        var members: [String: JSONValue] = [:]
        members["Session"] = challenge.session.map(JSONValue.string)
        guard let token = SoftwareToken(try call("AssociateSoftwareToken", members, .never)) else {
            throw .malformed(status: 200)
        }
        return token
    }

    /// VerifySoftwareToken: whether the app makes the right codes. The result is the session to go on in; nil when the code
    /// is wrong.
    package func verifySoftwareToken(_ challenge: Challenge, code: String) throws(CognitoError) -> Challenge? {
        var members: [String: JSONValue] = ["UserCode": .string(code)]
        members["Session"] = challenge.session.map(JSONValue.string)
        let answer = try call("VerifySoftwareToken", members, .never)
        guard let status = answer["Status"]?.text else {
            throw .malformed(status: 200)
        }
        return status == "SUCCESS" ? challenge.continued(in: answer["Session"]?.text) : nil
    }

    private func authenticate(
        _ flow: String, _ parameters: [String: JSONValue], _ policy: RetryPolicy
    ) throws(CognitoError) -> AuthenticationStep {
        var parameters = parameters
        parameters["DEVICE_KEY"] = deviceKey.map(JSONValue.string)
        var members: [String: JSONValue] = [
            "AuthFlow": .string(flow), "ClientId": .string(pool.clientID), "AuthParameters": .object(parameters),
        ]
        members.merge(context.members) { own, _ in own }
        return try step(try call("InitiateAuth", members, policy))
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

    // MARK: - Renewing

    /// New tokens for a refresh token.
    ///
    /// With the key of the device that they belong to; where the service has forgotten that device, once more without.
    /// GetTokensFromRefreshToken works with rotation and without; older services do not know it, and then it is
    /// InitiateAuth with REFRESH_TOKEN_AUTH.
    ///
    /// - Parameter userName: the canonical name: the older operation hashes it.
    package func refresh(
        _ refreshToken: String, userName: String, _ policy: RetryPolicy = .never
    ) throws(CognitoError) -> AuthenticationResult {
        do throws(CognitoError) {
            return try refreshOnce(refreshToken, userName: userName, policy)
        } catch {
            guard error.kind == .deviceNotFound, deviceKey != nil else {
                throw error
            }
            deviceKey = nil
            return try refreshOnce(refreshToken, userName: userName, policy)
        }
    }

    private func refreshOnce(
        _ refreshToken: String, userName: String, _ policy: RetryPolicy
    ) throws(CognitoError) -> AuthenticationResult {
        do throws(CognitoError) {
            var members: [String: JSONValue] = [
                "RefreshToken": .string(refreshToken), "ClientId": .string(pool.clientID),
            ]
            members["DeviceKey"] = deviceKey.map(JSONValue.string)
            members["ClientSecret"] = secret.map { secret in .string(secret.text) }
            let answer = try call("GetTokensFromRefreshToken", members, policy)
            guard let result = AuthenticationResult(answer["AuthenticationResult"]) else {
                throw CognitoError.malformed(status: 200)
            }
            return result
        } catch {
            guard error.kind == .operationNotSupported else {
                throw error
            }
        }
        var parameters: [String: JSONValue] = ["REFRESH_TOKEN": .string(refreshToken)]
        parameters["SECRET_HASH"] = try secretHash(userName)
        guard case .tokens(let result) = try authenticate("REFRESH_TOKEN_AUTH", parameters, policy) else {
            throw .malformed(status: 200)
        }
        return result
    }

    // MARK: - Devices

    /// ConfirmDevice: makes this host a device of the access token's person. Whether the person must also agree that it
    /// is remembered.
    ///
    /// - Parameters:
    ///   - device: what came with the tokens.
    ///   - verifier, salt: as `SecureRemotePassword.deviceVerifier` makes them.
    ///   - name: what the person sees of it in a list.
    package func confirm(
        _ device: NewDevice, accessToken: String, verifier: String, salt: String, name: String?
    ) throws(CognitoError) -> Bool {
        var members: [String: JSONValue] = [
            "AccessToken": .string(accessToken), "DeviceKey": .string(device.key),
            "DeviceSecretVerifierConfig": .object(["PasswordVerifier": .string(verifier), "Salt": .string(salt)]),
        ]
        members["DeviceName"] = name.map(JSONValue.string)
        return try call("ConfirmDevice", members, .never)["UserConfirmationNecessary"] == .boolean(true)
    }

    /// UpdateDeviceStatus: the person agrees that the device is remembered.
    package func remember(_ device: NewDevice, accessToken: String) throws(CognitoError) {
        let members: [String: JSONValue] = [
            "AccessToken": .string(accessToken), "DeviceKey": .string(device.key),
            "DeviceRememberedStatus": .string("remembered"),
        ]
        _ = try call("UpdateDeviceStatus", members, .idempotent)
    }

    // MARK: - Changing the password

    /// ChangePassword: for the access token's person. Never repeated: after an answer that got lost, the old password may
    /// be none any more.
    package func changePassword(accessToken: String, previous: String, proposed: String) throws(CognitoError) {
        let members: [String: JSONValue] = [
            "AccessToken": .string(accessToken), "PreviousPassword": .string(previous),
            "ProposedPassword": .string(proposed),
        ]
        _ = try call("ChangePassword", members, .never)
    }

    // MARK: - Asking

    /// GetUser: the name of the access token's person, if Cognito still accepts the token.
    package func userName(accessToken: String) throws(CognitoError) -> String {
        let answer = try call("GetUser", ["AccessToken": .string(accessToken)], .idempotent)
        guard let name = answer["Username"]?.text else {
            throw .malformed(status: 200)
        }
        return name
    }

    // MARK: - Setting a forgotten password

    /// ForgotPassword: has a code sent for setting a new password. Never repeated: each is a message to somebody.
    package func forgotPassword(userName: String) throws(CognitoError) -> CodeDelivery {
        CodeDelivery(try call("ForgotPassword", try members(of: userName), .never))
    }

    /// ConfirmForgotPassword: sets a new password. Never repeated: after an answer that got lost, the code is used up.
    package func confirmForgotPassword(userName: String, code: String, password: String) throws(CognitoError) {
        var members = try members(of: userName)
        members["ConfirmationCode"] = .string(code)
        members["Password"] = .string(password)
        _ = try call("ConfirmForgotPassword", members, .never)
    }

    private func members(of userName: String) throws(CognitoError) -> [String: JSONValue] {
        var members: [String: JSONValue] = ["ClientId": .string(pool.clientID), "Username": .string(userName)]
        members["SecretHash"] = try secretHash(userName)
        members.merge(context.members) { own, _ in own }
        return members
    }

    // MARK: - Signing out

    /// GlobalSignOut: ends every session of the access token's person.
    package func globalSignOut(accessToken: String) throws(CognitoError) {
        _ = try call("GlobalSignOut", ["AccessToken": .string(accessToken)], .persistent)
    }

    /// RevokeToken: ends this refresh token and the access tokens made from it.
    package func revoke(refreshToken: String) throws(CognitoError) {
        var members: [String: JSONValue] = [
            "Token": .string(refreshToken), "ClientId": .string(pool.clientID),
        ]
        members["ClientSecret"] = secret.map { secret in .string(secret.text) }
        _ = try call("RevokeToken", members, .persistent)
    }

    /// AdminUserGlobalSignOut: ends every session of a person, with the rights of an IAM identity.
    package func signOutEverywhere(userName: String, signedBy signer: RequestSigner) throws(CognitoError) {
        let members: [String: JSONValue] = ["UserPoolId": .string(pool.identifier), "Username": .string(userName)]
        _ = try call("AdminUserGlobalSignOut", members, .idempotent, signedBy: signer)
    }

    // MARK: - The key set

    /// The pool's key set (RFC 7517), as it came. Its address is the issuer's, at the endpoint's host.
    package func keySet(_ policy: RetryPolicy = .idempotent) throws(CognitoError) -> [UInt8] {
        let request = HTTPRequest(url: "\(endpoint)/\(pool.identifier)/.well-known/jwks.json")
        let response = try send(request, policy)
        guard response.status == 200 else {
            throw .malformed(status: response.status)
        }
        return response.body
    }

    // MARK: - One operation

    private func call(
        _ operation: String, _ members: [String: JSONValue], _ policy: RetryPolicy,
        signedBy signer: RequestSigner? = nil
    ) throws(CognitoError) -> JSONValue {
        guard let body = JSONValue.object(members).serialized else {
            throw .local("A request could not be written as JSON.")
        }
        let request = HTTPRequest(
            url: "\(endpoint)/",
            headers: [
                .init("Content-Type", "application/x-amz-json-1.1"),
                .init("X-Amz-Target", "AWSCognitoIdentityProviderService.\(operation)"),
            ],
            body: body,
            isRepeatable: policy != .never,
            signer: signer
        )
        let response = try send(request, policy)
        guard response.status == 200 else {
            throw .malformed(status: response.status)
        }
        if response.body.isEmpty {
            return .object([:])
        }
        guard let answer = JSONValue(parsing: response.body), answer.members != nil else {
            throw .malformed(status: response.status)
        }
        return answer
    }

    private func send(_ request: HTTPRequest, _ policy: RetryPolicy) throws(CognitoError) -> HTTPResponse {
        var attempt = 0
        while true {
            let failure: CognitoError
            do {
                return try sendOnce(request)
            } catch {
                failure = error
            }
            attempt += 1
            let wait = onSetback == nil ? Self.backOff(attempt) : Self.unattendedBackOff(attempt)
            guard isPatient, Self.mayRepeat(failure, policy, attempt), wait < timeLeft else {
                throw failure
            }
            if attempt == 1 {
                onSetback?(failure)
            }
            clock.sleep(milliseconds: wait)
            timeLeft -= wait
        }
    }

    private func sendOnce(_ request: HTTPRequest) throws(CognitoError) -> HTTPResponse {
        guard timeLeft > 0 else {
            throw .outOfTime
        }
        let start = clock.milliseconds()
        defer { timeLeft -= max(0, clock.milliseconds() - start) }
        let response: HTTPResponse
        do {
            response = try transport.send(request, timeLimit: timeLeft)
        } catch {
            throw .transport(error)
        }
        if let date = response.headers["date"].flatMap(HTTPDate.seconds) {
            clockSkew = clock.seconds() - date
        }
        if response.status != 200, let error = ServiceError(response) {
            throw .service(error)
        }
        return response
    }

    private static func mayRepeat(_ error: CognitoError, _ policy: RetryPolicy, _ attempt: Int) -> Bool {
        let passing =
            switch error {
            case .service(let error): error.kind == .throttled || error.kind == .serviceFault
            case .transport(.unreachable), .transport(.unresolvable), .transport(.timedOut), .transport(.tls): true
            default: false
            }
        return switch policy {
        case .never: false
        case .idempotent: passing && attempt <= 2
        case .persistent: passing
        }
    }

    /// Milliseconds before the next attempt: doubled each time to at most four seconds, and half of it by chance, so
    /// that many hosts do not come back together.
    private static func backOff(_ attempt: Int) -> Int64 {
        let longest = Int64(200) << Int64(min(attempt, 5) - 1)
        return Int64.random(in: longest / 2...longest)
    }

    /// The same where nobody waits, and many sessions may have ended together: the first after a second or two, at most eight
    /// seconds.
    private static func unattendedBackOff(_ attempt: Int) -> Int64 {
        let longest = Int64(2000) << Int64(min(attempt, 3) - 1)
        return Int64.random(in: longest / 2...longest)
    }

    private func secretHash(_ userName: String) throws(CognitoError) -> JSONValue? {
        guard let secret else {
            return nil
        }
        do {
            return .string(try secret.hash(userName: userName, clientID: pool.clientID))
        } catch {
            throw .local(error.description)
        }
    }
}

/// The app client's secret, owned once.
private final class ClientSecret {
    private let secret: Secret

    init(_ secret: consuming Secret) {
        self.secret = secret
    }

    /// As GetTokensFromRefreshToken and RevokeToken want it: in clear.
    var text: String {
        secret.withBytes { bytes in String(decoding: bytes.copied(), as: UTF8.self) }
    }

    func hash(userName: String, clientID: String) throws(CryptographyError) -> String {
        try SecretHash.make(clientSecret: secret, userName: userName, clientID: clientID)
    }
}
