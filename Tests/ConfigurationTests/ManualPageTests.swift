import Base
import Testing

@testable import Configuration

@Suite("pam_cognito.conf(5)")
struct ManualPageTests {
    @Test("has every option once, with what is allowed and whether it may be a module argument")
    func complete() throws {
        let entries = try Repository.manualEntries()
        #expect(entries.map(\.name).sorted() == Option.all.map(\.name).sorted())
        for option in Option.all {
            let entry = try #require(entries.first { entry in entry.name == option.name })
            #expect(entry.lines.contains("Allowed: \(option.allowed)."), "\(entry.name)")
            let places = entry.lines.filter { line in line.hasSuffix(" as a module argument.") }
            let expected =
                !option.mayStandInFile
                ? ["Available only as a module argument."]
                : option.mayBeModuleArgument ? ["Also available as a module argument."] : []
            #expect(places == expected, "\(entry.name)")
        }
    }

    @Test(
        "gives the defaults: setting one changes nothing, and only what is empty without has none",
        arguments: Option.all)
    func defaults(option: Option) throws {
        guard let text = try Repository.manualDefaults()[option.name] else {
            // What the sample file has then takes the place of nothing.
            let sample = try SampleFileTests.options().first { other in other.name == option.name }?.value ?? ""
            let fields = try option.fields(setBy: sample)
            #expect(fields.count == 1)
            #expect(
                fields.allSatisfy { field in
                    ["nil", "[]", "Configuration.AllowedGroups.these([])"].contains(Settings().fields[field])
                })
            return
        }
        var settings = Settings()
        var assignment = Assignment(of: Array(text.utf8)[...], to: Array(option.name.utf8)[...])
        settings.set(by: &assignment)
        #expect(assignment.isUnderstood && settings.fields == Settings().fields)
    }
}
