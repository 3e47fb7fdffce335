import Accounts
import Base
import Configuration
import Keyring
import Protocol
import Sessions
import Testing

@testable import Fakes

@Suite("What a session's steps ask and enter") struct SessionStepTests {
    @Test("a worker holds out for tokens that come late where somebody takes them")
    func lateAnswer() {
        for isTaken in [true, false] {
            let session = OpenSession()
            session.machine.scripts = [[.renewed()]]
            _ = session.renew(whenLate: isTaken ? { _ in } : nil)
            #expect(session.machine.workers.first?.field(.takesLateAnswer) == (isTaken ? [1] : nil))
            #expect(session.machine.workers.first?.field(.requestingService) == Array("sshd".utf8))
        }
    }

    @Test("tokens that come late are taken, and whoever asked is told before that there are none yet")
    func late() {
        let session = OpenSession()
        session.machine.scripts = [[.wait(9000), .send(packet(.late, [])), .wait(15_000), .renewed()]]
        var told = 0
        let renewal = session.renew { outcome in
            told += 1
            #expect(outcome == .failed(.kept(.unreachable, "Cognito did not answer in time")))
        }
        #expect(renewal == .renewed(until: 1_800_007_200))
        #expect(told == 1 && session.inSession == "new-tok3n-bundle")
    }

    @Test("whoever was waited for meanwhile, a worker has no more than its time")
    func limit() {
        let session = OpenSession()
        session.machine.scripts = [[.silence]]
        let check = SessionCheck(machine: session.machine).check(
            session.key, online: true, timeLimit: 3000, waiting: 0, ifMayCall: { true })
        session.machine.advance(3500)
        let before = session.machine.now.milliseconds
        _ = check.finish()
        #expect(session.machine.now.milliseconds - before == 500)
    }

    @Test(
        """
        a worker has a second more than its network, and for tokens that come late as much more as it holds out \
        for them
        """,
        arguments: [
            ([.wait(3999), .renewed()], true), ([.wait(4001), .renewed()], false),
            ([.send(packet(.late, [])), .wait(20_999), .renewed()], true),
            ([.send(packet(.late, [])), .wait(21_001), .renewed()], false),
        ] as [([Act], Bool)])
    func patience(script: [Act], isHeard: Bool) {
        let session = OpenSession()
        session.machine.scripts = [script]
        let renewal = session.renew(timeLimit: 3000) { _ in }
        let outOfTime = Renewal.failed(.kept(.unreachable, "Cognito did not answer in time"))
        #expect(renewal == (isHeard ? .renewed(until: 1_800_007_200) : outOfTime))
        #expect(session.machine.workers.first?.wasKilled == !isHeard)
        #expect(session.machine.workers.first?.field(.timeLimit) == [0, 0, 0, 0, 0, 0, 0x0b, 0xb8])
    }

    @Test("the place of another session is asked for, and a refusal that asking again would not mend is noted")
    func place() {
        let session = OpenSession()
        session.machine.scripts = [[.failed(.invalidTokens)]]
        let checked = SessionCheck(machine: session.machine).check(
            session.key, online: true, placing: 5, timeLimit: .max, waiting: 0, ifMayCall: { true }
        ).finish()
        #expect(checked == .invalid("told by Cognito"))
        #expect(session.machine.workers.first?.field(.sessionPlace) == [0, 0, 0, 0, 0, 0, 0, 5])
        #expect(session.machine.readEntry(session.key)?.checked == session.machine.now)
    }

    @Test("where a session that all may read has been refused, they read the one before it; else nothing is shared")
    func shared() {
        for isShared in [true, false] {
            let session = OpenSession(Sample(isShared: isShared))
            _ = Sample(created: 4_000_001, tokenKey: 601, isShared: true).add(to: session.machine)
            session.machine.tokenKeys[601] = FakeMachine.TokenKey()
            session.machine.scripts = [[.failed(.sessionEnded)]]
            #expect(session.check() == .failed(.ended("told by Cognito")))
            #expect(session.machine.shared == (isShared ? [OpenSession.description: 601] : [:]))
        }
    }

    @Test("and where its person has left it, or it was ended for them, too", arguments: [true, false])
    func sharedAndLeft(isLeft: Bool) {
        let session = OpenSession(Sample(isShared: true))
        _ = Sample(created: 4_000_001, tokenKey: 601, isShared: true).add(to: session.machine)
        session.machine.tokenKeys[601] = FakeMachine.TokenKey()
        session.machine.scripts = [[.signedOut()]]
        let ending = SessionEnding(machine: session.machine)
        if isLeft {
            #expect(ending.destroyTokens(session.key, forLock: 0, because: .idle))
        } else {
            #expect(ending.end(session.key, mode: .session, waiting: 1000) == .done(Ended("revoked")))
        }
        #expect(session.machine.shared == [OpenSession.description: 601] && session.inSession == nil)
    }

    @Test("of an identity that was made for a session the next request goes by")
    func identity() {
        let session = OpenSession()
        session.machine.scripts = [
            [.credentialMade(1_800_003_600, identity: "eu-west-1:one")], [.credentialMade(1_800_003_600)],
        ]
        for _ in 1...2 {
            let outcome = SessionCredentials(machine: session.machine).obtain(
                session.key, named: Array("aws".utf8), waiting: 0, ifMayCall: { true })
            guard case .made = outcome else {
                Issue.record("\(outcome)")
                return
            }
            session.machine.registry.credentials = [:]
        }
        let asked = session.machine.workers.map { worker in worker.field(.identityID).map(text) }
        #expect(asked == [nil, "eu-west-1:one"])
    }

    @Test("the pool's list is asked with the tokens; one of it is ended by its name; a refusal ends the session here")
    func poolSessions() {
        let ended = Array("one".utf8)
        for reason in [nil, FailureReason.sessionEnded] {
            let session = OpenSession()
            session.machine.scripts = [[reason.map { reason in .failed(reason) } ?? .listed([])]]
            let answer = PoolSessions(machine: session.machine).ask(
                session.key, ending: ended, waiting: 0, ifMayCall: { true }, noting: { _ in })
            switch answer {
            case .found(let sessions, _): #expect(reason == nil && sessions.isEmpty)
            case .failed(.ended): #expect(reason == .sessionEnded)
            default: Issue.record("\(answer)")
            }
            #expect(session.machine.workers.first?.field(.poolSession) == ended)
            #expect(session.machine.workers.first?.field(.bundle) == Array(Secrets.bundle.utf8))
            #expect((session.inSession == nil) == (reason != nil))
            #expect(session.registered?.state == (reason == nil ? .open : .closing))
        }
    }

    @Test(
        "whether a pool keeps a list is what it says itself",
        arguments: [
            ([.listed([])], true), ([.failed(.notListed)], false), ([.failed(.unreachable)], nil), ([.checked()], nil),
            ([.silence], nil), ([.end], nil),
        ] as [([Act], Bool?)])
    func listKept(script: [Act], isKept: Bool?) {
        let asking = OpenSession(Sample(state: .temporary))
        asking.machine.scripts = [script]
        #expect(PoolSessions(machine: asking.machine).areTracked(askingWith: asking.key) == isKept)
        #expect(asking.machine.workers.first?.field(.bundle) == Array(Secrets.bundle.utf8))
    }

    @Test(
        """
        where a session that is over can end no others, the machine does, if it is of that pool and the person is \
        there
        """
    )
    func elsewhere() {
        for (shortfall, pool, isAsked) in [
            (Shortfall.alreadyRevoked, "eu-west-1_AbCdEf123", true), (.userGone, "eu-west-1_AbCdEf123", false),
            (.alreadyRevoked, "eu-west-1_Other", false),
        ] {
            let session = OpenSession(
                Sample(pool: pool, endpoint: Array("https://pool".utf8), caFile: Array("/pool.pem".utf8)))
            session.machine.configuration = FakeMachine.configuration("iam_credentials_file = /keys")
            session.machine.scripts = [[.signedOut(.onlySession(shortfall))], [.signedOut()]]
            _ = session.end()
            #expect(session.machine.workers.flatMap(\.kinds) == [.signOut] + (isAsked ? [.adminSignOut] : []))
            #expect(session.machine.workers.allSatisfy { worker in worker.field(.caFile).map(text) == "/pool.pem" })
            #expect(
                session.machine.workers.allSatisfy { worker in worker.field(.endpoint).map(text) == "https://pool" })
        }
    }

    @Test(
        """
        a look at the way to Cognito begins no sign-in without the app client's secret, and somebody may watch the \
        worker
        """
    )
    func probe() throws {
        for (fault, asksForLevels) in [(nil, true), (nil, false), (Fault("/s: is missing"), true)] as [(Fault?, Bool)] {
            let machine = FakeMachine()
            machine.configuration = FakeMachine.configuration("client_secret_file = /s")
            machine.clientSecretFault = fault
            machine.scripts = [[.send(packet(.probed, [(.report, [0x7b, 0x7d])]))]]
            let settings = try machine.settings(at: Array("/etc/security/pam_cognito.conf".utf8), arguments: [])
            var observed = 0
            let outcome = try machine.probe(settings, flow: .secureRemotePassword, levels: asksForLevels) { worker in
                #expect(worker.kinds.isEmpty)
                observed += 1
            }
            guard case .reached(let report) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(report == [0x7b, 0x7d] && observed == 1)
            let worker = machine.workers.first
            #expect((worker?.field(.flow) == nil) == (fault != nil))
            #expect((worker?.field(.requiredACR) == nil) == (fault != nil || !asksForLevels))
        }
    }

    @Test("a look that takes too long ends with its worker")
    func lateProbe() throws {
        let machine = FakeMachine()
        machine.scripts = [[.silence]]
        let settings = try machine.settings(at: Array("/etc/security/pam_cognito.conf".utf8), arguments: [])
        let outcome = try machine.probe(settings, flow: .secureRemotePassword, levels: false) { _ in }
        guard case .outOfTime = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(machine.workers.map(\.wasKilled) == [true])
    }

    @Test("tokens are looked at by the keys that are known of their pool")
    func keySet() {
        let session = OpenSession()
        session.machine.keepKeySet(Array("{}".utf8), ofPool: Array("eu-west-1_AbCdEf123".utf8))
        session.machine.scripts = [[.checked()]]
        _ = session.check()
        #expect(session.machine.workers.first?.field(.keySet).map(text) == "{}")
        #expect(session.machine.workers.first?.field(.fixedKeySet) == nil)
    }

    @Test("tokens of an open session are looked at by the administrator's key set of today, if there is one")
    func keySetFile() {
        for client in ["1example23456789", "another"] {
            let session = OpenSession()
            session.machine.keepKeySet(Array("{}".utf8), ofPool: Array("eu-west-1_AbCdEf123".utf8))
            session.machine.configuration = FakeMachine.configuration("key_set_file = /k")
                .replacing(Array("1example23456789".utf8), with: Array(client.utf8))
            session.machine.keySetFile = .success(KeySetFile(Array("file".utf8), written: 0, now: 0))
            session.machine.scripts = [[.checked()]]
            _ = session.check()
            let isThisClients = client == "1example23456789"
            #expect(session.machine.workers.first?.field(.keySet).map(text) == (isThisClients ? "file" : "{}"))
            #expect(session.machine.workers.first?.field(.fixedKeySet) == (isThisClients ? [1] : nil))
        }
    }

    @Test("a login that is not there any more is refused by nobody, and nobody is asked about it")
    func nothingRefused() {
        let session = OpenSession()
        session.machine.remove(session.key)
        #expect(!SessionCheck(machine: session.machine).isRefused(session.key))
        #expect(session.machine.workers.isEmpty)
    }

    @Test("what the log is to be told of a renewal that the pool's list took, it is told")
    func renewedForList() {
        let session = OpenSession()
        session.machine.configuration = FakeMachine.configuration(
            "accounts = sign-in\naccount_names = *\ngroup_map = staff:sudo")
        let owner = AccountRecord.Owner(
            subject: Array("sub-of-alice".utf8), pool: Array("eu-west-1_AbCdEf123".utf8))
        session.machine.ownAccounts[Array("alice".utf8)] = .some(
            OwnAccount(.enabled, person: owner, groups: [Array("sudo".utf8)]))
        session.machine.scripts = [[.failed(.accessTokenExpired)], [.renewed(groups: ["guests"])], [.listed([])]]
        var notes: [RenewalNote] = []
        let answer = PoolSessions(machine: session.machine).ask(
            session.key, ending: nil, waiting: 0, ifMayCall: { true },
            noting: { note in notes += note.map { note in [note] } ?? [] })
        guard case .found = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(notes.map { note in text(note.line.bytes).hasPrefix("groups changed; user='alice'") } == [true])
    }

    @Test("whoever waits for a logout has Cognito asked again and again, each time a little later")
    func repetitions() {
        for (random, time, paused) in [
            ({ bound in bound - 1 }, 2000, 101 + 201 + 401 + 801), ({ _ in 0 }, 3000, 200 + 400 + 800),
        ] as [((Int64) -> Int64, Int64, Int64)] {
            let session = OpenSession()
            session.machine.randomNumber = random
            session.machine.answer = { [.failed(.throttled)] }
            let ending = SessionEnding(machine: session.machine).end(
                session.key, mode: nil, waiting: time, trying: .patient)
            #expect(ending == .left(.throttled, "told by Cognito"))
            #expect(session.machine.paused == paused)
        }
    }

    @Test("a session whose end an agent takes over has no tokens from then on")
    func handedOver() {
        let session = OpenSession()
        session.machine.canStartEnding = true
        #expect(SessionEnding(machine: session.machine).end(session.key, mode: nil, waiting: 0) == .handedOver)
        #expect(session.inSession == nil && session.machine.handedOver == [session.key])
    }

    @Test("who signs out of this machine while a logout has begun makes that no narrower")
    func meanwhileClosed() {
        for state in [SessionState.open, .closing] {
            let session = OpenSession(Sample(state: state))
            #expect(
                SessionEnding(machine: session.machine).destroyTokens(session.key, forLock: 0, because: .signedOut))
            #expect(session.registered?.signOut == (state == .open ? .session : .global))
            #expect(session.registered?.state == .closing && session.inSession == nil)
        }
    }

    @Test(
        "no sign-in waits for the end of a session at an unknown time, not even right after the machine has started",
        arguments: [1000, 5_000_000] as [Int64])
    func endOfCrash(uptime: Int64) {
        let session = OpenSession(Sample(state: .closing, attempts: 1, tokenKey: 0))
        let begin = Instant(milliseconds: uptime)
        session.machine.now = begin
        let look = session.machine.awaitSignOuts(
            of: Array("alice".utf8), userPoolID: Array("eu-west-1_AbCdEf123".utf8), sweeping: false)
        #expect(session.machine.now == begin && !look.globalSignOutPossible(since: look))
    }

    @Test("the sessions of a person that are counted are those that live")
    func counted() {
        let machine = FakeMachine()
        machine.dead = [301]
        for sample in [
            Sample(), Sample(tokenKey: 601), Sample(host: 301), Sample(state: .pending), Sample(state: .closing),
            Sample(user: "bob"),
        ] {
            _ = sample.add(to: machine)
        }
        #expect(machine.liveSessions(of: Array("alice".utf8)) == 2)
    }

    @Test("a text for a terminal keeps its lines")
    func lines() {
        #expect(text(presentable(Array("a\u{1b}\n\nb".utf8)).bytes) == "a?\n\nb")
    }
}
