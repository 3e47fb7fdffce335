internal import Base
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
    /// Does further work while the user types the first answer; otherwise only waits for it.
    private let receive: () -> Received

    init(_ conversation: Conversation, _ manner: Manner, receive: @escaping () -> Received) {
        self.manner = manner
        self.conversation = conversation
        self.receive = receive
    }

    /// Shows a prompt; returns nil when the user is gone.
    func ask(_ style: PromptStyle, _ text: String) throws(StepFailure) -> SecretValue? {
        var writer = FrameWriter(.ask)
        writer.add(.promptStyle, style)
        writer.add(.text, Array(text.utf8))
        conversation.addJudgement(toPrompt: &writer)
        guard conversation.send(try writer.finished()), case .frame(let frame) = receive() else {
            return nil
        }
        return frame.sharedSecret(.answer)
    }

    /// Asks for a new password, twice, after `notice`. It is there with `answered` alone.
    ///
    /// - Parameter known: Passwords that it must not be.
    func askNewPassword(
        _ notice: String, not known: [SecretValue?]
    ) throws(StepFailure) -> (event: SignInEvent, password: SecretValue?) {
        guard let given = try ask(.newPassword, notice + manner.prompt(ChallengeWording.newPassword)) else {
            return (.gone, nil)
        }
        guard given.count > 0 else {
            return (.empty, nil)
        }
        guard !known.contains(given) else {
            return (.password, nil)
        }
        guard Self.isFitPassword(given) else {
            return (.unusable, nil)
        }
        guard let again = try ask(.hidden, manner.prompt(ChallengeWording.newPasswordAgain)) else {
            return (.gone, nil)
        }
        return again == given ? (.answered, given) : (.differs, nil)
    }

    /// Whether Cognito takes it for a password at all, whatever the pool's rules are.
    private static func isFitPassword(_ password: SecretValue) -> Bool {
        let blank = UInt8(ascii: " ")
        let hasBlanksOutside = password.withBytes { bytes in
            bytes.byte(at: 0) == blank || bytes.byte(at: bytes.byteCount - 1) == blank
        }
        return password.characterCount <= PersonDialogue.longestPassword && !hasBlanksOutside && password.isPrintable
    }
}

extension Manner {
    /// How the step that `frame` begins wants the person spoken to: in English, where it does not say.
    init(_ frame: borrowing Frame) {
        self.init(
            frame.bytes(.language).flatMap { tag in Language(tag: tag) } ?? .english,
            translatesPrompts: frame.flag(.translatesPrompts))
    }
}
