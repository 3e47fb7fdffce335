internal import CLinux
internal import Commands
internal import Glibc
internal import Messages

/// What the layers of a worker's sandbox that this kernel may lack come to in this process.
struct SandboxSupport: Equatable, Sendable {
    /// Why a layer is not to be had.
    enum Obstacle: Equatable, Sendable {
        /// The seccomp filter that this process is in forbids it, or the kernel has none.
        case filtered
        /// The kernel has it, and it is switched off.
        case off
        /// The kernel has none.
        case absent
    }

    /// errno of seccomp(2), and of landlock(7); 0: it works.
    var seccomp: Int32
    var landlock: Int32
    /// Whether this process is in a filter of system calls (seccomp(2)), as those of containers and hardened services are.
    var isFiltered: Bool

    /// Why a call failed with `error`.
    func obstacle(_ error: Int32) -> Obstacle {
        switch error {
        case EOPNOTSUPP: .off
        case ENOSYS, EINVAL: isFiltered ? .filtered : .absent
        default: .filtered
        }
    }
}

extension SandboxSupport {
    /// As it is for this process, and so for workers that it starts.
    static var current: SandboxSupport {
        let status = WorkerFacts(status: readWhole("/proc/self/status") ?? "")
        return SandboxSupport(
            seccomp: linux_seccomp_fault(), landlock: linux_landlock_fault(), isFiltered: status.isFiltered)
    }
}

extension SandboxSupport {
    /// What is wrong where those layers let pass what they should forbid.
    func findings(open layers: [String]) -> [Finding] {
        let words = [
            ("system_calls", Self.systemCalls(obstacle(seccomp))), ("files", Self.files(obstacle(landlock))),
            (
                "limits",
                (
                    "The worker has too much room: the seccomp filter of this container or service forbids "
                        + "setting limits.", DoctorWording.allowCalls("setrlimit, prlimit64")
                )
            ),
        ]
        return words.filter { name, _ in layers.contains(name) }.map { _, layer in
            Finding(.warning, layer.0, why: DoctorWording.layerWhy, mend: layer.1)
        }
    }

    private static func systemCalls(_ obstacle: Obstacle) -> (String, String) {
        switch obstacle {
        case .filtered:
            (
                "The worker may use every system call that its container may: the container's own "
                    + "seccomp filter forbids seccomp(2).", DoctorWording.allowCalls("seccomp")
            )
        case .off, .absent:
            (
                "The worker may use every system call: this kernel has no seccomp.",
                "grep Seccomp /proc/self/status   # it is part of Debian's kernels"
            )
        }
    }

    private static func files(_ obstacle: Obstacle) -> (String, String) {
        switch obstacle {
        case .filtered:
            (
                "The worker may read what every account may: the seccomp filter of this container or "
                    + "service forbids Landlock.",
                DoctorWording.allowCalls("landlock_create_ruleset, landlock_add_rule, landlock_restrict_self")
            )
        case .off:
            (
                "The worker may read what every account may: Landlock is switched off in this kernel.",
                "cat /sys/kernel/security/lsm   # add landlock to this list with the kernel's parameter "
                    + "lsm=, for a container on its host"
            )
        case .absent:
            (
                "The worker may read what every account may: this kernel has no Landlock.",
                "uname -r   # Landlock needs Linux 5.13, built with CONFIG_SECURITY_LANDLOCK"
            )
        }
    }
}
