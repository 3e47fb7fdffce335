import Accounts
import Base
import Configuration
import Keyring
import Protocol
import Sessions
import Testing

@testable import Fakes

/// A machine with one open session of alice's, whose token key has the tokens of before.
struct OpenSession {
    let machine = FakeMachine()
    let key: RootKey
    static let description = FakeMachine.TokenKey().description

    init(_ sample: Sample = Sample()) {
        key = sample.add(to: machine)
        if sample.tokenKey > 0 {
            machine.tokenKeys[sample.tokenKey] = FakeMachine.TokenKey()
        }
    }

    func renew(
        minimumLife: Int64 = 1_000_000, asked: Int64 = 5_000_000, timeLimit: Int64 = .max, mayCall: Bool = true,
        whenLate: ((Renewal) -> Void)? = nil
    ) -> Renewal {
        SessionRenewal(machine: machine).renew(
            key, minimumLife: minimumLife, asked: Instant(milliseconds: asked), timeLimit: timeLimit, waiting: 0,
            ifMayCall: { mayCall }, whenLate: whenLate
        ).finish()
    }

    func check(online: Bool = true, mayCall: Bool = true) -> Checked {
        SessionCheck(machine: machine).check(key, online: online, waiting: 0, ifMayCall: { mayCall }).finish()
    }

    func end() -> EndingNow {
        SessionEnding(machine: machine).endNow(key, forLock: 0)
    }

    var inSession: String? { machine.tokenKeys[600]?.bundle }
    var registered: Snapshot? { machine.registry.sessions.first }
}

@Suite struct RenewalTests {
    @Test(
        "Cognito is asked only when that is needed",
        arguments: [
            // life left, asked for, last renewed, asked at
            (3600, 300, 4_000_000, 5_000_000, false),
            (300, 300, 4_000_000, 5_000_000, false),
            (299, 300, 4_000_000, 5_000_000, true),
            (3600, 3601, 4_999_999, 5_000_000, true),
            // Another process was quicker.
            (3600, 3601, 5_000_000, 5_000_000, false),
            (3600, 1_000_000, 5_000_001, 5_000_000, false),
            // Nothing that has ended is good, however new.
            (0, 0, 5_000_001, 5_000_000, true),
            (-5, -10, 4_000_000, 5_000_000, true),
            (3600, Int64.min, 4_000_000, 5_000_000, false),
            (3600, Int64.max, 4_000_000, 5_000_000, true),
        ] as [(Int64, Int64, Int64, Int64, Bool)])
    func need(left: Int64, wanted: Int64, renewed: Int64, asked: Int64, isNeeded: Bool) {
        let session = OpenSession(Sample(accessTokenExpiry: 1_800_000_000 + left, renewed: renewed))
        session.machine.scripts = [[.renewed()]]
        let outcome = session.renew(minimumLife: wanted, asked: asked)
        #expect(outcome == (isNeeded ? .renewed(until: 1_800_007_200) : .fresh(until: 1_800_000_000 + left)))
        #expect(session.machine.workers.count == (isNeeded ? 1 : 0))
    }

    @Test(
        "only a worker past its time is killed: one that cannot be heard may have tokens",
        arguments: [([.silence], true), ([.deafness], false), ([.send([9])], false), ([.signedOut()], false)]
            as [([Act], Bool)])
    func killed(script: [Act], expected: Bool) {
        let session = OpenSession()
        session.machine.scripts = [script]
        _ = session.renew()
        #expect(session.machine.workers.map(\.wasKilled) == [expected])
    }

    @Test("the new tokens are in the registry and in the session")
    func inPlace() {
        let session = OpenSession(Sample(identity: .verifiedEmail))
        session.machine.scripts = [[.keep("keys"), .renewed(as: "some-uuid")]]
        #expect(session.renew() == .renewed(until: 1_800_007_200))
        #expect(session.registered?.bundle == "new-tok3n-bundle")
        #expect(session.registered?.state == .open)
        #expect(session.inSession == "new-tok3n-bundle")
        #expect(session.machine.tokenKeys[600]?.seconds == 100_000)
        #expect(session.machine.keySets == ["eu-west-1_AbCdEf123": "keys"])
        let worker = session.machine.workers.first
        #expect(worker?.kinds == [.renew, .registered])
        #expect(worker?.field(.loginName) == Array("alice@example.com".utf8))
        #expect(worker?.field(.bundle) == Array(Secrets.bundle.utf8))
        #expect(worker?.field(.withholdRefreshToken) == [0])
        // What has just been renewed is not renewed again for those who asked before.
        #expect(session.renew() == .fresh(until: 1_800_007_200))
    }

    @Test("the session sees less where the refresh token is withheld")
    func withheld() {
        let session = OpenSession(Sample(withholdsRefreshToken: true))
        session.machine.scripts = [[.renewed(sessionBundle: "less")]]
        #expect(session.renew() == .renewed(until: 1_800_007_200))
        #expect(session.registered?.bundle == "new-tok3n-bundle")
        #expect(session.inSession == "less")
        #expect(session.machine.workers.first?.field(.withholdRefreshToken) == [1])
    }

    /// The groups of new tokens, and their effect for a user who is in others by the last sign-in.
    struct NewGroups: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var accounts = "sign-in\naccount_names = *"
        var state = AccountRecord.State.enabled
        var subject = "sub-of-alice"
        var groups = ["staff"]
        var fault: Fault?
        var entered: [[String]] = []
        var said: String?
        var isFault = false

        static let all = [
            NewGroups(testDescription: "the same", groups: ["crew", "unmapped"]),
            NewGroups(
                testDescription: "others", entered: [["sudo", "adm"]],
                said: "groups changed; user='alice' uid=5001 before=docker now=sudo,adm source=renewal"),
            NewGroups(
                testDescription: "none", groups: [], entered: [[]],
                said: "groups changed; user='alice' uid=5001 before=docker now=- source=renewal"),
            NewGroups(testDescription: "another person's account", subject: "sub-of-whoever-had-the-name"),
            NewGroups(testDescription: "locked", state: .locked),
            NewGroups(testDescription: "barred", state: .barred),
            NewGroups(testDescription: "forgotten", state: .forgotten),
            NewGroups(
                testDescription: "the directory says who is in which",
                accounts: "directory\niam_instance_metadata = yes"),
            NewGroups(testDescription: "no accounts of ours", accounts: "none"),
            NewGroups(
                testDescription: "no place on the disk", fault: Fault("the disk is full"),
                said: "groups not changed; user='alice' uid=5001 before=docker now=sudo,adm source=renewal: the disk",
                isFault: true),
        ]
    }

    @Test("whoever has an account by sign-ins is in the groups that new tokens stand for", arguments: NewGroups.all)
    func groups(new: NewGroups) {
        let session = OpenSession()
        let map = new.accounts == "none" ? "" : "group_map = staff:sudo,adm crew:docker"
        session.machine.configuration = FakeMachine.configuration("accounts = \(new.accounts)\n\(map)")
        session.machine.ownAccounts[Array("alice".utf8)] = .some(
            OwnAccount(
                new.state,
                person: AccountRecord.Owner(
                    subject: Array(new.subject.utf8), pool: Array("eu-west-1_AbCdEf123".utf8)),
                groups: [Array("docker".utf8)]))
        session.machine.newcomerFault = new.fault
        session.machine.scripts = [[.renewed(groups: new.groups)]]
        guard case .renewed(1_800_007_200, let note) = session.renew() else {
            Issue.record("not renewed")
            return
        }
        #expect(session.machine.enteredGroups.map { groups in groups.map(text) } == new.entered)
        #expect((note?.isFault ?? false) == new.isFault)
        let line = note.map { note in text(note.line.bytes) }
        if let said = new.said {
            #expect(line?.hasPrefix(said) == true, "\(line ?? "nothing")")
        } else {
            #expect(line == nil)
        }
        #expect(session.inSession == "new-tok3n-bundle")
    }

    @Test(
        "what is no definite refusal keeps everything",
        arguments: FailureReason.allCases.filter { reason in reason != .sessionEnded })
    func kept(reason: FailureReason) {
        let session = OpenSession()
        session.machine.scripts = [[.failed(reason, log: "why")]]
        #expect(session.renew() == .failed(.kept(reason, "why")))
        expectUnchanged(session)
    }

    @Test(
        "a worker that makes no sense keeps everything",
        arguments: [
            [], [.end], [.silence], [.send([1])], [.ask(.password)], [.signedIn()], [.signedOut()],
            [.failed(code: 200)], [.renewed(as: "bob")], [.renewed(until: 0)], [.renewed(until: -1)],
            [.renewed(bundle: String(repeating: "x", count: 32_700))],
        ] as [[Act]])
    func nonsense(script: [Act]) {
        let session = OpenSession()
        session.machine.scripts = [script]
        guard case .failed(.kept) = session.renew() else {
            Issue.record("not kept")
            return
        }
        expectUnchanged(session)
    }

    @Test("a worker that cannot be started, a registry that cannot be written, a limit that is reached")
    func faults() {
        let none = OpenSession()
        #expect(none.renew() == .failed(.kept(.internalFault, "the worker cannot be started")))
        expectUnchanged(none)
        let full = OpenSession()
        full.machine.scripts = [[.renewed()]]
        full.machine.replaceError = .diskQuotaExceeded
        let line: ByteText = "the renewed tokens cannot be registered (errno 122); the session keeps the old tokens"
        #expect(full.renew() == .failed(.kept(.internalFault, line)))
        expectUnchanged(full)
        // Not told that it is registered.
        #expect(full.machine.workers.first?.kinds == [.renew])
        let limited = OpenSession()
        limited.machine.scripts = [[.renewed()]]
        #expect(limited.renew(mayCall: false) == .failed(.busy))
        #expect(limited.renew(minimumLife: 1, mayCall: false) == .fresh(until: 1_800_003_600))
        expectUnchanged(limited)
    }

    private func expectUnchanged(_ session: OpenSession, _ place: SourceLocation = #_sourceLocation) {
        #expect(session.registered?.bundle == Secrets.bundle, sourceLocation: place)
        #expect(session.registered?.state == .open, sourceLocation: place)
        #expect(session.inSession == "old", sourceLocation: place)
        #expect(session.machine.destroyed.isEmpty, sourceLocation: place)
    }

    @Test("a definite refusal ends the session here")
    func ended() {
        let session = OpenSession(Sample(signOut: .global))
        session.machine.scripts = [[.failed(.sessionEnded, log: "revoked")]]
        #expect(session.renew() == .failed(.ended("revoked")))
        #expect(session.machine.destroyed == [600])
        #expect(session.registered?.state == .closing)
        // Its end must not reach other sessions of the person.
        #expect(session.registered?.signOut == .session)
        #expect(session.renew() == .failed(.gone))
    }

    @Test(
        "sessions that are none",
        arguments: [Sample(state: .pending), Sample(state: .closing), Sample(tokenKey: 0)])
    func gone(sample: Sample) {
        let session = OpenSession(sample)
        #expect(session.renew() == .failed(.gone))
        #expect(session.machine.workers.isEmpty)
    }

    @Test("a token key that was thrown away, before or meanwhile")
    func thrownAway() {
        let before = OpenSession()
        before.machine.tokenKeys = [:]
        #expect(before.renew() == .failed(.gone))
        #expect(before.machine.workers.isEmpty)
        let meanwhile = OpenSession()
        meanwhile.machine.scripts = [[.renewed()]]
        meanwhile.machine.updateError = .noKey
        #expect(meanwhile.renew() == .failed(.gone))
        // What Cognito gave is known to the registry, and will be revoked.
        #expect(meanwhile.registered?.bundle == "new-tok3n-bundle")
    }

    @Test("a renewal that did not get as far as the session is made up for, however fresh the registry's tokens are")
    func behind() {
        let session = OpenSession()
        session.machine.scripts = [[.renewed()], [.renewed(bundle: "newer-tok3n-bundle")]]
        session.machine.updateError = .diskQuotaExceeded
        guard case .failed(.kept(.internalFault, let line)) = session.renew() else {
            Issue.record("told as something else")
            return
        }
        #expect(text(line.bytes).hasPrefix("the renewed tokens cannot be put into the session (errno 122)"))
        #expect(session.registered?.bundle == "new-tok3n-bundle" && session.inSession == "old")
        session.machine.updateError = nil
        #expect(session.renew(minimumLife: 0) == .renewed(until: 1_800_007_200))
        #expect(session.inSession == "newer-tok3n-bundle")
        #expect(session.renew(minimumLife: 0) == .fresh(until: 1_800_007_200))
    }

    @Test("another process is doing it")
    func busy() {
        let session = OpenSession()
        session.machine.locked = [session.key.serial.number]
        #expect(session.renew() == .failed(.busy))
    }
}

@Suite struct EndingNowTests {
    @Test(
        "what Cognito said ends the session here, too",
        arguments: [
            SignOutResult.everywhere, .revoked, .alreadyRevoked, .expired,
        ] + Shortfall.allCases.map(SignOutResult.onlySession))
    func done(result: SignOutResult) {
        let session = OpenSession(Sample(signOut: .session))
        session.machine.scripts = [[.signedOut(result)]]
        guard case .done(result, _) = session.end() else {
            Issue.record("not done")
            return
        }
        #expect(session.machine.workers.first?.field(.revocation) == [Revocation.global.rawValue])
        #expect(session.machine.destroyed == [600])
        #expect(session.registered == nil)
    }

    @Test(
        "what Cognito does not confirm changes nothing",
        arguments: [
            [.failed(.unreachable)], [.failed(.throttled)], [.failed(.serviceFault)], [.failed(code: 250)], [.silence],
            [.signedOut(.nothing(nil))], [.signedOut(.nothing(.firewall))],
            // It is unknown how far that has reached.
            [.send(packet(.signedOut, [(.outcome, [1])]))], [.end], [.deafness], [.send([9])], [],
        ] as [[Act]])
    func kept(script: [Act]) {
        let session = OpenSession(Sample(signOut: .session))
        session.machine.scripts = [script]
        guard case .failed(.kept) = session.end() else {
            Issue.record("not kept")
            return
        }
        #expect(session.registered?.state == .open)
        #expect(session.registered?.signOut == .session)
        #expect(session.inSession == "old")
        #expect(script.isEmpty || session.machine.workers.count == 1)
    }

    @Test("what Cognito refuses altogether is no session any more, and is not known to be revoked, either")
    func refused() {
        let session = OpenSession(Sample(signOut: .global))
        session.machine.scripts = [[.failed(.sessionEnded)]]
        #expect(session.end() == .failed(.ended("told by Cognito")))
        #expect(session.machine.destroyed == [600])
        #expect(session.registered?.state == .closing && session.registered?.signOut == .session)
    }

    @Test(
        """
        a worker that is late, or cannot be heard, is ended: nothing is done later that the person was told is not \
        done
        """,
        arguments: [.silence, .deafness, .send([9])] as [Act])
    func late(act: Act) {
        let session = OpenSession()
        session.machine.scripts = [[act]]
        guard case .failed(.kept) = session.end() else {
            Issue.record("not kept")
            return
        }
        #expect(session.machine.workers.first?.wasKilled == true)
    }

    @Test("letting go takes the tokens away at once, and leaves the rest to be done")
    func runsHooks() {
        let session = OpenSession(Sample(signOut: .global))
        #expect(SessionEnding(machine: session.machine).destroyTokens(session.key, forLock: 0, because: .signedOut))
        #expect(session.machine.destroyed == [600])
        #expect(session.registered?.state == .closing)
        #expect(session.registered?.signOut == .session)
        #expect(session.machine.workers.isEmpty)
        session.machine.scripts = [[.signedOut()]]
        #expect(
            SessionEnding(machine: session.machine).end(session.key, mode: nil, waiting: 1) == .done(Ended("revoked")))
        #expect(session.registered == nil)
        #expect(session.machine.workers.first?.field(.revocation) == [Revocation.session.rawValue])
    }

    @Test("somebody waits for the answer: it is asked once, and a failure is told at once")
    func once() {
        let session = OpenSession()
        session.machine.scripts = [[.failed(.unreachable)]]
        _ = session.end()
        #expect(session.machine.workers.map { worker in worker.field(.persistence) } == [[Persistence.once.rawValue]])
        #expect(session.registered?.state == .open && session.inSession == "old")
    }

    @Test("another process is doing it")
    func busy() {
        let session = OpenSession()
        session.machine.locked = [session.key.serial.number]
        #expect(session.end() == .failed(.busy))
        #expect(!SessionEnding(machine: session.machine).destroyTokens(session.key, forLock: 0, because: .signedOut))
        #expect(session.inSession == "old")
    }
}

@Suite struct CheckTests {
    @Test("a good session stays as it is", arguments: [true, false])
    func good(online: Bool) {
        let session = OpenSession()
        session.machine.scripts = [[.keep("keys"), .checked(at: 1_700_000_000, groups: ["staff", "b"])]]
        let standing = CheckedTokens(
            Proof(authenticatedAt: 1_700_000_000), groups: [Array("staff".utf8), Array("b".utf8)])
        #expect(session.check(online: online) == .good(standing))
        #expect(session.registered?.state == .open)
        #expect(session.inSession == "old")
        #expect(session.machine.keySets == ["eu-west-1_AbCdEf123": "keys"])
        let worker = session.machine.workers.first
        #expect(worker?.kinds == [.check])
        #expect(worker?.field(.online) == [online ? 1 : 0])
        #expect(worker?.field(.unexpired) == [0])
        #expect(worker?.field(.bundle) == Array(Secrets.bundle.utf8))
    }

    @Test("a definite refusal ends the session here; nothing else does", arguments: FailureReason.allCases)
    func refusals(reason: FailureReason) {
        let session = OpenSession()
        session.machine.scripts = [[.failed(reason)]]
        let checked = session.check()
        switch reason {
        // A renewal decides, and none can be tried.
        case .accessTokenExpired:
            guard case .failed(.kept(.internalFault, _)) = checked else {
                Issue.record("\(checked)")
                break
            }
        case .sessionEnded: #expect(checked == .failed(.ended("told by Cognito")))
        case .invalidTokens, .otherIdentity: #expect(checked == .invalid("told by Cognito"))
        default: #expect(checked == .failed(.kept(reason, "told by Cognito")))
        }
        #expect(session.registered?.state == (reason == .sessionEnded ? .closing : .open))
        #expect(session.inSession == (reason == .sessionEnded ? nil : "old"))
    }

    @Test("after a refusal of the access token alone, a renewal decides")
    func renewal() {
        let living = OpenSession()
        living.machine.scripts = [[.failed(.accessTokenExpired)], [.renewed()]]
        #expect(living.check() == .good(CheckedTokens(Proof(authenticatedAt: nil), groups: [])))
        #expect(living.registered?.state == .open && living.inSession == "new-tok3n-bundle")
        let ended = OpenSession()
        ended.machine.scripts = [[.failed(.accessTokenExpired)], [.revoked]]
        #expect(ended.check() == .failed(.ended("told by Cognito")))
        #expect(ended.registered?.state == .closing && ended.inSession == nil)
        let silent = OpenSession()
        silent.machine.scripts = [[.failed(.accessTokenExpired)], [.failed(.unreachable)]]
        #expect(silent.check() == .failed(.kept(.unreachable, "told by Cognito")))
        #expect(silent.registered?.state == .open && silent.inSession == "old")
    }

    @Test("a worker that fails, is late, or makes no sense says nothing about the session")
    func faults() {
        let scripts: [[Act]] = [
            [.end], [.silence], [.send([1, 2])], [.renewed()], [.send(packet(.signedOut, [(.outcome, [1])]))],
        ]
        for script in scripts {
            let session = OpenSession()
            session.machine.scripts = [script]
            guard case .failed(.kept) = session.check() else {
                Issue.record("something was found out")
                continue
            }
            #expect(session.registered?.state == .open)
            #expect(session.inSession == "old")
        }
    }

    @Test("nobody is asked about a session that is closing, or more often than allowed")
    func unasked() {
        let closing = OpenSession(Sample(state: .closing))
        #expect(closing.check() == .failed(.gone))
        let session = OpenSession()
        #expect(session.check(mayCall: false) == .failed(.busy))
        #expect(session.machine.workers.isEmpty)
    }
}
