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
    /// Codes for a forgotten password: asked for by other users, or by the owner of the account.
    case recoveryByOthers([UInt8])
    case recoveryByOwner([UInt8])
    /// Telling the log of layers of the worker's sandbox that this machine has not.
    case missingLayers
    /// Telling it that metrics cannot be written.
    case metricsFault

    /// The number that it is counted under: the kind, and a user id or a hash of a name with root's secret. So no user
    /// can choose a name that is counted together with another one.
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

    /// How many there are at the same time, and after how many milliseconds there is another one.
    fileprivate var allowance: (most: Int64, interval: Int64) {
        switch self {
        case .reaper: (1, 60_000)
        case .calls, .signOuts: (40, 5000)
        case .conversations: (10, 30_000)
        case .recoveryByOthers, .recoveryByOwner: (5, 300_000)
        case .missingLayers: (1, 86_400_000)
        case .metricsFault: (1, 3_600_000)
        }
    }
}

extension LinuxMachine {
    /// Takes a turn: whether there was one; throws if that is not known.
    package static func takesTurn(_ limit: RateLimit) throws(ErrorNumber) -> Bool {
        let (most, interval) = limit.allowance
        let taken = unsafe linux_take_turn(
            "/run/pam-cognito/counts", try limit.key(), most, interval, Instant.now.milliseconds)
        return try ErrorNumber.check(taken) == 1
    }
}
