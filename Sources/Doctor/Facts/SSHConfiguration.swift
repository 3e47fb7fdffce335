internal import Configuration

/// An account as sshd's lists look at it (sshd_config(5)).
struct SSHAccount: Equatable, Sendable {
    var name: String
    var groups: [String]
}

/// A connection that `sshd -T -C` is asked about; without a user, one that this machine does not know.
struct SSHConnection: Equatable, Sendable {
    /// An address for documentation (RFC 5737): only settings for all addresses apply to it.
    private static let anAddress = "192.0.2.1"

    var user = "-"
    var host = anAddress
    var address = anAddress
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

/// sshd's configuration as it is written, to know from which places to ask sshd, and in which files to look. What is in
/// force only sshd says (`sshd -T -C`).
struct SSHConfiguration: Sendable {
    struct Probe {
        var connection: SSHConnection
        var account: SSHAccount
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

    /// What each `Match` line asks for, with what one around its file does: names in small letters, and patterns.
    private var blocks: [[(name: String, patterns: String)]] = []
    /// The keywords of each file, in small letters and by their names of today.
    private(set) var keywords: [(file: String, name: String)] = []
    /// Files that include one another twice would be read thousands of times.
    private var filesLeft = 256

    /// - Parameter files: The files that a pattern of glob(3) stands for, in order, with what is in them.
    init(_ path: String, files: (_ pattern: String) -> [(path: String, text: String)]) {
        for file in files(path) {
            read(file, within: [], depth: 0, files)
        }
    }

    private mutating func read(
        _ file: (path: String, text: String), within outer: [(name: String, patterns: String)], depth: Int,
        _ files: (_ pattern: String) -> [(path: String, text: String)]
    ) {
        guard filesLeft > 0 else { return }
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
                        criteria.append((name, words.popFirst() ?? ""))
                    }
                }
                blocks.append(criteria)
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

    /// The files that contain a keyword; the main one if none does.
    func files(naming name: String) -> String {
        let files = unique(keywords.filter { keyword in keyword.name == name.lowercased() }.map(\.file))
        return files.isEmpty ? Self.path : files.joined(separator: ", ")
    }

    var hasGroupLists: Bool {
        keywords.contains { keyword in ["allowgroups", "denygroups"].contains(keyword.name) }
    }

    /// What sshd is to be asked about: each account from nowhere in particular, then from where each block looks. None
    /// where there are no blocks.
    func probes(_ accounts: [SSHAccount], port: String) -> [Probe] {
        guard !blocks.isEmpty else { return [] }
        // A comma would end the name.
        let asked = accounts.filter { account in !account.name.contains(",") }
        let usual = asked.map { account in
            Probe(connection: SSHConnection(user: account.name, localPort: port), account: account)
        }
        let elsewhere = blocks.flatMap { criteria in
            usual.compactMap { probe in
                Self.placed(probe.connection, criteria).map { connection in
                    Probe(connection: connection, account: probe.account, isElsewhere: true)
                }
            }
        }
        return Array((usual + elsewhere).prefix(Self.mostProbes))
    }

    /// A connection from where criteria look; nil where they look at no place, or where that cannot be told.
    private static func placed(
        _ usual: SSHConnection, _ criteria: [(name: String, patterns: String)]
    ) -> SSHConnection? {
        var connection = usual
        for (name, patterns) in criteria where name != "user" && name != "group" {
            guard let sample = sampleOf(patterns, isAddress: name.hasSuffix("address")) else { return nil }
            switch name {
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
        return connection == usual ? nil : connection
    }
}

/// The words of a line without their quotes. Values with blanks are not looked at.
private func words(_ line: Substring) -> [String] {
    let parts = line.split { letter in letter.isWhitespace || letter == "=" || letter == "\"" }
    return parts.prefix { part in !part.hasPrefix("#") }.map(String.init)
}

func matchesPattern(_ name: String, _ pattern: String) -> Bool { fits(Array(name.utf8), Array(pattern.utf8)) }

/// Something that the first pattern of a list fits that says what it wants: empty where any will do, nil where none
/// does.
private func sampleOf(_ list: String, isAddress: Bool) -> String? {
    guard let pattern = list.split(separator: ",").first(where: { pattern in !pattern.hasPrefix("!") }) else {
        return nil
    }
    guard pattern != "*" else { return "" }
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
