import CognitoIdentityProvider
import HTTPClient
import Protocol
import Testing
import Tokens

private let keys = """
    [default]
    aws_access_key_id = AKIAIOSFODNN7EXAMPLE
    aws_secret_access_key = keySecret
    """

/// A user as the service lists them.
private func user(
    _ name: String, enabled: String = "true", status: String = "CONFIRMED", _ attributes: [(String, String)] = []
) -> String {
    let all = [("sub", "sub-\(name.prefix(20))")] + attributes
    let list = all.map { name, value in "{\"Name\":\"\(name)\",\"Value\":\"\(value)\"}" }.joined(separator: ",")
    return
        """
        {\"Username\":\"\(name)\",\"Enabled\":\(enabled),\"UserStatus\":\"\(status)\",\"UserCreateDate\":1700000000.5,\"Attributes\":[\(list)]}
        """
}

private func page(_ users: [String], next: String? = nil) -> ScriptedPool.Answer {
    let end = next.map { token in ",\"NextToken\":\(token)" } ?? ""
    return .success((200, "{\"Users\":[\(users.joined(separator: ","))]\(end)}"))
}

/// What the service answers, and what the root side is told of it.
private struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let answers: [ScriptedPool.Answer]
    var told: [String] = []
    var kinds: [MessageKind]
    var reason: FailureReason?
    var said = ""

    static let all = told + unfit

    private static let told = [
        Case(testDescription: "nobody", answers: [page([])], kinds: [.listed]),
        Case(
            testDescription: "two pages, the second empty", answers: [page([user("ana")], next: "\"t\""), page([])],
            told: ["ana"], kinds: [.person, .page, .listed]),
        Case(
            testDescription: "an empty page in the middle",
            answers: [page([], next: "\"t\""), page([user("ana")])], told: ["ana"], kinds: [.page, .person, .listed]),
        Case(
            testDescription: "a list without end", answers: [page([user("ana")], next: "\"t\"")],
            told: ["ana", "ana"], kinds: [.person, .page, .person, .page, .failed], reason: .serviceFault,
            said: "a NextToken was repeated"),
        Case(
            testDescription: "two tokens in turn",
            answers: [page([], next: "\"a\""), page([], next: "\"b\""), page([], next: "\"a\"")],
            kinds: [.page, .page, .page, .failed], reason: .serviceFault, said: "a NextToken was repeated"),
        Case(
            testDescription: "a busy service",
            answers: [ScriptedPool.refusal("TooManyRequestsException"), page([user("ana")])],
            told: ["ana"], kinds: [.person, .listed]),
        Case(
            testDescription: "an outage in the middle",
            answers: [page([user("ana")], next: "\"t\""), .failure(.unreachable(""))], told: ["ana"],
            kinds: [.person, .page, .failed], reason: .unreachable),
        Case(
            testDescription: "no such group",
            answers: [ScriptedPool.refusal("ResourceNotFoundException", "Group not found.")], kinds: [.failed],
            reason: .notListed, said: "The group does not exist"),
        Case(
            testDescription: "no such pool",
            answers: [
                ScriptedPool.refusal("ResourceNotFoundException", "User pool eu-west-1_AbCdEf123 does not exist.")
            ], kinds: [.failed], reason: .configuration, said: "the pool does not exist"),
        Case(
            testDescription: "no right", answers: [ScriptedPool.refusal("AccessDeniedException")], kinds: [.failed],
            reason: .configuration, said: "cognito-idp:ListUsersInGroup"),
        Case(
            testDescription: "a page that is too large, and smaller ones",
            answers: [.failure(.tooLarge(limit: 1)), page([user("ana")])], told: ["ana"], kinds: [.person, .listed]),
    ]

    private static let unfit = [
        ("no list", ScriptedPool.answer([:])),
        ("more than were asked for", page((0...60).map { number in user("p\(number)") })),
        ("a token that is none", page([user("ana")], next: "7")),
        ("an empty token", page([user("ana")], next: "\"\"")),
        ("a token of null", page([user("ana")], next: "null")),
        ("a token without end", page([], next: "\"\(String(repeating: "t", count: 32_768))\"")),
        ("somebody without a name", page([user("")])),
        ("a name without end", page([user(String(repeating: "a", count: 129))])),
        ("somebody without sub", page([user("ana").replacing("\"sub\"", with: "\"bus\"")])),
        ("an attribute twice", page([user("ana", [("sub", "another")])])),
        ("not said whether enabled", page([user("ana", enabled: "1")])),
    ].map { name, answer in
        Case(testDescription: name, answers: [answer], kinds: [.failed], reason: .serviceFault)
    }
}

@Suite struct ListPeopleTests {
    @Test("the people of a group, page by page, or why there is no such list", arguments: Case.all)
    private func list(one: Case) {
        let step = Step()
        step.pool.answers["ListUsersInGroup"] = one.answers
        let root = step.run([Step.listPeople(credentials: keys)])
        #expect(root.kinds == one.kinds)
        #expect(
            root.sent.filter { message in message.kind == .person }.map { message in message.text(.userName) }
                == one.told)
        #expect(root.last?.reason == one.reason)
        #expect(root.last?.text(.logText)?.contains(one.said) ?? true)
        #expect(step.pool.bodies.allSatisfy { body in body["GroupName"]?.text == "staff" })
        #expect(step.pool.bodies.first?["Limit"] == .integer(60))
    }

    @Test("what is told of a person")
    func person() throws {
        let step = Step()
        step.pool.answers["ListUsersInGroup"] = [
            page([
                user(
                    "ana",
                    [
                        ("email", "a@example.com"), ("email_verified", "true"), ("name", "Ana"), ("custom:key", "k"),
                        ("custom:uid", "70000"),
                    ]),
                user(
                    "bob", enabled: "false",
                    [
                        ("email", "b@example.com"), ("name", String(repeating: "b", count: 257)),
                    ]),
                user("eve", status: "UNCONFIRMED", [("email", "e@example.com"), ("email_verified", "false")]),
                user(String(repeating: "\u{1F600}", count: 128)),
            ])
        ]
        let root = step.run([Step.listPeople(credentials: keys, from: "token")])
        #expect(step.pool.bodies.first?["NextToken"]?.text == "token")
        let told = root.sent.filter { message in message.kind == .person }
        try #require(told.count == 4)
        #expect(
            told[0].fields == [
                .userName: Array("ana".utf8), .subject: Array("sub-ana".utf8), .isEnabled: [1],
                .createdAt: Step.number(1_700_000_000),
                .emailAddress: Array("a@example.com".utf8), .realName: Array("Ana".utf8), .publicKeys: Array("k".utf8),
                .uidClaim: Array("70000".utf8),
            ])
        #expect(told[1].fields[.isEnabled] == [0] && told[1].fields.count == 4)
        #expect(told[2].fields[.isEnabled] == [0] && told[2].fields.count == 4)
        #expect(told[3].fields[.userName]?.count == 256)
    }

    @Test("between pages there is a pause, and the list is left where nobody listens")
    func pace() {
        let step = Step()
        step.pool.answers["ListUsersInGroup"] = (1...200).map { number in page([], next: "\"\(number)\"") }
        let root = step.run([Step.listPeople(credentials: keys)])
        // 15 seconds of the network's time: an answer of 10 milliseconds and a pause of 150 for each.
        #expect(step.pool.operations.count == 94 && root.last?.reason == .unreachable)
        let alone = Step()
        alone.pool.answers["ListUsersInGroup"] = [page([user("ana"), user("bob")], next: "\"t\"")]
        #expect(alone.run([Step.listPeople(credentials: keys)], rootIsGone: true).kinds == [.person])
    }
}
