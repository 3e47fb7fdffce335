internal import Base
internal import CognitoIdentityProvider
internal import Configuration
internal import HTTPClient
internal import Protocol
internal import Tokens

/// Making credentials of AWS of a session's ID token.
struct CredentialStep {
    private let conversation: Conversation
    private let client: CognitoClient
    private let keys: KeySource
    private let session: Session
    private let identity: ExpectedIdentity
    private let now: Int64
    private let source: AWSCredentials
    private let service: AWSCredentialService
    /// Which identity pool took the person for whom, the last time: `POOL IDENTITY`. Only its pool issues credentials
    /// for it.
    private let knownIdentity: String?

    init(
        _ frame: borrowing Frame, _ conversation: Conversation, _ surroundings: StepSurroundings
    ) throws(StepFailure) {
        self.conversation = conversation
        identity = try ExpectedIdentity(frame)
        client = try surroundings.client(for: frame)
        keys = KeySource(frame, client: client, conversation, surroundings.clock)
        session = try Session(from: frame, of: client.pool)
        now = surroundings.clock.seconds()
        knownIdentity = StepSurroundings.text(frame.bytes(.identityID))
        guard let name = frame.bytes(.credentialName),
            let source = try WorkerSettings(frame).awsCredentials(named: name)
        else {
            throw StepFailure(
                .configuration,
                """
                No AWS credentials with this name are configured: check "aws_credentials".
                """)
        }
        self.source = source
        service = try surroundings.awsCredentialService(for: frame)
    }

    func run() throws(StepFailure) {
        let tokens = try VerifiedTokens(
            session.accessToken, session.idToken, keys: keys, pool: client.pool, identity: identity, now: now)
        keys.keep()
        var identityID: String?
        let credentials: TemporaryCredentials
        do throws(AWSCredentialError) {
            switch source {
            case .identityPool(let identityPool, let role):
                let (found, given) = try ask(Self.text(identityPool), tokens.idToken, role.map(Self.text))
                identityID = "\(Self.text(identityPool)) \(found)"
                credentials = given
            case .role(let role, let seconds):
                credentials = try service.credentials(
                    as: Self.text(role), named: sessionName(tokens), for: seconds, region: client.pool.region,
                    idToken: tokens.idToken)
            }
        } catch {
            throw StepFailure(error)
        }
        var writer = FrameWriter(.credentialMade)
        if let output = credentials.processOutput {
            writer.add(.credential, output)
        }
        writer.add(.credentialExpiry, credentials.expiration)
        writer.add(.identityID, ifPresent: identityID.map { text in Array(text.utf8) })
        guard let message = try? writer.finish() else {
            throw StepFailure(.serviceFault, "The credentials from AWS are too long to be stored.")
        }
        _ = conversation.send(message)
    }

    /// The identity does not change while the pool is the same; where that does not know the one of the last time, it
    /// was deleted there.
    private func ask(
        _ identityPool: String, _ idToken: SecretValue, _ role: String?
    ) throws(AWSCredentialError) -> (String, TemporaryCredentials) {
        let parts = knownIdentity?.split(separator: " ", omittingEmptySubsequences: false).map(String.init) ?? []
        if parts.count == 2, parts[0] == identityPool {
            do throws(AWSCredentialError) {
                return (
                    parts[1],
                    try service.credentials(
                        of: parts[1], in: identityPool, of: client.pool, idToken: idToken, role: role)
                )
            } catch {
                guard case .refused(name: "ResourceNotFoundException", _) = error else {
                    throw error
                }
            }
        }
        let found = try service.identity(in: identityPool, of: client.pool, idToken: idToken)
        return (
            found,
            try service.credentials(of: found, in: identityPool, of: client.pool, idToken: idToken, role: role)
        )
    }

    /// The verified name; where STS would not take that, the person's identifier in the pool, which no other name can
    /// be made of.
    private func sessionName(_ tokens: VerifiedTokens) -> String {
        let isFit = tokens.userName.utf8.allSatisfy { byte in byte.isAlphanumericASCII(or: "_=,.@+-") }
        return isFit && (2...64).contains(tokens.userName.utf8.count) ? tokens.userName : tokens.subject
    }

    private static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}

extension StepFailure {
    fileprivate init(_ error: AWSCredentialError) {
        switch error {
        case .refused(let name, let message):
            let said = message.isEmpty ? "" : " AWS said: \(message)"
            self.init(
                .credentialRefused,
                """
                AWS refused to issue credentials for the session (\(name)): check "aws_credentials".\(said)
                """)
        case .throttled: self.init(.throttled, "AWS is throttling requests. Try again later.")
        case .transport(let error):
            self.init(
                .unreachable,
                "AWS could not be contacted for credentials: \(error). Check the network and \"aws_endpoint\".")
        case .malformed(let status):
            self.init(
                .serviceFault,
                "AWS returned an invalid response (HTTP status \(status)): check \"aws_endpoint\"."
            )
        case .outOfTime:
            self.init(.unreachable, "AWS did not answer within the time limit.")
        }
    }
}
