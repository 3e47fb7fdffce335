internal import CognitoIdentityProvider
internal import HTTPClient
internal import Protocol
internal import Tokens

/// Renewing a session's tokens with its refresh token.
struct RenewStep {
    private let conversation: Conversation
    private let client: CognitoClient
    private let keys: KeySource
    private let clock: any Clock
    private let session: Session
    private let refreshToken: SecretValue
    private let identity: ExpectedIdentity
    private let withholdsRefreshToken: Bool

    init(
        _ frame: borrowing Frame, _ conversation: Conversation, _ surroundings: StepSurroundings
    ) throws(StepFailure) {
        self.conversation = conversation
        clock = surroundings.clock
        identity = try ExpectedIdentity(frame)
        withholdsRefreshToken = frame.flag(.withholdRefreshToken)
        client = try surroundings.client(for: frame)
        keys = KeySource(frame, client: client, conversation, clock)
        session = try Session(from: frame, of: client.pool)
        guard let refreshToken = session.refreshToken else {
            throw StepFailure(
                .internalFault,
                "The session's tokens cannot be renewed, because there is no refresh token.")
        }
        self.refreshToken = refreshToken
        client.deviceKey = session.deviceKey
        if frame.flag(.takesLateAnswer) {
            client.onLateRenewal = { conversation.send(FrameWriter(.late)) }
        }
    }

    func run() throws(StepFailure) {
        // The keys come first: with rotation, tokens that could not be verified afterwards would be lost.
        _ = try keys.keys()
        let handOver = SessionHandOver(.renewed, conversation, keys)
        let result: AuthenticationResult
        do {
            result = try refresh()
        } catch {
            throw failure(error)
        }
        // One that came late has used all of the time.
        client.extendTime(to: Authentication.revocationTimeLimit)
        do {
            try give(result, handOver)
        } catch {
            client.extendTime(to: Authentication.revocationTimeLimit)
            // Rotated away from a token that the registry knows to one that it never will.
            if let newToken = result.refreshToken, newToken != refreshToken {
                try? client.revoke(refreshToken: newToken)
            }
            throw error
        }
    }

    /// Once more where an answer may have got lost: a pool with rotation has exchanged the token by then, and either
    /// gives another new one or says so.
    private func refresh() throws(CognitoError) -> AuthenticationResult {
        let first: CognitoError
        do throws(CognitoError) {
            return try client.refresh(refreshToken, userName: session.userName)
        } catch {
            first = error
        }
        switch first {
        case .transport(.unreachable), .transport(.timedOut): break
        default: throw first
        }
        do throws(CognitoError) {
            return try client.refresh(refreshToken, userName: session.userName)
        } catch {
            throw error.kind == nil ? first : error
        }
    }

    /// Translates a refusal. In a pool that tracks devices, Cognito calls a refresh token invalid if ConfirmDevice did
    /// not follow the sign-in. It is still valid for a sign-out, so this does not end the session.
    private func failure(_ error: CognitoError) -> StepFailure {
        guard error.kind == .refreshTokenInvalid, session.deviceKey == nil, session.accessTokenClaims?.deviceKey != nil
        else {
            return StepFailure(session: error).adding(client.endpointRemark)
        }
        return StepFailure(
            .configuration,
            "Cognito does not renew these tokens: the pool tracks devices, and this host is not one of the user's "
                + "devices. Set \"remember_device\", or turn device tracking off in the pool, and sign in again."
        )
    }

    /// The time, by Cognito's clock where this machine's is wrong: what were refused for that would be lost, since a
    /// pool with rotation has exchanged the token by now.
    private var now: Int64 { clock.seconds() - (client.clockFault ?? 0) }

    private func give(_ result: AuthenticationResult, _ handOver: consuming SessionHandOver) throws(StepFailure) {
        let now = self.now
        let tokens = try VerifiedTokens(
            result.accessToken, result.idToken, keys: keys, pool: client.pool, identity: identity, now: now)
        var renewed = session
        renewed.accessToken = tokens.accessToken
        renewed.idToken = tokens.idToken
        renewed.refreshToken = result.refreshToken ?? refreshToken
        renewed.accessTokenExpiry = tokens.accessTokenExpiry
        renewed.userName = tokens.userName
        renewed.renewedAt = now
        renewed.deviceKey = client.deviceKey
        // The tokens are not revoked if the root side does not enter them: the registry's refresh token belongs to the
        // same session.
        _ = try handOver.send(renewed, tokens, withholding: withholdsRefreshToken)
    }
}
