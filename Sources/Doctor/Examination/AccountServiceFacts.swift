internal import Accounts
internal import Base
internal import CLinux
internal import Commands
internal import Configuration
internal import Glibc
internal import LinuxHost
internal import Messages

/// Accounts that this machine has from the pool alone: what they rest on.
struct AccountServiceFacts: Sendable {
    static let socket = "/run/systemd/userdb/org.pam_cognito.Accounts"
    static let unit = "pam-cognito-userdb.socket"
    static let timer = "pam-cognito-accounts.timer"
    static let round = "pam-cognito-accounts.service"
    private static let nameServices = "/etc/nsswitch.conf"

    var nameServices = ""
    /// nil where systemd does not run.
    var units: [AgentFacts.Unit]?
    /// Whether somebody listens at the socket.
    var isHeard = true
    /// Whether the service can read the configuration, which is there.
    var path = ""
    var isReadable = true
    /// Whether accounts come from the pool's directory, and there is an IAM identity to ask it with.
    var isFromDirectory = false
    var hasIdentity = true
    /// Why the store is not read; nil: it is.
    var storeFault: ErrorNumber?
    /// How many accounts there are.
    var count = 0
    /// Somebody of whom there is a record, and no account.
    var unserved: String?
    /// Records that are not believed, and such that are not answered for: this machine's own names and numbers win.
    var damaged: [String] = []
    var refused: [String] = []
    /// Other sources of names (nsswitch.conf): one that stands behind systemd, where it has to stand in front; those that give no answer;
    /// and whose accounts they know, too.
    var sourceBehind: String?
    var silentSources: [String] = []
    var contested: [String] = []
    /// Whether accounts come from a first sign-in, with user ids that are made of names alone.
    var areUserIDsByName = false
    var range = UserIDRange.default
    /// Other ranges of user ids: what gives them away, and which.
    var others: [(name: String, lowest: UInt32, highest: UInt32)] = []
    /// A home on a file system where set-gid programs have effect, though group_map gives groups away; nil: there is none.
    var homeWithSetID: String?
    /// Folders of homes that belong to a user id in the range, and to no account.
    var strayHomes: [(path: String, uid: UInt32)] = []

    /// What is wrong with it.
    var findings: [Finding] {
        nameFindings + serviceFindings + directoryFindings + firstSignInFindings + recordFindings + sourceFindings
            + rangeFindings + homeFindings
    }

    private var homeFindings: [Finding] {
        guard let homeWithSetID else {
            return []
        }
        return [
            Finding(
                .note,
                "\(homeWithSetID) is on a file system without the option nosuid, and group_map gives groups away.",
                why: "A user can keep a lost group in a set-gid copy of a program, and other accounts can run "
                    + "that copy.",
                mend: "findmnt -T \(shellWord(homeWithSetID))   # if it holds homes alone, add nosuid to it in "
                    + "/etc/fstab")
        ]
    }

    private var sourceFindings: [Finding] {
        let behind = sourceBehind.map { source in
            Finding(
                .broken, "/etc/nsswitch.conf has \(source) asked behind systemd for passwd.",
                why: "Nobody who comes for the first time gets an account: it would win over people of \(source).",
                mend: DoctorWording.edit(Self.nameServices, line: nil))
        }
        return (behind.map { finding in [finding] } ?? [])
            + silentSources.map { source in
                Finding(
                    .broken, "\(source) gives no answer, so nobody can check whether it knows a name of the pool.",
                    why: "Nobody new gets an account. Accounts that exist stay valid.",
                    mend: "getent -s \(shellWord(source)) passwd nobody; echo $?   # /etc/nsswitch.conf names it")
            }
            + contested.map { name in
                Finding(
                    .broken,
                    "\(name) is entered, and another source in /etc/nsswitch.conf knows that name or number, too.",
                    why: "Nobody signs in under it: one of the two would get the files of the other. The log says "
                        + "which source it is.",
                    mend: DoctorWording.showAccount(name))
            }
    }

    private var firstSignInFindings: [Finding] {
        areUserIDsByName
            ? [
                Finding(
                    .note, "User ids are made of people's names (accounts = sign-in).",
                    why: "Whoever chooses their name in the pool can choose one with the user id of somebody on "
                        + "another machine.",
                    mend: "Share no files between machines, or set account_uid_claim to an attribute that no app "
                        + "client may write.")
            ] : []
    }

    private var nameFindings: [Finding] {
        var found: [Finding] = []
        for database in ["passwd", "group", "shadow", "initgroups"] {
            let hasLine = Self.hasLine(of: database, in: nameServices)
            // Without lines, shadow is asked for as passwd is, and initgroups as group.
            if hasLine || database == "passwd" || database == "group",
                !NameServices.services(of: database, in: nameServices).contains("systemd")
            {
                found.append(
                    Finding(
                        .broken, "/etc/nsswitch.conf does not have systemd asked for \(database).",
                        why: database == "shadow"
                            ? "Cognito lets the people of the pool in, and pam_unix turns them away behind it: it "
                                + "finds nothing of theirs in shadow." : DoctorWording.noAccountsWhy,
                        mend: (hasLine
                            ? "/etc/nsswitch.conf: write systemd last behind \(database):"
                            : "echo '\(database): files systemd' >>/etc/nsswitch.conf")))
            } else if !hasLine, database == "initgroups" {
                found.append(
                    Finding(
                        .warning, "/etc/nsswitch.conf has no line for initgroups.",
                        why: "cognito-accounts is asked for local people's groups, too: while it hangs, their "
                            + "sign-ins wait until systemd ends it.",
                        mend: "echo 'initgroups: files systemd' >>/etc/nsswitch.conf"))
            }
        }
        return found
    }

    private static func hasLine(of database: String, in text: String) -> Bool {
        text.split(separator: "\n").contains { line in
            line.split(separator: ":").first.map { name in
                name.split(whereSeparator: \.isWhitespace).map(String.init) == [database]
            } ?? false
        }
    }

    private var serviceFindings: [Finding] {
        var found: [Finding] = []
        if !isReadable {
            found.append(
                Finding(
                    .broken, "cognito-accounts cannot read \(path).", why: DoctorWording.noAccountsWhy,
                    mend: "chmod 0644 \(shellWord(path))"))
        }
        let unit = units?.first { unit in unit.name == Self.unit }
        if !isHeard {
            let start =
                units == nil
                ? "setsid \(programFolder)/cognito-accounts </dev/null >/dev/null 2>&1 &"
                : DoctorWording.start(Self.unit)
            found.append(
                Finding(.broken, "Nobody listens at \(Self.socket).", why: DoctorWording.noAccountsWhy, mend: start)
            )
        } else if let unit, unit.file == "disabled" {
            found.append(
                Finding(
                    .warning, DoctorWording.unitDisabled(Self.unit), why: DoctorWording.noAccountsWhy,
                    mend: DoctorWording.enable(Self.unit)))
        }
        if let storeFault {
            found.append(
                Finding(
                    .broken, "\(AccountStore.directory) is not believed, or cannot be read (errno \(storeFault.code)).",
                    why: DoctorWording.noAccountsWhy,
                    mend: "chown root:root \(AccountStore.directory); chmod 0755 \(AccountStore.directory); ls -ld "
                        + "\(AccountStore.directory)"))
        }
        if let unserved, found.isEmpty, nameFindings.allSatisfy({ finding in finding.severity < .broken }) {
            found.append(
                Finding(
                    .broken, "\(unserved) is entered and has no account: getent passwd \(unserved) does not find it.",
                    why: DoctorWording.noAccountsWhy,
                    mend: "journalctl -b -n 20 -t cognito-accounts -u pam-cognito-userdb.service"))
        }
        return found
    }

    private var directoryFindings: [Finding] {
        guard isFromDirectory else {
            return []
        }
        guard hasIdentity else {
            return [
                Finding(
                    .broken,
                    "accounts = directory, and this machine has no IAM identity (iam_credentials_file, "
                        + "iam_instance_metadata).", why: DoctorWording.noRoundsWhy,
                    mend: DoctorWording.edit(path, line: nil))
            ]
        }
        return (units ?? []).compactMap { unit in
            switch (unit.name, unit.active) {
            case (Self.timer, _): AgentFacts.finding(unit, .warning, why: DoctorWording.noRoundsWhy)
            case (Self.round, "failed"): AgentFacts.failed(unit.name, .warning, why: DoctorWording.noRoundsWhy)
            default: nil
            }
        }
    }

    private var recordFindings: [Finding] {
        damaged.map { name in
            Finding(
                .warning, "The record of \(name) is damaged, and not believed.",
                why: "It was edited, is cut off or is not root's alone. Its person has no account until it is "
                    + "entered again.",
                mend: "cognito-session accounts --forget \(shellWord(name))")
        }
            + refused.map { name in
                Finding(
                    .warning, "\(name) is entered and gets no account.",
                    why: "Its name or number is a local user's or group's, a distribution's, or outside "
                        + "account_uids. The log says which.",
                    mend: DoctorWording.showAccount(name))
            }
            + strayHomes.map { home in
                Finding(
                    .note, "\(home.path) belongs to \(home.uid), which is nobody's.",
                    why: "Somebody was forgotten, or had another number. Nobody of the pool gets it by chance.",
                    mend: "find / -xdev -uid \(home.uid)   # and remove them, or give them to somebody")
            }
    }

    private var rangeFindings: [Finding] {
        others.filter { other in other.lowest <= range.highest && range.lowest <= other.highest }.map { other in
            Finding(
                .warning,
                "account_uids, \(range.lowest)-\(range.highest), and \(other.name), "
                    + "\(other.lowest)-\(other.highest), have user ids in common.",
                why: "One number can become two people's, and the files of one the other's.",
                mend: "man pam_cognito.conf   # account_uids; while there are no accounts")
        }
    }
}

extension AccountServiceFacts {
    /// As they are; nil where nobody's account comes from the pool.
    init?(of settings: Settings, at path: String) {
        guard settings.accounts != .none else {
            return nil
        }
        range = settings.accountUIDs
        self.path = path
        nameServices = readWhole(Self.nameServices) ?? ""
        if isSystemdRunning {
            let properties = "--property=Id,LoadState,ActiveState,UnitFileState"
            units = run(["/usr/bin/systemctl", "show", properties, Self.unit, Self.timer, Self.round]).map { result in
                AgentFacts.units(result.output)
            }
        }
        // It is a socket of another type than the question's.
        isHeard = unsafe linux_socket_fault(Self.socket, 1) == -EPROTOTYPE
        var status = stat()
        isReadable = unsafe stat(path, &status) != 0 || status.st_mode & S_IROTH != 0
        areUserIDsByName = settings.accounts == .signIn && settings.accountUIDClaim == nil
        if settings.accounts == .signIn {
            sourceBehind = sourceBehindOurs(in: Array(nameServices.utf8)).map { source in printable(source) }
        }
        isFromDirectory = settings.accounts == .directory
        hasIdentity = settings.hasIAMIdentity
        readRecords(AccountRules(settings), mapsGroups: !settings.groupMap.isEmpty)
        let template = String(decoding: settings.accountHome, as: UTF8.self)
        strayHomes = Self.strayHomes(in: template, range)
        others =
            Self.rangesOfUserAdd(readWhole("/etc/login.defs") ?? "")
            + Self.subordinateRanges(readWhole("/etc/subuid") ?? "")
    }

    /// So many accounts are looked up in other sources at most: of thousands that takes long, and each round does it.
    private static let mostLookedUp = 500

    /// Asks the other sources about these, and about nobody, so that each has to answer.
    private mutating func askOtherSources(about people: [SourceQuestion]) {
        let nobody = SourceQuestion(("pam-cognito-nobody" as StaticString).bytes, UInt32(Int32.max))
        for answer in LinuxMachine().otherSources(about: [nobody] + people.prefix(Self.mostLookedUp)) {
            switch answer.verdict {
            case .nobody: break
            case .known: contested.append(printable(answer.name))
            case .silent(let source):
                let name: String = source.isEmpty ? "cognito-agent" : printable(source)
                if !silentSources.contains(name) {
                    silentSources.append(name)
                }
            }
        }
    }

    private mutating func readRecords(_ rules: AccountRules, mapsGroups: Bool) {
        var people: [SourceQuestion] = []
        defer { askOtherSources(about: people) }
        do throws(AccountFault) {
            let store = try AccountStore()
            let names = try store.names()
            while let name = try names.next() {
                let text: String = printable(name)
                guard let record = try? store.record(named: name) else {
                    damaged.append(text)
                    continue
                }
                guard record.state != .forgotten else {
                    continue
                }
                count += 1
                people.append(SourceQuestion(record.name, record.uid))
                let home = String(decoding: record.home, as: UTF8.self)
                if mapsGroups, homeWithSetID == nil, count <= Self.mostHomes, Self.honoursSetID(home) {
                    homeWithSetID = printable(record.home)
                }
                if rules.objection(to: record) != nil {
                    refused.append(text)
                } else if unserved == nil, count <= 3, unsafe getpwnam(text)?.pointee.pw_uid != record.uid {
                    unserved = text
                }
            }
        } catch .directory(let error) where error != .noSuchFileOrDirectory {
            storeFault = error
        } catch {
            // Nobody has been entered.
        }
    }

    /// So many homes are looked at, which may have to be mounted first.
    private static let mostHomes = 3

    /// Whether set-uid and set-gid programs have effect on the file system of something that there is.
    private static func honoursSetID(_ path: String) -> Bool {
        var system = statvfs()
        return unsafe statvfs(path, &system) == 0 && system.f_flag & 2 == 0  // ST_NOSUID
    }

    /// What login.defs(5) has useradd(8) give away.
    static func rangesOfUserAdd(_ text: String) -> [(name: String, lowest: UInt32, highest: UInt32)] {
        var values: [String: UInt32] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(whereSeparator: \.isWhitespace)
            if words.count >= 2, let number = UInt32(words[1]) {
                values[String(words[0])] = number
            }
        }
        // As useradd(8) has them where nothing is said.
        return [
            ("UID_MIN", values["UID_MIN"] ?? 1000, values["UID_MAX"] ?? 60_000),
            ("SUB_UID_MIN", values["SUB_UID_MIN"] ?? 100_000, values["SUB_UID_MAX"] ?? 600_100_000),
        ]
    }

    /// What subuid(5) has given away: whose.
    static func subordinateRanges(_ text: String) -> [(name: String, lowest: UInt32, highest: UInt32)] {
        SubordinateIDs(parsing: Array(text.utf8)).shares.map { share in
            ("/etc/subuid, \(printable(share.owner) as String)", share.lowest, share.highest)
        }
    }

    private static func strayHomes(in template: String, _ range: UserIDRange) -> [(path: String, uid: UInt32)] {
        guard template.hasSuffix("/{user}") else {
            return []
        }
        let folder = String(template.dropLast("/{user}".count))
        return fileNames(in: folder).compactMap { name in
            var status = stat()
            guard unsafe lstat("\(folder)/\(name)", &status) == 0, range.contains(status.st_uid),
                unsafe getpwuid(status.st_uid) == nil
            else {
                return nil
            }
            return ("\(folder)/\(printable(Array(name.utf8)) as String)", status.st_uid)
        }
    }
}
