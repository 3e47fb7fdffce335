import Protocol
import Testing

@Suite struct SignOutResultTests {
    static let all: [SignOutResult] =
        [.everywhere, .revoked, .alreadyRevoked, .expired, .nothing(nil)]
        + Shortfall.allCases.flatMap { shortfall in [.onlySession(shortfall), .nothing(shortfall)] }

    private static func frame(_ result: SignOutResult, _ kind: MessageKind) throws -> Frame {
        var writer = FrameWriter(kind)
        writer.add(result)
        return try writer.finish()
    }

    @Test("what was reached arrives as it was sent", arguments: all, [MessageKind.signedOut, .ending])
    func roundTrip(result: SignOutResult, kind: MessageKind) throws {
        let frame = try Self.frame(result, kind)
        #expect(SignOutResult(frame) == result)
    }

    @Test(
        "the outcome alone is no success that is none",
        arguments: all)
    func outcome(result: SignOutResult) throws {
        let frame = try Self.frame(result, .signedOut)
        let isAsAsked = result == .everywhere || result == .revoked
        #expect((frame.code(.outcome) == SignOutOutcome.revoked.rawValue) == isAsAsked)
    }

    @Test("whatever the codes are, there is one result or none, and none says more than another code denies")
    func codes() throws {
        for outcome in UInt8(0)...6 {
            for reach in UInt8(0)...4 {
                for shortfall in [nil, 0, 1, 12, 13, 255] as [UInt8?] {
                    var writer = FrameWriter(.signedOut)
                    writer.add(.outcome, code: outcome)
                    writer.add(.reach, code: reach)
                    if let shortfall {
                        writer.add(.shortfall, code: shortfall)
                    }
                    let frame = try writer.finish()
                    let result = SignOutResult(frame)
                    #expect((result == .everywhere) == (outcome == 1 && reach == 1 && shortfall == nil))
                    #expect(result == nil || shortfall == nil || result?.shortfall != nil)
                }
            }
        }
    }
}
