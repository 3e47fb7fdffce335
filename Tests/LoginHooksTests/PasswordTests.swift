import Base
import Configuration
import Keyring
import Protocol
import Sessions
import Testing

@testable import Fakes

private let failure = "password change failure; user='alice' session=0 service='sshd' rhost='203.0.113.7' reason="
private let success =
    """
    password changed; user='alice' session=0 service='sshd' rhost='203.0.113.7' pool=eu-west-1_AbCdEf123 \
    allowed_groups='staff'
    """
private let notLetIn =
    "This account is not allowed to sign in on this machine. If you need access, ask the administrator."
private let asked: [Act] = [.ask(.hidden, "Current password: ")]
private let held: [Act] = asked + [.signedIn(), .ask(.hidden, "New password: ")]
private let noAnswer = "NOTICE \(failure)no_answer: the user left before the sign-in was complete"

private func notRevoked(_ why: String) -> String {
    "WARNING the tokens from a password change by 'alice' have not been revoked yet: \(why). The tokens "
        + "are kept in the "
        + "registry, "
        + "and cognito-agent reap tries to revoke them again"
}

/// What the worker says no to, before there are tokens and after.
private let refusals: [HookCase] = FailureReason.allCases.flatMap { reason in
    let value = ReturnValue(reason.passwordRefusal)
    let severity = value == .authenticationTokenRecoveryError ? "ERROR" : "NOTICE"
    let log = ["\(severity) \(failure)\(reason.name): told by Cognito"]
    let text = "For the person."
    return [
        HookCase("\(reason.name) at once", asked + [.failed(reason, text: text)], value, log: log, shown: [text]),
        HookCase(
            "\(reason.name) at the end", held + [.failed(reason, text: text, outcome: .revoked)], value, log: log,
            shown: [text]),
    ]
}

/// What becomes of the tokens.
private let endings: [HookCase] =
    [SignOutOutcome.revoked, .alreadyRevoked, .expired, .notSupported].map { outcome in
        HookCase(
            "changed, tokens: \(outcome.rawValue)", held + [.passwordChanged(outcome)], .success,
            log: ["INFO \(success)"])
    } + [
        HookCase(
            "changed, with something to say", held + [.passwordChanged(.notSupported, log: "but\nnot revoked")],
            .success, log: ["WARNING \(success): but?not revoked"]),
        HookCase(
            "changed, tokens not revoked, and then they are", held + [.passwordChanged(nil, log: "not yet")],
            revoker: [.signedOut()], .success, log: ["WARNING \(success): not yet"]),
        HookCase(
            "changed, tokens not revoked, and again not", held + [.passwordChanged(nil, log: "not yet")],
            revoker: [.failed(.unreachable, log: "no route")], .success, log: ["WARNING \(success): not yet"],
            left: true),
        HookCase(
            "failed, tokens not revoked", held + [.failed(.unreachable)], .authenticationTokenRecoveryError,
            log: ["ERROR \(failure)unreachable: told by Cognito"], left: true),
        HookCase(
            "worker killed once it has them", held, revoker: [.signedOut()], .authenticationTokenRecoveryError,
            log: [workerEnded]),
        HookCase(
            "worker killed once it has them, and Cognito away", held, revoker: [.silence],
            .authenticationTokenRecoveryError, log: [workerEnded], left: true),
        HookCase(
            "worker killed before it heard that they are registered", asked + [.signedIn()], revoker: [.signedOut()],
            prepare: { world in world.machine.deafAfter = 2 }, .authenticationTokenRecoveryError,
            log: ["ERROR the worker is gone"]),
        HookCase(
            "person leaves at the new password", held + [.ask(.hidden, "Retype new password: ")],
            revoker: [.signedOut()], .authenticationTokenError, log: [noAnswer]),
        HookCase(
            "no result in time", held + [.wait(17_999), .wait(2), .passwordChanged()], revoker: [.signedOut()],
            .authenticationTokenRecoveryError, log: ["ERROR \(failure)\(notInTime)"]),
        HookCase(
            "tokens a second time", held + [.signedIn()], revoker: [.signedOut()], .authenticationTokenRecoveryError,
            log: [outOfSequence]),
    ]

private let changes: [HookCase] =
    refusals + endings + [
        HookCase(
            "changed, and a new key set", [.keep("{}")] + held + [.passwordChanged()], .success,
            log: ["INFO \(success)"]),
        HookCase(
            "a reason of a later version", held + [.failed(code: 200, outcome: .revoked)], .permissionDenied,
            log: ["NOTICE \(failure)unknown: told by Cognito"]),
        HookCase(
            "the host says success to a question without an answer", asked,
            prepare: { world in world.host.answers = [.failure(PAMRefusal(rawValue: 0) ?? .conversationError)] },
            .authenticationTokenError, log: [noAnswer]),
        HookCase("a worker that ends", asked, .authenticationTokenRecoveryError, log: [workerEnded]),
        HookCase(
            "changed without tokens that are registered", asked + [.passwordChanged()],
            .authenticationTokenRecoveryError, log: [outOfSequence]),
        HookCase("a sign-out's result", [.signedOut()], .authenticationTokenRecoveryError, log: [outOfSequence]),
        HookCase(
            "no worker", nil, .authenticationTokenRecoveryError,
            log: ["ERROR \(failure)internal_fault: the worker cannot be started"]),
        HookCase(
            "client secret cannot be read", asked,
            prepare: { world in
                world.machine.clientSecretFault = Fault("/s: client_secret_file does not exist", .configuration)
            },
            .authenticationTokenRecoveryError,
            log: ["ERROR \(failure)configuration: /s: client_secret_file does not exist"]),
        HookCase(
            "the kernel takes no more keys", asked + [.signedIn()],
            prepare: { world in world.machine.registerError = .diskQuotaExceeded }, .authenticationTokenRecoveryError,
            log: [
                "ERROR the tokens of 'alice' cannot be kept in the kernel (errno 122) and are revoked; \(quotaIsFull)"
            ]),
        HookCase(
            "in no group", asked + [.signedIn(groups: [])], .permissionDenied, log: ["NOTICE \(failure)\(inNoGroup)"],
            shown: [notLetIn]),
        HookCase(
            "in a group that stays out", asked + [.signedIn(groups: ["staff", "guests"])],
            configuration: "denied_groups = guests", .permissionDenied,
            log: [
                """
                NOTICE \(failure)group: Cognito accepted this user, but denied_groups contains this user's \
                group 'guests'
                """
            ], shown: [notLetIn]),
        HookCase(
            "somebody else's tokens", asked + [.signedIn(as: "mallory")], .permissionDenied,
            log: ["ERROR \(failure)\(tokensOfAnother)"], shown: [notLetIn]),
    ]

/// Whose account is none of Cognito's, in the preliminary pass.
private let foreign = [
    HookCase(
        "root", nil,
        prepare: { world in
            world.host.userName = .success(Array("root".utf8))
            world.machine.accounts[Array("root".utf8)] = Account(uid: 0, gid: 0, hasUsablePassword: true)
            world.machine.configuration = [0x61]
        }, .ignore),
    HookCase(
        "nobody that this machine knows", nil,
        prepare: { world in world.host.userName = .success(Array("mallory".utf8)) }, .ignore),
    HookCase(
        "no possible name", nil, prepare: { world in world.host.userName = .success(Array("../alice".utf8)) }, .ignore),
    HookCase(
        "an account with a local password", nil,
        prepare: { world in
            world.machine.accounts[Array("alice".utf8)] = Account(uid: 5001, gid: 5001, hasUsablePassword: true)
        }, .ignore),
    HookCase("not in the group", nil, prepare: { world in world.machine.people = [] }, .ignore),
    HookCase("switched off", nil, prepare: { world in world.machine.isDisabled = true }, .ignore),
]

/// What cannot be checked there.
private let faulty = [
    HookCase(
        "accounts cannot be looked up", nil,
        prepare: { world in world.machine.accountsFault = Fault("accounts cannot be looked up") }, .tryAgain,
        log: ["ERROR \(failure)internal_fault: accounts cannot be looked up"]),
    HookCase(
        "host without root's rights", nil, prepare: { world in world.machine.effectiveUserID = 5001 }, .tryAgain,
        log: [
            """
            ERROR \(failure)internal_fault: sshd runs without root privileges, which pam_cognito needs to \
            protect tokens. This service cannot change the passwords of Cognito accounts
            """
        ]),
    HookCase(
        "no user name", nil, prepare: { world in world.host.userName = .failure(.conversationError) },
        .authenticationTokenError),
]

@Suite struct PasswordTests {
    @Test(
        "what the caller of passwd can bring about leads past Cognito to no local password",
        arguments: [0, 5002] as [UInt32])
    func scarcity(realUserID: UInt32) {
        for isResourceExhaustion in [false, true] {
            let world = World()
            world.machine.realUserID = realUserID
            world.machine.accountsFault = Fault("no accounts", isResourceExhaustion: isResourceExhaustion)
            let expected: ReturnValue = isResourceExhaustion && realUserID != 0 ? .systemError : .tryAgain
            #expect(world.changePassword(.preliminary) == expected)
            #expect(world.changePassword(.update) == expected)
        }
    }

    @Test("what a change comes to, and what becomes of its tokens", arguments: changes)
    func change(change: HookCase) {
        let world = world()
        change.setUp(world)
        world.machine.canStartEnding = true
        #expect(world.changePassword(.preliminary) == .success)
        #expect(world.machine.workers.isEmpty && world.host.questions.isEmpty)
        #expect(world.changePassword(.update) == change.expected)
        // Before Cognito is asked, once.
        var log = world.host.takeLog()
        let attempts = log.filter { line in line.hasPrefix("INFO password change attempt; ") }
        log.removeAll { line in attempts.contains(line) }
        #expect(attempts.count <= 1 && log == change.log)
        #expect(world.host.shown == change.shown)
        #expect(world.host.variables.isEmpty && world.host.kept == nil)
        // passwd's caller can stop it.
        let told = world.machine.endHandedOver()
        #expect(told.contains { line in line.hasPrefix("sign-out not finished") } == change.left)
        let sessions = world.machine.registry.sessions
        #expect(sessions.map(\.state) == (change.left ? [.closing] : []))
        #expect(sessions.allSatisfy { entry in !entry.delivered && entry.signOut == .session })
        if change.revoker != nil {
            #expect(world.machine.workers.last?.field(.revocation) == [Revocation.session.rawValue])
            #expect(world.machine.workers.last?.field(.bundle) == Array(Secrets.bundle.utf8))
        }
    }

    private func world(
        _ configuration: String = "", caller: UInt32 = 5001, ending: Act = .passwordChanged()
    ) -> World {
        let world = World(configuration, scripts: LoginHooksTests.held + [ending])
        world.machine.realUserID = caller
        world.host.answers = [.success(Secrets.password), .success(Secrets.code)]
        return world
    }

    @Test("tokens of a change that no agent ends are told in the log")
    func notEnded() {
        let world = world(ending: .passwordChanged(nil, log: "not yet"))
        #expect(world.changePassword(.update) == .success)
        #expect(
            world.host.takeLog().last
                == notRevoked(
                    """
                    cognito-agent, which completes the sign-out, cannot be started
                    """))
    }

    @Test("while the person thinks, the tokens are registered: no session takes them, no living host loses them")
    func held() {
        let world = world()
        var looked: [Snapshot] = []
        world.host.onQuestion = { looked = world.machine.registry.sessions }
        #expect(world.changePassword(.update) == .success)
        #expect(looked.map(\.state) == [.temporary] && looked.first?.user == "alice" && looked.first?.tokenKey == 0)
        // As long as that lives, it is left alone.
        #expect(looked.first?.host == world.machine.process)
    }

    @Test("the worker is told who it is and gets the answers, and what PAM has as a password is not used")
    func message() {
        let world = world("username_template = {user}@example.com")
        #expect(world.changePassword(.update) == .success)
        let worker = world.machine.workers.first
        #expect(worker?.kinds == [.changePassword, .answer, .registered, .answer])
        #expect(worker?.field(.userName) == Array("alice".utf8))
        #expect(worker?.field(.loginName) == Array("alice@example.com".utf8))
        #expect(worker?.field(.identityRule) == [IdentityRule.verifiedEmail.rawValue])
        #expect(worker?.field(.flow) == [AuthenticationFlow.secureRemotePassword.rawValue])
        #expect(worker?.field(.answer, of: 1) == Array(Secrets.password.utf8))
        #expect(worker?.field(.answer, of: 3) == Array(Secrets.code.utf8))
        #expect(world.host.questions == ["hidden Current password: ", "hidden New password: "])
    }

    @Test("root is told why the current password is asked for")
    func root() {
        let world = world(caller: 0)
        #expect(world.changePassword(.preliminary) == .success)
        #expect(world.host.shown.isEmpty)
        #expect(world.changePassword(.update) == .success)
        #expect(
            world.host.shown
                == ["Cognito stores this password, and requires the current password before accepting a new one."]
        )
    }

    @Test(
        "a program that has the new password alone is refused before anything is asked or sent",
        arguments: [
            ["chpasswd"], ["newusers", "people"], ["passwd", "-s", "alice"], ["passwd", "-qs", "alice"],
            ["passwd", "--stdin", "alice"], ["passwd", "--std", "alice"],
        ])
    func newPasswordOnly(command: [String]) {
        let world = World()
        let service = command[0]
        world.machine.realUserID = 0
        world.machine.arguments = command.map { word in Array(word.utf8) }
        world.host.service = Array(service.utf8)
        for pass in [PasswordPass.preliminary, .update] {
            #expect(world.changePassword(pass) == .permissionDenied)
            #expect(world.machine.workers.isEmpty && world.host.questions.isEmpty)
            let log = world.host.takeLog()
            #expect(log.count == 1)
            #expect(
                log.first?.hasPrefix(
                    "NOTICE password change failure; user='alice' session=0 service='\(service)' rhost='203.0.113.7' "
                        + "reason=no_answer: \(service) provides only the new password") == true)
        }
        #expect(world.host.shown.count == 2)
        world.machine.people = []
        #expect(world.changePassword(.preliminary) == .ignore)
    }

    @Test(
        "passwd with other arguments asks",
        arguments: [["passwd", "alice"], ["passwd", "-q", "alice"], ["passwd", "--status", "-"], []] as [[String]])
    func interactive(command: [String]) {
        let world = World()
        world.machine.arguments = command.map { word in Array(word.utf8) }
        world.host.service = Array("passwd".utf8)
        #expect(world.changePassword(.preliminary) == .success)
    }

    @Test(
        "whose account is not Cognito's is ignored in both passes, and nobody is asked",
        arguments: LoginHooksTests.foreign)
    func foreign(check: HookCase) {
        for pass in [PasswordPass.preliminary, .update] {
            let world = World()
            check.setUp(world)
            #expect(world.changePassword(pass) == .ignore)
            #expect(world.machine.workers.isEmpty && world.host.questions.isEmpty)
            #expect(world.host.takeLog() == [] && world.host.shown == [])
        }
    }

    @Test(
        "a check that cannot be made says try again in both passes, and its line once",
        arguments: LoginHooksTests.faulty)
    func faulty(check: HookCase) {
        let world = World()
        check.setUp(world)
        #expect(world.changePassword(.preliminary) == check.expected)
        #expect(world.host.takeLog() == check.log)
        #expect(world.changePassword(.update) == check.expected)
        #expect(world.host.takeLog() == [])
        #expect(world.machine.workers.isEmpty && world.host.questions.isEmpty)
    }

    @Test("a local password that is too old is none of ours", arguments: [PasswordPass.preliminary, .update])
    func expired(pass: PasswordPass) {
        let world = World()
        #expect(world.changePassword(pass, onlyIfExpired: true) == .ignore)
        #expect(world.machine.lookedUp.isEmpty)
    }
}
