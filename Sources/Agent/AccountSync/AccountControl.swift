/// What can be done to people who are out, besides the store: their processes, and what would start some for them.
package protocol AccountControl {
    /// The user ids from the lowest to the highest of which there are processes now.
    func usersWithProcesses(from lowest: UInt32, to highest: UInt32) -> Set<UInt32>
    /// Ends all processes of that user id, and its sessions; whether none is left.
    func endProcesses(of uid: UInt32) -> Bool
    /// Has no process of theirs started without them (linger of systemd-logind); whether there was to be one.
    func forbidLinger(of name: [UInt8]) -> Bool
}
