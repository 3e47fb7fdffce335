internal import Commands

/// What pam_faillock(8) is told in its file (faillock.conf(5)) and behind its name.
struct LockoutSettings: Sendable {
    /// One setting with its value, as it is written, and where it stands.
    private typealias Entry = (name: String, value: String?, text: String, path: String, line: Int)

    static let usualPath = "/etc/security/faillock.conf"

    private var entries: [Entry] = []

    private mutating func add(_ text: Substring, _ path: String, _ line: Int) {
        // "name value" is understood, too.
        let sides = text.split(maxSplits: 1, whereSeparator: { letter in letter == "=" || letter.isWhitespace })
        if let name = sides.first {
            let value = sides.dropFirst().first?.drop { letter in letter == "=" || letter.isWhitespace }
            entries.append((String(name), value.map { value in String(value) }, String(text), path, line))
        }
    }

    init(_ text: String, at path: String) {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let content = line.prefix { letter in letter != "#" }.split(whereSeparator: \.isWhitespace)
            add(Substring(content.joined(separator: " ")), path, index + 1)
        }
    }

    init(_ line: StackLine) {
        for argument in line.arguments {
            add(Substring(argument), line.place.path, line.place.line)
        }
    }

    private func value(_ name: String) -> String? {
        entries.last { entry in entry.name == name }?.value
    }

    /// After how many failures it locks; 0: never.
    var most: Int { value("deny").flatMap { text in Int(text) } ?? 3 }

    var folder: String { value("dir") ?? "/run/faillock" }

    var locksRoot: Bool { entries.contains { entry in entry.name == "even_deny_root" } }

    /// How many failures a tally holds: records of 64 bytes, with a flag of those that count behind the source and a
    /// reserved field (faillock.h of Linux-PAM).
    static func failures(_ tally: [UInt8]) -> Int {
        stride(from: 0, to: tally.count - 63, by: 64).count { start in tally[start + 54] & 1 != 0 }
    }

    var findings: [Check] { entries.compactMap(Self.fault) }

    private static func fault(_ entry: Entry) -> Check? {
        let place = "\(entry.path), line \(entry.line)"
        func warning(_ id: CheckID, _ what: String, why: String) -> Check {
            Check(
                id, .warning, "\(place): \(what)", why: why, fix: LineFix.remove(entry.path, entry.line, entry.text))
        }
        switch (entry.name, entry.value.flatMap { text in Int(text) }) {
        case ("even_deny_root", _):
            return warning(
                .lockoutOfRoot, "pam_faillock also locks out root (even_deny_root).",
                why: "After failed sign-ins as root, root is locked out and cannot repair the machine.")
        case ("deny", 1):
            return warning(
                .lockoutAtOnce, "pam_faillock locks an account after one failure (deny = 1).",
                why: "One mistyped password, or one attempt by another user, locks the account.")
        case ("deny", 0):
            return warning(
                .lockoutNever, "pam_faillock counts failures but never locks an account (deny = 0).",
                why: "Guessing passwords of local accounts is never slowed down.")
        default: return nil
        }
    }
}

extension PAMServices {
    var lockoutLines: [StackLine] {
        ours.flatMap { service in service.stack(.auth).filter { line in line.moduleName == "pam_faillock" } }
    }

    var lockoutFindings: [Check] {
        let lines = lockoutLines
        let paths = lines.map { line in
            line.arguments.last { argument in argument.hasPrefix("conf=") }.map { argument in
                String(argument.dropFirst("conf=".count))
            } ?? LockoutSettings.usualPath
        }
        let files = Set(paths).sorted().flatMap { path in
            LockoutSettings(readWhole(path) ?? "", at: path).findings
        }
        return files + lines.flatMap { line in LockoutSettings(line).findings }
    }
}
