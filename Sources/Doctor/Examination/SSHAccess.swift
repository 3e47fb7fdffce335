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
            // A pattern a line, in which blanks are its own.
            let sides = line.split(separator: " ", maxSplits: 1).map(String.init)
            if sides.count == 2,
                let list = List.allCases.first(where: { $0.rawValue.lowercased() == sides[0].lowercased() })
            {
                lists[list, default: []].append(sides[1])
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
        for (probe, text) in answers where probe?.isElsewhere != true {
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
                "sshd's \(list.rawValue) keeps out \(DoctorWording.peopleSummary(kept.map(\.name))).",
                why: DoctorWording.sshKeepsOutWhy,
                mend: fix(list, kept, configuration, group))
        }
    }

    private static func fix(
        _ list: SSHAccess.List, _ accounts: [SSHAccount], _ configuration: SSHConfiguration?, _ group: String?
    ) -> String {
        let files = configuration?.files(naming: list.rawValue) ?? "/etc/ssh/sshd_config"
        let added =
            switch list {
            // Whoever else is kept out by the pattern may be meant.
            case .denyUsers, .denyGroups: [String]()
            case .allowUsers: accounts.map(\.name)
            case .allowGroups:
                [group].compactMap(\.self).filter { group in
                    accounts.allSatisfy { account in account.groups.contains(group) }
                }
            }
        return added.isEmpty
            ? "editor \(files)   # \(list.rawValue) may be meant for others"
            : "add \(added.joined(separator: " ")) to \(list.rawValue) in \(files); then: systemctl reload ssh"
    }
}
