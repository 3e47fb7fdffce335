import Agent
import Base
import CLinux
import Glibc
import Messages
import Protocol
import Sessions

/// The process that watches sign-ins whose session has not begun: one for all of them, for as long as there are any,
/// and a little longer. The listener passes on what it is told, and has no tokens in its memory.
final class Watcher {
    /// More than what is passed on has.
    static let longestMessage = 64

    private let channel: Descriptor

    init?() {
        let started = unsafe linux_start_agent(CInt(LINUX_SOCKET_INPUT), "watch", nil)
        // The descriptor of a process that is not waited for has no use.
        _ = Descriptor(owning: started.pidfd)
        guard let channel = Descriptor(owning: started.socket) else {
            return nil
        }
        self.channel = channel
    }

    /// Can be read when it has ended.
    var descriptor: CInt { channel.number }

    /// Passes on what came; false when it has ended. One that does not listen is not waited for: what it does not hear
    /// is left to the reaper.
    func tell(_ message: ArraySlice<UInt8>) -> Bool {
        let result = unsafe message.withUnsafeBytes { bytes in
            unsafe linux_send(channel.number, bytes.baseAddress, bytes.count, 0)
        }
        return result == 0 || result == -ETIMEDOUT
    }

    // MARK: The process

    /// How long it stays when there is nothing to watch, in milliseconds: others who sign in meanwhile need no process.
    private static let idleness: Int64 = 60_000
    /// How long a look may be put off, in milliseconds: what is waited for may be more than can be watched at the same
    /// time, and its parent may matter by then.
    private static let longestPause: CInt = 3000
    /// How long the next look waits at least, in milliseconds: sessions begin meanwhile, and many that end together are
    /// one look.
    private static let shortestPause: Int64 = 300
    /// The number of processes that are watched at the same time. Programs of pam-cognito may have 64 descriptors.
    private static let mostProcesses = 32
    /// After how many seconds without a look something has gone wrong.
    private static let longestLook: UInt32 = 120

    /// What such a process does for the listener behind its standard input. The result is the exit status.
    static func run() -> CInt {
        guard PacketSocket.isOne(STDIN_FILENO) else {
            return EX_USAGE
        }
        // When the machine stops, `drain` does the rest.
        _ = signal(SIGTERM, SIG_DFL)
        let machine = LinuxMachine()
        var watch = PendingWatch(machine: machine)
        var listens = true
        var idleSince = Instant.now
        while true {
            alarm(longestLook)
            listens = hear(&watch) && listens
            let now = Instant.now
            if !watch.isEmpty {
                idleSince = now
            }
            let processes = watch.look(report: report)
            if watch.isEmpty {
                guard listens else {
                    return EX_OK
                }
                guard now.milliseconds - idleSince.milliseconds < idleness else {
                    // From here on the listener starts another one. What it has said before is still heard.
                    shutdown(STDIN_FILENO, CInt(SHUT_RD))
                    continue
                }
            }
            wait(for: processes, orMessage: listens, atMost: watch.isEmpty ? CInt(idleness) : longestPause)
            machine.pause(milliseconds: shortestPause)
        }
    }

    /// Reads all messages; returns false if there is no more sender.
    private static func hear(_ watch: inout PendingWatch<LinuxMachine>) -> Bool {
        let listener = PacketSocket(STDIN_FILENO)
        while true {
            do throws(FrameReceiveFault) {
                let message = try listener.receiveFrame(atMost: longestMessage, timeout: 0)
                if message.kind == .watchRequest, let key = message.serial(.key) {
                    watch.add(key)
                }
            } catch {
                switch error {
                case .socket(.timedOut): return true
                case .socket(.endOfFile), .socket(.failed): return false
                case .socket(.tooLarge), .socket(.outOfMemory), .frame: break
                }
            }
        }
    }

    /// Waits until one of the processes has ended, there is a message, or the time is over.
    private static func wait(for processes: [ProcessIdentity], orMessage listens: Bool, atMost milliseconds: CInt) {
        let descriptors = processes.prefix(mostProcesses).map { process in linux_open_process(process.id) }
        defer {
            for descriptor in descriptors {
                linux_close(descriptor)
            }
        }
        guard !descriptors.contains(-ESRCH) else {
            return
        }
        _ = try? cognito_agent.wait(for: [listens ? STDIN_FILENO : -1] + descriptors, timeout: milliseconds)
    }
}
