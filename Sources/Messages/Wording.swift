/// Every text of the root side that a person can see, in one place.
package enum Wording {
    /// The prompt for a password. Programs look for exactly this, so it is translated only where that is asked for.
    package static let passwordPrompt: Phrase = "Password: "
    /// Where users of an external identity provider sign in, too.
    package static let passwordOrBrowserPrompt: Phrase = "Password, or Enter alone to sign in with a browser: "
    /// To root, who changes somebody's password.
    package static let currentPasswordNeeded: Phrase =
        "This password is kept by Cognito, which asks for the current one whoever changes it."
    package static let passwordAtProvider: Phrase =
        "Your password is not kept here. Change it where you sign in to your company's other services."
    /// To root, whose program cannot give the current one.
    package static let onlyInPool: Phrase =
        "Cognito keeps the password of this account, and this program cannot give the current one. Set it in the user pool."
    /// To somebody who gave the right password to change it, and whom a rule keeps from it. At a sign-in nothing is said of that.
    package static let notLetIn: Phrase =
        "You may not sign in on this machine. If you should, ask its administrator."
    /// To somebody who gave the right password, where more is required than Cognito has asked for.
    package static let levelNotReached: Phrase =
        "This machine needs a further proof of who you are, which Cognito did not ask for. Its administrator finds the reason in the log."
    /// To somebody who gave the right password, and has as many sessions as one person may have.
    package static let tooManySessions: Phrase =
        "You have too many sessions on this machine. Log out of one of them, then sign in again."
    /// To somebody who gave the right password, and has as many sign-ins waiting as one person may have.
    package static let tooManySignIns: Phrase =
        "Too many of your sign-ins on this machine are not over yet. Try again in a minute."
    /// To somebody who gave the right password while another sign-in of theirs, perhaps a stopped one, is being entered.
    package static let anotherSignIn: Phrase =
        "Another sign-in of yours on this machine is not over yet. Try again in a minute."
    /// To somebody who gave the right password at the moment in which an earlier session of theirs was signed out everywhere.
    package static let signedOutMeanwhile: Phrase =
        "A sign-out everywhere of yours was carried out at this moment, and has ended this sign-in, too. Sign in again."
    /// To somebody who gave the right password in a connection that may know another user id of theirs.
    package static let accountMade: Phrase =
        "Your account on this machine has changed just now. Sign in once more, with a new connection."
    /// To such a person where that cannot be.
    package static let noAccount: Phrase =
        "You cannot have an account on this machine. Its administrator finds the reason in the log."
    /// To somebody who gave the right password where the kernel keeps no more keys for root.
    package static let full: Phrase =
        "This machine has no room for one more session. Try again later, or tell its administrator."
    /// To somebody who wants to sign in where too many attempts have failed lately, with the minutes until that ends.
    package static let tooManyFailures: Phrase =
        "Too many attempts to sign in to this account failed. Try again in {0} min."
    /// To a user for whom Cognito has sent several codes that were not entered, with the minutes until one more may be sent.
    package static let tooManyCodes: Phrase =
        "Cognito has sent several codes for this account that were not entered. Enter the code in the window that asks for it, or try again in {0} min."
    /// To a user for whom as many answers are being checked as may be wrong.
    package static let tooManyAtOnce: Phrase =
        "Several sign-ins to this account are being checked at the same time. Wait a few seconds, then try again."
    /// To whom nobody can say whether it is them, and no password of this machine counts instead; where that may go away by itself.
    package static let cannotBeChecked: Phrase =
        "Cognito cannot check at the moment who you are, and nobody else may. Sign in again later."
    /// Where it does not go away by itself, whoever asks: at a sign-in, and from the agent.
    package static let configuration: Phrase =
        "This machine's settings for Cognito have a mistake, or do not fit the user pool. Nothing was changed; tell your administrator."
    package static let internalFault: Phrase =
        "This machine could not do it; its log says why. Nothing was changed; tell your administrator."
    package static let tooManyPrompts: Phrase =
        "Too many sign-ins are waiting for an answer on this machine. Finish or cancel those of yours, then try again."
    /// After a forgotten password was set anew.
    package static let passwordRecovered: Phrase = "Your password is changed. Sign in with the new one."
    /// When a fault of this machine keeps a forgotten password from being set anew, for every name alike.
    package static let recoveryUnavailable: Phrase =
        "Passwords cannot be reset on this machine at the moment. Its administrator finds the reason in the log."
    /// At a sign-in, or a login by a key, with how many there are.
    package static let keysChanged: Phrase =
        "The ssh keys that open your account on this machine have changed; there are {0} now. If that was not you, somebody may have your tokens: run cognito-session sign-out --global, and tell your administrator."
    /// After a sign-in, with the name of the person, and how long the tokens can be renewed by this machine's settings.
    private static let welcomeForDays: Phrase =
        "Signed in to Cognito as {0}, for {1} days at most. Your tokens are in this session's keyring: run cognito-session to see them."
    private static let welcomeForHours: Phrase =
        "Signed in to Cognito as {0}, for {1} hours at most. Your tokens are in this session's keyring: run cognito-session to see them."
    private static let welcomeForMinutes: Phrase =
        "Signed in to Cognito as {0}, for {1} min at most. Your tokens are in this session's keyring: run cognito-session to see them."

    /// The same for somebody whose tokens end in so many seconds: the phrase, and how many of its units that is, rounded up.
    package static func welcome(lasting seconds: Int64) -> (phrase: Phrase, count: Int64) {
        let (phrase, unit): (Phrase, Int64) =
            switch seconds {
            case (48 * 3600 + 1)...: (welcomeForDays, 86_400)
            case (2 * 3600 + 1)...: (welcomeForHours, 3600)
            default: (welcomeForMinutes, 60)
            }
        let whole = max(0, seconds)
        return (phrase, whole / unit + (whole % unit > 0 ? 1 : 0))
    }
}
