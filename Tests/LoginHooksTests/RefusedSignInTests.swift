import Base
import Configuration
import Keyring
import Protocol
import Sessions
import Testing

@testable import Fakes

/// One attempt to sign in and everything that comes of it.
private struct Attempt: CustomTestStringConvertible, Sendable {
    let name: String
    /// The worker's script; nil: none can be started.
    var script: [Act]?
    var configuration = ""
    var prepare: @Sendable (World) -> Void = { _ in }
    let expected: ReturnValue
    var log: [String] = []
    var shown: [String] = []

    var testDescription: String { name }
}

private let failure = "authentication failure; user='alice' session=0 service='sshd' rhost='203.0.113.7' reason="
private let ended = "ERROR the worker ended without a result"

/// Attempts that end before there are tokens, or whose tokens are not let in. None may leave anything behind.
private let refused: [Attempt] =
    FailureReason.allCases.map { reason in
        let value = ReturnValue(reason.refusal)
        let severity = value == .authenticationInformationUnavailable ? "ERROR" : "NOTICE"
        return Attempt(
            name: "worker says \(reason.name)",
            script: [.ask(.password), .failed(reason, text: "For the person.")],
            expected: value,
            log: ["\(severity) \(failure)\(reason.name): told by Cognito"],
            shown: ["For the person."]
        )
    } + [
        Attempt(
            name: "a reason of a later version", script: [.failed(code: 200)],
            expected: .permissionDenied, log: ["NOTICE \(failure)unknown: told by Cognito"]),
        Attempt(
            name: "control characters in the worker's line", script: [.failed(.refused, log: "a\nb\u{1b}[2Jé%s")],
            expected: .authenticationError, log: ["NOTICE \(failure)refused: a?b?[2J??%s"]),
        Attempt(
            name: "no answer in time", script: [.ask(.password), .silence],
            expected: .authenticationInformationUnavailable,
            log: [
                "ERROR \(failure)unreachable: Cognito did not answer within network_timeout. Check the "
                    + "network, then run: "
                    + "curl -sS https://HOST"
            ]),
        Attempt(
            name: "each message in time, but too late together",
            script: [.wait(8000), .ask(.password), .wait(9499), .ask(.password), .wait(2), .signedIn()],
            expected: .authenticationInformationUnavailable,
            log: [
                "ERROR \(failure)unreachable: Cognito did not answer within network_timeout. Check the "
                    + "network, then run: "
                    + "curl -sS https://HOST"
            ]),
        Attempt(name: "worker ends at once", script: [], expected: .authenticationInformationUnavailable, log: [ended]),
        Attempt(
            name: "worker ends after the password", script: [.ask(.password), .end],
            expected: .authenticationInformationUnavailable, log: [ended]),
        Attempt(
            name: "worker sends nonsense", script: [.send([1, 2, 3])], expected: .authenticationInformationUnavailable,
            log: ["ERROR the worker sent nonsense"]),
        Attempt(
            name: "no worker", script: nil, expected: .authenticationInformationUnavailable,
            log: ["ERROR \(unanswered)internal_fault: the worker cannot be started"]),

        Attempt(
            name: "tokens of somebody else", script: [.ask(.password), .signedIn(as: "bob")],
            expected: .permissionDenied,
            log: ["ERROR \(failure)other_identity: the tokens belong to another user; the sign-in was refused"]),
        Attempt(
            name: "tokens of a name that differs in case", script: [.ask(.password), .signedIn(as: "Alice")],
            expected: .permissionDenied,
            log: ["ERROR \(failure)other_identity: the tokens belong to another user; the sign-in was refused"]),
        Attempt(
            name: "tokens of a longer name", script: [.ask(.password), .signedIn(as: "alice\0")],
            expected: .permissionDenied,
            log: ["ERROR \(failure)other_identity: the tokens belong to another user; the sign-in was refused"]),
        Attempt(
            name: "none of the groups",
            script: [.ask(.password), .signedIn(groups: ["Staff", "staff ", "admin", "*"])],
            expected: .permissionDenied,
            log: [
                """
                NOTICE \(failure)group: Cognito accepted this user, but allowed_groups contains none of this \
                user's Cognito groups
                """
            ]),
        Attempt(
            name: "a denied group weighs more than an allowed one",
            script: [.ask(.password), .signedIn(groups: ["staff", "temps"])],
            configuration: "denied_groups = guests temps", expected: .permissionDenied,
            log: [
                """
                NOTICE \(failure)group: Cognito accepted this user, but denied_groups contains this user's \
                group 'temps'
                """
            ]),
        Attempt(
            name: "no groups at all", script: [.ask(.password), .signedIn(groups: [])], expected: .permissionDenied,
            log: [
                """
                NOTICE \(failure)group: Cognito accepted this user, but allowed_groups contains none of this \
                user's Cognito groups
                """
            ]),
        Attempt(
            name: "the client went away", script: [.ask(.password), .signedIn()],
            prepare: { world in world.host.onQuestion = { [machine = world.machine] in machine.parentProcess = 1 } },
            expected: .abort,
            log: [
                """
                NOTICE the client of 'alice' disconnected during the sign-in. The new tokens are revoked
                """
            ]
        ),
        Attempt(
            name: "tokens too large for a key",
            script: [.ask(.password), .signedIn(bundle: [UInt8](repeating: 0x61, count: 32_767))],
            expected: .authenticationInformationUnavailable,
            log: [
                """
                ERROR the tokens of 'alice' are too large for a kernel key (32767 bytes) and are revoked. \
                Configure the pool to put fewer groups or claims into the tokens
                """
            ]),
        Attempt(
            name: "registry full", script: [.ask(.password), .signedIn()],
            prepare: { world in world.machine.registerError = .diskQuotaExceeded },
            expected: .credentialsUnavailable,
            log: [
                "ERROR the tokens of 'alice' cannot be kept in the kernel (errno 122) and are revoked; "
                    + "root's key quota is full: compare /proc/key-users with kernel.keys.root_maxkeys and "
                    + "kernel.keys.root_maxbytes"
            ],
            shown: ["This machine cannot open another session. Try again later, or tell the administrator."]),
        Attempt(
            name: "somebody has the person's lock", script: [.ask(.password), .signedIn()],
            prepare: { world in world.machine.isCounting = true },
            expected: .credentialsUnavailable,
            log: [
                "NOTICE authentication failure; user='alice' session=0 service='sshd' rhost='203.0.113.7' "
                    + "reason=busy: Cognito accepted this user, but another sign-in by this user, or a cleanup "
                    + "after a crash, has locked the registry for too long. The new tokens are revoked"
            ],
            shown: ["Another of your sign-ins on this machine is unfinished. Try again in a minute."]),
        Attempt(
            name: "a program has the person's lock", script: [.ask(.password), .signedIn()],
            prepare: { world in
                world.machine.isCounting = true
                world.machine.holder = "process=7 uid=8 program='su'"
            },
            expected: .credentialsUnavailable,
            log: [
                "NOTICE authentication failure; user='alice' session=0 service='sshd' rhost='203.0.113.7' "
                    + "reason=busy: Cognito accepted this user, but another program has locked the registry (process=7 "
                    + "uid=8 program='su'). To end the program, run 'cognito-session sessions --end USER'. The "
                    + "new tokens are revoked"
            ],
            shown: ["Another of your sign-ins on this machine is unfinished. Try again in a minute."]),
        Attempt(
            name: "PAM keeps no data", script: [.ask(.password), .signedIn()],
            prepare: { world in world.host.keepError = .systemError }, expected: .systemError),
        Attempt(
            name: "PAM keeps no variable", script: [.ask(.password), .signedIn()],
            prepare: { world in world.host.setVariableError = .systemError }, expected: .systemError),

        Attempt(
            name: "broken configuration", prepare: { world in world.machine.configuration = [0x61] },
            expected: .credentialsUnavailable,
            log: [
                """
                ERROR \(unanswered)configuration: /etc/security/pam_cognito.conf:1: the line has no '='. Write: key = \
                value
                """
            ],
            shown: [settingsAreWrong]),
        Attempt(
            name: "other configuration file", prepare: { world in world.arguments = ["config=/a", "config=/b"] },
            expected: .credentialsUnavailable, log: ["ERROR \(unanswered)configuration: /b: does not exist"],
            shown: [settingsAreWrong]),
        Attempt(
            name: "bad module argument", prepare: { world in world.arguments = ["try_first_pass", "debug"] },
            expected: .authenticationInformationUnavailable,
            log: [
                "ERROR \(unanswered)configuration: in this service's pam_cognito.so lines: unknown module argument "
                    + "'debug' in "
                    + "the PAM stack; see pam_cognito(8)"
            ]),
        Attempt(
            name: "client secret cannot be read", script: [], configuration: "client_secret_file = /s",
            prepare: { world in world.machine.clientSecretFault = noSecret },
            expected: .authenticationInformationUnavailable,
            log: ["ERROR \(unanswered)configuration: /s: client_secret_file does not exist"]),
        Attempt(
            name: "key set cannot be read", script: [], configuration: "key_set_file = /k",
            expected: .authenticationInformationUnavailable,
            log: ["ERROR \(unanswered)configuration: /k: key_set_file does not exist"]),
        Attempt(
            name: "client secret cannot be read, and no other password counts", script: [],
            configuration: "local_password = never\nclient_secret_file = /s",
            prepare: { world in world.machine.clientSecretFault = noSecret },
            expected: .credentialsUnavailable,
            log: ["ERROR \(unanswered)configuration: /s: client_secret_file does not exist"],
            shown: [settingsAreWrong]),
        Attempt(
            name: "the settings do not fit the pool, and no other password counts",
            script: [.ask(.password), .failed(.configuration)], configuration: "local_password = never",
            expected: .credentialsUnavailable, log: ["ERROR \(unanswered)configuration: told by Cognito"],
            shown: [settingsAreWrong]),
        Attempt(
            name: "accounts cannot be looked up",
            prepare: { world in world.machine.accountsFault = Fault("accounts cannot be looked up") },
            expected: .authenticationInformationUnavailable,
            log: ["ERROR \(unanswered)internal_fault: accounts cannot be looked up"]),
        Attempt(
            name: "host without root's rights, and no agent", script: [.ask(.password), .signedIn()],
            prepare: { world in world.machine.effectiveUserID = 5001 },
            expected: .credentialsUnavailable,
            log: [
                "ERROR sshd runs without root privileges and needs cognito-agent, which is not listening. "
                    + "Users of managed accounts cannot sign in to this service until root enables the agent: "
                    + "systemctl enable --now "
                    + "pam-cognito-agent.socket"
            ],
            shown: [cannotBeChecked]),
    ]

/// The beginning of the line if nothing about the user is known.
private let unanswered =
    "authentication failure; user='alice' session=0 service='sshd' rhost='203.0.113.7' reason="
private let noSecret = Fault("/s: client_secret_file does not exist", .configuration)

/// Messages that must not come in a sign-in, or not now.
private let outOfTurn: [(String, [Act])] = [
    (
        "renewed",
        [
            .send(
                packet(
                    .renewed,
                    [
                        (.userName, [0x61]), (.subject, [0x61]), (.bundle, [0x7b]),
                        (.accessTokenExpiry, [0, 0, 0, 0, 0, 0, 0, 1]),
                    ]))
        ]
    ),
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
    private func refusals(attempt: Attempt) {
        let world = World()
        world.machine.configuration = FakeMachine.configuration(attempt.configuration)
        world.machine.scripts = attempt.script.map { script in [script] } ?? []
        attempt.prepare(world)
        #expect(world.authenticate() == attempt.expected)
        #expect(world.host.takeLog() == attempt.log)
        #expect(world.host.shown == attempt.shown)
        world.expectNothingLeft()
    }

    @Test("a message out of turn ends the sign-in", arguments: outOfTurn)
    private func messagesOutOfTurn(name: String, script: [Act]) {
        let world = World()
        world.machine.scripts = [script]
        #expect(world.authenticate() == .authenticationInformationUnavailable)
        #expect(
            world.host.takeLog() == [
                """
                ERROR the worker sent a message out of sequence. Reinstall pam-cognito so that the versions of \
                its components match
                """
            ])
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
        let world = World()
        world.machine.scripts = [script]
        _ = world.authenticate()
        #expect(world.machine.workers.map(\.wasKilled) == [expected])
    }

    @Test("a password that cannot be right never reaches the worker", arguments: Password.all)
    private func passwords(password: Password) {
        let world = World()
        world.machine.scripts = [[.ask(.password), .failed(.refused)]]
        world.host.typedPassword = .success(password.bytes)
        #expect(world.authenticate() == .authenticationError)
        #expect((world.machine.workers.first?.kinds == [.signIn, .answer]) == password.reachesWorker)
        let standIn =
            """
            NOTICE sshd sent an invalid password instead of the user's, because sshd does not admit this account. \
            Cognito was not contacted. See AllowUsers, DenyUsers and the account's shell
            """
        let noPassword =
            "NOTICE \(failure)no_answer: the password is empty or longer than Cognito allows, and was not sent"
        #expect(
            world.host.takeLog() == [
                password.isStandIn
                    ? standIn : password.reachesWorker ? "NOTICE \(failure)refused: told by Cognito" : noPassword
            ])
        world.expectNothingLeft()
    }

    @Test("a refusal that the worker made while the person was typing is not lost")
    func refusedMeanwhile() {
        let world = World()
        world.machine.scripts = [[.ask(.visible, "Code: "), .failed(.refused)]]
        world.host.answers = [.success(Secrets.code)]
        world.machine.deafAfter = 1
        #expect(world.authenticate() == .authenticationError)
        #expect(world.host.takeLog() == ["NOTICE \(failure)refused: told by Cognito"])
    }

    @Test("a worker that cannot be told what is wanted is a fault, and in the log")
    func deafWorker() {
        let world = World()
        world.machine.scripts = [[.silence]]
        world.machine.deafAfter = 0
        #expect(world.authenticate() == .authenticationInformationUnavailable)
        #expect(world.host.takeLog() == ["ERROR the worker is gone"])
        world.expectNothingLeft()
    }

    @Test("a worker that cannot be given the answer is not waited for")
    func answerThatCannotBeSent() {
        let world = World()
        world.machine.scripts = [[.ask(.password), .silence]]
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
