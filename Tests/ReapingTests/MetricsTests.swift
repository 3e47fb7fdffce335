import Agent
import Base
import Protocol
import Sessions
import Testing

@testable import Fakes

private func about(
    _ user: String, service: String = "sshd", reason: StaticString? = nil,
    _ name: AuditEventName = .authenticationFailure,
    _ fields: AuditFields = [:]
) -> LogLine {
    AuditSubject(
        user: Array(user.utf8), service: Array(service.utf8), remoteHost: Array("203.0.113.7".utf8)
    ).line(name, fields, reason: reason, text: "no reason=group")
}

private func refusal(_ step: Int, _ reason: StaticString) -> Counter? {
    logReasons.firstIndex { name in name.equals(reason.bytes) }.map { index in .refusal(step: step, reason: index) }
}

private let unknownReason = logReasons.count

@Suite struct MetricsTests {
    @Test(
        "what a line adds to",
        arguments: [
            (about("ana", .signedIn, ["pool": "p"]), .signIn(way: 0, service: 0)),
            (about("ana", service: "su-l", .signedIn), .signIn(way: 0, service: 2)),
            (about("ana", service: "sudo-i", .signedIn), .signIn(way: 0, service: 3)),
            (about("ana", service: "sudo", .sessionReused, ["age": "3"]), .signIn(way: 1, service: 3)),
            (about("ana", service: "i3lock", .screenUnlocked), .signIn(way: 2, service: 8)),
            (about("ana", service: "sshd-l2", .signedIn), .signIn(way: 0, service: 8)),
            (about("a", reason: "refused"), refusal(0, "refused")),
            (about("a", reason: "key_login", .accountRefused), refusal(3, "key_login")),
            (.event(.requestRefused, ["uid": "7"], reason: "busy"), refusal(5, "busy")),
            (about("a", reason: "made_up"), .refusal(step: 0, reason: unknownReason)),
            (about("a"), .refusal(step: 0, reason: unknownReason)),
            (about("a", .signedOut, ["outcome": "revoked"]), .signOut(outcome: 1)),
            (about("a", .givenUp, ["outcome": "unknown"]), .signOut(outcome: 9)),
            (about("a", .signedOut, ["outcome": "made_up"]), nil), (about("a", .signedOut), nil),
            (about("a", .signOutNotFinished), .signOut(outcome: 10)),
            (about("a", .renewed), .renewal), (about("a", .signedInWithARemark), nil),
            ("signed in; user='ana' session=7 service='sshd' rhost='' pool=p", nil), ("", nil),
        ] as [(LogLine, Counter?)]
    )
    func counted(line: LogLine, expected: Counter?) {
        #expect(Counter(line, isFault: false) == expected)
    }

    @Test(
        "whatever somebody calls themselves, they write no field of their own",
        arguments: ["x' reason=unreachable", "x'; y", "x: reason=group", "\n", "'", "a reason=unreachable", "ñ"])
    func names(name: String) {
        #expect(Counter(about(name, reason: "refused"), isFault: false) == refusal(0, "refused"))
        #expect(Counter(about("ana", service: name, reason: "refused"), isFault: false) == refusal(0, "refused"))
    }

    @Test("what is no event is counted where it tells of a fault")
    func faults() {
        #expect(Counter("/etc/x: line 3", isFault: true) == .fault)
        #expect(Counter(about("ana", reason: "unreachable"), isFault: true) == refusal(0, "unreachable"))
    }

    @Test("each counter has a cell of its own")
    func cells() {
        var all: [Counter] = [.fault, .lostLine, .renewal]
        for way in signInWays.indices {
            all += countedServices.indices.map { service in .signIn(way: way, service: service) }
        }
        for step in refusedSteps.indices {
            all += (0...logReasons.count).map { reason in .refusal(step: step, reason: reason) }
        }
        all += signOutOutcomes.indices.map { outcome in .signOut(outcome: outcome) }
        for step in waitedSteps.indices {
            all += (0...waitLimits.count).map { place in .wait(step: step, place: place) }
            all.append(.waited(step: step))
        }
        #expect(all.map(\.cell) == Array(0..<Counter.count))
    }

    @Test(
        "a wait is counted in the first place that is long enough",
        arguments: [(-5, 0), (0, 0), (100, 0), (101, 1), (10_000, 6), (10_001, 7), (.max, 7)] as [(Int64, Int)])
    func waits(milliseconds: Int64, place: Int) {
        let counters = Counter.wait(of: .renew, milliseconds: milliseconds)
        #expect(counters.place == .wait(step: 2, place: place) && counters.sum == .waited(step: 2))
    }

    @Test(
        "root's quota of keys",
        arguments: [
            (
                "    0:    75 74/74 53/1000000 1202/25000000\n 1000: 1 1/1 1/200 9/20000\n",
                [53, 1_000_000, 1202, 25_000_000]
            ),
            (" 1000: 1 1/1 1/200 9/20000\n", nil), ("0: 1 1/1 1/2\n", nil), ("0: 1 1/1 a/2 3/4\n", nil),
            ("0: 1 1/1 1/2/3 3/4\n", nil), ("0: 1 1/1 -1/2 3/4\n", nil), ("", nil),
        ] as [(String, [Int64]?)]
    )
    func quota(text: String, expected: [Int64]?) {
        let quota = KeyQuota(Array(text.utf8))
        #expect(quota.map { quota in [quota.keys, quota.mostKeys, quota.bytes, quota.mostBytes] } == expected)
    }

    @Test("figures of a registry, and the text of them")
    func figures() throws {
        let machine = FakeMachine()
        for sample in [
            Sample(), Sample(state: .pending, created: 4_910_000), Sample(state: .temporary, created: 4_950_000),
            Sample(state: .closing, attempts: 3, closed: 4_000_000), Sample(state: .closing, renewed: 4_700_000),
        ] {
            _ = sample.add(to: machine)
        }
        _ = machine.registry.add(Array("damaged".utf8), seconds: 1)
        let figures = try FleetFigures(of: machine, left: 2)
        #expect((figures.open, figures.pending, figures.closing, figures.left) == (1, 2, 2, 2))
        #expect((figures.oldestPending, figures.oldestClosing, figures.mostAttempts) == (90, 1000, 3))

        var counters = [UInt64](repeating: 0, count: Counter.count)
        counters[Counter.signIn(way: 0, service: 0).cell] = .max
        counters[Counter.wait(step: 0, place: 1).cell] = 2
        counters[Counter.wait(step: 0, place: 7).cell] = 1
        counters[Counter.waited(step: 0).cell] = 12_034
        let written = text(MetricsText(figures, counters, nil, at: 1_800_000_000, version: "1").text.bytes)
        let lines = Set(written.split(separator: "\n").map(String.init))
        for line in [
            "pam_cognito_sessions{state=\"closing\"} 2", "pam_cognito_oldest_closing_seconds 1000",
            "pam_cognito_last_round_timestamp_seconds 1800000000",
            "pam_cognito_sign_ins_total{way=\"cognito\",service=\"sshd\"} 9223372036854775807",
            "pam_cognito_wait_seconds_bucket{step=\"sign_in\",le=\"0.100\"} 0",
            "pam_cognito_wait_seconds_bucket{step=\"sign_in\",le=\"0.250\"} 2",
            "pam_cognito_wait_seconds_bucket{step=\"sign_in\",le=\"+Inf\"} 3",
            "pam_cognito_wait_seconds_sum{step=\"sign_in\"} 12.034",
            "pam_cognito_wait_seconds_count{step=\"sign_in\"} 3",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        #expect(!written.contains("root_key") && !written.contains("alice"))
    }
}
