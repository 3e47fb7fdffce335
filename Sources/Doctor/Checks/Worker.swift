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
                why: "Users of managed accounts cannot sign in. Workers must run under an unprivileged account "
                    + "that cannot be used to sign in.", fix: fix)
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

    func findings(account uid: UInt32) -> [Check] {
        let hasCapabilities = ["CapInh", "CapPrm", "CapEff", "CapAmb"].contains { name in
            fields[name]?.joined().contains { digit in digit != "0" } ?? true
        }
        let layers = [
            (uid != 0 && fields["Uid"] == Array(repeating: "\(uid)", count: 4), "does not run under its own account"),
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

/// What a worker can do whose sandbox lets pass what it should forbid, by the layer's name in its report.
private let openLayers: KeyValuePairs = [
    "system_calls": ("can make any system call", "seccomp"),
    "files": (
        "can read every world-readable file",
        "landlock_create_ruleset, landlock_add_rule, landlock_restrict_self"
    ),
    "limits": ("has no resource limits", "setrlimit, prlimit64"),
]

func sandboxFindings(open layers: [String]) -> [Check] {
    openLayers.filter { layer in layers.contains(layer.key) }.map { _, layer in
        Check(
            .openLayer, .warning,
            "The worker \(layer.0), because the kernel or a container's seccomp filter does not allow \(layer.1).",
            why: layerWhy,
            fix: "grep Seccomp: /proc/1/status; cat /sys/kernel/security/lsm   # if 2: the container's profile must "
                + "allow the calls (SECURITY.md, Containers); otherwise, add landlock to the kernel parameter lsm=")
    }
}
