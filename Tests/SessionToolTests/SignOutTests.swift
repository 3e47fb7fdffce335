import Commands
import Protocol
import Testing
import Tokens

@testable import cognito_session

/// An agent that signs out, or does not, as it is told.
private struct ScriptedSignOut: SignOutAgent {
    let answer: Result<SignOutResult, AgentFault>

    func signOut(_ key: Int32, _ scope: SignOutScope) throws(AgentFault) -> SignOutResult {
        #expect(key == 456)
        return try answer.get()
    }

    func signOutOfMachine() throws(AgentFault) -> MachineSignOut {
        MachineSignOut(ended: 2, left: try answer.get() == .onlySession(.notCarriedOut) ? 1 : 0)
    }
}

@Suite("Signing out")
struct SignOutTests {
    /// What became of it, and the keys that were taken away by the tool itself.
    private static func perform(
        _ scope: SignOutScope, _ answer: Result<SignOutResult, AgentFault>,
        _ status: SessionStatus = ReportTests.status(accessExpiry: ReportTests.now + 60), isDropped: Bool = true
    ) -> (SignOutReport, [Int32]) {
        var dropped: [Int32] = []
        let report = SignOut(scope: scope).perform(status, by: ScriptedSignOut(answer: answer)) { place in
            dropped.append(place.key)
            return isDropped
        }
        return (report, dropped)
    }

    /// What keeps a sign-out everywhere from being one, where this session is over all the same.
    private static let partly: [Shortfall] = [
        .passwordResetRequired, .notConfirmed, .disabled, .scope, .firewall, .configuration, .refused, .notRenewed,
        .newerSession, .notCarriedOut, .othersUnknown,
    ]

    @Test(
        "tells what became of it by status and code",
        arguments: [
            (.here, .success(.revoked), .valid, .session, nil, false),
            (.everywhere, .success(.everywhere), .valid, .everywhere, nil, false),
            (.everywhere, .success(.revoked), .partly, .session, 9000, false),
            (.everywhere, .success(.onlySession(.alreadyRevoked)), .refused, .nothing, 9002, false),
            (.everywhere, .success(.onlySession(.expired)), .expired, .nothing, 9002, false),
            (.everywhere, .success(.onlySession(.userGone)), .refused, .nothing, 9002, false),
            (.everywhere, .success(.nothing(.firewall)), .fault, .nothing, 9000, false),
            (.here, .success(.nothing(nil)), .fault, .nothing, 9000, false),
            (.here, .failure(.absent), .valid, .session, nil, true),
            (.machine, .success(.revoked), .valid, .machine, nil, false),
            (.machine, .failure(.absent), .noAgent, .nothing, 9000, false),
            (.machine, .success(.onlySession(.notCarriedOut)), .partly, .some, 9000, false),
            (.machine, .failure(.refused(.busy)), .fault, .nothing, 9000, false),
            (.machine, .failure(.broken), .fault, .nothing, 9000, false),
            (.everywhere, .failure(.absent), .noAgent, .nothing, 9000, false),
            (.here, .failure(.refused(.noSession)), .refused, .nothing, 9002, true),
            (.everywhere, .failure(.refused(.noSession)), .refused, .nothing, 9002, true),
            (.everywhere, .failure(.refused(.endedElsewhere)), .refused, .nothing, 9002, false),
            (.everywhere, .failure(.refused(.unreachable)), .unreachable, .nothing, 9000, false),
            (.everywhere, .failure(.refused(.throttled)), .unreachable, .nothing, 9000, false),
            (.everywhere, .failure(.refused(.serviceFault)), .unreachable, .nothing, 9000, false),
            (.here, .failure(.refused(.busy)), .fault, .nothing, 9000, false),
            (.everywhere, .failure(.broken), .fault, .nothing, 9000, false),
        ]
            + partly.map { shortfall in
                (.everywhere, .success(.onlySession(shortfall)), .partly, .session, 9000, false)
            } as [(SignOutScope, Result<SignOutResult, AgentFault>, ExitCode, SignedOut, Int64?, Bool)])
    func outcome(
        scope: SignOutScope, answer: Result<SignOutResult, AgentFault>, status: ExitCode, reached: SignedOut,
        code: Int64?, drops: Bool
    ) {
        let (report, dropped) = Self.perform(scope, answer)
        #expect(report.exitStatus == status)
        #expect(report.json["reached"]?.text == reached.rawValue)
        // Only a user who is signed out everywhere is told so.
        #expect(report.text.contains("Signed out on all devices") == (reached == .everywhere))
        // Here Cognito is never waited for.
        let isPending = scope != .everywhere && (code == nil || reached == .some)
        #expect(report.json["pending"] == .boolean(isPending))
        #expect(report.code == code)
        #expect(dropped == (drops ? [456] : []))
        #expect(report.json["code"]?.seconds == code)
        #expect(report.message.contains("could not be reached") == (answer == .failure(.refused(.unreachable))))
        switch code {
        case 9000: #expect(report.text.hasPrefix("Error: Error signing out: "))
        case nil: #expect(!report.text.contains("rror"))
        default: #expect(report.text.hasPrefix("Error: Invalid or expired session. "))
        }
    }

    @Test(
        "what could not be taken away is not said to be gone",
        arguments: [
            (.here, .absent, .noAgent, 9000), (.here, .refused(.noSession), .fault, 9000),
            (.everywhere, .refused(.noSession), .refused, 9002),
        ] as [(SignOutScope, AgentFault, ExitCode, Int64)])
    func kept(scope: SignOutScope, failure: AgentFault, status: ExitCode, code: Int64) {
        let place = KeyPlace(ring: 123, ringName: "_ses", key: 456)
        let (report, dropped) = Self.perform(
            scope, .failure(failure), SessionStatus(finding: .absent(.locked(place))), isDropped: false)
        #expect(report.exitStatus == status)
        #expect(report.code == code)
        #expect(report.json["reached"]?.text == "nothing")
        #expect(!report.text.contains("gone"))
        #expect(dropped == [456])
    }

    @Test(
        "has nothing to do without a session: here that is no failure, elsewhere it is",
        arguments: [
            (.noSignIn, .none, 9001, true), (.insideTmux, .none, 9001, true), (.expired, .expired, 9002, true),
            (.damaged("?"), .none, 9001, false), (.unreadable(error: 13), .none, 9001, false),
        ] as [(Absence, ExitCode, Int64, Bool)])
    func absent(absence: Absence, status: ExitCode, code: Int64, isEmpty: Bool) {
        for scope in [SignOutScope.here, .everywhere] {
            let (report, dropped) = Self.perform(scope, .failure(.broken), SessionStatus(finding: .absent(absence)))
            let isGood = scope == .here && isEmpty
            #expect(report.exitStatus == (isGood ? .valid : status))
            #expect(report.code == (isGood ? nil : code))
            #expect(report.json["error"]?.text == (isGood ? nil : status.name))
            let hasNone = scope == .everywhere && isEmpty && code == 9001
            #expect(report.text.hasPrefix("Error: Invalid or expired session. ") == (!isGood && !hasNone))
            #expect(report.text.hasPrefix("Error: This session has no Cognito tokens, so there was nothing") == hasNone)
            #expect(
                report.json["message"]?.text?.contains(absence.explanation.reason) == (isGood || absence != .expired))
            #expect(report.json["pending"] == .boolean(false))
            #expect(
                report.message.contains("other devices")
                    == (scope == .everywhere && isEmpty || absence == .expired && !isGood))
            #expect(dropped.isEmpty)
        }
    }
}
