internal import CLinux
internal import Commands
internal import Glibc
internal import Protocol
internal import Sessions

/// A unit of systemd's, as `systemctl show` has it.
struct SystemdUnit: Equatable, Sendable {
    var name: String
    /// Such as loaded, active and enabled; LoadState, ActiveState and UnitFileState.
    var load: String
    var active: String
    var file: String

    static func start(_ name: String) -> String { "systemctl enable --now \(name)" }

    /// Units of these names; nil where systemd does not run.
    static func current(_ names: [String]) -> [SystemdUnit]? {
        let properties = "--property=Id,LoadState,ActiveState,UnitFileState"
        return isSystemdRunning
            ? run(["/usr/bin/systemctl", "show", properties] + names).map { result in all(in: result.output) } : nil
    }

    /// What `systemctl show` says of some units: blocks of `NAME=VALUE`.
    static func all(in output: String) -> [SystemdUnit] {
        let blocks = output.split(separator: "\n", omittingEmptySubsequences: false).split(separator: "")
        return blocks.compactMap { lines in
            let values = Dictionary(fields(lines.joined(separator: "\n"), by: "=")) { _, last in last }
            return values["Id"].map { name in
                SystemdUnit(
                    name: name, load: values["LoadState"] ?? "", active: values["ActiveState"] ?? "",
                    file: values["UnitFileState"] ?? "")
            }
        }
    }

    /// What is wrong with a unit, in systemctl's words: one that has to be active, or need only not have failed.
    func finding(_ severity: Severity, why: String, mustRun: Bool = true) -> Check? {
        let state = "systemctl reports \(name) as \(load), \(active)\(file.isEmpty ? "" : ", \(file)")."
        if active == "failed", !mustRun {
            return Check(.unit, severity, state, why: why, fix: "journalctl -b -n 20 -u \(name)")
        }
        let isRunning = ["active", "activating", "reloading"].contains(active)
        guard mustRun, !isRunning || load != "loaded" || file == "disabled" else { return nil }
        return Check(
            .unit, isRunning ? .warning : severity, state,
            why: isRunning ? "The unit will not start at boot. \(why)" : why,
            fix: load == "not-found"
                ? reinstall : (load == "masked" ? "systemctl unmask \(name) && " : "") + Self.start(name))
    }
}

/// Whether systemd is this machine's first process (sd_booted(3)).
var isSystemdRunning: Bool { linuxExists("/run/systemd/system") }

/// What serves users between sign-in and logout: the agent behind its socket, its timer, the sign-out at shutdown.
struct AgentFacts: Equatable, Sendable {
    /// What a connection to the socket came to.
    enum SocketAnswer: Equatable, Sendable {
        case answered
        /// Connections fail; the error.
        case unheard(Int32)
        /// The listener does not run as root.
        case foreign
        case silent
    }

    static let socket = "/run/pam-cognito/agent.sock"
    private static let timerWhy =
        "Tokens of sessions that were not closed cleanly are not revoked, and sign-outs elsewhere go unnoticed."
    static let agentWhy =
        "Tokens of sessions that were not closed cleanly are not revoked, and users cannot renew sessions or sign out."
    /// What has to be active, and what may have failed.
    private static let needed: [(name: String, severity: Severity, why: String)] = [
        ("pam-cognito-agent.socket", .broken, agentWhy), ("pam-cognito-reap.timer", .warning, timerWhy),
        (
            "pam-cognito-drain.service", .warning,
            "Sessions are not signed out when the machine shuts down, so their tokens stay valid."
        ),
    ]
    private static let started = ["pam-cognito-agent.service", "pam-cognito-reap.service"]
    /// In milliseconds. systemd has to start it first.
    private static let longestWait: Int64 = 5000

    /// Nil where systemd does not run.
    var units: [SystemdUnit]?
    var answer: SocketAnswer
    /// Its permission bits; nil where there is none.
    var mode: UInt32?

    var summary: String {
        "the agent answers" + (units == nil ? "" : ", the cleanup timer runs, and sessions are signed out at shutdown")
    }

    /// First what does not run, then what follows from it.
    var findings: [Check] {
        let found = (units ?? []).compactMap { unit in
            if let row = Self.needed.first(where: { row in row.name == unit.name }) {
                return unit.finding(row.severity, why: row.why)
            }
            let isAgent = unit.name == Self.started[0]
            return isAgent && answer == .answered
                ? nil
                : unit.finding(
                    isAgent ? .broken : .warning, why: isAgent ? Self.agentWhy : Self.timerWhy, mustRun: false)
        }
        let isExplained = found.contains { check in check.severity == .broken }
        return found + (isExplained && answer != .answered ? [] : socketFindings)
    }

    @CheckList private var socketFindings: [Check] {
        let start =
            units != nil
            ? "systemctl restart pam-cognito-agent.socket && systemctl status pam-cognito-agent.service"
            : "cognito-agent listen &   # and start it at boot: cognito-agent(8)"
        let socket = Self.socket
        let fault: String? =
            switch answer {
            case .answered: nil
            case .unheard(let error): "no program is listening on the socket (errno \(error))"
            case .foreign: "the listener does not run as root"
            case .silent: "the connection succeeded, but no reply arrived"
            }
        if let fault {
            Check(
                .agentSilent, units == nil && answer == .unheard(ENOENT) ? .warning : .broken,
                "The agent does not answer at \(socket): \(fault).", why: Self.agentWhy, fix: start)
        } else if let mode, mode & 0o222 != 0o222 {
            Check(
                .agentClosed, .broken, "Users cannot connect to the agent, because the mode of \(socket) is wrong.",
                why: Self.agentWhy, fix: "chmod 0666 \(socket)")
        }
    }

    static var current: AgentFacts {
        var status = stat()
        let hasSocket = unsafe lstat(socket, &status) == 0
        return AgentFacts(
            units: SystemdUnit.current(needed.map(\.name) + started), answer: currentAnswer,
            mode: hasSocket ? status.st_mode & 0o7777 : nil)
    }

    /// Whether there is a listener, of whatever account.
    static var isListening: Bool { unsafe [0, -EAGAIN].contains(linux_socket_fault(socket, 1)) }

    private static var currentAnswer: SocketAnswer {
        let error = unsafe -linux_socket_fault(socket, 1)
        guard error == 0 || error == EAGAIN else { return .unheard(error) }
        guard let agent = LinuxMachine().connectToAgent() else { return .foreign }
        // What root alone may ask, and nothing comes of.
        guard let request = try? FrameWriter(.registryRequest).finish(), agent.send(request),
            agent.receive(within: longestWait) != nil
        else {
            return .silent
        }
        return .answered
    }
}
