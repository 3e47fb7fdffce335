import ByteText
import Configuration
import KernelKeyring
import LinuxProcess
import SecretMemory
import Testing
import WorkerProtocol

@testable import LoginCore

/// How one session ends: what the worker does, and what remains.
private struct Close: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var configuration = ""
    /// nil: no worker can be started.
    var script: [Act]?
    var prepare: @Sendable (World) -> Void = { _ in }
    var log: [String]
    /// What the worker was asked for; nil: there was none.
    var revocation: Revocation?
    /// Whether the registry still has it.
    var left = false

    private static func left(_ why: String) -> [String] {
        [
            "WARNING sign-out not finished; user='alice' session=1001 service='sshd' rhost='203.0.113.7': \(why). The tokens are kept in the registry; "
                + "cognito-agent reap tries again"
        ]
    }

    private static func done(_ outcome: String) -> [String] {
        ["INFO signed out; user='alice' session=1001 service='sshd' rhost='203.0.113.7' outcome=\(outcome)"]
    }

    static let all = [
        Close(testDescription: "global", script: [.signedOut()], log: done("revoked_everywhere"), revocation: .global),
        Close(
            testDescription: "session", configuration: "sign_out = session", script: [.signedOut()],
            log: done("revoked"),
            revocation: .session),
        Close(
            testDescription: "last, alone", configuration: "sign_out = last", script: [.signedOut()],
            log: done("revoked_everywhere"), revocation: .global),
        Close(testDescription: "none", configuration: "sign_out = none", log: done("kept_at_cognito")),
        Close(
            testDescription: "already revoked", script: [.signedOut(.alreadyRevoked)], log: done("already_revoked"),
            revocation: .global),
        Close(
            testDescription: "expired at Cognito", script: [.signedOut(.expired)], log: done("expired"),
            revocation: .global),
        Close(
            testDescription: "not supported", script: [.signedOut(.notSupported)],
            log: done("revocation_not_enabled_for_this_app_client"), revocation: .global),
        Close(
            testDescription: "all tokens ran out", script: [.signedOut()],
            prepare: { world in world.machine.time += 2_592_000 }, log: done("expired")),
        Close(
            testDescription: "the entry ended by itself", script: [.signedOut()],
            prepare: { world in world.machine.registry.entries = [:] }, log: done("gone")),
        Close(
            testDescription: "the entry expired", prepare: { world in world.machine.readError = ErrorNumber(127) },
            log: done("gone"), left: true),
        Close(
            testDescription: "the entry cannot be read now",
            prepare: { world in world.machine.readError = ErrorNumber(12) },
            log: left("the registry cannot be read (errno 12)"), left: true),
        Close(
            testDescription: "damaged entry",
            prepare: { world in world.machine.registry.entries[1001]?.payload = [1, 2] },
            log: done("damaged")),
        Close(testDescription: "no worker", log: left("the worker cannot be started"), left: true),
        Close(
            testDescription: "worker ends", script: [], log: left("the worker ended without a result"),
            revocation: .global,
            left: true),
        Close(
            testDescription: "nonsense", script: [.send([9])], log: left("the worker sent nonsense"),
            revocation: .global,
            left: true),
        Close(
            testDescription: "too slow", configuration: "sign_out_wait = 3s", script: [.wait(3000), .signedOut()],
            log: left("Cognito did not answer in time"), revocation: .global, left: true),
        Close(
            testDescription: "just in time", configuration: "sign_out_wait = 3s", script: [.wait(2999), .signedOut()],
            log: done("revoked_everywhere"), revocation: .global),
        Close(
            testDescription: "nobody waits", configuration: "sign_out_wait = 0s", script: [.wait(1), .signedOut()],
            log: left("Cognito did not answer in time"), revocation: .global, left: true),
        Close(
            testDescription: "failed", script: [.failed(.unreachable, log: "no route\nto host")],
            log: left("no route?to host"), revocation: .global, left: true),
        Close(
            testDescription: "unknown outcome",
            script: [.send(packet(.signedOut, [(.outcome, [99]), (.logText, [0x61])]))],
            log: left("a"), revocation: .global, left: true),
        Close(
            testDescription: "out of turn", script: [.signedIn()],
            log: left("the worker sent a message out of turn; reinstall pam-cognito so that its parts fit together"),
            revocation: .global, left: true),
        Close(
            testDescription: "client secret cannot be read", configuration: "client_secret_file = /s",
            prepare: { world in world.machine.clientSecretFault = Fault("/s: is missing") },
            log: left("/s: is missing"),
            left: true),
        Close(
            testDescription: "the reaper is at it", prepare: { world in world.machine.locked = [1001] }, log: [],
            left: true),
        Close(
            testDescription: "the registry does not take the change", script: [.signedOut()],
            prepare: { world in world.machine.replaceError = ErrorNumber(122) }, log: done("revoked_everywhere"),
            revocation: .global),
        Close(
            testDescription: "switched off meanwhile", script: [.signedOut()],
            prepare: { world in world.machine.isDisabled = true }, log: done("revoked_everywhere"), revocation: .global),
        Close(
            testDescription: "configuration broken meanwhile", configuration: "sign_out = session",
            script: [.signedOut()],
            prepare: { world in world.machine.configuration = [0xff] }, log: done("revoked"), revocation: .session),
        Close(
            testDescription: "configuration changed meanwhile", configuration: "sign_out = session",
            script: [.signedOut()],
            prepare: { world in world.machine.configuration = FakeMachine.configuration("sign_out = none") },
            log: done("revoked"), revocation: .session),
    ]
}

@Suite struct EndingTests {
    @Test(
        "closing: Cognito first, then local; always a success; what did not succeed stays in the registry",
        arguments: Close.all)
    private func close(close: Close) throws {
        let world = World.open(close.configuration)
        let before = world.machine.workers.count
        world.machine.scripts = close.script.map { script in [script] } ?? []
        close.prepare(world)
        #expect(world.closeSession() == .success)
        #expect(world.host.takeLog() == close.log)
        #expect(world.machine.tokenKeys.isEmpty)
        #expect(world.machine.registry.entries.isEmpty == !close.left)
        let started = world.machine.workers.dropFirst(before)
        #expect(started.count == (close.revocation == nil ? 0 : 1))
        if let revocation = close.revocation {
            #expect(started.first?.field(.revocation) == [revocation.rawValue])
            #expect(started.first?.field(.bundle) == Array(Secrets.bundle.utf8))
            #expect(started.first?.field(.timeLimit) == [0, 0, 0, 0, 0, 0, 0x75, 0x30])
            #expect(started.first?.field(.persistence) == [Persistence.unattended.rawValue])
        }
        if close.left, close.revocation != nil {
            let session = try #require(world.machine.registry.sessions.first)
            #expect(session.state == .closing)
            #expect(session.attempts == 1)
            #expect(session.bundle == Secrets.bundle)
        }
        // Once more: nothing happens.
        #expect(world.closeSession() == .success)
        #expect(world.openSession() == .success)
        #expect(world.setCredentials() == .success)
        #expect(world.machine.workers.dropFirst(before).count == started.count)
        #expect(world.host.takeLog() == [])
        #expect(world.machine.tokenKeys.isEmpty)
    }

    @Test("the end uses the secret of today only if pool and client are those of the session")
    func clientSecret() {
        for (more, expected) in [("", true), ("other", false)] {
            let world = World.open("client_secret_file = /s")
            if !more.isEmpty {
                world.machine.configuration = Array(
                    text(world.machine.configuration).replacing("1example23456789", with: "another").utf8)
            }
            world.machine.scripts = [[.signedOut()]]
            #expect(world.closeSession() == .success)
            let worker = world.machine.workers.last
            #expect(worker?.field(.clientSecret) == (expected ? Array(Secrets.clientSecret.utf8) : nil))
            #expect(worker?.field(.clientID) == Array("1example23456789".utf8))
        }
    }

    @Test(
        "a worker that signs out goes on by itself when nobody waits any more, and is killed when it makes no sense",
        arguments: [([.silence], false), ([.signedOut()], false), ([.send([9])], true), ([.signedIn()], true)]
            as [([Act], Bool)]
    )
    func killed(script: [Act], expected: Bool) {
        let world = World.open()
        world.machine.scripts = [script]
        #expect(world.closeSession() == .success)
        #expect(world.machine.workers.last?.wasKilled == expected)
    }

    @Test("the last session of a person in the pool ends everywhere, the others alone", arguments: Beside.all)
    private func last(beside: Beside) {
        let world = World.open("sign_out = last")
        world.machine.dead = [301]
        _ = beside.other.add(to: world.machine)
        world.machine.scripts = [[.signedOut()]]
        #expect(world.closeSession() == .success)
        #expect(world.machine.workers.last?.field(.revocation) == [beside.expected.rawValue])
    }

    @Test("of two that end at the same moment exactly one is the last; a later attempt does not decide anew")
    func lastOfTwo() {
        let first = World.open("sign_out = last")
        let second = World(FakeMachine(registry: first.machine.registry))
        second.machine.configuration = first.machine.configuration
        second.machine.scripts = [[.ask(.password), .signedIn()]]
        #expect(second.authenticate() == .success)
        #expect(second.openSession() == .success)
        // Neither reaches Cognito: both have decided by then.
        for world in [first, second] {
            world.machine.scripts = [[.failed(.unreachable)]]
            #expect(world.closeSession() == .success)
        }
        #expect(first.machine.registry.sessions.map(\.signOut) == [.session, .global])
        first.machine.scripts = [[.signedOut()], [.signedOut()]]
        #expect(Reaper(machine: first.machine).reap(dryRun: false) { _, _ in } == 0)
        let revocations = first.machine.workers.suffix(2).map { worker in worker.field(.revocation)?.first }
        #expect(revocations == [Revocation.session.rawValue, Revocation.global.rawValue])
    }

    @Test("a session that was never opened is left to the reaper")
    func neverOpened() {
        let world = World.signedIn()
        #expect(world.closeSession() == .success)
        #expect(world.machine.registry.sessions.map(\.state) == [.pending])
        #expect(world.host.takeLog() == [])
    }
}

/// Another entry of the registry when a session ends that may be the last one.
private struct Beside: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var other: Sample
    var expected: Revocation

    static let all = [
        Beside(testDescription: "another session", other: Sample(), expected: .session),
        Beside(
            testDescription: "one about to begin", other: Sample(state: .pending, created: 4_999_000),
            expected: .session),
        Beside(testDescription: "one in a container", other: Sample(host: 301, inContainer: true), expected: .session),
        Beside(testDescription: "one whose host is gone", other: Sample(host: 301), expected: .global),
        Beside(testDescription: "one that never began", other: Sample(state: .pending, created: 1), expected: .global),
        Beside(testDescription: "one that ends", other: Sample(state: .closing), expected: .global),
        Beside(testDescription: "a password change", other: Sample(state: .held), expected: .global),
        Beside(testDescription: "somebody else's", other: Sample(user: "bob"), expected: .global),
        Beside(testDescription: "in another pool", other: Sample(pool: "eu-west-1_Other"), expected: .global),
    ]
}

/// One entry of the registry, as tests write it.
struct Sample {
    var state = SessionState.open
    var host: Int32 = 300
    var inContainer = false
    var pool = "eu-west-1_AbCdEf123"
    var created: Int64 = 4_940_000
    var expires: Int64 = 1_800_100_000
    var user = "alice"
    var signOut = SignOutMode.global
    var delivered = true
    var attempts: UInt8 = 0
    var nextAttempt: Int64 = 0
    var tokenKey: Int32 = 600
    var bundle = Array(Secrets.bundle.utf8)
    var sessionBundle: [UInt8]?
    var endpoint: [UInt8]?
    var caFile: [UInt8]?
    var accessTokenExpiry: Int64 = 1_800_003_600
    var renewed: Int64 = 4_000_000
    var loginName = "alice@example.com"
    var identity = IdentityRule.userName
    var withholdsRefreshToken = false
    var isShared = false
    var checked: Int64 = 0
    var terminal = ""
    var warned: Int64 = 0

    func entry(_ machine: FakeMachine) -> RegistryEntry? {
        guard let bundle = secret(bundle) else {
            return nil
        }
        return RegistryEntry(
            state: state, host: ProcessIdentity(id: host, startTime: 7),
            pidNamespace: inContainer ? PIDNamespace(inode: 77) : machine.pidNamespace,
            created: Instant(milliseconds: created), expires: expires, service: Array("sshd".utf8),
            remoteHost: Array("203.0.113.7".utf8), terminal: Array(terminal.utf8), user: Array(user.utf8),
            signOut: signOut, delivered: delivered,
            userPoolID: Array(pool.utf8), clientID: Array("1example23456789".utf8), endpoint: endpoint,
            caFile: caFile, configuration: Array("/etc/security/pam_cognito.conf".utf8), tokenKey: tokenKey,
            accessTokenExpiry: accessTokenExpiry, renewed: Instant(milliseconds: renewed),
            loginName: Array(loginName.utf8), identity: identity, withholdsRefreshToken: withholdsRefreshToken,
            isShared: isShared, checked: Instant(milliseconds: checked), warned: Instant(milliseconds: warned),
            attempts: attempts,
            nextAttempt: Instant(milliseconds: nextAttempt), bundle: bundle,
            sessionBundle: sessionBundle.flatMap { bytes in secret(bytes) })
    }

    func payload(_ machine: FakeMachine = FakeMachine()) -> [UInt8] {
        guard let entry = entry(machine), let encoded = entry.encode() else {
            return []
        }
        return encoded.withBytes { bytes in bytes.copied() }
    }

    func add(to machine: FakeMachine) -> RootKey {
        machine.registry.add(payload(machine), seconds: 1)
    }
}

@Suite struct ReaperTests {
    @Test(
        "what is left alone and what is ended",
        arguments: [
            (Sample(state: .pending, created: 4_820_000), false, nil),
            (Sample(state: .pending, created: 4_819_999), false, "no session followed"),
            (Sample(state: .pending, created: 4_820_000), true, nil),
            (Sample(state: .open, created: 0), false, nil),
            (Sample(state: .open), true, "its host is gone"),
            (Sample(state: .closing), false, "sign-out was not finished"),
            (Sample(state: .closing), true, "sign-out was not finished"),
        ] as [(Sample, Bool, String?)]
    )
    func judgement(sample: Sample, hostIsDead: Bool, expected: String?) {
        let machine = FakeMachine()
        machine.dead = hostIsDead ? [300] : []
        guard let entry = sample.entry(machine) else {
            Issue.record("no memory")
            return
        }
        let verdict = machine.judge(entry)
        #expect(verdict == (expected.map { why in .end(ByteText(Array(why.utf8))) } ?? .leave))
    }

    @Test(
        "what is another's is left alone, unless this is the initial pid namespace and the host is gone",
        arguments: [
            (Sample(inContainer: true), false, "container (pid namespace 77)"),
            (Sample(inContainer: true), true, nil),
            (Sample(state: .closing, inContainer: true), false, "container (pid namespace 77)"),
            (Sample(state: .closing, inContainer: true), true, nil),
        ] as [(Sample, Bool, String?)]
    )
    func foreign(sample: Sample, hostIsDead: Bool, expected: String?) {
        for isInitial in [false, true] {
            let machine = FakeMachine()
            machine.isInitialNamespace = isInitial
            machine.dead = hostIsDead ? [300] : []
            guard let entry = sample.entry(machine) else {
                Issue.record("no memory")
                return
            }
            switch machine.judge(entry) {
            case .foreign(let why):
                #expect(!isInitial || expected.map { part in text(why.bytes).contains(part) } ?? false)
            case .end:
                #expect(isInitial && expected == nil)
            case .leave:
                Issue.record("left without a word")
            }
        }
    }

    @Test("a login in a container whose first process has ended is given its time, as any other")
    func foreignPending() {
        for (created, ends) in [(4_820_000, false), (4_819_999, true)] as [(Int64, Bool)] {
            let machine = FakeMachine()
            machine.isInitialNamespace = true
            machine.dead = [300]
            guard let entry = Sample(state: .pending, inContainer: true, created: created).entry(machine) else {
                Issue.record("no memory")
                return
            }
            #expect(machine.judge(entry) == (ends ? .end("no session followed") : .leave))
        }
    }

    private func reap(
        _ machine: FakeMachine, _ scope: ReaperScope = .due, dryRun: Bool = false
    ) -> (left: Int, report: [String]) {
        var report: [String] = []
        let left = Reaper(machine: machine).reap(scope, dryRun: dryRun) { line, isFault in
            report.append((isFault ? "! " : "  ") + text(line.bytes))
        }
        for line in report {
            #expect(Secrets.all.allSatisfy { secret in !line.contains(secret) })
        }
        return (left, report)
    }

    @Test("a mixed registry: only what ended badly is ended, each in its way")
    func mixed() {
        let machine = FakeMachine()
        machine.configuration = FakeMachine.configuration("check_interval = 0")
        machine.dead = [301]
        _ = Sample(host: 300, user: "living").add(to: machine)
        _ = Sample(host: 301, user: "orphan").add(to: machine)
        _ = Sample(state: .pending, created: 1, user: "abandoned", delivered: false, tokenKey: 0).add(to: machine)
        _ = Sample(state: .closing, user: "unfinished", signOut: .session, attempts: 3).add(to: machine)
        _ = Sample(inContainer: true, user: "elsewhere").add(to: machine)
        _ = machine.registry.add([1, 0xff], seconds: 1)
        // Of a version to come: not ours to judge.
        let later = machine.registry.add([2, 0xff], seconds: 1)
        _ = Sample(state: .closing, user: "kept", signOut: .none).add(to: machine)
        _ = Sample(state: .closing, expires: 1, user: "old", attempts: 1, nextAttempt: 5_002_001).add(to: machine)
        let busy = Sample(state: .closing, user: "busy", attempts: 2).add(to: machine)
        machine.locked = [busy.serial.number]
        machine.scripts = [[.signedOut(.alreadyRevoked)], [.signedOut()], [.failed(.unreachable, log: "no route")]]

        let dry = reap(machine, dryRun: true)
        #expect(dry.left == 0)
        func line(_ event: String, _ user: String, _ session: Int, host: Int = 300) -> String {
            "\(event); user='\(user)' session=\(session) service='sshd' rhost='203.0.113.7' process=\(host)"
        }
        #expect(
            dry.report == [
                "  \(line("left alone", "elsewhere", 1005)): it is of another container (pid namespace 77)",
                "! a damaged entry would be removed",
                "  an entry of another version of pam-cognito: left alone",
                "  \(line("would be signed out", "abandoned", 1003)): no session followed",
                "  \(line("would be signed out", "orphan", 1002, host: 301)): its host is gone",
                "  \(line("would be signed out", "kept", 1008)): sign-out was not finished",
                "  \(line("would be signed out", "old", 1009)) attempts=1 next=3s: sign-out was not finished",
                "  \(line("would be signed out", "busy", 1010)) attempts=2 next=0s: sign-out was not finished",
                "  \(line("would be signed out", "unfinished", 1004)) attempts=3 next=0s: sign-out was not finished",
            ])
        #expect(machine.registry.entries.count == 10)
        #expect(machine.workers.isEmpty)

        let done = reap(machine)
        #expect(done.left == 1)
        #expect(
            done.report == [
                "! a damaged entry was removed",
                "  \(line("signed out", "abandoned", 1003)) outcome=already_revoked: no session followed",
                "  \(line("signed out", "kept", 1008)) outcome=kept_at_cognito: sign-out was not finished",
                "! \(line("given up", "old", 1009)) outcome=expired: sign-out was not finished; "
                    + "its tokens have run out by themselves",
                "  \(line("signed out", "orphan", 1002, host: 301)) outcome=revoked_everywhere: its host is gone",
                "! \(line("sign-out not finished", "unfinished", 1004)): sign-out was not finished: no route",
            ])
        #expect(machine.workers.map { worker in worker.field(.revocation)?.first } == [2, 1, 2])
        #expect(machine.registry.sessions.map(\.user) == ["living", "unfinished", "elsewhere", "busy"])
        #expect(machine.registry.sessions.map(\.attempts) == [0, 4, 0, 2])
        #expect(machine.registry.entries[later.serial.number] != nil)
        #expect(machine.destroyed == [600, 600, 600])
    }

    @Test("tokens that no session had are revoked even where sessions keep theirs")
    func undeliveredAreNotKept() {
        let machine = FakeMachine()
        _ = Sample(state: .pending, created: 1, signOut: .none, delivered: false, tokenKey: 0).add(to: machine)
        machine.scripts = [[.signedOut()]]
        #expect(reap(machine).left == 0)
        #expect(machine.workers.first?.field(.revocation) == [Revocation.session.rawValue])
        #expect(machine.registry.entries.isEmpty)
    }

    @Test("a late end spares a newer session of the same person: RevokeToken", arguments: Newer.all)
    private func newerSession(newer: Newer) {
        let machine = FakeMachine()
        machine.dead = newer.hostIsDead ? [301] : []
        _ = Sample(state: .closing, host: 301, created: 1000, attempts: newer.attempts).add(to: machine)
        _ = newer.other.add(to: machine)
        machine.scripts = [[.signedOut()], []]
        _ = reap(machine)
        #expect(machine.workers.first?.field(.revocation) == [newer.expected.rawValue])
    }

    @Test("a session that began while the reaper was looking is not ended")
    func judgedAgain() {
        let machine = FakeMachine()
        let key = Sample(state: .pending, created: 1, delivered: false, tokenKey: 0).add(to: machine)
        let opened = Sample(state: .open).payload(machine)
        // Between judgement and lock the host delivers.
        machine.onLock = { [registry = machine.registry] in registry.entries[key.serial.number]?.payload = opened }
        #expect(reap(machine).left == 0)
        #expect(machine.workers.isEmpty)
        #expect(machine.registry.sessions.map(\.state) == [.open])
    }

    @Test("attempts are counted without end")
    func attempts() {
        let machine = FakeMachine()
        _ = Sample(state: .closing, attempts: 254).add(to: machine)
        for _ in 0..<3 {
            machine.scripts = [[]]
            #expect(reap(machine).left == 1)
            machine.advance(900_000)
        }
        #expect(machine.registry.sessions.map(\.attempts) == [255])
    }

    @Test("what fails is tried again after one minute, two, four, and at last every quarter of an hour, cut at random")
    func backOff() throws {
        for cut in [Int64(0), 1] {
            let machine = FakeMachine()
            machine.randomNumber = { bound in cut * (bound - 1) }
            _ = Sample(state: .closing).add(to: machine)
            var pauses: [Int64] = []
            for _ in 0..<8 {
                machine.scripts = [[.failed(.throttled)]]
                #expect(reap(machine).left == 1)
                let next = try #require(machine.registry.sessions.first).nextAttempt
                pauses.append(next == 0 ? 0 : next - machine.now.milliseconds)
                // One moment too early: nobody is asked.
                let asked = machine.workers.count
                if next > 0 {
                    machine.now = Instant(milliseconds: next - 1)
                    #expect(reap(machine) == (1, []))
                }
                #expect(machine.workers.count == asked)
                machine.now = Instant(milliseconds: max(next, machine.now.milliseconds))
            }
            let longest: [Int64] = [0, 60_000, 120_000, 240_000, 480_000, 900_000, 900_000, 900_000]
            #expect(pauses == longest.map { pause in cut == 0 || pause == 0 ? pause : pause / 2 + 1 })
        }
    }

    @Test("an app client that does not answer is asked once a round; others are not kept waiting by it")
    func silentService() {
        let machine = FakeMachine()
        for _ in 0..<3 {
            _ = Sample(state: .closing, user: "far", endpoint: Array("https://far".utf8)).add(to: machine)
            _ = Sample(state: .closing, user: "near").add(to: machine)
        }
        machine.scripts = [[.silence], [.signedOut()], [.signedOut()], [.signedOut()]]
        let outcome = reap(machine)
        #expect(outcome.left == 3)
        #expect(machine.registry.sessions.map(\.user) == ["far", "far", "far"])
        #expect(machine.workers.count == 4)
        #expect(outcome.report.last == "! round not finished; waiting=2: what waits is for another round")
        #expect(machine.now.milliseconds == 5_010_000)
        #expect(machine.workers.allSatisfy { worker in worker.field(.persistence) == [Persistence.once.rawValue] })
    }

    @Test("once a service answers, its sessions that were to wait are ended, too")
    func recovered() {
        let machine = FakeMachine()
        _ = Sample(state: .closing, user: "waiting", attempts: 6, nextAttempt: 5_500_000).add(to: machine)
        _ = Sample(
            state: .closing, user: "elsewhere", attempts: 6, nextAttempt: 5_500_000, endpoint: Array("https://far".utf8)
        ).add(to: machine)
        _ = Sample(state: .closing, user: "due").add(to: machine)
        machine.scripts = [[.signedOut()], [.signedOut()]]
        #expect(reap(machine).left == 1)
        #expect(machine.registry.sessions.map(\.user) == ["elsewhere"])
        machine.scripts = [[.signedOut()]]
        #expect(reap(machine, .now).left == 0)
    }

    @Test("a round asks 20 times at once, then ten times a second, and ends after 50 seconds")
    func pace() {
        let machine = FakeMachine()
        for _ in 0..<600 {
            _ = Sample(state: .closing).add(to: machine)
        }
        machine.scripts = Array(repeating: [.signedOut()], count: 600)
        let began = machine.now.milliseconds
        #expect(reap(machine).left == 81)
        #expect(machine.workers.count == 519)
        #expect(machine.now.milliseconds - began == 50_000)
        #expect(reap(machine, .now).left == 0)
        #expect(machine.registry.entries.isEmpty)
    }

    @Test(
        "the work grows with the number of sessions, not with its square",
        arguments: [SignOutMode.global, .last, .session, .none])
    func linear(mode: SignOutMode) {
        func reads(_ count: Int) -> Int {
            let machine = FakeMachine()
            machine.answer = { [.signedOut()] }
            for number in 0..<count {
                _ = Sample(
                    state: .closing, user: "person \(number % (count / 2))", signOut: mode, attempts: 1, isShared: true
                )
                .add(to: machine)
            }
            #expect(reap(machine, .now).left == 0)
            return machine.reads
        }
        #expect(10 * reads(400) <= 21 * reads(200))
    }

    @Test("a session that begins while a round goes on is spared as one that was there before")
    func newerDuringRound() {
        let machine = FakeMachine()
        _ = Sample(state: .closing, created: 1, user: "first").add(to: machine)
        _ = Sample(state: .closing, created: 2, attempts: 1).add(to: machine)
        var answers = 0
        machine.answer = {
            answers += 1
            if answers == 1 {
                _ = Sample(created: 4_999_999).add(to: machine)
            }
            return [.signedOut()]
        }
        #expect(reap(machine).left == 0)
        #expect(machine.workers.map { worker in worker.field(.revocation)?.first } == [1, 2])
    }

    @Test("a service that has answered is asked about eight sessions at a time; one that has not, about one")
    func besideEachOther() {
        let machine = FakeMachine()
        for _ in 0..<30 {
            _ = Sample(state: .closing).add(to: machine)
        }
        var waiting: [Int] = []
        machine.answer = { [unowned machine] in
            waiting.append(machine.workers.count { worker in !worker.wasHeard })
            return [.wait(1000), .signedOut()]
        }
        #expect(reap(machine).left == 0)
        #expect(waiting.prefix(3) == [0, 0, 1])
        #expect(waiting.max() == 7)
    }

    @Test("two reapers at once: the second one leaves it to the first")
    func twoAtOnce() {
        let machine = FakeMachine()
        _ = Sample(state: .closing).add(to: machine)
        machine.lockedParts = [.reaping]
        for scope in [ReaperScope.due, .now] {
            #expect(reap(machine, scope) == (0, ["  another cognito-agent goes through the registry now"]))
        }
        #expect(machine.workers.isEmpty)
    }

    @Test("a registry that cannot be read is a fault")
    func unreadable() {
        let machine = FakeMachine()
        machine.entriesError = ErrorNumber(1)
        let outcome = reap(machine)
        #expect(outcome.left == 1)
        #expect(outcome.report == ["! the registry cannot be read (errno 1); run this as root"])
    }
}

/// Another session beside one that is ended late.
private struct Newer: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var other: Sample
    var hostIsDead = true
    var attempts: UInt8 = 0
    var expected: Revocation

    static let all = [
        Newer(testDescription: "newer, open", other: Sample(created: 1001), expected: .session),
        Newer(
            testDescription: "newer, about to open", other: Sample(state: .pending, created: 4_999_000),
            expected: .session),
        Newer(testDescription: "older", other: Sample(created: 999), expected: .global),
        Newer(testDescription: "of somebody else", other: Sample(created: 1001, user: "bob"), expected: .global),
        Newer(testDescription: "closing itself", other: Sample(state: .closing, created: 1001), expected: .global),
        Newer(
            testDescription: "host alive, first attempt", other: Sample(created: 1001), hostIsDead: false,
            expected: .global),
        Newer(
            testDescription: "host alive, later attempt", other: Sample(created: 1001), hostIsDead: false, attempts: 1,
            expected: .session),
    ]
}

@Suite struct RegistryEntryTests {
    @Test(
        "an entry comes back as it was",
        arguments: [
            Sample(), Sample(state: .pending, host: Int32.max, delivered: false, attempts: 255, tokenKey: 0),
            Sample(state: .closing, created: Int64.max, expires: 0, signOut: .none, tokenKey: Int32.max),
            Sample(state: .held, signOut: .last),
            Sample(user: "", signOut: .session, bundle: [], sessionBundle: Array(Secrets.sessionBundle.utf8)),
            Sample(endpoint: Array("https://a:1".utf8), caFile: Array("/ca".utf8)),
            Sample(accessTokenExpiry: 0, renewed: Int64.max, loginName: "", identity: .verifiedEmail),
            Sample(accessTokenExpiry: Int64.max, renewed: 0, withholdsRefreshToken: true),
            Sample(checked: 1), Sample(isShared: true, checked: Int64.max), Sample(warned: 1),
            Sample(warned: Int64.max),
            Sample(attempts: 3, nextAttempt: Int64.max, terminal: "/dev/pts/7"),
        ]
    )
    func roundTrip(sample: Sample) {
        let machine = FakeMachine()
        guard let payload = secret(sample.payload(machine)), let entry = RegistryEntry.decode(payload) else {
            Issue.record("not decoded")
            return
        }
        #expect(entry.state == sample.state)
        #expect(entry.host == ProcessIdentity(id: sample.host, startTime: 7))
        #expect(entry.pidNamespace == machine.pidNamespace)
        #expect(entry.created.milliseconds == sample.created)
        #expect(entry.expires == sample.expires)
        #expect(entry.service == Array("sshd".utf8))
        #expect(entry.remoteHost == Array("203.0.113.7".utf8))
        #expect(entry.terminal == Array(sample.terminal.utf8))
        #expect(entry.user == Array(sample.user.utf8))
        #expect(entry.signOut == sample.signOut)
        #expect(entry.delivered == sample.delivered)
        #expect(entry.userPoolID == Array("eu-west-1_AbCdEf123".utf8))
        #expect(entry.clientID == Array("1example23456789".utf8))
        #expect(entry.endpoint == sample.endpoint)
        #expect(entry.caFile == sample.caFile)
        #expect(entry.configuration == Array("/etc/security/pam_cognito.conf".utf8))
        #expect(entry.tokenKey == sample.tokenKey)
        #expect(entry.accessTokenExpiry == sample.accessTokenExpiry)
        #expect(entry.renewed.milliseconds == sample.renewed)
        #expect(entry.loginName == Array(sample.loginName.utf8))
        #expect(entry.identity == sample.identity)
        #expect(entry.withholdsRefreshToken == sample.withholdsRefreshToken)
        #expect(entry.isShared == sample.isShared)
        #expect(entry.checked.milliseconds == sample.checked)
        #expect(entry.warned.milliseconds == sample.warned)
        #expect(entry.attempts == sample.attempts)
        #expect(entry.nextAttempt.milliseconds == sample.nextAttempt)
        #expect(entry.bundle.withBytes { bytes in bytes.copied() } == sample.bundle)
        #expect(entry.sessionBundle?.withBytes { bytes in bytes.copied() } == sample.sessionBundle)
    }

    @Test("every cut of an entry is none, but where an optional part is cut off")
    func truncated() {
        let whole = Sample(sessionBundle: [0x61, 0x62, 0x63]).payload()
        let withoutLast = whole.count - 8
        for length in 0..<whole.count {
            #expect((Snapshot(Array(whole.prefix(length))) != nil) == (length == withoutLast), "\(length)")
        }
    }

    @Test("what a later module adds to an entry is passed over")
    func unknownField() {
        #expect(Snapshot(Sample().payload() + [0xfa, 0, 0, 0, 2, 1, 2]) == Snapshot(Sample().payload()))
        #expect(Snapshot(Sample().payload() + [0xfa, 0, 0, 0, 2, 1]) == nil)
    }

    @Test("no change of a byte traps, here or in what reads the entry")
    func corrupted() {
        let machine = FakeMachine()
        let whole = Sample(state: .pending).payload(machine)
        var copies: [[UInt8]] = []
        for offset in whole.indices {
            for value in [0, 1, 0x7f, 0x80, 0xff, whole[offset] ^ 1] {
                var changed = whole
                changed[offset] = value
                copies.append(changed)
            }
        }
        for copy in copies {
            machine.registry.entries = [:]
            _ = machine.registry.add(copy, seconds: 1)
            _ = Reaper(machine: machine).reap(dryRun: true) { _, _ in }
            _ = Reaper(machine: machine).reap(dryRun: false) { _, _ in }
        }
        for copy in copies {
            let world = World.signedIn().otherProcess(id: 90)
            world.machine.registry.entries[1001]?.payload = copy
            #expect([.success, .sessionError].contains(world.openSession()))
        }
    }

    @Test(
        "times before the beginning of time are none",
        arguments: [(.min, 1), (-1, 1), (1, -1), (1, .min)] as [(Int64, Int64)])
    func negativeTimes(created: Int64, expires: Int64) {
        #expect(Snapshot(Sample(created: created, expires: expires).payload()) == nil)
    }

    @Test("what is larger than a key may be is no entry")
    func tooLarge() {
        let machine = FakeMachine()
        let overhead = Sample(bundle: []).payload(machine).count
        let most = largestPayload - overhead
        #expect(Sample(bundle: [UInt8](repeating: 0, count: most)).payload(machine).count == largestPayload)
        #expect(Sample(bundle: [UInt8](repeating: 0, count: most + 1)).payload(machine).isEmpty)
        #expect(Sample(bundle: [UInt8](repeating: 0, count: most - 5), sessionBundle: [1]).payload(machine).isEmpty)
    }
}
