import Encodings
import HTTPClient
import Testing
import WorkerProtocol

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

    static let all = [
        Case(testDescription: "signed out", outcome: .revoked),
        Case(
            testDescription: "among other profiles, as an editor of Windows leaves it",
            file: "# keys\r\n[other]\r\naws_access_key_id=x\r\n" + keys.replacing("\n", with: "\r\n")
                + "\r\n[last]\r\n",
            outcome: .revoked),
        Case(
            testDescription: "nobody", answer: ScriptedPool.refusal("UserNotFoundException"), outcome: .alreadyRevoked),
        Case(
            testDescription: "no right", answer: ScriptedPool.refusal("AccessDeniedException"), reason: .configuration),
        Case(
            testDescription: "other keys", answer: ScriptedPool.refusal("UnrecognizedClientException"),
            reason: .configuration),
        Case(
            testDescription: "keys that ran out", answer: ScriptedPool.refusal("ExpiredTokenException"),
            reason: .configuration),
        Case(
            testDescription: "not allowed", answer: ScriptedPool.refusal("NotAuthorizedException"),
            reason: .configuration),
        Case(
            testDescription: "no such pool", answer: ScriptedPool.refusal("ResourceNotFoundException"),
            reason: .configuration),
        Case(testDescription: "too much", answer: ScriptedPool.refusal("TooManyRequestsException"), reason: .throttled),
        Case(testDescription: "no way", answer: .failure(.unreachable("")), reason: .unreachable),
        Case(testDescription: "no keys", file: "[default]\n", reason: .configuration, isAsked: false),
        Case(
            testDescription: "of another profile", file: keys.replacing("default", with: "other"),
            reason: .configuration,
            isAsked: false),
        Case(
            testDescription: "half of them", file: keys.replacing("aws_secret", with: "secret"), reason: .configuration,
            isAsked: false),
        Case(
            testDescription: "an empty one", file: keys.replacing("= secret", with: "="), reason: .configuration,
            isAsked: false),
        Case(
            testDescription: "one that no header can hold", file: keys.replacing("= secret", with: "= a b"),
            reason: .configuration, isAsked: false),
    ]
}

@Suite struct AdminSignOutTests {
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
