internal import Accounts
internal import Base
internal import CLinux
internal import Commands
internal import Configuration
internal import Glibc
internal import Messages

/// An account of this machine, and whether it is Cognito's.
struct PersonFact: Equatable, Sendable {
    var name: String
    var uid: UInt32
    /// Whether `users` names it.
    var isNamed: Bool
    /// Whether it is in `unix_group`.
    var isMember: Bool
    var hasUsablePassword: Bool
    /// Whether a password of this machine is locked (passwd -l).
    var hasLockedPassword = false
    /// What keeps it out of this machine.
    var closings: [AccountClosing] = []
}

/// Who may sign in here with Cognito.
struct PeopleFacts: Sendable {
    /// Who is named in `users` or in `unix_group`.
    var people: [PersonFact]
    /// Names in `users` that are no accounts.
    var unknown: [String]
    /// `unix_group`.
    var group: String?
    /// Whether there is such a group.
    var hasGroup: Bool
    var minimumUID: UInt32
    /// Whether a local password of theirs counts while Cognito is away.
    var allowsLocalPasswords = false
    /// Whether the account lines of all services pass over the age of a password that nobody has.
    var passesAge = true
    /// The groups of `group_map`.
    var mapped: [MappedGroup] = []
    /// Whether others have accounts from the pool alone.
    var hasOthers = false
    /// Whether somebody can become root who is not Cognito's: root, or another with a password of this machine.
    var hasRepairer = true

    private func isReachable(_ person: PersonFact) -> Bool {
        person.uid != 0 && person.uid >= minimumUID
    }

    /// Whose sign-in is Cognito's, by the same rules as at a login.
    var covered: [PersonFact] {
        people.filter { person in
            isReachable(person)
                && (person.isNamed || (person.isMember && !person.hasUsablePassword && !person.hasLockedPassword))
        }
    }

    /// The names that nobody has.
    private func missing(_ names: NameServices) -> [Finding] {
        let isElsewhere = names.isBlind || !names.directories.isEmpty
        var found: [Finding] = []
        if let group, !hasGroup {
            found.append(
                Finding(
                    .broken, DoctorWording.noGroup(group), why: DoctorWording.noGroupWhy,
                    mend: isElsewhere ? DoctorWording.lookUp("group", group) : DoctorWording.makeGroup(group)))
        }
        return found
            + unknown.map { name in
                Finding(
                    .warning, "users names \(name), which is no account of this machine.",
                    why: "Somebody whom Cognito knows needs an account here, too; sshd turns others away.",
                    mend: isElsewhere
                        ? DoctorWording.lookUp("passwd", name)
                        : "useradd --create-home -K PASS_MAX_DAYS=-1 \(shellWord(name))")
            }
    }

    /// What there is to say of them.
    ///
    /// - Parameter names: Where names come from: who may be there all the same, or belongs elsewhere, is not made here.
    func findings(_ names: NameServices = NameServices()) -> [Finding] {
        var found = missing(names)
        found += closingFindings + mapped.flatMap(\.findings)
        for person in people where !isReachable(person) {
            found.append(
                Finding(
                    .warning, "\(person.name) has uid \(person.uid), which is below minimum_uid \(minimumUID).",
                    why: "Accounts of the system are never Cognito's, whatever names them.",
                    mend: (person.uid == 0
                        ? "# root is never Cognito's: take it out of users and of the group"
                        : DoctorWording.setOption("minimum_uid", "\(person.uid)") + "   # if it is a person's")))
        }
        for person in people where isReachable(person) && person.hasUsablePassword {
            if person.isNamed {
                guard allowsLocalPasswords else {
                    continue
                }
                found.append(
                    Finding(
                        .note, "\(person.name) has a local password, too.",
                        why: "While Cognito cannot be reached, that one opens the account."))
            } else {
                found.append(
                    Finding(
                        .warning, "\(person.name) is in the group \((group ?? "")) and has a local password.",
                        why: "Such an account stays local: it never signs in with Cognito, unless users names it.",
                        mend: DoctorWording.lockPassword(person.name)))
            }
        }
        for person in people where isReachable(person) && !person.isNamed && person.hasLockedPassword {
            found.append(
                Finding(
                    .note, "\(person.name) is in the group \((group ?? "")) and has a local password that is locked.",
                    why: "Such an account is closed, to Cognito too, until its password is unlocked or removed, "
                        + "or users names it.", mend: DoctorWording.lockPassword(person.name)))
        }
        if covered.isEmpty, !hasOthers, hasGroup || group == nil {
            found.append(
                Finding(
                    .warning, "No account of this machine is Cognito's.", why: "Nobody can sign in with Cognito here.",
                    mend: "useradd --create-home -K PASS_MAX_DAYS=-1 "
                        + "\(group.map { name in "--groups \(shellWord(name)) " } ?? "")ana"))
        }
        if !allowsLocalPasswords, !hasRepairer {
            found.append(
                Finding(
                    .warning, "Nobody can become root here without Cognito.",
                    why: "root has neither password nor ssh key, and neither has an account in sudo, wheel or "
                        + "admin that is not Cognito's: while Cognito cannot be reached, nobody repairs this "
                        + "machine.",
                    mend: "passwd root"))
        }
        return found
    }
}

extension PeopleFacts {
    /// What keeps Cognito's accounts out, each once with all whom it is about.
    private var closingFindings: [Finding] {
        var found: [(closing: AccountClosing, names: [String])] = []
        for person in covered {
            for closing in person.closings {
                if let index = found.firstIndex(where: { entry in entry.closing == closing }) {
                    found[index].names.append(person.name)
                } else {
                    found.append((closing, [person.name]))
                }
            }
        }
        let closed = covered.filter { person in
            person.closings.contains { closing in closing.closes(passingAge: passesAge) }
        }
        // Some may be closed on purpose. Where all are, nobody signs in here with Cognito.
        let worst = closed.count == covered.count && !hasOthers ? Severity.broken : .warning
        return found.map { closing, names in
            closing.finding(names, worst, passingAge: passesAge)
        }
    }

    /// Who is named by `settings`, as this machine's accounts and groups have them.
    init(of settings: Settings, passesAge: Bool) {
        let group = settings.unixGroup.map { name in String(decoding: name, as: UTF8.self) }
        var members: [String] = []
        var hasGroup = false
        if let group, let entry = unsafe getgrnam(group) {
            hasGroup = true
            let gid = unsafe entry.pointee.gr_gid
            members = unsafe strings(entry.pointee.gr_mem) + accountNames(withGroup: gid)
        }
        let named = settings.users.map { name in String(decoding: name, as: UTF8.self) }
        var people: [PersonFact] = []
        var unknown: [String] = []
        for name in named + members where !people.contains(where: { person in person.name == name }) {
            if let account = (try? Account.named(Array(name.utf8))) ?? nil {
                people.append(
                    PersonFact(
                        name: name, uid: account.uid, isNamed: named.contains(name), isMember: members.contains(name),
                        hasUsablePassword: account.hasUsablePassword, hasLockedPassword: account.hasLockedPassword,
                        closings: AccountClosing.all(of: name)))
            } else if named.contains(name) {
                unknown.append(name)
            }
        }
        self.init(
            people: people, unknown: unknown, group: group, hasGroup: hasGroup, minimumUID: settings.minimumUID,
            allowsLocalPasswords: settings.coverage.allowsLocalPasswords, passesAge: passesAge,
            mapped: MappedGroup.all(of: settings), hasOthers: settings.accounts != .none)
        hasRepairer = Self.canRootSignIn || Self.canSomebodyBecomeRoot(besides: Set(covered.map(\.name)))
    }

    /// Whether root has a password of this machine, or an ssh key that sshd takes.
    private static var canRootSignIn: Bool {
        guard let root = (try? Account.named(Array("root".utf8))) ?? nil else {
            return false
        }
        guard !root.hasUsablePassword else {
            return true
        }
        guard hasKey("root"), case .settings(let settings) = effectiveSSHSettings(of: SSHConnection()) else {
            return false
        }
        let value = SSHExamination.settings(settings)["permitrootlogin"]
        return ["yes", "without-password", "prohibit-password"].contains(value)
    }

    /// How many sudo is asked about, and how long it has for all of them, in milliseconds.
    private static let mostCandidates = 50
    private static let sudoLimit: Int64 = 10_000

    /// Whether somebody can sign in with a password or a key of this machine, and then become root by sudo(8).
    private static func canSomebodyBecomeRoot(besides own: Set<String>) -> Bool {
        guard linuxExists(SudoGrant.program) else {
            return false
        }
        var candidates: [String] = []
        for name in SudoGrant.names(in: "/etc/sudoers").flatMap(accountNames(meantBy:))
        where !own.contains(name) && !candidates.contains(name) && canSignIn(name) {
            candidates.append(name)
        }
        let deadline = linux_boottime_ms() + sudoLimit
        return candidates.prefix(mostCandidates).contains { name in
            switch SudoGrant(of: name, by: deadline) {
            case .nothing: false
            // sudo asks for their password, which a key is not.
            case .withPassword: ((try? Account.named(Array(name.utf8))) ?? nil)?.hasUsablePassword == true
            // sudo that does not answer is nothing against anybody.
            case .withoutPassword, nil: true
            }
        }
    }

    private static func canSignIn(_ name: String) -> Bool {
        guard let account = (try? Account.named(Array(name.utf8))) ?? nil, account.uid != 0,
            let entry = unsafe getpwnam(name), let shell = unsafe entry.pointee.pw_shell
        else {
            return false
        }
        let program = unsafe String(cString: shell)
        guard !program.hasSuffix("/nologin"), !program.hasSuffix("/false") else {
            return false
        }
        return account.hasUsablePassword || hasKey(name)
    }

    private static func hasKey(_ name: String) -> Bool {
        guard let entry = unsafe getpwnam(name), let home = unsafe entry.pointee.pw_dir else {
            return false
        }
        let keys = readWhole(unsafe String(cString: home) + "/.ssh/authorized_keys") ?? ""
        return keys.split(separator: "\n").contains { line in
            line.first { character in !character.isWhitespace }.map { first in first != "#" } ?? false
        }
    }
}

/// The accounts that a user of sudoers(5) stands for: a name, `%` and a group's, `ALL`.
private func accountNames(meantBy who: String) -> [String] {
    if who == "ALL" {
        return accountNames { _ in true }
    }
    guard who.hasPrefix("%") else {
        return [who]
    }
    guard let entry = unsafe getgrnam(String(who.dropFirst())) else {
        return []
    }
    let gid = unsafe entry.pointee.gr_gid
    return unsafe strings(entry.pointee.gr_mem) + accountNames(withGroup: gid)
}

/// Every account that can be listed, each once: those of records of ours are not, while the configuration has a mistake.
func allAccountNames() -> [String] {
    var names = accountNames { _ in true }
    if let store = try? AccountStore(), let recorded = try? store.names() {
        while let name = (try? recorded.next()) ?? nil {
            names.append(String(decoding: name, as: UTF8.self))
        }
    }
    var seen: Set<String> = []
    return names.filter { name in seen.insert(name).inserted }
}

/// The accounts whose primary group it is.
private func accountNames(withGroup gid: UInt32) -> [String] {
    accountNames { primary in primary == gid }
}

/// The accounts of whose primary group it is true.
private func accountNames(where isMeant: (UInt32) -> Bool) -> [String] {
    var names: [String] = []
    setpwent()
    defer { endpwent() }
    while let entry = unsafe getpwent() {
        if unsafe isMeant(entry.pointee.pw_gid), let name = unsafe entry.pointee.pw_name {
            names.append(unsafe String(cString: name))
        }
    }
    return names
}
