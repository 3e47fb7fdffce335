import FoundationEssentials
import Messages
import Testing
import Tokens

@testable import Commands
@testable import Doctor
@testable import cognito_session

/// What people see, as a whole. With UPDATE_GOLDEN=1 in the environment the file is written anew.
@Suite("The texts of cognito-session as a whole")
struct GoldenTests {
    private static let now = ReportTests.now
    private static let folder =
        String(#filePath).split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")

    private static let ignored = SessionStatus(
        finding: .absent(.insideTmux),
        ignored: [IgnoredKey(key: 7, name: "cognito:pool:client", owner: 1000, permissions: "3f010000")]
    )

    private static func doctor(_ look: Appearance, isGood: Bool) -> String {
        let files = FileFacts(
            module: FileFact("/lib/pam_cognito.so", .regular, mode: isGood ? 0o644 : 0o666),
            worker: FileFact("/lib/cognito-worker", isGood ? .regular : nil, mode: 0o755),
            agent: FileFact("/lib/cognito-agent", .regular, mode: 0o755),
            doctor: FileFact("/lib/cognito-doctor", .regular, mode: 0o755),
            runFolder: FileFact("/run/pam-cognito", .folder, mode: 0o755), stateFolders: [],
            trusted: [], isSwitchedOff: !isGood)
        let people = PeopleFacts(
            people: [
                PersonFact(name: "ana", uid: 1000, isNamed: false, isMember: true, hasUsablePassword: false),
                PersonFact(name: "bert", uid: 1001, isNamed: !isGood, isMember: true, hasUsablePassword: !isGood),
            ],
            unknown: [], group: "cognito", hasGroup: true, minimumUID: 1000)
        let ssh = SSHExamination(
            .settings("usepam \(isGood ? "yes" : "no")\nkbdinteractiveauthentication yes\nlogingracetime 120\n"),
            asksCognito: true, networkTimeout: 15_000)
        return DoctorReport(areas: [
            AreaReport(.files, "root's alone", files.findings), AreaReport(.ssh, ssh.summary, ssh.findings),
            AreaReport(.people, "ana, bert", people.findings()),
        ]).text(look)
    }

    private static func texts(_ look: Appearance) throws -> [(String, String)] {
        let time = { (_: Int64) in "12:03" }
        let absent = ScriptedAgent(.failure(.absent))
        func status(_ status: SessionStatus, _ onlineStatus: OnlineStatus? = nil) -> String {
            Report(status, onlineStatus: onlineStatus, at: now).text(look, localTime: time)
        }
        return [
            ("status", status(ReportTests.status(renewedAt: now - 60))),
            ("status, ends soon", status(ReportTests.status(accessExpiry: now + 200))),
            ("status, expired", status(ReportTests.status(accessExpiry: now - 300, refresh: false))),
            ("status --online", status(ReportTests.status(signOut: .session), .accepted)),
            ("status --online, no agent", status(ReportTests.status(signOut: .last), .unknown(.absent))),
            ("status, no tokens", status(ignored)),
            (
                "claims",
                try ClaimsReport(.id, of: ReportTests.status(), verifiedBy: absent, at: now)
                    .text(look, localTime: time)
            ),
            ("doctor, all is well", doctor(look, isGood: true)),
            ("doctor, nothing is well", doctor(look, isGood: false)),
            ("sessions", SessionsReport(SessionsReportTests.some, at: now).text(look, localTime: time)),
            ("sessions of many kinds", SessionsReport(SessionsReportTests.all, at: now).text(look, localTime: time)),
            (
                "sessions --everywhere",
                try PoolSessionsReportTests.report(PoolSessionsReportTests.some).text(look, localTime: time)
            ),
            ("sessions --everywhere, none yet", try PoolSessionsReportTests.report([]).text(look, localTime: time)),
            ("sessions, none", SessionsReport([], at: now).text(look, localTime: time)),
        ]
    }

    @Test("are those of the golden file, at 80 and 40 columns, with colours and without")
    func golden() throws {
        try Self.compare(with: "texts.golden")
    }

    @Test("are in Spanish those of another")
    func spanish() async {
        // The language is the whole program's.
        await #expect(processExitsWith: .success) {
            Language.current = .spanish
            try GoldenTests.compare(with: "texts.es.golden")
        }
    }

    private static func compare(with name: String) throws {
        let file = "\(folder)/\(name)"
        var whole = ""
        for columns in [80, 40] {
            for isColored in [false, true] {
                let look = Appearance(isColored: isColored, columns: columns, hasUnicode: columns == 80)
                for (name, text) in try texts(look) {
                    let shown = text.split(separator: "\u{1B}", omittingEmptySubsequences: false).joined(
                        separator: "\\e")
                    whole += "== \(name), \(columns) columns\(isColored ? ", colours" : "")\n\(shown)"
                    for line in text.split(separator: "\n") {
                        // What is to be copied stays whole.
                        #expect(
                            visibleWidth(String(line)) <= columns || line.contains("Fix:"),
                            "\(name): \(line)")
                        #expect(isColored || !line.contains("\u{1B}"))
                    }
                }
            }
        }
        for command in [nil] + Command.allCases {
            let text = helpText(command)
            whole += "== --help of \(command?.rawValue ?? "the program")\n\(text)"
            #expect(text.split(separator: "\n").allSatisfy { line in line.count <= 80 }, "\(text)")
        }
        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
            try whole.write(toFile: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == whole)
    }
}
