import Agent
import Base
import Configuration
import Keyring
import Protocol
import Testing

@testable import Fakes
@testable import Sessions

/// How far a session is meant to end, and what the worker is asked for behind its host; nil: it is not handed over.
private struct Leaving: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let revocation: Revocation?
    var script: [Act] = [.signedOut()]
    var line: String?
    var isOver = true

    static let all = [
        Leaving(
            testDescription: "global", revocation: .global,
            line: "signed out; user='alice' session=1001 service='sshd' rhost='203.0.113.7' process=100 "
                + "outcome=revoked_everywhere: the PAM application has closed the session"),
        Leaving(testDescription: "last", revocation: .global),
        Leaving(testDescription: "session", revocation: .session, script: [.signedOut(.revoked)]),
        Leaving(testDescription: "none", revocation: nil),
        Leaving(
            testDescription: "global", revocation: .global, script: [.failed(.unreachable, log: "no route")],
            line: "sign-out not finished; user='alice' session=1001 service='sshd' rhost='203.0.113.7' process=100: "
                + "the PAM application has closed the session: no route", isOver: false),
    ]
}

@Suite struct HandedOverEndTests {
    private static func opened(_ mode: String) -> World {
        let world = World.open("sign_out = \(mode)\nsign_out_wait = 0s")
        world.machine.canStartEnding = true
        return world
    }

    @Test("a host that does not wait leaves the session to an agent, without its tokens", arguments: Leaving.all)
    private func leave(leaving: Leaving) throws {
        let world = Self.opened(leaving.testDescription)
        let machine = world.machine
        let before = machine.workers.count
        #expect(world.closeSession() == .success)
        #expect(machine.tokenKeys.isEmpty && machine.workers.count == before && machine.hooked.count == 1)
        guard let revocation = leaving.revocation else {
            #expect(machine.handedOver.isEmpty && machine.registry.entries.isEmpty)
            return
        }
        #expect(world.host.takeLog() == [])
        #expect(machine.handedOver.map { key in key.serial.number } == [1001])
        let session = try #require(machine.registry.sessions.first)
        #expect(session.state == .closing && session.attempts == 0)

        machine.scripts = [leaving.script]
        var lines: [String] = []
        let isOver = machine.endHandedOver(KeySerial(1001)) { line, isFault in
            lines.append(text(line.bytes))
            #expect(isFault == !leaving.isOver)
        }
        #expect(isOver == leaving.isOver && machine.registry.entries.isEmpty == leaving.isOver)
        #expect(machine.workers.last?.field(.revocation) == [revocation.rawValue])
        #expect(lines.count == 1 && machine.hooked.count == 1)
        if let line = leaving.line {
            #expect(lines == [line])
        }
    }

    @Test(
        "where no agent can be started, or the registry with its quota full takes no change, the host asks for it",
        arguments: [(false, nil, .global), (true, .diskQuotaExceeded, .session)] as [(Bool, ErrorNumber?, Revocation)])
    func withoutAgent(canStartEnding: Bool, replaceError: ErrorNumber?, revocation: Revocation) {
        let world = Self.opened("global")
        world.machine.canStartEnding = canStartEnding
        world.machine.replaceError = replaceError
        world.machine.scripts = [[.signedOut()]]
        #expect(world.closeSession() == .success)
        #expect(world.machine.handedOver.isEmpty && world.machine.hooked.count == 1)
        #expect(world.machine.workers.last?.field(.revocation) == [revocation.rawValue])
        #expect(world.machine.registry.entries.isEmpty && world.machine.tokenKeys.isEmpty)
    }

    @Test("an agent leaves alone what is open, or not there")
    func notClosing() {
        let world = World.open()
        let before = world.machine.workers.count
        for serial: Int32 in [1001, 4712] {
            #expect(world.machine.endHandedOver(KeySerial(serial)) { _, _ in Issue.record("a line") })
        }
        #expect(world.machine.registry.sessions.first?.state == .open && world.machine.workers.count == before)
    }

    @Test(
        "a sign-in waits for a sign-out everywhere of the same person that is under way, and for nothing else",
        arguments: [
            ("handed over just now", Sample(state: .closing, closed: 5_000_000), 2000),
            ("handed over long ago", Sample(state: .closing, closed: 4_900_000), 0),
            ("tried just now, by a host that is gone", Sample(state: .closing, attempts: 1, closed: 5_000_000), 5000),
            ("tried a while ago", Sample(state: .closing, attempts: 1, closed: 4_993_000), 3000),
            ("tried in vain", Sample(state: .closing, attempts: 1, nextAttempt: 5_000_000, closed: 5_000_000), 0),
            ("tried again, perhaps without a worker", Sample(state: .closing, attempts: 2, closed: 5_000_000), 5000),
            ("tried again a while ago", Sample(state: .closing, attempts: 2, closed: 4_990_000), 0),
            ("this session alone", Sample(state: .closing, signOut: .session, closed: 5_000_000), 0),
            ("another's", Sample(state: .closing, user: "bob", closed: 5_000_000), 0),
            ("another pool's", Sample(state: .closing, pool: "eu-west-1_Other", closed: 5_000_000), 0),
            ("open", Sample(), 0),
        ] as [(String, Sample, Int64)])
    private func wait(what: String, sample: Sample, expected: Int64) {
        let machine = FakeMachine()
        _ = sample.add(to: machine)
        let begin = machine.now.milliseconds
        _ = machine.awaitSignOuts(
            of: Array("alice".utf8), userPoolID: Array("eu-west-1_AbCdEf123".utf8), sweeping: false)
        #expect(machine.now.milliseconds - begin == expected, "\(what)")
    }

    @Test("a sign-in waits as long as somebody is at it, five seconds at most", arguments: [700, 60_000] as [Int64])
    func busy(milliseconds: Int64) {
        let machine = FakeMachine()
        _ = Sample(state: .closing, attempts: 1, closed: 4_900_000).add(to: machine)
        let begin = machine.now.milliseconds
        machine.busyUntil = begin + milliseconds
        _ = machine.awaitSignOuts(
            of: Array("alice".utf8), userPoolID: Array("eu-west-1_AbCdEf123".utf8), sweeping: false)
        #expect(machine.now.milliseconds - begin <= 5000)
        #expect(milliseconds > 5000 || machine.now.milliseconds - begin == milliseconds)
    }
}
