/// What is written to people's terminals while they are logged in, each a line: what happened, what it means, what to do.
package enum TerminalWording {
    /// After a sign-out elsewhere, when the session goes on.
    package static let endedElsewhere: StaticString =
        "Amazon Cognito: you were signed out elsewhere, or may no longer sign in. This session goes on, but its tokens are gone. For new ones: cognito-session sign-in"
    /// The same, when its screen is locked.
    package static let locked: StaticString =
        "Amazon Cognito: you were signed out elsewhere, or may no longer sign in. This session's tokens are gone, and its screen is locked."
    /// The same, when it is ended.
    package static let terminated: StaticString =
        "Amazon Cognito: you were signed out elsewhere, or may no longer sign in. This session ends now."
}
