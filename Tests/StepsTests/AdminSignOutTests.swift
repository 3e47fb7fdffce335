import HTTPClient
import Protocol
import Testing
import Tokens

private let keys = """
    [default]
    aws_access_key_id = AKIAIOSFODNN7EXAMPLE
    aws_secret_access_key = secret
    """

/// What a file of credentials, or an answer, comes to.
private struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var file = keys
    var answer: ScriptedPool.Answer = .success((200, "{}"))
    var outcome: SignOutOutcome?
    var reason: FailureReason?
    var isAsked = true

    static let all =
        [
            Case(testDescription: "signed out", outcome: .revoked),
            Case(
                testDescription: "among other profiles, as an editor of Windows leaves it",
                file: "# keys\r\n[other]\r\naws_access_key_id=x\r\n" + keys.replacing("\n", with: "\r\n")
                    + "\r\n[last]\r\n",
                outcome: .revoked),
            Case(
                testDescription: "nobody", answer: ScriptedPool.refusal("UserNotFoundException"),
                outcome: .alreadyRevoked),
            Case(
                testDescription: "too much", answer: ScriptedPool.refusal("TooManyRequestsException"),
                reason: .throttled),
            Case(testDescription: "no way", answer: .failure(.unreachable("")), reason: .unreachable),
        ]
        + [
            ("no right", "AccessDeniedException"), ("other keys", "UnrecognizedClientException"),
            ("keys that ran out", "ExpiredTokenException"), ("not allowed", "NotAuthorizedException"),
            ("no such pool", "ResourceNotFoundException"),
        ].map { name, error in
            Case(testDescription: name, answer: ScriptedPool.refusal(error), reason: .configuration)
        }
        + [
            ("no keys", "[default]\n"), ("of another profile", keys.replacing("default", with: "other")),
            ("half of them", keys.replacing("aws_secret", with: "secret")),
            ("an empty one", keys.replacing("= secret", with: "=")),
            ("one that no header can hold", keys.replacing("= secret", with: "= a b")),
        ].map { name, file in Case(testDescription: name, file: file, reason: .configuration, isAsked: false) }
}

/// What an instance's metadata answers, and what that comes to.
private struct Metadata: CustomTestStringConvertible, Sendable {
    private static let token = "/latest/api/token"
    private static let roles = ScriptedMetadata.roles
    private static let keys = ScriptedMetadata.keys

    let testDescription: String
    var answers: [String: ScriptedPool.Answer] = [:]
    /// How many requests there are.
    var count = 3
    var reason: FailureReason? = .configuration
    var said = ""

    private static func body(_ body: String) -> ScriptedPool.Answer {
        .success((200, body))
    }

    static let all = [
        Metadata(testDescription: "a role", reason: nil),
        Metadata(testDescription: "an older kind of list", answers: [roles: body("reaper\nother")], reason: nil),
        Metadata(
            testDescription: "no machine of EC2", answers: [token: .failure(.unreachable("refused"))], count: 1,
            reason: .unreachable, said: "the firewall allows _pam-cognito"),
        Metadata(testDescription: "slow", answers: [token: .failure(.timedOut)], count: 1, reason: .unreachable),
        Metadata(
            testDescription: "without sessions (IMDSv1)", answers: [token: .success((404, ""))], count: 1,
            said: "refused a session token (PUT /latest/api/token) with HTTP 404"),
        Metadata(testDescription: "switched off", answers: [token: .success((403, ""))], count: 1, said: "HTTP 403"),
        Metadata(
            testDescription: "moved", answers: [token: .success((302, "http://203.0.113.7/"))], count: 1,
            said: "HTTP 302"),
        Metadata(testDescription: "no token", answers: [token: body("")], count: 1, said: "did not return"),
        Metadata(
            testDescription: "a page for a token", answers: [token: body("<html>\r\nHost: x</html>")], count: 1,
            said: "did not return a session token"),
        Metadata(
            testDescription: "a token without end", answers: [token: body(String(repeating: "x", count: 4097))],
            count: 1, said: "did not return a session token"),
        Metadata(
            testDescription: "no role", answers: [roles: .success((404, ""))], count: 2, said: "has no role: attach"),
        Metadata(testDescription: "an empty role", answers: [roles: body("\n")], count: 2, said: "name of the"),
        Metadata(
            testDescription: "a role that is a path", answers: [roles: body("../../user-data")], count: 2,
            said: "did not return the name of the instance's role"),
        Metadata(
            testDescription: "a role without end", answers: [roles: body(String(repeating: "x", count: 65))], count: 2,
            said: "did not return the name of the instance's role"),
        Metadata(
            testDescription: "keys withdrawn", answers: [roles + "reaper": .success((404, ""))],
            said: "refused the keys of the instance's role with HTTP 404"),
        Metadata(
            testDescription: "keys that failed",
            answers: [roles + "reaper": body(keys.replacing("Success", with: "Failed"))], said: "the keys of"),
        Metadata(
            testDescription: "no keys", answers: [roles + "reaper": body(#"{"Code": "Success"}"#)],
            said: "the keys of"),
        Metadata(
            testDescription: "keys without a token",
            answers: [roles + "reaper": body(keys.replacing("Token", with: "Tok"))], said: "the keys of"),
        Metadata(
            testDescription: "a key that no header can hold",
            answers: [roles + "reaper": body(keys.replacing("keySecret", with: #"a\r\nb"#))], said: "the keys of"),
        Metadata(testDescription: "garbage", answers: [roles + "reaper": body("{")], said: "the keys of"),
        Metadata(
            testDescription: "huge", answers: [roles + "reaper": .failure(.tooLarge(limit: 16_384))],
            reason: .unreachable, said: "larger than 16384 bytes"),
    ]
}

@Suite struct AdminSignOutTests {
    @Test("an instance of EC2 asks for the keys of its role, with a token or not at all", arguments: Metadata.all)
    private func metadata(one: Metadata) {
        let step = Step()
        step.pool.answers["AdminUserGlobalSignOut"] = [.success((200, "{}"))]
        step.metadata.answers.merge(one.answers) { _, new in new }
        let root = step.run([Step.adminSignOut(credentials: nil)])
        #expect(root.last?.reason == one.reason && root.last?.outcome == (one.reason == nil ? .revoked : nil))
        #expect(step.pool.operations == (one.reason == nil ? ["AdminUserGlobalSignOut"] : []))
        let role = ScriptedMetadata.roles
        #expect(step.metadata.paths == Array(["/latest/api/token", role, role + "reaper"].prefix(one.count)))
        #expect(step.metadata.timeLimits == Array([3000, 2990, 2980].prefix(one.count)))
        let said = root.last?.text(.logText) ?? ""
        #expect(said.contains(one.said))
        for secret in ["keySecret", "tokenSecret", "tokenOfMetadata", "<html>"] {
            #expect(!said.contains(secret))
        }
    }

    @Test("AWS's refusal names the role where the keys are a role's")
    func refused() {
        let step = Step()
        step.pool.answers["AdminUserGlobalSignOut"] = [ScriptedPool.refusal("AccessDeniedException")]
        let root = step.run([Step.adminSignOut(credentials: nil)])
        #expect(root.last?.text(.logText)?.contains("check the instance's role, this machine's clock") ?? false)
    }

    @Test(
        "a person is signed out with the machine's own keys, once for each time that it is asked for",
        arguments: Case.all)
    private func signOut(one: Case) {
        let step = Step()
        step.pool.answers["AdminUserGlobalSignOut"] = [one.answer]
        let root = step.run([Step.adminSignOut(credentials: one.file)])
        #expect(root.last?.outcome == one.outcome && root.last?.reason == one.reason)
        #expect(step.pool.operations == (one.isAsked ? ["AdminUserGlobalSignOut"] : []))
        if one.isAsked {
            #expect(step.pool.bodies.last?["Username"]?.text == "alice@example.com")
            #expect(step.pool.bodies.last?["UserPoolId"]?.text == "eu-west-1_AbCdEf123")
        }
        #expect(root.last?.text(.logText)?.contains("secret\n") != true)
    }
}
