import Base
package import Configuration

extension UserIDRange {
    /// Computes the user id of a user, which is the same on all machines with this range, although they do not
    /// communicate.
    ///
    /// FNV-1a (64 bits) of the pool's id, a NUL and the user's, mixed as MurmurHash3 ends, and scaled to the range.
    ///
    /// - Parameters:
    ///   - identity: The user's `sub`, which is unique in the pool. A user who is created again under an old name has
    ///     another one.
    ///   - pool: The user pool's id.
    package func userID(of identity: [UInt8], inPool pool: [UInt8]) -> UInt32 {
        let hash = mixed(fnv1a(pool + [0] + identity))
        let size = UInt64(highest - lowest) + 1
        return lowest + UInt32(truncatingIfNeeded: hash.multipliedFullWidth(by: size).high)
    }
}

/// The user id that a claim has, as decimal digits; nil: it is none.
package func userID(claimed text: [UInt8]) -> UInt32? {
    UInt32(decimal: text, atMost: 10)
}

/// MurmurHash3's fmix64: each bit of what goes in changes half of those that come out.
func mixed(_ hash: UInt64) -> UInt64 {
    var hash = hash
    hash = (hash ^ hash >> 33) &* 0xff51_afd7_ed55_8ccd
    hash = (hash ^ hash >> 33) &* 0xc4ce_b9fe_1a85_ec53
    return hash ^ hash >> 33
}
