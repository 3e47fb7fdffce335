import CLinux

/// Why a process of ours could not be started.
package struct StartFault: Error {
    /// What was being done.
    package let stage: StaticString
    /// errno of that step.
    package let error: ErrorNumber
}

/// A started program and the packet socket to it. Dropping this closes the socket; the process itself lives on
/// until it notices or is killed.
package struct ChildProcess: ~Copyable {
    private let socket: Descriptor
    private let process: Descriptor
    private let id: Int32

    /// Starts the worker as `uid` and `gid`, for good. The host gets no child, no SIGCHLD, no descriptor that lives on.
    package init(startingWorkerAs uid: UInt32, gid: UInt32) throws(StartFault) {
        try self.init(unsafe linux_start(linux_worker_path(), "cognito-worker", uid, gid))
    }

    /// Starts it for somebody who is to be asked, whose user id is `caller`.
    package init(startingWorkerFor caller: UInt32, as uid: UInt32, gid: UInt32) throws(StartFault) {
        let name: ByteText = "\(forSomebody)\(caller)\0"
        try self.init(
            unsafe name.bytes.withUnsafeBytes { bytes in
                unsafe linux_start(
                    linux_worker_path(), bytes.baseAddress?.assumingMemoryBound(to: CChar.self), uid, gid)
            })
    }

    /// Starts the filter that seals what this machine keeps, as root, in the same way.
    package init(startingSealer: ()) throws(StartFault) {
        try self.init(linux_start_sealing())
    }

    private init(_ started: linux_started) throws(StartFault) {
        guard started.stage == 0, let socket = Descriptor(owning: started.socket),
            let process = Descriptor(owning: started.pidfd)
        else {
            throw StartFault(stage: Self.name(ofStage: started.stage), error: ErrorNumber(started.error))
        }
        self.socket = socket
        self.process = process
        id = started.pid
    }

    private static func name(ofStage stage: CInt) -> StaticString {
        switch stage {
        case 1: "making its descriptors"
        case 2: "making the process"
        case 3: "setting its surroundings"
        case 4: "joining a new session keyring"
        case 5: "dropping its rights"
        case 6: "executing the program"
        default: "waiting for it to start"
        }
    }

    /// The pidfd of the process (pidfd_open(2)), for a call that neither keeps nor closes it.
    package var processDescriptor: CInt {
        process.number
    }

    /// Whether this worker, started as `uid` for `caller`, is one too many: the caller may have `most` of them, and all callers
    /// `mostOfAll`. Of many that are started at once the older ones stay, and there are never twice as many.
    package borrowing func isOneTooMany(
        for caller: UInt32, as uid: UInt32, most: UInt32, mostOfAll: UInt32
    ) throws(ErrorNumber) -> Bool {
        try tooManyWorkers(for: caller, as: uid, besides: id, most: most, mostOfAll: mostOfAll)
    }

    /// The packet socket to it, as long as this is not dropped.
    package var channel: PacketSocket {
        PacketSocket(socket.number)
    }

    /// Kills the process and waits until it is gone, at most one second.
    package borrowing func kill() {
        linux_kill(process.number, 1000)
    }

    /// Whether the process ends within the time.
    package borrowing func ends(within milliseconds: Int32) -> Bool {
        linux_wait_gone(process.number, milliseconds) == 1
    }
}
