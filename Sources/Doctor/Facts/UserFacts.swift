internal import Accounts
internal import Base
internal import CLinux
internal import Commands
internal import Configuration
internal import Glibc

extension PeopleFacts {
    /// Who is named by `settings`, as this machine's accounts and groups have them.
    init(of settings: Settings, passesAge: Bool) {
        let group = settings.unixGroup.map(text)
        let hasGroup = group.map { group in unsafe getgrnam(group) != nil } ?? false
        let members = group.map(groupMembers) ?? []
        let named = settings.users.map(text)
        let people = unique(named + members).compactMap { name in
            existingAccount(name).map { account in
                PersonFact(
                    name: name, uid: account.uid, isNamed: named.contains(name), isMember: members.contains(name),
                    hasUsablePassword: account.hasUsablePassword, hasLockedPassword: account.hasLockedPassword,
                    closings: AccountClosing.all(of: name))
            }
        }
        let unknown = named.filter { name in !people.contains { person in person.name == name } }
        self.init(
            people: people, unknown: unknown, group: group, hasGroup: hasGroup, minimumUID: settings.minimumUID,
            allowsLocalPasswords: settings.coverage.allowsLocalPasswords, passesAge: passesAge,
            mapped: MappedGroup.all(of: settings), hasOthers: settings.accounts != .none)
        hasRepairer = Self.canRootSignIn || Self.canBecomeRoot(besides: Set(covered.map(\.name)))
    }

    /// Whether root has a password of this machine, or an ssh key that sshd takes.
    private static var canRootSignIn: Bool {
        guard let root = existingAccount("root") else { return false }
        guard !root.hasUsablePassword else { return true }
        guard hasKey("root"), case .settings(let settings) = effectiveSSHSettings(of: SSHConnection()) else {
            return false
        }
        return ["yes", "without-password", "prohibit-password"].contains(SSHSettings(settings)["permitrootlogin"])
    }

    /// How many sudo is asked about, and how long it has for all of them, in milliseconds.
    private static let mostCandidates = 50
    private static let sudoLimit: Int64 = 10_000

    /// Whether an account can sign in with a password or a key of this machine, and then become root by sudo(8).
    private static func canBecomeRoot(besides own: Set<String>) -> Bool {
        guard linuxExists(SudoGrant.program) else {
            return false
        }
        // Which rules there are, sudo knows. Members of the groups that are sudo's by custom are asked about first.
        let names = unique(["sudo", "wheel", "admin"].flatMap(groupMembers) + accountNames { _ in true })
        let isCandidate = { (name: String) in !own.contains(name) && canSignIn(name) }
        let candidates = Array(names.lazy.filter(isCandidate).prefix(mostCandidates))
        let deadline = linux_boottime_ms() + sudoLimit
        return candidates.contains { name in
            switch SudoGrant(of: name, by: deadline) {
            case .nothing: false
            // sudo asks for their password, which a key is not.
            case .withPassword: (existingAccount(name))?.hasUsablePassword == true
            // If sudo does not answer, nothing is known against the account.
            case .withoutPassword, nil: true
            }
        }
    }

    private static func canSignIn(_ name: String) -> Bool {
        guard let account = existingAccount(name), account.uid != 0, let shell = shell(of: name), !endsSessions(shell)
        else {
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

/// The members of a group, also those whose primary group it is.
private func groupMembers(of group: String) -> [String] {
    guard let entry = unsafe getgrnam(group) else { return [] }
    let gid = unsafe entry.pointee.gr_gid
    return unsafe strings(entry.pointee.gr_mem) + accountNames { primary in primary == gid }
}

/// Every account that can be listed, each once: those of records of ours are not, while the configuration has a
/// mistake.
func allAccountNames() -> [String] {
    var names = accountNames { _ in true }
    if let store = try? AccountStore(), let recorded = try? store.names() {
        while let name = (try? recorded.next()) ?? nil {
            names.append(String(decoding: name, as: UTF8.self))
        }
    }
    return unique(names)
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

extension MappedGroup {
    /// Those that `settings` name.
    static func all(of settings: Settings) -> [MappedGroup] {
        unique(settings.groupMap.flatMap(\.unix)).map(text).map { name in
            MappedGroup(name: name, gid: unsafe getgrnam(name).map { entry in unsafe entry.pointee.gr_gid })
        }
    }
}
