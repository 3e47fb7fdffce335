import AgentCore
import ByteText
import CLinux
import LoginCore
import LoginSystem

/// Writes a line to the system's log.
func log(_ severity: Severity, _ line: ByteText) {
    let terminated = line.bytes.map { byte in CChar(bitPattern: byte) } + [0]
    unsafe linux_log("cognito-agent", severity.rawValue, terminated)
}

/// The machine as it is.
struct LinuxSurroundings: AgentSurroundings {
    let machine = LinuxMachine()

    private static let directory = "/run/pam-cognito/turns"

    func takeTurn(_ charge: Charge, of userID: UInt32) -> Bool {
        // Root could do all of it without asking.
        guard userID != 0 else {
            return true
        }
        let taken =
            switch charge {
            case .connection: unsafe linux_take_turn(Self.directory, "connections-\(userID)", 200, 250)
            case .call: unsafe linux_take_turn(Self.directory, "calls-\(userID)", 40, 5000)
            }
        // Where nothing can be kept, as with /run full, nobody is kept from signing out.
        return taken != 0
    }

    func log(_ severity: Severity, _ line: ByteText) {
        cognito_agent.log(severity, line)
    }
}
