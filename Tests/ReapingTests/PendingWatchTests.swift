import Agent
import Base
import Configuration
import Keyring
import Protocol
import Sessions
import Testing

@testable import Fakes

/// A sign-in that is watched, and what a look does with it.
private struct Watched: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let sample: Sample
    var dead: Set<Int32> = []
    var unseen: Set<Int32> = []
    /// Whose end is waited for then; nil: it is watched no more.
    var awaited: Int32?
    var isEnded = false

    static let pending = Sample(state: .pending, parent: 299, delivered: false, tokenKey: 0)
    static let orphan = Sample(state: .pending, delivered: false, tokenKey: 0)
    static let late = Sample(state: .pending, parent: 299, created: 4_399_999, delivered: false, tokenKey: 0)

    static let all = [
        Watched(testDescription: "waits for its session", sample: pending, awaited: 300),
        Watched(testDescription: "is its parent's to claim", sample: pending, dead: [300], awaited: 299),
        Watched(testDescription: "is nobody's", sample: pending, dead: [300, 299], isEnded: true),
        Watched(testDescription: "is nobody's, its parent another program", sample: orphan, dead: [300], isEnded: true),
        Watched(testDescription: "is nobody's, its parent a server", sample: late, dead: [300], isEnded: true),
        Watched(testDescription: "may be somebody's", sample: pending, unseen: [300]),
        Watched(testDescription: "may be its parent's", sample: pending, dead: [300], unseen: [299]),
        Watched(testDescription: "has its session", sample: Sample()),
        Watched(testDescription: "has a session that was killed", sample: Sample(), dead: [300]),
        Watched(testDescription: "ends", sample: Sample(state: .closing, delivered: false), dead: [300]),
        Watched(testDescription: "is needed by one step", sample: Sample(state: .temporary), dead: [300]),
        Watched(
            testDescription: "is of a container",
            sample: Sample(state: .pending, inContainer: true, delivered: false), dead: [300]),
    ]
}

@Suite struct PendingWatchTests {
    private static func watch(_ machine: FakeMachine, _ keys: RootKey...) -> PendingWatch<FakeMachine> {
        var watch = PendingWatch(machine: machine)
        for key in keys {
            watch.add(key.serial.number)
        }
        return watch
    }

    private static func look(_ watch: inout PendingWatch<FakeMachine>) -> [Int32] {
        watch.look { line, _ in Issue.record("\(text(line.bytes))") }.map(\.id)
    }

    @Test("what becomes of a sign-in", arguments: Watched.all)
    private func judged(watched: Watched) throws {
        let machine = FakeMachine()
        machine.canStartEnding = true
        let key = watched.sample.add(to: machine)
        machine.dead = watched.dead
        machine.unseen = watched.unseen
        var watch = Self.watch(machine, key)
        #expect(Self.look(&watch) == (watched.awaited.map { id in [id] } ?? []))
        #expect(watch.isEmpty == (watched.awaited == nil))
        #expect(machine.handedOver == (watched.isEnded ? [key] : []))
        let entry = try #require(machine.registry.sessions.first)
        #expect(entry.state == (watched.isEnded ? .closing : watched.sample.state))
        // No other session is signed out because of it.
        #expect(!watched.isEnded || entry.signOut == .session)
        #expect(machine.workers.isEmpty)
    }

    @Test("one that ends while it is watched is ended, once, and one whose session begins is let alone")
    func later() {
        let machine = FakeMachine()
        machine.canStartEnding = true
        let keys = [Watched.orphan.add(to: machine), Sample(state: .pending, host: 301).add(to: machine)]
        var watch = Self.watch(machine, keys[0], keys[1], keys[0])
        #expect(Self.look(&watch) == [300, 301])
        machine.registry.entries[keys[1].serial.number]?.payload = Sample(host: 301).payload(machine)
        #expect(Self.look(&watch) == [300])
        machine.dead = [300, 301]
        #expect(Self.look(&watch) == [] && watch.isEmpty)
        #expect(machine.handedOver == [keys[0]])
    }

    @Test("a watch begins with what waits already, and takes no number for a sign-in that is none")
    func takenOver() {
        let machine = FakeMachine()
        _ = Sample(host: 301).add(to: machine)
        _ = Watched.pending.add(to: machine)
        var watch = PendingWatch(machine: machine)
        watch.add(4711)
        watch.add(-1)
        #expect(Self.look(&watch) == [300])
    }

    @Test("another process may be at it: it is looked at again")
    func busy() {
        let machine = FakeMachine()
        machine.canStartEnding = true
        machine.dead = [300]
        let key = Watched.orphan.add(to: machine)
        machine.locked = [key.serial.number]
        var watch = Self.watch(machine, key)
        #expect(Self.look(&watch) == [300] && machine.handedOver.isEmpty)
        machine.locked = []
        #expect(Self.look(&watch) == [] && machine.handedOver == [key])
    }

    @Test("of many that end together some wait for the next look")
    func flood() {
        let machine = FakeMachine()
        machine.canStartEnding = true
        machine.dead = [300]
        for _ in 0..<20 {
            _ = Watched.orphan.add(to: machine)
        }
        var watch = PendingWatch(machine: machine)
        var ended: [Int] = []
        while !watch.isEmpty, ended.count < 10 {
            _ = Self.look(&watch)
            ended.append(machine.handedOver.count)
        }
        #expect(ended == [8, 16, 20])
    }

    @Test("where no agent can be started, it is asked for from here, or left to the reaper")
    func withoutAgent() throws {
        let machine = FakeMachine()
        machine.dead = [300]
        let key = Watched.orphan.add(to: machine)
        var watch = Self.watch(machine, key)
        _ = watch.look { _, _ in }
        #expect(watch.isEmpty || machine.registry.sessions.first?.state == .closing)
        _ = watch.look { _, _ in }
        #expect(watch.isEmpty)
    }
}
