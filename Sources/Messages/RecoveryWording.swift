#if !hasFeature(Embedded)

/// The texts of `cognito-session forgot-password` itself; what is asked comes from the worker.
extension ToolWording {
    package static let forgotPasswordAbstract = text(
        "Set a new password with a code if you have forgotten the old password.")
    package static let userNamePlaceholder = text("[USER]")
    package static let recoveryTerminal = text(
        "forgot-password needs a terminal for its prompts. Run the command in a terminal.")
    package static let recoveryAbsent = text(
        "Your password is unchanged, because cognito-agent is not responding. Ask your administrator to start "
            + "pam-cognito-agent.socket, or reset your password where you usually sign in.")
    package static let recoveryBroken = text(
        "cognito-agent stopped too early, so your password may or may not have been changed. If you have "
            + "already typed the new password twice, try to sign in with it; otherwise, run the command again.")
    package static let recoveryCancelled = text("Your password is unchanged, because a prompt was not answered.")
}

#endif
