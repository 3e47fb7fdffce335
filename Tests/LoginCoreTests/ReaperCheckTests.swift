import ByteText
import Configuration
import KernelKeyring
import LinuxProcess
import Testing
import WorkerProtocol

@testable import LoginCore

/// A machine with open sessions, and rounds of the reaper through them.
private struct Watched {
    let machine = FakeMachine()

    init(_ configuration: String = "check_interval = 10m") {
        machine.configuration = FakeMachine.configuration(configuration)
    }

    func add(_ sample: Sample) {
        _ = sample.add(to: machine)
        machine.tokenKeys[sample.tokenKey] = FakeMachine.TokenKey(
            description: "cognito:eu-west-1_AbCdEf123:1example23456789", bundle: "old", uid: 5001, seconds: 1)
    }

    func reap(_ scope: ReaperScope = .now, dryRun: Bool = false) -> (left: Int, report: [String]) {
        var report: [String] = []
        let left = Reaper(machine: machine).reap(scope, dryRun: dryRun) { line, isFault in
            report.append((isFault ? "! " : "  ") + text(line.bytes))
        }
        return (left, report)
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

    static let all = [
        Finding(testDescription: "accepted", scripts: [[.checked()]], asked: [.check]),
        Finding(
            testDescription: "refused", scripts: [[.failed(.sessionEnded)], [.signedOut(.alreadyRevoked)]],
            asked: [.check, .signOut],
            report: [
                "  \(Watched.line("session ended")) reason=session_ended: told by Cognito",
                "  \(Watched.line("signed out")) outcome=already_revoked: it was ended elsewhere",
            ], isEnded: true),
        Finding(
            testDescription: "refused, and what is left cannot be revoked now",
            scripts: [[.failed(.sessionEnded)], [.failed(.unreachable, log: "no route")]], asked: [.check, .signOut],
            report: [
                "  \(Watched.line("session ended")) reason=session_ended: told by Cognito",
                "! \(Watched.line("sign-out not finished")): it was ended elsewhere: no route",
            ], isEnded: true, left: 1),
        Finding(
            testDescription: "access token about to run out, renewed", scripts: [[.renewed()]],
            accessTokenExpiry: 1_800_000_059, asked: [.renew, .registered]),
        Finding(
            testDescription: "access token has run out, renewal refused",
            scripts: [[.failed(.sessionEnded)], [.signedOut()]], accessTokenExpiry: 1, asked: [.renew, .signOut],
            report: [
                "  \(Watched.line("session ended")) reason=session_ended: told by Cognito",
                "  \(Watched.line("signed out")) outcome=revoked: it was ended elsewhere",
            ], isEnded: true),
        Finding(
            testDescription: "access token has run out by Cognito's clock alone",
            scripts: [[.failed(.accessTokenExpired)], [.renewed()]], asked: [.check, .renew, .registered]),
        Finding(
            testDescription: "access token has run out by Cognito's clock alone, renewal unreachable",
            scripts: [[.failed(.accessTokenExpired)], [.failed(.unreachable)]], asked: [.check, .renew],
            report: ["! \(Watched.line("not checked")) reason=unreachable: told by Cognito"]),
        Finding(
            testDescription: "unreachable", scripts: [[.failed(.unreachable)]], asked: [.check],
            report: ["! \(Watched.line("not checked")) reason=unreachable: told by Cognito"]),
        Finding(
            testDescription: "throttled", scripts: [[.failed(.throttled)]], asked: [.check],
            report: ["! \(Watched.line("not checked")) reason=throttled: told by Cognito"]),
        Finding(
            testDescription: "no answer", scripts: [[.silence]], asked: [.check],
            report: ["! \(Watched.line("not checked")) reason=unreachable: Cognito did not answer in time"]),
        Finding(
            testDescription: "the worker dies", scripts: [[.end]], asked: [.check],
            report: ["! \(Watched.line("not checked")) reason=internal_fault: the worker ended without a result"]),
        Finding(
            testDescription: "another person's", scripts: [[.failed(.otherIdentity)]], asked: [.check],
            report: ["! \(Watched.line("session is not valid")): told by Cognito"]),
        Finding(
            testDescription: "renewal unreachable", scripts: [[.failed(.unreachable)]], accessTokenExpiry: 1,
            asked: [.renew], report: ["! \(Watched.line("not checked")) reason=unreachable: told by Cognito"]),
    ]
}

@Suite struct ReaperCheckTests {
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
    }

    @Test(
        "on_revoked says what becomes of a session that ended elsewhere, after its tokens have gone",
        arguments: [
            ("notify", true, [], []),
            ("lock", true, ["lock 5001 at 300"], ["  \(Watched.line("session locked"))"]),
            (
                "lock", false, ["lock 5001 at 300"],
                [
                    "! \(Watched.line("session not locked")): "
                        + "on_revoked = lock locks sessions of systemd-logind, and this is none"
                ]
            ),
            ("terminate", true, ["terminate 5001 at 300"], ["  \(Watched.line("session terminated"))"]),
            (
                "terminate", false, ["terminate 5001 at 300"],
                ["! \(Watched.line("session not terminated")): no process of the person's was found in it"]
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
            Sample(state: .pending, created: 4_999_999), Sample(state: .held), Sample(tokenKey: 0),
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
        #expect(report.first?.hasSuffix("; sessions that began with this file are not checked") == true)
        #expect(watched.machine.workers.isEmpty)
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
