import Base
import Configuration
import Keyring
import Protocol
import Sessions
import Testing

@testable import Fakes

/// Attempts that end before there are tokens, or whose tokens are not let in. None may leave anything behind.
private let refused: [HookCase] =
    FailureReason.allCases.map { reason in
        let value = ReturnValue(reason.refusal)
        let severity = value == .authenticationInformationUnavailable ? "ERROR" : "NOTICE"
        return HookCase(
            "worker says \(reason.name)", [.ask(.password), .failed(reason, text: "For the person.")], value,
            log: ["\(severity) \(signInFailure)\(reason.name): told by Cognito"], shown: ["For the person."])
    } + [
        HookCase(
            "a reason of a later version", [.failed(code: 200)], .permissionDenied,
            log: ["NOTICE \(signInFailure)unknown: told by Cognito"]),
        HookCase(
            "control characters in the worker's line", [.failed(.refused, log: "a\nb\u{1b}[2Jé%s")],
            .authenticationError, log: ["NOTICE \(signInFailure)refused: a?b?[2J??%s"]),
        HookCase(
            "no answer in time", [.ask(.password), .silence], .authenticationInformationUnavailable,
            log: ["ERROR \(signInFailure)\(notInTime)"]),
        HookCase(
            "each message in time, but too late together",
            [.wait(8000), .ask(.password), .wait(9499), .ask(.password), .wait(2), .signedIn()],
            .authenticationInformationUnavailable, log: ["ERROR \(signInFailure)\(notInTime)"]),
        HookCase("worker ends at once", [], .authenticationInformationUnavailable, log: [workerEnded]),
        HookCase(
            "worker ends after the password", [.ask(.password), .end], .authenticationInformationUnavailable,
            log: [workerEnded]),
        HookCase(
            "worker sends nonsense", [.send([1, 2, 3])], .authenticationInformationUnavailable,
            log: ["ERROR the worker sent nonsense"]),
        HookCase(
            "no worker", nil, .authenticationInformationUnavailable,
            log: ["ERROR \(signInFailure)internal_fault: the worker cannot be started"]),

        HookCase(
            "tokens of somebody else", [.ask(.password), .signedIn(as: "bob")], .permissionDenied,
            log: ["ERROR \(signInFailure)\(tokensOfAnother)"]),
        HookCase(
            "tokens of a name that differs in case", [.ask(.password), .signedIn(as: "Alice")], .permissionDenied,
            log: ["ERROR \(signInFailure)\(tokensOfAnother)"]),
        HookCase(
            "tokens of a longer name", [.ask(.password), .signedIn(as: "alice\0")], .permissionDenied,
            log: ["ERROR \(signInFailure)\(tokensOfAnother)"]),
        HookCase(
            "none of the groups", [.ask(.password), .signedIn(groups: ["Staff", "staff ", "admin", "*"])],
            .permissionDenied, log: ["NOTICE \(signInFailure)\(inNoGroup)"]),
        HookCase(
            "a denied group weighs more than an allowed one",
            [.ask(.password), .signedIn(groups: ["staff", "temps"])],
            configuration: "denied_groups = guests temps", .permissionDenied,
            log: [
                """
                NOTICE \(signInFailure)group: Cognito accepted this user, but denied_groups contains this user's \
                group 'temps'
                """
            ]),
        HookCase(
            "no groups at all", [.ask(.password), .signedIn(groups: [])], .permissionDenied,
            log: ["NOTICE \(signInFailure)\(inNoGroup)"]),
        HookCase(
            "the client went away", [.ask(.password), .signedIn()],
            prepare: { world in world.host.onQuestion = { [machine = world.machine] in machine.parentProcess = 1 } },
            .abort,
            log: [
                """
                NOTICE the client of 'alice' disconnected during the sign-in. The new tokens are revoked
                """
            ]
        ),
        HookCase(
            "tokens too large for a key",
            [.ask(.password), .signedIn(bundle: [UInt8](repeating: 0x61, count: 32_767))],
            .authenticationInformationUnavailable,
            log: [
                """
                ERROR the tokens of 'alice' are too large for a kernel key (32767 bytes) and are revoked. \
                Configure the pool to put fewer groups or claims into the tokens
                """
            ]),
        HookCase(
            "registry full", [.ask(.password), .signedIn()],
            prepare: { world in world.machine.registerError = .diskQuotaExceeded },
            .credentialsUnavailable,
            log: [
                "ERROR the tokens of 'alice' cannot be kept in the kernel (errno 122) and are revoked; \(quotaIsFull)"
            ],
            shown: ["This machine cannot open another session. Try again later, or tell the administrator."]),
        HookCase(
            "somebody has the person's lock", [.ask(.password), .signedIn()],
            prepare: { world in world.machine.isCounting = true },
            .credentialsUnavailable,
            log: [
                "NOTICE \(signInFailure)busy: Cognito accepted this user, but another sign-in by this user, or a "
                    + "cleanup after a crash, has locked the registry for too long. The new tokens are revoked"
            ],
            shown: ["Another of your sign-ins on this machine is unfinished. Try again in a minute."]),
        HookCase(
            "a program has the person's lock", [.ask(.password), .signedIn()],
            prepare: { world in
                world.machine.isCounting = true
                world.machine.holder = "process=7 uid=8 program='su'"
            },
            .credentialsUnavailable,
            log: [
                "NOTICE \(signInFailure)busy: Cognito accepted this user, but another program has locked the registry "
                    + "(process=7 uid=8 program='su'). To end the program, run 'cognito-session sessions --end USER'. "
                    + "The new tokens are revoked"
            ],
            shown: ["Another of your sign-ins on this machine is unfinished. Try again in a minute."]),
        HookCase(
            "a refusal that the worker made while the person was typing is not lost",
            [.ask(.visible, "Code: "), .failed(.refused)],
            prepare: { world in
                world.host.answers = [.success(Secrets.code)]
                world.machine.deafAfter = 1
            }, .authenticationError, log: ["NOTICE \(signInFailure)refused: told by Cognito"]),
        HookCase(
            "a worker that cannot be told what is wanted", [.silence],
            prepare: { world in world.machine.deafAfter = 0 }, .authenticationInformationUnavailable,
            log: ["ERROR the worker is gone"]),
        HookCase(
            "PAM keeps no data", [.ask(.password), .signedIn()],
            prepare: { world in world.host.keepError = .systemError }, .systemError),
        HookCase(
            "PAM keeps no variable", [.ask(.password), .signedIn()],
            prepare: { world in world.host.setVariableError = .systemError }, .systemError),

        HookCase(
            "broken configuration", nil, prepare: { world in world.machine.configuration = [0x61] },
            .credentialsUnavailable,
            log: [
                """
                ERROR \(signInFailure)configuration: /etc/security/pam_cognito.conf:1: the line has no '='. Write: key \
                = value
                """
            ],
            shown: [settingsAreWrong]),
        HookCase(
            "other configuration file", nil, prepare: { world in world.arguments = ["config=/a", "config=/b"] },
            .credentialsUnavailable, log: ["ERROR \(signInFailure)configuration: /b: does not exist"],
            shown: [settingsAreWrong]),
        HookCase(
            "bad module argument", nil, prepare: { world in world.arguments = ["try_first_pass", "debug"] },
            .authenticationInformationUnavailable,
            log: [
                "ERROR \(signInFailure)configuration: in this service's pam_cognito.so lines: unknown module argument "
                    + "'debug' in "
                    + "the PAM stack; see pam_cognito(8)"
            ]),
        HookCase(
            "client secret cannot be read", [], configuration: "client_secret_file = /s",
            prepare: { world in world.machine.clientSecretFault = noSecret }, .authenticationInformationUnavailable,
            log: ["ERROR \(signInFailure)configuration: /s: client_secret_file does not exist"]),
        HookCase(
            "key set cannot be read", [], configuration: "key_set_file = /k", .authenticationInformationUnavailable,
            log: ["ERROR \(signInFailure)configuration: /k: key_set_file does not exist"]),
        HookCase(
            "client secret cannot be read, and no other password counts", [],
            configuration: "local_password = never\nclient_secret_file = /s",
            prepare: { world in world.machine.clientSecretFault = noSecret }, .credentialsUnavailable,
            log: ["ERROR \(signInFailure)configuration: /s: client_secret_file does not exist"],
            shown: [settingsAreWrong]),
        HookCase(
            "the settings do not fit the pool, and no other password counts",
            [.ask(.password), .failed(.configuration)], configuration: "local_password = never",
            .credentialsUnavailable, log: ["ERROR \(signInFailure)configuration: told by Cognito"],
            shown: [settingsAreWrong]),
        HookCase(
            "accounts cannot be looked up", nil,
            prepare: { world in world.machine.accountsFault = Fault("accounts cannot be looked up") },
            .authenticationInformationUnavailable,
            log: ["ERROR \(signInFailure)internal_fault: accounts cannot be looked up"]),
        HookCase(
            "host without root's rights, and no agent", [.ask(.password), .signedIn()],
            prepare: { world in world.machine.effectiveUserID = 5001 },
            .credentialsUnavailable,
            log: [
                "ERROR sshd runs without root privileges and needs cognito-agent, which is not listening. "
                    + "Users of managed accounts cannot sign in to this service until root enables the agent: "
                    + "systemctl enable --now "
                    + "pam-cognito-agent.socket"
            ],
            shown: [cannotBeChecked]),
    ]
    + outOfTurn.map { name, script in
        HookCase("out of turn: \(name)", script, .authenticationInformationUnavailable, log: [outOfSequence])
    }

private let noSecret = Fault("/s: client_secret_file does not exist", .configuration)

/// Messages that must not come in a sign-in, or not now.
private let outOfTurn: [(String, [Act])] = [
    ("renewed", [.renewed()]),
    ("signedOut", [.signedOut()]),
    ("answer", [.send(packet(.answer, [(.answer, [0x61])]))]),
    ("registered", [.send(packet(.registered, []))]),
    ("a step", [.send(packet(.signOut, stepFields + [(.bundle, [0x7b]), (.revocation, [1])]))]),
    ("too many questions", [Act](repeating: .ask(.password), count: 41) + [.signedIn()]),
    ("too much to keep", [Act](repeating: .keep("{}"), count: Exchange.mostKept + 1) + [.signedIn()]),
]

private let stepFields: [(Field, [UInt8])] = [
    (.userPoolID, [0x61]), (.clientID, [0x61]), (.timeLimit, [0, 0, 0, 0, 0, 0, 0, 1]),
    (.connectTimeLimit, [0, 0, 0, 0, 0, 0, 0, 1]),
]

extension World {
    /// Expects that a sign-in has left nothing behind, and that the hooks that follow find nothing.
    func expectNothingLeft() {
        #expect(machine.registry.entries.isEmpty)
        #expect(host.variables.isEmpty)
        #expect(host.kept == nil)
        // Without this message the worker revokes what it has.
        #expect(machine.workers.allSatisfy { worker in !worker.kinds.contains(.registered) })
        #expect(checkAccount() == .ignore)
        #expect(setCredentials() == .success)
        #expect(openSession() == .success)
        #expect(closeSession() == .success)
        #expect(machine.tokenKeys.isEmpty)
    }
}

@Suite struct RefusedSignInTests {
    @Test("who is not let in leaves nothing behind, and the log says why", arguments: refused)
    func refusals(attempt: HookCase) {
        let world = World()
        attempt.setUp(world)
        #expect(world.authenticate() == attempt.expected)
        #expect(world.host.takeLog() == attempt.log)
        #expect(world.host.shown == attempt.shown)
        world.expectNothingLeft()
    }

    @Test(
        """
        only a worker past its time is killed; one that may have tokens, heard or not, let in or not, is left to \
        revoke them
        """,
        arguments: [
            ([.ask(.password), .silence], true), ([.send([9])], false), ([.signedOut()], false), ([.end], false),
            ([.deafness], false), ([.ask(.password), .deafness], false), ([.ask(.password), .send([9])], false),
            ([.ask(.password), .signedIn(as: "bob")], false), ([.ask(.password), .signedIn(groups: [])], false),
            ([.ask(.password), .failed(.refused)], false), ([.ask(.password), .signedIn()], false),
        ] as [([Act], Bool)]
    )
    func killed(script: [Act], expected: Bool) {
        let world = World(scripts: script)
        _ = world.authenticate()
        #expect(world.machine.workers.map(\.wasKilled) == [expected])
    }

    @Test("a password that cannot be right never reaches the worker", arguments: Password.all)
    private func passwords(password: Password) {
        let world = World(scripts: [.ask(.password), .failed(.refused)])
        world.host.typedPassword = .success(password.bytes)
        #expect(world.authenticate() == .authenticationError)
        #expect((world.machine.workers.first?.kinds == [.signIn, .answer]) == password.reachesWorker)
        let standIn =
            """
            NOTICE sshd sent an invalid password instead of the user's password, because sshd does not admit this \
            account. Cognito was not contacted. See AllowUsers, DenyUsers and the account's shell
            """
        let noPassword =
            "NOTICE \(signInFailure)no_answer: the password is empty or longer than Cognito allows, and was not sent"
        #expect(
            world.host.takeLog() == [
                password.isStandIn
                    ? standIn : password.reachesWorker ? "NOTICE \(signInFailure)refused: told by Cognito" : noPassword
            ])
        world.expectNothingLeft()
    }

    @Test("a worker that cannot be given the answer is not waited for")
    func answerThatCannotBeSent() {
        let world = World(scripts: [.ask(.password), .silence])
        world.machine.deafAfter = 1
        let begin = world.machine.now.milliseconds
        #expect(world.authenticate() == .authenticationInformationUnavailable)
        #expect(world.host.takeLog() == ["ERROR the worker is gone"])
        #expect(world.machine.now.milliseconds == begin && world.machine.workers[0].wasKilled)
        world.expectNothingLeft()
    }
}

/// A typed password, and its result.
private struct Password: CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
    var reachesWorker = false
    var isStandIn = false

    private static let standIn: [UInt8] = [0x08, 0x0a, 0x0d, 0x7f] + Array("INCORRECT".utf8)

    private static func text(_ name: String, _ text: String, reachesWorker: Bool) -> Password {
        Password(testDescription: name, bytes: Array(text.utf8), reachesWorker: reachesWorker)
    }

    static let all: [Password] =
        [
            text("empty", "", reachesWorker: false),
            text("one character", "a", reachesWorker: true),
            text("a blank", " ", reachesWorker: true),
            text("256 characters", String(repeating: "a", count: 256), reachesWorker: true),
            text("257 characters", String(repeating: "a", count: 257), reachesWorker: false),
            text("256 characters of 2 bytes", String(repeating: "é", count: 256), reachesWorker: true),
            text("257 characters of 2 bytes", String(repeating: "é", count: 257), reachesWorker: false),
            text("256 characters of 4 bytes", String(repeating: "\u{1f511}", count: 256), reachesWorker: true),
            text("257 characters of 4 bytes", String(repeating: "\u{1f511}", count: 257), reachesWorker: false),
            Password(
                testDescription: "no characters, only continuations", bytes: [UInt8](repeating: 0x80, count: 1025)),
            text("the word itself", "INCORRECT", reachesWorker: true),
            text("newline first", "\n\u{8}", reachesWorker: true),
            text("backspace, then text", "\u{8}a", reachesWorker: true),
        ]
        + (1...40).map { length in
            // auth-pam.c repeats the text when the password was longer.
            let bytes = (0..<length).map { index in standIn[index % standIn.count] }
            return Password(testDescription: "sshd's stand-in, \(length) bytes", bytes: bytes, isStandIn: true)
        }
}
