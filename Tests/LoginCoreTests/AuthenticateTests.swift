import ByteText
import Configuration
import KernelKeyring
import LinuxProcess
import LoginCore
import SecretMemory
import Testing
import WorkerProtocol

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
        let value = reason.returnValue
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
                "ERROR \(failure)unreachable: Cognito did not answer within network_timeout; check the network, then: "
                    + "curl -sS https://HOST"
            ]),
        Attempt(
            name: "each message in time, but too late together",
            script: [.wait(8000), .ask(.password), .wait(7999), .ask(.password), .wait(2), .signedIn()],
            expected: .authenticationInformationUnavailable,
            log: [
                "ERROR \(failure)unreachable: Cognito did not answer within network_timeout; check the network, then: "
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
            log: ["ERROR the worker cannot be started"]),

        Attempt(
            name: "tokens of somebody else", script: [.ask(.password), .signedIn(as: "bob")],
            expected: .permissionDenied,
            log: ["ERROR \(failure)other_identity: the tokens are another person's; nobody was let in"]),
        Attempt(
            name: "tokens of a name that differs in case", script: [.ask(.password), .signedIn(as: "Alice")],
            expected: .permissionDenied,
            log: ["ERROR \(failure)other_identity: the tokens are another person's; nobody was let in"]),
        Attempt(
            name: "tokens of a longer name", script: [.ask(.password), .signedIn(as: "alice\0")],
            expected: .permissionDenied,
            log: ["ERROR \(failure)other_identity: the tokens are another person's; nobody was let in"]),
        Attempt(
            name: "none of the groups",
            script: [.ask(.password), .signedIn(groups: ["Staff", "staff ", "admin", "*"])],
            expected: .permissionDenied,
            log: [
                "NOTICE \(failure)group: Cognito accepted this person, but allowed_groups names none of this person's Cognito groups"
            ]),
        Attempt(
            name: "a denied group weighs more than an allowed one",
            script: [.ask(.password), .signedIn(groups: ["staff", "temps"])],
            configuration: "denied_groups = guests temps", expected: .permissionDenied,
            log: [
                "NOTICE \(failure)group: Cognito accepted this person, but denied_groups names 'temps', which this person is in"
            ]),
        Attempt(
            name: "no groups at all", script: [.ask(.password), .signedIn(groups: [])], expected: .permissionDenied,
            log: [
                "NOTICE \(failure)group: Cognito accepted this person, but allowed_groups names none of this person's Cognito groups"
            ]),
        Attempt(
            name: "the client went away", script: [.ask(.password), .signedIn()],
            prepare: { world in world.host.onQuestion = { [machine = world.machine] in machine.parentProcess = 1 } },
            expected: .abort, log: ["NOTICE the client of 'alice' went away during sign-in; the new tokens are revoked"]
        ),
        Attempt(
            name: "tokens too large for a key",
            script: [.ask(.password), .signedIn(bundle: [UInt8](repeating: 0x61, count: 32_767))],
            expected: .authenticationInformationUnavailable,
            log: [
                "ERROR the tokens of 'alice' do not fit into a kernel key (32767 bytes) and are revoked; "
                    + "let the pool put fewer groups or claims into them"
            ]),
        Attempt(
            name: "registry full", script: [.ask(.password), .signedIn()],
            prepare: { world in world.machine.registerError = ErrorNumber(122) },
            expected: .authenticationInformationUnavailable,
            log: [
                "ERROR the tokens of 'alice' cannot be kept in the kernel (errno 122) and are revoked; "
                    + "see /proc/key-users and kernel.keys.root_maxkeys"
            ]),
        Attempt(
            name: "PAM keeps no data", script: [.ask(.password), .signedIn()],
            prepare: { world in world.host.keepError = .systemError }, expected: .systemError),
        Attempt(
            name: "PAM keeps no variable", script: [.ask(.password), .signedIn()],
            prepare: { world in world.host.setVariableError = .systemError }, expected: .systemError),
        Attempt(
            name: "PAM fails and says success", script: [.ask(.password), .signedIn()],
            prepare: { world in world.host.keepError = .success }, expected: .systemError),

        Attempt(
            name: "broken configuration", prepare: { world in world.machine.configuration = [0x61] },
            expected: .authenticationInformationUnavailable,
            log: ["ERROR /etc/security/pam_cognito.conf:1: the line has no '='; write: key = value"]),
        Attempt(
            name: "other configuration file", prepare: { world in world.arguments = ["config=/a", "config=/b"] },
            expected: .authenticationInformationUnavailable, log: ["ERROR /b: does not exist"]),
        Attempt(
            name: "bad module argument", prepare: { world in world.arguments = ["try_first_pass", "debug"] },
            expected: .authenticationInformationUnavailable,
            log: [
                "ERROR /etc/security/pam_cognito.conf: unknown module argument 'debug' in the PAM stack; see pam_cognito(8)"
            ]),
        Attempt(
            name: "client secret cannot be read", configuration: "client_secret_file = /s",
            prepare: { world in world.machine.clientSecretFault = Fault("/s: client_secret_file does not exist") },
            expected: .authenticationInformationUnavailable, log: ["ERROR /s: client_secret_file does not exist"]),
        Attempt(
            name: "accounts cannot be looked up",
            prepare: { world in world.machine.accountsFault = Fault("accounts cannot be looked up") },
            expected: .authenticationInformationUnavailable, log: ["ERROR accounts cannot be looked up"]),
        Attempt(
            name: "host without root's rights, and no agent", script: [.ask(.password), .signedIn()],
            prepare: { world in world.machine.effectiveUserID = 5001 },
            expected: .authenticationInformationUnavailable,
            log: [
                "ERROR sshd runs without root's rights and needs cognito-agent, which does not listen; Cognito accounts "
                    + "cannot unlock with it until root enables it: systemctl enable --now pam-cognito-agent.socket"
            ]),
    ]

/// Messages that must not come in a sign-in, or not now.
private let outOfTurn: [(String, [Act])] = [
    (
        "renewed",
        [
            .send(
                packet(
                    .renewed, [(.userName, [0x61]), (.bundle, [0x7b]), (.accessTokenExpiry, [0, 0, 0, 0, 0, 0, 0, 1])]))
        ]
    ),
    ("signedOut", [.signedOut()]),
    ("answer", [.send(packet(.answer, [(.answer, [0x61])]))]),
    ("registered", [.send(packet(.registered, []))]),
    ("a step", [.send(packet(.signOut, stepFields + [(.bundle, [0x7b]), (.revocation, [1])]))]),
    ("too many questions", [Act](repeating: .ask(.password), count: 41) + [.signedIn()]),
    ("too much to keep", [Act](repeating: .keep("{}"), count: 5) + [.signedIn()]),
]

private let stepFields: [(Field, [UInt8])] = [
    (.userPoolID, [0x61]), (.clientID, [0x61]), (.timeLimit, [0, 0, 0, 0, 0, 0, 0, 1]),
    (.connectTimeLimit, [0, 0, 0, 0, 0, 0, 0, 1]),
]

@Suite struct AuthenticateTests {
    @Test("who is not let in leaves nothing behind, and the log says why", arguments: refused)
    private func refusals(attempt: Attempt) {
        let world = World()
        world.machine.configuration = FakeMachine.configuration(attempt.configuration)
        world.machine.scripts = attempt.script.map { script in [script] } ?? []
        attempt.prepare(world)
        #expect(world.authenticate() == attempt.expected)
        #expect(world.host.takeLog() == attempt.log)
        #expect(world.host.shown == attempt.shown)
        expectNothingLeft(world)
    }

    private func expectNothingLeft(_ world: World) {
        #expect(world.machine.registry.entries.isEmpty)
        #expect(world.host.variables.isEmpty)
        #expect(world.host.kept == nil)
        // Without this message the worker revokes what it has.
        #expect(world.machine.workers.allSatisfy { worker in !worker.kinds.contains(.registered) })
        #expect(world.checkAccount() == .ignore)
        #expect(world.setCredentials() == .success)
        #expect(world.openSession() == .success)
        #expect(world.closeSession() == .success)
        #expect(world.machine.tokenKeys.isEmpty)
    }

    @Test("a message out of turn ends the sign-in", arguments: outOfTurn)
    private func messagesOutOfTurn(name: String, script: [Act]) {
        let world = World()
        world.machine.scripts = [script]
        #expect(world.authenticate() == .authenticationInformationUnavailable)
        #expect(
            world.host.takeLog() == [
                "ERROR the worker sent a message out of turn; reinstall pam-cognito so that its parts fit together"
            ])
        expectNothingLeft(world)
    }

    @Test(
        "a worker past its time or without sense is killed; one with tokens that are not let in is left to revoke them",
        arguments: [
            ([.ask(.password), .silence], true), ([.send([9])], true), ([.signedOut()], true), ([.end], true),
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

    @Test("the right password signs in: registered, handed over, told to the worker, in this order")
    func success() throws {
        let world = World()
        world.machine.configuration = FakeMachine.configuration("client_secret_file = /s\nsign_out = session")
        world.machine.scripts = [
            [
                .keep("{\"keys\":[]}"), .ask(.password),
                .signedIn(sessionBundle: Array(Secrets.sessionBundle.utf8)),
            ]
        ]
        #expect(world.authenticate() == .success)
        #expect(
            world.host.takeLog() == [
                "INFO signed in; user='alice' session=1001 service='sshd' rhost='203.0.113.7' pool=eu-west-1_AbCdEf123 allowed_groups='staff'"
            ])
        #expect(world.host.questions == ["password"])

        let worker = try #require(world.machine.workers.first)
        #expect(world.machine.workers.count == 1)
        #expect(worker.kinds == [.signIn, .answer, .registered])
        #expect(worker.field(.answer, of: 1) == Array(Secrets.password.utf8))
        let request: [(Field, String)] = [
            (.userPoolID, "eu-west-1_AbCdEf123"), (.clientID, "1example23456789"),
            (.clientSecret, Secrets.clientSecret),
            (.userName, "alice"), (.loginName, "alice"), (.identityRule, "\u{1}"), (.flow, "\u{1}"),
            (.preconnect, "\u{1}"), (.signOutMode, "session"), (.withholdRefreshToken, "\u{0}"),
            (.timeLimit, "\0\0\0\0\0\0\u{3a}\u{98}"), (.connectTimeLimit, "\0\0\0\0\0\0\u{13}\u{88}"),
        ]
        for (field, value) in request where field != .timeLimit && field != .connectTimeLimit {
            #expect(worker.field(field) == Array(value.utf8), "\(field)")
        }
        #expect(worker.field(.timeLimit) == [0, 0, 0, 0, 0, 0, 0x3a, 0x98])
        #expect(worker.field(.connectTimeLimit) == [0, 0, 0, 0, 0, 0, 0x13, 0x88])
        #expect(worker.field(.endpoint) == nil)
        #expect(worker.field(.caFile) == nil)
        #expect(worker.field(.keySet) == nil)
        #expect(world.machine.keySets == ["eu-west-1_AbCdEf123": "{\"keys\":[]}"])

        let session = try #require(world.machine.registry.sessions.first)
        #expect(world.machine.registry.sessions.count == 1)
        #expect(session.state == .pending)
        #expect(session.user == "alice")
        #expect(session.service == "sshd")
        #expect(session.signOut == .session)
        #expect(!session.delivered)
        #expect(session.tokenKey == 0)
        #expect(session.expires == world.machine.time + 30 * 86_400)
        #expect(session.host == world.machine.process)
        #expect(session.bundle == Secrets.bundle)
        #expect(session.sessionBundle == Secrets.sessionBundle)
        #expect(world.machine.registry.entries.values.first?.seconds == 2_592_000)
        #expect(
            world.host.variables.map { name, value in "\(name)=\(text(value))" } == [
                "PAM_COGNITO_H=1001:pam-cognito:s:1001"
            ])
        #expect(world.checkAccount() == .success)
    }

    @Test("a person has 50 sessions at most; what has ended, and other people's, does not count", arguments: [49, 50])
    func tooManySessions(count: Int) {
        let world = World()
        world.machine.dead = [301]
        for _ in 0..<count {
            _ = Sample().add(to: world.machine)
        }
        for other in [Sample(user: "bob"), Sample(host: 301), Sample(state: .closing)] {
            _ = other.add(to: world.machine)
        }
        world.machine.scripts = [[.ask(.password), .signedIn()]]
        #expect(world.authenticate() == (count < 50 ? .success : .permissionDenied))
        let isRegistered = world.machine.workers.last?.kinds.last == .registered
        #expect(isRegistered == (count < 50))
        #expect(world.machine.registry.entries.count == count + 3 + (count < 50 ? 1 : 0))
        if count == 50 {
            #expect(world.host.variables.isEmpty)
            #expect(
                world.host.shown == [
                    "You have too many sessions on this machine. Log out of one of them, then sign in again."
                ])
            #expect(
                world.host.takeLog() == [
                    "NOTICE authentication failure; user='alice' session=0 service='sshd' rhost='203.0.113.7' reason=too_many_sessions: Cognito "
                        + "accepted this person, but they have 50 sessions here already"
                ])
        }
    }

    @Test("groups may be said for one service, and the log names the rule that let somebody in")
    func groupsOfAService() {
        for (arguments, rule) in [
            (["allowed_groups=*"], "allowed_groups=*"), (["allowed_groups=ops night"], "allowed_groups='ops'"),
            (["allowed_groups=ops", "denied_groups=staff"], nil),
        ] {
            let world = World()
            world.arguments = arguments
            world.machine.scripts = [[.ask(.password), .signedIn(groups: ["staff", "ops"])]]
            #expect(world.authenticate() == (rule == nil ? .permissionDenied : .success))
            let line = world.host.takeLog().last ?? ""
            #expect(rule.map(line.hasSuffix) ?? line.contains("denied_groups names 'staff'"))
        }
    }

    @Test("somebody who came without Cognito is none of our business, or stays out, as the administrator says")
    func keyLogin() {
        let world = World()
        #expect(world.checkAccount() == .ignore)
        world.machine.configuration = FakeMachine.configuration("key_logins = refuse")
        #expect(world.host.takeLog() == [])
        #expect(world.checkAccount() == .permissionDenied)
        #expect(world.host.takeLog().first?.contains("reason=key_login") == true)
        for name in ["root", "nobody-at-all"] {
            world.host.userName = .success(Array(name.utf8))
            #expect(world.checkAccount() == .ignore)
        }
        world.host.userName = .success(Array("alice".utf8))
        world.machine.configuration = Array("nonsense".utf8)
        #expect(world.checkAccount() == .ignore)
        #expect(World.signedIn("key_logins = refuse").checkAccount() == .success)
    }

    @Test("the configuration shapes what the worker is told")
    func request() throws {
        let world = World()
        world.machine.configuration = FakeMachine.configuration(
            """
            username_template = {user}@example.com
            auth_flow = password
            preconnect = no
            refresh_token = root
            endpoint = https://127.0.0.1:8443
            ca_file = /etc/ca.pem
            """)
        world.machine.keepKeySet([0x6b], ofPool: Array("eu-west-1_AbCdEf123".utf8))
        // The worker has compared the verified e-mail address; the name in the pool may be anything.
        world.machine.scripts = [[.ask(.password), .signedIn(as: "0f9a-some-sub")]]
        #expect(world.authenticate() == .success)
        let worker = try #require(world.machine.workers.first)
        #expect(worker.field(.userName) == Array("alice".utf8))
        #expect(worker.field(.loginName) == Array("alice@example.com".utf8))
        #expect(worker.field(.identityRule) == [IdentityRule.verifiedEmail.rawValue])
        #expect(worker.field(.flow) == [AuthenticationFlow.password.rawValue])
        #expect(worker.field(.preconnect) == [0])
        #expect(worker.field(.withholdRefreshToken) == [1])
        #expect(worker.field(.endpoint) == Array("https://127.0.0.1:8443".utf8))
        #expect(worker.field(.caFile) == Array("/etc/ca.pem".utf8))
        #expect(worker.field(.keySet) == [0x6b])
        #expect(worker.field(.clientSecret) == nil)
    }

    @Test("time in which the person is thinking does not count")
    func thinking() {
        let world = World()
        world.machine.scripts = [[.wait(7000), .ask(.password), .wait(8900), .signedIn()]]
        world.host.onQuestion = { [machine = world.machine] in machine.advance(3_600_000) }
        #expect(world.authenticate() == .success)
    }

    @Test("questions other than the password go through the conversation as they are")
    func questions() {
        let world = World()
        world.machine.scripts = [
            [.ask(.password), .ask(.visible, "Code: "), .ask(.hidden, "New password: "), .signedIn()]
        ]
        world.host.answers = [.success(Secrets.code), .success(Secrets.password)]
        #expect(world.authenticate() == .success)
        #expect(world.host.questions == ["password", "visible Code: ", "hidden New password: "])
        #expect(world.machine.workers.first?.field(.answer, of: 2) == Array(Secrets.code.utf8))
    }

    @Test(
        "a person or a conversation that fails is refused with PAM's own value, and never let in or passed on",
        arguments: [
            (.conversationError, .conversationError), (.authenticationTokenError, .authenticationTokenError),
            (.authenticationError, .authenticationError), (.systemError, .systemError), (.abort, .abort),
            (.tooManyTries, .tooManyTries),
            // A host's conversation may return anything, also together with no answer.
            (.success, .authenticationError), (.ignore, .authenticationError), (.userUnknown, .authenticationError),
            (.authenticationInformationUnavailable, .authenticationError),
        ] as [(ReturnValue, ReturnValue)]
    )
    func conversation(failure: ReturnValue, expected: ReturnValue) {
        for atPassword in [true, false] {
            let world = World()
            world.machine.scripts = [[.ask(.password), .ask(.visible, "Code: "), .signedIn()]]
            if atPassword {
                world.host.typedPassword = .failure(failure)
            } else {
                world.host.answers = [.failure(failure)]
            }
            #expect(world.authenticate() == expected)
            // A further question that a program cannot put is the administrator's to know.
            let lines = world.host.takeLog()
            #expect(lines.count == (atPassword ? 0 : 1))
            #expect(lines.allSatisfy { line in line.contains("reason=no_answer") })
            expectNothingLeft(world)
        }
    }

    @Test("without a name nobody is let in", arguments: [.conversationError, .success, .systemError] as [ReturnValue])
    func noName(failure: ReturnValue) {
        let world = World()
        world.host.userName = .failure(failure)
        world.machine.scripts = [[.ask(.password), .signedIn()]]
        #expect(world.authenticate() == (failure == .success ? .systemError : failure))
        #expect(world.machine.workers.isEmpty)
    }

    @Test("a password that cannot be right never reaches the worker", arguments: Password.all)
    private func passwords(password: Password) {
        let world = World()
        world.machine.scripts = [[.ask(.password), .failed(.refused)]]
        world.host.typedPassword = .success(password.bytes)
        #expect(world.authenticate() == .authenticationError)
        #expect((world.machine.workers.first?.kinds == [.signIn, .answer]) == password.reachesWorker)
        let standIn =
            "NOTICE sshd replaced the password, since it does not let this account in; Cognito was not asked. "
            + "See AllowUsers, DenyUsers and the account's shell"
        let log = world.host.takeLog()
        #expect(
            log
                == (password.isStandIn
                    ? [standIn] : password.reachesWorker ? ["NOTICE \(failure)refused: told by Cognito"] : []))
        expectNothingLeft(world)
    }

    @Test("the worker dying before it hears of the registration undoes the sign-in", arguments: [true, false])
    func deafAtTheEnd(reachable: Bool) throws {
        let world = World()
        world.machine.scripts = [[.ask(.password), .signedIn()]] + (reachable ? [[.signedOut()]] : [])
        world.machine.deafAfter = 2
        world.host.onQuestion = { [machine = world.machine] in machine.deafAfter = Int.max }
        #expect(world.authenticate() == .authenticationInformationUnavailable)
        #expect(world.host.variables.isEmpty)
        // Nobody is signed in, whatever other modules of the stack think of the password.
        #expect(world.checkAccount() == .ignore)
        #expect(world.openSession() == .success)
        #expect(world.machine.tokenKeys.isEmpty)
        if reachable {
            #expect(world.machine.registry.entries.isEmpty)
            #expect(world.machine.workers.last?.field(.revocation) == [Revocation.session.rawValue])
        } else {
            // What could not be revoked stays for the reaper.
            #expect(world.machine.registry.sessions.map(\.state) == [.closing])
        }
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

    @Test("switched off, every hook steps aside and looks at nothing")
    func disabled() {
        let world = World()
        world.machine.isDisabled = true
        world.machine.accountsFault = Fault("nobody may ask")
        #expect(world.authenticate() == .ignore)
        #expect(world.checkAccount() == .ignore)
        #expect(world.setCredentials() == .success)
        #expect(world.openSession() == .success)
        #expect(world.closeSession() == .success)
        #expect(world.changePassword(.preliminary) == .ignore)
        #expect(world.changePassword(.update) == .ignore)
        #expect(world.machine.lookedUp.isEmpty)
        #expect(world.host.takeLog() == [])
    }
}

/// What somebody types, and what becomes of it.
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
