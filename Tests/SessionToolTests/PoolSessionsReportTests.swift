import Messages
import Protocol
import Testing
import Tokens

@testable import Commands
@testable import cognito_session

final class ScriptedPoolAgent: PoolSessionAgent {
    private let list: Result<[String], AgentFault>
    private let ending: AgentFault?
    private(set) var ended: [String] = []

    init(_ list: Result<[String], AgentFault>, ending: AgentFault? = nil) {
        self.list = list
        self.ending = ending
    }

    func poolSessions(_ key: Int32, ending name: String?) throws(AgentFault) -> [[UInt8]] {
        guard let name else {
            return try list.get().map { text in Array(text.utf8) }
        }
        ended.append(name)
        if let ending {
            throw ending
        }
        return []
    }
}

@Suite("The pool's list of a person's sessions")
struct PoolSessionsReportTests {
    private static let now = ReportTests.now
    private static let name = "tkn0123456789abcdefghijklmno"
    static let some = [
        #"{"active":1799990000,"address":"203.0.113.9","browser":false,"client_id":"anotherclient23","created":1799980000,"current":false,"#
            + #""device":"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0","place":"Madrid, Spain","#
            + #""session":"\#(name)"}"#,
        #"{"active":1799999000,"address":null,"browser":false,"client_id":"1example23456789","created":1799999000,"current":true,"#
            + #""device":"pam-cognito/0.1 (Linux; web1; sshd)","place":null,"session":"tknown567890123456789012345"}"#,
        #"{"active":1799991000,"browser":true,"current":false,"session":"sso45678901234567890123456"}"#,
    ]

    static func report(_ list: [String]) throws -> PoolSessionsReport {
        try PoolSessionsReport(of: ReportTests.status(), by: ScriptedPoolAgent(.success(list)), at: now)
    }

    @Test("is one JSON object, what was used last first, and what makes no sense left out")
    func json() throws {
        let broken = ["", "{", "[]", "{}", #"{"session":7,"active":1}"#, #"{"session":"a","active":"b"}"#]
        let json = try Self.report([Self.some[0]] + broken + [Self.some[1]]).json.serialized
        #expect(
            String(decoding: try #require(json), as: UTF8.self)
                == #"{"error":null,"exit_status":0,"message":null,"sessions":[{"client_id":"1example23456789","#
                + #""created_at":1799999000,"current":true,"device":"pam-cognito/0.1 (Linux; web1; sshd)","from":null,"#
                + #""session":"tknown567890123456789012345","type":"token","used_at":1799999000},"#
                + #"{"client_id":"anotherclient23","created_at":1799980000,"current":false,"#
                + #""device":"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0","#
                + #""from":"203.0.113.9, Madrid, Spain","session":"tkn0123456789abcdefghijklmno","type":"token","#
                + #""used_at":1799990000}]}"#)
    }

    @Test("lets nothing write to the terminal")
    func controlCharacters() throws {
        let hostile = #"{"active":1,"session":"a\u001b[2J","device":"\u202eb\u0007","address":"c\nd","current":true}"#
        let text = try Self.report([hostile]).text(Appearance(columns: 80), localTime: { _ in "12:03" })
        #expect(!text.contains("\u{1B}") && !text.contains("\u{7}") && !text.contains("\u{202e}"))
        #expect(text.contains("a[2J") && !text.contains("\nd"))
    }

    @Test("ends what is in it, and not what asks")
    func end() throws {
        let agent = ScriptedPoolAgent(.success(Self.some))
        let report = try PoolSessionsReport(of: ReportTests.status(), by: agent, at: Self.now)
        #expect(try report.end(Self.name, by: agent).hasPrefix("Mozilla/5.0"))
        #expect(agent.ended == [Self.name])
        for (name, status) in [
            ("tknown567890123456789012345", ExitCode.usage), ("alice", .none), ("", .none), ("tkn", .none),
        ] {
            let refusal = #expect(throws: Refusal.self) { try report.end(name, by: agent) }
            #expect(refusal?.exitStatus == status, "\(name)")
        }
        #expect(agent.ended == [Self.name])
    }

    @Test(
        "says why there is none",
        arguments: [
            (.refused(.notListed, text: "agent's"), .none, "not_listed"), (.absent, .noAgent, "no_agent"),
            (.refused(.endedElsewhere, text: "agent's"), .refused, "refused"),
            (.refused(.unreachable, text: "agent's"), .unreachable, "unreachable"),
            (.refused(.busy, text: "agent's"), .fault, "fault"), (.broken, .fault, "fault"),
        ] as [(AgentFault, ExitCode, String)])
    func failures(failure: AgentFault, status: ExitCode, name: String) throws {
        let agent = ScriptedPoolAgent(.success(Self.some), ending: failure)
        let report = try PoolSessionsReport(of: ReportTests.status(), by: agent, at: Self.now)
        let notEnded = #expect(throws: Refusal.self) { try report.end(Self.name, by: agent) }
        #expect(notEnded?.exitStatus == status && notEnded?.name == name)
        let notListed = #expect(throws: Refusal.self) {
            try PoolSessionsReport(of: ReportTests.status(), by: ScriptedPoolAgent(.failure(failure)), at: Self.now)
        }
        #expect(notListed?.exitStatus == status && notListed?.name == name)
    }
}
