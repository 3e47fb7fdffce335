import Agent
import Base
import Keyring
import Sessions

extension OfferKeyring: OfferRegistry {}

// Who waits for tokens of another session, as this machine sees it.
extension LinuxSurroundings {
    func plainProcess(_ process: Int32, of userID: UInt32) -> ProcessIdentity? {
        // 0 is what a process of another pid namespace looks like that is not below this one.
        guard process > 1, let status = try? ProcessStatus(of: process),
            status.numbers("Uid").count == 4, status.numbers("Uid").allSatisfy({ uid in uid == userID }),
            status.numbers("NSpid").count == 1
        else {
            return nil
        }
        let found = ProcessIdentity(now: process)
        return found.startTime > 0 ? found : nil
    }

    func origin(of process: Int32) -> ProcessOrigin {
        let login = LoginSession(of: process)
        return ProcessOrigin(
            terminal: TerminalDevice(of: process)?.name ?? [],
            service: login?.service ?? Self.rootsProgram(above: process) ?? [], remoteHost: login?.remoteHost ?? [])
    }

    func seal(_ content: borrowing Secret, name: [UInt8]) -> Secret? {
        Sealer.seal(content, name: name)
    }

    func unseal(_ content: consuming Secret, name: [UInt8]) -> Secret? {
        try? Sealer.unseal(content, name: name)
    }

    func isInbox(_ ring: KeySerial, of userID: UInt32) -> Bool {
        Inbox(ring, of: userID) != nil
    }

    func handOver(
        _ key: KeySerial, provedBy secret: KeySerial?, into inbox: KeySerial, of userID: UInt32,
        isTaken: @escaping (KeySerial) -> Bool
    ) -> Bool {
        guard let inbox = Inbox(inbox, of: userID) else {
            return false
        }
        do throws(ErrorNumber) {
            if let credentials = CredentialKey(key) {
                try inbox.deliver(credentials: credentials, isTaken: isTaken)
            } else {
                try inbox.deliver(tokensOf: key, provedBy: secret, isTaken: isTaken)
            }
            return true
        } catch {
            return false
        }
    }
}
