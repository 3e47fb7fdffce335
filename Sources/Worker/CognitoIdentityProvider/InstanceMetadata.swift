internal import Base
package import HTTPClient
package import MachineIdentity
internal import Tokens

/// Why an instance's metadata gave no keys.
package enum MetadataError: Error, Equatable, Sendable {
    /// It did not answer.
    case transport(HTTPError)
    /// It answered with this status when it was asked for that.
    case refused(_ status: Int, _ what: Part)
    /// The answer does not have the expected form.
    case malformed(Part)

    /// The part of the metadata that was requested.
    package enum Part: String, Sendable {
        /// The token with which everything else is asked.
        case token = "a session token (PUT /latest/api/token)"
        /// The name of the instance's role.
        case role = "the name of the instance's role"
        case keys = "the keys of the instance's role"
    }
}

/// The metadata of an EC2 instance (IMDSv2) with the keys of its role.
package struct InstanceMetadata {
    /// How long all of it may take, in milliseconds: it is on no network, and answers at once.
    package static let timeLimit: Int64 = 3000
    private static let roles = "/latest/meta-data/iam/security-credentials/"
    /// IAM's own limit to the length of a role's name.
    private static let longestName = 64
    private static let longestToken = 4096

    private let transport: any HTTPTransport
    private let clock: any Clock

    /// Asks through `transport`, which reaches the metadata.
    package init(transport: any HTTPTransport, clock: any Clock) {
        self.transport = transport
        self.clock = clock
    }

    /// The keys of the instance's role, lent for some hours. Never asks without a token (IMDSv1): what could be
    /// answered then could be asked for by any program that fetches addresses for others.
    package func credentials() throws(MetadataError) -> IAMCredentials {
        let deadline = clock.milliseconds() + Self.timeLimit
        let token = try send(
            HTTPRequest(
                url: "\(HTTPClient.metadataOrigin)/latest/api/token",
                headers: [.init("X-aws-ec2-metadata-token-ttl-seconds", "60")], isPut: true),
            for: .token, by: deadline)
        guard let token, (1...Self.longestToken).contains(token.count), token.allSatisfy(\.isVisibleASCII) else {
            throw .malformed(.token)
        }
        func request(_ path: String) -> HTTPRequest {
            var request = HTTPRequest(url: HTTPClient.metadataOrigin + path)
            request.secretHeaders = [.init("X-aws-ec2-metadata-token", token)]
            return request
        }
        let list = try send(request(Self.roles), for: .role, by: deadline)?.withBytes { bytes in bytes.copied() } ?? []
        guard let name = list.split(separator: 0x0a).first.flatMap(Self.roleName) else {
            throw .malformed(.role)
        }
        let answer = try send(request(Self.roles + name), for: .keys, by: deadline)
        guard
            let members = answer?.withBytes({ bytes in
                JSONValue(parsing: bytes, secrets: ["AccessKeyId", "SecretAccessKey", "Token"])
            }), members["Code"]?.text == "Success",
            let accessKeyID = members["AccessKeyId"]?.filledSecret,
            let secretAccessKey = members["SecretAccessKey"]?.filledSecret,
            let sessionToken = members["Token"]?.filledSecret
        else {
            throw .malformed(.keys)
        }
        return IAMCredentials(
            accessKeyID: accessKeyID, secretAccessKey: secretAccessKey, sessionToken: sessionToken)
    }

    private func send(
        _ request: HTTPRequest, for what: MetadataError.Part, by deadline: Int64
    ) throws(MetadataError) -> SecretValue? {
        let response: HTTPResponse
        do {
            response = try transport.send(request, timeLimit: deadline - clock.milliseconds())
        } catch {
            throw .transport(error)
        }
        guard response.status == 200 else {
            throw .refused(response.status, what)
        }
        return response.body
    }

    /// A role's name, of the characters that IAM allows; nil for anything else, which does not belong into an address.
    private static func roleName(_ bytes: ArraySlice<UInt8>) -> String? {
        let name = String(decoding: bytes, as: UTF8.self)
        let isName = name.utf8.allSatisfy { byte in byte.isAlphanumericASCII(or: "+=,.@-_") }
        return isName && (1...longestName).contains(name.utf8.count) ? name : nil
    }
}
