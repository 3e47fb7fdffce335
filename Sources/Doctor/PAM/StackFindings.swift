internal import Messages

/// What can be wrong with a service's stacks: one row each, without the names of the services that have it. What puts
/// it right is found by StackRemedies, except where the row says it.
extension Check {
    static func unreadable(_ place: Place, _ problem: String) -> Check {
        Check(
            .unreadableLine, .broken, "\(place.words), cannot be read: \(problem).",
            why: "libpam fails at such a line: no user is admitted, not even root.")
    }

    /// A module of others is not there; how bad what follows from it is.
    static func missesModule(_ place: Place, _ module: String, _ severity: Severity) -> Check {
        let file = module.split(separator: "/").last.map(String.init) ?? module
        return Check(
            .missingModule, severity, "\(module) (\(place.words)) is not on this machine.",
            why: severity == .note
                ? "libpam passes over it, and logs that at every sign-in."
                : "libpam takes that for a failure: this alone may lock users out or admit them. The module is not "
                    + "part of pam-cognito.",
            fix: "apt-file search \(shellWord("/security/\(file)"))   # install it; if it is not needed, remove line "
                + "\(place.line) of \(place.path)")
    }

    static let letsAnybodyIn = Check(
        .letsAnybodyIn, .broken, "the auth lines admit users with a wrong password, or without Cognito's consent.",
        why: "A later line accepts what one module refused: the name of an account is enough to sign in.")

    static let overridesRefusal = Check(
        .overridesRefusal, .broken, "an account that Cognito refuses can sign in with a local password.",
        why: "A user who was disabled at Cognito, or fails MFA, can still sign in. The cause is \"sufficient\" or "
            + "\"default=ignore\" after pam_cognito.")

    /// A user who starts the program with too little memory for the module gets by without it.
    static func opensUnloaded(_ facility: Facility) -> Check {
        facility == .account
            ? Check(
                .opensUnloaded, .warning,
                "if pam_cognito.so cannot be loaded, the account lines go on without it.",
                why: "Users can start sudo with too little memory for it. Then NOPASSWD commands run, in spite of "
                    + "key_logins = refuse.")
            : Check(
                .opensUnloaded, .warning, "if pam_cognito.so cannot be loaded, local passwords decide.",
                why: "Users can start su or sudo with too little memory for it. Then Cognito is not asked, and "
                    + "failures do not count.")
    }

    /// Local accounts or root cannot sign in, in some state of Cognito.
    static func locksLocalOut(_ facility: Facility, _ condition: Condition) -> Check {
        let when = condition.words.map { words in " while \(words)" } ?? ""
        let sent = "They are refused even with the right password."
        let (what, why) =
            switch facility {
            case .auth:
                (
                    "local accounts or root cannot sign in\(when), with the right password.",
                    "No user could sign in to repair the machine: pam_cognito's \"ignore\", \"authinfo_unavail\" and "
                        + "\"module_unknown\" must lead to pam_unix."
                )
            case .account: ("the account lines keep local accounts or root out\(when).", sent)
            case .session: ("sessions of local accounts or root cannot begin\(when).", sent)
            case .password:
                (
                    "local accounts cannot change their passwords\(when).",
                    "Cognito has no part in local passwords."
                )
            }
        return Check(.locksLocalOut, condition == .removed ? .warning : .broken, what, why: why)
    }

    static func locksCognitoOut(_ facility: Facility) -> Check {
        Check(
            .locksCognitoOut, .broken,
            "managed accounts cannot sign in: the \(facility.rawValue) lines fail although Cognito says yes.",
            why: "A success of pam_cognito must end in a success: the number of lines that it jumps over, or what "
                + "stands behind it, is wrong.")
    }

    static let refusesCredentials = Check(
        .refusesCredentials, .broken, "setting credentials (pam_setcred) fails after a good sign-in.",
        why: "sshd then closes the connection, after keyboard-interactive and after a key: its process runs the auth "
            + "lines again, without a password.")

    static let ignoresLockout = Check(
        .ignoresLockout, .warning, "pam_faillock's lock does not hold.",
        why: "A user who has failed too often can still sign in with the next guess.")

    static let checksLockoutLate = Check(
        .checksLockoutLate, .warning, "Cognito is asked before pam_faillock has looked, or although it said no.",
        why: "Every guess still reaches Cognito, which locks the user out everywhere; put \"requisite pam_faillock.so "
            + "preauth\" before pam_cognito.")

    static let countsNoFailures = Check(
        .countsNoFailures, .warning, "pam_faillock is there and counts no failure of managed accounts.",
        why: "Guessing is never slowed down here; \"pam_faillock.so authfail\" must be on the way of a refusal.")

    static let countsOutages = Check(
        .countsOutages, .warning, "pam_faillock counts a failure while Cognito cannot be reached.",
        why: "An hour without network locks users out; \"authinfo_unavail\" and \"cred_unavail\" must lead past "
            + "\"pam_faillock.so authfail\".")

    static let neverForgetsFailures = Check(
        .neverForgetsFailures, .warning, "a good sign-in does not make pam_faillock forget earlier failures.",
        why: "Occasional typing errors add up, until a user who knows the password is locked out.")

    static let countsInFiles = Check(
        .countsInFiles, .warning, "pam_faillock counts failures in files that the caller of su may be able to write.",
        why: "Such a user can lock others out, or reset the count. If such a file cannot be opened, local accounts "
            + "are refused. pam_cognito counts failures itself (max_failures).")

    static func letsExpiredIn(isSkipped: Bool) -> Check {
        Check(
            .letsExpiredIn, isSkipped ? .broken : .warning, "accounts that have expired on this machine can sign in.",
            why: isSkipped
                ? "The account lines end before pam_unix has looked; pam_cognito must not be \"sufficient\" there, nor "
                    + "\"done\"."
                : "No account line asks pam_unix; it looks at chage(1)'s dates and at locked accounts.")
    }

    static let keepsAgedOut = Check(
        .keepsAgedOut, .warning, "managed accounts are refused once their entry in /etc/shadow has aged.",
        why: "They have no password on this machine that they could change; the account lines lack "
            + "\"no_pass_expiry\".")

    static let skipsNologin = Check(
        .skipsNologin, .broken, "users can sign in although /etc/nologin is there.",
        why: "The lines end before pam_nologin has looked; pam_cognito must not be \"sufficient\" there, nor \"done\".")

    static let acceptsKeys = Check(
        .acceptsKeys, .broken, "key_logins = refuse has no effect.",
        why: "Managed accounts can still sign in with an ssh key; pam_cognito must be in the account lines, and its "
            + "refusal must end them.")

    static let hasNoAuth = Check(
        .hasNoAuth, .broken, "pam_cognito stands in other lines, and in no auth line.",
        why: "Passwords are asked for, and managed accounts are refused with theirs.")

    static let hasNoSession = Check(
        .hasNoSession, .broken, "no session line reaches pam_cognito.",
        why: "Users sign in and get no tokens; the tokens are revoked when the program ends. If it begins no session, "
            + "say so: pam_cognito.so session=never.")

    static let hasNoAccount = Check(
        .hasNoAccount, .note, "no account line has pam_cognito.", why: "key_logins would have no effect there.")

    static let hasNoPassword = Check(
        .hasNoPassword, .warning, "pam_cognito is not in the password lines.",
        why: "Managed accounts cannot change their password with passwd(1).")

    static func cutsShort(_ facility: Facility) -> Check {
        Check(
            .cutsShort, .warning, "the \(facility.rawValue) lines after pam_cognito are skipped.",
            why: "\"sufficient\" or \"done\" ends them: no limits, no login session of systemd, none of what else "
                + "stands there.")
    }

    static func losesKeyring(_ place: Place) -> Check {
        Check(
            .losesKeyring, .warning, "pam_keyinit (\(place.words)) comes after pam_cognito.",
            why: "It makes a new session keyring: the tokens stay behind in the old one. It belongs before pam_cognito."
        )
    }

    static let hasNoKeyring = Check(
        .hasNoKeyring, .warning, "no \"pam_keyinit.so force revoke\" before pam_cognito.",
        why: "Sessions share the keyring of the program that they were started by, and what is in it outlives them.")

    static func keepsKeyring(_ place: Place) -> Check {
        Check(
            .keepsKeyring, .note, "pam_keyinit (\(place.words)) is without \"revoke\".",
            why: "What else is in a session's keyring can still be read by programs that outlive the session.")
    }

    static let ignoresUndelivered = Check(
        .ignoresUndelivered, .note, "a session begins also when its tokens could not be put into its keyring.",
        why: "\"optional\" does that; users notice when they need a token.")

    static let changesNoPassword = Check(
        .changesNoPassword, .warning, "managed accounts cannot change their password.",
        why: "A success of pam_cognito must end the password lines: pam_unix has no password of theirs to change.")

    /// A module that asks for a new password does so before Cognito's own prompt for one.
    static func asksForNewFirst(_ module: String) -> Check {
        Check(
            .asksForNewFirst, .note, "\(module) asks for a new password before Cognito does.",
            why: "Users of managed accounts then type it twice for each, and only the second counts.")
    }

    static func isTwice(_ facility: Facility) -> Check {
        Check(
            .isTwice, .warning, "pam_cognito stands in the \(facility.rawValue) lines twice.",
            why: "A file of ours and pam-auth-update's profile are both in use: Cognito is asked twice, and refuses "
                + "codes the second time.")
    }

    static func badArgument(_ place: Place, _ facility: Facility, _ fault: String, fix: String? = nil) -> Check {
        // What is set on other lines is lost; users who sign in do not notice.
        let (severity, why): (Severity, String) =
            switch facility {
            case .auth: (.broken, "Managed accounts cannot sign in there until it is corrected; local ones can.")
            case .password: (.warning, "Managed accounts cannot change their password there until it is corrected.")
            case .account, .session:
                (.note, "Nothing that is set on this line or in the file holds there until it is corrected.")
            }
        return Check(.badArgument, severity, "\(place.words): \(fault).", why: why, fix: fix)
    }

    /// The file that `config=` names is not read, or has a mistake.
    static func badFile(_ place: Place, _ facility: Facility, _ fault: Check) -> Check {
        let words = fault.what.hasSuffix(".") ? String(fault.what.dropLast()) : fault.what
        return badArgument(
            place, facility, "config= names another file: \(words)",
            fix: fault.fix ?? edit(place.path, line: place.line))
    }

    static func usesOtherFile(_ path: String) -> Check {
        Check(
            .usesOtherFile, .note, "the configuration is \(path).",
            why: "It is another one than the rest of this report is about: cognito-session doctor --config \(path).")
    }
}

extension Place {
    var words: String { "\(path), line \(line)" }
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
