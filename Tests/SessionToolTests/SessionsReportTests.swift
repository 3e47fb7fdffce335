import Testing
import Tokens

@testable import Commands
@testable import Protocol
@testable import cognito_session

@Suite("The list of everybody's sessions")
struct SessionsReportTests {
    private static let now = ReportTests.now

    private static func session(
        _ user: String, _ status: RegisteredStatus = .open, service: String = "sshd", host: String = "",
        terminal: String = "", ago: Int64 = 120, left: Int64 = 3480, attempts: Int64 = 0, next: Int64 = 0
    ) -> RegisteredSession {
        RegisteredSession(
            number: 824_910_113 + ago, status: status,
            details: RegisteredSession.Details(
                user: Array(user.utf8), service: Array(service.utf8), remoteHost: Array(host.utf8),
                terminal: Array(terminal.utf8), signOut: Array("global".utf8),
                userPoolID: Array("eu-west-1_AbCdEf123".utf8), clientID: Array("1example23456789".utf8),
                hostProcess: 4711, signedInAgo: ago, renewedAgo: 60, accessTokenExpiry: now + left,
                refreshTokenExpiry: now + 2_591_999, attempts: attempts, nextAttemptIn: next))
    }

    static let some = [
        session("ana", host: "203.0.113.7"), session("bert", service: "login", terminal: "/dev/tty1", ago: 7200),
        session("ana", service: "su", terminal: "/dev/pts/3", ago: 60, left: 299),
    ]

    static let all =
        some + [
            session("carl", .closing, host: "2001:db8::7", ago: 300, left: -5, attempts: 2, next: 40),
            session("dora", .closing, ago: 299, attempts: 1), session("emil", .abandoned, ago: 298),
            session("fritz", .pending, ago: 3), session("gerda", .temporary, service: "passwd", ago: 2),
            session("hans", .foreign, ago: 1),
            RegisteredSession(number: 7, status: .damaged, details: nil),
            RegisteredSession(number: 8, status: .otherVersion, details: nil),
        ]

    @Test("is one JSON object, with what is known and nothing else")
    func json() throws {
        let lines = try [Self.session("carl", .closing, ago: 300, attempts: 2, next: 40), Self.all[9]].map { session in
            String(decoding: try #require(SessionsReport([session], at: Self.now).json.serialized), as: UTF8.self)
        }
        #expect(
            lines == [
                #"{"error":null,"exit_status":0,"message":null,"sessions":[{"access_token":{"expires_at":1800003480,"expires_in":3480},"attempts":2,"#
                    + #""client_id":"1example23456789","next_attempt_at":1800000040,"process":4711,"#
                    + #""refresh_token":{"estimated":true,"expires_at":1802591999,"expires_in":2591999},"remote_host":null,"#
                    + #""renewed_at":1799999940,"service":"sshd","session":824910413,"sign_out":"global","#
                    + #""signed_in_at":1799999700,"state":"closing","terminal":null,"user":"carl","#
                    + #""user_pool_id":"eu-west-1_AbCdEf123"}]}"#,
                #"{"error":null,"exit_status":0,"message":null,"sessions":[{"session":7,"state":"damaged"}]}"#,
            ])
    }

    @Test("lets no name write to the terminal")
    func controlCharacters() throws {
        let report = SessionsReport([Self.session("a\u{1B}[2Jb\n", host: "h\u{7}\u{202e}")], at: Self.now)
        let text = report.text(Appearance(columns: 80), localTime: { _ in "12:03" })
        #expect(!text.contains("\u{1B}") && !text.contains("\u{7}") && text.contains("  a[2Jb  "))
        #expect(!String(decoding: try #require(report.json.serialized), as: UTF8.self).contains("u001b"))
    }

    @Test("has no sum that overflows, whatever it is told", arguments: [Int64.min, .min + 1, -1, .max - 1, .max])
    func absurdTimes(time: Int64) throws {
        let session = RegisteredSession(
            number: time, status: .closing,
            details: RegisteredSession.Details(
                user: Array("a".utf8), service: [], remoteHost: [], terminal: [], signOut: Array("global".utf8),
                userPoolID: Array("p".utf8), clientID: Array("c".utf8), hostProcess: time, signedInAgo: time,
                renewedAgo: time, accessTokenExpiry: time, refreshTokenExpiry: time, attempts: 1, nextAttemptIn: time))
        let heard = try #require(RegisteredSession(try session.message.finish()))
        #expect((heard.details == nil) == (time != -1))
        let report = SessionsReport([heard], at: Self.now)
        for columns in [nil, 20] {
            #expect(!report.text(Appearance(columns: columns), localTime: { _ in "12:03" }).isEmpty)
        }
        #expect(try #require(report.json.serialized).count > 20)
    }
}
