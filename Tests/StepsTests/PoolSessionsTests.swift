import HTTPClient
import Protocol
import Testing
import Tokens

@Suite("The pool's own list of a person's sessions") struct PoolSessionsTests {
    private static let name = "tkn" + String(repeating: "a", count: 25)

    private static func listing(_ sessions: [JSONValue], next: String? = nil) -> ScriptedPool.Answer {
        var members: [String: JSONValue] = ["Sessions": .array(sessions)]
        members["NextToken"] = next.map(JSONValue.string)
        return ScriptedPool.answer(members)
    }

    private static func session(_ name: String, device: String = "app/1", more: [String: JSONValue] = [:]) -> JSONValue
    {
        .object(
            [
                "SessionId": .string(name), "SessionType": .string("TOKEN"), "ClientId": .string("client"),
                "CreateDate": .number(1000.25), "LastActiveDate": .number(2000.75), "DeviceType": .string(device),
                "LastIPAddress": .string("203.0.113.9"), "IsCurrentSession": .boolean(false),
                "LastLocation": .object(["City": .string("Madrid"), "Country": .string("Spain")]),
            ].merging(more) { _, new in new })
    }

    @Test("is handed on with all of its pages, each session as one object")
    func list() {
        let step = Step()
        let browser: [String: JSONValue] = [
            "SessionType": .string("SSO"), "IsCurrentSession": .boolean(true), "ClientId": .null, "LastLocation": .null,
        ]
        step.pool.answers["ListUserSessions"] = [
            Self.listing([Self.session(Self.name)], next: "more"), Self.listing([Self.session("b", more: browser)]),
        ]
        let root = step.run([Step.poolSessions(step.session())])
        #expect(root.kinds == [.poolSessionList])
        #expect(step.pool.bodies.map { body in body["NextToken"]?.text } == [nil, "more"])
        let texts = root.last?.reports.map { report in String(decoding: report.serialized ?? [], as: UTF8.self) }
        #expect(
            texts == [
                #"{"active":2000,"address":"203.0.113.9","browser":false,"client_id":"client","created":1000,"current":false,"#
                    + #""device":"app/1","place":"Madrid, Spain","session":"\#(Self.name)"}"#,
                #"{"active":2000,"address":"203.0.113.9","browser":true,"client_id":null,"created":1000,"current":true,"#
                    + #""device":"app/1","place":null,"session":"b"}"#,
            ])
    }

    @Test("has nothing in it that could write to a terminal, and nothing that is long")
    func hostile() {
        let step = Step()
        let device = "\u{1b}[2J\u{202e}app\n" + String(repeating: "x", count: 100_000)
        let absurd: [String: JSONValue] = [
            "LastIPAddress": .integer(7), "LastLocation": .string("x"), "LastActiveDate": .string("yesterday"),
        ]
        step.pool.answers["ListUserSessions"] = [
            Self.listing([
                Self.session("a", device: device), Self.session("b", more: absurd), .string("c"), .object([:]),
            ])
        ]
        let root = step.run([Step.poolSessions(step.session())])
        #expect(root.last?.reports.compactMap { report in report["session"]?.text } == ["a", "b"])
        #expect(root.last?.fields[.poolSession] == nil)
        #expect(root.last?.reports.first?["device"]?.text?.hasPrefix("[2J app xxx") == true)
        #expect(root.last?.reports.first?["device"]?.text?.count == 120)
        #expect(root.last?.reports.last?["active"] == .integer(1000))
        step.pool.answers["ListUserSessions"] = [Self.listing((1...126).map { number in Self.session("\(number)") })]
        #expect(step.run([Step.poolSessions(step.session())]).last?.reports.count == 125)
        let wide = String(repeating: "\u{10ffff}日", count: 120)
        step.pool.answers["ListUserSessions"] = [Self.listing((0..<400).map { _ in Self.session(wide, device: wide) })]
        let many = step.run([Step.poolSessions(step.session())])
        #expect(many.last?.reports.count == 125 || many.last?.reason == .serviceFault)
    }

    @Test("one of it is ended by its name")
    func end() {
        let step = Step()
        step.pool.answers["RevokeUserSession"] = [.success((200, "{}"))]
        let session = step.session()
        let root = step.run([Step.poolSessions(session, ending: Self.name)])
        #expect(root.kinds == [.poolSessionList])
        #expect(root.last?.reports == [])
        #expect(step.pool.operations == ["RevokeUserSession"])
        #expect(step.pool.bodies[0]["SessionId"]?.text == Self.name)
        #expect(step.pool.bodies[0]["AccessToken"]?.text == session.accessToken.text)
    }

    @Test(
        "what Cognito says decides the reason", arguments: [nil, name],
        [
            (ScriptedPool.refusal("InvalidParameterException", "Session tracking is not enabled"), .notListed),
            (ScriptedPool.refusal("ResourceNotFoundException", "Session does not exist."), .notListed),
            (ScriptedPool.refusal("FeatureUnavailableInTierException"), .notListed),
            (ScriptedPool.refusal("UnknownOperationException"), .notListed),
            (ScriptedPool.refusal("NotAuthorizedException", "Access Token has been revoked"), .accessTokenExpired),
            (
                ScriptedPool.refusal("NotAuthorizedException", "Access Token does not have required scopes"),
                .configuration
            ),
            (ScriptedPool.refusal("UserNotFoundException"), .sessionEnded),
            (ScriptedPool.refusal("TooManyRequestsException"), .throttled),
            (ScriptedPool.refusal("InternalErrorException"), .serviceFault),
            (.failure(.unreachable("no")), .unreachable),
            (.success((200, "<html>")), .serviceFault),
        ] as [(ScriptedPool.Answer, FailureReason)])
    func reasons(ended: String?, answer: (ScriptedPool.Answer, FailureReason)) {
        let step = Step()
        step.pool.answers[ended == nil ? "ListUserSessions" : "RevokeUserSession"] = [answer.0]
        #expect(step.run([Step.poolSessions(step.session(), ending: ended)]).last?.reason == answer.1)
    }

    @Test("Cognito's own words are handed on where it has some", arguments: ["Session does not exist.", ""])
    func words(message: String) {
        let step = Step()
        step.pool.answers["ListUserSessions"] = [ScriptedPool.refusal("ResourceNotFoundException", message)]
        #expect(
            step.run([Step.poolSessions(step.session())]).last?.text(.logText)
                == "The pool does not track sessions, or the list of sessions does not contain the session."
                + (message.isEmpty ? "" : " Cognito said: \(message)"))
    }
}
