#if !hasFeature(Embedded)

/// The texts of `cognito-session` about renewing, signing out and signing in.
extension ToolWording {
    // MARK: Usage

    package static let refreshAbstract = text("Renew the tokens now, whatever is left of them.")
    package static let signOutAbstract = text("Sign out, here or on all devices; on a terminal it asks which.")
    package static let signInAbstract = text("Sign in to Cognito for a session that has no tokens.")
    package static let attachAbstract = text("Have the tokens of another session of yours here, too, by a code.")
    package static let optionGive = text("Give this session's tokens to one of yours that waits with attach.")
    package static let optionLocal = text("This session only: others go on.")
    package static let optionMachine = text("All of your sessions on this machine: others go on.")
    package static let optionGlobal = text("All sessions, on all machines, in every application.")
    package static let optionYes = text("Ask nothing; without --global, this session only.")
    package static let choiceNeeded = text(
        "There is no terminal to ask on: say --local for this session, or --global for all devices.")
    package static let terminalNeeded = text("Signing in asks questions, and there is no terminal to ask them on.")

    package static let statusCancelled = text("You cancelled: nothing was changed.")

    // MARK: Renewing

    package static func renewed(_ life: String) -> String {
        text("Renewed. The access token lasts \(life).\n")
    }

    // MARK: Handing tokens over

    package static let attachNeedsTerminal = text(
        "A code is shown in one session and typed in the other: there is no terminal for it here.")
    package static let hasTokens = text(
        "Nothing was done: this session has tokens already. Without them (cognito-session sign-out), it can have another's."
    )
    package static let attachAbsent = text(
        "No tokens were handed over: cognito-agent does not answer. Ask whoever runs this machine to start it "
            + "(pam-cognito-agent.socket).")
    package static let attachCancelled = text("You cancelled: no tokens were handed over.")
    package static let attachBroken = text(
        "No tokens were handed over: cognito-agent failed, or they could not be put into the session. The system's log says why."
    )
    package static let attached = text(
        "This session has the tokens of your other session now: they are renewed with that one's, and gone when that one ends.\n"
    )
    package static let given = text(
        "Your other session has the tokens of this one now: they are renewed with these, and gone when this session ends.\n"
    )
    /// Where the tokens are that another session has handed over.
    package static func attachedPlace(ring: Int32, name: String, key: Int32) -> String {
        text(
            "keyring \(ring) (\(name)), key \(key); another session of yours has handed them over, and they are gone when that one ends"
        )
    }
    package static let attachedLogout = text(
        "Nothing: another session of yours has these tokens, and they go on until that one ends.")
    package static let detached = text(
        "This session has no tokens any more. They are another session's of yours, which goes on: sign out there to end them.\n"
    )

    // MARK: Locking

    package static let lockAbstract = text("Lock the tokens now, until you prove who you are (lock_tokens).")
    package static let unlockAbstract = text(
        "Unlock the tokens of all of your sessions here, by your Cognito password.")
    package static let optionKeep = text("Let the command have tokens also while the session's are locked.")
    package static let lockedNow = text(
        "This session's tokens are locked, as its screen is or was. Unlock the screen with your Cognito password, or run "
            + "cognito-session unlock.")
    package static let tokensLocked = text("The tokens of this session are locked.")
    package static let reasonLocked = text(
        "They were locked with the session's screen, or by cognito-session lock, and are renewed meanwhile.")
    package static let adviceLocked = text(
        "Unlock the screen with your Cognito password, or run cognito-session unlock. Jobs that need tokens meanwhile are "
            + "started with cognito-session exec --keep.")
    package static let statusLocked = text("The session's tokens are locked until you prove who you are.")
    package static let locked = text(
        "The tokens are locked: no program of this session can read them. Tokens that a program has read already are good until they "
            + "end.\n"
    )
    package static let unlocked = text("The tokens of your sessions on this machine are unlocked.\n")
    package static let unlockNeedsTerminal = text("Unlocking asks questions, and there is no terminal to ask them on.")
    package static let lockAbsent = text(
        "Nothing was changed: cognito-agent does not answer. Ask whoever runs this machine to start it "
            + "(pam-cognito-agent.socket).")
    package static let lockBroken = text(
        "cognito-agent failed, and nothing is known of what it has done: cognito-session status shows it. The system's log says why."
    )
    package static let keepAbsent = text(
        "The command was not started: cognito-agent does not answer, which gives it tokens of its own. Ask whoever runs this "
            + "machine to start it (pam-cognito-agent.socket).")
    package static let keepBroken = text(
        "The command was not started: cognito-agent failed, or its tokens could not be put into its keyring. The system's log says why."
    )
    package static let unlockCancelled = text("You cancelled: what was locked is.")

    // MARK: Sealed exports

    package static let exportAbstract = text("Seal this session's tokens into a file for another session of yours.")
    package static let importAbstract = text("Have the tokens here that an export on standard input leads to.")
    package static let optionSealed = text("Sealed to this machine and to you: there is no other form.")
    package static let optionLasting = text("For how long the export is good; 1h unless said.")
    package static let exportIsSealed = text(
        "Nothing was exported: what leaves the kernel is sealed to this machine and to you. Say so: export --sealed.")
    package static let noExport = text("Nothing was imported: on standard input is no export of cognito-session's.")
    package static let exportAbsent = text(
        "Nothing was exported: cognito-agent does not answer. Ask whoever runs this machine to start it "
            + "(pam-cognito-agent.socket).")
    package static let exportBroken = text("Nothing was exported: cognito-agent failed. The system's log says why.")
    package static let importAbsent = text(
        "No tokens were imported: cognito-agent does not answer. Ask whoever runs this machine to start it "
            + "(pam-cognito-agent.socket).")
    package static let importBroken = text(
        "No tokens were imported: cognito-agent failed, or they could not be put into the session. The system's log says why."
    )

    // MARK: Signing out

    /// The choice. The one that cannot be taken back stands out.
    package static func signOutMenu(_ grave: (String) -> String) -> String {
        text(
            """
            Sign out of Amazon Cognito

              1  This session only. Your other sessions go on.
              2  This machine. All of your sessions here end; those on other machines go on.
              3  \(grave(text("On ALL devices."))) Every session ends, on all machines and in all applications. This cannot be taken back.
              4  Cancel. Nothing changes.


            """)
    }
    package static let signOutChoice = text("Choice [4]: ")
    package static let signOutConfirmation = text(
        "Sign out on ALL devices, in every application of the user pool? [y/N]: ")
    /// What counts as yes: also what it is in English, as programs say it.
    package static func isYes(_ answer: String?) -> Bool {
        ["y", "yes", text("y"), text("yes")].contains(answer)
    }
    package static let cancelled = text("Nothing was changed.\n")
    package static let signedOutHere = text(
        "Signed out of this session: its tokens are gone from here, and Cognito is being told to revoke them. Your other "
            + "sessions go on.\n")
    package static func signedOutOfMachine(_ count: Int64) -> String {
        plural(
            count,
            one: """
                Signed out of your only session on this machine: its tokens are gone from here, and Cognito is being told to revoke \
                them. Sessions elsewhere go on.

                """,
            other: """
                Signed out of your \(count) sessions on this machine: their tokens are gone from here, and Cognito is being told to \
                revoke them. Sessions elsewhere go on.

                """)
    }
    package static let nothingOnMachine = text(
        "You have no session with Cognito tokens on this machine, so nothing was signed out.\n")
    package static func partOfMachine(_ ended: Int64, of all: Int64) -> String {
        text(
            "\(ended) of your \(all) sessions on this machine are signed out, the others not, since other requests about them take too long. Try again in a minute."
        )
    }
    package static let signedOutEverywhere = text("Signed out on all devices.\n")
    package static let signedOutBefore = text("You had been signed out already. What was left here is gone.\n")
    package static let droppedHere = text(
        "The tokens are gone from this session. cognito-agent does not answer, so Cognito revokes them only at logout.\n"
    )

    /// Nobody is signed in by this session, so that signing out of it is no failure.
    package static func nothingHere(_ why: String) -> String {
        text("There are no Cognito tokens in this session, so nothing was signed out. \(why)\n")
    }

    /// The three texts that stand for the three codes.
    package static let invalidSession = text("Invalid or expired session")
    package static func signOutError(_ why: String) -> String {
        text("Error signing out: \(why)")
    }
    package static func nothingEverywhere(_ reason: String, _ advice: String) -> String {
        text(
            "There is no Cognito session here, so nothing was signed out. \(reason) \(advice) To sign out your other devices, sign in with Cognito first, then sign out everywhere."
        )
    }
    package static let othersAfterEnd = text(
        "This session had been ended before. Your other devices may still be signed in: sign in, then sign out "
            + "everywhere.")
    package static let othersAfterExpiry = text(
        "This session had expired. Your other devices may still be signed in: sign in, then sign out everywhere.")
    package static let userGone = text(
        "Cognito no longer knows your account. What was left of this session is gone.")

    // What is behind "Error signing out: " where this session is signed out and others may not be.
    package static let onlyHerePasswordReset = text(
        "only this session was signed out, since your password was reset. Your other devices may still be signed in: "
            + "set a new password, sign in, then sign out everywhere.")
    package static let onlyHereNotConfirmed = text(
        "only this session was signed out, since your account is not confirmed. Your other devices may still be signed "
            + "in: confirm it, sign in, then sign out everywhere.")
    package static let onlyHereDisabled = text(
        "only this session was signed out, since your account is disabled. Your other devices may still be signed in: "
            + "tell your administrator.")
    package static let onlyHereScope = text(
        "only this session was signed out, since its tokens do not allow more. Your other devices may still be signed "
            + "in: tell your administrator.")
    package static let onlyHereFirewall = text(
        "only this session was signed out, since the user pool's firewall refused more. Your other devices may still be "
            + "signed in: sign in and try again later, or tell your administrator.")
    package static let onlyHereConfiguration = text(
        "only this session was signed out, since this machine's settings do not fit the user pool. Your other devices "
            + "may still be signed in: tell your administrator.")
    package static let onlyHereRefused = text(
        "only this session was signed out, since Cognito refused more. Your other devices may still be signed in: sign "
            + "in, then sign out everywhere.")
    package static let onlyHereNotRenewed = text(
        "only this session was signed out, since Cognito did not renew its tokens for more. Your other devices may "
            + "still be signed in: sign in, then sign out everywhere.")
    package static let onlyHereNewerSession = text(
        "only this session was signed out, since you have signed in here again meanwhile. Your other devices may still "
            + "be signed in: sign out everywhere from the new session.")
    package static let onlyHereNotCarriedOut = text(
        "only this session was signed out, since Cognito did not carry out more just then. Your other devices may still "
            + "be signed in: sign in, then sign out everywhere.")
    package static let onlyHereOthersUnknown = text(
        "only this session was signed out, since this machine could not find out which others you have here. Your other "
            + "devices may still be signed in: sign in, then sign out everywhere.")
    package static let keptAbsent = text(
        "cognito-agent, which is needed to reach Cognito, does not answer. Nothing was changed. With --local the tokens "
            + "go from this session.")
    package static let keptLocked = text(
        "cognito-agent could not end this session, and its locked tokens cannot be taken out of it otherwise. Nothing was changed. "
            + "Try again later, or log out.")
    package static let keptUnreachable = text(
        "Cognito could not be reached, so nobody was signed out, and the tokens are kept. Try again later, or leave only "
            + "this session with --local.")
    package static let keptThrottled = text(
        "Cognito takes no more requests at the moment, so nobody was signed out, and the tokens are kept. Try again in a "
            + "minute, or leave only this session with --local.")
    package static let keptServiceFault = text(
        "Cognito did not say that you are signed out: it failed, or what answered was not Cognito. The tokens are kept. "
            + "Try again later, or leave only this session with --local.")
    package static let keptBusy = text(
        "cognito-agent has too many requests of yours. Nothing was changed; try again in a minute.")
    package static let keptFault = text(
        "cognito-agent could not do it. Nothing was changed; the system's log says why, and your administrator can read it."
    )

    // MARK: Signing in

    package static let signedInAlready = text(
        "This session has tokens already. To renew them: cognito-session refresh. To sign in anew, sign out before: "
            + "cognito-session sign-out --local")
    package static let signInAbsent = text(
        "cognito-agent, which is needed to sign in here, does not answer. Ask whoever runs this machine to start it.")
    package static let signInBroken = text(
        "cognito-agent ended before you were signed in. The system's log says why; your administrator can read it.")
    package static let signInCancelled = text("You were not signed in: an answer was missing.")
    package static let noKeyring = text(
        "This session's keyring is not one of its own, and the program that started this one cannot be given another. "
            + "Log in anew, and try again.")
}

#endif
