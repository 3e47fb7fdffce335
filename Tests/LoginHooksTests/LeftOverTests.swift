import Base
import Keyring
import Protocol
import Sessions
import Testing

@testable import Fakes

/// Abandoned sign-ins, when a new one needs their room.
@Suite struct LeftOverTests {
    private static let leftOver = Sample(state: .pending, host: 301, delivered: false, tokenKey: 0)

    /// A machine on which alice has as many sign-ins without a session as there may be, of a process that is gone.
    private static func full(of sample: Sample = leftOver) -> World {
        let world = World(scripts: [.ask(.password), .signedIn()])
        world.machine.dead = [301]
        world.add(50, sample)
        return world
    }

    @Test("who signs in waits three seconds for their end, and no longer", arguments: [2999, 3001] as [Int64])
    func patience(time: Int64) {
        let world = Self.full()
        world.machine.answer = { [.wait(time), .signedOut(.revoked)] }
        let begin = world.machine.now.milliseconds
        #expect(world.authenticate() == (time < 3000 ? .success : .credentialsUnavailable))
        #expect(world.machine.now.milliseconds - begin == min(time, 3000))
    }

    @Test("those of another container are not ours to end, whatever processes there are here")
    func ofContainer() {
        let world = Self.full(of: Sample(state: .pending, host: 301, inContainer: true, delivered: false, tokenKey: 0))
        world.machine.answer = { [.signedOut(.revoked)] }
        #expect(world.authenticate() == .credentialsUnavailable)
        #expect(world.machine.workers.count == 1)
        #expect(world.machine.registry.sessions.allSatisfy { session in session.state == .pending })
    }

    @Test("one that has become a session meanwhile stays one")
    func becomesSession() {
        let world = Self.full()
        let machine = world.machine
        machine.answer = { [.signedOut(.revoked)] }
        machine.onLock = {
            machine.onLock = nil
            machine.registry.entries[1001]?.payload = Sample(host: 301).payload(machine)
        }
        #expect(world.authenticate() == .success)
        #expect(machine.registry.sessions.first?.state == .open)
        #expect(machine.registry.entries.count == 44)
    }
}
