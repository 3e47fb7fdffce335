import ByteText
import Configuration
import KernelKeyring
import LinuxProcess
import LoginCore
import Testing
import WorkerProtocol

/// One password change in the update pass.
private struct Change: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var script: [Act]?
    var prepare: @Sendable (World) -> Void = { _ in }
    let expected: ReturnValue
    var log: [String] = []
    var shown: [String] = []

    init(
        _ name: String, _ script: [Act]?, prepare: @escaping @Sendable (World) -> Void = { _ in },
        _ expected: ReturnValue, log: [String] = [], shown: [String] = []
    ) {
        testDescription = name
        self.script = script
        self.prepare = prepare
        self.expected = expected
        self.log = log
        self.shown = shown
    }
}

private let failure = "password change failure; user='alice' rhost='203.0.113.7' reason="
private let success = "password changed; user='alice' rhost='203.0.113.7' pool=eu-west-1_AbCdEf123"
private let asked: [Act] = [.ask(.hidden, "Current password: "), .ask(.hidden, "New password: ")]

private let changes: [Change] =
    FailureReason.allCases.map { reason in
        let value = reason.passwordReturnValue
        let severity = value == .authenticationTokenRecoveryError ? "ERROR" : "NOTICE"
        return Change(
            "worker says \(reason.name)", asked + [.failed(reason, text: "For the person.")], value,
            log: ["\(severity) \(failure)\(reason.name): told by Cognito"], shown: ["For the person."])
    } + [
        Change("changed", asked + [.passwordChanged()], .success, log: ["INFO \(success)"]),
        Change(
            "changed, and a new key set", [.keep("{}")] + asked + [.passwordChanged()], .success,
            log: ["INFO \(success)"]),
        Change(
            "changed, with something to say", asked + [.passwordChanged(log: "but\nnot revoked")], .success,
            log: ["WARNING \(success): but?not revoked"]),
        Change(
            "a reason of a later version", asked + [.failed(code: 200)], .permissionDenied,
            log: ["NOTICE \(failure)unknown: told by Cognito"]),
        Change(
            "nobody answers", asked + [.ask(.hidden, "Retype new password: ")], .authenticationTokenError,
            log: ["NOTICE \(failure)no_answer: the person left before the end"]),
        Change(
            "the host says success to a question without an answer", asked,
            prepare: { world in world.host.answers = [.failure(.success)] }, .authenticationTokenError,
            log: ["NOTICE \(failure)no_answer: the person left before the end"]),
        Change(
            "no result in time", asked + [.wait(17_999), .wait(2), .passwordChanged()],
            .authenticationTokenRecoveryError,
            log: [
                "ERROR \(failure)unreachable: Cognito did not answer within network_timeout; check the network, then: "
                    + "curl -sS https://HOST"
            ]),
        Change(
            "a worker that ends", asked, .authenticationTokenRecoveryError,
            log: ["ERROR the worker ended without a result"]),
        Change("a sign-in's result", asked + [.signedIn()], .authenticationTokenRecoveryError, log: [outOfTurn]),
        Change("a sign-out's result", [.signedOut()], .authenticationTokenRecoveryError, log: [outOfTurn]),
        Change("no worker", nil, .authenticationTokenRecoveryError, log: ["ERROR the worker cannot be started"]),
        Change(
            "client secret cannot be read", asked,
            prepare: { world in world.machine.clientSecretFault = Fault("/s: client_secret_file does not exist") },
            .authenticationTokenRecoveryError, log: ["ERROR /s: client_secret_file does not exist"]),
    ]
private let outOfTurn =
    "ERROR the worker sent a message out of turn; reinstall pam-cognito so that its parts fit together"

/// Who is told what in the preliminary pass.
private struct Check: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let prepare: @Sendable (World) -> Void
    let expected: ReturnValue
    var log: [String] = []

    init(
        _ name: String, _ expected: ReturnValue, log: [String] = [],
        _ prepare: @escaping @Sendable (World) -> Void
    ) {
        testDescription = name
        self.prepare = prepare
        self.expected = expected
        self.log = log
    }

    private static func user(_ name: String) -> @Sendable (World) -> Void {
        { world in world.host.userName = .success(Array(name.utf8)) }
    }

    static let foreign: [Check] = [
        Check("root", .ignore) { world in
            user("root")(world)
            world.machine.accounts[Array("root".utf8)] = Account(uid: 0, gid: 0, hasUsablePassword: true)
            world.machine.configuration = [0x61]
        },
        Check("nobody that this machine knows", .ignore, user("mallory")),
        Check("no possible name", .ignore, user("../alice")),
        Check("an account with a local password", .ignore) { world in
            world.machine.accounts[Array("alice".utf8)] = Account(uid: 5001, gid: 5001, hasUsablePassword: true)
        },
        Check("not in the group", .ignore) { world in world.machine.people = [] },
        Check("switched off", .ignore) { world in world.machine.isDisabled = true },
    ]

    static let faulty: [Check] = [
        Check(
            "broken configuration", .tryAgain,
            log: ["ERROR /etc/security/pam_cognito.conf:1: the line has no '='; write: key = value"]
        ) { world in world.machine.configuration = [0x61] },
        Check(
            "accounts cannot be looked up", .tryAgain, log: ["ERROR accounts cannot be looked up"]
        ) { world in world.machine.accountsFault = Fault("accounts cannot be looked up") },
        Check(
            "host without root's rights", .tryAgain,
            log: [
                "ERROR sshd runs without root's rights, which pam_cognito needs to keep tokens safe; "
                    + "this service cannot change the passwords of Cognito accounts"
            ]
        ) { world in world.machine.effectiveUserID = 5001 },
        Check("no user name", .authenticationTokenError) { world in
            world.host.userName = .failure(.conversationError)
        },
    ]
}

@Suite struct PasswordTests {
    @Test("what a change comes to, and that it registers nothing", arguments: changes)
    private func change(change: Change) {
        let world = World()
        world.machine.realUserID = 5001
        world.host.answers = [.success(Secrets.password), .success(Secrets.code)]
        if let script = change.script {
            world.machine.scripts = [script]
        }
        change.prepare(world)
        #expect(world.changePassword(.preliminary) == .success)
        #expect(world.machine.workers.isEmpty && world.host.questions.isEmpty)
        #expect(world.changePassword(.update) == change.expected)
        #expect(world.host.takeLog() == change.log)
        #expect(world.host.shown == change.shown)
        #expect(world.host.variables.isEmpty && world.host.kept == nil)
        #expect(world.machine.registry.entries.isEmpty)
    }

    @Test("the worker is told who it is and gets the answers, and what PAM has as a password is not used")
    func message() {
        let world = World()
        world.machine.realUserID = 5001
        world.machine.configuration = FakeMachine.configuration("username_template = {user}@example.com")
        world.host.answers = [.success(Secrets.password), .success(Secrets.code)]
        world.machine.scripts = [asked + [.passwordChanged()]]
        #expect(world.changePassword(.update) == .success)
        let worker = world.machine.workers.first
        #expect(worker?.kinds == [.changePassword, .answer, .answer])
        #expect(worker?.field(.userName) == Array("alice".utf8))
        #expect(worker?.field(.loginName) == Array("alice@example.com".utf8))
        #expect(worker?.field(.identityRule) == [IdentityRule.verifiedEmail.rawValue])
        #expect(worker?.field(.flow) == [AuthenticationFlow.secureRemotePassword.rawValue])
        #expect(worker?.field(.answer, of: 1) == Array(Secrets.password.utf8))
        #expect(worker?.field(.answer, of: 2) == Array(Secrets.code.utf8))
        #expect(world.host.questions == ["hidden Current password: ", "hidden New password: "])
    }

    @Test("root is told why the current password is asked for")
    func root() {
        let world = World()
        world.machine.realUserID = 0
        world.host.answers = [.success(Secrets.password), .success(Secrets.code)]
        world.machine.scripts = [asked + [.passwordChanged()]]
        #expect(world.changePassword(.preliminary) == .success)
        #expect(world.host.shown.isEmpty)
        #expect(world.changePassword(.update) == .success)
        #expect(
            world.host.shown == ["This password is kept by Cognito, which asks for the current one whoever changes it."]
        )
    }

    @Test("whose account is not Cognito's is ignored in both passes, and nobody is asked", arguments: Check.foreign)
    private func foreign(check: Check) {
        for pass in [PasswordPass.preliminary, .update] {
            let world = World()
            check.prepare(world)
            #expect(world.changePassword(pass) == .ignore)
            #expect(world.machine.workers.isEmpty && world.host.questions.isEmpty)
            #expect(world.host.takeLog() == [] && world.host.shown == [])
        }
    }

    @Test("a check that cannot be made says try again in both passes, and its line once", arguments: Check.faulty)
    private func faulty(check: Check) {
        let world = World()
        check.prepare(world)
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
