internal import Base
internal import CognitoIdentityProvider
internal import HTTPClient
internal import MachineIdentity
internal import Protocol

/// The machine's own IAM identity: what signs a step's requests, and what AWS's refusals of it mean.
struct MachineSigner {
    /// AWS's answers to keys that are wrong, have expired, or lack rights.
    private static let refusals = [
        "AccessDeniedException", "NotAuthorizedException", "UnrecognizedClientException", "InvalidClientTokenId",
        "InvalidSignatureException", "SignatureDoesNotMatch", "IncompleteSignatureException",
        "MissingAuthenticationTokenException", "ExpiredTokenException", "ExpiredToken", "RequestExpired",
        "OptInRequired",
    ]

    let signer: RequestSigner
    private let isOfMetadata: Bool

    /// The identity that the step's `frame` has, or whose keys the instance's metadata has.
    init(_ frame: borrowing Frame, region: String, _ surroundings: StepSurroundings) throws(StepFailure) {
        isOfMetadata = frame.flag(.instanceMetadata)
        let keys = isOfMetadata ? try Self.keysOfInstance(surroundings) : try Self.keys(frame)
        let signer = RequestSigner(
            accessKeyID: keys.accessKeyID, secretAccessKey: keys.secretAccessKey,
            sessionToken: keys.sessionToken, service: "cognito-idp", region: region)
        guard let signer else {
            throw isOfMetadata ? StepFailure(metadata: .malformed(.keys)) : Self.noKeys
        }
        self.signer = signer
    }

    private static var noKeys: StepFailure {
        StepFailure(
            .configuration,
            "The file set in \"iam_credentials_file\" contains no keys: add aws_access_key_id and "
                + "aws_secret_access_key to a [default] section.")
    }

    private static func keys(_ frame: borrowing Frame) throws(StepFailure) -> IAMCredentials {
        guard let file = frame.secret(.credentials), let keys = IAMCredentials(file: file) else {
            throw noKeys
        }
        return keys
    }

    private static func keysOfInstance(_ surroundings: StepSurroundings) throws(StepFailure) -> IAMCredentials {
        let transport: any HTTPTransport
        do {
            transport = try surroundings.makeMetadataTransport()
        } catch {
            throw StepFailure(signIn: .transport(error))
        }
        do {
            return try InstanceMetadata(transport: transport, clock: surroundings.clock).credentials()
        } catch {
            throw StepFailure(metadata: error)
        }
    }

    /// Translates `error` of `operation`; nil if it is not about the identity.
    func refusal(of operation: String, _ error: CognitoError) -> StepFailure? {
        guard case .service(let refusal) = error, Self.refusals.contains(refusal.name) else {
            return nil
        }
        return StepFailure(
            .configuration,
            "AWS refused this machine's IAM identity (\(refusal.name)): check "
                + (isOfMetadata ? "the instance's role" : "the keys in \"iam_credentials_file\"")
                + ", this machine's clock, and that the identity's policy allows "
                + "cognito-idp:\(operation) on the pool, see cognito-agent(8).")
    }
}

extension StepFailure {
    /// Translates a failure to get keys from the instance's metadata. It contains nothing of an answer, which may be a
    /// secret.
    fileprivate init(metadata error: MetadataError) {
        let source = "The instance metadata service (169.254.169.254) "
        switch error {
        case .transport(let error):
            self.init(
                .unreachable,
                source + """
                    did not provide this machine's keys: \(error). Check that this is an EC2 instance, that the \
                    metadata service is enabled, and that the firewall allows _pam-cognito. See cognito-agent(8), \
                    JOURNAL.
                    """)
        case .refused(404, .role):
            self.init(
                .configuration,
                source
                    + "has no role: attach a role with the policy in cognito-agent(8), JOURNAL, to the instance.")
        case .refused(let status, let what):
            self.init(
                .configuration,
                source + """
                    refused \(what.rawValue) with HTTP \(status): check the instance's metadata options. Requests \
                    without a session token (IMDSv1) are not used.
                    """)
        case .malformed(let what):
            self.init(
                .configuration,
                source + "did not return \(what.rawValue): check which service answers at this address.")
        }
    }
}
