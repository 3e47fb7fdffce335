import Messages
import Protocol

/// A connection on which both sides keep to the order of messages.
final class PeerConversation<Peer: AgentPeer> {
    let peer: Peer
    /// The language of the person behind it, where the client has said.
    var language: Language?
    private var exchange = Exchange(.clientAndAgent)

    init(_ peer: Peer) {
        self.peer = peer
    }

    /// Waits for one message; one out of place is malformed.
    func receive(within milliseconds: Int64) -> PeerMessage {
        switch peer.receive(within: milliseconds) {
        // The exchange does not know who speaks.
        case .frame(let frame):
            frame.kind.isAsked && exchange.accept(frame.kind) ? .frame(frame) : .malformed
        case .malformed: .malformed
        case .nothing: .nothing
        case .gone: .gone
        }
    }

    /// Sends one message; false when the client is gone, or when the message would be out of place.
    func send(_ writer: consuming FrameWriter) -> Bool {
        guard let frame = try? writer.finish(), exchange.accept(frame.kind) else {
            return false
        }
        return peer.send(frame)
    }
}
