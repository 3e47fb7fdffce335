package import Base

/// The name service's answers which user ids belong to accounts, kept for a minute.
///
/// A user can have tens of thousands of user ids without an account; they do not displace those of accounts.
package struct AccountMemory {
    private static let most = 4096
    private static let life: Int64 = 60_000

    private var accounts: [UInt32: Instant] = [:]
    private var others: [UInt32: Instant] = [:]

    package init() {}

    /// Whether that is an account's; nil when it has to be asked.
    package func isAccount(_ userID: UInt32, at now: Instant) -> Bool? {
        if let learned = accounts[userID], now.milliseconds - learned.milliseconds < Self.life {
            return true
        }
        if let learned = others[userID], now.milliseconds - learned.milliseconds < Self.life {
            return false
        }
        return nil
    }

    package mutating func learn(_ userID: UInt32, isAccount: Bool, at now: Instant) {
        accounts[userID] = nil
        others[userID] = nil
        if isAccount {
            Self.add(userID, to: &accounts, at: now)
        } else {
            Self.add(userID, to: &others, at: now)
        }
    }

    private static func add(_ userID: UInt32, to all: inout [UInt32: Instant], at now: Instant) {
        if all.count >= most {
            // What is forgotten is asked again.
            all = [:]
        }
        all[userID] = now
    }
}
