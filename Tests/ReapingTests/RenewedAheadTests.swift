import Agent
import Base
import Configuration
import Protocol
import Testing

@testable import Fakes
@testable import Sessions

/// A machine with many open sessions, whose tokens are read without a request, and the timer of the cleanup.
private final class Readers {
    let machine = FakeMachine()
    /// For how many seconds tokens are good.
    let life: Int64
    private let began: Int64
    /// When they sign in, in seconds from the beginning, the first one first; and how many have.
    private let arrivals: [Int64]
    private var arrived = 0
    private(set) var requests = 0
    /// The most requests within a second, and how often a reader found a token that had run out.
    private(set) var most = 0
    private(set) var expired = 0
    private var inSecond: (second: Int64, count: Int) = (0, 0)

    init(_ count: Int, life: Int64, apart seconds: Int64) {
        self.life = life
        machine.configuration = FakeMachine.configuration("renew_ahead = yes\ncheck_interval = 0")
        machine.now = Instant(milliseconds: 500_000_000)
        began = machine.now.milliseconds
        arrivals = (0..<count).map { number in seconds * Int64(number) / Int64(count) }
        machine.answer = { [unowned self] in
            let end = ask()
            return [.wait(150), .renewed(as: "person", bundle: "\(end)", until: end)]
        }
    }

    /// Cognito is asked; when the new token ends.
    private func ask() -> Int64 {
        look()
        requests += 1
        let second = machine.now.milliseconds / 1000
        inSecond = (second, inSecond.second == second ? inSecond.count + 1 : 1)
        most = max(most, inSecond.count)
        return machine.time + life
    }

    private func signIn() {
        let end = machine.time + life
        let sample = Sample(
            created: machine.now.milliseconds, expires: machine.time + 30 * 86_400, user: "person\(arrived)",
            tokenKey: 1000 + Int32(arrived), accessTokenExpiry: end, renewed: machine.now.milliseconds,
            identity: .verifiedEmail)
        _ = sample.add(to: machine)
        machine.tokenKeys[sample.tokenKey] = FakeMachine.TokenKey(bundle: "\(end)")
        arrived += 1
    }

    /// Every reader looks.
    func look() {
        machine.time = 1_800_000_000 + (machine.now.milliseconds - began) / 1000
        while arrived < arrivals.count, arrivals[arrived] <= machine.time - 1_800_000_000 {
            signIn()
        }
        expired += machine.tokenKeys.values.count { key in Int64(key.bundle) ?? 0 <= machine.time }
    }

    /// A run after so many seconds. If a token is good at the end of each run, it was good throughout.
    func round(after seconds: Int64) {
        machine.advance(seconds * 1000)
        look()
        _ = Reaper(machine: machine).reap(.due, dryRun: false) { _, _ in }
    }
}

@Suite struct RenewedAheadTests {
    @Test(
        """
        nobody finds a token that has run out, however late the rounds come, and Cognito is asked no more than \
        need be
        """,
        arguments: [
            // Seconds that tokens are good for, within which all have signed in, between rounds; hours.
            (3600, 3600, 90, 3), (3600, 1, 90, 3), (600, 600, 90, 1), (300, 300, 75, 1),
        ] as [(Int64, Int64, Int64, Int64)])
    func renewed(life: Int64, apart: Int64, pause: Int64, hours: Int64) {
        let readers = Readers(100, life: life, apart: apart)
        while readers.machine.time < 1_800_000_000 + hours * 3600 {
            readers.round(after: pause)
        }
        #expect(readers.expired == 0)
        // At the latest a round after the last quarter has begun, or two and a half minutes before the end.
        let least = life - max(150 + pause, min(900, life / 4) + pause) - 1
        let perSession = Double(hours * 3600) / Double(max(1, least))
        #expect(readers.requests > 0 && Double(readers.requests) <= 100 * (perSession + 1))
        // Twenty at once, then ten a second.
        #expect(readers.most <= 30)
    }
}
