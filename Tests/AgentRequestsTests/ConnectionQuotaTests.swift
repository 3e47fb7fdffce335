import Base
import Protocol
import Testing

@testable import Agent

private func at(_ milliseconds: Int64) -> Instant {
    Instant(milliseconds: 1_000_000 + milliseconds)
}

@Suite struct ConnectionQuotaTests {
    /// Takes as many as there are; how many those were.
    private static func fill(_ places: inout ConnectionQuota, _ owner: QuotaOwner) -> Int {
        (0..<1000).prefix { _ in places.take(for: owner) }.count
    }

    @Test("nobody has all places, and who comes after those who took what they could has one")
    func shares() {
        var places = ConnectionQuota()
        var shares: [Int] = []
        for number: UInt32 in 1...12 {
            shares.append(Self.fill(&places, number.isMultiple(of: 2) ? .account(number) : .block(number)))
        }
        #expect(shares.first == 16)
        #expect(shares.allSatisfy { share in share >= 1 } && shares == shares.sorted(by: >))
        #expect(shares.reduce(0, +) <= ConnectionQuota.ofAll)
        #expect(Self.fill(&places, .account(5000)) == 1)
        // Root's are root's own.
        #expect(Self.fill(&places, .root) == ConnectionQuota.ofRoot)
    }

    @Test("root takes nothing from others")
    func root() {
        var places = ConnectionQuota()
        #expect(Self.fill(&places, .root) == ConnectionQuota.ofRoot)
        #expect(Self.fill(&places, .account(1)) == 16)
    }

    @Test("whoever fills polkit's helper leaves root's places alone, and some for others")
    func polkit() {
        var places = ConnectionQuota()
        #expect(Self.fill(&places, .polkit) == 16)
        #expect(Self.fill(&places, .root) == ConnectionQuota.ofRoot)
        #expect(Self.fill(&places, .account(1)) > 0)
    }

    @Test("a place that is given back is free, once")
    func leaving() {
        var places = ConnectionQuota()
        let all = Self.fill(&places, .account(1))
        places.leave(.account(2))
        #expect(Self.fill(&places, .account(1)) == 0)
        places.leave(.account(1))
        #expect(Self.fill(&places, .account(1)) == 1)
        for _ in 0..<100 {
            places.leave(.account(1))
        }
        #expect(Self.fill(&places, .account(1)) == all)
    }

    @Test("65,536 user ids share what one account has")
    func blocks() {
        var places = ConnectionQuota()
        let taken = (UInt32(3_014_656)..<3_014_656 + 65_536).count { userID in
            places.take(for: QuotaOwner.block(of: userID))
        }
        #expect(taken == 16)
        #expect(Self.fill(&places, QuotaOwner.block(of: 1000)) > 0)
    }

    @Test("turns are each person's own, are used up, and come back one by one")
    func turns() {
        var places = ConnectionQuota()
        let kinds: [(MessageKind?, Int)] = [(.renewRequest, 200), (.handOut, 300), (.signOutRequest, 100)]
        for (kind, most) in kinds {
            func take(_ userID: UInt32, _ milliseconds: Int64) -> Bool {
                places.takeTurn(of: userID, for: kind, at: at(milliseconds))
            }
            let burst = (0..<1000).count { _ in take(1000, 0) }
            #expect(burst == most)
            #expect(take(1001, 0) && take(0, 0) && !take(1000, 249))
            #expect(take(1000, 250) && !take(1000, 251))
            #expect(take(1000, 500) && !take(1000, 500))
            #expect(places.completion > at(60 * 250))
            let again = (0..<1000).count { _ in take(1000, 100_000) }
            #expect(again == most)
            // The clock is never set; where it seems to have been, nothing is gained.
            #expect(!take(1000, 50_000))
        }
        #expect(places.completion <= at(200_000))
        let roots = (0..<1000).count { _ in places.takeTurn(of: 0, for: nil, at: at(0)) }
        #expect(roots == 1000)
    }

    @Test("what is remembered of people is bounded; who is not, is refused")
    func bound() {
        var places = ConnectionQuota()
        let served = (UInt32(1)...10_000).count { userID in places.takeTurn(of: userID, for: nil, at: at(0)) }
        #expect(served == 4096)
        let later = places.takeTurn(of: 9_000, for: nil, at: at(1000))
        #expect(later)
    }

    @Test("one line a minute about each")
    func lines() {
        var places = ConnectionQuota()
        let written = stride(from: Int64(0), to: 180_000, by: 1000).count { moment in
            places.deservesLine(.account(1), at: at(moment))
        }
        #expect(written == 3)
        let others = (UInt32(1)...10_000).count { block in places.deservesLine(.block(block), at: at(180_000)) }
        #expect(others == 4096)
    }
}

@Suite struct AccountMemoryTests {
    @Test("what the name service said holds for a minute, and nobody's ids do not crowd accounts out")
    func memory() {
        var memory = AccountMemory()
        #expect(memory.isAccount(1000, at: at(0)) == nil)
        memory.learn(1000, isAccount: true, at: at(0))
        for userID: UInt32 in 100_000..<165_536 {
            memory.learn(userID, isAccount: false, at: at(1))
        }
        #expect(memory.isAccount(1000, at: at(59_999)) == true)
        #expect(memory.isAccount(165_535, at: at(59_999)) == false)
        #expect(memory.isAccount(1000, at: at(60_001)) == nil)
        memory.learn(1000, isAccount: false, at: at(60_001))
        #expect(memory.isAccount(1000, at: at(60_002)) == false)
    }
}
