import Base
import Keyring
import Protocol
import Sessions
import Testing

@testable import Fakes

/// Sign-ins that no session follows.
@Suite struct UnclaimedTests {
    private static let tooMany =
        "NOTICE \(signInFailure)too_many_sign_ins: Cognito accepted this user, but 50 sign-ins by this user have not yet "
        + "led to a session. To list the unfinished sign-ins, run 'cognito-session sessions'"

    private static let waiting = Sample(state: .pending, delivered: false, tokenKey: 0)

    @Test(
        "the agent is told of a sign-in that waits for its session, and of no other",
        arguments: [("sshd", true), ("cups", false), ("swaylock", false)] as [(String, Bool)])
    func watched(service: String, isTold: Bool) {
        let world = World(scripts: [.ask(.password), .signedIn()], [.signedOut()])
        world.host.service = Array(service.utf8)
        #expect(world.authenticate() == .success)
        #expect(world.machine.watched.map(\.serial.number) == (isTold ? [1001] : []))
    }

    // MARK: How many

    @Test("sign-ins are no sessions")
    func notCounted() {
        let world = World(scripts: [.ask(.password), .signedIn()])
        world.add(40, Sample())
        world.add(49, Self.waiting)
        #expect(world.authenticate() == .success)
    }

    @Test("no more than 50 of a person's may wait, and one more is no failure")
    func mostOfAPerson() {
        let world = World(scripts: [.ask(.password), .signedIn()])
        world.add(50, Self.waiting)
        #expect(world.authenticate() == .credentialsUnavailable)
        #expect(world.host.takeLog() == [Self.tooMany])
        #expect(
            world.host.shown == [
                "Too many of your sign-ins on this machine are unfinished. Try again in a minute."
            ])
        #expect(world.machine.registry.attempts.isEmpty)
        #expect(world.machine.registry.entries.count == 50)
        #expect(world.machine.workers.last?.kinds.last != .registered)
    }

    @Test("where those that nobody waits for can be ended, there is room")
    func room() {
        let world = World(scripts: [.ask(.password), .signedIn()])
        world.machine.dead = [301]
        world.add(40, Self.waiting)
        world.add(9, Sample(state: .pending, host: 301, delivered: false, tokenKey: 0))
        world.add(1, Sample(state: .closing, delivered: false, attempts: 1, tokenKey: 0))
        // Others may count while Cognito is asked, and not while the new one is entered.
        world.machine.answer = { [machine = world.machine] in
            #expect(machine.countingLock == nil)
            return [.signedOut(.revoked)]
        }
        world.machine.onRegister = { [machine = world.machine] in #expect(machine.countingLock != nil) }
        #expect(world.authenticate() == .success)
        #expect(world.machine.registry.entries.count == 43)
        #expect(world.machine.workers.dropFirst().allSatisfy { worker in worker.field(.revocation) == [2] })
    }

    @Test("where Cognito does not say that they are over, there is none")
    func noRoom() {
        let world = World(scripts: [.ask(.password), .signedIn()])
        world.machine.dead = [301]
        world.add(50, Sample(state: .pending, host: 301, delivered: false, tokenKey: 0))
        world.machine.answer = { [] }
        #expect(world.authenticate() == .credentialsUnavailable)
        #expect(world.machine.registry.sessions.filter { session in session.state == .closing }.count == 8)
        #expect(world.host.takeLog().last == Self.tooMany)
    }

    @Test("of one process eight wait for their session: the oldest gives way, and nobody waits for its end")
    func oneProcess() {
        let world = World()
        world.machine.answer = { [] }
        for count in 1...12 {
            world.machine.advance(1000)
            world.machine.scripts = [[.ask(.password), .signedIn()]]
            #expect(world.authenticate() == .success)
            let states = world.machine.registry.sessions.map(\.state)
            #expect(states.filter { state in state == .pending }.count == min(count, 8))
            #expect(states.prefix(max(0, count - 8)).allSatisfy { state in state == .closing })
        }
        #expect(world.openSession() == .success)
        #expect(world.machine.tokenKeys.count == 1)
    }

    // MARK: The end of a transaction

    @Test("a transaction that ends without a session: its tokens are revoked, and nobody waits for that")
    func ended() {
        let world = World.signedIn()
        world.machine.scripts = [[]]
        world.end()
        #expect(world.machine.workers.last?.field(.revocation) == [Revocation.session.rawValue])
        #expect(world.machine.registry.sessions.map(\.state) == [.closing])
        #expect(
            world.host.takeLog() == [
                """
                INFO no session followed; user='alice' session=1001 service='sshd' rhost='203.0.113.7': the tokens \
                are being revoked
                """
            ])
        world.end()
        #expect(world.machine.workers.count == 2)
    }

    @Test("one that handed its login over, or has a session, or is a copy of the process, ends nothing")
    func notEnded() {
        let opened = World.open()
        opened.end()
        #expect(opened.machine.registry.sessions.map(\.state) == [.open])

        let child = World.signedIn()
        let monitor = child.otherProcess(id: 90)
        #expect(monitor.setCredentials() == .success)
        child.end()
        #expect(child.machine.registry.sessions.map(\.state) == [.pending])
        #expect(child.machine.registry.sessions.map(\.host) == [monitor.machine.process])

        let copy = World.signedIn()
        copy.machine.process = ProcessIdentity(id: 101, startTime: 778)
        copy.end()
        #expect(copy.machine.registry.sessions.map(\.state) == [.pending])

        let person = World.signedIn()
        person.machine.effectiveUserID = 5001
        person.end()
        #expect(person.machine.registry.sessions.map(\.state) == [.pending])
    }

    @Test("who took a login over and begins no session ends it")
    func monitorEnds() {
        let monitor = World.signedIn().otherProcess(id: 90)
        #expect(monitor.setCredentials() == .success)
        monitor.machine.scripts = [[]]
        monitor.end()
        #expect(monitor.machine.registry.sessions.map(\.state) == [.closing])
    }

    // MARK: Whose it is

    @Test("the parent is noted while it may take the login over")
    func parent() {
        let (world, alone) = (World(), World())
        for world in [world, alone] {
            world.machine.parentOfSameProgram = ProcessIdentity(id: 99, startTime: 6)
            world.machine.scripts = [[.ask(.password), .signedIn()]]
            #expect(world.authenticate() == .success)
        }
        func parent(in world: World = world) -> ProcessIdentity? {
            let payload = world.machine.registry.entries.values.first.flatMap { entry in secret(entry.payload) }
            guard let payload, let entry = RegistryEntry.decode(payload) else {
                return nil
            }
            #expect(entry.terminal == Array("/dev/pts/7".utf8))
            return entry.parent
        }
        #expect(parent() == ProcessIdentity(id: 99, startTime: 6))
        // The process that has taken it over has it alone.
        let monitor = world.otherProcess(id: 99)
        #expect(monitor.setCredentials() == .success)
        #expect(parent() == nil)
        #expect(monitor.openSession() == .success)
        #expect(parent() == nil)
        #expect(alone.openSession() == .success)
        #expect(parent(in: alone) == nil)
    }

    @Test("a session has the host that began it, also where the registry did not take that it took the login over")
    func host() {
        let world = World.signedIn()
        let monitor = world.otherProcess(id: 99)
        var looks = 0
        monitor.machine.onLock = {
            looks += 1
            monitor.machine.replaceError = looks == 1 ? .noMemory : nil
        }
        #expect(monitor.openSession() == .success)
        #expect(looks == 2 && monitor.machine.registry.sessions.map(\.host.id) == [99])
    }

    // MARK: Services without sessions

    @Test("where no session follows, the tokens end with the sign-in", arguments: ["cups", "myhost"])
    func service(name: String) {
        let world = World(scripts: [.ask(.password), .signedIn()], [.signedOut(.revoked)])
        world.host.service = Array(name.utf8)
        world.arguments = name == "myhost" ? ["session=never"] : []
        #expect(world.authenticate() == .success)
        #expect(world.machine.registry.entries.isEmpty)
        #expect(world.host.variables.isEmpty)
        #expect(world.machine.workers.last?.field(.revocation) == [Revocation.session.rawValue])
        #expect(world.checkAccount() == .success)
        #expect(world.setCredentials() == .success)
        _ = world.host.takeLog()
        #expect(world.openSession() == .success)
        #expect(world.machine.tokenKeys.isEmpty)
        #expect(
            world.host.takeLog() == [
                "WARNING session without tokens; user='alice' session=0 service='\(name)' rhost='203.0.113.7': "
                    + "\(name) is known not to open sessions, so the tokens were revoked after the sign-in. If "
                    + "the program does open a session, put session=open after pam_cognito.so in the auth line"
            ])
        #expect(world.closeSession() == .success)
        world.end()
        #expect(world.machine.workers.count == 2)
    }

    @Test("what Cognito does not end there at once is left to the reaper")
    func serviceUnreachable() {
        let world = World(scripts: [.ask(.password), .signedIn()], [.failed(.unreachable, log: "no route")])
        world.host.service = Array("cups".utf8)
        #expect(world.authenticate() == .success)
        #expect(world.machine.registry.sessions.map(\.state) == [.closing])
    }

    // MARK: Another root directory

    private func move(_ world: World) {
        world.machine.rootDirectory = RootDirectory(device: 1, inode: 3)
        // Another user controls everything in there.
        world.machine.configuration = FakeMachine.configuration("keyring = user")
        world.machine.answer = { [.signedOut()] }
    }

    @Test("a host that has changed its root directory begins no session with tokens, and asks nobody in there")
    func opensElsewhere() {
        let world = World.signedIn()
        move(world)
        #expect(world.openSession() == .success)
        #expect(world.machine.tokenKeys.isEmpty && world.machine.reapersStarted == 0)
        #expect(
            world.host.takeLog() == [
                "WARNING session without tokens; user='alice' session=1001 service='sshd' rhost='203.0.113.7': sshd "
                    + "has changed its root directory since the sign-in, and the new root directory is not "
                    + "trusted. The tokens are revoked when the program has ended"
            ])
        #expect(world.closeSession() == .success)
        world.end()
        #expect(world.machine.workers.count == 1)
        #expect(world.machine.registry.sessions.map(\.state) == [.pending])
    }

    @Test("one that closes its session there takes the tokens away, and leaves the rest to the reaper")
    func closesElsewhere() {
        let world = World.open()
        let label = CredentialLabel(name: Array("aws".utf8), freshUntil: 1, end: 2)
        world.machine.registry.credentials[1001] = [CredentialKey(serial: KeySerial(700), label: label)]
        move(world)
        #expect(world.closeSession() == .success)
        #expect(world.machine.tokenKeys.isEmpty && world.machine.registry.credentials[1001] == nil)
        #expect(world.machine.workers.count == 1 && world.machine.hooked.isEmpty)
        #expect(world.machine.registry.sessions.map(\.state) == [.open])
        #expect(world.host.takeLog().count == 1)
        #expect(world.closeSession() == .success)
        #expect(world.host.takeLog() == [])
    }
}
