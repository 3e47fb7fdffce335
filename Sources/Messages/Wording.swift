/// Every text of the root side that a user can see, in one place.
package enum Wording {
    /// The prompt for a password. Programs look for exactly this, so it is translated only where that is asked for.
    package static let passwordPrompt: Phrase = "Password: "
    /// Where users of an external identity provider sign in, too.
    package static let passwordOrBrowserPrompt: Phrase = "Password, or press Enter to sign in with a browser: "
    /// To root, who changes a user's password.
    package static let currentPasswordNeeded: Phrase =
        "Cognito stores this password, and requires the current password before accepting a new one."
    package static let passwordAtProvider: Phrase =
        """
        Your password is not stored on this machine. Change your password where you sign in to your company's other \
        services.
        """
    /// To root, whose program cannot give the current one.
    package static let onlyInPool: Phrase =
        """
        This program cannot send the current password, which Cognito requires for a password change. Set the new \
        password in the user pool.
        """
    /// To a user who gave the right password to change it, and whom a rule refuses. A sign-in does not say so.
    package static let notLetIn: Phrase =
        "This account is not allowed to sign in on this machine. If you need access, ask the administrator."
    /// To a user who gave the right password, if more is required than Cognito has asked for.
    package static let levelNotReached: Phrase =
        """
        This machine requires an additional sign-in step that Cognito did not request. The administrator can find \
        the reason in the log.
        """
    /// To a user who gave the right password, and has as many sessions as one user may have.
    package static let tooManySessions: Phrase =
        "You have too many sessions on this machine. Log out of one session, then sign in again."
    /// To a user who gave the right password, and has as many sign-ins waiting as one user may have.
    package static let tooManySignIns: Phrase =
        "Too many of your sign-ins on this machine are unfinished. Try again in a minute."
    /// To a user who gave the right password while the same user's other sign-in, perhaps a stopped one, is being
    /// entered.
    package static let anotherSignIn: Phrase =
        "Another of your sign-ins on this machine is unfinished. Try again in a minute."
    /// To a user who gave the right password while an earlier session of the same user was signed out everywhere.
    package static let signedOutMeanwhile: Phrase =
        "You were signed out everywhere during this sign-in. Sign in again."
    /// To a user who gave the right password in a connection that may know another user id for the account.
    package static let accountMade: Phrase =
        "Your account on this machine has just changed. Open a new connection, then sign in again."
    /// To such a user if the account cannot be created.
    package static let noAccount: Phrase =
        "Your account cannot be created on this machine. The administrator can find the reason in the log."
    /// To a user who gave the right password when the kernel keeps no more keys for root.
    package static let full: Phrase =
        "This machine cannot open another session. Try again later, or tell the administrator."
    /// To a user who wants to sign in after too many attempts have failed, with the minutes until that ends.
    package static let tooManyFailures: Phrase =
        "Too many attempts to sign in to this account have failed. Try again in {0} min."
    /// To a user for whom Cognito has sent several codes that were not entered, with the minutes until one more may be
    /// sent.
    package static let tooManyCodes: Phrase =
        """
        Cognito has sent several codes for this account, but none of them was entered. Enter the code at the prompt \
        that asks for it, or try again in {0} min.
        """
    /// To a user for whom as many answers are being checked as may be wrong.
    package static let tooManyAtOnce: Phrase =
        "Several sign-ins to this account are being checked. Wait a few seconds, then try again."
    /// To a user who cannot be checked now, and whose local password is not accepted instead. The fault may be
    /// temporary.
    package static let cannotBeChecked: Phrase =
        "Cognito is unavailable, and local passwords are not accepted. Try again later."
    /// The same if the fault is not temporary, at a sign-in and from the agent.
    package static let configuration: Phrase =
        """
        This machine's Cognito settings contain a mistake, or do not match the user pool. Tell your \
        administrator.
        """
    package static let internalFault: Phrase =
        """
        The request failed on this machine, and nothing was changed. Tell your administrator, who can find the \
        reason in the log.
        """
    package static let tooManyPrompts: Phrase =
        "Too many sign-in prompts are open on this machine. Finish or cancel your other sign-ins, then try again."
    /// After a forgotten password was set anew.
    package static let passwordRecovered: Phrase = "Your password has been changed. Sign in with the new password."
    /// When a fault of this machine keeps a forgotten password from being set anew, for every name alike.
    package static let recoveryUnavailable: Phrase =
        "Passwords cannot be reset on this machine at the moment. The administrator can find the reason in the log."
    /// At a sign-in, or a login by a key, with how many there are.
    package static let keysChanged: Phrase =
        """
        The ssh keys of your account on this machine have changed (number of keys now: {0}). If you did not change \
        your keys, run 'cognito-session sign-out --global' and tell your administrator. An attacker may have your \
        tokens.
        """
    /// After a sign-in, with the name of the person, and how long the tokens can be renewed by this machine's settings.
    private static let welcomeForDays: Phrase =
        "Signed in to Cognito as {0} for up to {1} days. To see your tokens, run: cognito-session"
    private static let welcomeForHours: Phrase =
        "Signed in to Cognito as {0} for up to {1} hours. To see your tokens, run: cognito-session"
    private static let welcomeForMinutes: Phrase =
        "Signed in to Cognito as {0} for up to {1} min. To see your tokens, run: cognito-session"

    /// The same for a user whose tokens expire in so many seconds: the phrase, and the number of days, hours or minutes
    /// for it, rounded up.
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
