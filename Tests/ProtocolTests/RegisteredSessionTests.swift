import Testing

@testable import Protocol

@Suite struct RegisteredSessionTests {
    private static let details = RegisteredSession.Details(
        user: Array("ana".utf8), service: Array("sshd".utf8), remoteHost: Array("203.0.113.7".utf8),
        terminal: Array("ssh".utf8), signOut: Array("global".utf8), userPoolID: Array("pool".utf8),
        clientID: Array("client".utf8), hostProcess: 1, signedInAgo: 2, renewedAgo: 3, accessTokenExpiry: 4,
        refreshTokenExpiry: 5, attempts: 6, nextAttemptIn: 7)

    @Test("a session comes through as it is", arguments: RegisteredStatus.allCases)
    func roundTrip(status: RegisteredStatus) throws {
        var bare = Self.details
        bare.service = []
        bare.remoteHost = []
        bare.terminal = []
        for details in [Self.details, bare, nil] {
            let session = RegisteredSession(number: 824_910_113, status: status, details: details)
            #expect(RegisteredSession(try session.message.finish()) == session)
        }
    }

    @Test("a session whose times are no times comes through without what is known of it")
    func times() throws {
        let endOfYear9999: Int64 = 253_402_300_799
        let times: [WritableKeyPath<RegisteredSession.Details, Int64>] = [
            \.signedInAgo, \.renewedAgo, \.accessTokenExpiry, \.refreshTokenExpiry, \.nextAttemptIn,
        ]
        for (index, time) in times.enumerated() {
            for (seconds, isTime) in [
                (endOfYear9999, true), (-endOfYear9999, true), (endOfYear9999 + 1, false), (-endOfYear9999 - 1, false),
                (.max, false), (.min, false),
            ] {
                var details = Self.details
                details[keyPath: time] = seconds
                let session = RegisteredSession(number: 1, status: .open, details: details)
                let told = RegisteredSession(number: 1, status: .open, details: isTime ? details : nil)
                #expect(RegisteredSession(try session.message.finish()) == told, "\(index): \(seconds)")
            }
        }
    }

    @Test("what is too long for a message makes none, and an unknown status is no session")
    func unfit() throws {
        var long = Self.details
        long.user = [UInt8](repeating: 0x61, count: 257)
        #expect(throws: FrameError.fieldMalformed(.userName)) {
            _ = try RegisteredSession(number: 1, status: .open, details: long).message.finish()
        }
        var writer = FrameWriter(.registeredSession)
        writer.add(.key, 1)
        writer.add(.registeredStatus, code: 99)
        #expect(RegisteredSession(try writer.finish()) == nil)
    }
}
