internal import CognitoIdentityProvider
internal import SecretMemory
internal import Wording
internal import WorkerProtocol

/// The answers to the service's challenges: one place for each.
struct ChallengeAnswers: ~Copyable {
    private let client: CognitoClient
    private let clock: any Clock
    private let exchange: SecureRemotePassword?

    /// - Parameter exchange: the SRP exchange that InitiateAuth began, where it did.
    init(client: CognitoClient, clock: any Clock, exchange: consuming SecureRemotePassword?) {
        self.client = client
        self.clock = clock
        self.exchange = exchange
    }

    /// Answers `challenge`; what comes back is the next one, or the tokens.
    borrowing func answer(
        _ challenge: Challenge, _ password: borrowing Secret
    ) throws(StepFailure) -> AuthenticationStep {
        switch challenge.name {
        case "PASSWORD_VERIFIER":
            return try provePassword(challenge, password)
        case "NEW_PASSWORD_REQUIRED":
            throw StepFailure(
                .passwordChangeNeeded, "The user's password is a temporary one: the user must set another first.",
                text: WorkerWording.passwordChangeNeeded
            )
        default:
            let name = challenge.name.utf8.prefix(64).map { byte in
                (0x21..<0x7f).contains(byte) ? byte : UInt8(ascii: "?")
            }
            throw StepFailure(
                .challengeNotSupported,
                "Cognito asks this user for \(String(decoding: name, as: UTF8.self)), which cannot be answered here.",
                text: WorkerWording.challengeNotSupported
            )
        }
    }

    private borrowing func provePassword(
        _ challenge: Challenge, _ password: borrowing Secret
    ) throws(StepFailure) -> AuthenticationStep {
        guard let values = challenge.srp, let userName = challenge.userName,
            let identifier = challenge.parameters["USER_ID_FOR_SRP"], let timestamp = Timestamp.text(clock.seconds())
        else {
            throw StepFailure(.serviceFault, "Cognito's challenge PASSWORD_VERIFIER lacks a parameter.")
        }
        let identity = SRPIdentity(realm: client.pool.name, identifier: identifier)
        let signature: String
        switch exchange {
        case .some(let exchange):
            signature = try SignInStep.srp { () throws(SRPError) in
                try password.withBytes { password throws(SRPError) in
                    try exchange.signature(
                        password: password, identity: identity, challenge: values, timestamp: timestamp
                    )
                }
            }
        case .none:
            throw StepFailure(.serviceFault, "Cognito sent an SRP challenge to a sign-in that is none.")
        }
        return try SignInStep.ask { () throws(CognitoError) in
            try client.answer(
                challenge, userName: userName,
                responses: [
                    "PASSWORD_CLAIM_SIGNATURE": signature, "PASSWORD_CLAIM_SECRET_BLOCK": values.secretBlock,
                    "TIMESTAMP": timestamp,
                ]
            )
        }
    }
}
