import Agent
import Base
import Glibc
import Protocol

/// A client on a packet socket: one packet is one message.
final class PacketPeer: AgentPeer {
    let userID: UInt32
    let process: Int32
    private let number: CInt
    private var socket: PacketSocket { PacketSocket(number) }

    /// How long a client may take to accept an answer, in milliseconds.
    private static let sendLimit: CInt = 5000
    /// More than any request or answer to a question of a client's takes.
    private static let largest = 8192

    /// The client behind `socket`; nil when the kernel does not say who that is.
    init?(_ socket: CInt) {
        guard PacketSocket.isOne(socket), let peer = PacketSocket(socket).peer else {
            return nil
        }
        number = socket
        process = peer.process
        userID = peer.uid
    }

    var program: [UInt8] {
        var path = [CChar](repeating: 0, count: 4096)
        let length = unsafe readlink("/proc/\(process)/exe", &path, path.count)
        return path.prefix(max(0, length)).map { byte in UInt8(truncatingIfNeeded: byte) }
    }

    func receive(within milliseconds: Int64) -> PeerMessage {
        do throws(FrameReceiveFault) {
            return .frame(try socket.receiveFrame(atMost: Self.largest, timeout: milliseconds))
        } catch {
            switch error {
            case .socket(.timedOut): return .nothing
            case .socket(.tooLarge), .frame: return .malformed
            case .socket(.endOfFile), .socket(.failed), .socket(.outOfMemory): return .gone
            }
        }
    }

    func send(_ frame: borrowing Frame) -> Bool {
        (try? socket.send(frame, timeout: Self.sendLimit)) != nil
    }

    func hangUp() {
        // What was sent still arrives.
        shutdown(number, CInt(SHUT_RDWR))
    }
}
