package import Base
package import Keyring

/// What came of an entry of the registry that was to be had alone.
package enum EntryAccess<Result> {
    /// It was had, and seen to.
    case had(Result)
    /// Locked by another process.
    case busy
    /// It is not there, has expired, was revoked, or is another key by now.
    case gone
    /// It is in the form of another version, which understands it.
    case otherVersion
    /// It is none.
    case damaged
    case unreadable(ErrorNumber)
}

extension EntryAccess: Equatable where Result: Equatable {}

extension SessionRegistry {
    /// Locks an entry; nil when another process has it.
    package func lock(_ key: RootKey, within milliseconds: Int32) -> EntryLock? {
        lock(.entry(key), within: milliseconds)
    }

    /// Locks an entry, reads it again, and shows it to `body`, which may change and `write` it. No other process has it
    /// until that returns.
    package func withEntry<Result, E: Error>(
        _ key: RootKey, lockedWithin milliseconds: Int32, _ body: (inout RegistryEntry) throws(E) -> Result
    ) throws(E) -> EntryAccess<Result> {
        guard let lock = lock(key, within: milliseconds) else {
            return .busy
        }
        return try withEntry(key, under: lock, body)
    }

    /// The same for an entry that this process has locked.
    package func withEntry<Result, E: Error>(
        _ key: RootKey, under lock: EntryLock, _ body: (inout RegistryEntry) throws(E) -> Result
    ) throws(E) -> EntryAccess<Result> {
        defer { withExtendedLifetime(lock) {} }
        return try lookAtEntry(key, body)
    }

    /// The same for an entry that another process may be at, and which stays as it is.
    func lookAtEntry<Result, E: Error>(
        _ key: RootKey, _ body: (inout RegistryEntry) throws(E) -> Result
    ) throws(E) -> EntryAccess<Result> {
        let payload: Secret
        do throws(ErrorNumber) {
            payload = try read(key)
        } catch {
            switch error {
            case .noKey, .keyExpired, .keyRevoked, .permissionDenied: return .gone
            default: return .unreadable(error)
            }
        }
        guard RegistryEntry.isOfThisVersion(payload) else {
            return .otherVersion
        }
        guard var entry = RegistryEntry.decode(payload) else {
            return .damaged
        }
        return .had(try body(&entry))
    }

    /// An entry as it is now, which another process may be at; nil when it is not there, or cannot be understood.
    package func readEntry(_ key: RootKey) -> RegistryEntry? {
        guard let payload = try? read(key) else {
            return nil
        }
        return RegistryEntry.decode(payload)
    }

    /// The entry of a session that has its tokens; nil when there is none any more.
    package func openEntry(_ key: RootKey) -> RegistryEntry? {
        guard let entry = readEntry(key), entry.isOpen else {
            return nil
        }
        return entry
    }
}

extension SessionRegistry where Self: MachineClock {
    /// The same for an end that has waited as long as it must (`holderPatience`): a PAM application that has the lock
    /// is ended. A server that signs its session out waits for Cognito with the lock, and is left alone.
    package func lockEndingHolder(_ key: RootKey) -> EntryLock? {
        var isClosing = false
        if let entry = readEntry(key) {
            isClosing = entry.state == .closing && now.milliseconds - entry.closed.milliseconds < longestEnd
        }
        return lockEndingHolder(.entry(key), sparingRoot: isClosing)
    }

    /// Writes an entry that `withEntry` has shown.
    package func write(_ key: RootKey, _ entry: inout RegistryEntry) throws(ErrorNumber) {
        guard let payload = entry.encode() else {
            throw .messageTooLong
        }
        try replace(key, with: payload, expiringIn: max(1, entry.expires - time))
    }
}

extension RegistryEntry {
    /// Whether it is of a session that has its tokens.
    package var isOpen: Bool { state == .open && tokenKey > 0 }
}
