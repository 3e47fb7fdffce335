import Base
import Testing

@testable import Configuration

@Suite("The sample file")
struct SampleFileTests {
    static func lines() throws -> [String] {
        try Repository.text("packaging/pam_cognito.conf")
            .split(separator: "\n").map(String.init)
    }

    /// The options that stand in the file as `#name = value`.
    static func options() throws -> [(name: String, value: String)] {
        try lines().compactMap { line in
            guard line.hasPrefix("#"), !line.hasPrefix("# "), let equals = line.firstRange(of: " = ") else {
                return nil
            }
            return (String(line[..<equals.lowerBound].dropFirst()), String(line[equals.upperBound...]))
        }
    }

    @Test("names every option once, in order, with its default")
    func complete() throws {
        let options = try Self.options()
        let defaults = try Repository.manualDefaults()
        let expected = Option.all.filter(\.mayStandInFile)
        #expect(options.map(\.name) == expected.map(\.name))
        for (option, written) in zip(expected, options) {
            if let text = defaults[option.name] {
                #expect(written.value == text)
            }
        }
    }

    @Test("says where an option belongs that may not stand in it")
    func elsewhere() throws {
        let text = try Self.lines().joined(separator: "\n")
        for option in Option.all where !option.mayStandInFile {
            #expect(text.contains("[\(option.name)=\(option == "session" ? "never" : "yes")]"))
        }
    }

    @Test("is refused as it is, since it says nothing, and accepted when everything in it is given")
    func parsed() throws {
        let text = try Self.lines().joined(separator: "\n")
        #expect(throws: ConfigurationError.self) {
            try Settings(parsing: Array(text.utf8))
        }
        let given = try Self.options().map { option in "\(option.name) = \(option.value)" }.joined(separator: "\n")
        _ = try Settings(parsing: Array(given.utf8))
    }

    @Test("of version 0.1.0 is accepted when everything in it is given")
    func ofTheFirstVersion() throws {
        let given = try Repository.text("Tests/Conformance/options-0.1.0.conf")
        #expect(given.split(separator: "\n").count > 50)
        _ = try Settings(parsing: Array(given.utf8))
    }
}
