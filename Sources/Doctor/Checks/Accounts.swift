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
        "Accounts are not updated: new users of the pool get no account, and removed users keep their accounts and ssh "
        + "keys."
    private static let noAccountsWhy =
        "On this machine, some users of the pool have no account or lack some of their groups. sshd refuses users "
        + "without an account."

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
    var count = 0
    /// A user of whom there is a record, and no account.
    var unserved: String?
    /// Records that are not trusted, and such that are not answered for: this machine's own names and numbers win.
    var damaged: [String] = []
    var refused: [String] = []
    /// Other sources of names (nsswitch.conf): one behind systemd that has to be in front; those that give no answer;
    /// and whose accounts they know, too.
    var sourceBehind: String?
    var silentSources: [String] = []
    var contested: [String] = []
    var range = UserIDRange.default
    /// Other ranges of user ids: what gives them away, and which.
    var others: [(name: String, lowest: UInt32, highest: UInt32)] = []

    var findings: [Check] {
        let causes = nameFindings + serviceFindings
        let isExplained = causes.contains { check in check.id != .noInitgroups }
        return causes + directoryFindings + recordFindings + sourceFindings + userIDFindings
            + (isExplained ? [] : unservedFindings)
    }

    @CheckList private var nameFindings: [Check] {
        for database in ["passwd", "group", "shadow", "initgroups"] {
            let hasLine = hasLine(of: database)
            // Without lines, shadow is asked for as passwd is, and initgroups as group.
            if hasLine || database == "passwd" || database == "group",
                !NameServices.services(of: database, in: nameServices).contains("systemd")
            {
                Check(
                    .unaskedForNames, .broken, "/etc/nsswitch.conf does not list systemd for \(database).",
                    why: database == "shadow"
                        ? "pam_unix refuses users of the pool, even if Cognito accepts them, because it finds no "
                            + "shadow entry for them." : Self.noAccountsWhy,
                    fix: hasLine
                        ? "/etc/nsswitch.conf: add systemd at the end of the \(database) line"
                        : "echo '\(database): files systemd' >>/etc/nsswitch.conf")
            } else if !hasLine, database == "initgroups" {
                Check(
                    .noInitgroups, .warning, "/etc/nsswitch.conf has no line for initgroups.",
                    why: "A lookup of a local user's groups also queries cognito-accounts. If cognito-accounts hangs, "
                        + "local users wait until systemd kills it.",
                    fix: "echo 'initgroups: files systemd' >>/etc/nsswitch.conf")
            }
        }
    }

    private func hasLine(of database: String) -> Bool {
        fields(nameServices, by: ":").contains { name, _ in
            name.split(whereSeparator: \.isWhitespace) == [database[...]]
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
                .accountsDeaf, .broken, "No program is listening on \(Self.socket).", why: Self.noAccountsWhy,
                fix: units == nil
                    ? "setsid \(programFolder)/cognito-accounts </dev/null >/dev/null 2>&1 &"
                    : SystemdUnit.start(Self.unit))
        } else if let unit = units?.first(where: { unit in unit.name == Self.unit }), unit.file == "disabled" {
            unit.finding(.warning, why: Self.noAccountsWhy)
        }
        if let storeFault {
            let store = AccountStore.directory
            Check(
                .accountStore, .broken, "\(store) is not trusted, or cannot be read (errno \(storeFault.code)).",
                why: Self.noAccountsWhy, fix: "chown root:root \(store); chmod 0755 \(store); ls -ld \(store)")
        }
    }

    @CheckList private var unservedFindings: [Check] {
        if let unserved {
            Check(
                .unservedAccount, .broken,
                "\(unserved) has an account record, but getent passwd \(unserved) finds no account.",
                why: Self.noAccountsWhy, fix: "journalctl -b -n 20 -t cognito-accounts -u pam-cognito-userdb.service")
        }
    }

    @CheckList private var directoryFindings: [Check] {
        if isFromDirectory, !hasIdentity {
            Check(
                .directoryWithoutIdentity, .broken,
                "accounts = directory is set, but this machine has no IAM identity (iam_credentials_file, "
                    + "iam_instance_metadata).", why: Self.noRoundsWhy, fix: edit(path))
        } else if isFromDirectory {
            for unit in units ?? [] where unit.name != Self.unit {
                unit.finding(.warning, why: Self.noRoundsWhy, mustRun: unit.name == Self.timer)
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
                .damagedRecord, .warning, "The account record of \(name) is damaged and is not used.",
                why: "The account record was edited or truncated, or accounts other than root can change it. The user "
                    + "has no account until a new record is written.",
                fix: "cognito-session accounts --forget \(shellWord(name))")
        }
        for name in refused {
            Check(
                .refusedRecord, .warning,
                "\(name) has an account record, but the record conflicts with this machine's accounts or settings.",
                why: "A local user or group has the same name or id, the name is reserved for a system user or group, "
                    + "or the user id is outside account_uids. The log shows the reason.", fix: Self.show(name))
        }
    }

    @CheckList private var sourceFindings: [Check] {
        if let source = sourceBehind {
            Check(
                .sourceBehind, .broken, "In the passwd line of /etc/nsswitch.conf, \(source) comes after systemd.",
                why: "Accounts cannot be created at the first sign-in, because these accounts would take precedence "
                    + "over users from \(source).",
                fix: edit("/etc/nsswitch.conf"))
        }
        for source in silentSources {
            Check(
                .silentSource, .broken,
                "\(source) does not respond, so conflicts with users of the pool cannot be detected.",
                why: "No new accounts are created. Existing accounts stay valid.",
                fix: "getent -s \(shellWord(source)) passwd no-such-user; echo $?   # source in /etc/nsswitch.conf")
        }
        for name in contested {
            Check(
                .contestedAccount, .broken,
                "\(name) has an account record, but another source in /etc/nsswitch.conf also has this name or "
                    + "user id.",
                why: "Sign-ins with this name are refused, because two users who share a name or user id could access "
                    + "each other's files. The log shows which source in /etc/nsswitch.conf has the same name or "
                    + "user id.", fix: Self.show(name))
        }
    }

    @CheckList private var userIDFindings: [Check] {
        for other in others where other.lowest <= range.highest && range.lowest <= other.highest {
            Check(
                .sharedUserIDs, .warning,
                "account_uids (\(range.lowest)-\(range.highest)) and \(other.name) (\(other.lowest)-\(other.highest)) "
                    + "overlap.",
                why: "Two users can get the same user id and then access each other's files.",
                fix: "man pam_cognito.conf   # change account_uids before accounts exist")
        }
    }
}
