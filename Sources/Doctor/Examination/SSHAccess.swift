internal import Messages

/// Whom sshd's lists let in: DenyUsers, AllowUsers, DenyGroups, AllowGroups (sshd_config(5)), in the order in which it goes by
/// them.
struct SSHAccess: Sendable {
    /// One of the four.
    enum List: String, CaseIterable, Sendable {
        case denyUsers = "DenyUsers"
        case allowUsers = "AllowUsers"
        case denyGroups = "DenyGroups"
        case allowGroups = "AllowGroups"

        fileprivate var isAboutGroups: Bool {
            self == .denyGroups || self == .allowGroups
        }

        fileprivate var isDenying: Bool {
            self == .denyUsers || self == .denyGroups
        }
    }

    /// The patterns of each.
    private var lists: [List: [String]] = [:]

    /// Reads what `sshd -T` says.
    init(_ settings: String) {
        for line in settings.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            if let list = List.allCases.first(where: { list in list.rawValue.lowercased() == words.first }) {
                lists[list, default: []] += words.dropFirst()
            }
        }
    }

    /// The list that keeps an account out; nil where none does, from wherever it may come.
    func keepingOut(_ account: SSHAccount) -> List? {
        List.allCases.first { list in
            guard let patterns = lists[list] else {
                return false
            }
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
        // Who is kept out from some places comes in from others; who is let in from some comes in.
        return (!list.isDenying || sides[1] == "*") && matchesPattern(account.name, sides[0])
    }
}

extension SSHExamination {
    /// Those whom sshd turns away by a list, whatever they prove.
    ///
    /// - Parameters:
    ///   - answers: What it says of whom, in its own words; nil: of everybody.
    ///   - group: Whose members sign in with Cognito.
    static func listFindings(
        _ answers: [(probe: SSHConfiguration.Probe?, text: String)], _ accounts: [SSHAccount],
        _ configuration: SSHConfiguration?, group: String?
    ) -> [Finding] {
        var found: [(list: SSHAccess.List, accounts: [SSHAccount])] = []
        for (probe, text) in answers where probe?.block == nil {
            let access = SSHAccess(text)
            for account in probe?.accounts ?? accounts {
                guard let list = access.keepingOut(account) else {
                    continue
                }
                if let index = found.firstIndex(where: { entry in entry.list == list }) {
                    found[index].accounts.append(account)
                } else {
                    found.append((list, [account]))
                }
            }
        }
        let total = found.map(\.accounts.count).reduce(0, +)
        return found.map { list, kept in
            Finding(
                total >= accounts.count ? .broken : .warning,
                DoctorWording.sshKeepsOut(list.rawValue, kept.map(\.name)), why: DoctorWording.sshKeepsOutWhy,
                mend: mend(list, kept, configuration, group))
        }
    }

    private static func mend(
        _ list: SSHAccess.List, _ accounts: [SSHAccount], _ configuration: SSHConfiguration?, _ group: String?
    ) -> Remedy {
        let own =
            configuration?.statements.filter { statement in
                statement.name == list.rawValue.lowercased()
                    && statement.block.map { number in
                        accounts.contains { account in configuration?.blocks[number].includes(account) ?? false }
                    } ?? true
            } ?? []
        func isNamed(_ pattern: Substring) -> Bool {
            accounts.contains { account in SSHAccess.names(String(pattern), account, list) }
        }
        let statement =
            list.isDenying
            ? own.first { statement in statement.value.split(separator: " ").contains(where: isNamed) } : own.last
        guard let statement else {
            return Remedy(DoctorWording.edit("/etc/ssh/sshd_config", line: nil))
        }
        let patterns = statement.value.split(separator: " ")
        var wanted: [String]
        switch list {
        case .denyUsers, .denyGroups:
            wanted = patterns.filter { pattern in !isNamed(pattern) }.map(String.init)
        case .allowUsers:
            wanted = patterns.map(String.init) + accounts.map(\.name)
        case .allowGroups:
            guard let group, accounts.allSatisfy({ account in account.groups.contains(group) }) else {
                return Remedy(DoctorWording.edit(statement.file, line: statement.line))
            }
            wanted = patterns.map(String.init) + [group]
        }
        guard !wanted.isEmpty else {
            return Remedy([DoctorWording.sshWithout(statement.file, statement.line)])
        }
        return Remedy([
            DoctorWording.sshReplace(
                statement.file, statement.line, list.rawValue, wanted.joined(separator: " "),
                isIndented: statement.block != nil)
        ])
    }
}
