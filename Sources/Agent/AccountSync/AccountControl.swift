/// What can be done to people who are out, besides the store: their processes, and what would start some for them.
package protocol AccountControl {
    /// The user ids from the lowest to the highest of which there are processes now, and the groups that these have, by
    /// whatever of their ids.
    func processGroups(from lowest: UInt32, to highest: UInt32) -> [UInt32: Set<UInt32>]
    /// The id of a group of this machine's.
    func groupID(of name: [UInt8]) -> UInt32?
    /// The groups that a new login of theirs would have, from wherever.
    func loginGroups(of name: [UInt8], uid: UInt32) -> Set<UInt32>
    /// Ends all processes of that user id, and its sessions; whether none is left.
    func endProcesses(of uid: UInt32) -> Bool
    /// Has no process of theirs started without them (linger of systemd-logind); whether there was to be one.
    func forbidLinger(of name: [UInt8]) -> Bool
}
