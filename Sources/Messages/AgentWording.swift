/// Every text of the agent that a person can see, in one place: what happened, what it means, what to do.
package enum AgentWording {
    package static let noSession: Phrase =
        "This machine has no Cognito session with that key for you. Sign in again."
    package static let notInSession: Phrase =
        """
        This program is not in that session, so it gets no tokens from it. Run it in the session, or run \
        'cognito-session attach' here.
        """
    package static let endedElsewhere: Phrase =
        """
        Cognito no longer accepts this session, and its tokens are gone. To sign in again, run 'cognito-session \
        sign-in'.
        """
    package static let unreachable: Phrase =
        "Cognito cannot be reached from this machine at the moment. Nothing was changed. Try again later."
    package static let throttled: Phrase =
        "Cognito accepts no more requests at the moment. Nothing was changed. Try again in a minute."
    package static let serviceFault: Phrase =
        "Cognito could not carry out the request at the moment. Nothing was changed. Try again later."
    package static let busy: Phrase =
        "Too many of your requests came at the same time. Nothing was changed. Try again in a minute."
    package static let malformed: Phrase =
        """
        The request was not understood: the installed parts of pam-cognito do not fit together. Tell your \
        administrator.
        """
    /// After a text that says why.
    package static let notSignedIn: Phrase = "You were not signed in."
    /// Said without an earlier message, after wrong answers.
    package static let notAccepted: Phrase =
        """
        You were not signed in: the password or the code was not accepted. Try again. If you have forgotten the \
        password, run 'cognito-session forgot-password'.
        """
    /// Said without an earlier message, for another reason.
    package static let notSignedInUntold: Phrase =
        "You were not signed in. Your administrator can read the reason in the system log."
    /// To a user who proves that it is them, and has tokens already.
    package static let proofNotAccepted: Phrase =
        "The password or the code was not accepted. Nothing was changed. Try again."
    package static let notCovered: Phrase =
        "This account does not sign in with Cognito on this machine. Your administrator decides which accounts do."
    package static let invalidTokens: Phrase =
        "The session's tokens could not be verified. Log out, sign in again, and tell your administrator."
    package static let noInbox: Phrase =
        "This session has no keyring of your own for the tokens. Log out, log in again, and try again."
    package static let notRecovered: Phrase = "No new password was set by this command."
    package static let notPermitted: Phrase =
        "You may not do this on this machine. If you should, ask the administrator."
    package static let renewalLost: Phrase =
        """
        This session can no longer be renewed, and ends when its access token expires. Cognito's answer with a new \
        refresh token was lost, or a copy of the old one was used. To sign in again, run 'cognito-session \
        sign-in'.
        """
    package static let notListed: Phrase =
        "The user pool does not keep a list of your sessions, or that session is not in the list. Nothing was changed."
    package static let noAccount: Phrase =
        """
        Nothing was done, because this program's user id does not belong to an account of this machine. Run the \
        command from your own login.
        """
    package static let tooManyCodes: Phrase =
        "Too many codes were requested for that name. Nothing was sent. Try again in five minutes."
    package static let credentialRefused: Phrase =
        """
        AWS refused the credentials: the identity pool or the role does not allow them. Ask your administrator; \
        the log has AWS's answer.
        """
    package static let noSuchCredential: Phrase =
        """
        This machine's settings have no credentials of that name. Ask your administrator for the names \
        (aws_credentials).
        """

    // MARK: Locking

    package static let locked: Phrase =
        """
        This session's tokens are locked. Unlock the screen with your Cognito password, or run 'cognito-session \
        unlock'.
        """
    package static let lockingIsOff: Phrase =
        """
        Nothing was changed: tokens cannot be locked on this machine, because the administrator has not set \
        lock_tokens = yes.
        """

    // MARK: Sealed exports

    package static let notTheirs: Phrase =
        "No tokens were imported: the export was not made on this machine for your account, or it is damaged."
    package static let usedUp: Phrase =
        "No tokens were imported: the export was imported before, has expired, or its session has ended."
    package static let cannotSeal: Phrase =
        """
        Nothing was exported, because this machine cannot seal exports. The administrator can run 'systemd-creds \
        setup' as root and read the log.
        """
    package static let exportIsOff: Phrase =
        """
        Nothing was exported: this machine does not allow exports, because the administrator has not set \
        export_tokens = yes.
        """
    package static let tooManyExports: Phrase =
        "Nothing was exported: too many of your exports are still valid. Import one of them, or wait until one expires."

    // MARK: Handing tokens over

    package static let noReceiver: Phrase =
        """
        None of your other sessions on this machine is waiting for tokens. First run 'cognito-session attach' \
        there. Its code is valid for two minutes.
        """
    package static let wrongCode: Phrase =
        """
        Nothing was handed over, because none of your waiting sessions has that code. Start again there with \
        'cognito-session attach'.
        """
    package static let notHandedOver: Phrase =
        """
        No tokens were handed over: the code was not typed in time, it was wrong too often, or one of the two \
        sessions has ended.
        """
    /// To the waiting session, with the code.
    package static let attachCode: Phrase =
        "Where you are signed in, run 'cognito-session attach --give' and type this code within two minutes: {0}"
    /// To the giving session: the process, its terminal, the program that signed it in, and its address.
    package static let receiver: Phrase =
        "Another of your sessions waits for these tokens: process {0}, terminal {1}, signed in by {2}, from {3}."
    package static let unknownPart: Phrase = "(unknown)"
    package static let codeQuestion: Phrase =
        "Type its code if that session is yours, or press Enter to cancel: "
    package static let codeIsWrong: Phrase = "None of the waiting sessions has that code."
    package static let attachForbidden: Phrase =
        """
        Tokens can be handed over only between programs of one user on one machine. Root, set-uid programs and \
        programs in another container cannot take part.
        """
    package static let tooManyOffers: Phrase =
        "Too many of your sessions already wait for tokens. Cancel some of them, or try again in two minutes."
}
