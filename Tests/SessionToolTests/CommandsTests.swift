import Protocol
import Testing
import TokenSigning
import Tokens

@testable import Commands
@testable import cognito_session

@Suite("whoami, prompt, claims and status --online")
struct CommandsTests {
    private static let now = ReportTests.now

    @Test("whoami is the name in the pool, without what could write to a terminal")
    func person() throws {
        let person = try Person(ReportTests.status(), at: Self.now)
        #expect(person.text == "ana")
        #expect(person.exitCode == .valid)
        #expect(person.json["email"]?.text == "ana@example.com")
        #expect(try Person(ReportTests.status(accessExpiry: Self.now), at: Self.now).exitCode == .expired)
        let refusal = #expect(throws: Refusal.self) {
            try Person(SessionStatus(finding: .absent(.noSignIn)), at: Self.now)
        }
        #expect(refusal?.exitStatus == ExitCode.none)
    }

    @Test(
        "a prompt is short, and warns",
        arguments: [
            (90_000, "ana 1d", .valid), (86_399, "ana 23h", .valid), (3599, "ana 59m", .valid), (300, "ana 5m", .valid),
            (299, "ana 4m!", .valid), (59, "ana 59s!", .valid), (0, "ana expired", .expired),
            (-9, "ana expired", .expired),
        ] as [(Int64, String, ExitCode)])
    func prompt(left: Int64, text: String, code: ExitCode) {
        let prompt = ShellPrompt(ReportTests.status(accessExpiry: Self.now + left), at: Self.now)
        #expect(prompt.text == text)
        #expect(prompt.exitCode == code)
        #expect(prompt.json["expires_in"] == .integer(max(0, left)))
    }

    @Test("there is no prompt without tokens")
    func emptyPrompt() {
        let prompt = ShellPrompt(SessionStatus(finding: .absent(.expired)), at: Self.now)
        #expect(prompt.text.isEmpty)
        #expect(prompt.exitCode == .expired)
        #expect(prompt.json["expires_in"] == .null)
    }

    @Test("no name gives a shell orders")
    func hostilePrompt() {
        let status = ReportTests.status().changing { session, _ in
            session.userName = "%n$(id)`\\e!'\"" + String(repeating: "x", count: 100)
        }
        #expect(
            ShellPrompt(status, at: Self.now).text == "_n_(id)__e___" + String(repeating: "x", count: 19) + " 58m")
    }

    private static let verdicts: [(Result<Bool, AgentFault>, ExitCode, Bool, String)] = [
        (.success(true), .valid, true, "The signature has just been verified"),
        (.failure(.absent), .valid, false, "not verified again"),
        (.failure(.refused(.invalidTokens)), .refused, false, "could not be verified"),
        (.failure(.refused(.unreachable)), .valid, false, "could not be reached"),
    ]

    @Test("claims say whether they were verified", arguments: verdicts)
    func claims(answer: Result<Bool, AgentFault>, code: ExitCode, isVerified: Bool, words: String) throws {
        let agent = ScriptedAgent(answer)
        let status = ReportTests.status(
            claims: #"{"exp":1800003480,"email":"a\u001b[2J@b","custom:n":1.5,"cognito:groups":["x","y"],"o":{"p":[]}}"#
        )
        let report = try ClaimsReport(.id, of: status, verifiedBy: agent, at: Self.now)
        let text = report.text(Appearance(), localTime: { _ in "12:58" })
        #expect(
            text.hasPrefix(
                """
                Claims in the ID token of ana:

                  cognito:groups        x, y
                  custom:n              1.5
                  email                 a[2J@b
                  exp                   1800003480 (12:58)
                  o                     {"p":[]}

                """
            )
        )
        #expect(text.contains(words))
        #expect(report.exitCode == code)
        #expect(report.json["verified"] == .boolean(isVerified))
        #expect(report.json["claims"]?["custom:n"] == .number(1.5))
        #expect(agent.checked.map(\.key) == [456])
        #expect(agent.checked.map(\.isOnline) == [false])
    }

    @Test("an expired token is not called valid, whoever has looked at it", arguments: verdicts)
    func expiredClaims(answer: Result<Bool, AgentFault>, code: ExitCode, isVerified: Bool, words: String) throws {
        let status = ReportTests.status(accessExpiry: Self.now - 1)
        let report = try ClaimsReport(.access, of: status, verifiedBy: ScriptedAgent(answer), at: Self.now)
        let text = report.text(Appearance(), localTime: { _ in "12:58" })
        #expect(text.contains("expired") && !text.contains("just now"))
        #expect(report.exitCode == (code == .valid ? .expired : code))
        #expect(report.json["verified"] == .boolean(false))
        #expect(report.json["verification"]?.text != "valid")
        #expect(report.json["error"]?.text == report.exitCode.name)
        #expect(report.json["message"]?.text.map(text.contains) == true)
    }

    @Test("what is no token has no claims")
    func noClaims() throws {
        for token in ["abc", "a.b", "e30.W10.x", "e30.e30=.x", "e30.e30.x.y", "e30..x"] {
            let status = ReportTests.status().changing { session, _ in session.accessToken = SecretValue(token) }
            #expect(throws: Refusal.self, "\(token)") {
                try ClaimsReport(.access, of: status, verifiedBy: ScriptedAgent(.success(true)), at: Self.now)
            }
        }
    }

    @Test("Cognito is asked only when it is wanted, about a token that it can judge")
    func online() {
        for (wanted, life, checks, renewals) in [
            (false, 31, 0, 0), (true, 31, 1, 0), (true, 30, 0, 1), (true, -1, 0, 1),
        ] {
            let agent = ScriptedAgent(.success(true))
            let check = OnlineCheck(
                wanted, of: { ReportTests.status(accessExpiry: Self.now + Int64(life)) }, by: agent, at: { Self.now }
            )
            #expect(check.onlineStatus == (wanted ? .accepted : nil))
            #expect(agent.checked.count == checks)
            #expect(!agent.checked.contains { check in !check.isOnline })
            #expect(agent.asked.count == renewals)
        }
        let none = ScriptedAgent(.success(true))
        let absent = SessionStatus(finding: .absent(.noSignIn))
        #expect(OnlineCheck(true, of: { absent }, by: none, at: { Self.now }).onlineStatus == nil)
        #expect(none.checked.isEmpty)
    }

    @Test("tokens that Cognito's answer ends are not said to be those of a login without Cognito")
    func endedOnline() {
        var looks = [ReportTests.status(), SessionStatus(finding: .absent(.noSignIn))].makeIterator()
        let check = OnlineCheck(
            true, of: { looks.next() ?? ReportTests.status() },
            by: ScriptedAgent(.failure(.refused(.endedElsewhere))), at: { Self.now - 3600 })
        let report = Report(check.status, onlineStatus: check.onlineStatus, at: Self.now)
        let text = report.text(Appearance(), localTime: { _ in "" })
        #expect(text.contains("no longer accepts this session") && !text.contains("without Cognito"), "\(text)")
        #expect(report.json["reason"]?.text == "vanished")
    }

    @Test(
        "status tells what Cognito says",
        arguments: [
            (nil, .valid, nil), (.accepted, .valid, "valid"), (.unknown(.absent), .noAgent, "no_agent"),
            (.unknown(.refused(.unreachable)), .unreachable, "unreachable"),
            (.unknown(.refused(.endedElsewhere)), .refused, "refused"),
            (.unknown(.refused(.throttled)), .unreachable, "throttled"),
            (.unknown(.refused(.serviceFault)), .unreachable, "service_fault"),
            (.unknown(.refused(.noSession)), .none, "none"), (.unknown(.refused(.busy)), .fault, "busy"),
            (.unknown(.refused(.invalidTokens)), .refused, "refused"), (.unknown(.broken), .fault, "fault"),
            (.unknown(.refused(.renewalLost)), .refused, "renewal_lost"),
        ] as [(OnlineStatus?, ExitCode, String?)])
    func onlineStatus(onlineStatus: OnlineStatus?, code: ExitCode, word: String?) {
        let report = Report(ReportTests.status(), onlineStatus: onlineStatus, at: Self.now)
        #expect(report.exitStatus == code)
        #expect(report.json["online"]?.text == word)
        #expect(report.json["error"]?.text == (code == .valid ? nil : word))
        let text = report.text(Appearance(), localTime: { _ in "" })
        #expect(text.contains("to check now, add --online") == (onlineStatus == nil))
        let message = report.json["online_message"]?.text
        #expect((message == nil) == (code == .valid))
        #expect(message.map { message in text.contains(message) } != false)
        #expect(message?.contains("could not be reached") != true || word == "unreachable")
    }
}
