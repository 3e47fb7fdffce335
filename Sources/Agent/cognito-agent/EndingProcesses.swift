import Agent
import Base
import CLinux
import Glibc
import Keyring
import Protocol
import Sessions

/// The processes that end sessions which PAM applications have handed over. All of them read from one inbox, so a slow
/// answer of Cognito delays only its own session. The listener puts numbers of sessions into the inbox; it has no
/// tokens in its memory.
final class EndingProcesses {
    /// More than a message has.
    static let longestMessage = 64
    /// The interval at which the listener checks whether there are enough processes, in milliseconds.
    private static let interval: Int64 = 200
    /// More processes are started if a session has been in the inbox for longer than this, in milliseconds. If the
    /// processors are busy, another process makes all of them slower.
    private static let patience: (idle: Int64, busy: Int64) = (400, 1000)
    /// One process more is started for each four of them, but not too many at once: the listener waits for each.
    private static let sessionsOfProcess = 4
    private static let mostStarts: (idle: Int, busy: Int) = (8, 1)
    private static let mostProcesses = 64
    /// The number of checks in vain after which the inbox is emptied.
    private static let mostInVain = 10

    private let sender: Descriptor
    private let inbox: Descriptor
    private var processes: [SharedDescriptor] = []
    private var messageSize = 1
    /// When the sessions came that were in the inbox at the last check, or have come since; in order.
    private var arrivals: [Instant] = []
    /// The number of successive checks that found no process left and nothing taken.
    private var inVain = 0
    /// When to check again; nil: nothing is in the inbox.
    private(set) var nextLook: Instant?

    init?() {
        var other: CInt = -1
        let number = unsafe linux_packet_pair(&other)
        guard let sender = Descriptor(owning: number), let inbox = Descriptor(owning: other) else {
            return nil
        }
        self.sender = sender
        self.inbox = inbox
    }

    /// The processes' pidfds, which can be read when they have ended.
    var descriptors: [CInt] { processes.map { process in process.descriptor.number } }

    /// Whether there is nothing to do and no process.
    var isIdle: Bool { processes.isEmpty && waiting == 0 }

    /// Puts a message into the inbox; whether a process will read it soon.
    func take(_ message: ArraySlice<UInt8>, at now: Instant) -> Bool {
        guard processes.count < Self.mostProcesses, !processes.isEmpty || start() else {
            return false
        }
        let result = unsafe message.withUnsafeBytes { bytes in
            unsafe linux_send(sender.number, bytes.baseAddress, bytes.count, 0)
        }
        guard result == 0 else {
            return false
        }
        messageSize = message.count
        arrivals.append(now)
        nextLook = nextLook ?? Instant(milliseconds: now.milliseconds + Self.interval)
        return true
    }

    /// Takes note of which of `descriptors` can be read.
    func learn(_ isReady: some Sequence<Bool>, at now: Instant) {
        processes = zip(processes, isReady).filter { _, isReady in !isReady }.map { process, _ in process }
        if processes.isEmpty, waiting > 0, inVain == 0 {
            nextLook = now
        }
    }

    /// Starts more processes where those that there are do not suffice.
    func look(at now: Instant) {
        guard let moment = nextLook, now >= moment else {
            return
        }
        let waiting = waiting
        let taken = arrivals.count - waiting
        arrivals.removeFirst(max(0, taken))
        inVain = processes.isEmpty && waiting > 0 && taken == 0 ? inVain + 1 : 0
        guard inVain < Self.mostInVain else {
            return giveUp()
        }
        nextLook = waiting > 0 ? Instant(milliseconds: now.milliseconds + Self.interval) : nil
        guard let first = arrivals.first else {
            return
        }
        let isBusy = areProcessorsBusy
        let patience = isBusy ? Self.patience.busy : Self.patience.idle
        guard processes.isEmpty || now.milliseconds - first.milliseconds > patience else {
            return
        }
        let mostStarts = isBusy ? Self.mostStarts.busy : Self.mostStarts.idle
        let missing = min(1 + waiting / Self.sessionsOfProcess, mostStarts, Self.mostProcesses - processes.count)
        for _ in 0..<max(0, missing) {
            guard start() else {
                return
            }
        }
    }

    /// Has a process end what is left in the inbox: the listener ends.
    func finish() {
        if processes.isEmpty, waiting > 0 {
            _ = start()
        }
    }

    /// Empties the inbox, since processes end without a look at it.
    private func giveUp() {
        log(
            .error,
            """
            the cognito-agent process that ends several sessions cannot be started, or exits too early. The next \
            cleanup run ends the sessions
            """)
        var bytes = [UInt8](repeating: 0, count: Self.longestMessage)
        var length: Int64
        repeat {
            length = unsafe bytes.withUnsafeMutableBytes { bytes in
                unsafe linux_receive(inbox.number, bytes.baseAddress, bytes.count, 0)
            }
        } while length > 0
        (arrivals, inVain, nextLook) = ([], 0, nil)
    }

    /// How many sessions are in the inbox.
    private var waiting: Int {
        var bytes: CInt = 0
        guard unsafe ioctl(inbox.number, UInt(FIONREAD), &bytes) == 0 else {
            return 0
        }
        return (Int(bytes) + messageSize - 1) / messageSize
    }

    /// Whether more than two programs for each processor are running or ready to run, see proc_loadavg(5).
    private var areProcessorsBusy: Bool {
        guard let text = try? readFile("/proc/loadavg"), let running = text.split(separator: 0x20).dropFirst(3).first,
            let count = Int(decimal: running.prefix { byte in byte != 0x2f }, atMost: 9)
        else {
            return false
        }
        return count > 2 * sysconf(CInt(_SC_NPROCESSORS_ONLN))
    }

    private func start() -> Bool {
        let started = unsafe linux_start_agent(inbox.number, "end", nil)
        guard let process = SharedDescriptor(owning: started.pidfd) else {
            return false
        }
        processes.append(process)
        return true
    }

    // MARK: The process

    /// What such a process does with the inbox that is its standard input. The result is the exit status.
    static func run() -> CInt {
        guard PacketSocket.isOne(STDIN_FILENO) else {
            return EX_USAGE
        }
        let queue = EndingQueue(machine: LinuxMachine())
        var mayGoOn = true
        // Without a listener no other process would end what is left in the inbox.
        repeat {
            mayGoOn = queue.run(next: next, report: report)
        } while mayGoOn && hasLostOtherEnd(STDIN_FILENO)
        return EX_OK
    }

    /// Waits for the next session at most so many milliseconds.
    private static func next(within milliseconds: Int64) -> EndingQueue<LinuxMachine>.Next {
        let deadline = Instant.now.milliseconds + milliseconds
        while true {
            let left = deadline - Instant.now.milliseconds
            guard left > 0 else {
                return .timedOut
            }
            do throws(FrameReceiveFault) {
                let message = try PacketSocket(STDIN_FILENO).receiveFrame(atMost: longestMessage, timeout: left)
                if message.kind == .endingRequest, let key = message.serial(.key) {
                    return .session(KeySerial(key))
                }
            } catch {
                switch error {
                case .socket(.timedOut), .socket(.outOfMemory): return .timedOut
                case .socket(.endOfFile), .socket(.failed): return .closed
                case .socket(.tooLarge), .frame: break
                }
            }
        }
    }
}
