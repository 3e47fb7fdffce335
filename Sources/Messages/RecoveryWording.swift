#if !hasFeature(Embedded)

/// The texts of `cognito-session forgot-password` itself; what is asked comes from the worker.
extension ToolWording {
    package static let forgotPasswordAbstract = text("Set a new password with a code, when the old one is forgotten.")
    package static let userNamePlaceholder = text("[USER]")
    package static let recoveryTerminal = text(
        "Setting a new password takes a terminal to ask you at. Run this in one.")
    package static let recoveryAbsent = text(
        "Your password is unchanged: cognito-agent, which asks Cognito, does not answer. Ask your administrator to start it "
            + "(pam-cognito-agent.socket), or reset your password where you usually sign in.")
    package static let recoveryBroken = text(
        "cognito-agent ended before the end. If you had typed the new password twice, try it first; else try again.")
    package static let recoveryCancelled = text("Your password is unchanged: an answer was missing.")
}

#endif
