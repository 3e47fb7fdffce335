internal import CognitoIdentityProvider
internal import Messages
internal import Protocol

/// Sets a new password for a user who has proved nothing yet, with a code that Cognito sends to the account's owner.
/// The prompts are the same for every name, until the right code is entered.
struct RecoverPasswordStep {
    private let conversation: Conversation
    private let client: CognitoClient
    private let clock: any Clock
    private let loginName: String
    /// Whether the account is managed. Otherwise Cognito's answers are about no user.
    private let isNamed: Bool
    private let manner: Manner

    init(
        _ frame: borrowing Frame, _ conversation: Conversation, _ surroundings: StepSurroundings
    ) throws(StepFailure) {
        let name = frame.bytes(.loginName)
        guard let loginName = name == nil ? Self.nobody : StepSurroundings.text(name) else {
            throw StepFailure(.internalFault, "The calling program sent a request with an unknown value.")
        }
        self.conversation = conversation
        self.loginName = loginName
        isNamed = name != nil
        manner = Manner(frame)
        clock = surroundings.clock
        client = try surroundings.client(for: frame)
        client.context = surroundings.context(frame)
    }

    /// A name that no user has. Cognito is asked about it anyway, because a missing request could be noticed.
    private static var nobody: String {
        "nobody-" + String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// Returns nil when the user is gone.
    func run() throws(StepFailure) -> PasswordChange? {
        let (conversation, isNamed) = (conversation, isNamed)
        var dialogue = SignInDialogue(
            Questions(conversation, manner) { conversation.receive(timeLimit: nil) }, client: client, clock: clock,
            flow: SignInFlow(kind: .password, preferred: nil, combinesCode: false), loginName: loginName,
            passwordQuestion: .signIn, isAnonymous: true,
            reportWithheld: { failure in
                if isNamed {
                    conversation.report(withheld: failure)
                }
            }
        )
        do {
            // No tokens come of it.
            return try dialogue.recover() ? PasswordChange(outcome: nil, logText: nil) : nil
        } catch {
            throw error.explained(orSaying: WorkerWording.noNewPassword)
        }
    }
}
