internal import Accounts
internal import Base
internal import Commands
internal import Configuration
internal import Messages

/// Accounts that this machine has from the pool alone: what they rest on.
struct AccountServiceFacts: Sendable {
    static let socket = "/run/systemd/userdb/org.pam_cognito.Accounts"
    static let unit = "pam-cognito-userdb.socket"
    static let timer = "pam-cognito-accounts.timer"
    static let round = "pam-cognito-accounts.service"
    static let noRoundsWhy =
        "Accounts stay as they are: who comes into the pool has none here, and who leaves it keeps theirs, with their "
        + "ssh keys."
    private static let noAccountsWhy =
        "The people of the pool have no account, or not their groups: sshd turns them away before anybody is asked."

    var nameServices = ""
    /// nil where systemd does not run.
    var units: [SystemdUnit]?
    /// Whether there is a listener at the socket.
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
    /// A user of whom there is a record, and no account.
    var unserved: String?
    /// Records that are not trusted, and such that are not answered for: this machine's own names and numbers win.
    var damaged: [String] = []
    var refused: [String] = []
    /// Other sources of names (nsswitch.conf): one that stands behind systemd, where it has to stand in front; those
    /// that give no answer; and whose accounts they know, too.
    var sourceBehind: String?
    var silentSources: [String] = []
    var contested: [String] = []
    /// Whether accounts come from a first sign-in, with user ids that are made of names alone.
    var areUserIDsByName = false
    var range = UserIDRange.default
    /// Other ranges of user ids: what gives them away, and which.
    var others: [(name: String, lowest: UInt32, highest: UInt32)] = []
    /// A home on a file system where set-gid programs have effect, though group_map gives groups away; nil: none.
    var homeWithSetID: String?
    /// Directories of homes that belong to a user id in the range, and to no account.
    var strayHomes: [(path: String, uid: UInt32)] = []

    var findings: [Check] {
        let names = nameFindings
        let services = serviceFindings
        return names + services + directoryFindings + recordFindings + sourceFindings + userIDFindings
            + unservedFindings(isExplained: !services.isEmpty || names.contains { check in check.severity == .broken })
    }

    @CheckList private var nameFindings: [Check] {
        for database in ["passwd", "group", "shadow", "initgroups"] {
            let hasLine = hasLine(of: database)
            // Without lines, shadow is asked for as passwd is, and initgroups as group.
            if hasLine || database == "passwd" || database == "group",
                !NameServices.services(of: database, in: nameServices).contains("systemd")
            {
                Check(
                    .unaskedForNames, .broken, "/etc/nsswitch.conf does not have systemd asked for \(database).",
                    why: database == "shadow"
                        ? "Cognito lets the people of the pool in, and pam_unix turns them away behind it: it finds "
                            + "nothing of theirs in shadow." : Self.noAccountsWhy,
                    fix: hasLine
                        ? "/etc/nsswitch.conf: write systemd last behind \(database):"
                        : "echo '\(database): files systemd' >>/etc/nsswitch.conf")
            } else if !hasLine, database == "initgroups" {
                Check(
                    .noInitgroups, .warning, "/etc/nsswitch.conf has no line for initgroups.",
                    why: "cognito-accounts is asked for local people's groups, too: while it hangs, their sign-ins "
                        + "wait until systemd ends it.", fix: "echo 'initgroups: files systemd' >>/etc/nsswitch.conf")
            }
        }
    }

    private func hasLine(of database: String) -> Bool {
        nameServices.split(separator: "\n").contains { line in
            line.split(separator: ":").first?.split(whereSeparator: \.isWhitespace).map(String.init) == [database]
        }
    }

    @CheckList private var serviceFindings: [Check] {
        if !isReadable {
            Check(
                .unreadableConfiguration, .broken, "cognito-accounts cannot read \(path).", why: Self.noAccountsWhy,
                fix: "chmod 0644 \(shellWord(path))")
        }
        if !isHeard {
            Check(
                .accountsDeaf, .broken, "Nobody listens at \(Self.socket).", why: Self.noAccountsWhy,
                fix: units == nil
                    ? "setsid \(programFolder)/cognito-accounts </dev/null >/dev/null 2>&1 &"
                    : SystemdUnit.start(Self.unit))
        } else if let unit = units?.first(where: { unit in unit.name == Self.unit }), unit.file == "disabled" {
            unit.disabled(why: Self.noAccountsWhy)
        }
        if let storeFault {
            let store = AccountStore.directory
            Check(
                .accountStore, .broken, "\(store) is not believed, or cannot be read (errno \(storeFault.code)).",
                why: Self.noAccountsWhy, fix: "chown root:root \(store); chmod 0755 \(store); ls -ld \(store)")
        }
    }

    @CheckList
    private func unservedFindings(isExplained: Bool) -> [Check] {
        if let unserved, !isExplained {
            Check(
                .unservedAccount, .broken,
                "\(unserved) is entered and has no account: getent passwd \(unserved) does not find it.",
                why: Self.noAccountsWhy, fix: "journalctl -b -n 20 -t cognito-accounts -u pam-cognito-userdb.service")
        }
    }

    @CheckList private var directoryFindings: [Check] {
        if isFromDirectory, !hasIdentity {
            Check(
                .directoryWithoutIdentity, .broken,
                "accounts = directory, and this machine has no IAM identity (iam_credentials_file, "
                    + "iam_instance_metadata).", why: Self.noRoundsWhy, fix: edit(path))
        } else if isFromDirectory {
            for unit in units ?? [] {
                if unit.name == Self.timer {
                    unit.finding(.warning, why: Self.noRoundsWhy)
                } else if unit.name == Self.round {
                    unit.failed(.warning, why: Self.noRoundsWhy)
                }
            }
        }
    }

    private static func show(_ name: String) -> String {
        "cognito-session accounts --show \(shellWord(name)); getent passwd \(shellWord(name)); "
            + "getent group \(shellWord(name))"
    }

    @CheckList private var recordFindings: [Check] {
        for name in damaged {
            Check(
                .damagedRecord, .warning, "The record of \(name) is damaged, and not believed.",
                why: "It was edited, is cut off or is not root's alone. Its person has no account until it is entered "
                    + "again.", fix: "cognito-session accounts --forget \(shellWord(name))")
        }
        for name in refused {
            Check(
                .refusedRecord, .warning, "\(name) is entered and gets no account.",
                why: "Its name or number is a local user's or group's, a distribution's, or outside account_uids. The "
                    + "log says which.", fix: Self.show(name))
        }
        for home in strayHomes {
            Check(
                .strayHome, .note, "\(home.path) belongs to \(home.uid), which is nobody's.",
                why: "Somebody was forgotten, or had another number. Nobody of the pool gets it by chance.",
                fix: "find / -xdev -uid \(home.uid)   # and remove them, or give them to somebody")
        }
        if let homeWithSetID {
            Check(
                .homeWithSetID, .note,
                "\(homeWithSetID) is on a file system without the option nosuid, and group_map gives groups away.",
                why: "A user can keep a lost group in a set-gid copy of a program, and other accounts can run that "
                    + "copy.",
                fix: "findmnt -T \(shellWord(homeWithSetID))   # if it holds homes alone, add nosuid to it in "
                    + "/etc/fstab")
        }
    }

    @CheckList private var sourceFindings: [Check] {
        if let source = sourceBehind {
            Check(
                .sourceBehind, .broken, "/etc/nsswitch.conf has \(source) asked behind systemd for passwd.",
                why: "Nobody who comes for the first time gets an account: it would win over people of \(source).",
                fix: edit("/etc/nsswitch.conf"))
        }
        for source in silentSources {
            Check(
                .silentSource, .broken,
                "\(source) gives no answer, so nobody can check whether it knows a name of the pool.",
                why: "Nobody new gets an account. Accounts that exist stay valid.",
                fix: "getent -s \(shellWord(source)) passwd nobody; echo $?   # /etc/nsswitch.conf names it")
        }
        for name in contested {
            Check(
                .contestedAccount, .broken,
                "\(name) is entered, and another source in /etc/nsswitch.conf knows that name or number, too.",
                why: "Nobody signs in under it: one of the two would get the files of the other. The log says which "
                    + "source it is.", fix: Self.show(name))
        }
    }

    @CheckList private var userIDFindings: [Check] {
        if areUserIDsByName {
            Check(
                .userIDsByName, .note, "User ids are made of people's names (accounts = sign-in).",
                why: "Whoever chooses their name in the pool can choose one with the user id of somebody on another "
                    + "machine.",
                fix: "Share no files between machines, or set account_uid_claim to an attribute that no app client "
                    + "may write.")
        }
        for other in others where other.lowest <= range.highest && range.lowest <= other.highest {
            Check(
                .sharedUserIDs, .warning,
                "account_uids, \(range.lowest)-\(range.highest), and \(other.name), \(other.lowest)-\(other.highest), "
                    + "have user ids in common.",
                why: "One number can become two people's, and the files of one the other's.",
                fix: "man pam_cognito.conf   # account_uids; while there are no accounts")
        }
    }
}
