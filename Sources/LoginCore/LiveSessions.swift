package import KernelKeyring
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
    ///   - keys: The entries that may be theirs; nil: any.
    package func liveSessions(
        of user: [UInt8], userPoolID: [UInt8]? = nil, besides key: RootKey? = nil, among keys: [RootKey]? = nil
    ) -> Int {
        var count = 0
        for other in keys ?? (try? entries()) ?? [] where other != key {
            if let payload = try? read(other), let entry = RegistryEntry.decode(payload), entry.user == user,
                userPoolID == nil || entry.userPoolID == userPoolID, isLive(entry)
            {
                count += 1
            }
        }
        return count
    }

    /// Links the token key of a person's newest session into their user keyring, of each app client that shares; after one has
    /// begun or ended. What is there already stays.
    ///
    /// - Parameter keys: The entries that may be theirs; nil: any.
    func shareNewest(of user: [UInt8], among keys: [RootKey]? = nil) throws(ErrorNumber) {
        // Two at once must not leave the older one's key.
        let lock = lock(.counting, within: countingLimit)
        defer { withExtendedLifetime(lock) {} }
        var newest: [(created: Instant, userPoolID: [UInt8], clientID: [UInt8], key: KeySerial)] = []
        let all = if let keys { keys } else { try entries() }
        for key in all {
            guard let payload = try? read(key), let entry = RegistryEntry.decode(payload), entry.user == user,
                entry.isShared, entry.state == .open, isLive(entry)
            else {
                continue
            }
            let found = (
                created: entry.created, userPoolID: entry.userPoolID, clientID: entry.clientID,
                key: KeySerial(entry.tokenKey)
            )
            let same = newest.firstIndex { other in
                other.userPoolID == found.userPoolID && other.clientID == found.clientID
            }
            guard let same else {
                newest.append(found)
                continue
            }
            if newest[same].created < found.created {
                newest[same] = found
            }
        }
        guard !newest.isEmpty, let account = try? account(named: user) else {
            return
        }
        for session in newest {
            let description = TokenKey.description(userPoolID: session.userPoolID, clientID: session.clientID)
            // The person may have destroyed their key: another of that number is none of ours.
            if isDelivered(session.key, description: description) {
                try share(session.key, with: account)
            }
        }
    }

    private func isLive(_ entry: borrowing RegistryEntry) -> Bool {
        switch entry.state {
        case .pending:
            return now.milliseconds - entry.created.milliseconds <= pendingGrace
        case .open:
            // Of a process in a container nothing is known; neither it nor another one of which nothing is known is taken for dead.
            return entry.pidNamespace != pidNamespace || life(of: entry.host) != .gone
        case .held, .closing:
            return false
        }
    }
}
