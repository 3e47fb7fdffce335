internal import CLinux
internal import Commands
internal import Glibc
internal import LinuxHost
internal import Messages
internal import Protocol

/// What serves people between sign-in and logout: the agent behind its socket, the rounds of its timer, the last round.
struct AgentFacts: Equatable, Sendable {
    /// A unit of systemd's, as `systemctl show` has it.
    struct Unit: Equatable, Sendable {
        var name: String
        /// loaded, not-found, masked.
        var load: String
        /// active, inactive, failed.
        var active: String
        /// enabled, disabled, static.
        var file: String
    }

    /// What a connection to the socket came to.
    enum SocketAnswer: Equatable, Sendable {
        case answered
        /// Nobody can connect; the error.
        case unheard(Int32)
        /// Somebody other than root listens.
        case foreign
        case silent
    }

    static let socket = "/run/pam-cognito/agent.sock"
    /// What has to be active.
    private static let needed = ["pam-cognito-agent.socket", "pam-cognito-reap.timer", "pam-cognito-drain.service"]
    /// What may have failed.
    private static let started = ["pam-cognito-agent.service", "pam-cognito-reap.service"]

    /// In milliseconds. systemd has to start it first.
    private static let longestWait: Int64 = 5000

    /// Nil where systemd does not run.
    var units: [Unit]?
    var answer: SocketAnswer
    /// Its permission bits; nil where there is none.
    var mode: UInt32?

    /// One line for when all is well.
    var summary: String {
        units == nil
            ? "its socket answers" : "its socket answers, its timer runs, and it signs out when the machine stops"
    }

    /// What is wrong with it: first what does not run, then what follows from it.
    var findings: [Finding] {
        var found: [Finding] = []
        for name in Self.needed {
            let isSocket = name == Self.needed[0]
            let why =
                isSocket
                ? DoctorWording.agentWhy
                : name == Self.needed[1]
                    ? DoctorWording.timerWhy
                    : "Sessions are not signed out when the machine stops: their tokens outlive it."
            if let unit = units?.first(where: { unit in unit.name == name }),
                let finding = Self.finding(unit, isSocket ? .broken : .warning, why: why)
            {
                found.append(finding)
            }
        }
        let hasFailed = units?.contains { unit in unit.name == Self.started[0] && unit.active == "failed" } ?? false
        if answer != .answered, hasFailed {
            found.append(Self.failed(Self.started[0], .broken, why: DoctorWording.agentWhy))
        }
        if units?.contains(where: { unit in unit.name == Self.started[1] && unit.active == "failed" }) == true {
            found.append(Self.failed(Self.started[1], .warning, why: DoctorWording.timerWhy))
        }
        let isExplained = found.contains { finding in finding.severity == .broken }
        if let finding = Self.finding(answer, hasSystemd: units != nil), !isExplained {
            found.append(finding)
        } else if let mode, mode & 0o222 != 0o222 {
            found.append(
                Finding(
                    .broken, "\(Self.socket) has a mode that keeps people from their agent.",
                    why: DoctorWording.agentWhy,
                    mend: "chmod 0666 \(Self.socket)"))
        }
        return found
    }

    /// What is wrong with a unit that has to be active.
    static func finding(_ unit: Unit, _ severity: Severity, why: String) -> Finding? {
        switch (unit.load, unit.active, unit.file) {
        case ("not-found", _, _):
            return Finding(severity, "\(unit.name) is not there.", why: why, mend: DoctorWording.reinstall)
        case ("masked", _, _):
            return Finding(
                severity, "\(unit.name) is masked.", why: why,
                mend: "systemctl unmask \(unit.name) && systemctl enable --now \(unit.name)")
        case (_, "active", "disabled"):
            return Finding(
                .warning, DoctorWording.unitDisabled(unit.name), why: why, mend: DoctorWording.enable(unit.name))
        case (_, "active", _), (_, "activating", _), (_, "reloading", _):
            return nil
        default:
            return Finding(
                severity, "\(unit.name) does not run (\(unit.active)).", why: why,
                mend: DoctorWording.start(unit.name))
        }
    }

    static func failed(_ name: String, _ severity: Severity, why: String) -> Finding {
        Finding(severity, "\(name) has failed.", why: why, mend: "journalctl -b -n 20 -u \(name)")
    }

    private static func finding(_ answer: SocketAnswer, hasSystemd: Bool) -> Finding? {
        let start =
            hasSystemd
            ? "systemctl restart pam-cognito-agent.socket && systemctl status pam-cognito-agent.service"
            : "cognito-agent listen &   # and have it started with the machine: cognito-agent(8)"
        return switch answer {
        case .answered: nil
        case .unheard(let error) where error == ENOENT:
            Finding(
                hasSystemd ? .broken : .warning, "The agent does not run: \(socket) is not there.",
                why: DoctorWording.agentWhy,
                mend: start)
        case .unheard(let error):
            Finding(
                .broken, "The agent does not run: nobody listens at \(socket) (errno \(error)).",
                why: DoctorWording.agentWhy, mend: start)
        case .foreign:
            Finding(
                .broken, "Somebody other than root listens at \(socket).", why: DoctorWording.runFolderForeignWhy,
                mend: start)
        case .silent:
            Finding(.broken, "The agent at \(socket) does not answer.", why: DoctorWording.agentWhy, mend: start)
        }
    }
}

extension AgentFacts {
    /// What `systemctl show` says of some units: blocks of `NAME=VALUE`.
    static func units(_ output: String) -> [Unit] {
        var units: [Unit] = []
        var values: [Substring: String] = [:]
        func take() {
            if let name = values["Id"] {
                units.append(
                    Unit(
                        name: name, load: values["LoadState"] ?? "", active: values["ActiveState"] ?? "",
                        file: values["UnitFileState"] ?? ""))
            }
            values = [:]
        }
        for line in output.split(separator: "\n", omittingEmptySubsequences: false) {
            let sides = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if sides.count == 2 {
                values[sides[0]] = String(sides[1])
            } else {
                take()
            }
        }
        take()
        return units
    }

    static var current: AgentFacts {
        var status = stat()
        let hasSocket = unsafe lstat(socket, &status) == 0
        return AgentFacts(units: currentUnits, answer: currentAnswer, mode: hasSocket ? status.st_mode & 0o7777 : nil)
    }

    private static var currentUnits: [Unit]? {
        guard isSystemdRunning else {
            return nil
        }
        let properties = "--property=Id,LoadState,ActiveState,UnitFileState"
        return run(["/usr/bin/systemctl", "show", properties] + needed + started).map { result in units(result.output) }
    }

    /// Whether somebody listens, whoever it is.
    static var isListening: Bool { unsafe [0, -EAGAIN].contains(linux_socket_fault(socket, 1)) }

    private static var currentAnswer: SocketAnswer {
        let error = unsafe -linux_socket_fault(socket, 1)
        guard error == 0 || error == EAGAIN else {
            return .unheard(error)
        }
        guard let agent = LinuxMachine().connectToAgent() else {
            return .foreign
        }
        // What root alone may ask, and nothing comes of.
        guard let request = try? FrameWriter(.registryRequest).finish(), agent.send(request),
            agent.receive(within: longestWait) != nil
        else {
            return .silent
        }
        return .answered
    }
}

/// Whether systemd is this machine's first process (sd_booted(3)).
var isSystemdRunning: Bool {
    linuxExists("/run/systemd/system")
}
