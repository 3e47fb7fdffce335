internal import Base
internal import CLinux
internal import Commands

/// What sudo(8) itself says that an account may do as root on this host (`sudo -l -U`). What is not plain, such as a
/// list of commands with ALL among them, counts as what asks for a password.
enum SudoGrant: Int, Comparable {
    case nothing
    case withPassword
    case withoutPassword

    static let program = "/usr/bin/sudo"

    static func < (left: SudoGrant, right: SudoGrant) -> Bool { left.rawValue < right.rawValue }

    /// Asks about an account; nil where sudo does not say by `deadline` (CLOCK_BOOTTIME, milliseconds).
    init?(of name: String, by deadline: Int64) {
        let left = deadline - linux_boottime_ms()
        guard left > 0, let listing = run([Self.program, "-n", "-l", "-U", name], within: left) else {
            return nil
        }
        self.init(listing: listing.output)
    }

    /// Reads what sudo says in English; nil where that is neither rules nor that there are none.
    init?(listing: String) {
        let lines = listing.split(separator: "\n").map(String.init)
        guard let start = lines.firstIndex(where: { line in line.mentions(" may run the following commands on ") })
        else {
            guard lines.contains(where: { line in line.mentions(" is not allowed to run sudo on ") }) else {
                return nil
            }
            self = .nothing
            return
        }
        let best = lines[start...].filter { line in line.first == " " }.map(Self.grant).max() ?? .nothing
        let asksNever = lines[..<start].contains { line in line.mentions("!authenticate") }
        self = best == .withPassword && asksNever ? .withoutPassword : best
    }

    /// Of one rule: whom commands run as, and which.
    private static func grant(_ rule: String) -> SudoGrant {
        var rest = rule.drop { character in character == " " }
        if rest.first == "(", let end = rest.firstIndex(of: ")") {
            let users = rest[..<end].dropFirst().split(separator: ":").first ?? "root"
            guard users.split(whereSeparator: isGap).contains(where: { user in user == "ALL" || user == "root" }) else {
                return .nothing
            }
            rest = rest[rest.index(after: end)...]
        }
        let words = rest.split(whereSeparator: isGap)
        guard words.contains("ALL") else { return .nothing }
        let areOnlyTags = words.dropLast().allSatisfy { word in word.hasSuffix("PASSWD") || word.hasSuffix("SETENV") }
        return areOnlyTags && words.contains("NOPASSWD") && !words.contains("PASSWD") ? .withoutPassword : .withPassword
    }

    private static func isGap(_ character: Character) -> Bool {
        character.isWhitespace || ",=:!()".contains(character)
    }
}
