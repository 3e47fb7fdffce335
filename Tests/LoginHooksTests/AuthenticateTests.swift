import Base
import Configuration
import Keyring
import Protocol
import Sessions
import Testing

@testable import Fakes

@Suite struct AuthenticateTests {
    @Test("Cognito is told where somebody comes from, and to which service, as the administrator wants it")
    func circumstances() {
        let long = String(repeating: "s", count: 257)
        for (configuration, word, service, address) in [
            ("send_client_metadata = yes", "sshd", true, true), ("", "sshd", false, true),
            ("send_client_address = no", "sshd", false, false), ("send_client_metadata = yes", long, false, false),
        ] {
            let world = World(configuration, scripts: [.ask(.password), .failed(.refused)])
            world.host.service = Array(word.utf8)
            world.host.remoteHost = Array((word == "sshd" ? "203.0.113.7" : long).utf8)
            #expect(world.authenticate() == .authenticationError)
            let worker = world.machine.workers.first
            #expect(worker?.field(.serviceName) == (service ? Array(word.utf8) : nil))
            #expect(worker?.field(.clientAddress) == (address ? Array("203.0.113.7".utf8) : nil))
            // The name for the log of those who run the pool, in User-Agent.
            #expect(worker?.field(.requestingService) == (word == "sshd" ? Array(word.utf8) : nil))
        }
    }

    @Test(
        "where sessions are ended that Cognito refuses, the new one's place is known from its sign-in on",
        arguments: [("terminate", 0), ("lock", 7), ("terminate", nil), ("notify", nil)] as [(String, Int64?)])
    func place(action: String, place: Int64?) {
        let world = World(
            "sign_out = last\non_revoked = \(action)", scripts: [.ask(.password), .signedIn(place: place)])
        #expect(world.authenticate() == .success)
        #expect((world.machine.workers.first?.field(.sessionPlace) == nil) == (action == "notify"))
        guard let key = try? world.machine.entries().first, let entry = world.machine.readEntry(key) else {
            Issue.record("there is no entry")
            return
        }
        #expect(entry.place == place)
        #expect((entry.checked.milliseconds > 0) == (place != nil))
    }

    @Test("a client secret that is replaced while the user is typing goes to the worker, unless it cannot be read")
    func replacedSecret() {
        for fault in [nil, Fault("/s: is missing")] {
            let world = World("client_secret_file = /s", scripts: [.ask(.password), .signedIn()])
            world.host.onQuestion = {
                world.machine.currentSecret = "replaced"
                world.machine.clientSecretFault = fault
            }
            #expect(world.authenticate() == .success)
            let worker = world.machine.workers.first
            #expect(worker?.field(.clientSecret) == Array(Secrets.clientSecret.utf8))
            #expect(worker?.field(.clientSecret, of: 1) == (fault == nil ? Array("replaced".utf8) : nil))
        }
    }

    @Test("the right password signs in: registered, handed over, told to the worker, in this order")
    func success() throws {
        let world = World(
            "client_secret_file = /s\nsign_out = session",
            scripts: [
                .keep("{\"keys\":[]}"), .ask(.password),
                .signedIn(sessionBundle: Array(Secrets.sessionBundle.utf8)),
            ])
        #expect(world.authenticate() == .success)
        #expect(
            world.host.takeLog() == [
                """
                INFO signed in; user='alice' session=1001 service='sshd' rhost='203.0.113.7' \
                pool=eu-west-1_AbCdEf123 allowed_groups='staff'
                """
            ])
        #expect(world.host.questions == ["password"])

        let worker = try #require(world.machine.workers.first)
        #expect(world.machine.workers.count == 1)
        #expect(worker.kinds == [.signIn, .answer, .registered])
        #expect(worker.field(.answer, of: 1) == Array(Secrets.password.utf8))
        #expect(worker.field(.clientSecret, of: 1) == Array(Secrets.clientSecret.utf8))
        let request: [(Field, String)] = [
            (.userPoolID, "eu-west-1_AbCdEf123"), (.clientID, "1example23456789"),
            (.clientSecret, Secrets.clientSecret),
            (.userName, "alice"), (.loginName, "alice"), (.identityRule, "\u{1}"), (.flow, "\u{1}"),
            (.preconnect, "\u{2}"), (.signOutMode, "session"), (.withholdRefreshToken, "\u{0}"),
        ]
        for (field, value) in request {
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
        let world = World(scripts: [.ask(.password), .signedIn()])
        world.machine.dead = [301]
        world.add(count, Sample())
        for other in [Sample(user: "bob"), Sample(host: 301), Sample(state: .closing)] {
            _ = other.add(to: world.machine)
        }
        #expect(world.authenticate() == (count < 50 ? .success : .credentialsUnavailable))
        let isRegistered = world.machine.workers.last?.kinds.last == .registered
        #expect(isRegistered == (count < 50))
        #expect(world.machine.registry.entries.count == count + 3 + (count < 50 ? 1 : 0))
        if count == 50 {
            #expect(world.host.variables.isEmpty)
            #expect(
                world.host.shown == [
                    "You have too many sessions on this machine. Log out of one session, then sign in again."
                ])
            #expect(
                world.host.takeLog() == [
                    "NOTICE \(signInFailure)too_many_sessions: Cognito accepted this user, but the user already has 50 "
                        + "sessions on this machine"
                ])
        }
    }

    @Test("groups may be said for one service, and the log names the rule that let somebody in")
    func groupsOfAService() {
        for (arguments, rule) in [
            (["allowed_groups=*"], "allowed_groups=*"), (["allowed_groups=ops night"], "allowed_groups='ops'"),
            (["allowed_groups=ops", "denied_groups=staff"], nil),
        ] {
            let world = World(scripts: [.ask(.password), .signedIn(groups: ["staff", "ops"])])
            world.arguments = arguments
            #expect(world.authenticate() == (rule == nil ? .permissionDenied : .success))
            let line = world.host.takeLog().last ?? ""
            #expect(rule.map(line.hasSuffix) ?? line.contains("denied_groups contains this user's group 'staff'"))
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
        let world = World(
            """
            username_template = {user}@example.com
            auth_flow = password
            preconnect = no
            refresh_token = root
            endpoint = https://127.0.0.1:8443
            ca_file = /etc/ca.pem
            pinned_public_keys = sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
            proxy = http://proxy:3128
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
        #expect(
            worker.field(.options).map(text) == """
                pinned_public_keys=sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
                proxy=http://proxy:3128

                """)
        #expect(worker.field(.keySet) == [0x6b])
        #expect(worker.field(.clientSecret) == nil)
    }

    @Test(
        """
        the administrator's key set goes to the worker in place of the kept one, and that it is old is told to the \
        log
        """,
        arguments: [(0, false), (90, false), (91, true), (-1, false)] as [(Int64, Bool)])
    func keySetFile(days: Int64, isOld: Bool) throws {
        let world = World("key_set_file = /k", scripts: [.ask(.password), .signedIn()])
        world.machine.keepKeySet([0x6b], ofPool: Array("eu-west-1_AbCdEf123".utf8))
        world.machine.keySetFile = .success(KeySetFile([0x66], written: 0, now: days * 86_400))
        #expect(world.authenticate() == .success)
        let worker = try #require(world.machine.workers.first)
        #expect(worker.field(.keySet) == [0x66])
        #expect(worker.field(.fixedKeySet) == [1])
        let told = world.host.takeLog().filter { line in line.contains("key_set_file") }
        #expect(told.count == (isOld ? 1 : 0))
        #expect(told.allSatisfy { line in line.hasPrefix("WARNING /k: key_set_file is 91 days old. ") })
    }

    @Test("time in which the person is thinking does not count")
    func thinking() {
        let world = World(scripts: [.wait(7000), .ask(.password), .wait(8900), .signedIn()])
        world.host.onQuestion = { [machine = world.machine] in machine.advance(3_600_000) }
        #expect(world.authenticate() == .success)
    }

    @Test("questions other than the password go through the conversation as they are")
    func questions() {
        let world = World(scripts: [
            .ask(.password), .ask(.visible, "Code: "), .ask(.hidden, "New password: "), .signedIn(),
        ])
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
            // A host's conversation may return anything, also together with no answer. PAM_SUCCESS is none of these
            // values.
            (.ignore, .authenticationError), (.userUnknown, .authenticationError),
            (.authenticationInformationUnavailable, .authenticationError),
        ] as [(PAMRefusal, ReturnValue)]
    )
    func conversation(failure: PAMRefusal, expected: ReturnValue) {
        for atPassword in [true, false] {
            let world = World(scripts: [.ask(.password), .ask(.visible, "Code: "), .signedIn()])
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
            world.expectNothingLeft()
        }
    }

    @Test("without a name nobody is let in", arguments: [.conversationError, .systemError] as [PAMRefusal])
    func noName(failure: PAMRefusal) {
        let world = World(scripts: [.ask(.password), .signedIn()])
        world.host.userName = .failure(failure)
        #expect(world.authenticate() == ReturnValue(failure))
        #expect(world.machine.workers.isEmpty)
    }

    @Test("the worker dying before it hears of the registration undoes the sign-in", arguments: [true, false])
    func deafAtTheEnd(reachable: Bool) throws {
        let world = World()
        world.machine.scripts = [[.ask(.password), .signedIn()]] + (reachable ? [[.signedOut()]] : [])
        world.machine.deafAfter = 2
        world.host.onQuestion = { [machine = world.machine] in machine.deafAfter = Int.max }
        #expect(world.authenticate() == .authenticationInformationUnavailable)
        #expect(world.host.variables.isEmpty)
        // No user is signed in, whatever other modules of the stack think of the password.
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

    @Test("the account hook is not passed by a slip in a service's line, nor by the limits of a set-uid program")
    func accountFaults() {
        let world = World("key_logins = refuse")
        world.arguments = ["key_logins=perhaps"]
        #expect(world.checkAccount() == .permissionDenied)
        let log = world.host.takeLog()
        #expect(log.count == 2 && log[0].contains("key_logins cannot be 'perhaps'"))
        world.arguments = []
        for (caller, isResourceExhaustion, value) in [
            (5001, true, .systemError), (5001, false, .ignore), (0, true, .ignore),
        ] as [(UInt32, Bool, ReturnValue)] {
            world.machine.realUserID = caller
            world.machine.accountsFault = Fault("nobody may ask", isResourceExhaustion: isResourceExhaustion)
            #expect(world.checkAccount() == value)
            #expect(world.host.takeLog().isEmpty == (value == .ignore))
        }
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
