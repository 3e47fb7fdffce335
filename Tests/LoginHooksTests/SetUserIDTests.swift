import Base
import Configuration
import Keyring
import Protocol
import Sessions
import Testing

@testable import Fakes

/// How a set-uid program comes to the end of a session.
private enum Way: CaseIterable {
    /// su, which goes on with its caller as its real user id.
    case closes
    /// sudo, which has become root altogether although another user started it.
    case closesAsRoot
    case endsWithoutSession
    case cannotDeliver

    @discardableResult
    func go(_ world: World) -> Bool {
        let machine = world.machine
        machine.realUserID = 5001
        switch self {
        case .closes, .closesAsRoot:
            guard world.openSession() == .success else {
                return false
            }
            if self == .closesAsRoot {
                (machine.realUserID, machine.starter) = (0, 5001)
            }
            return world.closeSession() == .success
        case .endsWithoutSession:
            world.end()
            return true
        case .cannotDeliver:
            machine.deliverError = .diskQuotaExceeded
            return world.openSession() == .sessionError
        }
    }
}

/// What a fake machine notices whenever a set-uid program waits for anything while it has a lock.
@Suite("Programs that their callers can stop") struct SetUserIDTests {
    private func signedIn(_ configuration: String) -> World {
        let world = World.signedIn(configuration)
        world.machine.canStartEnding = true
        return world
    }

    @Test(
        "they end no session: that is over here, and an agent asks Cognito", arguments: Way.allCases,
        ["sign_out_wait = 0s", "sign_out_wait = 5s\nkeyring = user", "sign_out = last", "sign_out = none"])
    private func handedOver(way: Way, configuration: String) {
        let world = signedIn(configuration)
        #expect(way.go(world))
        let machine = world.machine
        // Only the sign-in's worker was started, and the session can reach nothing any more.
        #expect(machine.workers.count == 1 && machine.tokenKeys.isEmpty && machine.shared.isEmpty)
        #expect(machine.handedOver.count == 1)
        #expect(machine.registry.sessions.map(\.state) == [.closing])
        // A session that had tokens has its sign-out hooks run at once.
        let isOpen = way == .closes || way == .closesAsRoot
        #expect(machine.hooked == (isOpen ? ["alice: logout"] : []))
        // The list of sessions shows the extent of the sign-out until Cognito has answered.
        let modes = ["sign_out = last": SignOutMode.last, "sign_out = none": .none]
        let mode = modes[configuration] ?? .global
        #expect(machine.registry.sessions.map(\.signOut) == [isOpen ? mode : .session])

        machine.scripts = [[.signedOutAsAsked]]
        let lines = machine.endHandedOver()
        #expect(machine.registry.entries.isEmpty)
        #expect(lines.count == 1 && lines.first?.hasPrefix("signed out; user='alice' session=1001") == true)
        let isKept = configuration.contains("none") && isOpen
        #expect(machine.workers.count == (isKept ? 1 : 2))
        if !isKept {
            let revocation: Revocation = isOpen ? .global : .session
            #expect(machine.workers.last?.field(.revocation) == [revocation.rawValue])
        }
    }

    @Test(
        "they wait as long as the administrator says, or until Cognito has answered, or the first attempt has failed",
        arguments: [
            ([.signedOut()], 50, true), ([.failed(.unreachable)], 50, false), (nil, 5000, false),
        ] as [([Act]?, Int64, Bool)])
    func waiting(script: [Act]?, paused: Int64, isEnded: Bool) {
        let world = signedIn("sign_out_wait = 5s")
        let machine = world.machine
        machine.scripts = script.map { script in [script] } ?? []
        machine.onPause = { [unowned machine] in
            if script != nil {
                machine.endHandedOver()
            }
        }
        Way.closes.go(world)
        #expect(machine.paused == paused)
        #expect(machine.registry.entries.isEmpty == isEnded)
    }

    @Test("where no agent can be had, the session is over here, and the registry keeps it", arguments: Way.allCases)
    private func noAgent(way: Way) {
        let world = signedIn("")
        world.machine.canStartEnding = false
        way.go(world)
        #expect(world.machine.tokenKeys.isEmpty && world.machine.workers.count == 1)
        #expect(world.machine.registry.sessions.map(\.state) == [.closing])
        #expect(
            world.host.takeLog().last
                == "WARNING sign-out not finished; user='alice' session=1001 service='sshd' rhost='203.0.113.7': "
                + "cognito-agent, which completes the sign-out, cannot be started. The tokens are kept in the "
                + "registry, "
                + "and cognito-agent reap tries to revoke them again")
        // As the cleanup does.
        world.machine.scripts = [[.signedOut()]]
        world.machine.asRootsProcess {
            _ = SessionEnding(machine: world.machine).end(
                RootKey(serial: KeySerial(1001), description: Array("pam-cognito:s:1001".utf8)), mode: nil,
                waiting: 1000)
        }
        #expect(world.machine.registry.entries.isEmpty)
    }

    @Test("they say nothing to the person while nobody else can sign in", arguments: [true, false])
    func fullRegistry(isFull: Bool) {
        let world = World()
        let machine = world.machine
        machine.realUserID = 5001
        machine.canStartEnding = true
        machine.registerError = isFull ? .diskQuotaExceeded : nil
        world.add(isFull ? 0 : mostSessions, Sample(loginName: "alice"))
        machine.scripts = [[.ask(.password), .signedIn()]]
        #expect(world.authenticate() == .credentialsUnavailable)
        #expect(world.host.shown.count == 1)
    }

    @Test("if sessions share tokens, another session's tokens replace those of the session that they end")
    func shared() {
        let world = World("keyring = user")
        let machine = world.machine
        machine.canStartEnding = true
        machine.realUserID = 5001
        machine.process = ProcessIdentity(id: 100, startTime: 7)
        // One that began inside of the program, and another.
        for (host, tokenKey) in [(100, 600), (300, 601)] as [(Int32, Int32)] {
            _ = Sample(host: host, tokenKey: tokenKey, isShared: true).add(to: machine)
            machine.tokenKeys[tokenKey] = FakeMachine.TokenKey()
        }
        machine.shared = [OpenSession.description: 600]
        #expect(world.closeSession() == .success)
        #expect(machine.handedOver.count == 1 && machine.shared == [OpenSession.description: 601])
    }

    @Test("what waits for Cognito with a lock is not for them")
    func refused() {
        let session = OpenSession(Sample(accessTokenExpiry: 1_800_000_000))
        session.machine.scripts = [[.renewed()]]
        session.machine.realUserID = 5001
        let renewal = session.renew(minimumLife: 60)
        guard case .failed(.kept(.internalFault, _)) = renewal else {
            Issue.record("\(renewal)")
            return
        }
        #expect(session.end() == .failed(.busy))
        #expect(session.machine.workers.isEmpty)
    }
}
