// The tool's texts are put together with what the ordinary build's String can do; the module needs none of them.
#if !hasFeature(Embedded)

/// What the doctor says of stacks of PAM and of sshd.
extension DoctorWording {
    // MARK: PAM stacks

    package static func missesModule(
        _ services: String, _ file: String, _ line: Int, _ module: String, isPassedOver: Bool
    ) -> (what: String, why: String) {
        (
            text("\(services): \(module) (\(file), line \(line)) is not on this machine."),
            isPassedOver
                ? text("libpam passes over it, and logs that at every sign-in.")
                : text(
                    "libpam takes that for a failure, and people are kept out, or let in, by that alone; it is none of ours."
                )
        )
    }
    package static func findModule(_ module: String, _ file: String, _ line: Int) -> String {
        let name = module.split(separator: "/").last.map(String.init) ?? module
        return command("apt-file search \(shellWord(command("/security/\(name)")))")
            + command("   # install it; if nobody needs it, remove line \(line) of \(file)")
    }
    package static func place(_ file: String, _ line: Int) -> String { text("\(file), line \(line)") }
    package static func locksRoot(_ place: String) -> (what: String, why: String) {
        (
            text("\(place): pam_faillock locks root out, too (even_deny_root)."),
            text("Whoever fails often enough as root keeps root out, and nobody can repair the machine meanwhile.")
        )
    }
    package static func locksAtOnce(_ place: String) -> (what: String, why: String) {
        (
            text("\(place): pam_faillock locks an account after one failure (deny = 1)."),
            text("One mistyped password, or one failure of somebody else's, and the person is kept out.")
        )
    }
    package static func locksNobody(_ place: String) -> (what: String, why: String) {
        (
            text("\(place): pam_faillock counts and never locks (deny = 0)."),
            text("Guessing passwords of local accounts is never slowed down.")
        )
    }
    package static func lockoutName(_ place: String, _ name: String) -> (what: String, why: String) {
        (
            text("\(place): pam_faillock knows no setting \(name)."),
            text("It logs that at every sign-in, and goes by what it does without.")
        )
    }
    package static func lockoutValue(_ place: String, _ name: String, _ value: String) -> (what: String, why: String) {
        (
            text("\(place): \(name) cannot be '\(value)'; pam_faillock wants a number."),
            text("It goes by another number than anybody has meant.")
        )
    }
    package static func polkitSandbox(_ unit: String) -> (what: String, why: String) {
        (
            text("polkit-1: \(unit) has no network, and options behind pam_cognito.so."),
            text(
                "The agent knows no options, so pam_cognito asks by itself: Cognito's accounts cannot use pkexec, run0 and desktops' prompts."
            )
        )
    }
    package static var polkitWithoutAgent: (what: String, why: String) {
        (
            text("polkit-1: nobody listens at cognito-agent's socket."),
            text(
                "Without it Cognito's accounts cannot use pkexec, run0 and desktops' prompts, which polkit answers in a sandbox."
            )
        )
    }
    package static func openPolkit(_ unit: String) -> String {
        command("systemctl edit \(unit)")
            + command("   # [Service], PrivateNetwork=no, RestrictAddressFamilies=AF_INET AF_INET6 AF_NETLINK")
    }

    /// Which services ask Cognito.
    package static func services(_ names: [String]) -> String {
        names.isEmpty ? text("none asks Cognito") : names.joined(separator: ", ")
    }
    package static let whileUnreachable = text("Cognito cannot be reached")
    package static let whileMisconfigured = text("pam_cognito.conf has a mistake")
    package static let whileSwitchedOff = text("/run/pam-cognito/disabled is there")
    package static let whileRemoved = text("pam_cognito.so is not there")

    package static let notEnabled = text("No service in /etc/pam.d asks Cognito.")
    package static let notEnabledWhy = text("Nobody can sign in with Cognito yet.")
    package static let enableProfile = command("pam-auth-update --enable cognito")
    /// Without --force: it asks before it overwrites what somebody has changed.
    package static let renewProfile = command(
        "pam-auth-update --enable cognito   # it asks before it overwrites changes in /etc/pam.d/common-*: copy them")
    package static func copy(_ file: String, to path: String) -> String { command("cp -n \(file) \(path)") }
    package static let keyringLine = command("session optional pam_keyinit.so force revoke")
    package static func removeTallies(_ folder: String) -> String {
        command("find \(folder) -type f -perm /020 ! -group 0 -delete")
    }
    package static func compare(_ path: String, _ shipped: String) -> String {
        command("diff \(path) \(shipped)   # take over the second; keep lines of your own, and a root shell open")
    }

    package static func unreadableType(_ word: String) -> String {
        text("\"\(word)\" is no type; there are auth, account, session, password and @include")
    }
    package static func unreadableControl(_ word: String) -> String {
        text("\"\(word)\" is no control that libpam can read")
    }
    package static let unreadableModule = text("the line ends before a module is named")
    package static func unreadableInclude(_ file: String) -> String {
        text("it includes \"\(file)\", which is not there")
    }
    package static let unreadableDepth = text("files include one another without end")
    package static func unreadableLength(_ lines: Int) -> String {
        text("with all that it includes, the service has more than \(lines) lines")
    }
    package static func unreadableLine(
        _ services: String, _ file: String, _ line: Int, _ problem: String
    ) -> (what: String, why: String) {
        (
            text("\(services): \(file), line \(line), cannot be read: \(problem)."),
            text("libpam lets whatever meets such a line fail: nobody may come in, root neither.")
        )
    }

    package static func letsAnybodyIn(_ services: String) -> (what: String, why: String) {
        (
            text("\(services): the auth lines let people in with a wrong password, or without Cognito's yes."),
            text("What one module refused, a later line accepts: whoever knows an account's name is that person.")
        )
    }
    package static func overridesRefusal(_ services: String) -> (what: String, why: String) {
        (
            text("\(services): an account that Cognito refuses gets in with a local password."),
            text(
                "Whoever was disabled at Cognito, or fails its second factor, still comes in; after pam_cognito, "
                    + "\"sufficient\" or \"default=ignore\" does that.")
        )
    }
    package static func opensUnloaded(_ services: String, isAccount: Bool) -> (what: String, why: String) {
        isAccount
            ? (
                text("\(services): if pam_cognito.so cannot be loaded, the account lines go on without it."),
                text(
                    "Users can start sudo with too little memory for it. Then NOPASSWD commands run, in spite of key_logins = refuse."
                )
            )
            : (
                text("\(services): if pam_cognito.so cannot be loaded, local passwords decide."),
                text(
                    "Users can start su or sudo with too little memory for it. Then Cognito is not asked, and failures do not count."
                )
            )
    }
    package static func locksLocalOut(
        _ services: String, _ facility: String, _ condition: String?
    ) -> (what: String, why: String) {
        let when = condition.map { words in text(" while \(words)") } ?? ""
        return switch facility {
        case "auth":
            (
                text("\(services): local accounts or root cannot sign in\(when), with the right password."),
                text(
                    "Nobody could come in to repair the machine: pam_cognito's \"ignore\", \"authinfo_unavail\" and "
                        + "\"module_unknown\" must lead to pam_unix.")
            )
        case "account":
            (
                text("\(services): the account lines keep local accounts or root out\(when)."),
                text("They gave the right password and are sent away all the same.")
            )
        case "session":
            (
                text("\(services): sessions of local accounts or root cannot begin\(when)."),
                text("They gave the right password and are sent away all the same.")
            )
        default:
            (
                text("\(services): local accounts cannot change their passwords\(when)."),
                text("They are Cognito's business no more than at sign-in.")
            )
        }
    }
    package static func locksCognitoOut(_ services: String, _ facility: String) -> (what: String, why: String) {
        (
            text(
                "\(services): Cognito's accounts cannot sign in: the \(facility) lines fail although Cognito says yes."),
            text(
                "A success of pam_cognito must end in a success: the number of lines that it jumps over, or what stands "
                    + "behind it, is wrong.")
        )
    }
    package static func refusesCredentials(_ services: String) -> (what: String, why: String) {
        (
            text("\(services): setting credentials (pam_setcred) fails after a good sign-in."),
            text(
                "sshd closes the connection then, after keyboard-interactive and after a key: in its process the auth lines are "
                    + "gone through anew, without anybody having typed anything.")
        )
    }
    package static func ignoresLockout(_ services: String) -> (what: String, why: String) {
        (
            text("\(services): pam_faillock's lock does not hold."),
            text("Who has failed too often gets in with the next guess all the same.")
        )
    }
    package static func checksLockoutLate(_ services: String) -> (what: String, why: String) {
        (
            text("\(services): Cognito is asked before pam_faillock has looked, or although it said no."),
            text(
                "Every guess still reaches Cognito, which locks the person out everywhere; \"requisite pam_faillock.so preauth\" "
                    + "belongs before pam_cognito.")
        )
    }
    package static func countsNoFailures(_ services: String) -> (what: String, why: String) {
        (
            text("\(services): pam_faillock is there and counts no failure of Cognito's accounts."),
            text("Guessing is never slowed down here; \"pam_faillock.so authfail\" must be on the way of a refusal.")
        )
    }
    package static func countsOutages(_ services: String) -> (what: String, why: String) {
        (
            text("\(services): pam_faillock counts a failure while Cognito cannot be reached."),
            text(
                "An hour without network locks people out; \"authinfo_unavail\" and \"cred_unavail\" must lead past "
                    + "\"pam_faillock.so authfail\"."
            )
        )
    }
    package static func neverForgetsFailures(_ services: String) -> (what: String, why: String) {
        (
            text("\(services): a good sign-in does not make pam_faillock forget earlier failures."),
            text("A slip now and then adds up, until somebody is locked out who knows the password.")
        )
    }
    package static func countsInFiles(_ services: String) -> (what: String, why: String) {
        (
            text("\(services): pam_faillock counts failures in files that the caller of su may come to write."),
            text(
                "Whoever does keeps others out, or forgets their own failures; and where such a file cannot be opened, local "
                    + "accounts stay out. pam_cognito counts by itself (max_failures).")
        )
    }
    package static func writableTallies(_ files: String) -> (what: String, why: String) {
        (
            text("Others than root may write what pam_faillock has counted: \(files)."),
            text("Members of the group that such a file belongs to keep that account out, or forget its failures.")
        )
    }
    package static func letsExpiredIn(_ services: String, _ isSkipped: Bool) -> (what: String, why: String) {
        (
            text("\(services): accounts that have expired on this machine get in."),
            isSkipped
                ? text(
                    "The account lines end before pam_unix has looked; pam_cognito must not be \"sufficient\" there, nor \"done\"."
                )
                : text("No account line asks pam_unix; it looks at chage(1)'s dates and at locked accounts.")
        )
    }
    package static func keepsAgedOut(_ services: String) -> (what: String, why: String) {
        (
            text("\(services): Cognito's accounts are refused once their entry in /etc/shadow has aged."),
            text(
                "They have no password on this machine that they could change; the account lines lack \"no_pass_expiry\"."
            )
        )
    }
    package static func skipsNologin(_ services: String) -> (what: String, why: String) {
        (
            text("\(services): people get in although /etc/nologin is there."),
            text(
                "The lines end before pam_nologin has looked; pam_cognito must not be \"sufficient\" there, nor \"done\"."
            )
        )
    }
    package static func acceptsKeys(_ services: String) -> (what: String, why: String) {
        (
            text("\(services): key_logins = refuse has no effect."),
            text(
                "Cognito's accounts come in with an ssh key all the same; pam_cognito must stand in the account lines, and its "
                    + "refusal must end them.")
        )
    }
    package static func hasNoAuth(_ services: String) -> (what: String, why: String) {
        (
            text("\(services): pam_cognito stands in other lines, and in no auth line."),
            text("Passwords are asked for, and Cognito's accounts are refused with theirs.")
        )
    }
    package static func hasNoSession(_ services: String) -> (what: String, why: String) {
        (
            text("\(services): no session line reaches pam_cognito."),
            text(
                "People sign in and get no tokens; what Cognito gave is revoked when the program has ended. If it begins no session, say so: session=never behind pam_cognito.so."
            )
        )
    }
    package static func hasNoAccount(_ services: String) -> (what: String, why: String) {
        (
            text("\(services): no account line has pam_cognito."),
            text("key_logins would have no effect there.")
        )
    }
    package static func hasNoPassword(_ services: String) -> (what: String, why: String) {
        (
            text("\(services): pam_cognito is not in the password lines."),
            text("Cognito's accounts cannot change their password with passwd(1).")
        )
    }
    package static func cutsShort(_ services: String, _ facility: String) -> (what: String, why: String) {
        (
            text("\(services): the \(facility) lines behind pam_cognito are skipped."),
            text(
                "\"sufficient\" or \"done\" ends them: no limits, no login session of systemd, none of what else stands there."
            )
        )
    }
    package static func losesKeyring(
        _ services: String, _ file: String, _ line: Int
    ) -> (what: String, why: String) {
        (
            text("\(services): pam_keyinit (\(file), line \(line)) comes after pam_cognito."),
            text(
                "It makes a new session keyring: the tokens stay behind in the old one. It belongs before pam_cognito.")
        )
    }
    package static func hasNoKeyring(_ services: String) -> (what: String, why: String) {
        (
            text("\(services): no \"pam_keyinit.so force revoke\" before pam_cognito."),
            text(
                "Sessions share the keyring of the program that they were started by, and what is in it outlives them.")
        )
    }
    package static func asksForNewFirst(_ services: String, _ module: String) -> (what: String, why: String) {
        (
            text("\(services): \(module) asks Cognito's people for a new password before Cognito does."),
            text("They type it twice for each, and only the second counts. Whom Cognito asks first is asked once.")
        )
    }
    package static func keepsKeyring(
        _ services: String, _ file: String, _ line: Int
    ) -> (what: String, why: String) {
        (
            text("\(services): pam_keyinit (\(file), line \(line)) is without \"revoke\"."),
            text("What else is in a session's keyring can still be read by programs that outlive the session.")
        )
    }
    package static func ignoresUndelivered(_ services: String) -> (what: String, why: String) {
        (
            text("\(services): a session begins also when its tokens could not be put into its keyring."),
            text("That is so with \"optional\"; the person sees it when they need a token.")
        )
    }
    package static func changesNoPassword(_ services: String) -> (what: String, why: String) {
        (
            text("\(services): Cognito's accounts cannot change their password."),
            text("A success of pam_cognito must end the password lines: pam_unix has no password of theirs to change.")
        )
    }
    package static func isTwice(_ services: String, _ facility: String) -> (what: String, why: String) {
        (
            text("\(services): pam_cognito stands in the \(facility) lines twice."),
            text(
                "A file of ours and pam-auth-update's profile are both in use: Cognito is asked twice, and refuses codes the second "
                    + "time.")
        )
    }
    package static func badArgument(
        _ services: String, _ file: String, _ line: Int, _ facility: String, _ finding: String
    ) -> (what: String, why: String) {
        let why =
            switch facility {
            case "auth": text("Cognito's accounts cannot sign in there until it is corrected; local ones can.")
            case "password": text("Cognito's accounts cannot change their password there until it is corrected.")
            default: text("Nothing that is set on this line or in the file holds there until it is corrected.")
            }
        return (text("\(services): \(file), line \(line): \(finding)."), why)
    }
    package static func badFile(
        _ services: String, _ file: String, _ line: Int, _ facility: String, _ fault: String
    ) -> (what: String, why: String) {
        let words = fault.hasSuffix(".") ? String(fault.dropLast()) : fault
        return badArgument(services, file, line, facility, text("config= names another file: \(words)"))
    }
    package static func usesOtherFile(_ services: String, _ path: String) -> (what: String, why: String) {
        (
            text("\(services): the configuration is \(path)."),
            text("It is another one than the rest of this report is about: cognito-session doctor --config \(path).")
        )
    }

    // MARK: sshd

    package static let sshUnused = text("does not ask Cognito")
    package static let sshUnstarted = text("is started when somebody comes; until then it does not say its settings")
    package static let sshAbsent = text("is not installed")
    package static func sshSummary(grace: String, offersBoth: Bool) -> String {
        let said = text("asks through PAM, keyboard-interactive, LoginGraceTime \(grace)")
        return offersBoth
            ? said + "; " + text("better with PasswordAuthentication no, see pam_cognito(8)") : said
    }
    package static func sshRefused(_ words: String) -> String {
        text("sshd does not accept its configuration: \(words)")
    }
    package static let sshSilent = text("it did not answer within ten seconds.")
    package static let sshRefusedWhy = text("It will not start again, and nobody can sign in over the network.")
    package static let sshTest = command("/usr/sbin/sshd -t")
    private static let reloadSSH = command("; then: systemctl reload ssh")
    package static func sshSet(_ name: String, _ value: String, _ files: String) -> String {
        command("\(name) \(value) in \(files)") + reloadSSH
    }
    package static func sshAdd(_ names: String, to list: String, _ files: String) -> String {
        command("add \(names) to \(list) in \(files)") + reloadSSH
    }
    package static func editList(_ list: String, _ files: String) -> String {
        command("editor \(files)   # \(list) may be meant for others")
    }
    package static func sshKeepsOut(_ list: String, _ names: [String]) -> String {
        text("sshd's \(list) keeps out \(peopleSummary(names)).")
    }
    package static let sshKeepsOutWhy = text(
        "They may give the right password and are turned away all the same: only whom its lists let in comes in over ssh."
    )
    /// What not everybody gets.
    package static func sshSays(_ connection: String, _ names: [String]) -> String {
        text("So says sshd -T -C \(connection), for \(peopleSummary(names)).")
    }
    package static let sshNoPAM = text("sshd has UsePAM no.")
    package static let sshNoPAMWhy = text("It never asks pam_cognito, and compares passwords with /etc/shadow alone.")
    package static let sshNoPassword = text(
        "sshd asks for no password: neither keyboard-interactive nor password is on.")
    package static let sshNoPasswordWhy = text("Over ssh only keys get in, and a key does not sign in to Cognito.")
    package static let sshNotListed = text("sshd's AuthenticationMethods leave out keyboard-interactive.")
    package static let sshPasswordOnly = text("sshd has KbdInteractiveAuthentication no.")
    package static let sshPasswordOnlyWhy =
        text("The password method knows one question: whoever needs a code or a new password is refused.")
    package static let sshEmpty = text("sshd has PermitEmptyPasswords yes.")
    package static let sshEmptyWhy = text(
        "It tries an empty password first, and goes by that failure when it sets credentials (pam_setcred): "
            + "keyboard-interactive ends in a closed connection.")
    package static func sshGrace(_ grace: Int64, _ network: Int64) -> String {
        text("sshd's LoginGraceTime is \(grace) s, and Cognito alone may take \(network) s (network_timeout).")
    }
    package static let sshGraceWhy =
        text("sshd hangs up in the middle of a sign-in when the network is slow or a code is typed.")
}
#endif
