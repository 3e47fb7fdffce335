import Agent
import Base
import Configuration
import Keyring
import Protocol
import Testing

@testable import Fakes
@testable import Sessions

/// A way in which a session's tokens end, and what hooks are told of it.
private struct LettingGo: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var sample = Sample(signOut: .session)
    var hostIsDead = false
    var scripts: [[Act]] = [[.signedOut()]]
    let end: @Sendable (FakeMachine, RootKey) -> Void
    let hooked: [String]

    @Sendable private static func reap(_ machine: FakeMachine, _: RootKey) {
        _ = machine.reap()
    }

    @Sendable private static func renew(_ machine: FakeMachine, _ key: RootKey) {
        _ = SessionRenewal(machine: machine).renew(
            key, minimumLife: .max, asked: machine.now, waiting: 0, ifMayCall: { true }
        ).finish()
    }

    @Sendable private static func everywhere(_ machine: FakeMachine, _ key: RootKey) {
        _ = SessionEnding(machine: machine).endNow(key, forLock: 0)
    }

    static let all = [
        LettingGo(testDescription: "host gone", hostIsDead: true, end: reap, hooked: ["alice: crash"]),
        LettingGo(
            testDescription: "host gone, Cognito away", hostIsDead: true, scripts: [[.failed(.unreachable)]], end: reap,
            hooked: ["alice: crash"]),
        LettingGo(
            testDescription: "host gone, tokens kept", sample: Sample(signOut: .none), hostIsDead: true, end: reap,
            hooked: ["alice: crash"]),
        LettingGo(testDescription: "sign-out unfinished", sample: Sample(state: .closing), end: reap, hooked: []),
        LettingGo(
            testDescription: "never delivered",
            sample: Sample(state: .pending, created: 1, delivered: false, tokenKey: 0),
            end: reap, hooked: []),
        LettingGo(
            testDescription: "password change", sample: Sample(state: .temporary), hostIsDead: true, end: reap,
            hooked: []),
        LettingGo(
            testDescription: "the machine stops",
            end: { machine, _ in _ = machine.reap(.everything) },
            hooked: ["alice: shutdown"]),
        LettingGo(
            testDescription: "signed out here",
            end: { machine, key in
                _ = SessionEnding(machine: machine).destroyTokens(key, forLock: 0, because: .signedOut)
                _ = SessionEnding(machine: machine).end(key, mode: .session, waiting: 1)
            }, hooked: ["alice: sign-out"]),
        LettingGo(testDescription: "signed out everywhere", end: everywhere, hooked: ["alice: sign-out"]),
        LettingGo(
            testDescription: "signed out everywhere, not done", scripts: [[.failed(.unreachable)]], end: everywhere,
            hooked: []),
        LettingGo(
            testDescription: "renewal refused", scripts: [[.failed(.sessionEnded)]], end: renew,
            hooked: ["alice: ended-elsewhere"]),
        LettingGo(testDescription: "tokens expired", scripts: [[.ranOut]], end: renew, hooked: ["alice: expired"]),
        LettingGo(testDescription: "renewal unreachable", scripts: [[.failed(.unreachable)]], end: renew, hooked: []),
    ]
}

@Suite struct HookTests {
    @Test("hooks are run once, when a session's tokens have ended, whatever Cognito says", arguments: LettingGo.all)
    private func lettingGo(way: LettingGo) {
        let machine = FakeMachine()
        machine.configuration = FakeMachine.configuration("check_interval = 0")
        let key = way.sample.add(to: machine)
        machine.tokenKeys[600] = FakeMachine.TokenKey()
        machine.dead = way.hostIsDead ? [300] : []
        machine.scripts = way.scripts
        way.end(machine, key)
        #expect(machine.hooked == way.hooked)
        machine.answer = { [.signedOut()] }
        _ = machine.reap(.now)
        #expect(machine.hooked == way.hooked)
    }

    @Test("a logout lets go after Cognito was asked, also when that does not answer in time")
    func logout() {
        for scripts in [[[Act.signedOut()]], [[.silence]], [[]], []] {
            let world = World.open()
            world.machine.scripts = scripts
            #expect(world.machine.hooked.isEmpty)
            #expect(world.closeSession() == .success)
            #expect(world.machine.hooked == ["alice: logout"])
        }
    }
}
