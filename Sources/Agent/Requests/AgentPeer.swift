package import Protocol

/// What came from a client.
package enum PeerMessage: ~Copyable {
    /// A frame, whole and of a known kind.
    case frame(Frame)
    case malformed
    /// Nothing in time.
    case nothing
    case gone
}

/// A client at the other end of one connection.
package protocol AgentPeer: AnyObject {
    /// The user id that the kernel vouches for (SO_PEERCRED).
    var userID: UInt32 { get }
    var process: Int32 { get }
    /// The file that it runs; empty where that is not known, as when it has ended.
    var program: [UInt8] { get }
    func receive(within milliseconds: Int64) -> PeerMessage
    /// Sends one message; false when the client is gone, or does not take it.
    func send(_ frame: borrowing Frame) -> Bool
    /// Lets the client go: there is nothing more to say.
    func hangUp()
}
