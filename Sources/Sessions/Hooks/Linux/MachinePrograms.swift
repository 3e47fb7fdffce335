import Base
import CLinux
package import Keyring
package import Protocol

// The programs of pam-cognito that are started, or asked.

extension LinuxMachine {
    /// How long the listening agent may take to be at the end of a session, in milliseconds, before another is started:
    /// where that is in the hands of this program's caller, and where it is not.
    private static let endingPatience: (stoppable: Int64, other: Int64) = (3_000, 500)

    package func charged(_ userID: UInt32) -> UInt32 {
        userID == 0 || linux_has_account(userID) == 1 ? userID : nobodysUserID
    }

    /// How many conversations a user id may have at once that is not root's, and all of those together: each costs 4
    /// MB.
    private static let mostOfOne: UInt32 = 8
    private static let mostOfAll: UInt32 = 40

    package func startWorker() throws(Fault) -> Worker {
        let account = try workerAccount()
        do throws(StartFault) {
            return Worker(try ChildProcess(startingWorkerAs: account.uid, gid: account.gid))
        } catch {
            throw Self.fault(of: error)
        }
    }

    package func startWorker(for caller: UInt32) throws(Fault) -> Worker? {
        // Who comes to sshd is limited there (MaxStartups), and comes first.
        guard caller != 0 else {
            return try startWorker()
        }
        let account = try workerAccount()
        do throws(ErrorNumber) {
            // It is cheaper not to start it.
            guard
                try !tooManyWorkers(
                    for: caller, as: account.uid, most: Self.mostOfOne, mostOfAll: Self.mostOfAll)
            else {
                return nil
            }
        } catch {
            throw Self.uncountable(error)
        }
        let child: ChildProcess
        do throws(StartFault) {
            child = try ChildProcess(startingWorkerFor: caller, as: account.uid, gid: account.gid)
        } catch {
            throw Self.fault(of: error)
        }
        do throws(ErrorNumber) {
            guard
                try !child.isOneTooMany(
                    for: caller, as: account.uid, most: Self.mostOfOne, mostOfAll: Self.mostOfAll)
            else {
                child.kill()
                return nil
            }
        } catch {
            child.kill()
            throw Self.uncountable(error)
        }
        return Worker(child)
    }

    package func endWorkers() {
        if let account = try? workerAccount() {
            Base.endWorkers(as: account.uid)
        }
    }

    private func workerAccount() throws(Fault) -> Account {
        guard let account = try account(named: Self.workerAccount.bytes), account.uid != 0, account.gid != 0 else {
            throw Fault(
                """
                the system account \(Self.workerAccount) for network access is missing. Create it with: useradd \
                --system --no-create-home --shell /usr/sbin/nologin \(Self.workerAccount)
                """)
        }
        return account
    }

    private static func uncountable(_ error: ErrorNumber) -> Fault {
        Fault(
            """
            running workers cannot be counted (errno \(error.code)), so no worker is started. Check that /proc is \
            mounted
            """)
    }

    private static func fault(of error: StartFault) -> Fault {
        let path = unsafe StaticBytes(linux_worker_path()).bytes
        let cause: Fault.Cause =
            switch error.stage {
            case .executing where error.isOfInstallation: .installation
            case .joiningKeyring: .keyrings
            case .makingDescriptors, .makingProcess, .settingSurroundings, .droppingRights, .executing, .waiting: .other
            }
        return Fault("\(path) cannot be started: \(error.words)", cause)
    }

    package func watch(_ key: RootKey) {
        // What another process hosts, the agent delivers by itself.
        guard isHost else {
            return
        }
        var message = FrameWriter(.watchRequest)
        message.add(.key, Int64(key.serial.number))
        guard let message = try? message.finish(),
            let socket = PacketSocket.connect(toRootsAt: agentSocketPath, timeout: 0)
        else {
            return
        }
        try? PacketSocket(socket.number).send(message, timeout: 0)
    }

    package func startReaper() {
        guard (try? Self.takesTurn(.reaper)) == true else {
            return
        }
        // The descriptor of a process that is not waited for has no use.
        _ = Descriptor(owning: unsafe linux_start_agent(CInt(LINUX_NO_INPUT), "reap", nil).pidfd)
    }

    package func startEnding(_ key: RootKey) -> Bool {
        // A child of this process would be in the caller's control group, who may freeze that. Where another session is
        // being signed out, this one shares its worker, which no PAM application starts.
        guard !(isStoppable || isLocked(.signOuts)) || !askForEnding(of: key) else {
            return true
        }
        let serial: ByteText = "\(key.serial.number)"
        return unsafe (serial.bytes + [0]).withUnsafeBytes { bytes in
            // The descriptor of a process that is not waited for has no use.
            let started = unsafe linux_start_agent(
                CInt(LINUX_NO_INPUT), "end", bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
            _ = Descriptor(owning: started.pidfd)
            return started.stage == CInt(LINUX_START_OK.rawValue)
        }
    }

    /// Has the listening agent end a session; whether one is at it.
    private func askForEnding(of key: RootKey) -> Bool {
        var request = FrameWriter(.endingRequest)
        request.add(.key, Int64(key.serial.number))
        guard let request = try? request.finish(),
            let socket = PacketSocket.connect(toRootsAt: agentSocketPath, timeout: 0)
        else {
            return false
        }
        let connection = PacketSocket(socket.number)
        // The worker has to be in the network that the session was begun in.
        guard isStoppable || connection.peerSharesNetwork, (try? connection.send(request, timeout: 0)) != nil,
            let answer = try? connection.receiveFrame(
                timeout: isStoppable ? Self.endingPatience.stoppable : Self.endingPatience.other)
        else {
            return false
        }
        return answer.kind == .complete
    }

    package func runHooks(_ notice: SignOutNotice) {
        guard unsafe linux_exists("/etc/pam-cognito/sign-out.d") == 1 else {
            return
        }
        unsafe (notice.argument + [0]).withUnsafeBytes { bytes in
            // The descriptor of a process that is not waited for has no use.
            _ = Descriptor(
                owning: unsafe linux_start_hooks(bytes.baseAddress?.assumingMemoryBound(to: CChar.self)).pidfd)
        }
    }

    package final class Worker: WorkerConnection {
        private let process: ChildProcess
        /// The step, and since when it is waited for Cognito in it; nil: it is not.
        private var step: MessageKind?
        private var asked: Instant?

        init(_ process: consuming ChildProcess) {
            self.process = process
        }

        package func send(_ frame: borrowing Frame) throws(Fault) {
            // What a step begins with may be a question to the person, whose time this is not.
            let mayAsk = step == nil && [.signIn, .changePassword, .forgotPassword].contains(frame.kind)
            step = step ?? frame.kind
            asked = mayAsk || frame.kind == .registered ? nil : .now
            do throws(ErrorNumber) {
                try process.channel.send(frame, timeout: 2000)
            } catch {
                throw Self.unsent(error)
            }
        }

        private static func unsent(_ error: ErrorNumber) -> Fault {
            switch error {
            case .brokenPipe, .connectionReset:
                Fault("cognito-worker stopped too early. It was killed or has crashed; see the kernel's log")
            case .timedOut: Fault("cognito-worker does not respond. Check whether this machine is overloaded")
            default:
                Fault(
                    "no message can be sent to cognito-worker (errno \(error.code))",
                    isResourceExhaustion: error.isResourceExhaustion)
            }
        }

        package func receive(within milliseconds: Int64) throws(Fault) -> Frame? {
            do throws(FrameReceiveFault) {
                let frame = try process.channel.receiveFrame(timeout: milliseconds)
                if let step, let since = asked.take() {
                    MetricsFile.count(step, waited: Instant.now.milliseconds - since.milliseconds)
                }
                return frame
            } catch {
                switch error {
                case .socket(.timedOut): return nil
                case .socket(.endOfFile):
                    throw Fault(
                        "cognito-worker ended without a result. It was killed or has crashed; see the kernel's log")
                case .socket(.tooLarge):
                    throw Fault(
                        "cognito-worker sent a message that is too long. Reinstall pam-cognito", .installation)
                case .socket(.failed(let error)):
                    throw Fault("no message can be received from cognito-worker (errno \(error.code))")
                case .socket(.outOfMemory): throw Fault("not enough memory for a message from cognito-worker")
                case .frame(let error):
                    let finding = error.finding
                    throw Fault(
                        """
                        cognito-worker sent an invalid message (\(finding.what) \(finding.number)). Reinstall \
                        pam-cognito so that the versions of its components match
                        """, .installation)
                }
            }
        }

        package func kill() {
            process.kill()
        }

        /// The worker's pidfd, for a call that neither keeps nor closes it.
        package var processDescriptor: CInt {
            process.processDescriptor
        }
    }

    package func connectToAgent() -> AgentChannel? {
        AgentChannel()
    }

    /// A connection to the agent.
    package final class AgentChannel: AgentConnection {
        private let socket: Descriptor

        /// How long it may take to accept a message, in milliseconds.
        private static let sendLimit: CInt = 10_000

        init?() {
            guard let socket = PacketSocket.connect(toRootsAt: agentSocketPath) else {
                return nil
            }
            self.socket = socket
        }

        package func send(_ frame: borrowing Frame) -> Bool {
            (try? PacketSocket(socket.number).send(frame, timeout: Self.sendLimit)) != nil
        }

        package func receive(within milliseconds: Int64) -> Frame? {
            try? PacketSocket(socket.number).receiveFrame(timeout: milliseconds)
        }
    }
}
