import Commands
import Protocol
import Testing
import Tokens

@testable import cognito_session

/// An agent that does as it is told, and counts.
final class ScriptedAgent: Agent {
    private let answer: Result<Bool, AgentFault>
    private(set) var asked: [(key: Int32, minimumLife: Int64)] = []
    private(set) var checked: [(key: Int32, isOnline: Bool)] = []

    init(_ answer: Result<Bool, AgentFault>) {
        self.answer = answer
    }

    func renew(_ key: Int32, minimumLife: Int64) throws(AgentFault) -> Bool {
        asked.append((key, minimumLife))
        return try answer.get()
    }

    func check(_ key: Int32, online: Bool) throws(AgentFault) {
        checked.append((key, online))
        _ = try answer.get()
    }
}

@Suite("Handing out a token")
struct TokenRequestTests {
    /// Asks for a token of a session whose token lasts `before` seconds, and `after` when it was renewed.
    private static func obtain(
        _ kind: TokenKind = .access, minimumLife: Int64?, before: Int64, after: Int64 = 3600, agent: ScriptedAgent
    ) throws -> GrantedToken {
        try TokenRequest(kind, minimumLife: minimumLife).obtain(
            from: {
                ReportTests.status(accessExpiry: ReportTests.now + (agent.asked.isEmpty ? before : after))
            },
            renewedBy: agent, at: { ReportTests.now }
        )
    }

    @Test(
        "renews only a token that ends too soon",
        arguments: [
            (nil, 60, 0, 60), (nil, 59, 1, 3600), (nil, -1, 1, 3600), (300, 300, 0, 300), (300, 299, 1, 3600),
            (0, 1, 0, 1), (0, 0, 1, 3600), (3600, 3599, 1, 3600),
        ] as [(Int64?, Int64, Int, Int64)])
    func renewal(minimumLife: Int64?, before: Int64, renewals: Int, life: Int64) throws {
        for kind in [TokenKind.access, .id] {
            let agent = ScriptedAgent(.success(true))
            let token = try Self.obtain(kind, minimumLife: minimumLife, before: before, agent: agent)
            #expect(token.expiry == ReportTests.now + life)
            #expect(token.kind == kind)
            #expect(agent.asked.map(\.key) == Array(repeating: 456, count: renewals))
            #expect(agent.asked.allSatisfy { request in request.minimumLife == (minimumLife ?? 60) + 5 })
        }
    }

    @Test(
        "hands out a token that ends soon when it cannot be renewed, unless more was asked for or Cognito refuses it",
        arguments: [
            (.absent, .noAgent, true), (.refused(.noSession), .none, true),
            (.refused(.endedElsewhere), .refused, false), (.refused(.unreachable), .unreachable, true),
            (.refused(.throttled), .unreachable, true), (.refused(.serviceFault), .unreachable, true),
            (.refused(.busy), .fault, true), (.broken, .fault, true), (.refused(.renewalLost), .refused, true),
        ] as [(AgentFault, ExitCode, Bool)])
    func failure(failure: AgentFault, status: ExitCode, isTolerated: Bool) throws {
        if isTolerated {
            let token = try Self.obtain(minimumLife: nil, before: 30, agent: ScriptedAgent(.failure(failure)))
            #expect(token.expiry == ReportTests.now + 30)
        }
        let cases: [(Int64?, Int64)] = isTolerated ? [(60, 30), (nil, 0), (nil, -5)] : [(60, 30), (nil, 30), (nil, 0)]
        for (minimumLife, before) in cases {
            let refusal = #expect(throws: Refusal.self) {
                try Self.obtain(minimumLife: minimumLife, before: before, agent: ScriptedAgent(.failure(failure)))
            }
            #expect(refusal?.exitStatus == status)
            #expect(refusal?.message.hasSuffix(".") == true)
            #expect(refusal?.message.contains("could not be reached") == (failure == .refused(.unreachable)))
        }
    }

    @Test("says when the pool's tokens never last as long as asked")
    func tooShort() {
        let refusal = #expect(throws: Refusal.self) {
            try Self.obtain(minimumLife: 7200, before: 3600, agent: ScriptedAgent(.success(true)))
        }
        #expect(
            refusal?.message
                == "The token was renewed but stays valid for only 1 hour, which is less than --min-life requires.")
    }

    @Test("asks also when what renews should have expired: only Cognito's refusal is an end")
    func estimate() throws {
        let late = ReportTests.now + 2_600_000
        func obtain(_ agent: ScriptedAgent) throws -> GrantedToken {
            try TokenRequest(.access, minimumLife: nil).obtain(
                from: { ReportTests.status(accessExpiry: agent.asked.isEmpty ? ReportTests.now - 5 : late + 3600) },
                renewedBy: agent, at: { late })
        }
        #expect(try obtain(ScriptedAgent(.success(true))).expiry == late + 3600)
        for (failure, status) in [
            (AgentFault.refused(.endedElsewhere), ExitCode.refused), (.refused(.unreachable), .unreachable),
        ] {
            let refusal = #expect(throws: Refusal.self) { try obtain(ScriptedAgent(.failure(failure))) }
            #expect(refusal?.exitStatus == status)
        }
    }

    @Test("asks nobody when there is no session")
    func hopeless() {
        let agent = ScriptedAgent(.success(true))
        let none = #expect(throws: Refusal.self) {
            try TokenRequest(.access, minimumLife: nil).obtain(
                from: { SessionStatus(finding: .absent(.noSignIn)) }, renewedBy: agent, at: { ReportTests.now }
            )
        }
        #expect(none?.exitStatus == ExitCode.none)
        #expect(agent.asked.isEmpty)
    }
}
