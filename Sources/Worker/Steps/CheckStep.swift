internal import CognitoIdentityProvider
internal import Protocol
internal import Tokens

/// Checking tokens that a session has: as at sign-in, and whether Cognito still accepts them.
struct CheckStep {
    private let conversation: Conversation
    private let client: CognitoClient
    private let keys: KeySource
    private let session: Session
    private let identity: ExpectedIdentity
    private let isOnline: Bool
    private let now: Int64
    /// The session whose place among the user's sessions is requested: the time of its last use, 0 for this one; nil
    /// for none.
    private let placed: Int64?

    init(
        _ frame: borrowing Frame, _ conversation: Conversation, _ surroundings: StepSurroundings
    ) throws(StepFailure) {
        self.conversation = conversation
        identity = try ExpectedIdentity(frame)
        isOnline = frame.flag(.online)
        placed = frame.number(.sessionPlace)
        client = try surroundings.client(for: frame)
        keys = KeySource(frame, client: client, conversation, surroundings.clock)
        session = try Session(from: frame, of: client.pool)
        // To open something, the tokens must not have expired now. Otherwise they are checked as at the time they were
        // obtained. The caller judges whether they have expired since, which does not make their signature wrong.
        now = frame.flag(.unexpired) ? surroundings.clock.seconds() : session.renewedAt
    }

    func run() throws(StepFailure) {
        let tokens = try VerifiedTokens(
            session.accessToken, session.idToken, keys: keys, pool: client.pool, identity: identity,
            now: now
        )
        keys.keep()
        if isOnline {
            try askCognito(tokens)
        }
        var writer = FrameWriter(.checked)
        if isOnline, let lastUse = placed,
            let place = client.place(of: tokens.accessToken, lastUsed: lastUse > 0 ? lastUse : nil)
        {
            writer.add(.sessionPlace, place)
        }
        tokens.addProof(to: &writer)
        guard let message = try? writer.finish() else {
            throw StepFailure(.internalFault, "The list of the session's groups is too long for one message.")
        }
        _ = conversation.send(message)
    }

    private func askCognito(_ tokens: VerifiedTokens) throws(StepFailure) {
        let name: String
        do {
            name = try client.userName(accessToken: tokens.accessToken)
        } catch {
            switch error.kind {
            // The caller uses this machine's clock, which is behind then. The session is still valid.
            case .accessTokenExpired:
                throw StepFailure(
                    .accessTokenExpired,
                    "The access token has expired according to Cognito's clock. Check this machine's clock.")
            // Cognito revokes by the second: also what came right after another session's end. The refresh token may be
            // good. Nor is a text that is none of those known a word about the refresh token.
            case .accessTokenRevoked, .accessTokenInvalid, .refused:
                throw StepFailure(.accessTokenExpired, "Cognito no longer accepts the access token.")
            default:
                throw StepFailure(session: error)
            }
        }
        guard Array(name.utf8) == Array(tokens.userName.utf8) else {
            throw StepFailure(
                .otherIdentity,
                "The user name that Cognito reports for the session differs from the user name in the tokens.")
        }
    }
}
