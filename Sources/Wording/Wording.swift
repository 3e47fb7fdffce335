/// Every text of the root side that a person can see, in one place.
package enum Wording {
    /// The prompt for a password. Programs look for exactly this, so it is never translated.
    package static let passwordPrompt: StaticString = "Password: "
    /// To root, who changes somebody's password.
    package static let currentPasswordNeeded: StaticString =
        "This password is kept by Cognito, which asks for the current one whoever changes it."
    /// To somebody who gave the right password, and whom a rule keeps out.
    package static let notLetIn: StaticString =
        "You may not sign in on this machine. If you should, ask its administrator."
    /// To somebody who gave the right password, and has as many sessions as one person may have.
    package static let tooManySessions: StaticString =
        "You have too many sessions on this machine. Log out of one of them, then sign in again."
    /// After a forgotten password was set anew.
    package static let passwordRecovered: StaticString = "Your password is changed. Sign in with the new one."
    /// When a fault of this machine keeps a forgotten password from being set anew, for every name alike.
    package static let recoveryUnavailable: StaticString =
        "Passwords cannot be reset on this machine at the moment. Its administrator finds the reason in the log."
    /// Before the name of the person, after a sign-in.
    package static let welcomeStart: StaticString = "Signed in to Cognito as "
    /// After it.
    package static let welcomeEnd: StaticString =
        ". Your tokens are in this session's keyring: run cognito-session to see them."
}
