internal import CognitoIdentityProvider
internal import Session
internal import WorkerProtocol

/// Signing a person in: from the password to tokens that the root side has entered into its registry.
struct SignInStep {
    /// How long the root side may take to enter the tokens into its registry, in milliseconds.
    static let registrationTimeLimit: Int64 = 10_000

    private let authentication: Authentication
    private let request: SignInRequest

    init(
        _ frame: borrowing Frame, _ conversation: Conversation, _ surroundings: StepSurroundings
    ) throws(StepFailure) {
        request = try SignInRequest(frame)
        authentication = try Authentication(frame, conversation, surroundings)
    }

    func run() throws(StepFailure) {
        let answered: AuthenticationResult?
        var dialogue = authentication.dialogue(.signIn)
        do {
            answered = try dialogue.run()
        } catch {
            throw authentication.explained(error)
        }
        guard let result = answered else {
            return
        }
        let refreshToken = try Authentication.refreshToken(of: result)
        // From here on there is something to revoke, whatever goes wrong.
        let client = authentication.client
        let registered: Bool
        do {
            registered = try handOver(result, refreshToken)
        } catch {
            client.extendTime(to: Authentication.revocationTimeLimit)
            try? client.revoke(refreshToken: refreshToken)
            throw error
        }
        if !registered {
            client.extendTime(to: authentication.timeLimit)
            try? client.revoke(refreshToken: refreshToken)
        }
    }

    /// Verifies the tokens and hands them over; true when the root side has entered them into its registry.
    private func handOver(_ result: AuthenticationResult, _ refreshToken: String) throws(StepFailure) -> Bool {
        let tokens = try authentication.verified(result)
        let session = authentication.session(tokens, refreshToken, signOut: request.signOutMode)
        return try SessionHandOver(authentication.conversation, authentication.keys)
            .send(.signedIn, session, groups: tokens.groups, withholding: request.withholdsRefreshToken)
    }
}

/// What only the sign-in message has.
private struct SignInRequest {
    let signOutMode: SignOutMode
    let withholdsRefreshToken: Bool

    init(_ frame: borrowing Frame) throws(StepFailure) {
        guard let mode = StepSurroundings.text(frame.bytes(.signOutMode)).flatMap(SignOutMode.init) else {
            throw StepFailure(.internalFault, "The sign-in message has a value that this worker does not know.")
        }
        signOutMode = mode
        withholdsRefreshToken = frame.code(.withholdRefreshToken) == 1
    }
}

extension SignInStep {
    /// Makes a message.
    static func frame(_ make: () throws(FrameError) -> Frame) throws(StepFailure) -> Frame {
        do {
            return try make()
        } catch {
            throw StepFailure(
                .internalFault, "A message to the root side does not fit its bounds: the tokens are too long.")
        }
    }
}
