import Base
import Testing

@testable import Configuration

@Suite("pam_cognito.conf(5)")
struct ManualPageTests {
    @Test("has every option once, in order, with what is allowed and where it may stand")
    func complete() throws {
        let entries = try Repository.manualEntries()
        #expect(entries.map(\.name) == Option.all.map(\.name))
        for (option, entry) in zip(Option.all, entries) {
            #expect(entry.lines.contains("Allowed: \(option.allowed)."), "\(entry.name)")
            let places = entry.lines.filter { line in line.hasSuffix(" behind pam_cognito.so.") }
            let expected =
                !option.mayStandInFile
                ? ["Only behind pam_cognito.so."] : option.mayBeModuleArgument ? ["Also behind pam_cognito.so."] : []
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
