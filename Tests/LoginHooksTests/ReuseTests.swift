import Accounts
import Base
import Configuration
import Keyring
import Protocol
import Sessions
import Testing

@testable import Fakes

/// sudo, run by alice in her session, which was made a minute ago.
private struct Sudo {
    let world: World
    let key: RootKey

    init(
        _ world: World = World(), sample: Sample = Sample(loginName: "alice"), renewal: [Act]? = nil,
        script: [Act]? = [.checked(at: 1_799_999_940)], further: [[Act]] = []
    ) {
        self.world = world
        key = world.runSudo(in: sample)
        world.arguments = ["try_session=yes"]
        world.machine.scripts =
            [renewal, script].compactMap(\.self) + further + [[.ask(.password), .failed(.refused)]]
    }
}

/// The reason why a user is asked although `try_session` is on.
private struct Doubt: CustomTestStringConvertible, Sendable {
    let name: String
    var sample = Sample(loginName: "alice")
    /// What the worker says to a renewal; nil: it is not asked.
    var renewal: [Act]?
    /// What the worker says of the session; nil: it is not asked.
    var script: [Act]?
    /// What workers say after that.
    var further: [[Act]] = []
    var prepare: @Sendable (World) -> Void = { _ in }
    var log: String?

    var testDescription: String { name }

    private static let notReused =
        "NOTICE session not reused; user='alice' session=1001 service='sudo' rhost='' reason="
    private static let notLookedAfter = "\(notReused)busy: cognito-agent did not handle the request in time"
    private static let ended = Sample(accessTokenExpiry: 1_800_000_000, loginName: "alice")

    static let all: [Doubt] =
        FailureReason.allCases.map { reason in
            let word =
                switch reason {
                case .otherIdentity: "invalid_tokens"
                default: "\(reason.name)"
                }
            return Doubt(
                name: "the check says \(reason.name)", script: [.failed(reason)],
                // A renewal decides.
                further: reason == .accessTokenExpired ? [[.failed(reason)]] : [],
                log: "\(notReused)\(word): told by Cognito")
        } + [
            Doubt(name: "it is off", prepare: { world in world.arguments = [] }),
            Doubt(name: "it is off in so many words", prepare: { world in world.arguments = ["try_session=no"] }),
            Doubt(name: "no key in the session", prepare: { world in world.machine.inherited = [] }),
            Doubt(
                name: "a key that the person made",
                prepare: { world in world.machine.inherited = [KeySerial(601)] }),
            Doubt(
                name: "a key that no session of the registry has", sample: Sample(tokenKey: 601, loginName: "alice")),
            Doubt(name: "a session of somebody else", sample: Sample(user: "bob", loginName: "bob")),
            Doubt(name: "a session that is ending", sample: Sample(state: .closing, loginName: "alice")),
            Doubt(name: "a session that has not begun", sample: Sample(state: .pending, loginName: "alice")),
            Doubt(name: "tokens that are held", sample: Sample(state: .temporary, loginName: "alice")),
            Doubt(
                name: "a session of another container",
                sample: Sample(inContainer: true, loginName: "alice")),
            Doubt(
                name: "an access token that has ended cannot be renewed now", sample: ended,
                renewal: [.failed(.throttled)],
                log: "\(notReused)throttled: told by Cognito"),
            Doubt(
                name: "Cognito refuses to renew the tokens", sample: ended, renewal: [.failed(.sessionEnded)],
                log: "\(notReused)session_ended: told by Cognito"),
            Doubt(
                name: "the renewed tokens are somebody else's", sample: ended, renewal: [.renewed(as: "bob")],
                log: "\(notReused)internal_fault: "
                    + "the renewed tokens belong to another user, or are too large. The tokens are not used"),
            Doubt(
                name: "renewed, and signed in too long ago all the same", sample: ended, renewal: [.renewed()],
                script: [.checked(at: 1_799_999_699)]),
            Doubt(name: "began too long ago", sample: Sample(created: 4_639_000, loginName: "alice")),
            Doubt(
                name: "began too long ago, and would need a renewal",
                sample: Sample(created: 4_639_000, accessTokenExpiry: 1_800_000_000, loginName: "alice")),
            Doubt(name: "a session from another endpoint", sample: Sample(endpoint: [0x61], loginName: "alice")),
            Doubt(name: "a session under another name", sample: Sample(loginName: "alice@example.com")),
            Doubt(
                name: "a session by another rule", sample: Sample(loginName: "alice", identity: .verifiedEmail)),
            Doubt(name: "the caller is root", prepare: { world in world.machine.realUserID = 0 }),
            Doubt(name: "the caller is somebody else", prepare: { world in world.machine.realUserID = 5002 }),
            Doubt(
                name: "the registry cannot be read",
                prepare: { world in world.machine.entriesError = .permissionDenied }),
            Doubt(
                name: "the session is locked", prepare: { world in world.machine.locked = [1001] },
                log: Self.notLookedAfter),
            Doubt(
                name: "another process is doing it for two seconds",
                prepare: { world in world.machine.busyUntil = world.machine.now.milliseconds + 2001 },
                log: Self.notLookedAfter),
            Doubt(
                name: "no agent listens", prepare: { world in world.machine.agent = nil },
                log: "\(notReused)no_agent: "
                    + "cognito-agent, which checks the session at Cognito, is not listening. To start the agent, "
                    + "run: systemctl enable --now pam-cognito-agent.socket"),
            Doubt(
                name: "the agent takes nothing",
                prepare: { world in world.machine.agent = FakeAgent([], deafAfter: 0) }, log: Self.notLookedAfter),
            Doubt(
                name: "the agent is not responding in time",
                prepare: { world in world.machine.agent = FakeAgent([]) }, log: Self.notLookedAfter),
            Doubt(
                name: "the agent answers something else",
                prepare: { world in world.machine.agent = FakeAgent([packet(.tokensValid, [])]) },
                log: Self.notLookedAfter),
            Doubt(name: "signed in too long ago", script: [.checked(at: 1_799_999_699)]),
            Doubt(name: "signed in tomorrow", script: [.checked(at: 1_800_000_061)]),
            Doubt(name: "signed in before all time", script: [.checked(at: .min)]),
            Doubt(name: "no word of when", script: [.checked()]),
            Doubt(name: "in no group that may", script: [.checked(at: 1_800_000_000, groups: ["guests"])]),
            Doubt(
                name: "in a group that may not here", script: [.checked(at: 1_800_000_000, groups: ["staff"])],
                prepare: { world in world.arguments.append("denied_groups=staff") }),
            Doubt(
                name: "PAM cannot keep it", script: [.checked(at: 1_800_000_000)],
                prepare: { world in world.host.keepError = .systemError }),
            Doubt(
                name: "Cognito does not answer", script: [.silence],
                log: "\(notReused)unreachable: Cognito did not answer in time"),
            Doubt(
                name: "the worker dies", script: [.end],
                log: "\(notReused)internal_fault: the worker ended without a result"),
            Doubt(
                name: "a screen lock that runs as root",
                prepare: { world in world.host.service = Array("physlock".utf8) },
                log: """
                    WARNING try_session is ignored: physlock seems to be a screen lock, which anyone at the screen \
                    could unlock with try_session. Remove try_session from the auth line of the service
                    """),
        ]
}

@Suite struct ReuseTests {
    @Test("whoever signed in lately is not asked again, and nothing of their session changes")
    func reused() {
        let sudo = Sudo()
        let world = sudo.world
        let before = world.machine.registry.sessions
        #expect(world.authenticate() == .success)
        #expect(world.host.questions == [])
        #expect(
            world.host.takeLog() == [
                "INFO session reused; user='alice' session=\(sudo.key.serial.number) service='sudo' rhost='' age=60 "
                    + "allowed_groups='staff'"
            ])
        let worker = world.machine.workers.first
        #expect(world.machine.workers.count == 1)
        #expect(worker?.kinds == [.check])
        #expect(worker?.field(.online) == [1])
        #expect(worker?.field(.unexpired) == [1])
        #expect(worker?.field(.timeLimit) == [0, 0, 0, 0, 0, 0, 0x13, 0x88])
        #expect(worker?.field(.bundle) == Array(Secrets.bundle.utf8))

        world.arguments.append("key_logins=refuse")
        #expect(world.checkAccount() == .success)
        world.host.userName = .success(Array("bob".utf8))
        #expect(world.checkAccount() == .permissionDenied)
        #expect(world.openSession() == .success)
        #expect(world.machine.isolated == [5002])
        #expect(world.setCredentials() == .success)
        #expect(world.closeSession() == .success)
        #expect(world.machine.registry.sessions == before)
        #expect(world.machine.destroyed == [])
        #expect(world.machine.workers.count == 1)
    }

    /// - Parameter isEarly: Whether the access token has run out before its time, so that Cognito's no to it has it
    ///   renewed.
    @Test("what a renewal has brought about besides is in the log", arguments: [true, false], [true, false])
    func renewedGroups(isDiskFull: Bool, isEarly: Bool) {
        let renewal: [Act] = [.renewed(groups: ["admins"])]
        let checked: [Act] = [.checked(at: 1_799_999_940)]
        let sudo =
            isEarly
            ? Sudo(script: [.failed(.accessTokenExpired)], further: [renewal, checked])
            : Sudo(sample: Sample(accessTokenExpiry: 1_800_000_000, loginName: "alice"), renewal: renewal)
        let world = sudo.world
        world.machine.configuration = FakeMachine.configuration(
            "accounts = sign-in\naccount_names = a*\ngroup_map = admins:sudo")
        let person = AccountRecord.Owner(
            subject: Array("sub-of-alice".utf8), pool: Array("eu-west-1_AbCdEf123".utf8))
        world.machine.ownAccounts[Array("alice".utf8)] = .some(OwnAccount(.enabled, person: person))
        world.machine.newcomerFault = isDiskFull ? Fault("the disk is full") : nil
        #expect(world.authenticate() == .success)
        let line = isDiskFull ? "groups not changed; user='alice'" : "groups changed; user='alice'"
        #expect(world.machine.agent?.lines.contains { told in told.hasPrefix(line) } == true)
    }

    @Test("the session is found among others of the same person")
    func others() {
        let world = World()
        _ = Sample(tokenKey: 601, loginName: "alice").add(to: world.machine)
        let sudo = Sudo(world)
        #expect(sudo.world.authenticate() == .success)
        #expect(sudo.world.host.questions == [] && sudo.key.serial.number == 1002)
    }

    @Test(
        "the sign-in may be as old as the administrator says",
        arguments: [("5m", 300, true), ("5m", 301, false), ("1h", 3600, true), ("1s", 2, false)]
            as [(
                String, Int64, Bool
            )])
    func age(limit: String, age: Int64, isReused: Bool) {
        let sudo = Sudo(script: [.checked(at: 1_800_000_000 - age)])
        sudo.world.arguments.append("try_session_age=\(limit)")
        #expect((sudo.world.authenticate() == .success) == isReused)
        #expect(sudo.world.host.questions.isEmpty == isReused)
    }

    @Test("tokens that have ended, or are about to, are renewed first, once", arguments: [-5, 0, 29, 30] as [Int64])
    func renewed(left: Int64) {
        let isNeeded = left < 30
        let sudo = Sudo(
            sample: Sample(accessTokenExpiry: 1_800_000_000 + left, loginName: "alice"),
            renewal: isNeeded ? [.wait(3800), .renewed()] : nil)
        let world = sudo.world
        #expect(world.authenticate() == .success)
        #expect(world.host.questions == [])
        #expect(world.machine.workers.map(\.kinds) == (isNeeded ? [[.renew, .registered]] : []) + [[.check]])
        let session = "user='alice' session=\(sudo.key.serial.number) service='sudo' rhost=''"
        #expect(
            world.host.takeLog()
                == ["INFO session reused; \(session) age=60 allowed_groups='staff'"])
        #expect(world.machine.agent?.lines == (isNeeded ? ["renewed"] : []))
        let bundle = isNeeded ? "new-tok3n-bundle" : Secrets.bundle
        #expect(world.machine.workers.last?.field(.bundle) == Array(bundle.utf8))
        #expect(world.machine.registry.sessions.first?.bundle == bundle)
        #expect(world.machine.tokenKeys[600]?.bundle == (isNeeded ? bundle : "old"))
        // Both together take no longer than one may.
        #expect(
            world.machine.workers.last?.field(.timeLimit) == [0, 0, 0, 0, 0, 0]
                + (isNeeded ? [0x04, 0xB0] : [0x13, 0x88]))
    }

    @Test("a refusal of the access token alone: new tokens are as good, and what they say decides")
    func accessTokenRefused() {
        let sudo = Sudo(
            script: [.failed(.accessTokenExpired)], further: [[.renewed()], [.checked(at: 1_799_999_940)]])
        #expect(sudo.world.authenticate() == .success)
        #expect(sudo.world.machine.workers.last?.field(.online) == [0])
        #expect(sudo.world.machine.workers.last?.field(.unexpired) == [1])
        #expect(sudo.world.machine.workers.last?.field(.bundle) == Array("new-tok3n-bundle".utf8))
    }

    @Test("when in doubt, the password is asked for", arguments: Doubt.all)
    private func doubts(doubt: Doubt) {
        let sudo = Sudo(sample: doubt.sample, renewal: doubt.renewal, script: doubt.script, further: doubt.further)
        doubt.prepare(sudo.world)
        let asked = [doubt.renewal, doubt.script].compactMap(\.self).count + doubt.further.count
        #expect(sudo.world.authenticate() == .authenticationError)
        #expect(sudo.world.host.questions == ["password"])
        let log = sudo.world.host.takeLog()
        // Two are about the password.
        #expect(log.dropLast(2) == (doubt.log.map { line in [line] } ?? []))
        #expect(sudo.world.host.kept == nil)
        // The last one is for the password.
        #expect(sudo.world.machine.workers.count == asked + 1)
    }

    @Test("a host without root's rights is told so, and asks nobody")
    func notRoot() {
        let sudo = Sudo(script: nil)
        sudo.world.machine.effectiveUserID = 5001
        #expect(sudo.world.authenticate() == .credentialsUnavailable)
        #expect(sudo.world.machine.workers.isEmpty)
        #expect(
            sudo.world.host.takeLog().first
                == """
                WARNING try_session is ignored: sudo runs without root privileges and may be a screen lock, which \
                anyone at the screen could unlock with try_session. Remove try_session from the auth line of the service
                """)
    }
}
