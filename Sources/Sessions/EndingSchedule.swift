import Base

extension RegistryEntry {
    /// Whether its end is tried no longer.
    package func isGivenUp(at time: Int64) -> Bool {
        Sessions.isGivenUp(after: attempts, expires, at: time)
    }
}

/// Whether a session's end is tried no longer: its tokens have long run out, it seems, and more than a day of attempts
/// was in vain.
package func isGivenUp(after attempts: UInt8, _ expires: Int64, at time: Int64) -> Bool {
    attempts >= 100 && hasLongRunOut(expires, at: time)
}

/// Whether tokens should have run out a week ago.
///
/// When they do run out is Cognito's to say: this machine knows what the configuration says, and a clock that may be
/// wrong.
package func hasLongRunOut(_ expires: Int64, at time: Int64) -> Bool {
    expires < time - 604_800
}

/// The longest time between two attempts to end a session, in milliseconds.
package let longestPause: Int64 = 900_000

extension Machine {
    /// Returns the pause after so many failed attempts, in milliseconds: none before the first retry; then one minute,
    /// two, four and so on to 15 minutes. Each is cut by up to a half at random, so that sessions that ended at the
    /// same time, here and on other machines, do not retry at the same time.
    package func pause(after attempts: UInt8) -> Int64 {
        guard attempts > 1 else {
            return 0
        }
        let longest = min(60_000 << Int64(min(attempts, 10) - 2), longestPause)
        return longest - random(below: longest / 2)
    }
}
