/// The messages on users' terminals during a session, one line each: what happened, what it means, what to do.
package enum TerminalWording {
    /// After a sign-out elsewhere, when the session goes on.
    package static let endedElsewhere: Phrase =
        """
        Amazon Cognito: you were signed out elsewhere, or are no longer allowed to sign in. This session stays open, \
        but its tokens have been removed. To sign in again: cognito-session sign-in
        """
    /// The same, when its screen is locked.
    package static let endedElsewhereLocked: Phrase =
        """
        Amazon Cognito: you were signed out elsewhere, or are no longer allowed to sign in. This session's tokens have \
        been removed, and its screen is locked.
        """
    /// The same, when it is ended.
    package static let endedElsewhereTerminated: Phrase =
        "Amazon Cognito: you were signed out elsewhere, or are no longer allowed to sign in. This session ends now."

    /// After its user has ended the session from another one (`cognito-session sessions --everywhere --end`), when it
    /// goes on.
    package static let endedByOther: Phrase =
        """
        Amazon Cognito: you used another of your sessions to sign out this session. This session stays open, but its \
        tokens have been removed. To sign in again: cognito-session sign-in
        """
    /// The same, when its screen is locked.
    package static let endedByOtherLocked: Phrase =
        """
        Amazon Cognito: you used another of your sessions to sign out this session. This session's tokens have been \
        removed, and its screen is locked.
        """
    /// The same, when it is ended.
    package static let endedByOtherTerminated: Phrase =
        "Amazon Cognito: you used another of your sessions to sign out this session. This session ends now."

    /// When the refresh token has run out by itself, and the session goes on.
    package static let ranOut: Phrase =
        """
        Amazon Cognito: this sign-in has expired. This session stays open, but its tokens have been removed. To sign \
        in again: cognito-session sign-in
        """
    /// The same, when its screen is locked.
    package static let ranOutLocked: Phrase =
        "Amazon Cognito: this sign-in has expired. This session's tokens have been removed, and its screen is locked."
    /// The same, when it is ended.
    package static let ranOutTerminated: Phrase =
        "Amazon Cognito: this sign-in has expired. This session ends now."
    private static let endsInHours: Phrase =
        """
        Amazon Cognito: this session's tokens expire in {0} hours and cannot be renewed after that. To sign in again: \
        cognito-session sign-out --local, then cognito-session sign-in
        """
    private static let endsInMinutes: Phrase =
        """
        Amazon Cognito: this session's tokens expire in {0} min and cannot be renewed after that. To sign in again: \
        cognito-session sign-out --local, then cognito-session sign-in
        """

    /// Before that, in so many seconds: the phrase, and the number for it.
    package static func endsSoon(in seconds: Int64) -> (phrase: Phrase, count: Int64) {
        seconds >= 2 * 3600 ? (endsInHours, seconds / 3600) : (endsInMinutes, max(1, seconds / 60))
    }

    /// After the pool's limit of sessions has ended this one. It goes on, whatever `on_revoked` says.
    package static let sessionLimit: Phrase =
        """
        Amazon Cognito: the user pool's session limit was reached, and a newer sign-in has ended this session. This \
        session stays open, but its tokens have been removed. To sign in again: cognito-session sign-in
        """
    /// After the one or the other, when nothing tells which.
    package static let endedUnclear: Phrase =
        """
        Amazon Cognito: you were signed out elsewhere, or you have more sessions than the user pool allows. This \
        session stays open, but its tokens have been removed. To sign in again: cognito-session sign-in
        """

    /// Two minutes before an idle session loses its tokens.
    package static let idleSoon: Phrase =
        """
        Amazon Cognito: nothing has been typed here for a long time. You will be signed out of this session in two \
        minutes, unless you press Enter.
        """
    /// The same, when its screen is locked then.
    package static let idleSoonLocked: Phrase =
        """
        Amazon Cognito: nothing has been typed here for a long time. In two minutes, you will be signed out of this \
        session and its screen will be locked, unless you press Enter.
        """
    /// The same, when it is ended then.
    package static let idleSoonTerminated: Phrase =
        """
        Amazon Cognito: nothing has been typed here for a long time. This session ends in two minutes, unless you \
        press Enter.
        """
    /// When it has lost them, and goes on.
    package static let idle: Phrase =
        """
        Amazon Cognito: nothing has been typed here for a long time, so you were signed out. This session stays open \
        without tokens. To sign in again: cognito-session sign-in
        """
    /// The same, when its screen is locked.
    package static let idleLocked: Phrase =
        "Amazon Cognito: nothing has been typed here for a long time, so you were signed out and the screen is locked."
    /// The same, when it is ended.
    package static let idleTerminated: Phrase =
        "Amazon Cognito: nothing has been typed here for a long time. This session ends now."
}
