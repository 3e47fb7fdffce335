package import Base

/// What can be done to the sessions of this machine from outside, by who is no part of them.
package protocol SessionControl {
    /// Writes a line to the person's own terminals in the session that `host` hosts, waiting for none; to how many.
    func tell(_ line: [UInt8], _ person: Account, inSessionOf host: ProcessIdentity) -> Int
    /// Returns the seconds since the last input at the user's own terminals in the session of `host`; nil without such
    /// a terminal.
    func idleTime(of person: Account, inSessionOf host: ProcessIdentity) -> Int64?
    /// Locks the screen of the session that `host` hosts; whether there is something that does so.
    func lockScreen(of person: Account, inSessionOf host: ProcessIdentity) -> Bool
    /// Whether systemd-logind says that the screen of the session that `host` hosts is locked (LockedHint); nil where
    /// there is no such session of its own.
    func isScreenLocked(of person: Account, inSessionOf host: ProcessIdentity) -> Bool?
    /// Ends the session that `host` hosts; whether there was something to end.
    func terminate(_ person: Account, inSessionOf host: ProcessIdentity) -> Bool
}
