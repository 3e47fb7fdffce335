import Base
import Configuration
import Messages
import Protocol

/// The passwords that were typed in one step, for the modules that are called after this one.
final class TypedPasswords {
    /// Whether the one that was asked for first is wanted: it is not kept for longer than it is needed.
    private let keepsCurrent: Bool
    fileprivate var current: Secret?
    /// The last one that was to take its place: a step that asks for one comes to success by no other.
    fileprivate var new: Secret?

    init(keepingCurrent keepsCurrent: Bool) {
        self.keepsCurrent = keepsCurrent
    }

    /// Takes note of the answer to a question of that style.
    func note(_ answer: consuming Secret, to style: PromptStyle?) {
        switch style {
        case .password where keepsCurrent, .currentPassword where keepsCurrent: current = consume answer
        case .newPassword: new = consume answer
        case .password, .currentPassword, .hidden, .visible, nil: break
        }
    }
}

// PAM_AUTHTOK and PAM_OLDAUTHTOK. pam_get_authtok(3) has left what was typed; pam_gnome_keyring(8), pam_mount(8),
// pam_fscrypt and the like open with it what only the password opens.
extension Hooks {
    /// After a sign-in: the password without a code behind it, where that was to be kept, or the new one where one was
    /// set.
    func leave(_ typed: TypedPasswords) {
        if let new = typed.new.take() {
            host.leave(password: new)
        } else if let current = typed.current.take(), let password = withoutCode(current) {
            host.leave(password: password)
        }
    }

    /// After a change of the password: both.
    func leaveChanged(_ typed: TypedPasswords) {
        if let current = typed.current.take() {
            host.leave(oldPassword: current)
        }
        if let new = typed.new.take() {
            host.leave(password: new)
        }
    }

    /// Before another module decides by this machine's password (`local_password`): takes the code off that was typed
    /// behind it, as is right for Cognito's (`combined_code`). Decides nothing: the other module looks at what is left,
    /// once.
    func leaveLocalPassword(of user: [UInt8], _ account: Account, _ settings: Settings) {
        guard settings.combinedCode, account.hasUsablePassword, machine.effectiveUserID == 0,
            // Known already, unless Cognito is asked before the person is. Then the other module would ask for it now.
            let typed = try? host.password(ByteText(manner(settings).prompt(Wording.passwordPrompt))),
            let password = withoutCode(typed), !host.isLocal(typed, of: user), host.isLocal(password, of: user)
        else {
            return
        }
        host.leave(password: password)
    }

    /// What was typed without the code behind it; nil: there is none.
    private func withoutCode(_ typed: borrowing Secret) -> Secret? {
        typed.withBytes { bytes in
            CombinedCode.passwordLength(in: bytes).flatMap { length in Secret(copying: bytes.extracting(0..<length)) }
        }
    }
}
