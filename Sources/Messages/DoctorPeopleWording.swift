// The tool's texts are put together with what the ordinary build's String can do; the module needs none of them.
#if !hasFeature(Embedded)

/// What the doctor says of people: who gets in, who does not and why, and accounts that come from the pool.
extension DoctorWording {
    // MARK: People

    package static func peopleSummary(_ names: [String], most: Int = 10) -> String {
        let shown = names.prefix(most).joined(separator: ", ")
        return names.count > most ? text("\(shown) and \(names.count - most) more") : shown
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
    package static func makeUser(_ name: String) -> String {
        command("useradd --create-home -K PASS_MAX_DAYS=-1 \(shellWord(name))")
    }
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
        "pam_unix asks them for a current password at every sign-in, but they have none here: Cognito's is not kept on this machine."
    )
    package static let agedPasswordPassedWhy = text(
        "pam_cognito's account lines pass over it. Services without these lines refuse the account.")
    package static let agedLocalPasswordWhy = text(
        "They have a local password, too, and must change it at their next sign-in.")
    package static func inactive(_ names: String) -> String {
        text("Inactive on this machine, since their local password was not changed in time: \(names).")
    }
    package static let inactiveWhy = text("pam_unix turns inactive accounts away, whatever Cognito says.")
    package static func noShadowEntry(_ names: String) -> String { text("No entry in /etc/shadow: \(names).") }
    package static let noShadowEntryWhy = text("pam_unix turns such accounts away, whatever Cognito says.")
    package static let makeShadow = command("pwconv")
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
        command(
            "useradd --create-home -K PASS_MAX_DAYS=-1 \(group.map { name in command("--groups \(shellWord(name)) ") } ?? "")ana"
        )
    }

    // MARK: Why somebody gets in, or does not

    package static func nothingKeepsOut(_ name: String) -> String {
        text("Nothing else that was looked at keeps \(name) out of this machine.")
    }
    package static func foundBesides(_ name: String) -> String {
        text("What else was found about sign-ins of \(name):")
    }
    package static func tooManyFailures(
        _ name: String, _ most: Int64, _ seconds: Int64, _ caller: UInt32
    ) -> (what: String, why: String) {
        let who = caller == 0 ? text("from the network or the console") : text("by uid \(caller)")
        return (
            text("\(name) was tried \(most) times or more, \(who), without success."),
            text("pam_cognito asks Cognito no more (max_failures), for \(seconds) s at most.")
        )
    }
    package static func tooManyCodes(
        _ name: String, _ most: Int64, _ seconds: Int64, _ caller: UInt32
    ) -> (what: String, why: String) {
        let who = caller == 0 ? text("from the network or the console") : text("by uid \(caller)")
        return (
            text("Cognito has sent \(most) codes or more for \(name), asked for \(who), that were not entered."),
            text("pam_cognito has no more sent (max_failures), for \(seconds) s at most.")
        )
    }
    package static func forgetFailures(_ name: String) -> String {
        command("cognito-agent failures --reset \(shellWord(name))")
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
        "The configuration has a mistake, which changes nothing for this account. cognito-session doctor says where.")
    package static func explainRefused(_ name: String) -> String {
        text(
            "The configuration has a mistake, and \(name) is refused until it is corrected. cognito-session doctor says where."
        )
    }
    package static func explainLocalPasswordAlone(_ name: String) -> String {
        text(
            "The configuration has a mistake: until it is corrected, Cognito is not asked, and the local password of \(name) alone opens the account (local_password). cognito-session doctor says where."
        )
    }
    package static func explainPerhapsManaged(_ name: String) -> String {
        text(
            "The configuration has a mistake and does not say whether \(name) is a managed account: until it is corrected, its local password alone opens it. cognito-session doctor says where."
        )
    }
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
        text("While Cognito cannot be asked, the password of this machine opens the account (local_password).")

    package static func explainRecord(_ name: String) -> String {
        text("\(name) has an account from the pool alone (accounts): cognito-session accounts --show \(name)")
    }
    package static func explainContested(_ name: String) -> String {
        text(
            "\(name) has an account from the pool, and another source in /etc/nsswitch.conf knows it, too: nobody comes in. The log says which."
        )
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
    package static let noShadowWhy = text(
        "Cognito lets the people of the pool in, and pam_unix turns them away behind it: it finds nothing of theirs in shadow."
    )
    package static func askSystemd(_ database: String, hasLine: Bool) -> String {
        hasLine
            ? command("/etc/nsswitch.conf: write systemd last behind \(database):")
            : command("echo '\(database): files systemd' >>/etc/nsswitch.conf")
    }
    package static let noInitgroups = text("/etc/nsswitch.conf has no line for initgroups.")
    package static let noInitgroupsWhy = text(
        "cognito-accounts is asked for local people's groups, too: while it hangs, their sign-ins wait until systemd ends it."
    )
    package static let addInitgroups = command("echo 'initgroups: files systemd' >>/etc/nsswitch.conf")
    package static let directoryWithoutIdentity = text(
        "accounts = directory, and this machine has no IAM identity (iam_credentials_file, iam_instance_metadata).")
    package static let noRoundsWhy = text(
        "Accounts stay as they are: who comes into the pool has none here, and who leaves it keeps theirs, with their ssh keys."
    )
    package static func accountsUnreadable(_ path: String) -> String {
        text("cognito-accounts cannot read \(path).")
    }
    package static func makeReadable(_ path: String) -> String { command("chmod 0644 \(shellWord(path))") }
    package static func accountsDeaf(_ path: String) -> String { text("Nobody listens at \(path).") }
    package static func startAccounts(_ folder: String) -> String {
        command("setsid \(folder)/cognito-accounts </dev/null >/dev/null 2>&1 &")
    }
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
    package static func sourceBehind(_ source: String) -> String {
        text("/etc/nsswitch.conf has \(source) asked behind systemd for passwd.")
    }
    package static func sourceBehindWhy(_ source: String) -> String {
        text("Nobody who comes for the first time gets an account: it would win over people of \(source).")
    }
    package static func sourceSilent(_ source: String) -> String {
        text("\(source) gives no answer, so nobody can check whether it knows a name of the pool.")
    }
    package static let sourceSilentWhy = text(
        "Nobody new gets an account. Accounts that exist stay valid.")
    package static func askSource(_ source: String) -> String {
        command("getent -s \(shellWord(source)) passwd nobody; echo $?   # /etc/nsswitch.conf names it")
    }
    package static func contested(_ name: String) -> String {
        text("\(name) is entered, and another source in /etc/nsswitch.conf knows that name or number, too.")
    }
    package static let contestedWhy = text(
        "Nobody signs in under it: one of the two would get the files of the other. The log says which source it is."
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
    package static func homeWithSetID(_ path: String) -> String {
        text("\(path) is on a file system without the option nosuid, and group_map gives groups away.")
    }
    package static let homeWithSetIDWhy = text(
        "A user can keep a lost group in a set-gid copy of a program, and other accounts can run that copy.")
    package static func showFileSystem(of path: String) -> String {
        command("findmnt -T \(shellWord(path))   # if it holds homes alone, add nosuid to it in /etc/fstab")
    }
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
