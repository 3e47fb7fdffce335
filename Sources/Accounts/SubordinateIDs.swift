package import Configuration

/// The ranges assigned in subuid(5) or subgid(5).
package struct SubordinateIDs: Sendable {
    /// A line.
    package struct Share: Equatable, Sendable {
        /// The owner, by login name or by user id.
        package let owner: [UInt8]
        /// The lowest and the highest.
        package let lowest: UInt32
        package let highest: UInt32
    }

    /// The lines that say something.
    package let shares: [Share]

    package init(parsing text: [UInt8]) {
        shares = text.split(separator: 0x0a).compactMap { line in
            let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            guard fields.count == 3, let lowest = userID(claimed: Array(fields[1])),
                let count = userID(claimed: Array(fields[2])), count > 0
            else {
                return nil
            }
            let (highest, isOver) = lowest.addingReportingOverflow(count - 1)
            return Share(owner: Array(fields[0]), lowest: lowest, highest: isOver ? .max : highest)
        }
    }

    /// Whether the user has a range, by the user id only, because the name may have belonged to another user.
    package func hasShare(of uid: UInt32) -> Bool {
        shares.contains { share in userID(claimed: share.owner) == uid }
    }

    /// Returns the first `count` free ids from the lowest to the highest that are not in `reserved`; nil: there are not
    /// enough.
    package func room(for count: UInt32, in range: ClosedRange<UInt32>, besides reserved: UserIDRange) -> UInt32? {
        var next = UInt64(range.lowerBound)
        let taken = shares.map { share in (share.lowest, share.highest) } + [(reserved.lowest, reserved.highest)]
        for (lowest, highest) in taken.sorted(by: { one, other in one.0 < other.0 }) {
            if next + UInt64(count) <= UInt64(lowest) {
                break
            }
            next = max(next, UInt64(highest) + 1)
        }
        return next + UInt64(count) <= UInt64(range.upperBound) + 1 ? UInt32(next) : nil
    }
}
