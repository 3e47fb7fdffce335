import Commands
import Testing
import Tokens

@testable import cognito_session

@Suite("--field")
struct FieldTests {
    /// What every object has, what is for people, and what is a list of its own.
    private static let unnamed: Set = [
        "exit_status", "error", "message", "advice", "online_message", "ignored_keys", "estimated", "aws_credentials",
    ]

    /// The values in an object, those of its objects by both names.
    private static func names(_ object: JSONValue) -> Set<String> {
        var names: Set<String> = []
        for (name, value) in object.members ?? [:] where !unnamed.contains(name) {
            if case .object(let inner) = value {
                names.formUnion(inner.keys.filter { part in !unnamed.contains(part) }.map { part in "\(name).\(part)" })
            } else {
                names.insert(name)
            }
        }
        return names
    }

    @Test("can name what the JSON has, and nothing else")
    func names() throws {
        let now = ReportTests.now
        let online = Report(ReportTests.status(), onlineStatus: .accepted, at: now).json
        let absent = Report(SessionStatus(finding: .absent(.noSignIn)), at: now).json
        #expect(Self.names(online).union(Self.names(absent)) == Set(Report.fields))
        let sessions = SessionsReport(SessionsReportTests.all, at: now).json["sessions"]?.elements ?? []
        #expect(sessions.map(Self.names).reduce([]) { all, names in all.union(names) } == Set(SessionsReport.fields))
        let listed = try PoolSessionsReportTests.report(PoolSessionsReportTests.some).json["sessions"]?.elements ?? []
        #expect(listed.map(Self.names).reduce([]) { all, names in all.union(names) } == Set(PoolSessionsReport.fields))
    }

    private static func said(_ name: String, _ object: JSONValue) throws(Refusal) -> String? {
        let invocation = Invocation(.status, [.field: .text(name)])
        return try invocation.field(of: .status, Report.fields)?.text(in: object)
    }

    @Test(
        "is one value on one line, and the line is empty where there is none",
        arguments: [
            ("username", "ana\n"), ("groups", "linux-users dba\n"), ("access_token.expires_at", "1800003480\n"),
            ("shared", "false\n"), ("reason", "\n"), ("refresh_token.expires_in", "\n"),
        ])
    func values(name: String, text: String) throws {
        let object = JSONValue.object([
            "username": .string("ana"), "groups": .array([.string("linux-users"), .string("dba")]),
            "access_token": lifetime(until: 1_800_003_480, at: 0), "shared": .boolean(false), "refresh_token": .null,
        ])
        #expect(try Self.said(name, object) == text)
    }

    @Test(
        "any other name is a mistake, and all are told",
        arguments: ["user", "", "access_token", ".", "state.", "message"])
    func unknown(name: String) {
        let refusal = #expect(throws: Refusal.self) { try Self.said(name, .object([:])) }
        #expect(refusal?.exitStatus == .usage && refusal?.message.contains("state, reason, username") == true)
    }

    @Test("a menu's entries hang together")
    func menu() {
        let text = "Title\n\n  1  one two three\n  2  four\n"
        #expect(hanging(text, to: 80) == text)
        #expect(hanging(text, to: 16) == "Title\n\n  1  one two\n     three\n  2  four\n")
    }
}
