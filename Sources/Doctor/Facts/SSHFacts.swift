internal import Commands
internal import Configuration
internal import Glibc

enum SSHFact: Equatable, Sendable {
    case absent
    /// It refuses its configuration; its own words.
    case refused(String)
    /// It did not answer in time, and would not the next time.
    case silent
    /// It has not been started since the machine was, and cannot be asked before.
    case unstarted
    /// The effective settings: a name, in any case, and a value on each line.
    case settings(String)
}

/// Which accounts sshd's lists admit: DenyUsers, AllowUsers, DenyGroups, AllowGroups (sshd_config(5)), in that order.
struct SSHAccess: Sendable {
    enum List: String, CaseIterable, Sendable {
        case denyUsers = "DenyUsers"
        case allowUsers = "AllowUsers"
        case denyGroups = "DenyGroups"
        case allowGroups = "AllowGroups"

        fileprivate var isAboutGroups: Bool { self == .denyGroups || self == .allowGroups }
        fileprivate var isDenying: Bool { self == .denyUsers || self == .denyGroups }
    }

    private var lists: [List: [String]] = [:]

    init(_ settings: String) {
        // A pattern a line, in which blanks are its own.
        for (name, pattern) in fields(settings, by: " ") {
            for list in List.allCases where list.rawValue.lowercased() == name.lowercased() {
                lists[list, default: []].append(pattern)
            }
        }
    }

    /// The list that keeps an account out; nil where none does, from wherever it may come.
    func keepingOut(_ account: SSHAccount) -> List? {
        List.allCases.first { list in
            guard let patterns = lists[list] else { return false }
            return patterns.contains { pattern in Self.names(pattern, account, list) } == list.isDenying
        }
    }

    /// Whether a pattern of that list is about an account.
    static func names(_ pattern: String, _ account: SSHAccount, _ list: List) -> Bool {
        guard !list.isAboutGroups else {
            return account.groups.contains { group in matchesPattern(group, pattern) }
        }
        let sides = pattern.split(separator: "@", maxSplits: 1).map(String.init)
        guard sides.count == 2 else {
            return matchesPattern(account.name, pattern)
        }
        // An account that is refused from some places, or admitted from some, can sign in from there.
        return (!list.isDenying || sides[1] == "*") && matchesPattern(account.name, sides[0])
    }
}

extension SSHExamination {
    init(of names: [String], _ settings: Settings, asksCognito: Bool, group: String?) {
        let written = SSHConfiguration(SSHConfiguration.path, files: filesMatching)
        self.init(
            effectiveSSHSettings(of: SSHConnection()), asksCognito: asksCognito,
            networkTimeout: settings.networkTimeout, configuration: written,
            accounts: names.map { name in
                SSHAccount(name: name, groups: written.hasGroupLists ? groupNames(of: name) : [])
            }, group: group
        ) { connection in effectiveSSHSettings(of: connection) }
    }
}

private func groupNames(of name: String) -> [String] {
    guard let account = unsafe getpwnam(name) else { return [] }
    let primary = unsafe account.pointee.pw_gid
    // As many as the kernel lets a process have.
    var count: Int32 = 65536
    var groups = [gid_t](repeating: 0, count: Int(count))
    guard unsafe getgrouplist(name, primary, &groups, &count) >= 0 else {
        return []
    }
    return groups.prefix(Int(count)).compactMap { group in
        unsafe getgrgid(group).map { entry in unsafe String(cString: entry.pointee.gr_name) }
    }
}

/// What sshd makes of its configuration for one connection (`sshd -T -C`).
func effectiveSSHSettings(of connection: SSHConnection) -> SSHFact {
    let command = ["/usr/sbin/sshd", "-T", "-C", connection.specification]
    guard linuxExists(command[0]) else { return .absent }
    let fact = SSHFact(of: command)
    guard isSystemdRunning, case .refused(let words) = fact, words.hasPrefix("Missing privilege separation directory")
    else {
        return fact
    }
    // systemd makes /run/sshd when it starts sshd: with ssh.socket only at the first connection. Until then sshd is
    // asked with a /run of its own.
    let script = "mount -t tmpfs -o mode=755 none /run && mkdir -m 755 /run/sshd && exec \"$@\""
    let alone = SSHFact(of: ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, "sh"] + command)
    // Where no file system may be mounted, nothing is known against it.
    guard case .refused(let reason) = alone, ["unshare:", "mount:", "mkdir:"].contains(where: reason.hasPrefix) else {
        return alone
    }
    return .unstarted
}

extension SSHFact {
    fileprivate init(of command: [String]) {
        guard let (status, output) = run(command) else {
            self = .silent
            return
        }
        // It ends its complaints as on a terminal.
        let last = output.split(whereSeparator: \.isNewline).last.map(String.init) ?? ""
        self = status == 0 ? .settings(output) : .refused(last)
    }
}
