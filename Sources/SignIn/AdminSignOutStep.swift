internal import CognitoIdentityProvider
internal import HTTPClient
internal import SecretMemory
internal import WorkerProtocol

/// Ending all sessions of a person whose tokens nobody has any more, with the rights of the machine's own IAM identity.
struct AdminSignOutStep {
    /// What AWS answers to keys that are none, or no longer, or may not do this.
    private static let refusals = [
        "AccessDeniedException", "NotAuthorizedException", "UnrecognizedClientException", "InvalidClientTokenId",
        "InvalidSignatureException", "SignatureDoesNotMatch", "IncompleteSignatureException",
        "MissingAuthenticationTokenException", "ExpiredTokenException", "ExpiredToken", "RequestExpired",
        "OptInRequired",
    ]

    private let client: CognitoClient
    private let signer: RequestSigner
    private let userName: String

    init(_ frame: borrowing Frame, _ surroundings: StepSurroundings) throws(StepFailure) {
        client = try surroundings.client(for: frame)
        // Whoever asks comes back.
        client.isPatient = false
        guard let userName = StepSurroundings.text(frame.bytes(.loginName)) else {
            throw StepFailure(.internalFault, "The user's name is not UTF-8: Cognito cannot know it.")
        }
        self.userName = userName
        guard let file = frame.secret(.credentials), let keys = IAMCredentials(file: file),
            let signer = RequestSigner(
                accessKeyID: keys.accessKeyID, secretAccessKey: keys.secretAccessKey,
                sessionToken: keys.sessionToken?.duplicate(),
                service: "cognito-idp", region: client.pool.region)
        else {
            throw StepFailure(
                .configuration,
                "There are no keys in \"iam_credentials_file\": it needs aws_access_key_id and aws_secret_access_key "
                    + "in a section [default].")
        }
        self.signer = signer
    }

    func run() throws(StepFailure) -> SignOutOutcome {
        do {
            try client.signOutEverywhere(userName: userName, signedBy: signer)
            return .revoked
        } catch {
            if case .service(let refusal) = error {
                guard refusal.kind != .userNotFound else {
                    return .alreadyRevoked
                }
                if Self.refusals.contains(refusal.name) {
                    throw StepFailure(
                        .configuration,
                        "AWS refused this machine's IAM identity (\(refusal.name)): check the keys in "
                            + "\"iam_credentials_file\", this machine's clock, and that its policy allows "
                            + "cognito-idp:AdminUserGlobalSignOut on the pool, see cognito-agent(8).")
                }
            }
            throw StepFailure(signIn: error)
        }
    }
}
