internal import Base
internal import CLinux
internal import Commands
internal import Glibc
internal import Messages
internal import Sessions

struct WorkerAccount: Equatable, Sendable {
    static let usualName = text(LinuxMachine.workerAccount.bytes)

    var uid: UInt32
    var gid: UInt32
    var shell: String
    var hasUsablePassword: Bool

    /// What is wrong with it; `account` is nil when there is none.
    @CheckList
    static func findings(_ account: WorkerAccount?, name: String, names: NameServices = NameServices()) -> [Check] {
        let create =
            "useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin \(name)"
        let lock = "usermod --password '!' --shell /usr/sbin/nologin \(name)"
        let isClosed = ["nologin", "false"].contains(account?.shell.split(separator: "/").last ?? "")
        let fault: (words: String, fix: String)? =
            if let account {
                account.uid == 0 || account.gid == 0
                    ? ("has root's uid or group", "userdel --force \(name); \(create)")
                    : account.hasUsablePassword
                        ? ("has a password", lock) : isClosed ? nil : ("has a shell, \(account.shell)", lock)
            } else {
                ("does not exist", names.isBlind ? lookUp("passwd", name) : create)
            }
        if let (words, fix) = fault {
            Check(
                .workerAccount, words.hasPrefix("has a shell") ? .warning : .broken, "The account \(name) \(words).",
                why: "Workers need an unprivileged account to which no user can sign in. Without it, users of managed "
                    + "accounts cannot sign in.", fix: fix)
        }
    }
}

extension WorkerAccount {
    init?(named name: String) {
        guard let entry = unsafe getpwnam(name) else { return nil }
        self.init(
            uid: unsafe entry.pointee.pw_uid, gid: unsafe entry.pointee.pw_gid, shell: Doctor.shell(of: name) ?? "",
            hasUsablePassword: existingAccount(name)?.hasUsablePassword ?? false)
    }
}

private let layerWhy = "A vulnerability in the network code could affect other processes."

/// What keeps a worker in, as the kernel shows it (/proc/PID/status).
struct WorkerFacts: Equatable, Sendable {
    private let fields: [String: [String]]
    static let summary = "own account, no groups, no capabilities, no way to gain privileges"

    init(status: String) {
        let lines = Doctor.fields(status, by: ":").map { name, value in
            (name, value.split(whereSeparator: \.isWhitespace).map(String.init))
        }
        fields = Dictionary(lines) { _, last in last }
    }

    /// Whether the process sleeps: it is past all preparations, and waits to be told what to do.
    var isWaiting: Bool { fields["State"]?.first == "S" }
    var isFiltered: Bool { fields["Seccomp"] == ["2"] }

    func findings(account uid: UInt32) -> [Check] {
        let hasCapabilities = ["CapInh", "CapPrm", "CapEff", "CapAmb"].contains { name in
            fields[name]?.joined().contains { digit in digit != "0" } ?? true
        }
        let layers = [
            (uid != 0 && fields["Uid"] == Array(repeating: "\(uid)", count: 4), "does not run as its own account"),
            (fields["Groups"]?.isEmpty == true, "has supplementary groups"),
            (fields["NoNewPrivs"] == ["1"], "can gain privileges by running set-uid programs"),
            (!hasCapabilities, "has capabilities"),
        ]
        return layers.filter { holds, _ in !holds }.map { _, words in
            Check(.workerRights, .broken, "The worker \(words).", why: layerWhy, fix: reinstall)
        }
    }

    /// A worker that has just been started; nil where /proc does not show it.
    init?(of worker: LinuxMachine.Worker) {
        let descriptor = readWhole("/proc/self/fdinfo/\(worker.processDescriptor)") ?? ""
        guard let process = WorkerFacts(status: descriptor).fields["Pid"]?.first else { return nil }
        // It is past all preparations when it sleeps.
        for _ in 0..<100 {
            guard let status = readWhole("/proc/\(process)/status") else { return nil }
            self.init(status: status)
            if isWaiting {
                return
            }
            linux_sleep_ms(5)
        }
        return nil
    }
}

/// What the layers of a worker's sandbox that this kernel may lack come to in this process.
struct SandboxSupport: Equatable, Sendable {
    /// errno of seccomp(2), and of landlock(7); 0: it works.
    var seccomp: Int32
    var landlock: Int32
    /// Whether this process is in a filter of system calls (seccomp(2)), as containers and hardened services are.
    var isFiltered: Bool

    /// As it is for this process, and so for workers that it starts.
    static var current: SandboxSupport {
        let status = WorkerFacts(status: readWhole("/proc/self/status") ?? "")
        return SandboxSupport(
            seccomp: linux_seccomp_fault(), landlock: linux_landlock_fault(), isFiltered: status.isFiltered)
    }

    /// Whether a call failed with `error` because of the seccomp filter that this process is in, and not because the
    /// kernel lacks the layer or has it switched off.
    func isForbidden(_ error: Int32) -> Bool {
        error != EOPNOTSUPP && (isFiltered || ![ENOSYS, EINVAL].contains(error))
    }

    /// What is wrong where layers let pass what they should forbid.
    @CheckList
    func findings(open layers: [String]) -> [Check] {
        if layers.contains("system_calls") {
            isForbidden(seccomp)
                ? open(
                    .openSystemCalls,
                    "can use every system call that its container allows, because the container's "
                        + "seccomp filter forbids seccomp(2)", fix: allowCalls("seccomp"))
                : open(
                    .openSystemCalls, "can use every system call, because this kernel has no seccomp",
                    fix: "grep Seccomp /proc/self/status   # it is part of Debian's kernels")
        }
        if layers.contains("files") {
            let forbidden = "the seccomp filter of this container or service forbids Landlock"
            open(
                .openFiles,
                "can read every file that all accounts can read, because "
                    + (isForbidden(landlock) ? forbidden : "this kernel lacks Landlock or has it switched off"),
                fix: isForbidden(landlock)
                    ? allowCalls("landlock_create_ruleset, landlock_add_rule, landlock_restrict_self")
                    : "cat /sys/kernel/security/lsm   # add landlock to this list with the kernel parameter lsm= (for "
                        + "a container: on the host); Linux 5.13 or newer")
        }
        if layers.contains("limits") {
            open(
                .openLimits,
                "has no resource limits, because the seccomp filter of this container or service forbids "
                    + "setting limits", fix: allowCalls("setrlimit, prlimit64"))
        }
    }

    private func open(_ id: CheckID, _ words: String, fix: String) -> Check {
        Check(id, .warning, "The worker \(words).", why: layerWhy, fix: fix)
    }
}
