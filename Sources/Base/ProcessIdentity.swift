import CLinux

/// The identity of a process. A process id alone is not enough, because it is reused.
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

    /// The process that has that id now.
    package init(now id: Int32) {
        self.init(id: id, startTime: (try? ProcessStat(of: id))?.startTime ?? 0)
    }

    package static var current: ProcessIdentity {
        ProcessIdentity(now: linux_process_id())
    }

    /// The parent of this process, if it runs the same executable file, or if that cannot be told.
    package static var parentOfSameProgram: ProcessIdentity? {
        let id = linux_parent_process_id()
        // A process outside of this pid namespace has no number.
        guard id > 0, linux_parent_runs_same_file() != 0 else {
            return nil
        }
        return ProcessIdentity(now: id)
    }

    /// Whether that very process is still there.
    package var life: Life {
        guard id > 0 else {
            return .gone
        }
        do throws(ErrorNumber) {
            return try isThat(id) ? .alive : .gone
        } catch {
            // Not there, hidden from us, or unreadable for want of something: a signal tells the first from the others.
            return error == .noSuchProcess || linux_process_exists(id) == 0 ? .gone : .unknown(error)
        }
    }

    /// Whether a process of any pid namespace below this one is that one.
    package var lifeElsewhere: Life {
        var failure: ErrorNumber?
        do throws(ErrorNumber) {
            // Without a /proc nothing is to be seen there.
            _ = try processOwner(1)
            for process in try processIDs() {
                do throws(ErrorNumber) {
                    if try isKnown(below: process), try isThat(process) {
                        return .alive
                    }
                } catch  where !error.isAboutProcess {
                    failure = error
                } catch {}
            }
        } catch {
            failure = error
        }
        return failure.map(Life.unknown) ?? .gone
    }

    /// Whether a process of this namespace started when that one did.
    private func isThat(_ process: Int32) throws(ErrorNumber) -> Bool {
        let stat = try ProcessStat(of: process)
        guard startTime != 0 else {
            // It could not be read when it was recorded.
            throw .noData
        }
        return stat.startTime == startTime
    }

    /// Whether a process of this namespace has that id in one below.
    private func isKnown(below process: Int32) throws(ErrorNumber) -> Bool {
        let numbers = try ProcessStatus(of: process).numbers("NSpid")
        return numbers.count > 1 && numbers.last == UInt32(bitPattern: id)
    }

    /// Sends a signal to that very process (pidfd_send_signal(2)).
    package func signal(_ number: CInt) throws(ErrorNumber) {
        let process = try Descriptor(opened: linux_open_process(id))
        // From here on the number is that process's: if it is the right one now, the signal reaches the right one.
        switch life {
        case .alive: break
        case .gone: throw .noSuchProcess
        case .unknown(let error): throw error
        }
        try ErrorNumber.check(linux_send_signal(process.number, number))
    }
}

/// Whether a process is still there.
package enum Life: Equatable, Sendable {
    case alive
    case gone
    /// It cannot be told: the process is hidden from this one, or this one is in want of descriptors or memory, or no
    /// start time was noted down. Nothing may be done then that only the end of that process would allow.
    case unknown(ErrorNumber)
}

/// The pid namespace that a process id belongs to, by its inode (namespaces(7)).
///
/// Of which boot a process is needs no telling: who it is is kept in the kernel's memory alone, which ends with the
/// boot. The boot id would even mislead: systemd-nspawn puts one of the container's own over the kernel's, and a
/// service with a /proc of its own (ProtectKernelTunables, ProtectProc) sees the kernel's again.
package struct PIDNamespace: Equatable, Sendable {
    package let inode: UInt64

    /// The namespace that all others are below (include/linux/proc_ns.h, PROC_PID_INIT_INO).
    package static let initial = PIDNamespace(inode: 0xefff_fffc)

    /// Whether it could be read at all.
    package var isKnown: Bool { inode != 0 }

    /// The namespace with that inode.
    package init(inode: UInt64) {
        self.inode = inode
    }

    package static var current: PIDNamespace {
        PIDNamespace(inode: linux_pid_namespace())
    }
}

/// The root directory of a process (chroot(2)). Files in another one belong to another user, and are not trusted.
package struct RootDirectory: Equatable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    /// The root directory of this process; if it cannot be read, a value that no directory has.
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
