/// Every question that a sign-in puts after, or in place of, the one for the password. `{}` stands for what the service said.
///
/// What ends in a line break stands above the question: ssh shows nothing else of what a person must read first.
package enum ChallengeWording {
    // Codes. They are typed with echo.
    package static let appCode: StaticString = "Code from your authenticator app: "
    package static let namedAppCode: StaticString = "Code from your authenticator app ({}): "
    package static let messageCode: StaticString = "Code sent by SMS to {}: "
    package static let mailCode: StaticString = "Code sent by e-mail to {}: "
    package static let unknownDestination: StaticString = "you"

    // Menus.
    package static let codeKind: StaticString = "Where do you want your code from?\n"
    package static let firstFactor: StaticString = "How do you want to sign in?\n"
    package static let firstFactorNoPasskey: StaticString =
        "A passkey cannot be used here. How do you want to sign in instead?\n"
    package static let setupKind: StaticString =
        "Your account needs a second step at sign-in. Where do you want your codes from?\n"
    package static let app: StaticString = "code from an authenticator app"
    package static let message: StaticString = "code by SMS"
    package static let mail: StaticString = "code by e-mail"
    package static let password: StaticString = "password"
    package static let number: StaticString = "Number [1]: "

    // A new password. Programs look for these three, so they are never translated.
    package static let currentPassword: StaticString = "Current password: "
    package static let newPassword: StaticString = "New password: "
    package static let newPasswordAgain: StaticString = "Retype new password: "
    package static let passwordChange: StaticString = "Your password must be changed now.\n"
    package static let email: StaticString = "E-mail address: "
    package static let phoneNumber: StaticString = "Phone number, with country code (+34...): "
    package static let otherAttribute: StaticString = "{}: "

    // Setting up.
    package static let setupStart: StaticString =
        "Your account needs an authenticator app. Scan this with it:\n\n"
    package static let setupKey: StaticString = "\n\nor type this key into it: {}\n\n"
    package static let setupCode: StaticString = "Code that the app shows: "
    package static let setupAddress: StaticString =
        "Your account needs an e-mail address, to which a code is sent at sign-in.\nE-mail address: "
    /// The name under which an authenticator app lists the account.
    package static let issuer: StaticString = "Cognito"

    // The pool's own question, where it has no words.
    package static let custom: StaticString = "Answer: "

    // A password that was reset or forgotten.
    package static let passwordReset: StaticString =
        "Your password was reset. Set a new one now, with the code that was sent to you for it.\n"
    package static let resetOffer: StaticString = "Code, or Enter alone to have one sent: "
    package static let resetCode: StaticString = "Code: "
    /// For every name alike.
    package static let resetCodeSent: StaticString =
        "If there is such an account, a code is on its way to its owner, by e-mail or SMS.\n"
    package static let resetCodeUnfit: StaticString = "That code is not right, or no longer good.\n"
    package static let resetCodeExpired: StaticString = "That code is no longer good.\n"

    // What was wrong before.
    package static let nothingEntered: StaticString = "Nothing was entered.\n"
    package static let unusable: StaticString = "That cannot be right.\n"
    package static let wrongCode: StaticString = "That code is not right. Try again.\n"
    package static let usedCode: StaticString = "That code was used before. Wait for the next one.\n"
    package static let differs: StaticString = "The two passwords are not the same.\n"
    package static let samePassword: StaticString = "The new password must not be the old one.\n"
    package static let notAcceptable: StaticString = "{}\n"
    package static let notAcceptableUnexplained: StaticString = "That was not accepted.\n"
    package static let expired: StaticString = "That took too long; here is another chance.\n"

    // How it may end.
    package static let passkeyOnly: StaticString =
        "Your account signs in with a passkey, which is not possible here."
    package static let tooLate: StaticString = "That took too long. Sign in again."
    package static let newPasswordIsSet: StaticString =
        "Your new password is set, but the sign-in did not come to its end. Sign in again with the new password."

    /// `text` with `{}` replaced by `insert`.
    package static func fill(_ text: StaticString, _ insert: [UInt8]) -> [UInt8] {
        text.withUTF8Buffer { buffer in
            var filled: [UInt8] = []
            var index = 0
            while index < buffer.count {
                let next = index + 1 < buffer.count ? unsafe buffer[index + 1] : 0
                if unsafe buffer[index] == UInt8(ascii: "{"), next == UInt8(ascii: "}") {
                    filled += insert
                    index += 2
                } else {
                    unsafe filled.append(buffer[index])
                    index += 1
                }
            }
            return filled
        }
    }
}
