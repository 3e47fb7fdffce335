package import Base
package import Keyring

/// How long after an unlock the session's screen may still seem locked, in milliseconds: a lock says that it is open
/// after the person has proved who they are.
private let unlockGrace: Int64 = 15_000

/// What became of locking or unlocking a session's tokens.
package enum TokenLockChange: Equatable {
    case made
    /// They were so before.
    case needless
    /// It was not entered, or its session's key does not follow.
    case failed(ErrorNumber)
}

/// Makes a session's tokens unreadable to its own processes while the user is away, and readable again. Root's side
/// continues: they are renewed, checked and revoked as usual.
package struct TokenLock<System: Machine> {
    private let machine: System

    /// Locks tokens of sessions of `machine`.
    package init(machine: System) {
        self.machine = machine
    }

    /// Locks them.
    ///
    /// Credentials for other systems that were made with them are destroyed, because they can be made again. The
    /// session loses its permission before the entry is locked. Otherwise a user who can stop a program that has the
    /// lock would keep the tokens readable. A program that has it for too long is ended.
    package func lock(_ key: RootKey, waiting milliseconds: Int32) -> EntryAccess<TokenLockChange> {
        if let entry = machine.openEntry(key) {
            try? setReadable(entry, false)
            destroyCredentials(key)
        }
        guard let lock = HolderPatience().lock(key, within: milliseconds, on: machine) else {
            return .busy
        }
        return change(key, under: lock) { entry in
            guard entry.locked.milliseconds == 0 else {
                return false
            }
            entry.locked = machine.now
            destroyCredentials(key)
            return true
        }
    }

    private func destroyCredentials(_ key: RootKey) {
        for credential in machine.credentials(of: key) {
            machine.destroy(credential.serial)
        }
    }

    /// Unlocks them, since their person has proved who they are.
    private func unlock(_ key: RootKey, waiting milliseconds: Int32) -> EntryAccess<TokenLockChange> {
        guard let lock = machine.lock(key, within: milliseconds) else {
            return .busy
        }
        return change(key, under: lock) { entry in
            let wasLocked = entry.locked.milliseconds > 0
            entry.locked = Instant(milliseconds: 0)
            entry.unlocked = machine.now
            return wasLocked
        }
    }

    /// Unlocks those of all sessions of a person, who has proved who they are.
    ///
    /// - Parameters:
    ///   - follows: Whether the screen locks them: it may seem locked for a moment still, also where that has not been
    ///     seen before.
    ///   - caller: Who has asked for it, by the user id.
    ///   - report: Gets a line for the log for each that was locked; whether it still is.
    package func unlockAll(
        of user: [UInt8], following follows: Bool, for caller: UInt32, waiting milliseconds: Int32,
        report: (LogLine, Bool) -> Void
    ) {
        try? machine.forEachEntry(of: user) { key, entry in
            guard entry.isOpen, entry.pidNamespace == machine.pidNamespace,
                follows || entry.locked.milliseconds > 0
            else {
                return
            }
            let who = AuditSubject(key, entry, ["uid": "\(caller)"])
            switch unlock(key, waiting: milliseconds) {
            case .had(.made): report(who.line(.tokensUnlocked), false)
            case .had(.failed(let error)): report(who.line(.tokensNotUnlocked, text: "errno \(error.code)"), true)
            case .busy: report(who.line(.tokensNotUnlocked, text: "another process has locked the session"), true)
            default: break
            }
        }
    }

    /// Whether it counts that the screen seems to be locked.
    package func obeysScreen(_ entry: borrowing RegistryEntry) -> Bool {
        entry.unlocked.milliseconds == 0 || machine.now.milliseconds - entry.unlocked.milliseconds > unlockGrace
    }

    /// The entry first: what is left undone behind it, the next change or `settle` does.
    private func change(
        _ key: RootKey, under lock: EntryLock, _ body: (inout RegistryEntry) -> Bool
    ) -> EntryAccess<TokenLockChange> {
        machine.withEntry(key, under: lock) { entry in
            guard entry.isOpen else {
                return .needless
            }
            let isChanged = body(&entry)
            do throws(ErrorNumber) {
                try machine.write(key, &entry)
                try obey(entry)
            } catch {
                // What the registry says is what counts.
                if let entry = machine.readEntry(key) {
                    try? obey(entry)
                }
                return .failed(error)
            }
            return isChanged ? .made : .needless
        }
    }

    /// Makes good what a process that was killed has left undone.
    package func settle(_ key: RootKey) {
        _ = machine.withEntry(key, lockedWithin: 0) { entry in
            if entry.isOpen {
                try? obey(entry)
            }
        }
    }

    private func obey(_ entry: borrowing RegistryEntry) throws(ErrorNumber) {
        try setReadable(entry, entry.locked.milliseconds == 0)
    }

    private func setReadable(_ entry: borrowing RegistryEntry, _ isReadable: Bool) throws(ErrorNumber) {
        guard machine.isDelivered(KeySerial(entry.tokenKey), description: entry.keyDescription) else {
            // The session has thrown them away.
            return
        }
        try machine.setReadable(KeySerial(entry.tokenKey), description: entry.keyDescription, isReadable)
    }
}
