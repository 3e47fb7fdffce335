import Base
import FoundationEssentials
import Testing

@testable import Configuration

/// What every configuration needs, and no more: four lines.
let minimal = """
    user_pool_id = eu-west-1_AbCdEf123
    client_id = 1example23456789
    allowed_groups = *
    unix_group = people

    """

/// The minimal configuration without `option`, or with `value` for it in the last line.
func needed(except option: Option, plus value: String? = nil) -> String {
    let whole = option == "federated" && value != nil ? minimal + federation : minimal
    let lines = whole.split(separator: "\n").filter { line in !line.hasPrefix(option.name + " ") }
    return (lines + (value.map { value in ["\(option.name) = \(value)"] } ?? [])).joined(separator: "\n") + "\n"
}

/// What `federated` needs.
let federation = """
    managed_login_domain = auth.example.com
    identity_provider = Okta
    redirect_uri = https://login.example.com/done
    identity_claim = email

    """

func settings(_ text: String, arguments: [String] = []) throws(ConfigurationError) -> Settings {
    try Settings(parsing: Array(text.utf8), arguments: arguments.map { argument in Array(argument.utf8) })
}

/// The message that a configuration in the file `F` gets; nil when it is right.
func message(of text: String, arguments: [String] = []) -> String? {
    message(of: Array(text.utf8), arguments: arguments)
}

func message(of text: [UInt8], arguments: [String] = []) -> String? {
    do {
        _ = try Settings(parsing: text, arguments: arguments.map { argument in Array(argument.utf8) })
        return nil
    } catch {
        return error.message(file: [UInt8(ascii: "F")]).string
    }
}

extension ByteText {
    var string: String { String(decoding: bytes, as: UTF8.self) }
}

extension Settings {
    /// The fields, by their names.
    var fields: [String: String] {
        let own = Mirror(reflecting: self).children.filter { child in
            !["worker", "workerOptions"].contains(child.label)
        }
        return Dictionary(
            uniqueKeysWithValues: (own + Mirror(reflecting: worker).children).map { child in
                (child.label ?? "", String(reflecting: child.value))
            })
    }
}

extension CoverageDoubt {
    /// In which of these two settings differ.
    static func differences(_ one: CoverageSettings, _ other: CoverageSettings) -> [CoverageDoubt] {
        zip(Mirror(reflecting: one).children, Mirror(reflecting: other).children).filter { left, right in
            String(reflecting: left.value) != String(reflecting: right.value)
        }.map { field, _ in
            switch field.label {
            case "allowsLocalPasswords": .localPasswords
            case "refusesKeyLogins": .keyLogins
            default: .managedAccounts
            }
        }
    }
}

/// An option, as the table has it.
struct Option: Equatable, ExpressibleByStringLiteral, CustomTestStringConvertible {
    let name: String
    let row: Int
    let allowed: String
    private let place: OptionPlace

    init?(_ name: String) {
        var settings = Settings()
        var assignment = Assignment(of: [], to: Array(name.utf8)[...])
        settings.set(by: &assignment)
        guard assignment.row > 0 else {
            return nil
        }
        self.name = "\(assignment.name)"
        row = assignment.row
        place = assignment.place
        allowed = assignment.allowed.string
    }

    init(stringLiteral name: String) {
        guard let option = Option(name) else {
            fatalError("no option \(name)")
        }
        self = option
    }

    var testDescription: String { name }
    var mayBeModuleArgument: Bool { place != .file }
    var mayStandInFile: Bool { place != .onlyArgument }

    /// The fields that are not as before when it has this value.
    func fields(setBy value: String) throws -> [String] {
        var settings = Settings()
        let fresh = settings.fields
        var assignment = Assignment(of: Array(value.utf8)[...], to: Array(name.utf8)[...])
        settings.set(by: &assignment)
        return settings.fields.filter { name, text in fresh[name] != text }.map(\.key)
    }

    /// How many rows the table has.
    static var count: Int {
        var settings = Settings()
        var assignment = Assignment(of: [], to: [])
        settings.set(by: &assignment)
        return assignment.rows
    }

    /// All of them, by what is written in the table.
    static let all: [Option] = {
        let table = (try? Repository.text("Sources/Configuration/Option.swift")) ?? ""
        return table.components(separatedBy: "row.").dropFirst().compactMap { row in
            let parts = row.split(separator: "\"", maxSplits: 2)
            return parts.count > 1 ? Option(String(parts[1])) : nil
        }
    }()
}

/// The files that this is built from.
enum Repository {
    private static let path = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
        .joined(separator: "/")

    static func text(_ name: String) throws -> String {
        try String(contentsOfFile: path + "/" + name, encoding: .utf8)
    }

    /// Paths and texts.
    static var sources: [(path: String, text: String)] {
        get throws {
            try FileManager.default.subpathsOfDirectory(atPath: path + "/Sources").filter { name in
                name.hasSuffix(".swift")
            }.map { name in ("/" + name, try text("Sources/" + name)) }
        }
    }

    /// What the manual page says of one option: the lines from its name to the next one's.
    static func manualEntries() throws -> [(name: String, lines: [String])] {
        let page = try text("packaging/man/pam_cognito.conf.5")
        let options = page.split(separator: "\n.Sh ").first { section in section.hasPrefix("OPTIONS\n") } ?? ""
        return options.components(separatedBy: "\n.It Va ").dropFirst().map { entry in
            let lines = entry.split(separator: "\n").map(String.init)
            return (lines.first ?? "", Array(lines.dropFirst()))
        }
    }

    /// The defaults that it gives.
    static func manualDefaults() throws -> [String: String] {
        var defaults: [String: String] = [:]
        for entry in try manualEntries() {
            for line in entry.lines where line.hasPrefix("Default: ") {
                #expect(defaults[entry.name] == nil && line.hasSuffix("."))
                defaults[entry.name] = String(line.dropFirst("Default: ".count).dropLast())
            }
        }
        return defaults
    }
}
