package import Base
package import Protocol

/// Whom a connection is charged to.
package enum QuotaOwner: Hashable, Sendable {
    /// Root, who has places of its own.
    case root
    /// polkit's helper, which runs as root for all users. It has the quota of one account.
    case polkit
    /// The account with that user id.
    case account(UInt32)
    /// User ids without an account that have all but their low 16 bits in common, as subordinate ids (subuid(5)) of one
    /// user mostly do. They share the quota of one account.
    case block(UInt32)

    /// The block that a user id is in.
    package static func block(of userID: UInt32) -> QuotaOwner {
        .block(userID >> 16)
    }
}

/// The connections at the same time, and how often a user may send requests: counted for each owner, so that none can
/// take what others need.
package struct ConnectionQuota {
    /// How many connections there are at once, of all but root; and of root.
    package static let ofAll = 64
    package static let ofRoot = 16
    /// How many whose requests are remembered; more accounts than that do not ask within a minute.
    private static let mostRemembered = 4096
    /// How long one line in the log about an owner is enough, in milliseconds.
    private static let quiet: Int64 = 60_000

    private var taken: [QuotaOwner: Int] = [:]
    private var takenByAll = 0
    private var requests: [UInt32: TokenBucket] = [:]
    private var notices: [UInt32: TokenBucket] = [:]
    private var signOuts: [UInt32: TokenBucket] = [:]
    private var lines: [QuotaOwner: Instant] = [:]

    package init() {}

    /// The time when all users have their full limits again, so that nothing is lost if this is forgotten.
    package var completion: Instant {
        let moments = [requests, notices, signOuts].flatMap { all in all.values.map(\.completion) }
        return moments.max() ?? Instant(milliseconds: 0)
    }

    /// Takes a connection from the quota; returns false if the owner has none left.
    ///
    /// Each owner gets at most a third of what is left to others: 16 if there is one owner, fewer if there are many. So
    /// one is left for the next owner, unless 13 accounts conspire to take as many as they can.
    package mutating func take(for owner: QuotaOwner) -> Bool {
        let own = taken[owner] ?? 0
        if owner == .root {
            guard own < Self.ofRoot else {
                return false
            }
        } else {
            guard 3 * own < Self.ofAll - takenByAll else {
                return false
            }
            takenByAll += 1
        }
        taken[owner] = own + 1
        return true
    }

    package mutating func leave(_ owner: QuotaOwner) {
        guard let own = taken[owner], own > 0 else {
            return
        }
        taken[owner] = own == 1 ? nil : own - 1
        if owner != .root {
            takenByAll -= 1
        }
    }

    /// Takes one of a user's turns for requests of that kind; false when there is none left for now.
    ///
    /// What is told often must not use up what renewing needs, nor anything what signing out needs.
    package mutating func takeTurn(of userID: UInt32, for kind: MessageKind?, at now: Instant) -> Bool {
        // Root could do all of it without asking.
        guard userID != 0 else {
            return true
        }
        return switch kind {
        case .handOut: Self.take(from: &notices, userID, of: TokenBucket(most: 300, interval: 250), at: now)
        case .signOutRequest: Self.take(from: &signOuts, userID, of: TokenBucket(most: 100, interval: 250), at: now)
        default: Self.take(from: &requests, userID, of: TokenBucket(most: 200, interval: 250), at: now)
        }
    }

    private static func take(
        from all: inout [UInt32: TokenBucket], _ userID: UInt32, of unused: TokenBucket, at now: Instant
    ) -> Bool {
        if all[userID] == nil, all.count >= mostRemembered {
            // Who has all of them again need not be remembered.
            all = all.filter { _, turns in now < turns.completion }
            guard all.count < mostRemembered else {
                return false
            }
        }
        return all[userID, default: unused].take(at: now)
    }

    /// Whether to write a line about a refusal: one a minute says as much as a thousand.
    package mutating func deservesLine(_ owner: QuotaOwner, at now: Instant) -> Bool {
        if let last = lines[owner], now.milliseconds - last.milliseconds < Self.quiet {
            return false
        }
        if lines.count >= Self.mostRemembered {
            lines = lines.filter { _, last in now.milliseconds - last.milliseconds < Self.quiet }
            guard lines.count < Self.mostRemembered else {
                return false
            }
        }
        lines[owner] = now
        return true
    }
}

/// What may be done so many times at once, and then once in an interval.
struct TokenBucket {
    private let most: Int64
    private let interval: Int64
    private var left: Int64
    private var filled: Instant?

    /// All of them: `most`, and one every `interval` milliseconds.
    init(most: Int64, interval: Int64) {
        self.most = most
        self.interval = interval
        left = most
    }

    /// When none is missing any more.
    var completion: Instant {
        Instant(milliseconds: (filled?.milliseconds ?? 0) + (most - left) * interval)
    }

    /// Takes one; false when there is none.
    mutating func take(at now: Instant) -> Bool {
        if completion <= now {
            left = most
            filled = now
        } else if let last = filled {
            let gained = max(0, now.milliseconds - last.milliseconds) / interval
            left += gained
            filled = Instant(milliseconds: last.milliseconds + gained * interval)
        }
        guard left > 0 else {
            return false
        }
        left -= 1
        return true
    }
}
