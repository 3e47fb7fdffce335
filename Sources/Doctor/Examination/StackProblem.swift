/// What is wrong with a service's stacks.
enum StackProblem: Hashable {
    case unreadable(Place, String)
    /// A module of others is not there; how bad what follows from it is.
    case missesModule(Place, String, Severity)
    /// Somebody gets in who has not proved anything.
    case letsAnybodyIn
    /// This machine's password opens an account although Cognito refused the person.
    case overridesRefusal
    /// Whoever starts the program with too little memory for the module gets by without it.
    case opensUnloaded(Facility)
    /// Local accounts or root stay out.
    case locksLocalOut(Facility, Condition)
    case locksCognitoOut(Facility)
    /// pam_setcred(3) fails, which sshd and others take for a failed login.
    case refusesCredentials
    case ignoresLockout
    case checksLockoutLate
    case countsNoFailures
    case countsOutages
    case neverForgetsFailures
    case countsInFiles
    case letsExpiredIn(isSkipped: Bool)
    /// Cognito's accounts stay out whose entry in shadow(5) wants a new password, which they do not have here.
    case keepsAgedOut
    case skipsNologin
    case acceptsKeys
    case hasNoAuth
    case hasNoSession
    case hasNoAccount
    case hasNoPassword
    case cutsShort(Facility)
    case losesKeyring(Place)
    case hasNoKeyring
    case keepsKeyring(Place)
    case ignoresUndelivered
    case changesNoPassword
    /// A module that asks for a new password does so before Cognito's own question for one.
    case asksForNewFirst(String)
    case isTwice(Facility)
    case badArgument(Place, Facility, String)
    case usesOtherFile(String)
    /// The file that `config=` names is not read, or has a mistake.
    case badFile(Place, Facility, Finding)

    /// How bad it is.
    var severity: Severity {
        row.severity
    }

    /// Whether there is something to be done about it though it is a note.
    var isMendable: Bool {
        if case .asksForNewFirst = self {
            return true
        }
        return false
    }

    /// How bad each is, what it is, and why it matters.
    var row: (severity: Severity, what: String, why: String) {
        switch self {
        case .unreadable(let place, let problem):
            (
                .broken, "\(place.path), line \(place.line), cannot be read: \(problem).",
                "libpam lets whatever meets such a line fail: nobody may come in, root neither."
            )
        case .missesModule(let place, let module, let severity):
            (
                severity, "\(module) (\(place.path), line \(place.line)) is not on this machine.",
                (severity == .note)
                    ? "libpam passes over it, and logs that at every sign-in."
                    : "libpam takes that for a failure, and people are kept out, or let in, by that alone; it "
                        + "is none of ours."
            )
        case .letsAnybodyIn:
            (
                .broken, "the auth lines let people in with a wrong password, or without Cognito's yes.",
                "What one module refused, a later line accepts: whoever knows an account's name is that person."
            )
        case .opensUnloaded(let facility):
            facility == .account
                ? (
                    .warning, "if pam_cognito.so cannot be loaded, the account lines go on without it.",
                    "Users can start sudo with too little memory for it. Then NOPASSWD commands run, in spite of "
                        + "key_logins = refuse."
                )
                : (
                    .warning, "if pam_cognito.so cannot be loaded, local passwords decide.",
                    "Users can start su or sudo with too little memory for it. Then Cognito is not asked, and failures do "
                        + "not count."
                )
        case .overridesRefusal:
            (
                .broken, "an account that Cognito refuses gets in with a local password.",
                "Whoever was disabled at Cognito, or fails its second factor, still comes in; after "
                    + "pam_cognito, \"sufficient\" or \"default=ignore\" does that."
            )
        case .locksLocalOut(let facility, let condition): Self.locksLocalOut(facility, condition)
        case .locksCognitoOut(let facility):
            (
                .broken,
                "Cognito's accounts cannot sign in: the \(facility.rawValue) lines fail although Cognito "
                    + "says yes.",
                "A success of pam_cognito must end in a success: the number of lines that it jumps over, "
                    + "or what stands behind it, is wrong."
            )
        case .refusesCredentials:
            (
                .broken, "setting credentials (pam_setcred) fails after a good sign-in.",
                "sshd closes the connection then, after keyboard-interactive and after a key: in its "
                    + "process the auth lines are gone through anew, without anybody having typed anything."
            )
        case .ignoresLockout:
            (
                .warning, "pam_faillock's lock does not hold.",
                "Who has failed too often gets in with the next guess all the same."
            )
        case .checksLockoutLate:
            (
                .warning, "Cognito is asked before pam_faillock has looked, or although it said no.",
                "Every guess still reaches Cognito, which locks the person out everywhere; \"requisite "
                    + "pam_faillock.so preauth\" belongs before pam_cognito."
            )
        case .countsNoFailures:
            (
                .warning, "pam_faillock is there and counts no failure of Cognito's accounts.",
                "Guessing is never slowed down here; \"pam_faillock.so authfail\" must be on the way of a refusal."
            )
        case .countsOutages:
            (
                .warning, "pam_faillock counts a failure while Cognito cannot be reached.",
                "An hour without network locks people out; \"authinfo_unavail\" and \"cred_unavail\" "
                    + "must lead past \"pam_faillock.so authfail\"."
            )
        case .neverForgetsFailures:
            (
                .warning, "a good sign-in does not make pam_faillock forget earlier failures.",
                "A slip now and then adds up, until somebody is locked out who knows the password."
            )
        case .countsInFiles:
            (
                .warning, "pam_faillock counts failures in files that the caller of su may come to write.",
                "Whoever does keeps others out, or forgets their own failures; and where such a file "
                    + "cannot be opened, local accounts stay out. pam_cognito counts by itself (max_failures)."
            )
        case .letsExpiredIn(let isSkipped):
            (
                isSkipped ? .broken : .warning, "accounts that have expired on this machine get in.",
                isSkipped
                    ? "The account lines end before pam_unix has looked; pam_cognito must not be "
                        + "\"sufficient\" there, nor \"done\"."
                    : "No account line asks pam_unix; it looks at chage(1)'s dates and at locked accounts."
            )
        case .keepsAgedOut:
            (
                .warning, "Cognito's accounts are refused once their entry in /etc/shadow has aged.",
                "They have no password on this machine that they could change; the account lines lack "
                    + "\"no_pass_expiry\"."
            )
        case .skipsNologin:
            (
                .broken, "people get in although /etc/nologin is there.",
                "The lines end before pam_nologin has looked; pam_cognito must not be \"sufficient\" "
                    + "there, nor \"done\"."
            )
        case .acceptsKeys:
            (
                .broken, "key_logins = refuse has no effect.",
                "Cognito's accounts come in with an ssh key all the same; pam_cognito must stand in the "
                    + "account lines, and its refusal must end them."
            )
        case .hasNoAuth:
            (
                .broken, "pam_cognito stands in other lines, and in no auth line.",
                "Passwords are asked for, and Cognito's accounts are refused with theirs."
            )
        case .hasNoSession:
            (
                .broken, "no session line reaches pam_cognito.",
                "People sign in and get no tokens; what Cognito gave is revoked when the program has "
                    + "ended. If it begins no session, say so: session=never behind pam_cognito.so."
            )
        case .hasNoAccount: (.note, "no account line has pam_cognito.", "key_logins would have no effect there.")
        case .hasNoPassword:
            (
                .warning, "pam_cognito is not in the password lines.",
                "Cognito's accounts cannot change their password with passwd(1)."
            )
        case .cutsShort(let facility):
            (
                .warning, "the \(facility.rawValue) lines behind pam_cognito are skipped.",
                "\"sufficient\" or \"done\" ends them: no limits, no login session of systemd, none of "
                    + "what else stands there."
            )
        case .losesKeyring(let place):
            (
                .warning, "pam_keyinit (\(place.path), line \(place.line)) comes after pam_cognito.",
                "It makes a new session keyring: the tokens stay behind in the old one. It belongs "
                    + "before pam_cognito."
            )
        case .hasNoKeyring:
            (
                .warning, "no \"pam_keyinit.so force revoke\" before pam_cognito.",
                "Sessions share the keyring of the program that they were started by, and what is in it "
                    + "outlives them."
            )
        case .keepsKeyring(let place):
            (
                .note, "pam_keyinit (\(place.path), line \(place.line)) is without \"revoke\".",
                "What else is in a session's keyring can still be read by programs that outlive the session."
            )
        case .ignoresUndelivered:
            (
                .note, "a session begins also when its tokens could not be put into its keyring.",
                "That is so with \"optional\"; the person sees it when they need a token."
            )
        case .changesNoPassword:
            (
                .warning, "Cognito's accounts cannot change their password.",
                "A success of pam_cognito must end the password lines: pam_unix has no password of "
                    + "theirs to change."
            )
        case .asksForNewFirst(let module):
            (
                .note, "\(module) asks Cognito's people for a new password before Cognito does.",
                "They type it twice for each, and only the second counts. Whom Cognito asks first is asked once."
            )
        case .isTwice(let facility):
            (
                .warning, "pam_cognito stands in the \(facility.rawValue) lines twice.",
                "A file of ours and pam-auth-update's profile are both in use: Cognito is asked twice, "
                    + "and refuses codes the second time."
            )
        case .badArgument(let place, let facility, let finding): Self.badArgument(place, facility, finding)
        case .usesOtherFile(let path):
            (
                .note, "the configuration is \(path).",
                "It is another one than the rest of this report is about: cognito-session doctor --config \(path)."
            )
        case .badFile(let place, let facility, let fault):
            Self.badArgument(
                place, facility,
                "config= names another file: "
                    + (fault.what.hasSuffix(".") ? String(fault.what.dropLast()) : fault.what))
        }
    }

    private static func locksLocalOut(
        _ facility: Facility, _ condition: Condition
    ) -> (severity: Severity, what: String, why: String) {
        let severity: Severity = condition == .removed ? .warning : .broken
        let when = condition.words.map { words in " while \(words)" } ?? ""
        let sent = "They gave the right password and are sent away all the same."
        return switch facility {
        case .auth:
            (
                severity, "local accounts or root cannot sign in\(when), with the right password.",
                "Nobody could come in to repair the machine: pam_cognito's \"ignore\", \"authinfo_unavail\" and "
                    + "\"module_unknown\" must lead to pam_unix."
            )
        case .account: (severity, "the account lines keep local accounts or root out\(when).", sent)
        case .session: (severity, "sessions of local accounts or root cannot begin\(when).", sent)
        case .password:
            (
                severity, "local accounts cannot change their passwords\(when).",
                "They are Cognito's business no more than at sign-in."
            )
        }
    }

    private static func badArgument(
        _ place: Place, _ facility: Facility, _ finding: String
    ) -> (severity: Severity, what: String, why: String) {
        // What is said on the other lines, and in the file for them, is lost; whoever signs in does not notice.
        let (severity, why): (Severity, String) =
            switch facility {
            case .auth: (.broken, "Cognito's accounts cannot sign in there until it is corrected; local ones can.")
            case .password: (.warning, "Cognito's accounts cannot change their password there until it is corrected.")
            case .account, .session:
                (.note, "Nothing that is set on this line or in the file holds there until it is corrected.")
            }
        return (severity, "\(place.path), line \(place.line): \(finding).", why)
    }
}

extension Condition {
    fileprivate var words: String? {
        switch self {
        case .reachable: nil
        case .unreachable: "Cognito cannot be reached"
        case .misconfigured: "pam_cognito.conf has a mistake"
        case .switchedOff: "/run/pam-cognito/disabled is there"
        case .removed: "pam_cognito.so is not there"
        }
    }
}
