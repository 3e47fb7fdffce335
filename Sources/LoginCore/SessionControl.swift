package import LinuxProcess

/// What can be done to the sessions of this machine from outside, by who is no part of them.
package protocol SessionControl {
    /// Writes a line to the person's own terminals in the session that `host` hosts, waiting for none; to how many.
    func tell(_ line: StaticString, _ person: Account, inSessionOf host: ProcessIdentity) -> Int
    /// Locks the screen of the session that `host` hosts; whether there is something that does so.
    func lockScreen(of person: Account, inSessionOf host: ProcessIdentity) -> Bool
    /// Ends the session that `host` hosts; whether there was something to end.
    func terminate(_ person: Account, inSessionOf host: ProcessIdentity) -> Bool
}
