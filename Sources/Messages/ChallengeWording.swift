/// Every question that a sign-in puts after, or in place of, the one for the password. `{0}` stands for what the
/// service said.
///
/// What ends in a line break stands above the question: ssh shows nothing else of what a person must read first.
package enum ChallengeWording {
    // Codes. They are typed with echo.
    package static let appCode: Phrase = "Code from your authenticator app: "
    package static let namedAppCode: Phrase = "Code from your authenticator app ({0}): "
    package static let messageCode: Phrase = "Code sent by SMS to {0}: "
    package static let mailCode: Phrase = "Code sent by e-mail to {0}: "
    package static let unknownDestination: Phrase = "you"

    // Menus.
    package static let codeKind: Phrase = "How do you want to receive your code?\n"
    package static let firstFactor: Phrase = "How do you want to sign in?\n"
    package static let firstFactorNoPasskey: Phrase =
        "Passkeys cannot be used here. How do you want to sign in instead?\n"
    package static let setupKind: Phrase =
        "Your account needs MFA (a code at each sign-in). How do you want to receive your codes?\n"
    package static let app: Phrase = "code from an authenticator app"
    package static let message: Phrase = "code by SMS"
    package static let mail: Phrase = "code by e-mail"
    package static let password: Phrase = "password"
    package static let number: Phrase = "Number [1]: "

    // A browser.
    package static let browser: Phrase =
        "Open this address in a browser on your own device, but only if you have just started this sign-in yourself:\n"
    package static let browserCode: Phrase = "Paste the code that the browser shows, or the browser's address: "
    package static let ofAnotherPrompt: Phrase =
        "That code belongs to another sign-in. Open only the address below.\n"
    package static let truncated: Phrase = "The end of the pasted address is missing. Paste only the code.\n"
    package static let browserCodeUnfit: Phrase =
        """
        Cognito did not accept that code, because it was already used or is older than five minutes. Use the new \
        address below.\n
        """

    // A new password. Programs look for these three, so they are translated only where that is asked for.
    package static let currentPassword: Phrase = "Current password: "
    package static let newPassword: Phrase = "New password: "
    package static let newPasswordAgain: Phrase = "Retype new password: "
    package static let passwordChange: Phrase = "You must change your password now.\n"
    package static let email: Phrase = "E-mail address: "
    package static let phoneNumber: Phrase = "Phone number, with country code (+34...): "
    package static let otherAttribute: Phrase = "{0}: "

    // Setting up.
    package static let setupStart: Phrase =
        "Your account needs an authenticator app. Scan this code with the app:\n\n"
    package static let setupKey: Phrase = "\n\nor type this key into the app: {0}\n\n"
    package static let setupCode: Phrase = "Code shown by the app: "
    package static let setupAddress: Phrase =
        "Your account needs an e-mail address that can receive sign-in codes.\nE-mail address: "
    /// The name under which an authenticator app lists the account.
    package static let issuer: StaticString = "Cognito"

    // The pool's own question, where it has no words.
    package static let custom: Phrase = "Answer: "

    // A password that was reset or forgotten.
    package static let passwordReset: Phrase =
        "Your password was reset. Set a new password now, with the code that was sent to you.\n"
    package static let resetOffer: Phrase = "Code (or press Enter to request a code): "
    package static let resetCode: Phrase = "Code: "
    /// For every name alike.
    package static let resetCodeSent: Phrase =
        "If this account exists, a code is being sent to its owner by e-mail or SMS.\n"
    package static let resetCodeUnfit: Phrase = "The code is incorrect or has expired.\n"
    package static let resetCodeExpired: Phrase = "The code has expired.\n"

    // The mistake in the previous answer.
    package static let nothingEntered: Phrase = "Nothing was entered.\n"
    package static let unusable: Phrase = "The answer is not valid.\n"
    package static let wrongCode: Phrase = "The code is incorrect. Try again.\n"
    package static let usedCode: Phrase = "The code was already used. Wait for the next code.\n"
    package static let differs: Phrase = "The two passwords do not match.\n"
    package static let unfitPassword: Phrase =
        """
        A password can have at most 256 characters and no control characters, and must not begin or end with a space.\n
        """
    package static let samePassword: Phrase = "The new password must be different from the old one.\n"
    package static let notAcceptable: Phrase = "{0}\n"
    package static let notAcceptableUnexplained: Phrase = "The answer was not accepted.\n"
    package static let aliasTaken: Phrase = "Another account already uses that value. Enter a different value.\n"
    package static let busy: Phrase = "Cognito is too busy and has not checked your answer. Enter your answer again.\n"
    package static let expired: Phrase = "The answer came too late. Try again.\n"

    // How it may end.
    package static let passkeyOnly: Phrase =
        "Your account signs in with a passkey, which cannot be used here."
    package static let tooLate: Phrase = "The sign-in took too long. Sign in again."
    package static let newPasswordIsSet: Phrase =
        "Your new password is set, but the sign-in was not completed. Sign in again with the new password."
}
