package import Accounts
package import Base

/// The answer to one call, one reply at a time. A slow client has only one reply waiting, however many follow.
package final class UserDatabaseAnswer {
    package enum Step: Equatable {
        case reply([UInt8])
        /// Nothing yet: others first.
        case later
        case end
    }

    /// Returns the account of a name that has none in the store; nil: the name gets none.
    package typealias Newcomer = ([UInt8], borrowing AccountStore?) -> AccountRecord?

    /// The records to go through, if all are requested.
    private enum Selection {
        case users
        case groups
        case memberships(ofGroup: [UInt8]?)
    }

    /// How many people are looked at before others have their turn: for each passwd(5) and group(5) are read, whatever
    /// their size.
    private static let mostAtOnce = 4

    private let rules: AccountRules
    private var ready: [ByteText] = []
    private var error: UserDatabaseError?
    private var selection: Selection?
    private var names: AccountNames?
    private var isOver = false
    /// Whether the connection is closed after this call.
    package var endsConnection: Bool { error == .notUnderstood }
    /// A fault that the administrator must fix, for the log.
    package private(set) var complaint: ByteText?

    /// Answers `call` of a client with that user id. Without a store, pass nil.
    ///
    /// - Parameters:
    ///   - newcomer: Returns the account of a user who signs in for the first time, if the client may know it.
    package init(
        to call: UserDatabaseCall, of caller: UInt32, in store: borrowing AccountStore?, by rules: AccountRules?,
        newcomer: Newcomer = { _, _ in nil }
    ) {
        self.rules = rules ?? AccountRules()
        guard rules != nil, store != nil else {
            error = .noRecord
            return
        }
        do throws(UserDatabaseError) {
            try begin(call, caller, store, newcomer)
        } catch {
            self.error = error
        }
    }

    /// The error in place of an answer.
    package init(_ error: UserDatabaseError) {
        rules = AccountRules()
        self.error = error
    }

    private func begin(
        _ call: UserDatabaseCall, _ caller: UInt32, _ store: borrowing AccountStore?,
        _ newcomer: Newcomer
    ) throws(UserDatabaseError) {
        let name = call.method == .group ? call.group : call.user
        guard name != nil || call.method != .memberships && call.number != nil else {
            return try enumerate(call, caller, store)
        }
        let record: AccountRecord
        do throws(UserDatabaseError) {
            record = try self.record(name, call.number, store)
        } catch {
            guard error == .noRecord, call.method == .user, call.number == nil, let name, complaint == nil,
                let found = newcomer(name, store)
            else {
                throw error
            }
            record = found
        }
        switch call.method {
        case .user: ready = [userRecord(record, isPrivileged: caller == 0 || caller == record.uid)]
        case .group: ready = [groupRecord(record)]
        case .memberships:
            ready = memberships(of: record).filter { group in call.group.map { wanted in wanted == group } ?? true }
                .map { group in membership(record.name, group) }
            guard let first = ready.first else {
                throw .noRecord
            }
            guard call.wantsMore || ready.count == 1 else {
                ready = [first]
                throw .expectedMore
            }
        }
    }

    private func enumerate(
        _ call: UserDatabaseCall, _ caller: UInt32, _ store: borrowing AccountStore?
    ) throws(UserDatabaseError) {
        guard caller == 0 else {
            // For a group's members, "none from the pool" is a valid answer; a client that must not see them gets an
            // error.
            throw call.method == .memberships && call.group != nil ? .noRecord : .enumerationNotSupported
        }
        guard call.wantsMore else {
            throw .expectedMore
        }
        switch call.method {
        case .user: selection = .users
        case .group: selection = .groups
        case .memberships: selection = .memberships(ofGroup: call.group)
        }
        guard let names = Self.names(of: store) else {
            throw .notAvailable
        }
        self.names = names
    }

    private static func names(of store: borrowing AccountStore?) -> AccountNames? {
        switch store {
        case .some(let store): return try? store.names()
        case .none: return nil
        }
    }

    /// The record of that name, or of that number, if it is answered for; of both, if they are one person's.
    private func record(
        _ name: [UInt8]?, _ number: UInt32?, _ store: borrowing AccountStore?
    ) throws(UserDatabaseError) -> AccountRecord {
        let found: AccountRecord?
        do throws(AccountFault) {
            switch store {
            case .some(let store):
                if let name {
                    found = try store.record(named: name)
                } else if let number {
                    found = try store.record(uid: number)
                } else {
                    found = nil
                }
            case .none: found = nil
            }
        } catch {
            complaint = error.reason(for: name ?? [])
            throw .notAvailable
        }
        guard let found, isAnsweredFor(found) else {
            throw .noRecord
        }
        guard number == nil || number == found.uid else {
            throw .conflicting
        }
        return found
    }

    private func isAnsweredFor(_ record: AccountRecord) -> Bool {
        guard record.state != .forgotten else {
            return false
        }
        guard let objection = rules.objection(to: record) else {
            return true
        }
        complaint = objection.reason(for: record.name)
        return false
    }

    private func memberships(of record: AccountRecord) -> [[UInt8]] {
        // Groups that group_map no longer names do not count, even if the record has not been rewritten since.
        let groups = record.currentGroups.filter(rules.groups.contains)
        guard !groups.isEmpty, let roots = try? rules.local.rootsGroups() else {
            return []
        }
        return groups.filter { group in !roots.contains(group) }
    }

    package func next(in store: borrowing AccountStore?) -> Step {
        guard !isOver else {
            return .end
        }
        if let error {
            isOver = true
            return error == .notUnderstood ? .end : .reply(UserDatabase.reply(error))
        }
        if selection != nil, ready.count < 2 {
            guard goOn(in: store) else {
                return .later
            }
        }
        guard !ready.isEmpty else {
            isOver = true
            return .reply(UserDatabase.reply(.noRecord))
        }
        let parameters = ready.removeFirst()
        isOver = ready.isEmpty
        return .reply(UserDatabase.reply(parameters, continues: !isOver))
    }

    /// Looks at some more people; false: there may be more, and none was found to go on with.
    private func goOn(in store: borrowing AccountStore?) -> Bool {
        for _ in 0..<Self.mostAtOnce {
            guard ready.count < 2 else {
                return true
            }
            guard let name = nextName() else {
                selection = nil
                return true
            }
            if let record = try? record(name, nil, store) {
                add(record)
            }
        }
        return ready.count >= 2
    }

    private func nextName() -> [UInt8]? {
        try? names?.next()
    }

    private func add(_ record: AccountRecord) {
        switch selection {
        case .users: ready.append(userRecord(record, isPrivileged: true))
        case .groups: ready.append(groupRecord(record))
        case .memberships(let group):
            for own in memberships(of: record) where group == nil || group == own {
                ready.append(membership(record.name, own))
            }
        case nil: break
        }
    }
}
