/// Every text of the worker that a person can see, in one place.
///
/// None of them tells a stranger whether an account exists: what depends on the account is said after the right
/// password only, or for every name alike.
package enum WorkerWording {
    /// After too many wrong codes behind the right password.
    package static let lockedOut: Phrase = "Too many attempts. Wait a few minutes, then try again."
    /// When an answer was not looked at, however often it was sent.
    package static let tooBusy: Phrase = "Cognito is too busy at the moment. Try again in a minute."
    /// When Cognito does not do what is needed where it was asked, as a replica of the pool in another Region.
    package static let operationNotEnabled: Phrase =
        """
        Cognito cannot complete this request at the moment. Try again later. If the problem persists, ask your \
        administrator for help.
        """
    /// The same of a new password.
    package static let passwordChangeNotEnabled: Phrase =
        "Cognito cannot change passwords at the moment. Your password is unchanged. Try again later."
    /// When something about the person that must be theirs alone is another's, time and again.
    package static let aliasTaken: Phrase =
        "Another account already uses that e-mail address or phone number. Ask your administrator for help."
    /// After the right password, when it was reset or is a first one.
    package static let passwordChangeNeeded: Phrase =
        "You must change your password before you can sign in here. Change your password where you usually sign in."
    /// After the right first password, when it was not used in time.
    package static let temporaryPasswordExpired: Phrase =
        "Your temporary password has expired. Ask your administrator for a new password."
    /// After a current password, or an answer to what follows it, that was not accepted.
    package static let passwordChangeRefused: Phrase = "Cognito did not accept the answer. Your password is unchanged."
    /// When Cognito cannot be asked.
    package static let passwordChangeUnavailable: Phrase =
        "Cognito cannot be reached at the moment. Your password is unchanged."
    /// When Cognito was asked, and its answer got lost.
    package static let passwordChangeUnknown: Phrase =
        """
        Cognito's answer did not arrive, so your password may or may not have been changed. Try the new password \
        first.
        """
    /// When passwords were changed too often.
    package static let passwordChangeLimit: Phrase =
        "Your password has been changed too often recently. Wait a while, then try again."
    /// When the code for a new password was wrong too often. Cognito's limits are part of it, since they are not told
    /// apart.
    package static let resetCodeTooOften: Phrase =
        """
        The code was incorrect. Your password is unchanged. Cognito sends only a few codes per hour. If you did not \
        receive a code, wait before you request another one.
        """
    /// When the code for a new password was too old, twice.
    package static let resetCodeExpired: Phrase = "The code has expired. Your password is unchanged."
    /// When Cognito does not let this password be reset.
    package static let passwordNotResettable: Phrase =
        "Your password cannot be reset with a code. Ask your administrator for a new password."
    /// When there is nowhere to send a code to.
    package static let noVerifiedContact: Phrase =
        """
        Your account has no verified e-mail address or phone number that could receive a code. Ask your administrator \
        for a new password.
        """
    /// When the browser came back with a refusal.
    package static let refusedInBrowser: Phrase =
        "Your identity provider refused the sign-in. Try again, or ask your administrator for help."
    /// When a sign-in with a browser came to nothing behind the browser.
    package static let managedLogin: Phrase =
        "The browser sign-in could not be completed. Try again later, or ask your administrator for help."
    /// When a code could not be sent.
    package static let codeNotDelivered: Phrase =
        "The code could not be sent. Your password is unchanged. Ask your administrator for help."
    /// When the pool may send no more codes for now.
    package static let messageLimit: Phrase =
        """
        No code was sent, because the user pool cannot send more codes at the moment. Your password is unchanged. Ask \
        your administrator for help.
        """
    /// The same while signing in, or when a code could not be sent.
    package static let signInCodeNotSent: Phrase =
        "The code that you need to sign in could not be sent. Ask your administrator for help."
    /// When nothing that would do was entered.
    package static let noNewPassword: Phrase = "Your password is unchanged."
    /// The same while signing in, which needs a new password.
    package static let noFirstPassword: Phrase =
        "You must change your password. Sign in again to choose a new password."
    /// To whom Cognito does not ask for the further proof that something needs.
    package static let levelNotReached: Phrase =
        """
        Cognito cannot request the additional sign-in step that this machine requires. The administrator can find \
        the reason in the log.
        """
    /// After the right password, when something is asked for that cannot be answered here.
    package static let challengeNotSupported: Phrase =
        "Your account needs an additional sign-in step that is not supported on this machine."
}
