#if !hasFeature(Embedded)

/// The texts of `cognito-session` about renewing, signing out and signing in.
extension ToolWording {
    // MARK: Usage

    package static let refreshAbstract = "Renew the tokens now, whatever is left of them."
    package static let signOutAbstract = "Sign out, here or on all devices; on a terminal it asks which."
    package static let signInAbstract = "Sign in to Cognito for a session that has no tokens."
    package static let optionLocal = "This session only: others go on."
    package static let optionGlobal = "All sessions, on all machines, in every application."
    package static let optionYes = "Ask nothing; without --global, this session only."
    package static let choiceNeeded =
        "There is no terminal to ask on: say --local for this session, or --global for all devices."
    package static let terminalNeeded = "Signing in asks questions, and there is no terminal to ask them on."

    package static let statusCancelled = "You cancelled: nothing was changed."

    // MARK: Renewing

    /// After a renewal.
    package static func renewed(_ life: String) -> String {
        "Renewed. The access token lasts \(life).\n"
    }

    // MARK: Signing out

    /// The choice. The one that cannot be taken back stands out.
    package static func signOutMenu(_ grave: (String) -> String) -> String {
        """
        Sign out of Amazon Cognito

          1  On this machine. This session's tokens are revoked; your other sessions go on.
          2  \(grave("On ALL devices.")) Every session of yours ends, on all machines and in every
             application of the user pool. This cannot be taken back.
          3  Cancel. Nothing changes.


        """
    }
    package static let signOutChoice = "Choice [3]: "
    package static let signOutConfirmation = "Sign out on ALL devices, in every application of the user pool? [y/N]: "
    package static let cancelled = "Nothing was changed.\n"
    package static let signedOutHere = "Signed out on this machine.\n"
    package static let signedOutEverywhere = "Signed out on all devices.\n"
    package static let signedOutBefore = "You had been signed out already. What was left here is gone.\n"
    package static let droppedHere =
        "The tokens are gone from this session. cognito-agent does not answer, so Cognito revokes them only at logout.\n"

    /// The three texts that stand for the three codes.
    package static let invalidSession = "Invalid or expired session"
    package static func signOutError(_ why: String) -> String {
        "Error signing out: \(why)"
    }
    package static let keptAbsent =
        "cognito-agent, which is needed to reach Cognito, does not answer. Nothing was changed. With --local the tokens "
        + "go from this session."
    package static let keptUnreachable =
        "Cognito could not be reached, so nobody was signed out, and the tokens are kept. Try again later, or leave only "
        + "this session with --local."
    package static let keptBusy =
        "cognito-agent has too many requests of yours. Nothing was changed; try again in a minute."
    package static let keptFault =
        "cognito-agent could not do it. Nothing was changed; the system's log says why, and your administrator can read it."

    // MARK: Signing in

    package static let signedInAlready =
        "This session has tokens already. To renew them: cognito-session refresh. To sign in anew, sign out before: "
        + "cognito-session sign-out --local"
    package static let signInAbsent =
        "cognito-agent, which is needed to sign in here, does not answer. Ask whoever runs this machine to start it."
    package static let signInBroken =
        "cognito-agent ended before you were signed in. The system's log says why; your administrator can read it."
    package static let signInCancelled = "You were not signed in: an answer was missing."
    package static let noKeyring =
        "This session's keyring is not one of its own, and the program that started this one cannot be given another. "
        + "Log in anew, and try again."
}

#endif
