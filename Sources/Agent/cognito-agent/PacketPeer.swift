import AgentRequests
import Base
import CLinux
import Glibc
import Protocol

/// A client on a packet socket: one packet is one message.
final class PacketPeer: AgentPeer {
    let userID: UInt32
    let process: Int32
    private let socket: CInt

    /// How long a client may take to accept an answer, in milliseconds.
    private static let sendLimit: CInt = 5000
    /// More than any request or answer to a question of a client's takes.
    private static let largest = 8192

    /// The client behind `socket`; nil when the kernel does not say who that is.
    init?(_ socket: CInt) {
        var process: Int32 = 0
        var userID: UInt32 = 0
        guard linux_is_packet_socket(socket) == 1, unsafe linux_peer(socket, &process, &userID) == 0 else {
            return nil
        }
        self.socket = socket
        self.process = process
        self.userID = userID
    }

    func receive(within milliseconds: Int64) -> PeerMessage {
        let packet: Secret
        do throws(ReceiveFault) {
            packet = try receivePacket(
                from: socket, atMost: Self.largest, timeout: Int32(clamping: max(0, milliseconds)))
        } catch {
            switch error {
            case .timedOut: return .nothing
            case .tooLarge: return .malformed
            case .endOfFile, .failed, .outOfMemory: return .gone
            }
        }
        guard let frame = try? Frame(decoding: packet) else {
            return .malformed
        }
        return .frame(frame)
    }

    func send(_ frame: borrowing Frame) -> Bool {
        frame.withPacket { bytes in
            unsafe bytes.withUnsafeBytes { buffer in
                unsafe linux_send(socket, buffer.baseAddress, buffer.count, Self.sendLimit) == 0
            }
        }
    }

    func hangUp() {
        // What was sent still arrives.
        shutdown(socket, CInt(SHUT_RDWR))
    }
}
