import KernelKeyring
import LinuxProcess

/// So many sessions one person may have here at a time: a program gone wild would otherwise fill root's key quota, and then
/// nobody could sign in.
let mostSessions = 50

/// How long to wait for somebody else who counts sessions, in milliseconds. It takes no longer than reading the registry.
let countingLimit: Int32 = 2000

extension Machine {
    /// How many sessions of a person live here, those about to begin included.
    ///
    /// - Parameters:
    ///   - userPoolID: The pool that they are of; nil: any.
    ///   - key: An entry that does not count.
    func liveSessions(of user: [UInt8], userPoolID: [UInt8]? = nil, besides key: RootKey? = nil) -> Int {
        var count = 0
        for other in (try? entries()) ?? [] where other != key {
            if let payload = try? read(other), let entry = RegistryEntry.decode(payload), entry.user == user,
                userPoolID == nil || entry.userPoolID == userPoolID, isLive(entry)
            {
                count += 1
            }
        }
        return count
    }

    private func isLive(_ entry: borrowing RegistryEntry) -> Bool {
        guard entry.boot.bootID == boot.bootID else {
            return false
        }
        switch entry.state {
        case .pending:
            return now.milliseconds - entry.created.milliseconds <= pendingGrace
        case .open:
            // Of a process in a container nothing is known; it is not taken for dead.
            return entry.boot.pidNamespace != boot.pidNamespace || isAlive(entry.host)
        case .held, .closing:
            return false
        }
    }
}
