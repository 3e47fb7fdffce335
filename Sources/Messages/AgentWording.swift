/// Every text of the agent that a person can see, in one place: what happened, what it means, what to do.
package enum AgentWording {
    package static let noSession: Phrase =
        "You have no Cognito session with this token key on this machine. Sign in again."
    package static let notInSession: Phrase =
        """
        This program is outside the session and cannot get the session's tokens. Run the program in the session, or \
        run 'cognito-session attach' here.
        """
    package static let endedElsewhere: Phrase =
        """
        Cognito no longer accepts this session, and the session's tokens have been removed. To sign in again, run \
        'cognito-session sign-in'.
        """
    package static let unreachable: Phrase =
        "Cognito cannot be reached from this machine at the moment. Nothing was changed. Try again later."
    package static let throttled: Phrase =
        "Cognito is receiving too many requests at the moment. Nothing was changed. Try again in a minute."
    package static let serviceFault: Phrase =
        "Cognito could not complete the request. Nothing was changed. Try again later."
    package static let busy: Phrase =
        "You sent too many requests at the same time. Nothing was changed. Try again in a minute."
    package static let malformed: Phrase =
        """
        The request is invalid, because the installed components of pam-cognito do not match each other. Tell your \
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
        "You were not signed in. Your administrator can find the reason in the system log."
    /// To a user who proves that it is them, and has tokens already.
    package static let proofNotAccepted: Phrase =
        "The password or the code was not accepted. Nothing was changed. Try again."
    package static let notCovered: Phrase =
        """
        This account does not sign in with Cognito on this machine. Your administrator decides which accounts sign \
        in with Cognito.
        """
    package static let invalidTokens: Phrase =
        "The session's tokens could not be verified. Log out, sign in again, and tell your administrator."
    package static let noInbox: Phrase =
        "This session does not have its own keyring for the tokens. Log out, log in again, and try again."
    package static let notRecovered: Phrase = "This command did not set a new password."
    package static let notPermitted: Phrase =
        "You are not allowed to make this request on this machine. If you need permission, ask the administrator."
    package static let renewalLost: Phrase =
        """
        This session cannot be renewed and ends when its access token expires. Cognito's response with a new refresh \
        token was lost, or a copy of the old refresh token was used. To sign in again, run 'cognito-session sign-in'.
        """
    package static let notListed: Phrase =
        """
        The user pool does not track sessions, or your list of sessions does not contain the requested session. \
        Nothing was changed.
        """
    package static let noAccount: Phrase =
        """
        Nothing was changed: the user id of this program does not belong to an account on this machine. Run the \
        command from your own login session.
        """
    package static let tooManyCodes: Phrase =
        "Too many codes were requested for this user name. No code was sent. Try again in five minutes."
    package static let credentialRefused: Phrase =
        """
        AWS did not issue credentials, because the identity pool or the role does not allow it. Ask your \
        administrator, who can find AWS's response in the log.
        """
    package static let noSuchCredential: Phrase =
        """
        The requested AWS credentials are not configured on this machine. Ask your administrator to configure them \
        (aws_credentials), or for the names of the configured credentials.
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
        "No tokens were imported: the export is damaged, or was not created for your account on this machine."
    package static let usedUp: Phrase =
        """
        No tokens were imported: the export has already been imported or has expired, or the exporting session has \
        ended.
        """
    package static let cannotSeal: Phrase =
        """
        Nothing was exported, because this machine cannot seal exports. Ask your administrator to run 'systemd-creds \
        setup' as root, and to check the log.
        """
    package static let exportIsOff: Phrase =
        """
        Nothing was exported: this machine does not allow exports, because the administrator has not set \
        export_tokens = yes.
        """
    package static let tooManyExports: Phrase =
        """
        Nothing was exported: too many of your exports are still valid. Import one of the exports, or wait until one \
        expires.
        """

    // MARK: Handing tokens over

    package static let noReceiver: Phrase =
        """
        None of your other sessions on this machine is waiting for tokens. First run 'cognito-session attach' in the \
        other session. The code that this command shows is valid for two minutes.
        """
    package static let wrongCode: Phrase =
        """
        No tokens were shared, because the code does not match any of your waiting sessions. Run 'cognito-session \
        attach' again in the waiting session.
        """
    package static let notHandedOver: Phrase =
        """
        No tokens were shared: the code was not typed in time, the wrong code was typed too many times, or one \
        of the sessions has ended.
        """
    /// To the waiting session, with the code.
    package static let attachCode: Phrase =
        "In the session that has tokens, run 'cognito-session attach --give' and type this code within two minutes: {0}"
    /// To the giving session: the process, its terminal, the program that signed it in, and its address.
    package static let receiver: Phrase =
        "Another of your sessions is waiting for these tokens: process {0}, terminal {1}, signed in by {2}, from {3}."
    package static let unknownPart: Phrase = "(unknown)"
    package static let codeQuestion: Phrase =
        "If the waiting session is yours, type its code. To cancel, press Enter: "
    package static let codeIsWrong: Phrase = "The code does not match any of the waiting sessions."
    package static let attachForbidden: Phrase =
        """
        Tokens can be shared only between sessions of the same user on the same machine. Root, set-uid programs and \
        programs in another container cannot share tokens.
        """
    package static let tooManyOffers: Phrase =
        "Too many of your sessions are waiting for tokens. Cancel one of the requests, or try again in two minutes."
}
