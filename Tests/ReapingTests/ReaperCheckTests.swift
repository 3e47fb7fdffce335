import Accounts
import Agent
import Base
import Configuration
import Keyring
import Protocol
import Testing

@testable import Fakes
@testable import Sessions

/// A machine with open sessions, and rounds of the reaper through them.
private struct Watched {
    let machine = FakeMachine()

    init(_ configuration: String = "check_interval = 10m") {
        machine.configuration = FakeMachine.configuration(configuration)
    }

    func add(_ sample: Sample) {
        _ = sample.add(to: machine)
        machine.tokenKeys[sample.tokenKey] = FakeMachine.TokenKey()
    }

    func reap(_ scope: ReaperScope = .now, dryRun: Bool = false) -> (left: Int, report: [String]) {
        machine.reap(scope, dryRun: dryRun)
    }

    static func line(_ event: String, _ user: String = "alice", _ session: Int = 1001) -> String {
        "\(event); user='\(user)' session=\(session) service='sshd' rhost='203.0.113.7' process=300"
    }

    /// What workers were asked for, in order.
    var asked: [MessageKind] { machine.workers.flatMap(\.kinds) }
    var states: [SessionState] { machine.registry.sessions.map(\.state) }
}

/// What comes of a check of a session.
private struct Finding: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The first is the check, or a renewal where the access token has run out.
    var scripts: [[Act]]
    var accessTokenExpiry: Int64 = 1_800_003_600
    var asked: [MessageKind]
    var report: [String] = []
    var isEnded = false
    var left = 0
    /// Whether the session has had its turn by that.
    var isTurn = false

    private static let ended = "  \(Watched.line("session ended")) reason=session_ended: told by Cognito"
    private static func signedOut(_ outcome: String) -> String {
        "  \(Watched.line("signed out")) outcome=\(outcome): the session was ended elsewhere"
    }
    private static func notChecked(_ reason: String, _ why: String = "told by Cognito") -> [String] {
        ["! \(Watched.line("not checked")) reason=\(reason): \(why)"]
    }

    static let all = [
        Finding(testDescription: "accepted", scripts: [[.checked()]], asked: [.check], isTurn: true),
        Finding(
            testDescription: "refused",
            scripts: [[.failed(.sessionEnded)], [.signedOut(.alreadyRevoked)]], asked: [.check, .signOut],
            report: [ended, signedOut("already_revoked")], isEnded: true),
        Finding(
            testDescription: "refused, and what is left cannot be revoked now",
            scripts: [[.failed(.sessionEnded)], [.failed(.unreachable, log: "no route")]], asked: [.check, .signOut],
            report: [
                ended,
                "! \(Watched.line("sign-out not finished")): the session was ended elsewhere: no route",
            ], isEnded: true, left: 1),
        Finding(
            testDescription: "access token about to run out, renewed", scripts: [[.renewed()]],
            accessTokenExpiry: 1_800_000_059, asked: [.renew, .registered]),
        Finding(
            testDescription: "access token has run out, renewal refused",
            scripts: [[.failed(.sessionEnded)], [.signedOut()]], accessTokenExpiry: 1, asked: [.renew, .signOut],
            report: [ended, signedOut("revoked")], isEnded: true),
        Finding(
            testDescription: "access token has run out by Cognito's clock alone",
            scripts: [[.failed(.accessTokenExpired)], [.renewed()]], asked: [.check, .renew, .registered]),
        Finding(
            testDescription: "access token has run out by Cognito's clock alone, renewal unreachable",
            scripts: [[.failed(.accessTokenExpired)], [.failed(.unreachable)]], asked: [.check, .renew],
            report: notChecked("unreachable")),
        Finding(
            testDescription: "access token refused, and the renewal as well",
            scripts: [[.failed(.accessTokenExpired)], [.failed(.sessionEnded)], [.signedOut()]],
            asked: [.check, .renew, .signOut], report: [ended, signedOut("revoked")], isEnded: true),
        Finding(
            testDescription: "cannot be asked", scripts: [[.failed(.configuration)]], asked: [.check],
            report: notChecked("configuration"), isTurn: true),
        Finding(
            testDescription: "renewal lost", scripts: [[.failed(.renewalLost)]], accessTokenExpiry: 1, asked: [.renew],
            report: notChecked("renewal_lost"), isTurn: true),
        Finding(
            testDescription: "unreachable", scripts: [[.failed(.unreachable)]], asked: [.check],
            report: notChecked("unreachable")),
        Finding(
            testDescription: "throttled", scripts: [[.failed(.throttled)]], asked: [.check],
            report: notChecked("throttled")),
        Finding(
            testDescription: "no answer", scripts: [[.silence]], asked: [.check],
            report: notChecked("unreachable", "Cognito did not answer in time")),
        Finding(
            testDescription: "the worker dies", scripts: [[.end]], asked: [.check],
            report: notChecked("internal_fault", "the worker ended without a result")),
        Finding(
            testDescription: "another person's", scripts: [[.failed(.otherIdentity)]], asked: [.check],
            report: ["! \(Watched.line("session is not valid")): told by Cognito"], isTurn: true),
        Finding(
            testDescription: "renewal unreachable", scripts: [[.failed(.unreachable)]], accessTokenExpiry: 1,
            asked: [.renew], report: notChecked("unreachable")),
    ]
}

@Suite struct ReaperCheckTests {
    @Test(
        "a session whose own tokens cannot be renewed keeps nobody from looking at the next",
        arguments: [FailureReason.otherIdentity, .refusedByPool, .invalidTokens, .refused, .unreachable, .throttled])
    func ofItsOwn(reason: FailureReason) {
        let watched = Watched()
        watched.add(Sample(signOut: .session, accessTokenExpiry: 1))
        watched.add(Sample(signOut: .session, tokenKey: 601))
        watched.machine.scripts = [[.failed(reason)], [.checked()]]
        _ = watched.reap()
        let isOfCognito = [.unreachable, .throttled].contains(reason)
        #expect(watched.asked == (isOfCognito ? [.renew] : [.renew, .check]))
    }

    @Test("a fault that two people meet is taken for Cognito's, at a renewal and a sign-out; one person's is not")
    func ofOnePerson() {
        for reason in [FailureReason.serviceFault, .internalFault] {
            for (state, kind) in [(SessionState.open, MessageKind.renew), (.closing, .signOut)] {
                let watched = Watched()
                for (number, user) in ["ana", "ana", "ana", "bob", "eve"].enumerated() {
                    watched.add(
                        Sample(
                            state: state, user: user, signOut: .session, tokenKey: 600 + Int32(number),
                            accessTokenExpiry: 1))
                }
                watched.machine.answer = { [.failed(reason)] }
                _ = watched.reap()
                #expect(watched.asked == Array(repeating: kind, count: 4))
            }
        }
    }

    @Test("a renewal that Cognito refuses is tried again until the token ends, and then at the session's turns")
    func refusedAhead() {
        for (interval, most) in [("0", 0), ("10m", 3)] {
            let watched = Watched(
                "renew_ahead = yes\ncheck_interval = \(interval)\nsign_out = last\non_revoked = terminate")
            let begun = watched.machine.now.milliseconds
            let end = watched.machine.time + 120
            watched.add(Sample(created: begun, accessTokenExpiry: end, renewed: begun))
            watched.machine.answer = { [.failed(.refusedByPool)] }
            for minute in 1...22 {
                watched.machine.advance(60_000)
                watched.machine.time += 60
                _ = watched.reap(.due)
                #expect(minute != 2 || watched.asked == [.renew, .renew])
            }
            #expect((2...3 + most).contains(watched.asked.count), "\(watched.asked.count)")
        }
    }

    @Test("a definite refusal ends the session and is told; nothing else changes anything", arguments: Finding.all)
    private func finding(finding: Finding) {
        let watched = Watched()
        watched.add(Sample(signOut: .session, accessTokenExpiry: finding.accessTokenExpiry))
        watched.machine.scripts = finding.scripts
        let outcome = watched.reap()
        #expect(outcome.report == finding.report)
        #expect(outcome.left == finding.left)
        #expect(watched.asked == finding.asked)
        #expect(watched.machine.destroyed.isEmpty != finding.isEnded)
        #expect(watched.machine.told.count == (finding.isEnded ? 1 : 0))
        #expect(watched.machine.done.isEmpty)
        #expect(watched.states == (finding.left > 0 ? [.closing] : finding.isEnded ? [] : [.open]))
        if finding.asked == [.check] || finding.asked == [.renew] {
            var checked: Int64?
            if let payload = secret(watched.machine.registry.entries[1001]?.payload ?? []),
                let entry = RegistryEntry.decode(payload)
            {
                checked = entry.checked.milliseconds
            }
            #expect(finding.isEnded || checked == (finding.isTurn ? watched.machine.now.milliseconds : 0))
        }
    }

    @Test(
        "on_revoked says what becomes of a session that ended elsewhere, after its tokens have gone",
        arguments: [
            ("notify", true, [], []),
            ("lock", true, ["lock 5001 at 300"], ["  \(Watched.line("session locked"))"]),
            (
                "lock", false, ["lock 5001 at 300"],
                [
                    "! \(Watched.line("session not locked")): on_revoked = lock applies only to sessions that "
                        + "systemd-logind manages"
                ]
            ),
            ("terminate", true, ["terminate 5001 at 300"], ["  \(Watched.line("session terminated"))"]),
            (
                "terminate", false, ["terminate 5001 at 300"],
                ["! \(Watched.line("session not terminated")): no process of the user was found in the session"]
            ),
        ] as [(String, Bool, [String], [String])])
    func actions(action: String, canAct: Bool, done: [String], report: [String]) {
        let watched = Watched("sign_out = last\non_revoked = \(action)")
        watched.machine.canAct = canAct
        watched.add(Sample(signOut: .session))
        watched.machine.scripts = [[.failed(.sessionEnded)], [.signedOut()]]
        let outcome = watched.reap()
        #expect(outcome.report.dropFirst(2) == report[...])
        #expect(watched.machine.done == done)
        #expect(watched.machine.told.count == 1)
        #expect(watched.machine.told.first?.hasPrefix("5001 at 300: Amazon Cognito: you were signed out") == true)
        #expect(watched.machine.registry.entries.isEmpty)
    }

    /// A session that Cognito calls revoked, and what the person's other one tells of it.
    private struct Revocation: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var place: Int64?
        /// The other one's check in the same round, and what it answers when it is asked about the first; nil: there is
        /// no other.
        var other: (check: Act, about: Act)?
        var otherPlace: Int64? = 1
        /// What its renewal comes to, where its access token is refused.
        var renewal: Act?
        var isTerminated = false
        var reason: String?

        static let all = [
            Revocation(testDescription: "of a pool that tracks none", place: 0, isTerminated: true),
            Revocation(testDescription: "never asked, alone", reason: "unclear"),
            Revocation(testDescription: "alone, least lately used", place: 1, reason: "unclear"),
            Revocation(testDescription: "alone, and ten others would have gone first", place: 11, isTerminated: true),
            Revocation(
                testDescription: "another lives on", place: 1, other: (.checked(place: 2), .checked(place: 1)),
                reason: "session_limit"),
            Revocation(
                testDescription: "another lives on whose access token alone is refused", place: 1,
                other: (.checked(place: 2), .failed(.accessTokenExpired)), renewal: .renewed(), reason: "unclear"),
            Revocation(
                testDescription: "another is over, too, which ten others would have gone before", place: 1,
                other: (.checked(place: 11), .failed(.accessTokenExpired)), otherPlace: 11, renewal: .revoked,
                isTerminated: true),
            Revocation(
                testDescription: "another lives on that was used before", place: 1,
                other: (.checked(place: 2), .checked(place: 2)), isTerminated: true),
            Revocation(
                testDescription: "by now the pool tracks none", place: 1,
                other: (.checked(place: 0), .checked(place: 0)), isTerminated: true),
            Revocation(
                testDescription: "the other cannot be asked", place: 1,
                other: (.checked(place: 2), .failed(.unreachable)), reason: "unclear"),
        ]
    }

    @Test("the pool's own limit ends no shell", arguments: Revocation.all)
    private func limit(revocation: Revocation) {
        let watched = Watched("sign_out = last\non_revoked = terminate\ncheck_interval = 10m")
        watched.add(Sample(signOut: .session, checked: 4_999_000, place: revocation.place))
        var scripts: [[Act]] = [[.revoked]]
        if let other = revocation.other {
            watched.add(Sample(signOut: .session, tokenKey: 78, place: revocation.otherPlace))
            scripts += [[other.check], [other.about]] + (revocation.renewal.map { act in [[act]] } ?? [])
        }
        watched.machine.scripts = scripts + [[.signedOut()]]
        let outcome = watched.reap()
        #expect(watched.machine.done == (revocation.isTerminated ? ["terminate 5001 at 300"] : []))
        let left = outcome.report.filter { line in line.contains("session left open") }
        #expect(left.count == (revocation.reason == nil ? 0 : 1), "\(outcome.report)")
        if let reason = revocation.reason {
            #expect(left.first?.contains("reason=\(reason):") == true)
        }
        #expect(watched.machine.told.count == 1)
        #expect(watched.states == (revocation.other == nil ? [] : [.open]))
        // Its own place is asked for, and the place of what was renewed when it was.
        let places = watched.machine.workers.compactMap { worker in worker.field(.sessionPlace) }
        #expect(places.first == bytes("0000000000000000"))
        if revocation.other != nil {
            let lastUsed = String(UInt64(1 << 40) + UInt64(watched.machine.time - 1000), radix: 16).dropFirst()
            #expect(places.contains(bytes("000000" + lastUsed)), "\(places)")
        }
    }

    @Test("a session that cannot be asked about keeps others from nothing, and has its turn once in an interval")
    func cannotBeAsked() {
        let watched = Watched("sign_out = last\non_revoked = terminate\ncheck_interval = 10m")
        watched.add(Sample(created: 5_000_000))
        watched.add(Sample(created: 5_000_000, tokenKey: 78))
        watched.machine.answer = { [.failed(.configuration)] }
        #expect(watched.reap().report.count == 2)
        watched.machine.now = Instant(milliseconds: 5_001_000)
        let asked = watched.asked.count
        for _ in 0..<3 {
            #expect(watched.reap(.due).report.count <= 2)
        }
        #expect(watched.asked.count - asked <= 2)
        #expect(watched.machine.done.isEmpty && watched.states == [.open, .open])
    }

    @Test("nobody is told or ended whose account or host is gone")
    func gone() {
        let watched = Watched("sign_out = last\non_revoked = terminate")
        watched.add(Sample(user: "removed", signOut: .session))
        watched.machine.scripts = [[.failed(.sessionEnded)], [.signedOut()]]
        #expect(watched.reap().left == 0)
        #expect(watched.machine.told.isEmpty && watched.machine.done.isEmpty)
        #expect(watched.machine.registry.entries.isEmpty)
    }

    @Test("each session has its turn once in each interval, at a moment of its own")
    func turns() {
        let interval: Int64 = 600_000
        var moments: Set<Int64> = []
        for _ in 0..<40 {
            // Another name each.
            let watched = Watched()
            for _ in 0..<moments.count {
                _ = watched.machine.registry.add([2], seconds: 1)
            }
            watched.add(Sample(created: 5_000_000, renewed: 5_000_000))
            watched.machine.answer = { [.checked()] }
            var turns: [Int64] = []
            for round in 1...60 {
                watched.machine.now = Instant(milliseconds: 5_000_000 + Int64(round) * 60_000)
                let before = watched.machine.workers.count
                #expect(watched.reap(.due).report.isEmpty)
                if watched.machine.workers.count > before {
                    turns.append(watched.machine.now.milliseconds)
                }
            }
            #expect(turns.count == 6)
            #expect(zip(turns, turns.dropFirst()).allSatisfy { left, right in right - left == interval })
            #expect((turns.first ?? .max) - 5_000_000 <= interval)
            moments.insert(turns.first ?? 0)
            if moments.count == 5 {
                return
            }
        }
        Issue.record("all at the same few moments: \(moments)")
    }

    @Test("a renewal, and a look by somebody else, is a turn, too; one that did not reach Cognito is none")
    func last() {
        for (field, isAsked) in [("renewed", false), ("checked", false), ("created", false), ("", true)] {
            let watched = Watched()
            let now: Int64 = 5_000_000
            watched.add(
                Sample(
                    created: field == "created" ? now : 1, renewed: field == "renewed" ? now : 1,
                    checked: field == "checked" ? now : 0))
            watched.machine.scripts = [[.failed(.unreachable)], [.failed(.unreachable)]]
            _ = watched.reap(.due)
            _ = watched.reap(.due)
            #expect(watched.machine.workers.count == (isAsked ? 2 : 0), "\(field)")
        }
    }

    @Test(
        "only open sessions of this machine whose host lives are asked about",
        arguments: [
            Sample(state: .pending, created: 4_999_999), Sample(state: .temporary), Sample(tokenKey: 0),
            Sample(inContainer: true),
        ])
    func others(sample: Sample) {
        let watched = Watched()
        watched.add(sample)
        #expect(watched.reap().report.isEmpty)
        #expect(watched.machine.workers.isEmpty)
    }

    @Test("no interval, no check; nor when the machine stops")
    func never() {
        let watched = Watched("check_interval = 0")
        watched.add(Sample())
        #expect(watched.reap().report.isEmpty)
        #expect(watched.machine.workers.isEmpty)
        let stopping = Watched()
        stopping.add(Sample())
        stopping.machine.scripts = [[.signedOut()]]
        #expect(stopping.reap(.everything).report.count == 1)
        #expect(stopping.asked == [.signOut])
    }

    @Test("a configuration that cannot be read is said once")
    func unreadable() {
        let watched = Watched("on_revoked = lock")
        watched.add(Sample())
        watched.add(Sample(user: "bob", tokenKey: 601))
        let report = watched.reap().report
        #expect(
            report.count == 1 && report.first?.hasPrefix("! /etc/security/pam_cognito.conf: on_revoked = lock") == true)
        #expect(report.first?.hasSuffix("; open sessions that use this configuration file are not checked") == true)
        #expect(watched.machine.workers.isEmpty)
    }

    @Test(
        """
        tokens are renewed ahead where that is wanted: of an hour 5 to 15 minutes before the end, and of a short \
        life in time
        """,
        arguments: [
            // What is left, and of how much; whether that is time for all sessions, for none, or for some.
            (299, 3600, true), (901, 3600, false), (3600, 3600, false), (149, 300, true), (151, 300, false),
            (1, 3600, true),
            (-5, 3600, true), (100, 86_400, true), (1000, 86_400, false), (600, 3600, nil),
        ] as [(Int64, Int64, Bool?)])
    func renewedAhead(left: Int64, life: Int64, isTime: Bool?) {
        for wanted in ["yes", "no"] {
            let watched = Watched("renew_ahead = \(wanted)\ncheck_interval = 0")
            watched.machine.now = Instant(milliseconds: 200_000_000)
            let now = watched.machine.now.milliseconds
            for number in 0..<20 {
                watched.add(
                    Sample(
                        tokenKey: 600 + Int32(number), accessTokenExpiry: watched.machine.time + left,
                        renewed: now - (life - left) * 1000))
                watched.machine.scripts.append([.renewed()])
            }
            _ = watched.reap(.due)
            let renewals = watched.asked.count { kind in kind == .renew }
            switch isTime {
            case _ where wanted == "no": #expect(renewals == 0)
            case true?: #expect(renewals == 20)
            case false?: #expect(renewals == 0)
            case nil: #expect((1..<20).contains(renewals))
            }
        }
    }

    @Test("what new tokens say of groups is told, whether the round renews ahead or a check takes a renewal")
    func groupsOfNewTokens() {
        let renewed = Act.renewed(groups: ["staff"])
        for scripts in [[[renewed]], [[.failed(.accessTokenExpired)], [renewed]]] {
            let watched = Watched("accounts = sign-in\naccount_names = *\ngroup_map = staff:sudo")
            watched.machine.ownAccounts[Array("alice".utf8)] = .some(
                OwnAccount(
                    .enabled,
                    person: AccountRecord.Owner(
                        subject: Array("sub-of-alice".utf8), pool: Array("eu-west-1_AbCdEf123".utf8))))
            watched.add(Sample(accessTokenExpiry: scripts.count == 1 ? 1 : 1_800_003_600))
            watched.machine.scripts = scripts
            #expect(
                watched.reap().report == ["  groups changed; user='alice' uid=5001 before=- now=sudo source=renewal"])
        }
    }

    @Test(
        """
        a refresh token that has run out is no sign-out; where that came sooner than people were told, the log has \
        the right number
        """,
        arguments: [
            // When it was to end, after the machine's clock now; the session is 60 s old.
            (0, ""), (60, ""), (-5000, ""),
            (
                61,
                " The refresh token was valid for at most 60 seconds, but refresh_token_validity is 121: "
                    + "set this option to the app client's value, so that users are notified before the token "
                    + "expires"
            ),
        ] as [(Int64, String)])
    func ranOut(left: Int64, learned: String) {
        let watched = Watched()
        watched.add(Sample(expires: watched.machine.time + left, signOut: .session, accessTokenExpiry: 1))
        watched.machine.scripts = [[.ranOut], [.signedOut(.alreadyRevoked)]]
        #expect(
            watched.reap().report == [
                "  \(Watched.line("session ended")) reason=session_ended: told by Cognito\(learned)",
                "  \(Watched.line("signed out")) outcome=already_revoked: the refresh token has expired",
            ])
        #expect(watched.machine.told.count == 1)
        #expect(
            watched.machine.told.first?.hasPrefix("5001 at 300: Amazon Cognito: this sign-in has expired.")
                == true)
    }

    @Test(
        "people are told once when their tokens are about to end for good, where somebody knows when that is",
        arguments: [
            ("30d", 86_400, "in 24 hours"), ("30d", 86_401, nil), ("12h", 4320, "in 72 min"), ("12h", 4321, nil),
            ("1h", 900, "in 15 min"), ("1h", 901, nil), ("1h", 30, "in 1 min"), ("1h", 0, nil), ("1h", -1, nil),
            (nil, 900, nil),
        ] as [(String?, Int64, String?)])
    func toldOfEnd(validity: String?, left: Int64, said: String?) {
        let given = validity.map { validity in "refresh_token_validity = \(validity)" } ?? ""
        let watched = Watched("check_interval = 0\n\(given)")
        watched.add(Sample(expires: watched.machine.time + left))
        for _ in 0..<2 {
            #expect(watched.reap(.due).report.isEmpty)
        }
        #expect(watched.machine.told.count == (said == nil ? 0 : 1))
        if let said {
            #expect(
                watched.machine.told.first?.contains("Amazon Cognito: this session's tokens expire \(said) ") == true)
        }
        #expect(watched.asked.isEmpty && watched.states == [.open])
    }

    @Test("nobody is told of an end that could not be noted, nor of one whose session another process is at")
    func notToldOfEnd() {
        let watched = Watched("check_interval = 0\nrefresh_token_validity = 1h")
        watched.add(Sample(expires: watched.machine.time + 600))
        watched.machine.locked = [1001]
        _ = watched.reap(.due)
        #expect(watched.machine.told.isEmpty)
        watched.machine.locked = []
        _ = watched.reap(.due)
        #expect(watched.machine.told.count == 1)
    }

    @Test("a dry run says whose turn it is, and asks nobody")
    func dryRun() {
        let watched = Watched()
        watched.add(Sample(created: 1, renewed: 1))
        #expect(watched.reap(.due, dryRun: true).report == ["  \(Watched.line("would be checked"))"])
        #expect(watched.machine.workers.isEmpty && watched.states == [.open])
    }

    @Test("an app client that does not answer is asked once a round, and one that others are busy with not at all")
    func silentAndBusy() {
        let watched = Watched()
        for user in ["one", "two", "three"] {
            watched.add(Sample(user: user))
        }
        watched.machine.scripts = [[.failed(.unreachable)]]
        #expect(watched.reap().report.count == 1)
        #expect(watched.asked == [.check])
        watched.machine.locked = [1001, 1002, 1003]
        #expect(watched.reap().report.isEmpty)
        #expect(watched.asked == [.check])
    }

    @Test(
        """
        a service that has answered is asked about eight sessions at a time, one that has not about one: a slow one \
        makes no round long
        """)
    func besideEachOther() {
        for (sample, answer) in [
            (Sample(), Act.checked()), (Sample(accessTokenExpiry: 1), .renewed()),
            (Sample(state: .closing), .signedOut()),
        ] {
            let watched = Watched()
            for number in 0..<33 {
                var sample = sample
                sample.tokenKey = 1000 + Int32(number)
                watched.add(sample)
            }
            var waiting: [Int] = []
            watched.machine.answer = { [unowned machine = watched.machine] in
                waiting.append(machine.workers.count { worker in !worker.wasHeard })
                return [.wait(1000), answer]
            }
            let began = watched.machine.now.milliseconds
            let outcome = watched.reap()
            #expect(outcome.left == 0 && outcome.report.isEmpty == (sample.state == .open))
            #expect(waiting.prefix(3) == [0, 0, 1])
            #expect(waiting.max() == 7)
            // One second for the first, and for eight at a time.
            #expect(watched.machine.now.milliseconds - began == 5000)
        }
    }

    @Test("what Cognito says of one session holds for it alone, in whichever order the answers come")
    func mixed() {
        let watched = Watched()
        for number in 0..<6 {
            watched.add(Sample(user: "person \(number)", signOut: .session, tokenKey: 1000 + Int32(number)))
        }
        watched.machine.scripts = [
            [.checked()], [.wait(3000), .failed(.sessionEnded)], [.checked()], [.failed(.accessTokenExpired)],
            [.failed(.otherIdentity)], [.checked()],
        ]
        watched.machine.answer = { [.signedOut()] }
        let outcome = watched.reap()
        #expect(watched.machine.registry.sessions.map(\.user) == [0, 2, 3, 4, 5].map { number in "person \(number)" })
        #expect(
            outcome.report.map { line in String(line.prefix { byte in byte != ";" }) } == [
                "  session ended", "  signed out", "! not checked", "! session is not valid",
            ])
    }

    @Test("what is to be ended comes first; what is asked shares its pace and its time")
    func order() {
        let watched = Watched()
        for number in 0..<600 {
            watched.add(Sample(tokenKey: 1000 + Int32(number)))
        }
        _ = Sample(state: .closing).add(to: watched.machine)
        watched.machine.answer = { [.checked()] }
        watched.machine.scripts = [[.signedOut()]]
        let began = watched.machine.now.milliseconds
        _ = watched.reap(.due)
        #expect(watched.asked.first == .signOut)
        #expect(watched.machine.now.milliseconds - began <= 50_000)
        #expect(watched.machine.workers.count <= 519)
    }
}

@Suite struct ReaperIdleTests {
    /// A session with input on its terminal at 5,000,000, and runs at so many seconds after that.
    private static func rounds(
        _ watched: Watched, at seconds: [Int64], _ before: (Int64) -> Void = { _ in }
    ) -> [(told: [String], report: [String])] {
        seconds.map { second in
            watched.machine.now = Instant(milliseconds: 5_000_000 + second * 1000)
            before(second)
            let told = watched.machine.told.count
            let report = watched.reap(.due).report
            return (Array(watched.machine.told.dropFirst(told)), report)
        }
    }

    private static func idle(_ action: String = "notify") -> Watched {
        let watched = Watched("check_interval = 0\nidle_sign_out = 30m\nsign_out = last\non_revoked = \(action)")
        watched.add(Sample(created: 1, signOut: .global))
        watched.machine.lastTyped = 5_000_000
        return watched
    }

    @Test(
        "a person who does not type is told so, and two minutes later their session's tokens alone are revoked",
        arguments: ["notify", "lock", "terminate"])
    func ends(action: String) {
        let watched = Self.idle(action)
        watched.machine.scripts = [[.signedOut()]]
        let rounds = Self.rounds(watched, at: [60, 1679, 1681, 1740, 1799, 1801])
        let told = rounds.map(\.told)
        #expect(told.map(\.count) == [0, 0, 1, 0, 0, 1])
        let untyped = "5001 at 300: Amazon Cognito: nothing has been typed here for a long time"
        #expect(told[2].first?.hasPrefix(untyped + ". ") == true)
        #expect(told[2].first?.hasSuffix("unless you press Enter.") == true)
        #expect(told[5].first?.hasPrefix(untyped) == true)
        #expect(
            rounds[5].report.prefix(2) == [
                "  \(Watched.line("session ended")) reason=idle: no terminal input for 1801 seconds",
                "  \(Watched.line("signed out")) outcome=revoked: no terminal input",
            ])
        #expect(watched.machine.workers.map { worker in worker.field(.revocation) } == [[Revocation.session.rawValue]])
        #expect(watched.machine.done == (action == "notify" ? [] : ["\(action) 5001 at 300"]))
        #expect(watched.machine.registry.entries.isEmpty && watched.machine.tokenKeys.isEmpty)
    }

    @Test("typing starts it anew; a round that comes late gives its notice first")
    func anew() {
        let watched = Self.idle()
        let rounds = Self.rounds(watched, at: [1700, 1900, 3550, 3600]) { second in
            if second == 1900 {
                watched.machine.lastTyped = 5_000_000 + 1_750_000
            }
        }
        #expect(rounds.map(\.told.count) == [1, 0, 1, 0])
        #expect(watched.states == [.open])

        let late = Self.idle()
        late.machine.scripts = [[.signedOut()]]
        #expect(Self.rounds(late, at: [30_000, 30_060, 30_119, 30_120]).map(\.told.count) == [1, 0, 0, 1])
        #expect(late.states == [])
    }

    @Test("a warning of long ago counts for nothing, however far back the clock says that somebody typed")
    func forgotten() {
        let watched = Self.idle()
        watched.machine.lastTyped = -9_000_000_000_000
        #expect(Self.rounds(watched, at: [0, 100_000, 100_100]).map(\.told.count) == [1, 1, 0])
        #expect(watched.states == [.open])
    }

    @Test("nobody is signed out without a warning where the clock says that they typed before the machine was started")
    func beforeTheStart() {
        let watched = Self.idle()
        watched.machine.lastTyped = -9_000_000_000_000
        watched.machine.scripts = [[.signedOut()]]
        var states: [[SessionState]] = []
        for now: Int64 in [60_000, 240_000] {
            watched.machine.now = Instant(milliseconds: now)
            _ = watched.reap(.due)
            states.append(watched.states)
        }
        #expect(states == [[.open], []] && watched.machine.told.count == 2)
    }

    @Test(
        """
        nobody is told or signed out without a terminal, an account, or the rule; nor one whose entry another \
        process has
        """
    )
    func spared() {
        let silent = Self.idle()
        silent.machine.lastTyped = nil
        let nobodys = Watched("check_interval = 0\nidle_sign_out = 30m")
        nobodys.add(Sample(user: "removed"))
        nobodys.machine.lastTyped = 5_000_000
        let without = Watched("check_interval = 0")
        without.add(Sample())
        without.machine.lastTyped = 5_000_000
        let busy = Self.idle()
        busy.machine.locked = [1001]
        for watched in [silent, nobodys, without, busy] {
            #expect(Self.rounds(watched, at: [1700, 1900, 4000]).allSatisfy { round in round.told.isEmpty })
            #expect(watched.states == [.open] && watched.machine.workers.isEmpty)
        }
    }

    @Test("what cannot be revoked now is out of reach all the same, and another round's")
    func unreachable() {
        let watched = Self.idle()
        watched.machine.scripts = [[.failed(.unreachable)], [.signedOut()]]
        _ = Self.rounds(watched, at: [1700, 1900])
        #expect(watched.states == [.closing] && watched.machine.tokenKeys.isEmpty)
        #expect(Self.rounds(watched, at: [2000]).first?.told == [])
        #expect(watched.states == [])
    }
}
