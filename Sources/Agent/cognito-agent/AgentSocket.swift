import Base
import Glibc

// The agent's socket: SOCK_SEQPACKET, where one packet is one message.

/// Whether something has come on a socket and stays there, and its first bytes; does not wait.
func peek(_ socket: CInt, _ bytes: inout [UInt8]) -> Bool {
    unsafe bytes.withUnsafeMutableBytes { bytes in
        unsafe recv(socket, bytes.baseAddress, bytes.count, CInt(MSG_PEEK | MSG_DONTWAIT)) > 0
    }
}

/// Waits until some of `descriptors` can be read, or have lost their other end, and says which; a signal ends the
/// waiting, as if its time were over. Negative ones are passed over.
///
/// - Parameter milliseconds: The longest time; negative: as long as it takes.
func wait(for descriptors: [CInt], timeout milliseconds: CInt) throws(ErrorNumber) -> [Bool] {
    var watched = descriptors.map { descriptor in pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0) }
    guard unsafe poll(&watched, nfds_t(watched.count), milliseconds) >= 0 || errno == EINTR else {
        throw .last
    }
    return watched.map { one in one.revents != 0 }
}

/// Whether the other end of a socket is closed; what that sent before may still be read.
func hasLostOtherEnd(_ socket: CInt) -> Bool {
    var watched = pollfd(fd: socket, events: 0, revents: 0)
    return unsafe poll(&watched, 1, 0) == 1 && Int(watched.revents) & Int(POLLHUP) != 0
}

/// A descriptor in an array, which holds nothing noncopyable.
final class SharedDescriptor {
    let descriptor: Descriptor

    init?(owning number: CInt) {
        guard let descriptor = Descriptor(owning: number) else {
            return nil
        }
        self.descriptor = descriptor
    }
}
