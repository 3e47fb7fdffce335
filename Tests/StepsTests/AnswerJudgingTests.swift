import Protocol
import Testing
import Tokens

@testable import Steps

/// What Cognito answers to a request, and what that says of the user's answer.
private struct Judged: CustomTestStringConvertible, Sendable {
    let event: SignInEvent
    var request = Request.code
    var earlier = AnswerJudgement.notWrong
    let judgement: AnswerJudgement

    var testDescription: String { "\(request) \(event) \(earlier)" }
}

private let judged = [
    Judged(event: .tokens, judgement: .notWrong),
    Judged(event: .challenge(.code), request: .proof, judgement: .notWrong),
    Judged(event: .challenge(.custom), request: .proof, judgement: .notWrong),
    Judged(event: .challenge(.custom), request: .custom, judgement: .undecided),
    Judged(event: .challenge(.code), request: .custom, judgement: .notWrong),
    Judged(event: .granted, request: .setupCode, judgement: .notWrong),
    Judged(event: .resetRequired, request: .proof, judgement: .notWrong),
    Judged(event: .notAcceptable, request: .newPassword, judgement: .notWrong),
    Judged(event: .aliasTaken(missing: 1), request: .newPassword, judgement: .notWrong),
    // Cognito has not looked at the answer: a code that it has sent is as good as before.
    Judged(event: .busy, earlier: .notSent, judgement: .notSent),
    Judged(event: .busy, judgement: .notWrong),
    Judged(event: .busy, request: .custom, earlier: .undecided, judgement: .undecided),
    Judged(event: .deviceUnknown, request: .proof, earlier: .notSent, judgement: .notSent),
    Judged(event: .wrongAnswer, judgement: .wrong),
    Judged(event: .usedCode, judgement: .wrong),
    Judged(event: .expired, judgement: .wrong),
    Judged(event: .refused, request: .proof, judgement: .wrong),
    // The sign-in begins anew behind a code that was too old.
    Judged(event: .challenge(.proof), request: .initiate, earlier: .wrong, judgement: .wrong),
    Judged(event: .challenge(.code), request: .proof, earlier: .wrong, judgement: .wrong),
]

@Suite("What the root side hears of an answer") struct AnswerJudgingTests {
    @Test("every refusal that is not known to be about something else is a wrong guess", arguments: judged)
    private func judgement(judged: Judged) {
        #expect(judged.event.judgement(of: judged.request, after: judged.earlier) == judged.judgement)
    }

    private static let mismatch = ScriptedPool.refusal("CodeMismatchException", "Invalid code")

    @Test(
        "a prompt says whether Cognito has sent a code for it; and nothing to a root side of before",
        arguments: [
            (ChallengeName.softwareTokenMFA, false), (.messageMFA, true), (.emailCode, true), (.customChallenge, true),
        ], [true, false])
    func codeSent(sent: (name: ChallengeName, isSent: Bool), isTelling: Bool) {
        let step = Step()
        step.pool.answers["InitiateAuth"] = [challenge(sent.name.rawValue)]
        step.pool.answers["RespondToAuthChallenge"] = [Self.mismatch, step.pool.tokens()]
        let flow: AuthenticationFlow = sent.name == .customChallenge ? .custom : .password
        let root = step.run(
            [Step.signIn(flow: flow, tellingJudgement: isTelling)], registers: true, person: ("password", "123456"))
        let codes = root.prompts.map { prompt in prompt.fields[.codeSent] }
        let judgements = root.prompts.map { prompt in prompt.fields[.judgement] }
        let isFirst = flow == .custom
        let sentCode: [[UInt8]?] = [isTelling && sent.isSent ? [1] : nil]
        // The second prompt for the same code says nothing of another one.
        #expect(codes == (isFirst ? [] : [nil]) + sentCode + [nil])
        let said: [[UInt8]?] = (isFirst ? [] : [[3]]) + [[0], [1]]
        #expect(judgements == (isTelling ? said : said.map { _ in nil }))
        #expect(root.last?.kind == .signedIn)
    }

    @Test(
        "the right code that another sign-in has used is no wrong guess; another text of the same error is one",
        arguments: [true, false])
    func usedCode(isUsed: Bool) {
        let step = Step()
        let text = isUsed ? "Your software token has already been used once." : "Expired."
        step.pool.answers["InitiateAuth"] = [challenge("SOFTWARE_TOKEN_MFA")]
        step.pool.answers["RespondToAuthChallenge"] = [
            ScriptedPool.refusal("ExpiredCodeException", text), step.pool.tokens(),
        ]
        let root = step.run(
            [Step.signIn(tellingJudgement: true)], registers: true, person: ("password", "123456"))
        let judgements = root.prompts.map { prompt in prompt.fields[.judgement] }
        #expect(judgements == [[3], [0], [isUsed ? 0 : 1]])
    }

    @Test(
        "what a firewall in front of Cognito stops is no wrong guess; a refusal that comes before it stays one",
        arguments: [
            (403, #"{"__type":"ForbiddenException","message":"Request not allowed due to WAF block."}"#),
            (403, "<html>blocked</html>"), (405, ""),
        ] as [(Int, String)], [false, true])
    func firewall(answer: (status: Int, body: String), isBehindWrongCode: Bool) {
        let step = Step()
        step.pool.answers["InitiateAuth"] = [challenge("SOFTWARE_TOKEN_MFA")]
        step.pool.answers["RespondToAuthChallenge"] =
            (isBehindWrongCode ? [Self.mismatch] : []) + [.success((answer.status, answer.body))]
        let root = step.run(
            [Step.signIn(flow: .password, tellingJudgement: true)], registers: true, person: ("password", "123456"))
        #expect(root.last?.kind == .failed)
        #expect(root.last?.fields[.reason] == [FailureReason.refusedByPool.rawValue])
        // The wrong code was told of with the prompt that followed it.
        #expect(root.last?.fields[.judgement] == [3])
        let prompts = root.prompts.map { prompt in prompt.fields[.judgement] }
        #expect(prompts == [[3], [0]] + (isBehindWrongCode ? [[1]] : []))
    }

    @Test("a failure says it, too", arguments: [("NotAuthorizedException", [1]), ("", [3])] as [(String, [UInt8])])
    func failed(name: String, judgement: [UInt8]) {
        let step = Step()
        step.pool.answers["InitiateAuth"] = [ScriptedPool.refusal(name, "Incorrect username or password.")]
        // An empty password is not sent.
        let root = step.run(
            [Step.signIn(tellingJudgement: true)], registers: true, person: (name.isEmpty ? "" : "password", ""))
        #expect(root.last?.kind == .failed)
        #expect(root.last?.fields[.judgement] == judgement)
    }
}
