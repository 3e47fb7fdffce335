package import Base
import CLinux
import Keyring

/// What may be done so often and no more; counted in one file of root's that never grows.
package enum RateLimit: Sendable {
    /// Starting the reaper after a login.
    case reaper
    /// Calls to Cognito about sessions, for that user id.
    case calls(UInt32)
    /// Sign-outs, for that user id: whatever else they have asked for.
    case signOuts(UInt32)
    /// Conversations with Cognito, for that user id.
    case conversations(UInt32)
    /// Codes for a forgotten password: of somebody else's account, or of one's own.
    case recoveryByOthers([UInt8])
    case recoveryByOwner([UInt8])
    /// Telling the log of layers of the worker's sandbox that this machine has not.
    case missingLayers
    /// Telling it that metrics cannot be written.
    case metricsFault

    /// What it is counted under: the kind, and a user id or what root's secret makes of a name. Nobody finds a name that is counted as one
    /// with another.
    func key() throws(ErrorNumber) -> UInt64 {
        switch self {
        case .reaper: 1 << 56
        case .calls(let userID): 2 << 56 | UInt64(userID)
        case .conversations(let userID): 3 << 56 | UInt64(userID)
        case .recoveryByOthers(let name): 4 << 56 | (try RootSecret.number(of: name)) >> 8
        case .recoveryByOwner(let name): 5 << 56 | (try RootSecret.number(of: name)) >> 8
        case .signOuts(let userID): 6 << 56 | UInt64(userID)
        case .missingLayers: 7 << 56
        case .metricsFault: 8 << 56
        }
    }
}

extension LinuxMachine {
    /// Takes a turn: whether there was one; throws where that cannot be known.
    ///
    /// - Parameters:
    ///   - most: How many there are at once.
    ///   - interval: After how many milliseconds there is another.
    package static func takesTurn(_ what: RateLimit, most: Int64, interval: Int64) throws(ErrorNumber) -> Bool {
        let taken = unsafe linux_take_turn(
            "/run/pam-cognito/counts", try what.key(), most, interval, Instant.now.milliseconds)
        guard taken >= 0 else {
            throw ErrorNumber(-taken)
        }
        return taken == 1
    }
}
