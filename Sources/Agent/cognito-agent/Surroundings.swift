import Agent
import Base
import CLinux
import Glibc
import Keyring
import Sessions

/// Writes a line to the system's log.
func log(_ severity: LogSeverity, _ line: LogLine) {
    guard !SystemLog.write(severity, line, of: "cognito-agent", shown: line.rendered) else {
        return
    }
    let terminated = line.bytes.map { byte in CChar(truncatingIfNeeded: byte) } + [0]
    unsafe linux_log("cognito-agent", severity.rawValue, terminated)
}

/// Writes a line that may be about a fault.
func report(_ line: LogLine, _ isFault: Bool) {
    log(isFault ? .warning : .information, line)
}

/// The machine as it is.
struct LinuxSurroundings: AgentSurroundings {
    let machine = LinuxMachine()
    let sessions = LinuxSessions()
    let offers = OfferKeyring()

    func takeTurn(_ charge: Charge, of userID: UInt32) throws(ErrorNumber) -> Bool {
        // Root could do all of it without asking.
        guard userID != 0 else {
            return true
        }
        // A request that cannot be counted is refused, as when /run is full; but a sign-out never is.
        switch charge {
        case .call: return try LinuxMachine.takesTurn(.calls(userID))
        case .signOut: return (try? LinuxMachine.takesTurn(.signOuts(userID))) != false
        case .conversation: return try LinuxMachine.takesTurn(.conversations(userID))
        case .recovery(let name):
            // Requests of others must not keep the owner from a new password.
            return try LinuxMachine.takesTurn(
                accountName(userID) == name ? .recoveryByOwner(name) : .recoveryByOthers(name))
        }
    }

    func accountName(_ userID: UInt32) -> [UInt8]? {
        try? Base.accountName(userID)
    }

    func machine(
        forSessionOf process: Int32,
        _ userID: UInt32,
        inbox: KeySerial,
        isTaken: @escaping (KeySerial) -> Bool
    ) -> LinuxMachine? {
        guard let inbox = Inbox(inbox, of: userID), let host = Self.host(of: process) else {
            return nil
        }
        return LinuxMachine(hostedBy: host) { bundle, description, seconds, hold throws(ErrorNumber) in
            try inbox.deliver(bundle, description: description, timeout: seconds, hold: hold, isTaken: isTaken)
        }
    }

    /// The process whose end is the end of the session that `process` is in: the nearest above it that runs as root, as
    /// sshd's monitor, login and su do; where there is none but init, the leader of its session.
    private static func host(of process: Int32) -> ProcessIdentity? {
        var ancestor = parent(of: process)
        // A chain of parents has an end, but a reused process id may make a circle of it.
        for _ in 0..<256 where ancestor > 1 {
            // The effective one.
            let user = (try? ProcessStatus(of: ancestor))?.numbers("Uid").dropFirst().first
            guard user != 0 else {
                return identity(ancestor)
            }
            // Further up would be a host of more than this session.
            guard user != nil else {
                break
            }
            ancestor = parent(of: ancestor)
        }
        let leader = getsid(process)
        return identity(leader > 1 && leader != process ? leader : parent(of: process))
    }

    /// The name of the nearest program above a process that runs as root, as sshd; nil where none but init does.
    static func rootsProgram(above process: Int32) -> [UInt8]? {
        guard let host = host(of: process), let status = try? ProcessStatus(of: host.id),
            status.numbers("Uid").dropFirst().first == 0
        else {
            return nil
        }
        return status.name
    }

    /// 0 when there is no such process, or its parent is not of this pid namespace.
    private static func parent(of process: Int32) -> Int32 {
        (try? ProcessStat(of: process))?.parent ?? 0
    }

    private static func identity(_ process: Int32) -> ProcessIdentity? {
        let found = ProcessIdentity(now: process)
        return process > 1 && found.startTime > 0 ? found : nil
    }

    func log(_ severity: LogSeverity, _ line: LogLine) {
        cognito_agent.log(severity, line)
    }
}
