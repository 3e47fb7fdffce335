import Base
import CLinux

/// The change of a record.
package enum AccountChange: Equatable, Sendable {
    /// There is a new account.
    case entered
    case unchanged
    /// It was written anew, in place of that.
    case replaced(AccountRecord)
}

/// The store, for root, while no other process can write to it.
package struct AccountWriter: ~Copyable {
    package let store: AccountStore
    /// nil: only a child of a process that was ended has the lock.
    private let lock: HeldLock?

    /// Creates the store if it is missing, and waits for another writer up to that time: for PAM applications.
    ///
    /// The user who started su or sudo can stop it at any moment while it has the lock.
    package init(at path: String = AccountStore.defaultPath, within milliseconds: Int32) throws(AccountRefusal) {
        try self.init(at: path) { place throws(ErrorNumber) in try place.lock(within: milliseconds) }
    }

    /// The same for processes that remove access: a PAM application that has held the lock for five seconds is ended.
    package init(at path: String = AccountStore.defaultPath) throws(AccountRefusal) {
        try self.init(at: path) { place throws(ErrorNumber) in
            do throws(ErrorNumber) {
                return try place.lock(within: holderPatience)
            } catch .resourceTemporarilyUnavailable {
                return try place.lockEndingHolder()
            }
        }
    }

    private init(at path: String, _ take: (LockPlace) throws(ErrorNumber) -> HeldLock?) throws(AccountRefusal) {
        let opened = try AccountRefusal.unlessFault { () throws(AccountFault) in
            try AccountStore(at: path, making: true)
        }
        let taken: HeldLock?
        do throws(ErrorNumber) {
            taken = try take(LockPlace(directory: path, file: ".lock", subject: "lock=accounts"))
        } catch {
            throw error == .resourceTemporarilyUnavailable ? .busy : .notWritten(error)
        }
        lock = taken
        store = opened
        unsafe linux_remove_unfinished(path, 3600)
    }

    /// Enters an account, or its changes.
    ///
    /// - Parameters:
    ///   - person: With the user id for a new account. An existing account keeps its own, and so does a forgotten one,
    ///     unless it is adopted with another id. An account that root has barred stays barred.
    ///   - rules: The rules for names and user ids.
    ///   - others: The answer of other sources of names. It is requested before this lock is taken, so that no source
    ///     can hold the lock.
    ///   - time: Now.
    package func enter(
        _ person: AccountRecord, by rules: AccountRules, _ others: SourceAnswer, at time: Int64
    ) throws(AccountRefusal) -> AccountChange {
        var record = person
        let existing = try existing(person.name)
        if let existing {
            if existing.isSamePerson(as: person) {
                // Root hands files over together with their user id: of an account that was forgotten, none has to be
                // kept.
                let bringsFiles = existing.state == .forgotten && person.source == .adopted
                record.uid = bringsFiles ? person.uid : existing.uid
                record.source = existing.source == .adopted ? .adopted : person.source
                let areNew = existing.state != .forgotten && existing.keys != person.keys
                record.keysChanged = areNew ? max(0, time) : existing.keysChanged
                record.keysTold = areNew ? 0 : existing.keysTold
            } else if existing.state != .forgotten {
                throw .otherPerson(existing)
            } else if let objection = rules.objection(toSuccessorCalled: person.name) {
                throw objection
            }
            if existing.state == .barred {
                record.state = .barred
            }
            record.changed = existing.changed
            if let objection = others.objection {
                throw objection
            }
            if existing == record {
                return .unchanged
            }
        }
        record.changed = max(0, time)
        if let objection = rules.objection(toEntering: record, inPlaceOf: existing, others) {
            throw objection
        }
        try keepUserID(of: record, existing)
        try write(record)
        return existing.map { existing in .replaced(existing) } ?? .entered
    }

    /// Locks an account, unlocks it, or forgets it; what it was.
    package func set(
        _ state: AccountRecord.State, of name: [UInt8], at time: Int64
    ) throws(AccountRefusal) -> AccountRecord {
        try change(name, at: time) { record in
            record.state = state
            if state == .forgotten {
                record.groups = []
                record.keys = []
                record.keysChanged = 0
                record.keysTold = 0
            }
        }
    }

    /// Opens an account again that is locked, as far as root alone decides about it; what it is now.
    ///
    /// Groups and keys of a record that was barred may be those of a person who has left the directory since: its next
    /// round knows.
    package func open(_ name: [UInt8], at time: Int64) throws(AccountRefusal) -> AccountRecord.State {
        var state = AccountRecord.State.enabled
        _ = try change(name, at: time) { record in
            state = record.state == .enabled || record.source == .signIn ? .enabled : .locked
            record.state = state
        }
        return state
    }

    /// Sets the Unix groups of an account that pam-cognito manages.
    package func setGroups(_ groups: [[UInt8]], of name: [UInt8], at time: Int64) throws(AccountRefusal) {
        _ = try change(name, at: time) { record in record.groups = groups }
    }

    /// Records that the user was told of other ssh keys.
    package func noteKeysTold(_ name: [UInt8], at time: Int64) throws(AccountRefusal) {
        _ = try change(name, at: time) { record in record.keysTold = max(1, time) }
    }

    private func change(
        _ name: [UInt8], at time: Int64, _ change: (inout AccountRecord) -> Void
    ) throws(AccountRefusal) -> AccountRecord {
        guard let existing = try existing(name), existing.state != .forgotten else {
            throw .unknown
        }
        var record = existing
        change(&record)
        record.changed = max(0, time)
        try write(record)
        return existing
    }

    /// Removes a file that is not believed. The user id stays with the name.
    package func removeDamaged(_ name: [UInt8]) throws(AccountRefusal) {
        guard AccountName.isPossible(name) else {
            throw .unknown
        }
        let result = unsafe linux_remove_at(store.descriptor.number, String(decoding: name, as: UTF8.self))
        guard result == 0 else {
            throw ErrorNumber(-result) == .noSuchFileOrDirectory ? .unknown : .notWritten(ErrorNumber(-result))
        }
    }

    /// Gives back user ids that are kept for a name, if it is that of `record`, which is forgotten, or of none.
    ///
    /// - Parameters:
    ///   - record: What there was when it was found that nothing has them.
    package func release(
        _ uids: [UInt32], of name: [UInt8], with record: AccountRecord?
    ) throws(AccountRefusal) {
        guard try existing(name) == record else {
            throw .busy
        }
        // In this order: a link that is left keeps the user id, and this can be done again.
        let mark = String(decoding: AccountStore.releaseMark.bytes, as: UTF8.self)
        var results = [unsafe linux_replace_file_at(store.descriptor.number, mark, 0, 1, nil, 0)]
        let links = uids.map(fileName(of:))
        for entry in (record == nil ? [] : [String(decoding: name, as: UTF8.self)]) + links where results.last == 0 {
            results.append(unsafe linux_remove_at(store.descriptor.number, entry))
        }
        if let result = results.last, result != 0 {
            throw .notWritten(ErrorNumber(-result))
        }
    }

    private func existing(_ name: [UInt8]) throws(AccountRefusal) -> AccountRecord? {
        try AccountRefusal.unlessFault { () throws(AccountFault) in try store.record(named: name) }
    }

    /// Reserves the user id for this name permanently, unless another name has it.
    private func keepUserID(of record: AccountRecord, _ existing: AccountRecord?) throws(AccountRefusal) {
        let holder = try AccountRefusal.unlessFault { () throws(AccountFault) in try store.holder(of: record.uid) }
        if let holder {
            // Those who had the name before keep their user ids, too.
            let isOwn =
                existing.map { existing in existing.isSamePerson(as: record) && existing.uid == record.uid } ?? true
            guard holder == record.name, isOwn else {
                throw .taken(record.uid, by: holder)
            }
            return
        }
        let result = unsafe linux_make_link_at(
            store.descriptor.number, fileName(of: record.uid), String(decoding: record.name, as: UTF8.self))
        guard result == 0 else {
            throw .notWritten(ErrorNumber(-result))
        }
    }

    private func write(_ record: AccountRecord) throws(AccountRefusal) {
        if let mistake = record.mistake {
            throw .mistake(mistake)
        }
        let result = unsafe record.file.withUnsafeBytes { bytes in
            unsafe linux_replace_file_at(
                store.descriptor.number, String(decoding: record.name, as: UTF8.self), 0, 1, bytes.baseAddress,
                bytes.count)
        }
        guard result == 0 else {
            throw .notWritten(ErrorNumber(-result))
        }
    }
}
