import CLinux

/// Which process this is, so that nobody else can be taken for it: a process id alone is reused.
package struct ProcessIdentity: Equatable, Sendable {
    /// The process id, in its own pid namespace.
    package let id: Int32
    /// When it started, in clock ticks since boot (proc(5), stat field 22).
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

    /// Whether that very process is still there. One that this process may not look at counts as alive.
    package var isAlive: Bool {
        startTime != 0 && linux_process_lives(id, startTime) == 1
    }

    /// Whether no process of any pid namespace below this one is that one, as far as can be seen at all.
    package var isGoneElsewhere: Bool {
        linux_process_lives_below(id, startTime) == 0
    }
}

/// The kernel and the pid namespace that a process id belongs to.
package struct BootIdentity: Equatable, Sendable {
    /// `/proc/sys/kernel/random/boot_id`, 32 hexadecimal digits.
    package let bootID: [UInt8]
    /// The inode of the pid namespace.
    package let pidNamespace: UInt64

    /// The namespace that all others are below (include/linux/proc_ns.h, PROC_PID_INIT_INO).
    package static let initialNamespace: UInt64 = 0xefff_fffc

    /// The identity by its parts.
    package init(bootID: [UInt8], pidNamespace: UInt64) {
        self.bootID = bootID
        self.pidNamespace = pidNamespace
    }

    /// This kernel and namespace.
    package static var current: BootIdentity {
        var bootID = [UInt8](repeating: 0, count: 33)
        let result = unsafe bootID.withUnsafeMutableBytes { bytes in
            unsafe linux_boot_id(bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
        }
        bootID.removeLast()
        return BootIdentity(bootID: result == 0 ? bootID : [], pidNamespace: linux_pid_namespace())
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
