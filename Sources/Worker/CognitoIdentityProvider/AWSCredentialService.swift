package import Base
package import HTTPClient
package import Tokens

/// Why AWS gave no credentials.
package enum AWSCredentialError: Error, Equatable, Sendable {
    /// It refused; by its own name for that, and in its words.
    case refused(name: String, message: String)
    /// It takes no more requests for the moment.
    case throttled
    /// No answer came.
    case transport(HTTPError)
    /// An answer came that means nothing, or a fault of its own; with its status.
    case malformed(status: Int)
    /// The time for the step is used up.
    case outOfTime
}

/// Credentials as AWS gives them.
package struct TemporaryCredentials: Sendable {
    package let accessKeyID: String
    /// SecretAccessKey, which identity pools call SecretKey.
    package let secretKey: SecretValue
    package let sessionToken: SecretValue
    /// When they end, in seconds since the epoch.
    package let expiration: Int64

    fileprivate init?(
        _ accessKeyID: String?, _ secretKey: SecretValue?, _ sessionToken: SecretValue?, _ expiration: Int64?
    ) {
        guard let accessKeyID, let secretKey, let sessionToken, let expiration,
            (16...128).contains(accessKeyID.utf8.count), accessKeyID.utf8.allSatisfy(\.isVisibleASCII),
            (1...1024).contains(secretKey.count), secretKey.allSatisfy(\.isVisibleASCII),
            (1...16_384).contains(sessionToken.count), sessionToken.allSatisfy(\.isVisibleASCII)
        else {
            return nil
        }
        self.accessKeyID = accessKeyID
        self.secretKey = secretKey
        self.sessionToken = sessionToken
        self.expiration = expiration
    }

    /// Returns the answer of a `credential_process` (version 1), which the SDKs read; nil when there is no memory.
    package var processOutput: Secret? {
        guard let expiration = Timestamp.standard(expiration) else {
            return nil
        }
        return JSONValue.object([
            "Version": .integer(1), "AccessKeyId": .string(accessKeyID), "SecretAccessKey": .secret(secretKey),
            "SessionToken": .secret(sessionToken), "Expiration": .string(expiration),
        ]).serializedSecret
    }
}

/// AWS's two ways from an ID token to credentials, neither of which is signed: an identity pool's
/// (GetId, GetCredentialsForIdentity) and STS's (AssumeRoleWithWebIdentity).
package final class AWSCredentialService {
    private let endpoint: String?
    private let transport: any HTTPTransport
    private let clock: any Clock
    private let deadline: Int64

    /// Asks through `transport`, for `timeLimit` milliseconds at most.
    ///
    /// - Parameter endpoint: `https://host[:port]` in place of AWS's own.
    package init(endpoint: String?, transport: any HTTPTransport, clock: any Clock, timeLimit: Int64) {
        self.endpoint = endpoint
        self.transport = transport
        self.clock = clock
        deadline = clock.milliseconds() + timeLimit
    }

    // MARK: Identity pools

    /// GetId: whom the identity pool takes the token's person for.
    package func identity(
        in identityPool: String, of pool: UserPool, idToken: SecretValue
    ) throws(AWSCredentialError) -> String {
        let answer = try callIdentity(
            "GetId", in: identityPool,
            ["IdentityPoolId": .string(identityPool), "Logins": .object([pool.loginName: .secret(idToken)])])
        guard let identity = answer["IdentityId"]?.text, (1...55).contains(identity.utf8.count),
            identity.utf8.allSatisfy(\.isVisibleASCII)
        else {
            throw .malformed(status: 200)
        }
        return identity
    }

    /// GetCredentialsForIdentity.
    ///
    /// - Parameter role: Another role of the person's than the pool would choose (CustomRoleArn).
    package func credentials(
        of identity: String, in identityPool: String, of pool: UserPool, idToken: SecretValue, role: String?
    ) throws(AWSCredentialError) -> TemporaryCredentials {
        var members: [String: JSONValue] = [
            "IdentityId": .string(identity), "Logins": .object([pool.loginName: .secret(idToken)]),
        ]
        members["CustomRoleArn"] = role.map(JSONValue.string)
        let given = try callIdentity("GetCredentialsForIdentity", in: identityPool, members)["Credentials"]
        guard
            let credentials = TemporaryCredentials(
                given?["AccessKeyId"]?.text, given?["SecretKey"]?.secret, given?["SessionToken"]?.secret,
                given?["Expiration"]?.seconds)
        else {
            throw .malformed(status: 200)
        }
        return credentials
    }

    private func callIdentity(
        _ operation: String, in identityPool: String, _ members: [String: JSONValue]
    ) throws(AWSCredentialError) -> JSONValue {
        let region = identityPool.prefix { character in character != ":" }
        guard let body = JSONValue.object(members).serializedSecret else {
            throw .malformed(status: 0)
        }
        let response = try send(
            HTTPRequest(
                url: "\(endpoint ?? "https://cognito-identity.\(Region(String(region)).domain)")/",
                headers: [
                    .init("Content-Type", "application/x-amz-json-1.1"),
                    .init("X-Amz-Target", "AWSCognitoIdentityService.\(operation)"),
                ], body: SecretValue(body)))
        let answer = response.body?.withBytes { bytes in
            JSONValue(parsing: bytes, secrets: ["SecretKey", "SessionToken"])
        }
        guard response.status == 200, let answer, answer.members != nil else {
            guard let error = ServiceError(response) else {
                throw .malformed(status: response.status)
            }
            throw Self.refusal(error.name, error.cleanedMessage, response.status)
        }
        return answer
    }

    // MARK: STS

    /// AssumeRoleWithWebIdentity.
    ///
    /// - Parameters:
    ///   - name: RoleSessionName: who it is, in the other account's records.
    ///   - seconds: For how long.
    package func credentials(
        as role: String, named name: String, for seconds: Int64, region: Region, idToken: SecretValue
    ) throws(AWSCredentialError) -> TemporaryCredentials {
        let plain = form([
            ("Action", "AssumeRoleWithWebIdentity"), ("Version", "2011-06-15"), ("RoleArn", role),
            ("RoleSessionName", name), ("DurationSeconds", "\(seconds)"),
        ])
        // A JSON Web Token has no sign that would have to be written otherwise.
        guard var body = Secret(capacity: plain.utf8.count + idToken.count + 32),
            body.append(Array("\(plain)&WebIdentityToken=".utf8)),
            idToken.withBytes({ bytes in body.append(bytes) })
        else {
            throw .malformed(status: 0)
        }
        let response = try send(
            HTTPRequest(
                url: "\(endpoint ?? "https://sts.\(region.domain)")/",
                headers: [.init("Content-Type", "application/x-www-form-urlencoded")], body: SecretValue(body)))
        guard response.status == 200, let answer = response.body else {
            let name = response.body.flatMap { body in Self.element("Code", in: body)?.text }
            let message = response.body.flatMap { body in Self.element("Message", in: body)?.text } ?? ""
            throw Self.refusal(name, message.printableASCII(limit: 200), response.status)
        }
        guard
            let credentials = TemporaryCredentials(
                Self.element("AccessKeyId", in: answer)?.text, Self.element("SecretAccessKey", in: answer),
                Self.element("SessionToken", in: answer),
                Self.element("Expiration", in: answer)?.text.flatMap(Timestamp.seconds))
        else {
            throw .malformed(status: 200)
        }
        return credentials
    }

    /// Returns the text of the only element of that name, which has no elements in it and no escapes of XML.
    private static func element(_ name: String, in body: SecretValue) -> SecretValue? {
        body.withBytes { bytes in
            let begin = Array("<\(name)>".utf8)
            let end = Array("</\(name)>".utf8)
            guard let start = places(of: begin, in: bytes).only, let stop = places(of: end, in: bytes).only,
                start + begin.count < stop
            else {
                return nil
            }
            let content = bytes.extracting(start + begin.count..<stop)
            let isPlain = (0..<content.byteCount).allSatisfy { offset in
                content.byte(at: offset).map { byte in byte != UInt8(ascii: "<") && byte != UInt8(ascii: "&") } ?? false
            }
            return isPlain ? SecretValue(copying: content) : nil
        }
    }

    private static func places(of text: [UInt8], in bytes: RawSpan) -> [Int] {
        guard bytes.byteCount >= text.count else {
            return []
        }
        return (0...bytes.byteCount - text.count).filter { start in
            text.indices.allSatisfy { index in bytes.byte(at: start + index) == text[index] }
        }
    }

    // MARK: Both

    private func send(_ request: HTTPRequest) throws(AWSCredentialError) -> HTTPResponse {
        let left = deadline - clock.milliseconds()
        guard left > 0 else {
            throw .outOfTime
        }
        do {
            return try transport.send(request, timeLimit: left)
        } catch {
            throw .transport(error)
        }
    }

    private static func refusal(_ name: String?, _ message: String, _ status: Int) -> AWSCredentialError {
        switch name {
        case "TooManyRequestsException", "LimitExceededException", "Throttling", "ThrottlingException":
            .throttled
        case let name? where (400..<500).contains(status):
            .refused(name: name.printableASCII(limit: 80), message: message)
        default: .malformed(status: status)
        }
    }
}

extension [Int] {
    fileprivate var only: Int? { count == 1 ? first : nil }
}
