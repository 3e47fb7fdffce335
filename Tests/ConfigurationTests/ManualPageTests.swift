import Base
import FoundationEssentials
import Testing

@testable import Configuration

@Suite("pam_cognito.conf(5)")
struct ManualPageTests {
    /// What the page says of one option: the lines from its name to the next one's.
    private static func entries() throws -> [(name: String, lines: [String])] {
        let here = String(#filePath)
        let repository = here.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let page = try String(contentsOfFile: repository + "/packaging/man/pam_cognito.conf.5", encoding: .utf8)
        let options = page.split(separator: "\n.Sh ").first { section in section.hasPrefix("OPTIONS\n") } ?? ""
        return options.components(separatedBy: "\n.It Va ").dropFirst().map { entry in
            let lines = entry.split(separator: "\n").map(String.init)
            return (lines.first ?? "", Array(lines.dropFirst()))
        }
    }

    @Test("has every option once, in order, with what is allowed, its default and where it may stand")
    func complete() throws {
        let entries = try Self.entries()
        #expect(entries.map(\.name) == Option.allCases.map(\.text))
        for (option, entry) in zip(Option.allCases, entries) {
            #expect(entry.lines.contains("Allowed: \(option.allowed)."), "\(entry.name)")
            let defaults = entry.lines.filter { line in line.hasPrefix("Default: ") }
            #expect(defaults == (option.defaultText.map { text in ["Default: \(text)."] } ?? []), "\(entry.name)")
            let places = entry.lines.filter { line in line.hasSuffix(" behind pam_cognito.so.") }
            let expected =
                !option.mayStandInFile
                ? ["Only behind pam_cognito.so."] : option.mayBeModuleArgument ? ["Also behind pam_cognito.so."] : []
            #expect(places == expected, "\(entry.name)")
        }
    }
}
