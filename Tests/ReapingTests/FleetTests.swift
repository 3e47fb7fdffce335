import Configuration
import LinuxProcess
import Reaping
import Testing
import WorkerProtocol

@testable import Fakes
@testable import LoginCore

/// Cognito as a fleet sees it: away for a while, then with a quota of requests a second for all hosts together.
private final class Service {
    static let quota = 120
    private let returns: Int64
    private(set) var arrived: [Int64: Int] = [:]
    private(set) var revoked = 0
    private(set) var throttled = 0

    /// - Parameter returns: Until when nobody reaches it, in milliseconds.
    init(returns: Int64) {
        self.returns = returns
    }

    func answer(at milliseconds: Int64) -> Act {
        arrived[milliseconds / 1000, default: 0] += 1
        guard milliseconds >= returns else {
            return .failed(.unreachable)
        }
        guard arrived[milliseconds / 1000, default: 0] <= Self.quota else {
            throttled += 1
            return .failed(.throttled)
        }
        revoked += 1
        return .signedOut()
    }

    /// The most requests in one second of those in `seconds`.
    func most(in seconds: Range<Int64>) -> Int {
        arrived.filter { second, _ in seconds.contains(second) }.values.max() ?? 0
    }

    func all(in seconds: Range<Int64>) -> Int {
        arrived.filter { second, _ in seconds.contains(second) }.values.reduce(0, +)
    }
}

/// Random numbers that are the same in every run (SplitMix64).
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

/// Hosts with registries of their own, all of whose sessions end while the service is away or just then.
private final class Fleet {
    static let hosts = 100
    static let sessions = 10_000
    /// One hour.
    static let outage: Int64 = 3_600_000

    private final class Host {
        let machine = FakeMachine()
        /// When sessions end, the last first.
        var ends: [Int64] = []
        var nextRound: Int64 = 0
        var isDone: Bool { ends.isEmpty && machine.registry.entries.isEmpty }
    }

    let service = Service(returns: outage)
    private var random = Seeded(state: 5)
    private var hosts: [Host] = []

    init() {
        for _ in 0..<Self.hosts {
            let host = Host()
            host.nextRound = Int64.random(in: 0..<80_000, using: &random)
            host.machine.answer = { [service, machine = host.machine] in [service.answer(at: machine.now.milliseconds)]
            }
            host.machine.randomNumber = { [unowned self] bound in Int64.random(in: 0..<bound, using: &random) }
            hosts.append(host)
        }
        for number in 0..<Self.sessions {
            // A tenth ends on its own; of the rest the connections break with the network.
            let end = number.isMultiple(of: 10) ? Int64.random(in: 0..<Self.outage, using: &random) : Self.outage - 1
            hosts[number % Self.hosts].ends.append(end)
        }
        for host in hosts {
            host.ends.sort(by: >)
        }
    }

    /// Goes on until no session is left, at most for `limit` milliseconds. When that was.
    func run(limit: Int64) -> Int64 {
        var last: Int64 = 0
        while let host = hosts.filter({ host in !host.isDone }).min(by: { left, right in
            left.nextRound < right.nextRound
        }),
            host.nextRound < limit
        {
            host.machine.now = Instant(milliseconds: host.nextRound)
            while let end = host.ends.last, end <= host.nextRound {
                // Its host has tried once.
                _ = Sample(state: .closing, created: end, signOut: .session, attempts: 1).add(to: host.machine)
                host.ends.removeLast()
            }
            _ = Reaper(machine: host.machine).reap(dryRun: false) { _, _ in }
            last = max(last, host.machine.now.milliseconds)
            // OnUnitInactiveSec=1min, AccuracySec=10s, RandomizedDelaySec=20s.
            host.nextRound = host.machine.now.milliseconds + 60_000 + Int64.random(in: 0..<30_000, using: &random)
        }
        return hosts.allSatisfy(\.isDone) ? last : limit
    }
}

@Suite struct FleetTests {
    @Test("100 hosts with 10,000 sessions and an hour without Cognito: a trickle before, and all is revoked soon after")
    func outage() {
        let fleet = Fleet()
        let end = fleet.run(limit: 2 * Fleet.outage)
        let service = fleet.service
        let seconds = Fleet.outage / 1000
        #expect(service.revoked == Fleet.sessions)
        // While it is away: each host asks once a round at most, and hosts do not ask together.
        #expect(service.all(in: 0..<seconds) <= Fleet.hosts * 60)
        #expect(service.most(in: 0..<seconds) <= 12)
        // Afterwards: at best it takes 84 seconds.
        #expect(end - Fleet.outage <= 180_000)
        #expect(service.throttled <= Fleet.hosts * 4)
    }
}
