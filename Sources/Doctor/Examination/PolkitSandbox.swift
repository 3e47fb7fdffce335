internal import Base
internal import Commands
internal import LoginHooks
internal import Messages

/// What keeps polkit's helper in, which asks for passwords through PAM since polkit 127 (systemd.exec(5)).
struct PolkitSandbox: Equatable, Sendable {
    static let unit = "polkit-agent-helper@.service"

    private var hasNetwork = true
    /// Those that it may use; nil: all.
    private var families: Set<String>?
    /// Whether the module asks cognito-agent there: not where its line has options, which the agent would not know.
    private let asksAgent: Bool

    /// Reads the unit, then what is dropped in, in that order.
    init(_ texts: [String], asksAgent: Bool) {
        self.asksAgent = asksAgent
        for line in texts.joined(separator: "\n").split(separator: "\n") where !line.hasPrefix("#") {
            let sides = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2 else {
                continue
            }
            let words = sides[1].split(whereSeparator: \.isWhitespace).map(String.init)
            switch sides[0].split(whereSeparator: \.isWhitespace).joined() {
            case "PrivateNetwork":
                hasNetwork = !["yes", "true", "on", "1"].contains(words.first?.lowercased() ?? "")
            case "RestrictAddressFamilies":
                restrict(words)
            default: continue
            }
        }
    }

    private mutating func restrict(_ words: [String]) {
        guard let first = words.first else {
            families = nil
            return
        }
        if first == "none" {
            families = []
        } else if !first.hasPrefix("~") {
            families = (families ?? []).union(words)
        } else if let old = families {
            families = old.subtracting([String(first.dropFirst())] + words.dropFirst())
        }
    }

    /// Whether a worker of its would reach Cognito.
    private var reachesCognito: Bool {
        hasNetwork && families.map { families in families.contains("AF_INET") || families.contains("AF_INET6") } ?? true
    }

    /// What is wrong with it.
    ///
    /// - Parameter agentListens: Whether somebody does at cognito-agent's socket.
    func findings(agentListens: Bool) -> [Finding] {
        guard asksAgent ? !agentListens : !reachesCognito else {
            return []
        }
        let text = asksAgent ? DoctorWording.polkitWithoutAgent : DoctorWording.polkitSandbox(Self.unit)
        let mend =
            asksAgent ? DoctorWording.start("pam-cognito-agent.socket") : DoctorWording.openPolkit(Self.unit)
        return [Finding(.broken, text.what, why: text.why, mend: mend)]
    }
}

extension PolkitSandbox {
    private static let folders = ["/etc/systemd/system", "/run/systemd/system", "/usr/lib/systemd/system"]

    /// As it is; nil where there is none, or polkit does not ask Cognito.
    init?(_ services: PAMServices) {
        let lines = services.service("polkit-1").stack(.auth).filter(\.isOurs)
        guard services.text(of: "polkit-1") != nil, !lines.isEmpty,
            let text = Self.folders.compactMap({ folder in readWhole("\(folder)/\(Self.unit)") }).first
        else {
            return nil
        }
        // Of those of one name the administrator's counts.
        var parts: [String: String] = [:]
        for folder in Self.folders.reversed() {
            for file in filesMatching("\(folder)/\(Self.unit).d/*.conf") {
                parts[file.path.split(separator: "/").last.map(String.init) ?? ""] = file.text
            }
        }
        self.init(
            [text] + parts.sorted { left, right in left.key < right.key }.map(\.value),
            asksAgent: lines.allSatisfy { line in
                line.arguments.allSatisfy { text in flagArguments.contains { flag in flag.equals(text.utf8) } }
            })
    }
}
