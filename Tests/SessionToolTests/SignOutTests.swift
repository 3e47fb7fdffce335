import Encodings
import Testing

@testable import SessionTool

/// An agent that signs out, or does not, as it is told.
private struct ScriptedSignOut: SignOutAgent {
    let answer: Result<Bool, AgentFailure>

    func signOut(_ key: Int32, _ scope: SignOutScope) throws(AgentFailure) -> Bool {
        #expect(key == 456)
        return try answer.get()
    }
}

@Suite("Signing out")
struct SignOutTests {
    /// What became of it, and the keys that were destroyed by the tool itself.
    private static func perform(
        _ scope: SignOutScope, _ answer: Result<Bool, AgentFailure>,
        _ situation: Situation = ReportTests.situation(accessExpiry: ReportTests.now + 60)
    ) -> (SignOutReport, [Int32]) {
        var dropped: [Int32] = []
        let report = SignOut(scope).perform(situation, by: ScriptedSignOut(answer: answer)) { key in
            dropped.append(key)
        }
        return (report, dropped)
    }

    @Test(
        "tells what became of it by status and code",
        arguments: [
            (.here, .success(true), .valid, nil, false),
            (.everywhere, .success(true), .valid, nil, false),
            (.everywhere, .success(false), .valid, nil, false),
            (.here, .failure(.absent), .valid, nil, true),
            (.everywhere, .failure(.absent), .noAgent, 9000, false),
            (.here, .failure(.unknownSession), .refused, 9002, true),
            (.everywhere, .failure(.unknownSession), .refused, 9002, true),
            (.everywhere, .failure(.ended), .refused, 9002, false),
            (.everywhere, .failure(.unreachable), .unreachable, 9000, false),
            (.everywhere, .failure(.throttled), .unreachable, 9000, false),
            (.everywhere, .failure(.serviceFault), .unreachable, 9000, false),
            (.here, .failure(.busy), .fault, 9000, false),
            (.everywhere, .failure(.fault), .fault, 9000, false),
        ] as [(SignOutScope, Result<Bool, AgentFailure>, ExitCode, Int64?, Bool)])
    func outcome(
        scope: SignOutScope, answer: Result<Bool, AgentFailure>, status: ExitCode, code: Int64?, drops: Bool
    ) {
        let (report, dropped) = Self.perform(scope, answer)
        #expect(report.exitStatus == status)
        #expect(report.code == code)
        #expect(dropped == (drops ? [456] : []))
        #expect(report.json["code"]?.seconds == code)
        #expect(report.message.contains("could not be reached") == (answer == .failure(.unreachable)))
        switch code {
        case 9000: #expect(report.text.hasPrefix("Error: Error signing out: "))
        case nil: #expect(!report.text.contains("rror"))
        default: #expect(report.text.hasPrefix("Error: Invalid or expired session. "))
        }
    }

    @Test(
        "has nothing to do without a session: here that is no failure, elsewhere it is",
        arguments: [
            (.noSignIn, .none, 9001, true), (.insideTmux, .none, 9001, true), (.expired, .expired, 9002, true),
            (.damaged("?"), .none, 9001, false), (.unreadable(error: 13), .none, 9001, false),
        ] as [(Absence, ExitCode, Int64, Bool)])
    func absent(absence: Absence, status: ExitCode, code: Int64, isEmpty: Bool) {
        for scope in [SignOutScope.here, .everywhere] {
            let (report, dropped) = Self.perform(scope, .failure(.fault), Situation(finding: .absent(absence)))
            let isGood = scope == .here && isEmpty
            #expect(report.exitStatus == (isGood ? .valid : status))
            #expect(report.code == (isGood ? nil : code))
            #expect(report.json["error"]?.text == (isGood ? nil : status.name))
            #expect(report.text.hasPrefix("Error: Invalid or expired session. ") == !isGood)
            #expect(report.json["message"]?.text?.contains(absence.explanation.reason) == true)
            #expect(dropped.isEmpty)
        }
    }
}
