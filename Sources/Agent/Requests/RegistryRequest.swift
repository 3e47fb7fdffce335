import Base
import Configuration
import Keyring
import Protocol
import Sessions

extension AgentRequest {
    /// Tells root of every session in the registry, a person of their own, and never of a token.
    func listRegistry() {
        let name = userID == 0 ? nil : surroundings.accountName(userID)
        guard userID == 0 || name != nil else {
            refuse(.notPermitted, "the user id does not belong to an account")
            return
        }
        guard
            let keys = try? name.map({ name throws(ErrorNumber) in try machine.entries(of: name) }) ?? machine.entries()
        else {
            refuse(.internalFault, "the registry cannot be read")
            return
        }
        for key in keys {
            // One that ended meanwhile is none any more.
            guard let session = registered(key), name == nil || session.details?.user == name else {
                continue
            }
            // What does not fit into a message is not what this software enters.
            let damaged = RegisteredSession(number: session.number, status: .damaged, details: nil)
            guard conversation.send(session.message) || conversation.send(damaged.message) else {
                return
            }
        }
        _ = conversation.send(FrameWriter(.complete))
    }

    private func registered(_ key: RootKey) -> RegisteredSession? {
        guard let payload = try? machine.read(key) else {
            return nil
        }
        let number = Int64(key.serial.number)
        guard RegistryEntry.isOfThisVersion(payload) else {
            return RegisteredSession(number: number, status: .otherVersion, details: nil)
        }
        guard let entry = RegistryEntry.decode(payload) else {
            return RegisteredSession(number: number, status: .damaged, details: nil)
        }
        // Both are no later than a key's life can be set, and not before the beginning of time.
        let now = machine.now.milliseconds
        let pause = entry.nextAttempt.milliseconds - now
        var details = RegisteredSession.Details.unknown
        details.user = entry.user
        details.service = entry.service
        details.remoteHost = entry.remoteHost
        details.terminal = entry.terminal
        details.signOut = entry.signOut.name.bytes
        details.userPoolID = entry.userPoolID
        details.clientID = entry.clientID
        details.hostProcess = Int64(entry.host.id)
        details.signedInAgo = (now - entry.created.milliseconds) / 1000
        details.renewedAgo = (now - entry.renewed.milliseconds) / 1000
        details.accessTokenExpiry = entry.accessTokenExpiry
        details.refreshTokenExpiry = entry.expires
        details.attempts = Int64(entry.attempts)
        details.nextAttemptIn = pause > 0 ? (pause + 999) / 1000 : 0
        return RegisteredSession(number: number, status: status(entry), details: details)
    }

    private func status(_ entry: borrowing RegistryEntry) -> RegisteredStatus {
        switch machine.judge(entry) {
        case .foreign: .foreign
        case .end where entry.state == .closing: .closing
        case .end: .abandoned
        case .leave, .unknown:
            switch entry.state {
            case .pending: .pending
            case .open: .open
            case .temporary: .temporary
            case .closing: .closing
            }
        }
    }
}
