import Agent
import Base
import Configuration
import Keyring
import Protocol
import Testing

@testable import Fakes
@testable import Sessions

/// What a queue comes to for these sessions: how many sign-outs each worker was asked for, one after the other.
private struct Turn: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let sessions: [Sample]
    var scripts: [[Act]] = []
    var deafAfter = Int.max
    let signOuts: [Int]
    var left = 0

    private static func closing(_ count: Int) -> [Sample] {
        Array(repeating: Sample(state: .closing, signOut: .session), count: count)
    }

    static let all = [
        Turn(testDescription: "one", sessions: closing(1), signOuts: [1]),
        Turn(testDescription: "some of one pool", sessions: closing(5), signOuts: [5]),
        Turn(testDescription: "as many as a worker may", sessions: closing(16), signOuts: [16]),
        Turn(
            testDescription: "more, which are left to another process", sessions: closing(18), signOuts: [16], left: 2),
        Turn(
            testDescription: "of two pools",
            sessions: closing(2)
                + [Sample(state: .closing, pool: "eu-west-1_Other", signOut: .session)] + closing(1),
            signOuts: [3, 1]),
        Turn(
            testDescription: "through two endpoints",
            sessions: closing(1)
                + [Sample(state: .closing, signOut: .session, endpoint: Array("https://a.example".utf8))],
            signOuts: [1, 1]),
        Turn(
            testDescription: "with certificates of two files",
            sessions: closing(1)
                + [Sample(state: .closing, signOut: .session, caFile: Array("/etc/ssl/b.pem".utf8))],
            signOuts: [1, 1]),
        Turn(
            testDescription: "a worker that fails takes no other", sessions: closing(3),
            scripts: [[.signedOut(.revoked), .failed(.unreachable)], [.signedOut(.revoked)]], signOuts: [2, 1], left: 1),
        Turn(
            testDescription: "a worker that ends without a word takes no other", sessions: closing(3),
            scripts: [[.signedOut(.revoked), .end], [.signedOut(.revoked)]], signOuts: [2, 1], left: 1),
        Turn(
            testDescription: "a worker that was killed meanwhile loses nothing", sessions: closing(2), deafAfter: 1,
            signOuts: [1, 1]),
        Turn(
            testDescription: "a late answer ends the queue's time", sessions: closing(3),
            scripts: [[.wait(2_500), .signedOut(.revoked)]], signOuts: [1], left: 2),
    ]
}

@Suite struct EndingQueueTests {
    private static let plenty = Array(repeating: Act.signedOut(.revoked), count: 20)

    @Test("sessions that are handed over share a worker, as long as one may live", arguments: Turn.all)
    private func share(turn: Turn) {
        let machine = FakeMachine()
        machine.workersAreShared = true
        machine.deafAfter = turn.deafAfter
        machine.scripts = turn.scripts
        machine.answer = { Self.plenty }
        var keys = turn.sessions.map { session in session.add(to: machine).serial }
        EndingQueue(machine: machine).run { _ in
            keys.isEmpty ? .closed : .session(keys.removeFirst())
        } report: { _, _ in
        }
        #expect(machine.workers.map { worker in worker.kinds.count { kind in kind == .signOut } } == turn.signOuts)
        #expect(machine.workers.allSatisfy { worker in worker.field(.keepsConnection) == [1] })
        #expect(machine.registry.entries.count == turn.left)
    }

    @Test("a worker lives two seconds, however long its process waits for sessions")
    func shortLife() {
        let machine = FakeMachine()
        machine.workersAreShared = true
        machine.answer = { Self.plenty }
        var limits: [Int64] = []
        let keys = (0..<4).map { _ in Sample(state: .closing, signOut: .session).add(to: machine).serial }
        EndingQueue(machine: machine).run { limit in
            limits.append(limit)
            machine.advance(700)
            return limits.count <= keys.count ? .session(keys[limits.count - 1]) : .timedOut
        } report: { _, _ in
        }
        #expect(limits == [2000, 1300, 600] && machine.registry.entries.count == 1)
    }

    @Test("a queue takes the lock of sign-outs as soon as the process that has it has ended")
    func lock() {
        let machine = FakeMachine()
        machine.isSigningOut = true
        var limits: [Int64] = []
        EndingQueue(machine: machine).run { limit in
            limits.append(limit)
            machine.advance(limit)
            if limits.count == 3 {
                machine.isSigningOut = false
            }
            return limits.count < 5 ? .timedOut : .closed
        } report: { _, _ in
        }
        #expect(limits == [20, 20, 20, 1940])
    }
}
