import Base
import Configuration
import Keyring
import Protocol
import Sessions
import Testing

@testable import Fakes

/// What the agent asks.
func question(_ style: PromptStyle, _ text: String = "Password: ") -> [UInt8] {
    packet(.ask, [(.promptStyle, [style.rawValue]), (.text, Array(text.utf8))])
}

private func refused(_ code: UInt8) -> [UInt8] {
    packet(.refused, [(.refusal, [code]), (.text, Array("No.".utf8))])
}

private let complete = packet(.complete, [])
private let broken =
    """
    ERROR cognito-agent stopped before the user was identified, or sent an invalid answer. The agent's log shows \
    the reason
    """
let cannotBeChecked =
    "Cognito is unavailable, and local passwords are not accepted. Try again later."
let settingsAreWrong =
    """
    This machine's Cognito settings contain a mistake, or do not match the user pool. Tell your administrator.
    """
let machineCannot =
    """
    The request failed on this machine, and nothing was changed. Tell your administrator, who can find the reason \
    in the log.
    """

/// What a screen lock's module makes of an agent.
private struct Lock: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let script: [[UInt8]]
    var deafAfter = Int.max
    var prepare: @Sendable (World) -> Void = { _ in }
    let expected: ReturnValue
    var questions: [String] = []
    var shown: [String] = []
    var log: [String] = []

    init(
        _ name: String, _ script: [[UInt8]], deafAfter: Int = .max,
        prepare: @escaping @Sendable (World) -> Void = { _ in }, _ expected: ReturnValue, questions: [String] = [],
        shown: [String] = [], log: [String] = []
    ) {
        testDescription = name
        self.script = script
        self.deafAfter = deafAfter
        self.prepare = prepare
        self.expected = expected
        self.questions = questions
        self.shown = shown
        self.log = log
    }

    static let all =
        AgentRefusal.allCases.map { refusal in
            let expected: ReturnValue =
                switch refusal {
                case .notSignedIn: .authenticationError
                case .notPermitted: .permissionDenied
                case .notCovered: .ignore
                case .unreachable: .authenticationInformationUnavailable
                default: .credentialsUnavailable
                }
            return Lock("refused: \(refusal)", [refused(refusal.rawValue)], expected)
        } + [
            Lock("proved", [question(.password), complete], .success, questions: ["password"]),
            Lock(
                "a code, and what is shown",
                [
                    question(.password), packet(.show, [(.text, Array("Look\u{1b}".utf8))]),
                    question(.visible, "Code: "), question(.hidden, "PIN: "), complete,
                ],
                prepare: { world in world.host.answers = [.success(Secrets.code), .success("1")] }, .success,
                questions: ["password", "visible Code: ", "hidden PIN: "], shown: ["Look?"]),
            Lock("wrong", [question(.password), refused(10)], .authenticationError, questions: ["password"]),
            Lock("a refusal of a later version", [refused(200)], .permissionDenied),
            Lock("gone at once", [], .credentialsUnavailable, log: [broken]),
            Lock(
                "gone after the password", [question(.password)], .credentialsUnavailable,
                questions: ["password"], log: [broken]),
            Lock("hears nothing", [complete], deafAfter: 0, .credentialsUnavailable, log: [broken]),
            Lock(
                "does not hear the answer", [question(.password), complete], deafAfter: 1,
                .credentialsUnavailable, questions: ["password"], log: [broken]),
            Lock(
                "another request's answer", [packet(.tokensValid, [])], .credentialsUnavailable,
                log: [broken]),
            Lock("no message", [[0]], .credentialsUnavailable, log: [broken]),
            Lock(
                "the person leaves", [question(.password), complete],
                prepare: { world in world.host.typedPassword = .failure(.conversationError) }, .conversationError,
                questions: ["password"]),
            Lock(
                "the host says success without an answer", [question(.visible, "Code: "), complete],
                prepare: { world in world.host.answers = [.failure(PAMRefusal(rawValue: 0) ?? .conversationError)] },
                .conversationError,
                questions: ["visible Code: "]),
            Lock(
                "switched off", [complete], prepare: { world in world.machine.isDisabled = true }, .ignore),
            Lock(
                "a local account", [complete],
                prepare: { world in world.machine.people = [] }, .ignore),
        ]
}

/// What the agent makes of a screen lock's person.
private enum Proofs {
    private static let unlocked =
        """
        INFO screen unlocked; user='alice' session=1001 service='sshd' rhost='203.0.113.7' \
        pool=eu-west-1_AbCdEf123 allowed_groups='staff'
        """
    private static func notRevoked(_ why: String) -> String {
        "WARNING the tokens from a screen unlock by 'alice' have not been revoked yet: \(why). "
            + "The tokens are kept in the "
            + "registry, and cognito-agent reap tries to revoke them again"
    }

    static let all = [
        HookCase("proved", [.ask(.password), .signedIn()], revoker: [.signedOut()], .success, log: [unlocked]),
        HookCase(
            "not revoked", [.ask(.password), .signedIn()], revoker: [.failed(.unreachable)], .success,
            log: [unlocked, notRevoked("told by Cognito")], left: true),
        HookCase(
            "the worker does not hear that they are held", [.ask(.password), .signedIn()],
            revoker: [.signedOut(.alreadyRevoked)], prepare: { world in world.machine.deafAfter = 2 }, .success,
            log: [unlocked]),
        HookCase(
            "refused", [.ask(.password), .failed(.refused)], .authenticationError,
            log: ["NOTICE \(signInFailure)refused: told by Cognito"]),
        HookCase(
            "Cognito down", [.ask(.password), .failed(.unreachable)], .authenticationInformationUnavailable,
            log: ["ERROR \(signInFailure)unreachable: told by Cognito"]),
        HookCase(
            "in no group", [.ask(.password), .signedIn(groups: [])], .permissionDenied,
            log: ["NOTICE \(signInFailure)\(inNoGroup)"]),
        HookCase(
            "another's tokens", [.ask(.password), .signedIn(as: "bob")], .permissionDenied,
            log: ["ERROR \(signInFailure)\(tokensOfAnother)"]),
        HookCase(
            "no worker", nil, .authenticationInformationUnavailable,
            log: ["ERROR \(signInFailure)internal_fault: the worker cannot be started"]),
        HookCase("a local account", nil, prepare: { world in world.machine.people = [] }, .ignore),
        HookCase("switched off", nil, prepare: { world in world.machine.isDisabled = true }, .ignore),
        HookCase(
            "the person leaves", [.ask(.password), .signedIn()],
            prepare: { world in world.host.typedPassword = .failure(PAMRefusal(rawValue: 0) ?? .authenticationError) },
            .authenticationError),
    ]
}

@Suite struct ScreenLockTests {
    @Test("the module carries questions and answers, and says what the agent says", arguments: Lock.all)
    private func module(lock: Lock) {
        let world = World()
        world.machine.effectiveUserID = 5001
        world.machine.realUserID = 5001
        let agent = FakeAgent(lock.script, deafAfter: lock.deafAfter)
        world.machine.agent = agent
        lock.prepare(world)
        #expect(world.authenticate() == lock.expected)
        #expect(world.host.questions == lock.questions)
        // What does not go away by itself is told so.
        let lasting = ["refused: configuration": settingsAreWrong, "refused: internalFault": machineCannot]
        let said = lasting[lock.testDescription] ?? cannotBeChecked
        #expect(world.host.shown == lock.shown + (lock.expected == .credentialsUnavailable ? [said] : []))
        #expect(world.host.takeLog() == lock.log)
        #expect(world.machine.workers.isEmpty)
        // Nothing is left for the other hooks, which leave the registry alone.
        #expect(world.host.kept == nil && world.host.variables.isEmpty)
        #expect(world.checkAccount() == .ignore)
        #expect(world.setCredentials() == .success)
        #expect(world.openSession() == .success)
        #expect(world.closeSession() == .success)
        #expect(world.machine.registry.entries.isEmpty)
        // The agent's own limits are shorter: a minute and a half is for one that hangs.
        #expect(agent.limits.allSatisfy { limit in limit == 90_000 })
        if let first = agent.received.first {
            #expect(first == packet(.unlockRequest, [(.userName, Array("alice".utf8)), (.language, Array("en".utf8))]))
        }
    }

    /// polkit's helper, as systemd starts it for a user with that user id.
    private func helper(_ agent: FakeAgent?, of peer: UInt32? = 5002, _ configuration: String = "") -> World {
        let world = World(configuration)
        world.host.service = Array("polkit-1".utf8)
        world.machine.inputPeer = peer
        world.machine.agent = agent
        return world
    }

    @Test("polkit's helper has the agent ask, in the name of who has connected to it", arguments: [5002, 0, 3_000_001])
    func polkit(peer: UInt32) {
        let agent = FakeAgent([question(.password), complete])
        let world = helper(agent, of: peer, "key_logins = refuse")
        #expect(world.authenticate() == .success)
        #expect(world.host.questions == ["password"] && world.machine.workers.isEmpty)
        let charged = Int64(peer == 3_000_001 ? nobodysUserID : peer)
        let expected: [(Field, [UInt8])] = [
            (.userName, Array("alice".utf8)), (.language, Array("en".utf8)),
            (.requester, bytes(charged)),
        ]
        #expect(agent.received.first == packet(.unlockRequest, expected))
        // They have signed in; what else the helper might do, it does without tokens.
        #expect(world.checkAccount() == .success)
        #expect(world.setCredentials() == .success)
        #expect(world.openSession() == .success)
        #expect(world.closeSession() == .success)
        world.end()
        #expect(world.machine.registry.entries.isEmpty && world.machine.tokenKeys.isEmpty)
    }

    @Test(
        "polkit's helper asks by itself where the agent would not know all, and where it is none of systemd's",
        arguments: ["options", "configuration", "no socket", "set-uid", "another service"])
    func polkitByItself(case name: String) {
        let agent = FakeAgent([complete])
        let world = helper(agent)
        switch name {
        case "options": world.arguments = ["combined_code=no"]
        case "configuration": world.arguments = ["config=/etc/other.conf"]
        case "no socket": world.machine.inputPeer = nil
        case "set-uid": world.machine.realUserID = 5002
        default: world.host.service = Array("su".utf8)
        }
        world.machine.scripts = [[.ask(.password), .signedIn()], [.signedOut()]]
        // There is no other file here.
        #expect(world.authenticate() == (name == "configuration" ? .credentialsUnavailable : .success))
        #expect(agent.received.isEmpty)
    }

    @Test("what polkit's helper takes for granted of its line are options that libpam takes for itself")
    func polkitLine() {
        let agent = FakeAgent([complete])
        let world = helper(agent)
        world.arguments = ["use_first_pass", "config=/etc/security/pam_cognito.conf"]
        #expect(world.authenticate() == .success)
        #expect(agent.received.count == 1)
    }

    @Test(
        """
        in polkit's helper a password of this machine is tried only where the agent says that Cognito is away, and \
        is counted
        """
    )
    func polkitLocalPassword() {
        for (agent, expected, count) in [
            (
                FakeAgent([question(.password), refused(AgentRefusal.unreachable.rawValue)]),
                ReturnValue.authenticationInformationUnavailable, 1
            ),
            (FakeAgent([question(.password), refused(AgentRefusal.busy.rawValue)]), .credentialsUnavailable, 0),
            (FakeAgent([]), .credentialsUnavailable, 0), (nil, .credentialsUnavailable, 0),
        ] as [(FakeAgent?, ReturnValue, Int)] {
            let world = helper(agent, "users = alice\nlocal_password = unavailable")
            world.machine.accounts[Array("alice".utf8)] = Account(uid: 5001, gid: 5001, hasUsablePassword: true)
            #expect(world.authenticate() == expected)
            let subject = AttemptSubject.alice(by: 5002)
            #expect((try? world.machine.attempts { other in other == subject }.count) == count)
            // Where the next module has let them in.
            _ = world.checkAccount()
            #expect((try? world.machine.attempts { other in other == subject }.count) == 0)
        }
    }

    @Test("without an agent nobody knows whether Cognito is away, and no other password opens the lock")
    func noAgent() {
        let world = World()
        world.machine.effectiveUserID = 5001
        world.machine.realUserID = 5001
        #expect(world.authenticate() == .credentialsUnavailable)
        #expect(world.host.shown == [cannotBeChecked] && world.host.log.count == 1)
    }

    @Test("a lock that runs as root proves the person itself, and leaves nothing either")
    func root() {
        let world = World("key_logins = refuse", scripts: [.ask(.password), .signedIn()], [.signedOut()])
        world.host.service = Array("vlock".utf8)
        world.machine.realUserID = 5001
        world.machine.canStartEnding = true
        #expect(world.authenticate() == .success)
        world.machine.endHandedOver()
        #expect(world.machine.workers.map(\.kinds) == [[.signIn, .answer, .registered], [.signOut]])
        #expect(world.checkAccount() == .ignore)
        #expect(world.machine.registry.entries.isEmpty && world.host.kept == nil && world.machine.tokenKeys.isEmpty)
        #expect(
            world.host.takeLog().map { line in line.prefix(21) } == ["INFO authentication a", "INFO screen unlocked;"])
    }

    @Test("what keeps out those who came without Cognito does not keep a screen locked")
    func keyLogins() {
        let world = World("key_logins = refuse")
        world.machine.effectiveUserID = 5001
        #expect(world.checkAccount() == .ignore)
        world.machine.effectiveUserID = 0
        #expect(world.checkAccount() == .permissionDenied)
    }

    @Test("the agent's proof leaves no tokens, or leaves them to the reaper", arguments: Proofs.all)
    func agent(proof: HookCase) {
        let world = World()
        let machine = world.machine
        proof.setUp(world)
        #expect(world.proveIdentity() == proof.expected)
        #expect(world.host.takeLog() == proof.log)
        #expect(machine.registry.sessions.map(\.state) == (proof.left ? [.closing] : []))
        #expect(machine.registry.sessions.allSatisfy { session in !session.delivered && session.signOut == .session })
        #expect(machine.scripts.isEmpty)
        #expect(world.host.kept == nil && world.host.variables.isEmpty && machine.tokenKeys.isEmpty)
        if proof.revoker != nil {
            #expect(machine.workers.last?.kinds == [.signOut])
            #expect(machine.workers.last?.field(.revocation) == [Revocation.session.rawValue])
        }
    }

    @Test("a fault is in the log, and the right password never counts as a failure")
    func faults() {
        let unknown = World()
        unknown.machine.accountsFault = Fault("accounts cannot be looked up")
        #expect(unknown.proveIdentity() == .authenticationInformationUnavailable)
        #expect(
            unknown.host.takeLog() == [
                """
                ERROR authentication failure; user='alice' session=0 service='sshd' rhost='203.0.113.7' \
                reason=internal_fault: accounts cannot be looked up
                """
            ])
        let full = World(scripts: [.ask(.password), .signedIn()])
        full.machine.registerError = .diskQuotaExceeded
        #expect(full.proveIdentity() == .tryAgain)
        #expect(full.machine.registry.attempts.isEmpty)
    }

    /// Whether the tokens of a session are locked, and whether the screen counts for it.
    private struct Locked {
        let machine: FakeMachine
        let key: RootKey

        init(_ machine: FakeMachine, isLocked: Bool) {
            self.machine = machine
            key = Sample().add(to: machine)
            machine.tokenKeys[600] = FakeMachine.TokenKey()
            if isLocked {
                #expect(TokenLock(machine: machine).lock(key, waiting: 0) == .had(.made))
            }
        }

        var isReadable: Bool { !machine.unreadable.contains(600) }
        var obeysScreen: Bool? {
            guard let entry = machine.readEntry(key) else {
                return nil
            }
            return TokenLock(machine: machine).obeysScreen(entry)
        }
    }

    @Test("whoever has proved who they are has their tokens again, and the screen does not count for a moment")
    func unlocks() {
        for (configuration, isLocked, isUnlocked) in [
            ("lock_tokens = yes", true, true), ("", true, true), ("lock_tokens = yes", false, true), ("", false, false),
        ] {
            let world = World(configuration, scripts: [.ask(.password), .signedIn()], [.signedOut()])
            let locked = Locked(world.machine, isLocked: isLocked)
            #expect(locked.isReadable == !isLocked)
            var looked = 0
            #expect(world.proveIdentity { _ in looked += 1 } == .success)
            #expect(looked == 1)
            #expect(
                world.host.takeLog().contains { line in line.hasPrefix("INFO tokens unlocked; user='alice'") }
                    == isLocked)
            #expect(locked.isReadable)
            #expect(locked.obeysScreen == !isUnlocked)
            world.machine.advance(15_000)
            #expect(locked.obeysScreen == !isUnlocked)
            world.machine.advance(1)
            #expect(locked.obeysScreen == true)
        }
    }

    @Test("a host that lets somebody back into their session has their tokens unlocked; a copy of it has not")
    func renewsCredentials() {
        for isCopy in [false, true] {
            let world = World.signedIn("lock_tokens = yes")
            let locked = Locked(world.machine, isLocked: true)
            if isCopy {
                world.machine.process = ProcessIdentity(id: 101, startTime: 778)
            }
            #expect(world.setCredentials(renewing: true) == .success)
            #expect(locked.isReadable == !isCopy)
        }
    }

    @Test("a lock destroys what was made of the tokens, and what it left undone is made good")
    func lock() throws {
        let machine = FakeMachine()
        let locked = Locked(machine, isLocked: false)
        let label = CredentialLabel(name: Array("aws".utf8), freshUntil: 1, end: 2)
        machine.registry.credentials[locked.key.serial.number] = [CredentialKey(serial: KeySerial(700), label: label)]
        #expect(TokenLock(machine: machine).lock(locked.key, waiting: 0) == .had(.made))
        #expect(machine.destroyed == [700] && !locked.isReadable)
        try machine.setReadable(KeySerial(600), description: Array(OpenSession.description.utf8), true)
        TokenLock(machine: machine).settle(locked.key)
        #expect(!locked.isReadable)
    }

    @Test("tokens are out of reach before a stopped program lets go of the session; it is ended after five seconds")
    func lockBesideStopped() {
        for (limit, isEnded) in [(Int32(0), false), (4999, false), (5000, true), (20_000, true)] {
            let machine = FakeMachine()
            let locked = Locked(machine, isLocked: false)
            let label = CredentialLabel(name: Array("aws".utf8), freshUntil: 1, end: 2)
            machine.registry.credentials[locked.key.serial.number] = [
                CredentialKey(serial: KeySerial(700), label: label)
            ]
            machine.stopped = [locked.key.serial.number]
            let begun = machine.now.milliseconds
            #expect(TokenLock(machine: machine).lock(locked.key, waiting: limit) == (isEnded ? .had(.made) : .busy))
            #expect(!locked.isReadable && machine.destroyed.contains(700))
            #expect(machine.endedHolders == (isEnded ? [locked.key.serial.number] : []))
            #expect(machine.now.milliseconds - begun == Int64(min(limit, 5000)))
        }
    }

    @Test("an unlock waits for a stopped program, and ends none")
    func unlockBesideStopped() {
        let machine = FakeMachine()
        let locked = Locked(machine, isLocked: true)
        machine.stopped = [locked.key.serial.number]
        TokenLock(machine: machine).unlockAll(
            of: Array("alice".utf8), following: false, for: 0, waiting: 20_000
        ) { _, _ in }
        #expect(!locked.isReadable && machine.endedHolders.isEmpty)
    }

    @Test("the tokens are held before anything else is done with them")
    func held() {
        let world = World()
        let machine = world.machine
        machine.scripts = [[.ask(.password), .signedIn()], [.signedOut()]]
        var states: [SessionState] = []
        machine.onLock = { states += machine.registry.sessions.map(\.state) }
        #expect(world.proveIdentity() == .success)
        #expect(states.first == .temporary)
        #expect(machine.workers.first?.kinds == [.signIn, .answer, .registered])
    }
}
