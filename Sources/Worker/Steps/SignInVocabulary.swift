/// The prompts of a sign-in.
package enum Question: CaseIterable, Hashable, Sendable {
    case password
    /// A one-time code, from wherever it comes.
    case code
    case codeKind
    /// With what to sign in: password or a code.
    case firstFactor
    /// A new password, entered twice.
    case newPassword
    /// Something about the person that the pool needs to know.
    case attribute
    /// The choice of a method for the codes of later sign-ins.
    case setupKind
    /// A code of an authenticator app that has just been set up.
    case setupCode
    /// The e-mail address to which codes shall go.
    case setupAddress
    /// The pool's own question.
    case custom
    /// The code with which a reset password may be set anew, or nothing to have one sent.
    case resetOffer
    /// The same code, now that it was sent.
    case resetCode
    /// The code, or the address, that a browser got from the pool's managed login.
    case browserCode
}

/// The requests of a sign-in to the service.
package enum Request: CaseIterable, Hashable, Sendable {
    /// InitiateAuth.
    case initiate
    /// The proof of the password (PASSWORD_VERIFIER).
    case proof
    /// The beginning of the proof that this host is known (DEVICE_SRP_AUTH).
    case device
    /// The device's proof (DEVICE_PASSWORD_VERIFIER).
    case deviceProof
    /// The password itself, or the beginning of its proof, where a challenge asks for it.
    case password
    case code
    case codeKind
    case firstFactor
    /// The new password, with what else is needed.
    case newPassword
    case setupKey
    /// VerifySoftwareToken.
    case setupCode
    /// MFA_SETUP, after a code was verified.
    case setup
    /// MFA_SETUP with an e-mail address.
    case setupAddress
    case custom
    /// ForgotPassword: a code for setting a new password.
    case sendResetCode
    /// ConfirmForgotPassword.
    case resetPassword
    /// The code from a browser, to the token endpoint.
    case redeem
}

/// The kinds of challenges, whatever their names.
package enum ChallengeKind: CaseIterable, Hashable, Sendable {
    case proof
    case device
    case deviceProof
    case password
    case code
    /// There is one kind of code.
    case onlyCodeKind
    case severalCodeKinds
    /// There is one factor that this program can use, and it is no password.
    case onlyFirstFactor
    case severalFirstFactors
    /// There is one factor that this program can use: the password.
    case onlyPassword
    case newPassword
    case setupApp
    case setupAddress
    case severalSetups
    case custom
    /// A passkey, which needs a browser, in place of a factor that this program can use, and that is no password.
    case passkeyOrFactor
    case passkeyOrFactors
    /// A passkey, in place of which there may be the password.
    case passkeyOrPassword
    /// Known not to work here.
    case unanswerable
    /// Unknown, or none that belongs to this flow.
    case foreign
}

package enum SignInEvent: Hashable, Sendable {
    /// The sign-in begins; whether with a password.
    case begin(withPassword: Bool)
    /// The sign-in begins in a browser, without a password.
    case beginInBrowser
    /// There is no sign-in: a forgotten password is replaced, by a user who has proved nothing yet.
    case recover

    // From the person.
    case answered
    case empty
    /// Too long, not text, or not on the menu.
    case unusable
    /// The account's password was entered.
    case password
    /// A repetition that is none.
    case differs
    /// A choice after which the password is needed.
    case chosePassword
    case choseApp
    case choseAddress
    case choseBrowser
    /// The code from a browser belongs to another prompt.
    case ofAnotherPrompt
    /// The code from a browser was truncated.
    case truncated
    /// The identity provider, or Cognito, has told the browser that it refuses.
    case refusedInBrowser
    /// The user is gone.
    case gone

    // From the service.
    case tokens
    /// With the number of attributes that are missing.
    case challenge(ChallengeKind, missing: Int = 0)
    /// The request succeeded: there is a key for the app, a code was sent, or a password was set.
    case granted
    /// The password is right, but was reset: another must be set first.
    case resetRequired
    case wrongAnswer
    /// An app's code that was good once.
    case usedCode
    /// Against the pool's rules for passwords, or no address.
    case notAcceptable
    /// Something about the person that the pool does not take.
    case attributeNotAcceptable
    /// An attribute that the user entered belongs to another user of the pool; with the number of answers that may be
    /// the cause.
    case aliasTaken(missing: Int)
    /// Not looked at, for its rate: it may be sent again.
    case busy
    case expired
    /// The service does not know this host any more, or not so.
    case deviceUnknown
    /// Everything else.
    case refused
}

package enum SignInAction: Hashable, Sendable {
    case ask(Question)
    case send(Request)
    case finish
    /// Ends without a message, because the user is gone.
    case leave
    case fail(SignInEnding)
}

/// Why a sign-in comes to no tokens.
package enum SignInEnding: CaseIterable, Hashable, Sendable {
    /// As the service's refusal says.
    case asRefused
    /// A password that cannot be one.
    case hopelessPassword
    case noAnswer
    /// A question was answered with the password.
    case passwordAsAnswer
    case wrongTooOften
    /// The service would not look at an answer, time and again.
    case tooBusy
    /// No new password that is one.
    case noNewPassword
    case resetCodeTooOften
    /// The code for a new password was too old, and so was the one after it.
    case resetCodeExpired
    case notSupported
    /// A challenge that does not belong to this flow.
    case foreignChallenge
    case tooManyRounds
    case tooLate
    /// The identity provider, or Cognito, has told the browser that it refuses.
    case refusedInBrowser
    /// The event is not possible in this state.
    case outOfPlace
}

/// Notices that a user must see before the next prompt.
package enum Notice: CaseIterable, Hashable, Sendable {
    case nothingEntered
    case unusable
    case wrongCode
    case usedCode
    case differs
    case unfitPassword
    case samePassword
    /// With the service's own words.
    case notAcceptable
    case aliasTaken
    case busy
    case expired
    case passwordReset
    case resetCodeExpired
    /// A code may have been sent. Whether the user exists is not shown.
    case resetCodeSent
    /// A code that is wrong or too old: which of the two is not said.
    case resetCodeUnfit
    case ofAnotherPrompt
    case truncated
    /// A code from a browser that Cognito does not take.
    case browserCodeUnfit
}

/// The event that a sign-in waits for.
package enum Waiting: Hashable, Sendable {
    case start
    case person(Question)
    case service(Request)
    case end
}
