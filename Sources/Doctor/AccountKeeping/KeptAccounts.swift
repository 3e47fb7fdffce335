package import Accounts
internal import Base
package import Commands
internal import Messages
internal import Tokens

/// The records of accounts from the pool, as root sees and changes them.
package struct KeptAccounts {
    package enum KeptEntry: Equatable {
        case record(AccountRecord)
        /// There is a file of that name, which is not believed.
        case damaged([UInt8])

        var name: [UInt8] {
            switch self {
            case .record(let record): record.name
            case .damaged(let name): name
            }
        }
    }

    private let path: String
    private let local: LocalNames
    private let root: String

    /// Those in a store, and what this machine has of its own; homes, mail and jobs are below `root`.
    package init(at path: String = AccountStore.defaultPath, local: LocalNames = LocalNames(), root: String = "") {
        self.path = path
        self.local = local
        self.root = root
    }

    /// All of them, by name; the forgotten ones, too.
    package func all() throws(Refusal) -> [KeptEntry] {
        var entries: [KeptEntry] = []
        do throws(AccountFault) {
            let store = try AccountStore(at: path)
            let names = try store.names()
            while let name = try names.next() {
                if let record = try? store.record(named: name) {
                    entries.append(.record(record))
                } else {
                    entries.append(.damaged(name))
                }
            }
        } catch .directory(.noSuchFileOrDirectory) {
            return []
        } catch {
            throw Refusal(.fault, AccountWording.cannotRead(printable(error.reason(for: []).bytes)))
        }
        return entries.sorted { left, right in left.name.lexicographicallyPrecedes(right.name) }
    }

    package func entry(named name: String) throws(Refusal) -> KeptEntry {
        let bytes = Array(name.utf8)
        do throws(AccountFault) {
            if let record = try AccountStore(at: path).record(named: bytes) {
                return .record(record)
            }
        } catch .directory(.noSuchFileOrDirectory) {
            // There are no records.
        } catch {
            guard case .directory = error else { return .damaged(bytes) }
            throw Refusal(.fault, AccountWording.cannotRead(printable(error.reason(for: bytes).bytes)))
        }
        throw Refusal(.none, AccountWording.unknown(printable(name)))
    }

    /// Locks, opens or forgets one; what is said of it.
    package func set(_ state: AccountRecord.State, of name: String, at time: Int64) throws(Refusal) -> String {
        let entry = try entry(named: name)
        let bytes = Array(name.utf8)
        do throws(AccountRefusal) {
            let writer = try AccountWriter(at: path)
            guard case .record(let record) = entry, record.state != .forgotten else {
                guard state == .forgotten, case .damaged = entry else {
                    throw .unknown
                }
                try writer.removeDamaged(bytes)
                return AccountWording.done(removed: name)
            }
            switch state {
            case .enabled:
                return try writer.open(bytes, at: time) == .enabled
                    ? AccountWording.done(unlocked: name) : AccountWording.done(waiting: name)
            case .barred, .locked:
                _ = try writer.set(state, of: bytes, at: time)
                return AccountWording.done(locked: name) + granted(bytes)
            case .forgotten:
                _ = try writer.set(state, of: bytes, at: time)
                return AccountWording.done(forgotten: name, record.uid, home: printable(record.home))
                    // It is one of those that this machine's own users get, and no file says that it is taken.
                    + (record.source == .adopted ? AccountWording.mayBeReused(record.uid) : "") + granted(bytes)
            }
        } catch .unknown {
            throw Refusal(.none, AccountWording.unknown(printable(name)))
        } catch {
            throw Refusal(.fault, AccountWording.cannotWrite(printable(error.reason(for: bytes).bytes)))
        }
    }

    /// Gives back the user ids that are kept for a name, if nothing has them any more; what is said of it.
    package func releaseUserIDs(of name: String) throws(Refusal) -> String {
        let bytes = Array(name.utf8)
        let (record, uids) = try kept(for: bytes)
        guard !uids.isEmpty else {
            throw Refusal(.none, AccountWording.nothingKept(printable(name)))
        }
        if let record, record.state != .forgotten {
            throw Refusal(.fault, AccountWording.stillHas(record.uid, account: printable(name)))
        }
        let uses = UserIDUses(local: local, root: root)
        let homes = [record?.home, ("/home/" as StaticString).bytes + bytes].compactMap(\.self)
        for uid in uids {
            // The next user of the name would get what these give to it: no record says then that there was another
            // one.
            try uses.refuse(uid, named: bytes)
            try uses.refuse(uid, homes)
        }
        do throws(AccountRefusal) {
            // Only now, since sign-ins wait for it.
            try AccountWriter(at: path).release(uids, of: bytes, with: record)
        } catch {
            throw Refusal(.fault, AccountWording.cannotWrite(printable(error.reason(for: bytes).bytes)))
        }
        let numbers = uids.map { uid in "\(uid)" }.joined(separator: ", ")
        return AccountWording.done(released: numbers, of: printable(name))
    }

    private func kept(for name: [UInt8]) throws(Refusal) -> (AccountRecord?, [UInt32]) {
        do throws(AccountFault) {
            let store = try AccountStore(at: path)
            return (try store.record(named: name), try store.userIDs(keptFor: name))
        } catch .directory(.noSuchFileOrDirectory) {
            return (nil, [])
        } catch {
            throw Refusal(.fault, AccountWording.cannotWrite(printable(error.reason(for: name).bytes)))
        }
    }

    /// What is said of this machine's own files that grant something to that name.
    private func granted(_ name: [UInt8]) -> String {
        let files = (try? local.grants(to: name)) ?? []
        return files.isEmpty
            ? "" : AccountWording.granted(printable(name), in: files.map(printable).joined(separator: ", "))
    }
}
