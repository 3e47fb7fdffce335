// The tool's texts are put together with what the ordinary build's String can do; the module needs none of them.
#if !hasFeature(Embedded)

/// Every text of `cognito-session doctor` that a person can see, in one place.
package enum DoctorWording {
    // MARK: The report

    package static let abstract = text("Find out what is wrong with this machine's set-up, as root.")
    package static let optionConfig = text("Another configuration file than /etc/security/pam_cognito.conf.")
    package static func notAFile(_ option: String, _ value: String) -> String {
        text("'\(value)' is no path for '\(option)'.")
    }
    package static let statusWarnings = text("doctor: it works, and something should be mended.")
    package static let statusBroken = text("doctor: somebody cannot sign in who should, or can who should not.")
    package static let notRoot =
        text("The doctor looks at files and keys that only root may see. Run it as root: sudo cognito-session doctor.")

    package static let areaMachine = text("Machine")
    package static let areaConfiguration = text("Configuration")
    package static let areaFiles = text("Files")
    package static let areaAccount = text("Worker account")
    package static let areaKeyrings = text("Keyrings")
    package static let areaAgent = text("Agent")
    package static let areaStacks = text("PAM stacks")
    package static let areaSSH = text("sshd")
    package static let areaWorker = text("Worker")
    package static let areaCognito = text("Cognito")
    package static let areaPeople = text("People")

    package static let severityNote = text("Note")
    package static let severityWarning = text("Warning")
    package static let severityBroken = text("Broken")
    /// Before the reason and the remedy of a finding.
    package static let why = text("Why")
    package static let mend = text("Mend")
    /// How many findings an area has, beyond notes.
    package static func faults(_ count: Int) -> String {
        plural(Int64(count), one: "\(count) thing to mend", other: "\(count) things to mend")
    }

    /// Puts a line out of use.
    package static func withoutLine(_ file: String, _ line: Int) -> FileMend {
        FileMend(file, command("\(line)s/^/#/"))
    }

    // MARK: Mending

    package static let optionMend = text("Make the changes of files that mend it: each is shown, tried and asked for.")
    package static let optionUndo = text("Take back the last of these changes.")
    package static let optionVerify = text("Compare the installed files with the sums of their package.")
    package static func asPackaged(_ package: String, _ tool: String) -> String {
        text("All files are as the package \(package) has them, says '\(tool)'.")
    }
    package static func notAsPackaged(_ package: String, _ tool: String) -> String {
        text("Not as the package \(package) has it, says '\(tool)', which marks configuration with c:")
    }
    package static func notComparable(_ package: String, _ tool: String) -> String {
        text("The package \(package) has no sums, or '\(tool)' does not work; nothing was compared.")
    }
    package static func noPackage(_ path: String) -> String {
        text("Neither dpkg nor rpm knows \(path): what was installed without them cannot be compared.")
    }
    package static let mendTerminal = text("Changes are asked for at a terminal, and this is none.")
    package static let mendQuestion = text("Change it so? [y/N]: ")
    package static func mended(_ path: String) -> String { text("\(path) is changed.") }
    package static func notMended(_ why: String) -> String { text("Not mended. \(why)") }
    package static let notWanted = text("Nothing was changed.")
    package static let nothingLeft = text("Nothing is left to mend.")
    package static let somethingLeft = text("What is left, cognito-session doctor shows, with commands that mend it.")
    package static func mendFailed(_ path: String, _ reason: String) -> String {
        text("\(path) cannot be changed (\(reason)); it is as it was.")
    }
    package static func mendLink(_ path: String) -> String {
        text("\(path) is a link, has several names, or is no file; what it leads to is not changed behind its back.")
    }
    package static func mendUnsafe(_ path: String) -> String {
        text("\(path) is not root's, or others can write it; who changes it is theirs to say.")
    }
    package static func mendNoText(_ path: String) -> String {
        text("\(path) is no text in UTF-8.")
    }
    package static func mendChanged(_ path: String) -> String {
        text("\(path) has been changed meanwhile.")
    }
    package static func mendSame(_ path: String) -> String {
        text("\(path) would be the same afterwards.")
    }
    package static func mendVendors(_ path: String) -> String {
        text("\(path) belongs to a package: type the command, which takes a copy first.")
    }
    package static let mendLocksOut = text(
        "With that, root or a local account could not come in, or something else would be wrong.")
    package static func mendRefusedBySSHD(_ path: String) -> String {
        text("sshd -t does not accept \(path) with that, or cannot be asked here.")
    }
    package static let nothingToUndo = text("The doctor has changed nothing that could be taken back.")
    package static func undoChanged(_ path: String, _ folder: String) -> String {
        text("\(path) has been changed since: it is left alone. What it was before stands in \(folder).")
    }

    // MARK: The machine

    package static let machineSummary = text("room in /run and /var, a log, names, and open to people")
    package static func readOnly(_ path: String) -> String { text("\(path) is read-only.") }
    package static func full(_ path: String) -> String { text("\(path) is full.") }
    package static let noRunRoomWhy = text(
        "Locks, key sets and counts have no place: sign-ins are slow or refused, and nobody can renew or sign out.")
    package static let noStateRoomWhy = text(
        "Devices are not remembered and no journal is kept; the log may be lost, too.")
    package static func showRoom(_ path: String) -> String {
        command(
            "df -h \(shellWord(path)); du -xah \(shellWord(path)) | sort -h | tail   # and remove what is not needed")
    }
    package static func remount(_ path: String) -> String {
        command("dmesg | tail -20; findmnt -T \(shellWord(path))   # a fault of the disk? If not: ")
            + command("mount -o remount,rw \"$(findmnt -no TARGET -T \(shellWord(path)))\"")
    }
    package static func closed(_ path: String) -> String { text("\(path) is there: nobody but root may sign in.") }
    package static let closedWhy = text(
        "pam_nologin and sshd turn everybody else away, Cognito's accounts and local ones; shutdown(8) and systemd make it."
    )
    package static func reopen(_ path: String) -> String {
        command("cat \(path); rm \(path)   # if the machine is not about to stop")
    }
    package static func noLog(_ error: Int32) -> String { text("Nobody listens at /dev/log (errno \(error)).") }
    package static let noLogWhy = text(
        "What pam_cognito, sshd and sudo have to say of sign-ins and refusals is lost, to whoever looks for a cause and to auditors."
    )
    package static let startLog = command(
        "systemctl restart systemd-journald.socket systemd-journald-dev-log.socket   # without systemd: rsyslogd")
    package static func blindNames(_ database: String) -> String {
        text("What stands in /etc/\(database) is not found: /etc/nsswitch.conf, \(database).")
    }
    package static let blindNamesWhy = text(
        "Accounts that are there count as missing, root's too: nobody can be signed in. Do not make them anew.")
    package static func addFiles(_ database: String) -> FileMend {
        FileMend(command("/etc/nsswitch.conf"), command("s/^\\(\(database):[[:space:]]*\\)/\\1files /"))
    }
    package static func missingNames(_ service: String) -> String {
        text("/etc/nsswitch.conf names \(service), whose library libnss_\(service).so.2 cannot be loaded.")
    }
    package static let missingNamesWhy = text(
        "Accounts and groups that come from there are not found. Do not make them anew on this machine.")
    package static func findLibrary(_ service: String) -> String {
        command(
            "apt-cache search libnss | grep -i \(shellWord(service))   # install it, or take it out of /etc/nsswitch.conf"
        )
    }
    package static func lookUp(_ database: String, _ name: String) -> String {
        command(
            "getent \(database) \(shellWord(name))   # /etc/nsswitch.conf says where names come from: look for it there"
        )
    }

    // MARK: The agent

    package static let agentSummary = text(
        "its socket answers, its timer runs, and it signs out when the machine stops")
    package static let agentAnswers = text("its socket answers")
    package static let timerWhy = text(
        "Sessions that ended badly are not ended at Cognito, and nobody notices those that were ended elsewhere.")
    package static let drainWhy = text("Sessions are not signed out when the machine stops: their tokens outlive it.")
    package static func unitMissing(_ unit: String) -> String { text("\(unit) is not there.") }
    package static func unitMasked(_ unit: String) -> String { text("\(unit) is masked.") }
    package static func unitDisabled(_ unit: String) -> String {
        text("\(unit) runs, and will not when the machine has started again: it is disabled.")
    }
    package static func unitStopped(_ unit: String, _ state: String) -> String {
        text("\(unit) does not run (\(state)).")
    }
    package static func unitFailed(_ unit: String) -> String { text("\(unit) has failed.") }
    package static func unmask(_ unit: String) -> String {
        command("systemctl unmask \(unit) && systemctl enable --now \(unit)")
    }
    package static func enable(_ unit: String) -> String { command("systemctl enable \(unit)") }
    package static func start(_ unit: String) -> String { command("systemctl enable --now \(unit)") }
    package static func showLog(of unit: String) -> String { command("journalctl -b -n 20 -u \(unit)") }
    package static func agentAbsent(_ path: String) -> String { text("The agent does not run: \(path) is not there.") }
    package static func agentDeaf(_ path: String, _ error: Int32) -> String {
        text("The agent does not run: nobody listens at \(path) (errno \(error)).")
    }
    package static func agentForeign(_ path: String) -> String { text("Somebody other than root listens at \(path).") }
    package static func agentSilent(_ path: String) -> String { text("The agent at \(path) does not answer.") }
    package static func agentClosed(_ path: String) -> String {
        text("\(path) has a mode that keeps people from their agent.")
    }
    package static let restartSocket = command(
        "systemctl restart pam-cognito-agent.socket && systemctl status pam-cognito-agent.service")
    package static let startAgent = command(
        "/usr/libexec/pam-cognito/cognito-agent listen &   # and have it started with the machine: cognito-agent(8)")
    package static func openSocket(_ path: String) -> String { command("chmod 0666 \(path)") }

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
        return command(
            "apt-file search \(shellWord(command("/security/\(name)")))   # install it; if nobody needs it: ")
            + command("sed -i~ '\(line)s/^/#/' \(shellWord(file))")
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
    package static func withoutArgument(_ file: String, _ line: Int, _ argument: String) -> FileMend {
        FileMend(file, command("\(line)s|[[:space:]]\(argument)||"))
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
        command(
            "mkdir -p /etc/systemd/system/\(unit).d && printf '[Service]\\nPrivateNetwork=no\\nRestrictAddressFamilies="
        )
            + command("AF_INET AF_INET6 AF_NETLINK\\n' > /etc/systemd/system/\(unit).d/pam-cognito.conf")
            + command(" && systemctl daemon-reload")
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
        "cp -p --backup=t -t /var/backups /etc/pam.d/common-* && pam-auth-update --enable cognito")
    package static func copy(_ files: [String]) -> String {
        command("cp --backup=t -t /etc/pam.d ") + files.joined(separator: " ")
    }
    package static func removeTallies(_ folder: String) -> String {
        command("find \(folder) -type f -perm /020 ! -group 0 -delete")
    }
    package static func includePassword(_ file: String) -> String {
        command("cp --backup=t -t /etc/pam.d \(file)")
            + command(" && sed -i~ '0,/^password/s//password include cognito-password\\n&/' /etc/pam.d/passwd")
    }
    package static func compare(_ service: String, _ folder: String) -> String {
        command(
            "diff /etc/pam.d/\(service) \(folder)/cognito-auth   # and take over what is there, with another root shell open"
        )
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
    package static func askFirst(_ folder: String, _ services: [String]) -> String {
        let files = services.map { name in shellWord(command("/etc/pam.d/\(name)")) }.joined(separator: " ")
        return command(
            "cp --backup=t -t /etc/pam.d \(folder)/cognito-password && sed -i~ 's/^@include common-password/@include cognito-password\\n&/' \(files)"
        )
    }
    package static func addKeyring(_ services: [String]) -> String {
        let files = services.map { name in shellWord(command("/etc/pam.d/\(name)")) }.joined(separator: " ")
        return command(
            "sed -i~ '0,/^\\(@include common-session\\|session\\)/s//session optional pam_keyinit.so force revoke\\n&/' \(files)"
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
    package static func usesOtherFile(_ services: String, _ path: String) -> (what: String, why: String) {
        (
            text("\(services): the configuration is \(path)."),
            text("It is another one than the rest of this report is about: cognito-session doctor --config \(path).")
        )
    }

    // MARK: Configuration

    package static func configurationSummary(_ path: String, _ pool: String, _ client: String) -> String {
        text("\(path): user pool \(pool), app client \(client)")
    }
    package static func mistake(_ path: String, _ line: Int?, _ finding: String) -> (what: String, why: String) {
        (
            "\(path)\(line.map { number in text(", line \(number)") } ?? ""): \(finding)\(finding.hasSuffix("?") ? "" : ".")",
            configurationWhy
        )
    }
    package static let configurationWhy =
        text(
            "Until that is put right none of the file counts: Cognito's accounts cannot sign in, local passwords decide alone."
        )
    package static func edit(_ path: String, line: Int?) -> String {
        command("editor \(line.map { number in "+\(number) " } ?? "")\(shellWord(path))")
    }
    /// What sets an option, whether it is there already or not; twice would be a mistake.
    private static func setOption(_ name: String, _ value: String) -> String {
        command("sed -i~ -e '1i \(name) = \(value)' -e '/^[[:space:]]*\(name)[[:space:]]*=/d' ")
            + command("/etc/security/pam_cognito.conf")
    }
    package static let secretWhy =
        text("Without the app client's secret Cognito answers no sign-in: none of its accounts gets in.")

    // MARK: The machine's own identity

    package static let fileWithoutKeys = text(
        "has no aws_access_key_id and aws_secret_access_key in a section [default]")
    package static let noKeysWhy =
        text("Sessions that a crash left are not ended: their tokens live until they expire.")
    package static let openKeysWhy =
        text("Somebody else than root has this machine's keys there, and can sign everybody in the user pool out.")
    package static let noJournal = text("This machine has an IAM identity, and keeps no journal.")
    package static let noJournalWhy =
        text("Without journal = yes nothing is known of sessions that a crash left, and nothing is done about them.")
    package static func metadataAnswersAnybody(_ address: String) -> String {
        text("The instance's metadata at \(address) answers an account without any right.")
    }
    package static let metadataSilent = text("Workers cannot reach the instance's metadata at 169.254.169.254.")
    package static func blockMetadata(_ rules: String) -> String {
        command("nft '\(rules)'   # also in /etc/nftables.conf")
    }
    package static let showFirewall = command("nft list ruleset   # see cognito-agent(8), JOURNAL")

    // MARK: Files

    package static let filesSummary = text("module, worker, agent and folders are root's alone")
    package static func fileFault(_ path: String, _ fault: String) -> String {
        "\(path) \(fault)."
    }
    package static let fileMissing = text("is not there")
    package static let fileNotRegular = text("is no regular file")
    package static let fileNoFolder = text("is no folder")
    package static let fileWrongOwner = text("does not belong to root")
    package static let fileWritable = text("can be changed by others than root")
    package static let fileReadable = text("can be read by others than root")
    package static let fileTooLarge = text("is larger than anything that belongs there")
    package static func fileUnreadable(_ error: Int32) -> String { text("cannot be read (errno \(error))") }
    package static let fileNoMemory = text("cannot be read, there is no memory")
    package static let fileEmpty = text("is empty")
    package static let fileUnusable = text("has a mode that keeps out those who need it")
    package static func own(_ path: String, mode: String) -> String {
        command("chown root:root \(shellWord(path)) && chmod \(mode) \(shellWord(path))")
    }
    package static func create(_ path: String, mode: String) -> String {
        command("install -m \(mode) /dev/null \(shellWord(path)) && editor \(shellWord(path))")
    }
    package static func inspect(_ path: String) -> String { command("ls -ld \(shellWord(path))") }
    package static let reinstall = command(
        "apt install --reinstall ./pam-cognito_*.deb   # with the file it was installed from")
    package static let makeFolders = command(
        "systemd-tmpfiles --create pam-cognito.conf || install -d -m 0755 /run/pam-cognito")
    package static let fileBehindLink = text("is no folder, or is reached by a link")
    package static func makeFolder(_ path: String) -> String { command("install -d -m 0755 \(shellWord(path))") }
    package static let noScreens = text("lock_tokens = yes, and systemd-logind does not run here.")
    package static let noScreensWhy = text(
        "Nothing says that a session's screen is locked: only cognito-session lock locks its tokens.")
    package static let exportsAreOn = text("export_tokens = yes: people may seal their sessions' tokens into files.")
    package static let exportsAreOnWhy = text(
        "It is the one exception to tokens being in the kernel alone; whoever has such a file and runs as its person here gets them, once."
    )
    package static let noMetricsWhy = text("Figures for Prometheus are not written there, and what is there is old.")
    package static let moduleWhy = text("libpam cannot load it, so no service can ask Cognito.")
    package static let workerWhy = text("Nobody else speaks with Cognito: none of its accounts can sign in.")
    package static let agentWhy =
        text("Sessions that ended badly are not ended at Cognito, and nobody can renew or sign out.")
    package static let programWhy = text("Whoever can change it has every password that is typed, and this machine.")
    package static let stateWhy = text("What proves this machine to Cognito as people's device is in there.")
    package static let journalFolderWhy =
        text("Who has open sessions is in there; pam_cognito does not use a folder that is not root's alone.")
    package static let trustedWhy = text("Whoever can change it decides who gets in.")
    package static let runFolderWhy =
        text(
            "Key sets, locks and the agent's socket have no place, and the switch that turns pam_cognito off cannot be set."
        )
    package static let runFolderForeignWhy =
        text(
            "Somebody else than root can turn Cognito off there, or take the agent's place; pam_cognito does not use it."
        )
    package static let switchedOff = text("/run/pam-cognito/disabled is there: pam_cognito is switched off.")
    package static let switchedOffWhy = text("No service asks Cognito until it is removed or the machine restarts.")
    package static let switchOn = command("rm /run/pam-cognito/disabled")

    // MARK: The worker's account

    package static func accountSummary(_ name: String, _ uid: UInt32) -> String {
        text("\(name), uid \(uid), can sign in nowhere")
    }
    package static func noWorkerAccount(_ name: String) -> String { text("There is no account \(name).") }
    package static let workerAccountWhy =
        text(
            "Workers speak with Cognito as that account and nothing else; without it none of Cognito's accounts can sign in."
        )
    package static let workerAccountLoginWhy = text("Nobody is meant to be that account: it would see workers' memory.")
    package static func makeWorkerAccount(_ name: String) -> String {
        command(
            "useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin \(name)")
    }
    package static func workerAccountIsRoot(_ name: String) -> String { text("\(name) has root's uid or group.") }
    package static func remakeWorkerAccount(_ name: String) -> String {
        command("userdel --force \(name); \(makeWorkerAccount(name))")
    }
    package static func workerAccountHasPassword(_ name: String) -> String { text("\(name) has a password.") }
    package static func lockWorkerAccount(_ name: String) -> String { command("usermod --password '!' \(name)") }
    package static func workerAccountHasShell(_ name: String, _ shell: String) -> String {
        text("\(name) has a shell, \(shell).")
    }
    package static func unshellWorkerAccount(_ name: String) -> String {
        command("usermod --shell /usr/sbin/nologin \(name)")
    }

    // MARK: Keyrings

    package static func keyringsSummary(_ sessions: Int?) -> String {
        sessions.map { count in text("the kernel has room for \(count) more sessions") } ?? text("the kernel has them")
    }
    package static func noKeyrings(_ error: Int32) -> String { text("keyctl(2) is refused here (errno \(error)).") }
    package static let noKeyringsWhy =
        text("Tokens are kept in kernel keyrings only: where there are none, nobody is signed in.")
    package static let allowKeyctl =
        command(
            "podman run --security-opt seccomp=PROFILE ...   # whoever runs this container must permit keyctl, add_key, request_key"
        )
    package static func fewKeys(_ sessions: Int, _ keys: Int, _ bytes: Int) -> String {
        text(
            "Root's key quota (kernel.keys.root_maxkeys \(keys), root_maxbytes \(bytes)) has room for \(sessions) more sessions."
        )
    }
    package static let fewKeysWhy = text("When it is full, sign-ins with Cognito are refused.")
    package static let moreKeys =
        command(
            "printf 'kernel.keys.root_maxkeys = 1000000\\nkernel.keys.root_maxbytes = 25000000\\n' > /etc/sysctl.d/60-keys.conf "
                + "&& sysctl -p /etc/sysctl.d/60-keys.conf")

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
    private static let reloadSSH = command("; /usr/sbin/sshd -t && systemctl reload ssh")
    package static func sshSet(_ name: String, _ value: String) -> FileMend {
        // The first of a name counts, also before what is included.
        FileMend(command("/etc/ssh/sshd_config"), command("1i \(name) \(value)"), afterwards: reloadSSH)
    }
    package static func sshReplace(
        _ file: String, _ line: Int, _ name: String, _ value: String, isIndented: Bool
    ) -> FileMend {
        // In place: so the numbers of other lines stay what they are.
        let shown = isIndented ? "    \(name) \(value)" : "\(name) \(value)"
        return FileMend(file, command("\(line)s|.*|\(shown)|"), afterwards: reloadSSH)
    }
    package static func sshWithout(_ file: String, _ line: Int) -> FileMend {
        FileMend(file, command("\(line)s/^/#/"), afterwards: reloadSSH)
    }
    package static func sshKeepsOut(_ list: String, _ names: [String]) -> String {
        text("sshd's \(list) keeps out \(peopleSummary(names)).")
    }
    package static let sshKeepsOutWhy = text(
        "They may give the right password and are turned away all the same: only whom its lists let in comes in over ssh."
    )
    /// Where a setting stands that not everybody gets.
    package static func sshInBlock(_ match: String, _ file: String, _ line: Int, _ names: [String]) -> String {
        text("It says so below \"\(match)\", \(file) line \(line), for \(peopleSummary(names)).")
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

    // MARK: People

    package static func peopleSummary(_ names: [String]) -> String {
        let shown = names.prefix(10).joined(separator: ", ")
        return names.count > 10 ? text("\(shown) and \(names.count - 10) more") : shown
    }
    package static func noGroup(_ group: String) -> String {
        text("unix_group names \(group), which is no group of this machine.")
    }
    package static let noGroupWhy =
        text("Whose account is Cognito's cannot be told: none can sign in that users does not name.")
    package static func makeGroup(_ group: String) -> String {
        command("groupadd \(shellWord(group))   # or put the name right in /etc/security/pam_cognito.conf")
    }
    package static func noMappedGroup(_ group: String) -> String {
        text("group_map names \(group), which is no group of this machine.")
    }
    package static let noMappedGroupWhy = text("Nobody is put into it.")
    package static func rootsGroup(_ group: String) -> String {
        text("group_map names \(group), which is root's own group (gid 0).")
    }
    package static let rootsGroupWhy = text("Root's own group is given to nobody, whatever it is called.")
    package static func groupAsRoot(_ group: String, _ cognito: String) -> String {
        text("group_map puts members of \(cognito) into \(group), who can make themselves root by it.")
    }
    package static let groupAsRootWhy =
        text("Whoever may add people to those groups in the user pool decides who is root here.")
    package static func unknownUser(_ name: String) -> String {
        text("users names \(name), which is no account of this machine.")
    }
    package static let unknownUserWhy =
        text("Somebody whom Cognito knows needs an account here, too; sshd turns others away.")
    package static func makeUser(_ name: String) -> String { command("useradd --create-home \(shellWord(name))") }
    package static func lowUser(_ name: String, _ uid: UInt32, _ minimum: UInt32) -> String {
        text("\(name) has uid \(uid), which is below minimum_uid \(minimum).")
    }
    package static let lowUserWhy = text("Accounts of the system are never Cognito's, whatever names them.")
    package static func lowerMinimum(_ uid: UInt32) -> String {
        uid == 0
            ? command("# root is never Cognito's: take it out of users and of the group")
            : setOption(command("minimum_uid"), "\(uid)") + command("   # if it is a person's")
    }
    package static func namedWithPassword(_ name: String) -> String {
        text("\(name) has a local password, too.")
    }
    package static let noRepairer = text("Nobody can become root here without Cognito.")
    package static let noRepairerWhy = text(
        "root has neither password nor ssh key, and neither has an account in sudo, wheel or admin that is not Cognito's: while "
            + "Cognito cannot be reached, nobody repairs this machine.")
    package static let makeRepairer = command("passwd root")
    package static let namedWithPasswordWhy = text("While Cognito cannot be reached, that one opens the account.")
    package static func memberWithPassword(_ name: String, _ group: String) -> String {
        text("\(name) is in the group \(group) and has a local password.")
    }
    package static let memberWithPasswordWhy =
        text("Such an account stays local: it never signs in with Cognito, unless users names it.")
    package static func memberWithLockedPassword(_ name: String, _ group: String) -> String {
        text("\(name) is in the group \(group) and has a local password that is locked.")
    }
    package static let memberWithLockedPasswordWhy =
        text("Such an account is closed, to Cognito too, until its password is unlocked or removed, or users names it.")
    package static func lockPassword(_ name: String) -> String { command("usermod --password '!' \(shellWord(name))") }
    package static func expired(_ names: String) -> String { text("Expired on this machine: \(names).") }
    package static let expiredWhy = text("pam_unix turns expired accounts away, whatever Cognito says.")
    package static func unexpire(_ names: [String]) -> String {
        each(names, command("chage --expiredate -1")) + command("   # if it is not meant to be closed")
    }
    package static func agedPassword(_ names: String) -> String {
        text("This machine wants a new password of its own of: \(names).")
    }
    package static let agedPasswordWhy = text(
        "shadow(5) says that theirs is too old: at every sign-in they must change a password that is Cognito's.")
    package static func unage(_ names: [String]) -> String {
        each(names, command("chage --maxdays -1 --lastday \"$(date +%F)\""))
    }
    package static func noShell(_ names: String, _ path: String) -> String {
        text("\(names): the shell \(path) is not there, or cannot be run.")
    }
    package static let noShellWhy = text("sshd refuses them at once, and elsewhere their session ends as it begins.")
    package static func closingShell(_ names: String, _ path: String) -> String {
        text("\(names): the shell is \(path), which sends people away.")
    }
    package static let closingShellWhy = text("They sign in with Cognito, and their session ends as it begins.")
    package static func setShell(_ names: [String]) -> String { each(names, command("usermod --shell /bin/bash")) }
    private static func each(_ names: [String], _ line: String) -> String {
        names.map { name in "\(line) \(shellWord(name))" }.joined(separator: "; ")
    }
    package static let nobodyCovered = text("No account of this machine is Cognito's.")
    package static let nobodyCoveredWhy = text("Nobody can sign in with Cognito here.")
    package static func addSomebody(_ group: String?) -> String {
        command("useradd --create-home \(group.map { name in command("--groups \(shellWord(name)) ") } ?? "")ana")
    }

    // MARK: The worker, and the way to Cognito

    package static let workerSummary = text("an account of its own, no groups, no capabilities, no way to get any")
    package static let layerAccount = text("The worker does not run as its own account.")
    package static let layerGroups = text("The worker has supplementary groups.")
    package static let layerPrivileges = text("The worker may gain rights by running set-uid programs.")
    package static let layerCapabilities = text("The worker has capabilities.")
    package static let layerSystemCalls = text("The worker may use every system call: seccomp is not to be had here.")
    package static let findSeccomp = command("grep Seccomp /proc/self/status   # it is part of Debian's kernels")
    package static let layerFiles = text("The worker may read what everybody may: Landlock is not to be had here.")
    package static let findLandlock = command(
        "cat /sys/kernel/security/lsm   # landlock is missing; the kernel's parameter lsm= adds it")
    package static let layerLimits = text("The worker has too much room: its limits cannot be set here.")
    package static let layerWhy = text(
        "A fault in what reads from the network would reach further than that one process.")
    package static func noWorker(_ why: String) -> String { text("No worker: \(why).") }
    package static let workerNonsense = text("it said nothing understandable")
    package static let workerLate = text("there was no answer within network_timeout.")
    package static func unreachable(_ host: String, _ why: String) -> String { "\(host): \(why)" }
    package static let unreachableWhy =
        text("Cognito's accounts cannot sign in; sessions end when it is back. Local accounts do not notice.")
    package static let proxyUnused =
        text("There is a proxy in this environment: workers use only the one that the option proxy names.")
    /// With what is on every machine that has CA certificates; curl need not be, and only it knows all kinds of proxies.
    package static func tryReaching(_ host: String, proxy: String?) -> String {
        guard let proxy else {
            return command("openssl s_client -connect \(host.contains(":") ? host : "\(host):443") </dev/null")
        }
        return command("curl -v --proxy \(proxy) https://\(host)/")
    }
    package static func cognitoSummary(
        _ host: String, _ address: String, milliseconds: Int64, parts: (name: Int64, connect: Int64, tls: Int64),
        issuer: String, expires: String, clockAhead: Int64?, keys: Int64, proxy: String?, publicKey: String?,
        isPinned: Bool, isAccepted: Bool
    ) -> String {
        let place = proxy.map { proxy in text("\(address) through the proxy \(proxy)") } ?? address
        let key = publicKey.map { key in
            isPinned ? text(", public key \(key), which is pinned") : text(", public key \(key)")
        }
        let clock = clockAhead.map { seconds in text(", clock \(seconds) s ahead") }
        let client =
            isAccepted
            ? text("; client id, secret and flow are accepted")
            : text("; client id, secret and flow show in a sign-in only")
        let more = (key ?? "") + (clock ?? "")
        return
            text(
                "\(host) answered in \(milliseconds) ms (name \(parts.name), connection \(parts.connect), TLS \(parts.tls)) "
                    + "at \(place), certificate by \(issuer) until \(expires)\(more), \(keys) keys") + client
    }
    package static let noClient = text(
        "Cognito knows no app client of this id (client_id), or not in this pool's region.")
    package static let secretDoesNotFit = text(
        "The app client has another secret than client_secret_file, has none, or has one that is not set here.")
    package static func flowNotAllowed(_ flow: String) -> String {
        text("The app client does not allow \(flow), with which sign-ins begin (auth_flow): it takes ALLOW_\(flow).")
    }
    package static let choiceNotInPlan = text(
        "The user pool's feature plan has no choice of factors (auth_flow = choice): it takes Essentials or Plus.")
    package static let noSignInWhy = text("Cognito refuses everybody so, whatever password they give.")
    package static let noRevocation = text(
        "The app client does not allow that tokens are revoked (EnableTokenRevocation).")
    package static let noRevocationWhy = text(
        "A session's refresh token outlives the logout: whoever has a copy of it can use it until it runs out.")
    package static func showClient(_ client: String, of pool: String) -> String {
        command("aws cognito-idp describe-user-pool-client --user-pool-id \(pool) --client-id \(client)")
            + command("   # and update-user-pool-client with all of it, and --enable-token-revocation")
    }
    package static func clockOff(_ ahead: Int64) -> String {
        ahead > 0
            ? text("This machine's clock is \(ahead) s ahead of Cognito's.")
            : text("This machine's clock is \(ahead.magnitude) s behind Cognito's.")
    }
    package static let clockOffWhy =
        text(
            "Beyond five minutes Cognito takes a right password for a wrong one, and programs take its tokens for expired."
        )
    package static let setClock = command(
        "timedatectl set-ntp true   # needs systemd-timesyncd, chrony or another such service")
    package static func slow(_ host: String, _ time: Int64, _ limit: Int64) -> String {
        text("\(host) took \(time) ms to connect; connect_timeout is \(limit / 1000) s.")
    }
    package static let levelsNotInPlan = text(
        "The user pool's feature plan has no levels of authentication, and required_acr wants one: it takes Essentials or Plus."
    )
    package static let levelsIgnored = text(
        "Cognito pays no attention to levels of authentication for this user pool, and required_acr wants one.")
    package static let levelsWithoutFlow = text(
        "The app client does not allow USER_AUTH, which required_acr needs: it takes ALLOW_USER_AUTH.")
    package static let levelsWhy = text("Whoever needs a level to sign in is refused, with any password.")
    package static let slowWhy = text("A little more, and sign-ins fail as if Cognito were not there.")
    package static func moreTime(_ seconds: Int64) -> String {
        setOption(command("connect_timeout"), command("\(seconds)s"))
    }

    // MARK: Old set-ups

    package static func oldSetUp(_ path: String) -> String {
        text("\(path) is there: this machine had the module of AWS Research and Engineering Studio.")
    }
    package static let oldSetUpReplaced =
        text(
            "Nothing here reads it. Take \"cognito\" out of /etc/nsswitch.conf, too, and make the accounts that it made up."
        )
    package static let oldSetUpWhy = text(
        "Nothing here reads it. Its accounts must exist (useradd) and be in the group; \"cognito\" goes out of "
            + "/etc/nsswitch.conf, its \"sufficient\" lines out of /etc/pam.d. It let everybody in the pool in: better name "
            + "groups.")
    package static func removeOldSetUp(_ path: String) -> String { command("rm \(path)") }
    package static func convertOldSetUp(_ lines: String, _ path: String) -> String {
        command("printf '\(lines)\\n' > \(path)")
    }

    // MARK: Why somebody gets in, or does not

    package static func nothingKeepsOut(_ name: String) -> String {
        text("Nothing else that was looked at keeps \(name) out of this machine.")
    }
    package static func keepsOut(_ name: String) -> String { text("What else keeps \(name) out of this machine:") }
    package static func tooManyFailures(
        _ name: String, _ most: Int64, _ seconds: Int64, _ caller: UInt32
    ) -> (what: String, why: String) {
        let who = caller == 0 ? text("from the network or the console") : text("by uid \(caller)")
        return (
            text("\(name) was tried \(most) times or more, \(who), without success."),
            text("pam_cognito asks Cognito no more (max_failures), for \(seconds) s at most.")
        )
    }
    package static func forgetFailures(_ name: String) -> String {
        command("/usr/libexec/pam-cognito/cognito-agent failures --reset \(shellWord(name))")
    }
    package static func locked(_ name: String, _ count: Int) -> (what: String, why: String) {
        (
            text("pam_faillock has counted \(count) failures of \(name)."),
            text("Services that go by it turn the person away, whatever password they give, until unlock_time is over.")
        )
    }
    package static func unlock(_ name: String) -> String { command("faillock --user \(shellWord(name)) --reset") }
    package static let accountPlaceholder = text("USER")
    package static let optionExplain = text(
        "Say which rule makes an account Cognito's, or does not, and what else keeps it out.")
    package static let optionLogin = text("Try a sign-in of that account, without PAM; its tokens are revoked at once.")
    package static func notAUser(_ option: String, _ value: String) -> String {
        text("'\(value)' is no name for '\(option)'.")
    }
    package static func covered(_ name: String) -> String { text("\(name) signs in with Cognito here.") }
    package static func notCovered(_ name: String) -> String { text("\(name) does not sign in with Cognito here.") }
    package static let explainName = text("That is no name that an account can have.")
    package static func explainNoAccount(_ name: String) -> String {
        text(
            "There is no account \(name) on this machine; Cognito's people need one here, too: \(makeUser(name))"
        )
    }
    package static let explainRoot = text("root is never Cognito's, whatever the configuration says.")
    package static let explainSwitchedOff =
        text("/run/pam-cognito/disabled is there: Cognito is switched off for everybody.")
    package static let explainNoConfiguration = text(
        "The configuration has a mistake, so nobody can tell whose the account is: local passwords decide alone. "
            + "cognito-session doctor says where.")
    package static func explainLowUID(_ uid: UInt32, _ minimum: UInt32) -> String {
        text("Its uid, \(uid), is below minimum_uid, \(minimum).")
    }
    package static func explainNamed(_ name: String) -> String { text("users names \(name).") }
    package static func explainNotNamed(_ name: String) -> String {
        text("users does not name \(name), and no unix_group is set.")
    }
    package static func explainPassword(_ name: String) -> String {
        text("\(name) has a password of this machine, and users does not name it: such an account stays local.")
    }
    package static func explainLockedPassword(_ name: String) -> String {
        text(
            "\(name) has a password of this machine that is locked, and users does not name it: such an account is closed."
        )
    }
    package static func explainMember(_ name: String, _ group: String) -> String {
        text("\(name) is in the group \(group) (unix_group), and has no password of this machine.")
    }
    package static func explainNoMember(_ name: String, _ group: String) -> String {
        text("users does not name \(name), and it is not in the group \(group) (unix_group).")
    }
    package static func explainLoginName(_ name: String) -> String { text("Cognito is asked about \(name).") }
    package static func explainGroups(_ rule: String) -> String {
        text("Who may come in is told by their Cognito groups, at sign-in: \(rule); a service may have others.")
    }
    package static let explainLocalPassword =
        text("While Cognito cannot be asked, the password of this machine opens the account.")

    package static func explainRecord(_ name: String) -> String {
        text("\(name) has an account from the pool alone (accounts): cognito-session accounts --show \(name)")
    }
    package static func explainNoRecord(_ name: String) -> String {
        text(
            "\(name) has no account on this machine, and none from the pool: nobody of that name has been entered (accounts)."
        )
    }
    package static func explainUnserved(_ name: String) -> String {
        text(
            "Something is kept of \(name), and the machine does not find the account: cognito-session doctor says why.")
    }

    // MARK: Accounts from the pool alone

    package static let areaAccounts = text("Accounts")
    package static func accountsSummary(_ count: Int) -> String {
        plural(
            Int64(count), one: "\(count) account from the pool alone", other: "\(count) accounts from the pool alone")
    }
    package static func accountsNotAsked(_ database: String) -> String {
        text("/etc/nsswitch.conf does not have systemd asked for \(database).")
    }
    package static let noAccountsWhy = text(
        "The people of the pool have no account, or not their groups: sshd turns them away before anybody is asked.")
    package static func askSystemd(_ database: String, hasLine: Bool) -> String {
        hasLine
            ? FileMend(
                command("/etc/nsswitch.conf"), command("s/^\\(\(database):[^#]*[^#[:space:]]\\)/\\1 systemd/")
            ).command
            : command("echo '\(database): files systemd' >>/etc/nsswitch.conf")
    }
    package static let noInitgroups = text("/etc/nsswitch.conf has no line for initgroups.")
    package static let noInitgroupsWhy = text(
        "cognito-accounts is asked for local people's groups, too: while it hangs, their sign-ins wait until systemd ends it."
    )
    package static let addInitgroups = command("echo 'initgroups: files systemd' >>/etc/nsswitch.conf")
    package static func accountsUnreadable(_ path: String) -> String {
        text("cognito-accounts cannot read \(path).")
    }
    package static func makeReadable(_ path: String) -> String { command("chmod 0644 \(shellWord(path))") }
    package static func accountsDeaf(_ path: String) -> String { text("Nobody listens at \(path).") }
    package static let startAccounts = command(
        "setsid /usr/libexec/pam-cognito/cognito-accounts </dev/null >/dev/null 2>&1 &")
    package static func storeUnread(_ path: String, _ error: Int32) -> String {
        text("\(path) is not believed, or cannot be read (errno \(error)).")
    }
    package static func mendStore(_ path: String) -> String {
        command("chown root:root \(path); chmod 0755 \(path); ls -ld \(path)")
    }
    package static func unserved(_ name: String) -> String {
        text("\(name) is entered and has no account: getent passwd \(name) does not find it.")
    }
    package static let accountsLog = command("journalctl -b -n 20 -t cognito-accounts -u pam-cognito-userdb.service")
    package static func damagedRecord(_ name: String) -> String {
        text("The record of \(name) is damaged, and not believed.")
    }
    package static let damagedRecordWhy = text(
        "It was edited, is cut off or is not root's alone. Its person has no account until it is entered again.")
    package static func forgetAccount(_ name: String) -> String {
        command("cognito-session accounts --forget \(shellWord(name))")
    }
    package static func refusedRecord(_ name: String) -> String { text("\(name) is entered and gets no account.") }
    package static let refusedRecordWhy = text(
        "Its name or number is a local user's or group's, a distribution's, or outside account_uids. The log says which."
    )
    package static func showAccount(_ name: String) -> String {
        command(
            "cognito-session accounts --show \(shellWord(name)); getent passwd \(shellWord(name)); getent group \(shellWord(name))"
        )
    }
    package static func strayHome(_ path: String, _ uid: UInt32) -> String {
        text("\(path) belongs to \(uid), which is nobody's.")
    }
    package static let strayHomeWhy = text(
        "Somebody was forgotten, or had another number. Nobody of the pool gets it by chance.")
    package static func showFiles(of uid: UInt32) -> String {
        command("find / -xdev -uid \(uid)   # and remove them, or give them to somebody")
    }
    package static let userIDsByName = text("User ids are made of people's names (accounts = sign-in).")
    package static let userIDsByNameWhy = text(
        "Whoever chooses their name in the pool can choose one with the user id of somebody on another machine.")
    package static let claimUserIDs = text(
        "Share no files between machines, or set account_uid_claim to an attribute that no app client may write.")
    package static func rangeShared(_ own: String, _ name: String, _ other: String) -> String {
        text("account_uids, \(own), and \(name), \(other), have user ids in common.")
    }
    package static let rangeSharedWhy = text("One number can become two people's, and the files of one the other's.")
    package static let chooseRange = command("man pam_cognito.conf   # account_uids; while there are no accounts")

    // MARK: Trying a sign-in

    package static let loginTerminal = text(
        "The sign-in that is tried asks for a password on the terminal, and there is none. Run it in a terminal.")
    package static let notHardened =
        text("This process cannot be protected (prctl), and it would hold tokens: so it stops here.")
    /// What happened, and how many seconds after the beginning.
    package static func loginStep(_ seconds: String, _ step: String) -> String { text("\(seconds) s  \(step)") }
    package static func loginBegins(_ name: String) -> String { text("begins, for \(name)") }
    package static func loginAsks(_ question: String) -> String { text("asks: \(question)") }
    package static let loginAnswered = text("answered")
    package static let loginTracks = text(
        """
        the pool tracks sessions: a sign-in beyond its limit (MaxPerUser, 20 unless set) ends the one renewed longest ago, on \
        any machine; such an end closes no shell, whatever on_revoked says
        """)
    package static let loginEnded = text("the tokens are revoked, or wait in the registry to be")
    package static let loginGood = text("The sign-in works. Its tokens were revoked at once; nobody is signed in.")
    package static let loginRefused = text("Cognito, or a rule of this machine, refuses the person.")
    package static let loginNotCovered = text(
        "Cognito was not asked: the account is not its business here. cognito-session doctor --explain says why.")
    package static let loginUnavailable =
        text("Nobody can tell whether the password is right: something else than the person is at fault.")
}
#endif
