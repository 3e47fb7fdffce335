internal import Configuration

/// An account as `Match` looks at it (sshd_config(5)).
struct SSHAccount: Equatable, Sendable {
    var name: String
    /// The names of all its groups.
    var groups: [String]
}

/// A connection that `sshd -T -C` is asked about; without a user, one that this machine does not know.
struct SSHConnection: Equatable, Sendable {
    /// An address for documentation (RFC 5737): only settings for all addresses apply to it.
    private static let nobodys = "192.0.2.1"

    var user = "-"
    var host = nobodys
    var address = nobodys
    var localAddress = "192.0.2.2"
    var localPort = "22"
    var routingDomain: String?

    /// The argument of `-C`. sshd gives up where a block asks for what is not in it.
    var specification: String {
        var parts = ["user=\(user)", "host=\(host)", "addr=\(address)", "laddr=\(localAddress)", "lport=\(localPort)"]
        if let routingDomain {
            parts.append("rdomain=\(routingDomain)")
        }
        return parts.joined(separator: ",")
    }
}

/// sshd's configuration as it is written, to know whom and which places to ask sshd about. What is in force only sshd
/// says (`sshd -T -C`).
struct SSHConfiguration: Sendable {
    /// What a `Match` line asks for.
    private struct Criterion: Equatable, Sendable {
        /// In small letters.
        var name: String
        var patterns: String

        /// Whether it is about who comes, not about where from.
        var isPersonal: Bool {
            name == "user" || name == "group"
        }
    }

    /// What a `Match` line asks for, with what one around its file does.
    private struct Block: Sendable {
        var criteria: [Criterion]

        /// Whether the block is about this account, from wherever it comes.
        func includes(_ account: SSHAccount) -> Bool {
            criteria.allSatisfy { criterion in
                switch criterion.name {
                case "user": matchesList(account.name, criterion.patterns)
                case "group": matchesAny(account.groups, criterion.patterns)
                default: true
                }
            }
        }

        /// `connection` from where the criteria look. Nil where that cannot be told.
        func placed(_ connection: SSHConnection) -> SSHConnection? {
            var connection = connection
            for criterion in criteria where !criterion.isPersonal {
                guard let sample = sampleOf(criterion.patterns, isAddress: criterion.name.hasSuffix("address")) else {
                    return nil
                }
                switch criterion.name {
                case "address":
                    connection.address = sample.isEmpty ? connection.address : sample
                    connection.host = connection.address
                case "host": connection.host = sample.isEmpty ? connection.host : sample
                case "localaddress": connection.localAddress = sample.isEmpty ? connection.localAddress : sample
                case "localport": connection.localPort = sample.isEmpty ? connection.localPort : sample
                case "rdomain": connection.routingDomain = sample
                default: return nil
                }
            }
            return connection
        }
    }

    /// A connection, and all accounts for which sshd would say the same.
    struct Probe {
        var connection: SSHConnection
        var accounts: [SSHAccount]
        /// Whether it comes from where a block looks, and not from nowhere in particular.
        var isElsewhere = false
    }

    static let path = "/etc/ssh/sshd_config"
    /// Each costs a start of sshd.
    private static let mostProbes = 64
    /// As deep as sshd follows `Include`.
    private static let deepest = 16
    private static let olderNames = [
        "challengeresponseauthentication": "kbdinteractiveauthentication",
        "skeyauthentication": "kbdinteractiveauthentication",
    ]

    private var blocks: [Block] = []
    /// The keywords of each file, in small letters and by their names of today.
    private(set) var keywords: [(file: String, name: String)] = []
    /// Files that include one another twice would be read thousands of times.
    private var filesLeft = 256

    /// Reads it.
    ///
    /// - Parameter files: The files that a pattern of glob(3) stands for, in order, with what is in them.
    init(_ path: String, files: (_ pattern: String) -> [(path: String, text: String)]) {
        for file in files(path) {
            read(file, within: [], depth: 0, files)
        }
    }

    private mutating func read(
        _ file: (path: String, text: String), within outer: [Criterion], depth: Int,
        _ files: (_ pattern: String) -> [(path: String, text: String)]
    ) {
        guard filesLeft > 0 else {
            return
        }
        filesLeft -= 1
        var criteria = outer
        for text in file.text.split(separator: "\n") {
            var words = words(text)[...]
            guard let keyword = words.popFirst()?.lowercased() else {
                continue
            }
            switch keyword {
            case "match":
                criteria = outer
                while let name = words.popFirst()?.lowercased() {
                    if name != "all" {
                        criteria.append(Criterion(name: name, patterns: words.popFirst() ?? ""))
                    }
                }
                blocks.append(Block(criteria: criteria))
            case "include" where depth < Self.deepest:
                for pattern in words {
                    for included in files(pattern.hasPrefix("/") ? pattern : "/etc/ssh/\(pattern)") {
                        read(included, within: criteria, depth: depth + 1, files)
                    }
                }
            default: keywords.append((file.path, Self.olderNames[keyword] ?? keyword))
            }
        }
    }

    /// The files in which a keyword stands, for a person to look; without, the main one.
    func files(naming name: String) -> String {
        var files: [String] = []
        for keyword in keywords where keyword.name == name.lowercased() && !files.contains(keyword.file) {
            files.append(keyword.file)
        }
        return files.isEmpty ? Self.path : files.joined(separator: ", ")
    }

    /// Whether a block or a list asks for groups.
    var asksForGroups: Bool {
        keywords.contains { keyword in ["allowgroups", "denygroups"].contains(keyword.name) }
            || blocks.contains { block in block.criteria.contains { criterion in criterion.name == "group" } }
    }

    /// What sshd is to be asked about: each kind of account once, from nowhere in particular and from where each block
    /// looks. None where there are no blocks.
    func probes(_ accounts: [SSHAccount], port: String) -> [Probe] {
        guard !blocks.isEmpty else {
            return []
        }
        var kinds: [(blocks: [Int], accounts: [SSHAccount])] = []
        // A comma would end the name.
        for account in accounts where !account.name.contains(",") {
            let own = blocks.indices.filter { number in blocks[number].includes(account) }
            if let index = kinds.firstIndex(where: { kind in kind.blocks == own }) {
                kinds[index].accounts.append(account)
            } else {
                kinds.append((own, [account]))
            }
        }
        var probes: [Probe] = []
        for kind in kinds {
            let usual = SSHConnection(user: kind.accounts[0].name, localPort: port)
            probes.append(Probe(connection: usual, accounts: kind.accounts))
            for number in kind.blocks {
                if let connection = blocks[number].placed(usual), connection != usual {
                    probes.append(Probe(connection: connection, accounts: kind.accounts, isElsewhere: true))
                }
            }
        }
        return Array(probes.prefix(Self.mostProbes))
    }
}

/// The words of a line, as sshd takes them apart: by blanks and an equals sign behind the first, quotes aside, up to
/// "#".
private func words(_ line: Substring) -> [String] {
    var words: [String] = []
    var word = ""
    var isQuoted = false
    var hasWord = false
    func isGap(_ letter: Character) -> Bool {
        letter.isWhitespace || letter == "=" && words.count <= 1
    }
    for letter in line {
        if letter == "\"" {
            isQuoted.toggle()
            hasWord = true
        } else if !isQuoted, letter == "#", !hasWord {
            break
        } else if !isQuoted, isGap(letter) {
            if hasWord {
                words.append(word)
            }
            word = ""
            hasWord = false
        } else {
            word.append(letter)
            hasWord = true
        }
    }
    if hasWord {
        words.append(word)
    }
    return words
}

/// Whether a name is in a list of patterns; what stands behind "!" must not fit (PATTERNS of ssh_config(5)).
func matchesList(_ name: String, _ list: String) -> Bool {
    var isFound = false
    for pattern in list.split(separator: ",") {
        if pattern.hasPrefix("!") {
            if matchesPattern(name, String(pattern.dropFirst())) {
                return false
            }
        } else if matchesPattern(name, String(pattern)) {
            isFound = true
        }
    }
    return isFound
}

/// The same of several names, of which each may fit and none what is behind "!".
private func matchesAny(_ names: [String], _ list: String) -> Bool {
    let unwanted = list.split(separator: ",").filter { pattern in pattern.hasPrefix("!") }
    let isUnwanted = names.contains { name in
        unwanted.contains { pattern in matchesList(name, String(pattern.dropFirst())) }
    }
    return !isUnwanted && names.contains { name in matchesList(name, list) }
}

/// Whether a name fits one pattern.
func matchesPattern(_ name: String, _ pattern: String) -> Bool {
    fits(Array(name.utf8), Array(pattern.utf8))
}

/// Something that the first pattern of a list fits that says what it wants: empty where any will do, nil where none
/// does.
private func sampleOf(_ list: String, isAddress: Bool) -> String? {
    guard let pattern = list.split(separator: ",").first(where: { pattern in !pattern.hasPrefix("!") }) else {
        return nil
    }
    guard pattern != "*" else {
        return ""
    }
    guard isAddress, let slash = pattern.firstIndex(of: "/") else {
        return String(pattern.map { letter in letter == "*" || letter == "?" ? "1" : letter })
    }
    // The network's own address is one within it.
    switch pattern[..<slash] {
    case "0.0.0.0": return ""
    case "::": return "2001:db8::1"
    case let network: return String(network)
    }
}
