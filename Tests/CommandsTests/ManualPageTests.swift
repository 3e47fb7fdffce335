import FoundationEssentials
import Testing

@testable import Commands

/// The pages are written by hand: nothing that the program knows may be missing from them.
@Suite("cognito-session(1) and its other pages")
struct ManualPageTests {
    /// The lines of a section of a page.
    private static func section(_ name: String, of file: String = "cognito-session.1") throws -> [String] {
        let here = String(#filePath)
        let repository = here.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let page = try String(contentsOfFile: repository + "/packaging/man/" + file, encoding: .utf8)
        let sections = page.components(separatedBy: "\n.Sh ")
        return (sections.first { section in section.hasPrefix("\(name)\n") } ?? "").components(separatedBy: "\n")
    }

    /// The macros and words of a line, as mdoc(7) has them.
    private static func words(_ line: String) -> [String] {
        line.drop { letter in letter == "." }.split(separator: " ").map(String.init)
    }

    /// The names of options in a line.
    private static func options(_ line: String) -> [String] {
        let words = words(line)
        // "Fl -" alone is what ends the options.
        return zip(words, words.dropFirst()).filter { macro, name in macro == "Fl" && name != "-" }
            .map { _, name in String(name.dropFirst()) }
    }

    @Test("has every command and its options in the synopsis")
    func synopsis() throws {
        let forms = try Self.section("SYNOPSIS").split(separator: ".Nm").dropFirst()
        for command in Command.allCases {
            let form = forms.first { lines in
                lines.contains { line in
                    let words = Self.words(line)
                    return words.contains("Cm") && words.contains(command.rawValue)
                }
            }
            let shown = (form ?? []).flatMap(Self.options)
            #expect(Set(shown) == Set(command.options.flatMap(\.self).map(\.rawValue)), "\(command.rawValue)")
        }
    }

    @Test("says of every command what it does, and what its JSON is")
    func commands() throws {
        let described = try Self.section("DESCRIPTION")
        let json = try Self.section("JSON", of: "cognito-session-json.5")
        for command in Command.allCases {
            #expect(described.contains(".It Cm \(command.rawValue)"))
            #expect(json.contains(".Ss \(command.rawValue)"))
        }
    }

    @Test("has every option in the text")
    func options() throws {
        let pages = ["cognito-session.1", "cognito-session-doctor.8", "cognito-session-accounts.8"]
        let described = Set(
            try pages.flatMap { page in try Self.section("DESCRIPTION", of: page) }.flatMap(Self.options))
        #expect(Set(Option.allCases.map(\.rawValue)).subtracting(described) == [])
    }

    @Test("has every exit status, and the words for those that an object has")
    func exitStatuses() throws {
        let items = try Self.section("EXIT STATUS").filter { line in line.hasPrefix(".It ") }
        #expect(items == ExitCode.allCases.map { status in ".It \(status.rawValue)" })
        let json = try Self.section("DESCRIPTION", of: "cognito-session-json.5").joined(separator: "\n")
        for status in ExitCode.allCases where ![.valid, .unwritten].contains(status) {
            #expect(json.contains(".Ql \(status.name)"), "\(status.name)")
        }
    }
}
