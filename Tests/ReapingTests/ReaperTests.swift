import Agent
import Base
import Configuration
import Keyring
import Protocol
import Sessions
import Testing

@testable import Fakes

/// What is said of a process when there are no descriptors left to look at it with.
private let unseen = Life.unknown(.tooManyOpenFiles)
private let unknown = Verdict.unknown("the state of the PAM application is unknown (errno 24)")

/// Another session beside one that is ended late.
private struct Newer: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var other: Sample
    var hostIsDead = true
    var attempts: UInt8 = 0
    var closed: Int64 = 0
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
        Newer(
            testDescription: "began before it was closed", other: Sample(created: 2000), attempts: 1, closed: 2000,
            expected: .global),
        Newer(
            testDescription: "began since it was closed", other: Sample(created: 2001), hostIsDead: false, attempts: 1,
            closed: 2000, expected: .session),
    ]
}

@Suite struct ReaperTests {
    @Test(
        "what is left alone and what is ended",
        arguments: [
            (Sample(state: .pending, created: 1), .alive, .leave),
            (Sample(state: .pending, created: 5_000_000), .gone, .end("no session was opened after the sign-in")),
            (Sample(state: .pending, created: 1), unseen, unknown),
            (Sample(state: .open, created: 0), .alive, .leave),
            (Sample(state: .open), .gone, .end("the PAM application has ended")),
            (Sample(state: .open), unseen, unknown),
            (Sample(state: .temporary, created: 0), .alive, .leave),
            (Sample(state: .temporary), .gone, .end("the PAM application has ended")),
            (Sample(state: .temporary), unseen, unknown),
            (Sample(state: .closing), .alive, .end("the sign-out was not finished")),
            (Sample(state: .closing), .gone, .end("the sign-out was not finished")),
            (Sample(state: .closing), unseen, .end("the sign-out was not finished")),
        ] as [(Sample, Life, Verdict)]
    )
    func judgement(sample: Sample, host: Life, expected: Verdict) {
        let machine = FakeMachine()
        machine.dead = host == .gone ? [300] : []
        machine.unseen = host == unseen ? [300] : []
        #expect(machine.judge(sample) == expected)
    }

    /// A login whose first process is gone, and what is known of its parent.
    @Test(
        "where a process of the same program is the parent, it may still begin the session, for a while",
        arguments: [
            (4_400_000, .alive, .leave), (4_400_000, .gone, .end("no session was opened after the sign-in")),
            (4_400_000, unseen, unknown),
            (4_399_999, .alive, .end("no session was opened after the sign-in")),
            (4_399_999, unseen, .end("no session was opened after the sign-in")),
        ] as [(Int64, Life, Verdict)]
    )
    func leftToTheParent(created: Int64, parent: Life, expected: Verdict) {
        for inContainer in [false, true] {
            let machine = FakeMachine()
            machine.isInitialNamespace = true
            machine.dead = parent == .gone ? [300, 299] : [300]
            machine.unseen = parent == unseen ? [299] : []
            let sample = Sample(state: .pending, parent: 299, inContainer: inContainer, created: created)
            let verdict = machine.judge(sample)
            if inContainer, expected != .end("no session was opened after the sign-in") {
                guard case .foreign = verdict else {
                    Issue.record("taken for one of this namespace")
                    continue
                }
            } else {
                #expect(verdict == expected)
            }
        }
    }

    @Test(
        "what is another's is left alone, unless this is the initial pid namespace and the host is gone",
        arguments: [Sample(inContainer: true), Sample(state: .closing, inContainer: true)],
        [Life.alive, .gone, unseen])
    func foreign(sample: Sample, host: Life) {
        for isInitial in [false, true] {
            let machine = FakeMachine()
            machine.isInitialNamespace = isInitial
            machine.dead = host == .gone ? [300] : []
            machine.unseen = host == unseen ? [300] : []
            switch machine.judge(sample) {
            case .foreign(let why):
                #expect(!isInitial || host != .gone && text(why.bytes).contains("container (pid namespace 77)"))
            case .end:
                #expect(isInitial && host == .gone)
            case .leave, .unknown, nil:
                Issue.record("taken for one of this namespace")
            }
        }
    }

    @Test("times that nobody could have entered trap nowhere: what has them is ended all the same")
    func absurdTimes() {
        for time in [Int64.max, Int64.max - 1000, Int64.max / 1000, 253_402_300_800] {
            let machine = FakeMachine()
            machine.now = Instant(milliseconds: 1)
            _ = Sample(
                state: .closing, created: time, expires: time, attempts: 1, nextAttempt: time,
                accessTokenExpiry: time, renewed: time, checked: time, warned: time
            ).add(to: machine)
            _ = Sample(
                created: time, expires: time, nextAttempt: time, accessTokenExpiry: time, renewed: time, checked: time,
                warned: time
            ).add(to: machine)
            #expect(machine.reap(dryRun: true).report.count == 1)
            machine.scripts = [[.signedOut()]]
            #expect(machine.reap(.now).left == 0)
            #expect(machine.registry.sessions.map(\.state) == [.open])
        }
    }

    @Test("a mixed registry: only what ended badly is ended, each in its way")
    func mixed() {
        let machine = FakeMachine()
        machine.configuration = FakeMachine.configuration("check_interval = 0")
        machine.dead = [301]
        _ = Sample(host: 300, user: "living").add(to: machine)
        _ = Sample(host: 301, user: "orphan").add(to: machine)
        _ = Sample(state: .pending, host: 301, created: 1, user: "abandoned", delivered: false, tokenKey: 0)
            .add(to: machine)
        _ = Sample(state: .closing, user: "unfinished", signOut: .session, attempts: 3).add(to: machine)
        _ = Sample(inContainer: true, user: "elsewhere").add(to: machine)
        _ = machine.registry.add([1, 0xff], seconds: 1)
        // Of a version to come: not ours to judge.
        let later = machine.registry.add([2, 0xff], seconds: 1)
        _ = Sample(state: .closing, user: "kept", signOut: .none).add(to: machine)
        _ = Sample(state: .closing, expires: 1, user: "old", attempts: 100, nextAttempt: 5_002_001).add(to: machine)
        let busy = Sample(state: .closing, user: "busy", attempts: 2).add(to: machine)
        machine.locked = [busy.serial.number]
        machine.scripts = [
            [.signedOut(.alreadyRevoked)], [.signedOut()], [.failed(.unreachable, log: "no route")],
        ]

        let dry = machine.reap(dryRun: true)
        #expect(dry.left == 0)
        func line(_ event: String, _ user: String, _ session: Int, host: Int = 300) -> String {
            "\(event); user='\(user)' session=\(session) service='sshd' rhost='203.0.113.7' process=\(host)"
        }
        #expect(
            dry.report == [
                "  \(line("left alone", "elsewhere", 1005)): "
                    + "the session belongs to another container (pid namespace 77)",
                "! a damaged registry entry would be removed",
                "  skipping a registry entry from another version of pam-cognito",
                "  \(line("would be signed out", "abandoned", 1003, host: 301)): "
                    + "no session was opened after the sign-in",
                "  \(line("would be signed out", "orphan", 1002, host: 301)): the PAM application has ended",
                "  \(line("would be signed out", "kept", 1008)): the sign-out was not finished",
                "  \(line("would be signed out", "busy", 1010)) attempts=2 next=0s: the sign-out was not finished",
                "  \(line("would be signed out", "unfinished", 1004)) attempts=3 next=0s: the sign-out was not "
                    + "finished",
                "  \(line("would be signed out", "old", 1009)) attempts=100 next=3s: the sign-out was not finished",
            ])
        #expect(machine.registry.entries.count == 10)
        #expect(machine.workers.isEmpty)

        let done = machine.reap()
        #expect(done.left == 2)
        #expect(
            done.report == [
                "! a damaged registry entry was removed",
                "  \(line("signed out", "abandoned", 1003, host: 301)) outcome=already_revoked: "
                    + "no session was opened after the sign-in",
                "  \(line("signed out", "kept", 1008)) outcome=kept_at_cognito: the sign-out was not finished",
                "! \(line("given up", "old", 1009)) outcome=unknown: the sign-out was not finished. "
                    + "The tokens have probably expired, but Cognito never confirmed the revocation",
                "  \(line("signed out", "orphan", 1002, host: 301)) outcome=revoked_everywhere: "
                    + "the PAM application has ended",
                "! \(line("sign-out not finished", "unfinished", 1004)): the sign-out was not finished: no route",
                "! \(line("sign-out not finished", "busy", 1010)): the sign-out was not finished: another process has "
                    + "locked the registry entry",
            ])
        #expect(machine.workers.map { worker in worker.field(.revocation)?.first } == [2, 1, 2])
        #expect(machine.registry.sessions.map(\.user) == ["living", "unfinished", "elsewhere", "busy"])
        #expect(machine.registry.sessions.map(\.attempts) == [0, 4, 0, 2])
        #expect(machine.registry.entries[later.serial.number] != nil)
        #expect(machine.destroyed == [600, 600, 600])
    }

    @Test("Cognito is asked about tokens that should have run out: when they did is not for this machine to say")
    func past() {
        for (late, attempts, isAsked) in [
            (1, 255, true), (604_800, 255, true), (604_801, 99, true), (604_801, 100, false), (.max / 2, 0, true),
        ] as [(Int64, UInt8, Bool)] {
            let machine = FakeMachine()
            _ = Sample(state: .closing, expires: 0, attempts: attempts).add(to: machine)
            machine.time = late
            machine.scripts = [[.signedOut(.expired)]]
            #expect(machine.reap().report.count == 1)
            #expect(machine.workers.isEmpty != isAsked)
            #expect(machine.registry.entries.isEmpty)
        }
    }

    @Test(
        """
        an entry that another process has locked is told of, and is strange where its end began more than two \
        minutes ago
        """
    )
    func lockedEntry() {
        for (age, isFault) in [(119_999, false), (120_000, true)] as [(Int64, Bool)] {
            let machine = FakeMachine()
            let key = Sample(state: .closing, attempts: 1, closed: machine.now.milliseconds - age).add(to: machine)
            machine.locked = [key.serial.number]
            let round = machine.reap()
            #expect(round.left == 1 && round.report.count == 1)
            #expect(round.report.first?.hasPrefix("! ") == isFault)
        }
    }

    @Test("programs that their user has stopped with entries are ended after five seconds in all")
    func stoppedHolders() {
        let machine = FakeMachine()
        machine.dead = [301]
        let keys = (0..<8).map { _ in Sample(host: 301).add(to: machine) }
        machine.stopped = Set(keys.map { key in key.serial.number })
        machine.scripts = keys.map { _ in [.signedOut()] }
        let begun = machine.now.milliseconds
        #expect(machine.reap().left == 0)
        #expect(machine.registry.entries.isEmpty)
        #expect(machine.endedHolders.sorted() == keys.map { key in key.serial.number }.sorted())
        #expect((5000..<6000).contains(machine.now.milliseconds - begun))
    }

    @Test("tokens that no session had are revoked even where sessions keep theirs")
    func undeliveredAreNotKept() {
        let machine = FakeMachine()
        machine.dead = [300]
        _ = Sample(state: .pending, created: 1, signOut: .none, delivered: false, tokenKey: 0).add(to: machine)
        machine.scripts = [[.signedOut()]]
        #expect(machine.reap().left == 0)
        #expect(machine.workers.first?.field(.revocation) == [Revocation.session.rawValue])
        #expect(machine.registry.entries.isEmpty)
    }

    @Test("a late end spares a newer session of the same person: RevokeToken", arguments: Newer.all)
    private func newerSession(newer: Newer) {
        let machine = FakeMachine()
        machine.dead = newer.hostIsDead ? [301] : []
        _ = Sample(state: .closing, host: 301, created: 1000, attempts: newer.attempts, closed: newer.closed)
            .add(to: machine)
        _ = newer.other.add(to: machine)
        machine.scripts = [[.signedOut()], []]
        _ = machine.reap()
        #expect(machine.workers.first?.field(.revocation) == [newer.expected.rawValue])
    }

    @Test(
        "a session that began, or was taken over, while the reaper was looking is not ended",
        arguments: [Sample(host: 301), Sample(state: .pending, host: 301, delivered: false, tokenKey: 0)])
    private func judgedAgain(later: Sample) {
        let machine = FakeMachine()
        machine.dead = [300]
        let key = Sample(state: .pending, delivered: false, tokenKey: 0).add(to: machine)
        let payload = later.payload(machine)
        // Between judgement and lock another process comes for it.
        machine.onLock = { [registry = machine.registry] in registry.entries[key.serial.number]?.payload = payload }
        #expect(machine.reap().left == 0)
        #expect(machine.workers.isEmpty)
        #expect(machine.registry.sessions.map(\.state) == [later.state])
    }

    @Test("attempts are counted without end")
    func attempts() {
        let machine = FakeMachine()
        _ = Sample(state: .closing, attempts: 254).add(to: machine)
        for _ in 0..<3 {
            machine.scripts = [[]]
            #expect(machine.reap().left == 1)
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
                #expect(machine.reap().left == 1)
                let next = try #require(machine.registry.sessions.first).nextAttempt
                pauses.append(next == 0 ? 0 : next - machine.now.milliseconds)
                // One moment too early: no session is checked.
                let asked = machine.workers.count
                if next > 0 {
                    machine.now = Instant(milliseconds: next - 1)
                    #expect(machine.reap() == (1, []))
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
        let outcome = machine.reap()
        #expect(outcome.left == 3)
        #expect(machine.registry.sessions.map(\.user) == ["far", "far", "far"])
        #expect(machine.workers.count == 4)
        #expect(
            outcome.report.last == "! round not finished; waiting=2: the other sessions wait for the next cleanup run")
        #expect(machine.now.milliseconds == 5_010_000)
        #expect(machine.workers.allSatisfy { worker in worker.field(.persistence) == [Persistence.once.rawValue] })
    }

    @Test(
        "while the machine stops all are asked side by side, hosts are outlasted, and who is left is named",
        arguments: [(true, 5000), (false, 8000)] as [(Bool, Int64)])
    func stopping(hostsAreGone: Bool, time: Int64) {
        let machine = FakeMachine()
        machine.dead = hostsAreGone ? [300] : []
        for number in 10..<30 {
            _ = Sample(user: "u\(number)").add(to: machine)
        }
        machine.scripts = Array(repeating: [.silence], count: 16)
        let outcome = machine.reap(.everything)
        #expect(outcome.left == 20 && machine.workers.count == 16)
        #expect(machine.now.milliseconds == 5_000_000 + time)
        #expect(machine.timesWorkersEnded == 1)
        for number in 10..<30 {
            let line = "! sign-out not finished; user='u\(number)'"
            #expect(outcome.report.filter { told in told.hasPrefix(line) }.count == 1)
        }
    }

    @Test("what a host is at while the machine stops is done once it lets go, and named if it does not")
    func stoppingBesideHosts() {
        for letsGo in [true, false] {
            let machine = FakeMachine()
            let key = Sample().add(to: machine)
            machine.locked = [key.serial.number]
            machine.scripts = [[.signedOut()]]
            machine.onLock = {
                if letsGo, machine.now.milliseconds > 5_002_000 {
                    machine.locked = []
                }
            }
            let outcome = machine.reap(.everything)
            #expect(outcome.left == (letsGo ? 0 : 1))
            #expect(machine.registry.sessions.isEmpty == letsGo)
            #expect(machine.timesWorkersEnded == outcome.left)
            #expect(outcome.report.count == 1)
            #expect(letsGo || outcome.report[0].hasSuffix(": the PAM application kept the registry entry locked"))
        }
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
        #expect(machine.reap().left == 1)
        #expect(machine.registry.sessions.map(\.user) == ["elsewhere"])
        machine.scripts = [[.signedOut()]]
        #expect(machine.reap(.now).left == 0)
    }

    @Test("a round asks 20 times at once, then ten times a second, and ends after 50 seconds")
    func pace() {
        let machine = FakeMachine()
        for number in 0..<600 {
            _ = Sample(state: .closing, user: "person \(number)").add(to: machine)
        }
        machine.scripts = Array(repeating: [.signedOut()], count: 600)
        let began = machine.now.milliseconds
        #expect(machine.reap().left == 81)
        #expect(machine.workers.count == 519)
        #expect(machine.now.milliseconds - began == 50_000)
        #expect(machine.reap(.now).left == 0)
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
            #expect(machine.reap(.now).left == 0)
            return machine.reads
        }
        #expect(10 * reads(400) <= 21 * reads(200))
    }

    @Test("while the machine stops, a sign-out everywhere is tried again, decided anew each time")
    func askedAgain() {
        for (signsInAgain, expected) in [(false, [1, 1, 1]), (true, [1, 2])] as [(Bool, [UInt8])] {
            let machine = FakeMachine()
            _ = Sample(state: .closing, attempts: 1, closed: 4_999_000).add(to: machine)
            var answers = 0
            machine.answer = {
                answers += 1
                if answers == 1, signsInAgain {
                    _ = Sample(created: 4_999_999, user: "alice").add(to: machine)
                }
                return answers < expected.count ? [.failed(.throttled)] : [.signedOut()]
            }
            let key = RootKey(serial: KeySerial(1001), description: Array("pam-cognito:s:1001".utf8))
            let ending = SessionEnding(machine: machine).end(key, mode: nil, waiting: 5000, trying: .patient)
            #expect(
                ending
                    == .done(
                        signsInAgain
                            ? Ended("only_this_session", because: .newerSession) : Ended("revoked_everywhere")))
            #expect(machine.workers.map { worker in worker.field(.revocation)?.first } == expected)
            #expect(machine.now.milliseconds - 5_000_000 < 5000 && machine.paused > 0)
        }
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
        #expect(machine.reap().left == 0)
        #expect(machine.workers.map { worker in worker.field(.revocation)?.first } == [1, 2])
    }

    @Test("no change of a byte of an entry traps")
    func corrupted() {
        let machine = FakeMachine()
        for copy in Sample(state: .pending).payload(machine).changedByteByByte {
            machine.registry.entries = [:]
            _ = machine.registry.add(copy, seconds: 1)
            _ = Reaper(machine: machine).reap(dryRun: true) { _, _ in }
            _ = Reaper(machine: machine).reap(dryRun: false) { _, _ in }
        }
    }

    @Test("two reapers at once: the second one leaves it to the first")
    func twoAtOnce() {
        let machine = FakeMachine()
        _ = Sample(state: .closing).add(to: machine)
        machine.isReaping = true
        for scope in [ReaperScope.due, .now] {
            #expect(machine.reap(scope) == (0, ["  another cognito-agent is reading the registry"]))
        }
        #expect(machine.workers.isEmpty)
    }

    @Test("a registry that cannot be read is a fault")
    func unreadable() {
        let machine = FakeMachine()
        machine.entriesError = .notPermitted
        for (caller, words) in [(5001, "run this command as root"), (0, "keyrings(7) calls are not permitted: ")] {
            machine.effectiveUserID = UInt32(caller)
            let outcome = machine.reap()
            #expect(outcome.left == 1 && outcome.report.count == 1)
            #expect(outcome.report.first?.hasPrefix("! the registry cannot be read (errno 1); \(words)") == true)
        }
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
}
