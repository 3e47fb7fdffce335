internal import Messages
internal import Protocol
internal import Tokens

/// How the account's password is asked for.
struct PasswordQuestion {
    /// For a sign-in: the host may have it already.
    static let signIn = PasswordQuestion(style: .password, text: Wording.passwordPrompt)
    /// Before a new one is set.
    static let change = PasswordQuestion(style: .currentPassword, text: ChallengeWording.currentPassword)

    let style: PromptStyle
    let text: Phrase
}

/// Questions to the person, through the root side.
struct Questions {
    /// How the person is spoken to.
    let manner: Manner
    let conversation: Conversation
    /// What to do while the person types the first answer; waiting for it at all.
    private let receive: () -> Received

    init(_ conversation: Conversation, _ manner: Manner, receive: @escaping () -> Received) {
        self.manner = manner
        self.conversation = conversation
        self.receive = receive
    }

    /// Puts a question; nil when nobody is there any more.
    func ask(_ style: PromptStyle, _ text: String) throws(StepFailure) -> SecretValue? {
        var writer = FrameWriter(.ask)
        writer.add(.promptStyle, code: style.rawValue)
        writer.add(.text, Array(text.utf8))
        conversation.addJudgement(toPrompt: &writer)
        guard conversation.send(try writer.finished()), case .frame(let frame) = receive() else {
            return nil
        }
        return frame.sharedSecret(.answer)
    }
}

extension Manner {
    /// How the step that `frame` begins wants the person spoken to: in English, where it does not say.
    init(_ frame: borrowing Frame) {
        self.init(
            frame.bytes(.language).flatMap { tag in Language(tag: tag) } ?? .english,
            translatesPrompts: frame.code(.translatesPrompts) == 1)
    }
}
