package import Base
package import Keyring

/// How long a login may take from its tokens to its session when the process that authenticated has ended and left it
/// to its parent, in milliseconds: well above sshd's LoginGraceTime (120 s).
let handOverGrace: Int64 = 600_000

/// The limit of one user's simultaneous sessions here. Otherwise a faulty program could fill root's key quota, and then
/// no user could sign in.
package let mostSessions = 50

/// So many sign-ins of a person that no session has followed may have tokens at a time, for the same reason.
package let mostUnclaimed = 50

/// So many of these one process may keep waiting for their session; then the oldest gives way.
package let mostWaiting = 8

/// The time limit for waiting while another process counts sessions, in milliseconds. Counting takes no longer than
/// reading the registry.
package let countingLimit: Int32 = 2000

/// How long the end of what was left over may wait for Cognito before a new sign-in, in milliseconds.
private let roomLimit: Int64 = 3000

/// What the registry has of one person.
package struct Holdings {
    /// How many sessions live.
    package fileprivate(set) var sessions = 0
    /// How many entries have tokens that no session ever had.
    package fileprivate(set) var unclaimed = 0
    /// Those of them that cannot become a session any more, and for whose end this process makes others wait.
    private var leftOver: [(key: RootKey, created: Instant)] = []
    private var waiting: [(key: RootKey, created: Instant)] = []

    fileprivate mutating func add(_ key: RootKey, _ entry: borrowing RegistryEntry, on machine: some Machine) {
        sessions += machine.isLive(entry) ? 1 : 0
        guard !entry.delivered else {
            return
        }
        unclaimed += 1
        if machine.waits(entry) {
            waiting.append((key, entry.created))
        } else if machine.isLeftOver(entry) {
            leftOver.append((key, entry.created))
        }
    }

    /// Whether something should be ended before there is one more.
    package var needsRoom: Bool { waiting.count >= mostWaiting || unclaimed >= mostUnclaimed }

    /// What should be ended, and how long that may wait for Cognito, in milliseconds.
    package var toEnd: [(key: RootKey, limit: Int64)] {
        let surplus = waiting.sorted { left, right in left.created < right.created }
            .prefix(max(0, waiting.count - mostWaiting + 1))
        var found = surplus.map { entry in (key: entry.key, limit: Int64(0)) }
        if unclaimed >= mostUnclaimed {
            // Each has a worker of its own.
            found += leftOver.sorted { left, right in left.created < right.created }.prefix(mostWaiting)
                .map { entry in (key: entry.key, limit: roomLimit) }
        }
        return found
    }
}

extension Machine {
    /// What the registry has of a person.
    package func holdings(of user: [UInt8]) -> Holdings {
        var found = Holdings()
        try? forEachEntry(of: user) { key, entry in found.add(key, entry, on: self) }
        return found
    }

    /// Whether this process has authenticated the user, and may begin the session of this entry.
    package func waits(_ entry: borrowing RegistryEntry) -> Bool {
        entry.state == .pending && entry.host == process && entry.pidNamespace == pidNamespace
    }

    /// Whether this entry, which never was a session, cannot become one any more.
    package func isLeftOver(_ entry: borrowing RegistryEntry) -> Bool {
        guard !entry.delivered, entry.pidNamespace == pidNamespace else {
            return false
        }
        return switch entry.state {
        case .pending: claimant(of: entry, life) == .gone
        case .temporary: life(of: entry.host) == .gone
        case .closing: entry.nextAttempt <= now
        case .open: false
        }
    }

    /// How many sessions of a person live here; nil where not all that is there could be read.
    package func liveSessions(of user: [UInt8]) -> Int? {
        var count = 0
        let rest = hasEntry(of: user) { _, entry in
            count += isLive(entry) ? 1 : 0
            return false
        }
        return rest.map { _ in count }
    }

    /// Whether a person has a session here; nil where none was found, and not all that is there could be read.
    ///
    /// - Parameters:
    ///   - userPoolID: The pool that it is of.
    ///   - key: An entry that does not count.
    ///   - since: Sign-ins that one may still follow count, too, if they have tokens since then.
    package func hasSession(
        of user: [UInt8], userPoolID: [UInt8], besides key: RootKey? = nil, orPendingSince since: Instant? = nil
    ) -> Bool? {
        hasEntry(of: user) { other, entry in
            other != key && entry.userPoolID == userPoolID
                && (isLive(entry) || since.map { since in mayBegin(entry, since: since) } ?? false)
        }
    }

    /// Whether a sign-in from after `since` has tokens and its session may still begin.
    func mayBegin(_ entry: borrowing RegistryEntry, since: Instant) -> Bool {
        entry.state == .pending && entry.created > since && !isLeftOver(entry)
    }

    /// Links the token key of a person's newest session into their user keyring, of each app client that shares; after
    /// one has begun or ended. What is there already stays.
    package func shareNewest(of user: [UInt8]) throws(ErrorNumber) {
        // Before the lock: another source of names may take its time.
        guard let account = try? account(named: user) else {
            return
        }
        // Two at once must not leave the older one's key.
        guard let lock = lock(.counting(user), within: countingLimit) else {
            throw .resourceTemporarilyUnavailable
        }
        defer { withExtendedLifetime(lock) {} }
        var newest: [(created: Instant, userPoolID: [UInt8], clientID: [UInt8], key: KeySerial, entry: RootKey)] = []
        try forEachEntry(of: user) { key, entry in
            guard entry.isShared, entry.state == .open, isLive(entry) else {
                return
            }
            let found = (
                created: entry.created, userPoolID: entry.userPoolID, clientID: entry.clientID,
                key: KeySerial(entry.tokenKey), entry: key
            )
            let same = newest.firstIndex { other in
                other.userPoolID == found.userPoolID && other.clientID == found.clientID
            }
            guard let same else {
                newest.append(found)
                return
            }
            if newest[same].created < found.created {
                newest[same] = found
            }
        }
        for session in newest {
            let description = TokenKey.description(userPoolID: session.userPoolID, clientID: session.clientID)
            // The user may have destroyed the key: another key with that number is not pam-cognito's.
            if isDelivered(session.key, description: description) {
                let secret = secretKey(of: session.entry, ofJobs: false, beside: description)
                try share(session.key, provedBy: secret, with: account)
            }
        }
    }

    fileprivate func isLive(_ entry: borrowing RegistryEntry) -> Bool {
        switch entry.state {
        case .open:
            // Of a process in a container nothing is known; neither it nor another one of which nothing is known is
            // taken for dead.
            return entry.pidNamespace != pidNamespace || life(of: entry.host) != .gone
        // A program that only authenticates is no session, and most of what it leaves is never one.
        case .pending, .temporary, .closing:
            return false
        }
    }

    /// Whether a process can still begin the session of a pending entry: the process that authenticated, or after its
    /// end its parent, for a while. The parent may also be a server that has nothing more to do with it and lives on
    /// for months.
    ///
    /// - Parameter life: Whether a process of the entry's pid namespace is still there.
    package func claimant(of entry: borrowing RegistryEntry, _ life: (ProcessIdentity) -> Life) -> Life {
        let host = life(entry.host)
        guard host == .gone, let parent = entry.parent,
            now.milliseconds - entry.created.milliseconds <= handOverGrace
        else {
            return host
        }
        return life(parent)
    }
}
