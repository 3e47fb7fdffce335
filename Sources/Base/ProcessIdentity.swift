import CLinux

/// Which process this is, so that nobody else can be taken for it: a process id alone is reused.
package struct ProcessIdentity: Equatable, Sendable {
    /// The process id, in its own pid namespace.
    package let id: Int32
    /// When it started, in clock ticks since boot (proc(5), stat field 22); 0 where that could not be read.
    package let startTime: UInt64

    /// The identity by its parts.
    package init(id: Int32, startTime: UInt64) {
        self.id = id
        self.startTime = startTime
    }

    /// This process.
    package static var current: ProcessIdentity {
        let id = linux_process_id()
        return ProcessIdentity(id: id, startTime: linux_process_start_time(id))
    }

    /// The parent of this process, if it runs the same executable file, or if that cannot be told.
    package static var parentOfSameProgram: ProcessIdentity? {
        let id = linux_parent_process_id()
        // What is outside of this pid namespace has no number.
        guard id > 0, linux_parent_runs_same_file() != 0 else {
            return nil
        }
        return ProcessIdentity(id: id, startTime: linux_process_start_time(id))
    }

    /// Whether that very process is still there.
    package var life: Life {
        Life(linux_process_lives(id, startTime))
    }

    /// Whether a process of any pid namespace below this one is that one.
    package var lifeElsewhere: Life {
        Life(linux_process_lives_below(id, startTime))
    }
}

/// Whether a process is still there.
package enum Life: Equatable, Sendable {
    case alive
    case gone
    /// It cannot be told: the process is hidden from this one, or this one is in want of descriptors or memory, or no start time was
    /// noted down. Nothing may be done then that only the end of that process would allow.
    case unknown(ErrorNumber)

    fileprivate init(_ result: CInt) {
        self =
            switch result {
            case 0: .gone
            case 1...: .alive
            default: .unknown(ErrorNumber(-result))
            }
    }
}

/// The pid namespace that a process id belongs to, by its inode (namespaces(7)).
///
/// Of which boot a process is needs no telling: who it is is kept in the kernel's memory alone, which ends with the boot. The boot
/// id would even mislead: systemd-nspawn puts one of the container's own over the kernel's, and a service with a /proc of its
/// own (ProtectKernelTunables, ProtectProc) sees the kernel's again.
package struct PIDNamespace: Equatable, Sendable {
    /// The inode.
    package let inode: UInt64

    /// The namespace that all others are below (include/linux/proc_ns.h, PROC_PID_INIT_INO).
    package static let initial = PIDNamespace(inode: 0xefff_fffc)

    /// Whether it could be read at all.
    package var isKnown: Bool { inode != 0 }

    /// The namespace with that inode.
    package init(inode: UInt64) {
        self.inode = inode
    }

    /// That of this process.
    package static var current: PIDNamespace {
        PIDNamespace(inode: linux_pid_namespace())
    }
}

/// What a process takes for "/" (chroot(2)): another one has files of somebody else's in it, and none of it may be believed.
package struct RootDirectory: Equatable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// One by its numbers.
    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    /// That of this process; where it cannot be looked at, one that no directory is.
    package static var current: RootDirectory {
        var identity: (UInt64, UInt64) = (0, 0)
        _ = unsafe withUnsafeMutableBytes(of: &identity) { numbers in
            unsafe linux_root_directory(numbers.baseAddress?.assumingMemoryBound(to: UInt64.self))
        }
        return RootDirectory(device: identity.0, inode: identity.1)
    }
}

/// Runs `body` with every user id of this thread 0, so that "the user's keyring" is root's: in su and sudo the real
/// user id is the caller's. The ids are as before afterwards.
package func withRootUserIDs<R: ~Copyable, E: Error>(
    _ refused: (ErrorNumber) -> E,
    _ body: () throws(E) -> R
) throws(E) -> R {
    var before: (UInt32, UInt32, UInt32) = (0, 0, 0)
    let became = unsafe withUnsafeMutableBytes(of: &before) { ids in
        unsafe linux_become_root(ids.baseAddress?.assumingMemoryBound(to: UInt32.self))
    }
    guard became == 0 else {
        throw refused(ErrorNumber(-became))
    }
    defer {
        _ = unsafe withUnsafeBytes(of: &before) { ids in
            unsafe linux_restore_user_ids(ids.baseAddress?.assumingMemoryBound(to: UInt32.self))
        }
    }
    return try body()
}
