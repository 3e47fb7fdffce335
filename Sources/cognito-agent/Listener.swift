import ByteText
import CLinux
import LinuxProcess
import LoginCore
import WorkerProtocol

/// The agent where no systemd starts it: one process for each connection, a bounded number of them.
struct Listener: ~Copyable {
    private static let mostServers = 64
    private static let mostServersOfOne = 16

    private let path: String
    private let listener: Descriptor
    private let termination: Descriptor
    private var servers: [Server] = []

    private struct Server {
        let process: SharedDescriptor
        let userID: UInt32
    }

    /// A descriptor in an array, which holds nothing noncopyable.
    private final class SharedDescriptor {
        let descriptor: Descriptor

        init?(owning number: CInt) {
            guard let descriptor = Descriptor(owning: number) else {
                return nil
            }
            self.descriptor = descriptor
        }
    }

    /// Binds the socket.
    init(path: String) throws(ErrorNumber) {
        let termination = linux_termination_descriptor()
        guard let waiting = Descriptor(owning: termination) else {
            throw ErrorNumber(-termination)
        }
        let listener = unsafe linux_listen(path)
        guard let bound = Descriptor(owning: listener) else {
            throw ErrorNumber(-listener)
        }
        self.path = path
        self.listener = bound
        self.termination = waiting
    }

    /// Serves until it is told to end. Whoever is being served then is served to the end.
    mutating func run() {
        while true {
            // A full house does not listen: who comes now waits in the socket's queue.
            let isFull = servers.count >= Self.mostServers
            var watched = [termination.number] + servers.map { server in server.process.descriptor.number }
            if !isFull {
                watched.append(listener.number)
            }
            var ready = [UInt8](repeating: 0, count: watched.count)
            guard unsafe linux_wait_any(watched, &ready, watched.count) == 0, ready.first == 0 else {
                break
            }
            let hasCaller = !isFull && ready.last == 1
            let ended = zip(servers, ready.dropFirst())
            servers = ended.filter { _, isReady in isReady == 0 }.map { server, _ in server }
            if hasCaller {
                acceptOne()
            }
        }
        unsafe linux_remove_socket(path)
    }

    private mutating func acceptOne() {
        guard let connection = Descriptor(owning: linux_accept(listener.number)) else {
            return
        }
        guard let peer = PacketPeer(connection.number) else {
            return
        }
        let ofTheSame = servers.count { server in server.userID == peer.userID }
        guard ofTheSame < Self.mostServersOfOne else {
            // Closed without a word, as systemd does (MaxConnectionsPerSource=): the client tries again.
            return
        }
        let started = linux_start_serving(connection.number)
        guard started.stage == 0, let process = SharedDescriptor(owning: started.pidfd) else {
            log(
                .error,
                """
                a request cannot be served (errno \(started.error)): cognito-agent cannot be started; reinstall \
                pam-cognito, check the file's mode and the file system's mount options
                """)
            return
        }
        servers.append(Server(process: process, userID: peer.userID))
    }
}
