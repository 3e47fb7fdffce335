#if !hasFeature(Embedded)

/// The texts of `cognito-session` about renewing, signing out and signing in.
extension ToolWording {
    // MARK: Usage

    package static let refreshAbstract = text("Renew the tokens now, even if they have not expired.")
    package static let signOutAbstract = text(
        "Sign out here or on all devices. On a terminal, choose which sessions.")
    package static let signInAbstract = text("Sign in to Cognito in a session that has no tokens.")
    package static let attachAbstract = text("Share another session's tokens with this session by typing a code.")
    package static let optionGive = text(
        "Share this session's tokens with another of your sessions that is waiting for tokens.")
    package static let optionLocal = text("Sign out this session only. Your other sessions stay signed in.")
    package static let optionMachine = text(
        "Sign out all your sessions on this machine. Sessions elsewhere stay signed in.")
    package static let optionGlobal = text("Sign out all your sessions, on all machines and in every application.")
    package static let optionYes = text("Do not ask for confirmation. Without --global, sign out this session only.")
    package static let choiceNeeded = text(
        "sign-out needs a terminal to ask which sessions to sign out. To sign out of this session, use --local. To "
            + "sign out on all devices, use --global.")
    package static let terminalNeeded = text("sign-in needs a terminal for its prompts.")

    package static let statusCancelled = text("The command was cancelled. Nothing was changed.")

    // MARK: Renewing

    package static func renewed(_ life: String) -> String {
        text("Renewed. The access token is valid for \(life).\n")
    }

    // MARK: Handing tokens over

    package static let attachNeedsTerminal = text(
        "attach needs a terminal: one session shows a code, and you type the code in the other session.")
    package static let hasTokens = text(
        "This session already has tokens, so nothing was changed. To use another session's tokens, first run "
            + "'cognito-session sign-out'."
    )
    package static let attachAbsent = text(
        "No tokens were shared, because cognito-agent is not responding. Ask your administrator to start "
            + "pam-cognito-agent.socket.")
    package static let attachCancelled = text("Cancelled: no tokens were shared.")
    package static let attachBroken = text(
        "No tokens were shared: cognito-agent failed, or the tokens could not be put into the session. The "
            + "reason is in the system log."
    )
    package static let attached = text(
        "This session now shares the tokens of your other session. The tokens are removed when the other "
            + "session ends.\n"
    )
    package static let given = text(
        "Your other session now shares the tokens of this session. The tokens are removed when this session ends.\n"
    )
    /// The place of tokens that another session has handed over.
    package static func attachedPlace(ring: Int32, name: String, key: Int32) -> String {
        text(
            "keyring \(ring) (\(name)), key \(key); shared by another of your sessions, and removed when that "
                + "session ends"
        )
    }
    package static let attachedLogout = text(
        "Nothing is revoked: the tokens belong to another of your sessions, and stay valid until that session ends.")
    package static let detached = text(
        "This session no longer has tokens. The tokens belong to another of your sessions, which stays signed in. "
            + "To revoke the tokens, sign out in the session that they belong to.\n"
    )

    // MARK: Locking

    package static let lockAbstract = text("Lock the tokens until you authenticate again (requires lock_tokens).")
    package static let unlockAbstract = text(
        "Unlock all your sessions' tokens on this machine with your Cognito password.")
    package static let optionKeep = text("Keep tokens available to the command while the session's tokens are locked.")
    package static let lockedNow = text(
        "This session's tokens are locked. Unlock the screen with your Cognito password, or run "
            + "'cognito-session unlock'.")
    package static let tokensLocked = text("The tokens of this session are locked.")
    package static let reasonLocked = text(
        "The tokens were locked together with the session's screen, or by 'cognito-session lock'. Locked tokens "
            + "are still renewed.")
    package static let adviceLocked = text(
        "Unlock the screen with your Cognito password, or run 'cognito-session unlock'. If a job needs tokens "
            + "while the session is locked, start the job with 'cognito-session exec --keep'.")
    package static let statusLocked = text("The session's tokens are locked until you authenticate again.")
    package static let locked = text(
        "The tokens are locked: no program in this session can read them. A program that has already read a "
            + "token can use the token until it expires.\n"
    )
    package static let unlocked = text("The tokens of your sessions on this machine are unlocked.\n")
    package static let unlockNeedsTerminal = text("unlock needs a terminal for its prompts.")
    package static let lockAbsent = text(
        "Nothing was changed, because cognito-agent is not responding. Ask your administrator to start "
            + "pam-cognito-agent.socket.")
    package static let lockBroken = text(
        "cognito-agent failed, and the tokens may or may not be locked. To find out whether the tokens are locked, "
            + "run 'cognito-session status'. The reason is in the system log."
    )
    package static let keepAbsent = text(
        "The command was not started: --keep needs cognito-agent, which is not responding. Ask your administrator "
            + "to start pam-cognito-agent.socket.")
    package static let keepBroken = text(
        "The command was not started: cognito-agent failed, or the tokens could not be put into the "
            + "command's keyring. The reason is in the system log."
    )
    package static let unlockCancelled = text("Cancelled: the tokens are still locked.")

    // MARK: Sealed exports

    package static let exportAbstract = text(
        "Export this session's tokens in sealed form for another of your sessions.")
    package static let importAbstract = text("Import tokens into this session from an export on standard input.")
    package static let optionSealed = text(
        "Seal the export, so that only you can import it, and only on this machine (required).")
    package static let optionLasting = text("How long the export stays valid (default 1h).")
    package static let exportIsSealed = text(
        "Nothing was exported: an export must be sealed for your account on this machine. Add the --sealed option.")
    package static let noExport = text(
        "Nothing was imported: standard input does not contain an export from 'cognito-session export'.")
    package static let exportAbsent = text(
        "Nothing was exported, because cognito-agent is not responding. Ask your administrator to start "
            + "pam-cognito-agent.socket.")
    package static let exportBroken = text(
        "Nothing was exported, because cognito-agent failed. The reason is in the system log.")
    package static let importAbsent = text(
        "No tokens were imported, because cognito-agent is not responding. Ask your administrator to start "
            + "pam-cognito-agent.socket.")
    package static let importBroken = text(
        "No tokens were imported: cognito-agent failed, or the tokens could not be put into the session. The "
            + "reason is in the system log."
    )

    // MARK: Signing out

    /// The choice. The one that cannot be taken back stands out.
    package static func signOutMenu(_ grave: (String) -> String) -> String {
        text(
            """
            Sign out of Amazon Cognito

              1  This session only. Your other sessions stay signed in.
              2  This machine. All your sessions on this machine end. Sessions elsewhere stay signed in.
              3  \(grave(text("On ALL devices."))) All your sessions end, on all machines and in all applications. \
            This cannot be undone.
              4  Cancel. Nothing changes.


            """)
    }
    package static let signOutChoice = text("Choice [4]: ")
    package static let signOutConfirmation = text(
        "Sign out on ALL devices and in all applications of the user pool? [y/N]: ")
    /// Whether an answer means yes: in this language, or in English, which programs use.
    package static func isYes(_ answer: String?) -> Bool {
        ["y", "yes", text("y"), text("yes")].contains(answer)
    }
    package static let cancelled = text("Nothing was changed.\n")
    package static let signedOutHere = text(
        "Signed out of this session: its tokens have been removed, and Cognito is revoking them. Your "
            + "other sessions stay signed in.\n")
    package static func signedOutOfMachine(_ count: Int64) -> String {
        plural(
            count,
            one:
                "Signed out of your only session on this machine: its tokens have been removed, and Cognito is "
                + "revoking them. Sessions elsewhere stay signed in.\n",
            other:
                "Signed out of your \(count) sessions on this machine: their tokens have been removed, and Cognito "
                + "is revoking them. Sessions elsewhere stay signed in.\n")
    }
    package static let nothingOnMachine = text(
        "You have no session with Cognito tokens on this machine, so no session was signed out.\n")
    package static func partOfMachine(_ ended: Int64, of all: Int64) -> String {
        text(
            "Signed out of \(ended) of your \(all) sessions on this machine. The other sessions are busy with another "
                + "request. Try again in a minute."
        )
    }
    package static let signedOutEverywhere = text("Signed out on all devices.\n")
    package static let signedOutBefore = text(
        "You were already signed out. The session's remaining tokens have been removed.\n")
    package static let droppedHere = text(
        "The tokens were removed from this session. The tokens will not be revoked until you log out, because "
            + "cognito-agent is not responding.\n"
    )

    /// This session has no sign-in, so that signing out of it is not a failure.
    package static func nothingHere(_ why: String) -> String {
        text("This session has no Cognito tokens, so there was nothing to sign out of. \(why)\n")
    }

    /// The three texts that stand for the three codes.
    package static let invalidSession = text("Invalid or expired session")
    package static func signOutError(_ why: String) -> String {
        text("Error signing out: \(why)")
    }
    package static func nothingEverywhere(_ reason: String, _ advice: String) -> String {
        text(
            "This session has no Cognito tokens, so there was nothing to sign out of. \(reason) \(advice) To sign out "
                + "on your other devices, first sign in with Cognito, then sign out everywhere."
        )
    }
    package static let othersAfterEnd = text(
        "This session had already ended. Your other devices may still be signed in. To sign out on all devices, "
            + "sign in, then sign out everywhere.")
    package static let othersAfterExpiry = text(
        "This session had already expired. Your other devices may still be signed in. To sign out on all devices, "
            + "sign in, then sign out everywhere.")
    package static let userGone = text(
        "Your account no longer exists in Cognito. The session's remaining tokens have been removed.")

    // The rest after "Error signing out: " if this session is signed out and others may not be.
    package static let onlyHerePasswordReset = text(
        "only this session was signed out, because your password was reset. Your other devices may still be signed "
            + "in. To sign out on all devices, set a new password, sign in, then sign out everywhere.")
    package static let onlyHereNotConfirmed = text(
        "only this session was signed out, because your account is not confirmed. Your other devices may still be "
            + "signed in. To sign out on all devices, confirm your account, sign in, then sign out everywhere.")
    package static let onlyHereDisabled = text(
        "only this session was signed out, because your account is disabled. Your other devices may still be "
            + "signed in. Tell your administrator.")
    package static let onlyHereScope = text(
        "only this session was signed out, because the session's tokens do not permit a global sign-out. Your "
            + "other devices may still be signed in. Tell your administrator.")
    package static let onlyHereFirewall = text(
        "only this session was signed out, because the user pool's firewall (AWS WAF) refused the global sign-out. "
            + "Your other devices may still be signed in. Sign in and try again later, or tell your administrator.")
    package static let onlyHereConfiguration = text(
        "only this session was signed out, because this machine's settings do not match the user pool. Your other "
            + "devices may still be signed in. Tell your administrator.")
    package static let onlyHereRefused = text(
        "only this session was signed out, because Cognito refused the global sign-out. Your other devices may "
            + "still be signed in. To sign out on all devices, sign in, then sign out everywhere.")
    package static let onlyHereNotRenewed = text(
        "only this session was signed out, because Cognito did not renew the session's tokens. Your other devices "
            + "may still be signed in. To sign out on all devices, sign in, then sign out everywhere.")
    package static let onlyHereNewerSession = text(
        "only this session was signed out, because you signed in again on this machine in the meantime. Your other "
            + "devices may still be signed in. To sign out on all devices, run 'cognito-session sign-out --global' in "
            + "the new session.")
    package static let onlyHereNotCarriedOut = text(
        "only this session was signed out, because Cognito could not sign out the other sessions at that moment. "
            + "Your other devices may still be signed in. To sign out on all devices, sign in, then sign out "
            + "everywhere.")
    package static let onlyHereOthersUnknown = text(
        "only this session was signed out, because this machine could not list your other sessions. Your other "
            + "devices may still be signed in. To sign out on all devices, sign in, then sign out everywhere.")
    package static let keptAbsent = text(
        "Nothing was changed: cognito-agent, which contacts Cognito, is not responding. To remove only this "
            + "session's tokens, use --local.")
    package static let keptLocked = text(
        "Nothing was changed: cognito-agent could not end this session, and only cognito-agent can remove "
            + "locked tokens. Try again later, or log out.")
    package static let keptUnreachable = text(
        "You are still signed in, because Cognito could not be reached. Try again later, or sign out only "
            + "this session with --local.")
    package static let keptThrottled = text(
        "You are still signed in, because Cognito is receiving too many requests at the moment. Try again in a "
            + "minute, or sign out only this session with --local.")
    package static let keptServiceFault = text(
        "Cognito did not confirm the sign-out: Cognito failed, or another server answered in its place. The "
            + "tokens are kept. Try again later, or sign out only this session with --local.")
    package static let keptBusy = text(
        "Nothing was changed: you have sent too many requests to cognito-agent. Try again in a minute.")
    package static let keptFault = text(
        "Nothing was changed: cognito-agent failed. Your administrator can find the reason in the system log."
    )

    // MARK: Signing in

    package static let signedInAlready = text(
        "This session already has tokens. To renew the tokens, run 'cognito-session refresh'. To sign in again, "
            + "first run 'cognito-session sign-out --local'.")
    package static let signInAbsent = text(
        "sign-in needs cognito-agent, which is not responding. Ask your administrator to start "
            + "pam-cognito-agent.socket.")
    package static let signInBroken = text(
        "cognito-agent stopped before you were signed in. Your administrator can find the reason in the system log.")
    package static let signInCancelled = text("You were not signed in, because a prompt was not answered.")
    package static let noKeyring = text(
        "This session does not have its own keyring, and cognito-session cannot create a keyring for the "
            + "program that started cognito-session. "
            + "Log out, log in again, and try again.")
}

#endif
