/// Every text of the agent that a person can see, in one place: what happened, what it means, what to do.
package enum AgentWording {
    package static let noSession: Phrase =
        "This machine knows no Cognito session of yours with that key. Sign in again."
    package static let notInSession: Phrase =
        "This program is not in that session, so it gets nothing from it. Run it in the session itself, or run cognito-session attach here."
    package static let endedElsewhere: Phrase =
        "Cognito no longer accepts this session, and its tokens are gone. Run cognito-session sign-in to sign in again."
    package static let unreachable: Phrase =
        "Cognito cannot be reached from this machine at the moment. Nothing was changed; try again later."
    package static let throttled: Phrase =
        "Cognito takes no more requests at the moment. Nothing was changed; try again in a minute."
    package static let serviceFault: Phrase =
        "Cognito could not do it at the moment. Nothing was changed; try again later."
    package static let busy: Phrase =
        "Too many requests of yours at once. Nothing was changed; try again in a minute."
    package static let malformed: Phrase =
        "The request was not understood. The parts of pam-cognito on this machine do not fit together; tell your administrator."
    /// After a text that says why.
    package static let notSignedIn: Phrase = "You were not signed in."
    /// Where there was none, after answers that were wrong.
    package static let notAccepted: Phrase =
        "You were not signed in: the password or the code was not accepted. Try again. If you have forgotten the password, run cognito-session forgot-password."
    /// Where there was none, for another reason.
    package static let notSignedInUntold: Phrase =
        "You were not signed in. The system's log says why; your administrator can read it."
    /// To a user who proves that it is them, and has tokens already.
    package static let proofNotAccepted: Phrase =
        "The password or the code was not accepted. Nothing was changed; try again."
    package static let notCovered: Phrase =
        "This account does not sign in with Cognito on this machine. Your administrator decides which do."
    package static let invalidTokens: Phrase =
        "The session's tokens do not stand up to verification. Log out, sign in again, and tell your administrator."
    package static let noInbox: Phrase =
        "This session has no keyring of yours that tokens could be put into. Log in anew, and try again."
    package static let notRecovered: Phrase = "No new password was set here."
    package static let notPermitted: Phrase =
        "You may not do this on this machine. If you should, ask its administrator."
    package static let renewalLost: Phrase =
        "This session can no longer be renewed: Cognito's answer with its newest refresh token got lost, or a copy of the old one was used. It ends with its access token. Run cognito-session sign-in to sign in again."
    package static let notListed: Phrase =
        "The user pool keeps no list of your sessions, or that session is not in it. Nothing was changed."
    package static let noAccount: Phrase =
        "Nothing was done: this program's user id is no account of this machine. Ask from a login of yours."
    package static let tooManyCodes: Phrase =
        "Too many codes were asked for with that name lately. Nothing was sent; try again in five minutes."
    package static let credentialRefused: Phrase =
        "AWS gives you no such credentials: the identity pool or the role does not allow it. Ask your administrator; the log says what AWS said."
    package static let noSuchCredential: Phrase =
        "This machine's settings have no credentials of that name. Ask its administrator which there are (aws_credentials)."

    // MARK: Locking

    package static let locked: Phrase =
        "This session's tokens are locked, as its screen is or was. Unlock the screen with your Cognito password, or run cognito-session unlock."
    package static let lockingIsOff: Phrase =
        "Tokens are not locked on this machine: its administrator has not set lock_tokens = yes. Nothing was changed."

    // MARK: Sealed exports

    package static let notTheirs: Phrase =
        "That is no export of yours: it was not made on this machine for your account, or it is damaged. No tokens were imported."
    package static let usedUp: Phrase =
        "That export is of no use any more: it was imported before, its time is over, or its session has ended. No tokens were imported."
    package static let cannotSeal: Phrase =
        "This machine cannot seal anything; nothing was exported. Its administrator can run systemd-creds setup as root, and look into its log."
    package static let exportIsOff: Phrase =
        "Tokens are not exported on this machine: its administrator has not set export_tokens = yes. Nothing was exported."
    package static let tooManyExports: Phrase =
        "Too many exports of yours are good still. Import one of them, or wait until one ends; nothing was exported."

    // MARK: Handing tokens over

    package static let noReceiver: Phrase =
        "No other session of yours on this machine waits for tokens. Run cognito-session attach there first: its code is good for two minutes."
    package static let wrongCode: Phrase =
        "No session of yours that waits has that code. Nothing was handed over; begin again there with cognito-session attach."
    package static let notHandedOver: Phrase =
        "No tokens were handed over: the code was not typed in time or was wrong too often, or one of the two sessions has gone."
    /// To whoever waits, with the code.
    package static let attachCode: Phrase =
        "Where you are signed in, run cognito-session attach --give, and type this code within two minutes: {0}"
    /// To whoever gives: the process, its terminal, and what it was signed in by, and from where.
    package static let receiver: Phrase =
        "A session of yours waits for these tokens: process {0}, terminal {1}, signed in by {2}, from {3}."
    package static let unknownPart: Phrase = "(unknown)"
    package static let codeQuestion: Phrase =
        "Its code, if it is you who waits there; nothing to cancel: "
    package static let codeIsWrong: Phrase = "None of them has that code."
    package static let attachForbidden: Phrase =
        "Tokens are handed over between programs that run as one person, and on the machine itself: not by set-uid programs, nor into or out of a container."
    package static let tooManyOffers: Phrase =
        "Too many sessions of yours wait for tokens already. Cancel those, or try again in two minutes."
}
