import CLinux

/// The reason why a process could not be started.
package struct StartFault: Error {
    /// The steps of a start that may fail.
    package enum StartStage: CInt, CaseIterable, Sendable {
        case makingDescriptors = 1
        case makingProcess
        case settingSurroundings
        case joiningKeyring
        case droppingRights
        case executing
        case waiting
    }

    package let stage: StartStage
    /// errno of that step.
    package let error: ErrorNumber

    /// A fault by its parts.
    package init(_ stage: StartStage, _ error: ErrorNumber) {
        self.stage = stage
        self.error = error
    }

    /// Translates the report of a start (`linux_started`); nil: the process runs.
    package init?(stage: CInt, error: CInt) {
        guard stage != LINUX_START_OK.rawValue else {
            return nil
        }
        self.init(StartStage(rawValue: stage) ?? .waiting, ErrorNumber(error))
    }

    /// The failure and its fix, for the log.
    package var words: ByteText {
        "\(name) failed (errno \(error.code)); \(remedy)"
    }

    /// Whether files of this package are missing or damaged, as far as that shows.
    package var isOfInstallation: Bool {
        stage == .executing && (error == .noSuchFileOrDirectory || error == .execFormatError)
    }

    private var name: StaticString {
        switch stage {
        case .makingDescriptors: "creating the descriptors"
        case .makingProcess: "creating the process"
        case .settingSurroundings: "setting up the environment"
        case .joiningKeyring: "joining a new session keyring"
        case .droppingRights: "dropping privileges"
        case .executing: "executing the program"
        case .waiting: "waiting for the program to start"
        }
    }

    private var remedy: StaticString {
        switch (stage, error) {
        case (.joiningKeyring, _): error.keyringRemedy
        case (_, .noMemory): "this machine has too little memory, or the memory limit of this service is too low"
        case (_, .tooManyOpenFiles), (_, .tooManyOpenFilesInSystem):
            "too many files are open: increase LimitNOFILE= of this service, or fs.file-max"
        case (.makingDescriptors, _) where error.isRefusedCall:
            "close_range(2) needs Linux 5.9, and the seccomp filter of this container or service must allow the call"
        case (.makingDescriptors, _):
            "/dev/null must be the null device, on a file system that is mounted without nodev"
        case (.makingProcess, .resourceTemporarilyUnavailable):
            "too many processes are running: increase TasksMax= of this service, or kernel.pid_max"
        case (.makingProcess, .noSuchProcess), (.makingProcess, .noChildProcess):
            "another program killed the process: see the kernel log"
        case (.makingProcess, _):
            """
            clone(2) with CLONE_PIDFD needs Linux 5.2, and the seccomp filter of this container or service must allow \
            the call
            """
        case (.settingSurroundings, _):
            """
            root must be able to change the working directory to /, and the seccomp filter of this container or \
            service must allow prctl(2)
            """
        case (.droppingRights, .invalidArgument):
            """
            this container's user namespace does not map the ids of the account _pam-cognito: assign more ids to \
            the namespace
            """
        case (.droppingRights, _):
            """
            the application needs CAP_SETUID and CAP_SETGID: check CapabilityBoundingSet= of this service, and the \
            container's capabilities and seccomp filter
            """
        case (.executing, .noSuchFileOrDirectory):
            "the program or its loader is missing: reinstall pam-cognito"
        case (.executing, .execFormatError):
            "the program is damaged or built for another processor: reinstall pam-cognito"
        case (.executing, .textFileBusy): "the program is being replaced: try again"
        case (.executing, _):
            """
            check the file's mode, the file system's mount options (noexec), and the rules of AppArmor or SELinux
            """
        case (.waiting, _): "this machine or its disk is overloaded"
        }
    }
}

/// A started program and the packet socket to it. Dropping this closes the socket; the process itself lives on
/// until it notices or is killed.
package struct ChildProcess: ~Copyable {
    private let socket: Descriptor
    private let process: Descriptor
    private let id: Int32

    /// Starts the worker permanently as `uid` and `gid`. The application gets no child, no SIGCHLD, and no descriptor
    /// that stays open.
    package init(startingWorkerAs uid: UInt32, gid: UInt32) throws(StartFault) {
        try self.init(unsafe linux_start(linux_worker_path(), "cognito-worker", uid, gid))
    }

    /// Starts it for prompts to a user with the user id `caller`.
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
        try self.init(unsafe linux_start_agent(CInt(LINUX_SOCKET_INPUT), "seal", nil))
    }

    /// Starts what asks other sources of names (nsswitch.conf(5)), as root, in the same way.
    package init(startingNameSources: ()) throws(StartFault) {
        try self.init(unsafe linux_start_agent(CInt(LINUX_SOCKET_INPUT), "names", nil))
    }

    private init(_ started: linux_started) throws(StartFault) {
        if let fault = StartFault(stage: started.stage, error: started.error) {
            throw fault
        }
        guard let socket = Descriptor(owning: started.socket), let process = Descriptor(owning: started.pidfd) else {
            throw StartFault(.makingDescriptors, .tooManyOpenFiles)
        }
        self.socket = socket
        self.process = process
        id = started.pid
    }

    /// The pidfd of the process (pidfd_open(2)), for a call that neither keeps nor closes it.
    package var processDescriptor: CInt {
        process.number
    }

    /// Whether this worker, started as `uid` for `caller`, is one too many: the caller may have `most` of them, and all
    /// callers `mostOfAll`. Of many that are started at once the older ones stay, and there are never twice as many.
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
}
