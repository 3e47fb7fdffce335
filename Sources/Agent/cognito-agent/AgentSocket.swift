import Base
import CLinux
import Glibc

// The agent's socket: SOCK_SEQPACKET, where one packet is one message.

/// Short: who comes behind it waits for as long as it takes to let in, or to send away, those who are in it. Where it is full, those
/// who want to fill it sleep in connect(2). pam-cognito-agent.socket has the same.
private let queue: CInt = 64

/// A socket bound to `path`, mode 0666, listening, not blocking. A socket of that name is replaced.
func listen(at path: String) throws(ErrorNumber) -> Descriptor {
    // What a listener that was killed left behind. Anything else of that name stays, and bind(2) says so.
    removeSocket(path)
    let number = socket(
        AF_UNIX, CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard let listener = Descriptor(owning: number) else {
        throw .last
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let isWhole = unsafe withUnsafeMutableBytes(of: &address.sun_path) { field in
        unsafe field.copyBytes(from: path.utf8.prefix(field.count))
        return path.utf8.count < field.count
    }
    guard isWhole else {
        throw ErrorNumber(ENAMETOOLONG)
    }
    let isBound = unsafe withUnsafePointer(to: &address) { address in
        unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            unsafe bind(number, address, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
    }
    guard isBound, unsafe chmod(path, 0o666) == 0, Glibc.listen(number, queue) == 0 else {
        throw .last
    }
    return listener
}

/// Removes the socket at `path`, and nothing that is no socket.
func removeSocket(_ path: String) {
    var status = stat()
    if unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK {
        _ = unsafe unlink(path)
    }
}

/// The listening socket that this process was started with (sd_listen_fds(3)), not blocking; nil where it was started without any.
func inheritedListener() throws(ErrorNumber) -> Descriptor? {
    let first: CInt = 3
    guard let process = unsafe getenv("LISTEN_PID"), let count = unsafe getenv("LISTEN_FDS"),
        unsafe strtol(process, nil, 10) == Int(getpid())
    else {
        return nil
    }
    var listens: CInt = 0
    var size = socklen_t(MemoryLayout<CInt>.size)
    guard unsafe strcmp(count, "1") == 0, linux_is_packet_socket(first) == 1,
        unsafe getsockopt(first, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0, listens != 0
    else {
        throw ErrorNumber(ENOTSOCK)
    }
    let flags = fcntl(first, F_GETFL)
    guard flags >= 0, fcntl(first, F_SETFL, flags | O_NONBLOCK) == 0, fcntl(first, F_SETFD, FD_CLOEXEC) == 0 else {
        throw .last
    }
    return Descriptor(owning: first)
}

/// Whether something has come on a socket and stays there, and its first bytes; does not wait.
func peek(_ socket: CInt, _ bytes: inout [UInt8]) -> Bool {
    unsafe bytes.withUnsafeMutableBytes { bytes in
        unsafe recv(socket, bytes.baseAddress, bytes.count, CInt(MSG_PEEK | MSG_DONTWAIT)) > 0
    }
}

/// Waits until some of `descriptors` can be read, or have lost their other end, and says which; a signal ends the waiting, as if its
/// time were over. Negative ones are passed over.
///
/// - Parameter milliseconds: The longest time; negative: as long as it takes.
func wait(for descriptors: [CInt], timeout milliseconds: CInt) throws(ErrorNumber) -> [Bool] {
    var watched = descriptors.map { descriptor in pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0) }
    guard unsafe poll(&watched, nfds_t(watched.count), milliseconds) >= 0 || errno == EINTR else {
        throw .last
    }
    return watched.map { one in one.revents != 0 }
}
