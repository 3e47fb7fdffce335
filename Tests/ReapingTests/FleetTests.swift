import Agent
import Base
import Configuration
import Protocol
import Testing

@testable import Fakes
@testable import Sessions

/// Cognito as a fleet sees it: away for a while, otherwise with a quota of requests a second for all hosts together.
private final class Service {
    static let quota = 120
    private static let unreachable = Act.failed(.unreachable)
    private static let refusal = Act.failed(.throttled)
    private let away: Range<Int64>
    private let answer: Act
    private(set) var arrived: [Int64: Int] = [:]
    private(set) var answered = 0
    private(set) var throttled = 0

    /// - Parameters:
    ///   - away: The time when it cannot be reached, in milliseconds.
    ///   - answer: Its answer otherwise.
    init(away: Range<Int64>, answer: Act) {
        self.away = away
        self.answer = answer
    }

    func answer(at milliseconds: Int64) -> Act {
        arrived[milliseconds / 1000, default: 0] += 1
        guard !away.contains(milliseconds) else {
            return Self.unreachable
        }
        guard arrived[milliseconds / 1000, default: 0] <= Self.quota else {
            throttled += 1
            return Self.refusal
        }
        answered += 1
        return answer
    }

    /// The most requests in one second of those in `seconds`.
    func most(in seconds: Range<Int64>) -> Int {
        arrived.filter { second, _ in seconds.contains(second) }.values.max() ?? 0
    }

    func all(in seconds: Range<Int64>) -> Int {
        arrived.filter { second, _ in seconds.contains(second) }.values.reduce(0, +)
    }
}

/// Hosts with registries of their own, and the timer that has each of them go through its own.
private final class Fleet {
    static let hosts = 100
    static let sessions = 10_000

    final class Host {
        let machine = FakeMachine()
        /// When sessions end, and which, the last first.
        var ends: [(time: Int64, number: Int)] = []
        fileprivate var nextRound: Int64 = 0
    }

    let service: Service
    private(set) var hosts: [Host] = []
    private var random = Seeded(state: 5)

    /// - Parameter start: When the first of the hosts' rounds are, in milliseconds.
    init(_ service: Service, from start: Int64 = 0) {
        self.service = service
        for _ in 0..<Self.hosts {
            let host = Host()
            host.nextRound = start + Int64.random(in: 0..<80_000, using: &random)
            host.machine.answer = { [service, machine = host.machine] in [service.answer(at: machine.now.milliseconds)]
            }
            host.machine.randomNumber = { [unowned self] bound in Int64.random(in: 0..<bound, using: &random) }
            hosts.append(host)
        }
    }

    /// Whose session it is: two have the same person, on different hosts or on one.
    static func person(_ number: Int) -> String { "person \(number / 2)" }

    /// Has every session end, a tenth of them before `time` on their own: their hosts have tried once.
    func endSessions(by time: Int64) {
        for number in 0..<Self.sessions {
            let end = number.isMultiple(of: 10) ? Int64.random(in: 0..<time, using: &random) : time - 1
            hosts[number % Self.hosts].ends.append((end, number))
        }
        for host in hosts {
            host.ends.sort { left, right in left.time > right.time }
        }
    }

    /// Goes on as long as some host has something to do, at most until `limit`, in milliseconds. When the last round
    /// was.
    func run(until limit: Int64, while isBusy: (Host) -> Bool) -> Int64 {
        var last: Int64 = 0
        while let host = hosts.filter(isBusy).min(by: { left, right in left.nextRound < right.nextRound }),
            host.nextRound < limit
        {
            let machine = host.machine
            machine.now = Instant(milliseconds: host.nextRound)
            while let end = host.ends.last, end.time <= host.nextRound {
                let session = Sample(
                    state: .closing, created: end.time, user: Self.person(end.number), signOut: .session, attempts: 1)
                _ = session.add(to: machine)
                host.ends.removeLast()
            }
            _ = Reaper(machine: machine).reap(dryRun: false) { _, _ in }
            last = max(last, machine.now.milliseconds)
            // OnUnitInactiveSec=1min, AccuracySec=10s, RandomizedDelaySec=20s.
            host.nextRound = machine.now.milliseconds + 60_000 + Int64.random(in: 0..<30_000, using: &random)
        }
        return last
    }
}

// One after the other: secrets are pages of their own, and threads wait for each other to map them.
@Suite(.serialized) struct FleetTests {
    /// One hour.
    private static let outage: Int64 = 3_600_000
    /// `check_interval`.
    private static let interval: Int64 = 600_000

    @Test("100 hosts with 10,000 sessions and an hour without Cognito: a trickle before, and all is revoked soon after")
    func outage() {
        let service = Service(away: 0..<Self.outage, answer: .signedOut())
        let fleet = Fleet(service)
        fleet.endSessions(by: Self.outage)
        let end = fleet.run(until: 2 * Self.outage) { host in
            !host.ends.isEmpty || !host.machine.registry.entries.isEmpty
        }
        let seconds = Self.outage / 1000
        #expect(service.answered == Fleet.sessions)
        // While it is away: each host asks once a round at most, and hosts do not ask together.
        #expect(service.all(in: 0..<seconds) <= Fleet.hosts * 60)
        #expect(service.most(in: 0..<seconds) <= 12)
        // Afterwards: at best it takes 84 seconds.
        #expect(end - Self.outage <= 180_000)
        #expect(service.throttled <= Fleet.hosts * 4)
    }

    @Test(
        """
        10,000 open sessions that wait after an outage are asked about soon, and from then on once an interval, \
        spread over it
        """
    )
    func checks() {
        let service = Service(away: 0..<0, answer: .checked())
        let start = 2 * Self.interval
        let fleet = Fleet(service, from: start)
        for number in 0..<Fleet.sessions {
            let machine = fleet.hosts[number % Fleet.hosts].machine
            let key: Int32 = 10_000 + Int32(number)
            _ = Sample(created: 0, user: Fleet.person(number), tokenKey: key, renewed: 0).add(to: machine)
        }
        let asked = fleet.run(until: 2 * start) { _ in service.answered < Fleet.sessions }
        // At best it takes 84 seconds.
        #expect(asked - start <= 300_000)
        let before = service.answered
        #expect(service.throttled <= Fleet.hosts * 4)
        let throttled = service.throttled
        let end = asked + Self.interval / 2
        _ = fleet.run(until: end) { _ in true }
        // Whose turn has come since the last round is not asked about yet, at the beginning and at the end.
        #expect((Fleet.sessions * 3 / 10...Fleet.sessions * 7 / 10).contains(service.answered - before))
        #expect(service.throttled == throttled)
        // The mean is 17 a second.
        #expect(service.most(in: asked / 1000 + 1..<end / 1000) <= 100)
    }
}
