internal import Base
internal import CLinux
internal import Commands

/// Who may do anything as root by sudo(8), as sudoers(5) has it. What is not plain, such as a list of commands with ALL among them, counts
/// as a rule that asks for a password.
struct SudoRules {
    /// One user of one rule.
    struct Rule: Equatable {
        /// A name, `%` and a group's, or `ALL`.
        let who: String
        let isWithoutPassword: Bool
    }

    private(set) var rules: [Rule] = []
    private var aliases: [String: [String]] = [:]
    private var filesLeft = 100

    /// sudo(8), where distributions have it.
    static let program = "/usr/bin/sudo"

    /// Asks sudo(8) what an account may do on this host; nil where it does not say by `deadline` (CLOCK_BOOTTIME, milliseconds).
    init?(of name: String, onThisHostBy deadline: Int64) {
        let left = deadline - linux_boottime_ms()
        guard left > 0, let listing = run([Self.program, "-n", "-l", "-U", name], within: left) else {
            return nil
        }
        self.init(listing: listing.output, of: name)
    }

    /// Reads what `sudo -l -U` says in English of an account; nil where that is neither rules nor that there are none.
    init?(listing: String, of name: String) {
        let lines = listing.split(separator: "\n").map(String.init)
        guard let start = lines.firstIndex(where: { line in line.mentions(" may run the following commands on ") })
        else {
            guard lines.contains(where: { line in line.mentions(" is not allowed to run sudo on ") }) else {
                return nil
            }
            return
        }
        for line in lines[(start + 1)...] where line.first == " " {
            add([name], line[...])
        }
        if lines[..<start].contains(where: { line in line.mentions("!authenticate") }) {
            rules = rules.map { rule in Rule(who: rule.who, isWithoutPassword: true) }
        }
    }

    /// Reads a file, and those that it includes.
    init(of file: String) {
        read(file)
        rules = rules.flatMap { rule in
            (aliases[rule.who] ?? [rule.who]).map { who in Rule(who: who, isWithoutPassword: rule.isWithoutPassword) }
        }
    }

    private mutating func read(_ file: String) {
        guard filesLeft > 0, let text = readWhole(file) else {
            return
        }
        filesLeft -= 1
        parse(text)
    }

    private mutating func parse(_ text: String) {
        var line = ""
        for part in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if part.last == "\\" {
                line += part.dropLast() + " "
                continue
            }
            take(line + part)
            line = ""
        }
    }

    private mutating func take(_ line: String) {
        var words = line.split { character in character.isWhitespace }.map(String.init)
        guard let first = words.first, !first.hasPrefix("Defaults") else {
            return
        }
        if ["#include", "@include"].contains(first), words.count == 2 {
            return read(words[1])
        }
        if ["#includedir", "@includedir"].contains(first), words.count == 2 {
            // sudo leaves out backups and what a package manager puts beside.
            for name in fileNames(in: words[1]).sorted() where !name.contains(".") && !name.hasSuffix("~") {
                read("\(words[1])/\(name)")
            }
            return
        }
        if let comment = words.firstIndex(where: { word in word.hasPrefix("#") }) {
            words.removeSubrange(comment...)
        }
        let sides = words.joined(separator: " ").split(separator: "=", maxSplits: 1)
        guard sides.count == 2 else {
            return
        }
        let left = sides[0].split(separator: " ").map(String.init)
        if first == "User_Alias", left.count == 2 {
            aliases[left[1]] = names(in: sides[1])
        } else if left.count > 1, !first.hasSuffix("_Alias") {
            add(names(in: left.dropLast().joined(separator: " ")[...]), sides[1])
        }
    }

    private mutating func add(_ users: [String], _ commands: Substring) {
        var rest = commands.drop { character in character == " " }
        if rest.first == "(", let end = rest.firstIndex(of: ")") {
            let targets = names(
                in: rest[rest.index(after: rest.startIndex)..<end].split(separator: ":").first ?? "root")
            guard targets.contains("ALL") || targets.contains("root") else {
                return
            }
            rest = rest[rest.index(after: end)...]
        }
        let words = rest.split { character in character == " " || character == "," || character == ":" }
        guard words.contains("ALL") else {
            return
        }
        let areOnlyTags = words.dropLast().allSatisfy { word in word.hasSuffix("PASSWD") || word.hasSuffix("SETENV") }
        let isWithoutPassword = areOnlyTags && words.contains("NOPASSWD") && !words.contains("PASSWD")
        rules += users.map { user in Rule(who: user, isWithoutPassword: isWithoutPassword) }
    }

    private func names(in list: Substring) -> [String] {
        list.split { character in character == "," || character == " " }.map(String.init)
    }
}
