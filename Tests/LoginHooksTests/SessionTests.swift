import Base
import Configuration
import Keyring
import Protocol
import Sessions
import Testing

@testable import Fakes

@Suite struct SessionHooksTests {
    @Test("the session gets its tokens: the session's part, as that person's, until the refresh token ends")
    func open() throws {
        let world = World(scripts: [.ask(.password), .signedIn(sessionBundle: Array(Secrets.sessionBundle.utf8))])
        #expect(world.authenticate() == .success)
        _ = world.host.takeLog()
        world.machine.time += 100
        #expect(world.openSession() == .success)
        #expect(world.host.takeLog() == [])
        #expect(
            world.machine.tokenKeys == [
                501: FakeMachine.TokenKey(
                    description: OpenSession.description, bundle: Secrets.sessionBundle, uid: 5001,
                    seconds: 2_592_000 - 100)
            ])
        #expect(
            world.host.shown == [
                "Signed in to Cognito as alice for up to 30 days. To see your tokens, run: cognito-session"
            ])
        #expect(world.host.variables.isEmpty)
        let session = try #require(world.machine.registry.sessions.first)
        #expect(session.state == .open)
        #expect(session.delivered)
        #expect(session.tokenKey == 501)
        #expect(session.bundle == Secrets.bundle)
        #expect(session.sessionBundle == nil)
        #expect(world.machine.registry.entries.values.first?.seconds == 2_591_900)
        #expect(world.machine.isolated == [])
    }

    @Test(
        """
        a login has the reaper look after what others left, but none out of a set-uid host, and none where nobody \
        else is
        """,
        arguments: [(0, true, 1), (0, false, 0), (5001, true, 0)] as [(UInt32, Bool, Int)])
    func reaperAfterLogin(realUserID: UInt32, hasOthers: Bool, expected: Int) {
        let world = World.signedIn()
        world.machine.realUserID = realUserID
        if hasOthers {
            _ = Sample(user: "bob").add(to: world.machine)
        }
        #expect(world.openSession() == .success)
        #expect(world.machine.reapersStarted == expected)
    }

    @Test("without a part of its own the session gets the whole bundle, and no welcome where that is off")
    func wholeBundle() {
        let world = World.signedIn("welcome = no")
        #expect(world.openSession() == .success)
        #expect(world.machine.tokenKeys.values.map(\.bundle) == [Secrets.bundle])
        #expect(world.host.shown == [])
    }

    @Test("opening again, by whatever order of calls, delivers once")
    func idempotent() {
        let world = World.signedIn()
        for _ in 0..<3 {
            #expect(world.setCredentials() == .success)
            #expect(world.openSession() == .success)
        }
        #expect(world.machine.tokenKeys.count == 1)
        #expect(world.host.takeLog() == [])
        #expect(world.machine.restored == [])
    }

    @Test("setcred puts the tokens back where pam_keyinit replaced the session keyring, and says so")
    func restored() {
        let world = World.open()
        world.machine.keyringReplaced = true
        #expect(world.setCredentials() == .success)
        #expect(world.machine.restored == [501])
        #expect(
            world.host.takeLog() == [
                "WARNING another module replaced the session keyring after the tokens were put into it. The "
                    + "tokens were put into the new keyring. In "
                    + "the session stack of sshd, pam_keyinit must come before pam_cognito"
            ])
        world.machine.restoreError = .permissionDenied
        #expect(world.setCredentials() == .success)
        #expect(
            world.host.takeLog() == [
                "ERROR the session keyring was replaced after the tokens were put into it (errno 13); in the "
                    + "session stack of sshd, pam_keyinit must come before pam_cognito"
            ])
        #expect(world.setCredentials(deleting: true) == .success)
        #expect(world.host.takeLog() == [])
    }

    @Test(
        "a session that cannot get its tokens is refused, and they are revoked, this session's only",
        arguments: Undelivered.all)
    private func undelivered(fault: Undelivered) {
        let world = World.signedIn()
        fault.prepare(world)
        world.machine.scripts = [[.signedOut()]]
        #expect(world.openSession() == .sessionError)
        #expect(world.host.takeLog() == ["ERROR \(fault.line)"] + fault.ending)
        #expect(world.machine.tokenKeys.isEmpty)
        #expect(world.machine.registry.entries.isEmpty)
        if fault.revokes {
            let worker = world.machine.workers.last
            #expect(worker?.kinds == [.signOut])
            #expect(worker?.field(.revocation) == [Revocation.session.rawValue])
            #expect(worker?.field(.bundle) == Array(Secrets.bundle.utf8))
        } else {
            #expect(world.machine.workers.count == 1)
        }
        #expect(world.checkAccount() == .ignore)
        #expect(world.closeSession() == .success)
    }

    @Test("where the authenticated person is not the session's, as in sudo, nothing is delivered and all is revoked")
    func otherUser() {
        let world = World.signedIn()
        world.host.userName = .success(Array("bob".utf8))
        world.machine.realUserID = 5001
        world.machine.canStartEnding = true
        world.machine.scripts = [[.signedOut()]]
        #expect(world.checkAccount() == .ignore)
        #expect(world.openSession() == .success)
        #expect(world.machine.tokenKeys.isEmpty)
        let lines = world.machine.endHandedOver()
        #expect(world.machine.registry.entries.isEmpty)
        #expect(world.machine.workers.last?.field(.revocation) == [Revocation.session.rawValue])
        #expect(world.machine.isolated == [5002])
        #expect(world.host.takeLog() == [])
        #expect(lines.count == 1 && lines.first?.hasPrefix("signed out; user='alice' session=1001") == true)
        #expect(world.closeSession() == .success)
        #expect(world.machine.workers.count == 2)
    }

    @Test(
        """
        a session without tokens of its own does not inherit the caller's: in set-uid hosts, unless it is switched \
        off
        """,
        arguments: [
            (5001, 0, "", [5001]), (0, 0, "", []), (5001, 0, "isolate_sessions = no", []), (5001, 5001, "", []),
        ]
            as [(UInt32, UInt32, String, [UInt32])]
    )
    func isolation(realUserID: UInt32, effectiveUserID: UInt32, configuration: String, isolated: [UInt32]) {
        let world = World(configuration)
        world.machine.realUserID = realUserID
        world.machine.effectiveUserID = effectiveUserID
        #expect(world.openSession() == .success)
        #expect(world.machine.isolated == isolated)
        #expect(world.host.takeLog() == [])
    }

    @Test("shared tokens are the newest session's, then those of the one that is left; only where that is asked for")
    func sharing() {
        for isShared in [false, true] {
            let world = World.signedIn(isShared ? "keyring = user" : "")
            world.machine.tokenKeys[600] = FakeMachine.TokenKey()
            for sample in [Sample(isShared: isShared), Sample(created: 4_000_001, user: "bob", tokenKey: 601)] {
                _ = sample.add(to: world.machine)
            }
            #expect(world.openSession() == .success)
            #expect(world.machine.shared == (isShared ? [OpenSession.description: 501] : [:]))
            #expect(world.closeSession() == .success)
            #expect(world.machine.shared == (isShared ? [OpenSession.description: 600] : [:]))
        }
    }

    @Test("tokens that cannot be shared are the session's all the same, and the log says so")
    func sharingFails() {
        let world = World.signedIn("keyring = user")
        world.machine.shareError = .diskQuotaExceeded
        #expect(world.openSession() == .success)
        #expect(world.machine.tokenKeys.count == 1)
        #expect(
            world.host.takeLog().contains { line in
                line.hasPrefix(
                    """
                    WARNING the tokens of 'alice' cannot be shared with the user's other sessions (errno 122)
                    """)
            })
    }

    @Test("when the caller's tokens cannot be kept away, the log says so; a broken configuration keeps them away")
    func isolationFails() {
        let world = World()
        world.machine.realUserID = 5002
        world.machine.configuration = [0xff]
        #expect(world.openSession() == .success)
        #expect(world.machine.isolated == [5001])
        world.machine.isolateError = .diskQuotaExceeded
        world.host.service = Array("su".utf8)
        #expect(world.openSession() == .success)
        #expect(
            world.host.takeLog() == [
                "ERROR 'alice' may see the tokens of the session in which su was started: no new session keyring "
                    + "could be created (errno 122); \(quotaIsFull)"
            ])
    }

    @Test("what was signed in to inside of a host ends with it, also where the host's own login was signed out before")
    func hosted() {
        for hasLogin in [false, true] {
            let world = hasLogin ? World.signedIn() : World()
            world.machine.process = ProcessIdentity(id: 100, startTime: 7)
            #expect(world.openSession() == .success)
            world.machine.registry.entries = [:]
            world.machine.tokenKeys = [600: FakeMachine.TokenKey(), 601: FakeMachine.TokenKey()]
            _ = Sample(host: 100).add(to: world.machine)
            _ = Sample(host: 300, tokenKey: 601).add(to: world.machine)
            world.machine.scripts = [[.signedOut()]]
            _ = world.host.takeLog()
            #expect(world.closeSession() == .success)
            #expect(world.machine.tokenKeys.keys.sorted() == [601])
            #expect(world.machine.registry.sessions.map(\.state) == [.open])
            #expect(world.machine.workers.last?.kinds == [.signOut])
            let outcomes = world.host.takeLog().compactMap { line in line.split(separator: "outcome=").last }
            #expect(outcomes == (hasLogin ? ["gone"] : []) + ["revoked_everywhere"])
        }
    }

    @Test("what another process is at is kept for the reaper, and its tokens are taken away all the same")
    func hostedAndBusy() {
        let world = World()
        world.machine.process = ProcessIdentity(id: 100, startTime: 7)
        world.machine.tokenKeys[600] = FakeMachine.TokenKey()
        world.machine.locked = [Sample(host: 100).add(to: world.machine).serial.number]
        #expect(world.closeSession() == .success)
        #expect(world.machine.tokenKeys.isEmpty && world.machine.registry.sessions.count == 1)
    }

    @Test("what later steps go by is in the registry as it was configured at the sign-in")
    func entered() throws {
        let more = """
            endpoint = https://cognito.example.com
            ca_file = /etc/ssl/pool.pem
            refresh_token = root
            combined_code = yes
            """
        let machine = World.signedIn(more).machine
        let found = try #require(machine.registry.entries.values.first)
        let entry = try decoded(found.payload)
        #expect(
            entry.endpoint.map(text) == "https://cognito.example.com" && entry.caFile.map(text) == "/etc/ssl/pool.pem")
        #expect(entry.withholdsRefreshToken == true)
        #expect(machine.workers.first?.field(.combinedCode) == [1])
        #expect(World.signedIn().machine.workers.first?.field(.combinedCode) == [0])
    }

    @Test("what a fault has undone is waited for five seconds")
    func undone() {
        for (time, outcome) in [(4999, "outcome=revoked"), (5001, "Cognito did not answer in time")]
            as [(Int64, String)]
        {
            let world = World.signedIn()
            world.machine.deliverError = .diskQuotaExceeded
            world.machine.scripts = [[.wait(time), .signedOut(.revoked)]]
            #expect(world.openSession() == .sessionError)
            #expect(world.host.takeLog().last?.contains(outcome) == true)
        }
    }

    @Test("a host leaves the session keyring that was joined for the person, when the session closes or does not begin")
    func leavesKeyring() {
        for (joins, begins) in [(true, true), (true, false), (false, true), (false, false)] {
            let world = World.signedIn()
            world.machine.joinsKeyring = joins
            world.machine.deliverError = begins ? nil : .diskQuotaExceeded
            world.machine.scripts = [[.signedOut()]]
            #expect((world.openSession() == .success) == begins)
            #expect(world.machine.leftKeyrings == (joins && !begins ? [2] : []))
            #expect(world.closeSession() == .success)
            #expect(world.machine.leftKeyrings == (joins ? [2] : []))
        }
    }

    @Test("a forked copy of the host leaves everything alone")
    func forkedChild() {
        let signedIn = World.signedIn()
        let beforeOpen = World(signedIn.otherProcess(id: 101).machine, signedIn.host)
        #expect(beforeOpen.openSession() == .success)
        #expect(beforeOpen.machine.tokenKeys.isEmpty)
        #expect(signedIn.openSession() == .success)
        let afterOpen = World(signedIn.otherProcess(id: 102).machine, signedIn.host)
        #expect(afterOpen.closeSession() == .success)
        #expect(afterOpen.machine.destroyed == [])
        #expect(afterOpen.machine.workers.isEmpty)
        #expect(signedIn.machine.registry.sessions.map(\.state) == [.open])
    }
}

/// Why a session cannot get its tokens.
private struct Undelivered: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let prepare: @Sendable (World) -> Void
    let line: String
    var revokes = true
    var ending = ["INFO signed out; user='alice' session=1001 service='sshd' rhost='203.0.113.7' outcome=revoked"]

    static let all = [
        Undelivered(
            testDescription: "key quota", prepare: { world in world.machine.deliverError = .diskQuotaExceeded },
            line: "the tokens of 'alice' cannot be put into the session keyring (errno 122); \(quotaIsFull)"),
        Undelivered(
            testDescription: "the registry does not take the change",
            prepare: { world in world.machine.replaceError = .diskQuotaExceeded },
            line: "the session of 'alice' cannot be registered (errno 122) and does not get tokens; \(quotaIsFull)"),
        Undelivered(
            testDescription: "the entry is gone", prepare: { world in world.machine.registry.entries = [:] },
            line: "the tokens of 'alice' were removed from the registry before the session started. Sign in again",
            revokes: false,
            ending: ["INFO signed out; user='alice' session=1001 service='sshd' rhost='203.0.113.7' outcome=gone"]),
        Undelivered(
            testDescription: "the account is gone", prepare: { world in world.machine.accounts = [:] },
            line: "the tokens of 'alice' were removed from the registry before the session started. Sign in again"),
        Undelivered(
            testDescription: "the account cannot be looked up",
            prepare: { world in world.machine.accountsFault = Fault("accounts cannot be looked up") },
            line: "accounts cannot be looked up"),
        Undelivered(
            testDescription: "the reaper has begun to end it",
            prepare: { world in
                // Version, then the first field: tag, length, state.
                world.machine.registry.entries[1001]?.payload[6] = SessionState.closing.rawValue
            },
            line: "the tokens of 'alice' were removed from the registry before the session started. Sign in again"),
    ]
}

/// What a later process finds in the variable, and whether it may take it.
private struct HandedOver: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var prepare: @Sendable (World) -> Void = { _ in }
    var accepted = false

    private static func value(_ text: String) -> HandedOver {
        HandedOver(testDescription: "variable '\(text)'") { world in
            world.host.variables["PAM_COGNITO_H"] = Array(text.utf8)
        }
    }

    /// An entry whose name makes the variable as long as that.
    private static func length(_ length: Int, accepted: Bool) -> HandedOver {
        HandedOver(
            testDescription: "\(length) bytes",
            prepare: { world in
                let name = "pam-cognito:s:" + String(repeating: "0", count: length - 19)
                world.machine.registry.entries[1001]?.description = Array(name.utf8)
                world.host.variables["PAM_COGNITO_H"] = Array("1001:\(name)".utf8)
            }, accepted: accepted)
    }

    static let all =
        [
            HandedOver(testDescription: "as it was left", accepted: true),
            length(96, accepted: true), length(97, accepted: false),
            HandedOver(
                testDescription: "much later", prepare: { world in world.machine.advance(3_600_000) }, accepted: true),
            HandedOver(testDescription: "while it is ended", prepare: { world in world.machine.locked = [1001] }),
            HandedOver(
                testDescription: "ended just before",
                prepare: { world in
                    world.machine.onLock = { [registry = world.machine.registry] in
                        registry.entries[1001]?.payload[6] = SessionState.closing.rawValue
                    }
                }),
            HandedOver(
                testDescription: "other service", prepare: { world in world.host.service = Array("login".utf8) }),
            HandedOver(
                testDescription: "other pid namespace",
                prepare: { world in world.machine.pidNamespace = PIDNamespace(inode: 1) }),
            HandedOver(
                testDescription: "already open",
                prepare: { world in world.machine.registry.entries[1001]?.payload[6] = SessionState.open.rawValue }),
            HandedOver(
                testDescription: "already closing",
                prepare: { world in world.machine.registry.entries[1001]?.payload[6] = SessionState.closing.rawValue }),
            HandedOver(
                testDescription: "a damaged entry",
                prepare: { world in world.machine.registry.entries[1001]?.payload.removeLast() }),
            HandedOver(testDescription: "expired", prepare: { world in world.machine.registry.entries = [:] }),
            HandedOver(
                testDescription: "unreadable", prepare: { world in world.machine.readError = .permissionDenied }),
        ]
        + [
            "1001", "1001:", ":pam-cognito:s:1001", "1001:pam-cognito:s:1002", "1002:pam-cognito:s:1001",
            "1001:pam-cognito:s:1001 ", "1001:cognito:s:1001", "+1001:pam-cognito:s:1001", "-1001:pam-cognito:s:1001",
            "99999999999:pam-cognito:s:1001", "9999999999:pam-cognito:s:1001", "2147483648:pam-cognito:s:1001", "x",
            ":", "::",
            "\u{0}", String(repeating: "1", count: 5000), "0x3e9:pam-cognito:s:1001", " 1001:pam-cognito:s:1001",
            "1001:pam-cognito:s:" + String(repeating: "0", count: 64),
        ].map { text in value(text) }
}

@Suite struct MadeOfTokensTests {
    @Test("what was made of the tokens goes with the session, whether Cognito answers or not")
    func credentials() {
        let world = World.open()
        let label = CredentialLabel(name: Array("aws".utf8), freshUntil: 1, end: 2)
        world.machine.registry.credentials[1001] = [CredentialKey(serial: KeySerial(700), label: label)]
        world.machine.scripts = [[.failed(.unreachable)]]
        #expect(world.closeSession() == .success)
        #expect(world.machine.registry.credentials[1001] == nil && world.machine.tokenKeys.isEmpty)
        #expect(world.machine.registry.sessions.map(\.state) == [.closing])
    }
}

@Suite struct HandOffTests {
    @Test("sshd's monitor takes its child's login over, but no forged, old or other one", arguments: HandedOver.all)
    private func handOff(handedOver: HandedOver) {
        let child = World.signedIn()
        let monitor = child.otherProcess(id: 90)
        handedOver.prepare(monitor)
        #expect(monitor.setCredentials() == .success)
        #expect(monitor.host.variables.isEmpty)
        let warning = """
            WARNING the login data in the PAM environment does not come from pam_cognito, or the login has ended. The \
            data is ignored
            """
        #expect(monitor.host.takeLog() == (handedOver.accepted ? [] : [warning]))
        #expect(monitor.openSession() == .success)
        #expect(monitor.machine.tokenKeys.count == (handedOver.accepted ? 1 : 0))
        if handedOver.accepted {
            #expect(child.machine.registry.sessions.map(\.host) == [monitor.machine.process])
            // Else it would count for the parent's, too, which may live on for months.
            #expect(child.machine.registry.sessions.map(\.parent) == [ProcessIdentity?.none])
        }
        #expect(monitor.host.takeLog() == [])
    }

    @Test("a login of one person is not another's session, also when it was handed over")
    func otherUser() {
        let monitor = World.signedIn().otherProcess(id: 90)
        monitor.host.userName = .success(Array("bob".utf8))
        monitor.machine.scripts = [[.signedOut()]]
        #expect(monitor.openSession() == .success)
        #expect(monitor.machine.tokenKeys.isEmpty)
        #expect(monitor.machine.registry.entries.isEmpty)
        #expect(monitor.machine.workers.last?.field(.revocation) == [Revocation.session.rawValue])
    }

    @Test("two processes that are handed the same login do not both open it")
    func twice() {
        let child = World.signedIn()
        let first = child.otherProcess(id: 90)
        let second = child.otherProcess(id: 91)
        #expect(first.openSession() == .success)
        #expect(second.openSession() == .success)
        #expect(first.machine.tokenKeys.count == 1)
        #expect(second.machine.tokenKeys.isEmpty)
    }

    @Test("where PAM keeps no data, the login that was handed over is not lost without a word")
    func notKept() {
        let monitor = World.signedIn().otherProcess(id: 90)
        monitor.host.keepError = .systemError
        #expect(monitor.openSession() == .success)
        #expect(monitor.machine.tokenKeys.isEmpty)
        #expect(monitor.host.takeLog().count == 1)
        #expect(monitor.machine.registry.sessions.map(\.state) == [.pending])
    }

    @Test("random variables never trap")
    func randomBytes() {
        let monitor = World.signedIn().otherProcess(id: 90)
        let alphabet = Array("0123456789::::pam-cognito:s:\u{0}\u{ff}".utf8)
        for _ in 0..<2000 {
            monitor.host.variables["PAM_COGNITO_H"] = (0..<Int.random(in: 0...70)).map { _ in
                alphabet[Int.random(in: alphabet.indices)]
            }
            #expect(monitor.setCredentials() == .success)
            #expect(monitor.host.kept == nil)
            _ = monitor.host.takeLog()
        }
    }
}
