import Base
import Testing

@testable import Configuration

/// Lines and arguments, and what is known of managed accounts by them.
private struct Reading: CustomTestStringConvertible, Sendable {
    let lines: String
    var arguments: [String] = []
    var users: [String] = []
    var group: String? = "people"
    var isComplete = true
    var allowsLocalPasswords = false
    var refusesKeyLogins = false
    var base = minimal

    var testDescription: String { "\(lines.prefix(40)) \(arguments)" }

    static let all = [
        Reading(lines: ""),
        Reading(lines: "users = ana bert", users: ["ana", "bert"]),
        Reading(lines: "local_password = unavailable", allowsLocalPasswords: true),
        Reading(lines: "local_password = unavailable\ncolour = red", allowsLocalPasswords: true),
        Reading(lines: "", arguments: ["local_password=unavailable", "colour=red"], allowsLocalPasswords: true),
        Reading(lines: "local_password = unavailable\nrequired_acr = a"),
        Reading(lines: "local_password = unavailable", arguments: ["required_acr=\""]),
        Reading(lines: "local_password = unavailable\nlocal-passwd = never"),
        Reading(lines: "key_logins = refuse\ncolour = red", refusesKeyLogins: true),
        Reading(lines: "key_logins = refuse\nkey_logins = ignore", refusesKeyLogins: true),
        Reading(lines: "", arguments: ["key-logins=ignore"], refusesKeyLogins: true),
        // Comments are none of it, nor is what only begins like it.
        Reading(lines: "# users ="),
        Reading(lines: "account_names ="),
        Reading(lines: "users_of_something_else = x"),
        // Nothing is lost by a second line, and nothing but names is taken from it.
        Reading(lines: "users = ana\nusers = bert\nusers =", users: ["ana", "bert"], isComplete: false),
        Reading(lines: "unix_group = others", isComplete: false),
        Reading(lines: "", arguments: ["users=ana"], users: ["ana"], isComplete: false),
        Reading(lines: "", arguments: ["unix_group=others"], isComplete: false),
        Reading(lines: "\0users = ana", isComplete: false),
        Reading(lines: "\"users\": ana", isComplete: false),
        Reading(lines: "unix group = people", isComplete: false),
        Reading(lines: "export USERS=ana", isComplete: true),
        Reading(lines: "users = ana", users: ["ana"], group: nil, base: ""),
        Reading(
            lines: "", arguments: ["key_logins=refuse", "local_password=unavailable"], group: nil, isComplete: false,
            allowsLocalPasswords: true, refusesKeyLogins: true, base: ""),
        Reading(lines: String(repeating: "#\n", count: 40_000), group: nil, isComplete: false, base: ""),
    ]
}

@Suite struct CoverageSettingsTests {
    @Test("which accounts are managed is read whatever is wrong elsewhere", arguments: Reading.all)
    private func reading(reading: Reading) {
        let arguments = reading.arguments.map { argument in Array(argument.utf8) }
        let coverage = ConfigurationReading(
            parsing: Array((reading.base + reading.lines).utf8), arguments: arguments
        ).coverage
        #expect(coverage.users == reading.users.map { name in Array(name.utf8) })
        #expect(coverage.unixGroup == reading.group.map { name in Array(name.utf8) })
        #expect(coverage.minimumUID == 1000 && coverage.accounts == .none)
        #expect(coverage.isComplete == reading.isComplete)
        #expect(coverage.allowsLocalPasswords == reading.allowsLocalPasswords)
        #expect(coverage.refusesKeyLogins == reading.refusesKeyLogins)
    }

    @Test("what is right is read in the same way")
    func right() throws {
        for text in [
            minimal, minimal + "users = a\nminimum_uid = 5\nkey_logins = refuse\nlocal_password = unavailable",
        ] {
            #expect(
                try settings(text).coverage == ConfigurationReading(parsing: Array(text.utf8)).coverage)
        }
    }

    @Test("after many mistakes the rest is not read, and nothing is concluded from that")
    func many() {
        let lines = "local_password = unavailable\nunix_group = people\n" + String(repeating: "x\n", count: 25)
        let reading = ConfigurationReading(parsing: Array((lines + "users = ana").utf8))
        #expect(reading.mistakes.count < 24 && reading.mistakes.last?.line == nil)
        let coverage = reading.coverage
        #expect(coverage.users.isEmpty && coverage.unixGroup != nil && !coverage.isComplete)
        #expect(!coverage.allowsLocalPasswords && !coverage.refusesKeyLogins)
    }

    @Test("after many mistakes key_logins is what was read before them", arguments: [false, true])
    func keyLoginsAfterMany(isRead: Bool) {
        let mistakes = String(repeating: "x\n", count: 25)
        let text = isRead ? "key_logins = refuse\n" + mistakes : mistakes + "key_logins = refuse\n"
        #expect(ConfigurationReading(parsing: Array((minimal + text).utf8)).coverage.refusesKeyLogins == isRead)
    }
}
