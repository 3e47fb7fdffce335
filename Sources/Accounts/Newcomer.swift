package import Configuration

// Users who sign in for the first time, with accounts = sign-in: a login looks up the name before the user has proved
// anything, and keeps that answer.

extension AccountStore {
    /// How many people one name may have been of on this machine, one after the other.
    private static let mostBefore = 16

    /// Returns the account for a user who signs in under the name for the first time, which the name and the pool alone
    /// decide; nil: the name gets no account, or has one. `sub` is filled in later.
    package func newcomer(
        named name: [UInt8], _ settings: Settings, by rules: AccountRules
    ) throws(AccountRefusal) -> AccountRecord? {
        guard AccountName.isPossible(name), AccountName.isLetTry(name, by: settings) else {
            return nil
        }
        let existing = try AccountRefusal.unlessFault { () throws(AccountFault) in try record(named: name) }
        guard existing == nil || existing?.state == .forgotten else {
            return nil
        }
        var newcomer = AccountRecord(name: name, subject: [UInt8(ascii: "-")], source: .signIn, settings: settings)
        newcomer.uid = try unusedUserID(of: name, settings, isForgotten: existing != nil)
        if let objection = rules.objection(to: newcomer) ?? rules.objection(toNewUserID: newcomer.uid) {
            throw objection
        }
        return newcomer
    }

    /// Returns the user id for the next user of the name. Earlier users of the name, who were forgotten, keep theirs.
    private func unusedUserID(
        of name: [UInt8], _ settings: Settings, isForgotten: Bool
    ) throws(AccountRefusal) -> UInt32 {
        for before in 0..<Self.mostBefore {
            let identity = name + [UInt8](repeating: 0, count: before)
            let uid = settings.accountUIDs.userID(of: identity, inPool: settings.userPoolID)
            let holder = try AccountRefusal.unlessFault { () throws(AccountFault) in try self.holder(of: uid) }
            guard let holder else {
                return uid
            }
            guard holder == name else {
                throw .taken(uid, by: holder)
            }
            // Without a record, the id was reserved for an account that was never finished.
            if !isForgotten {
                return uid
            }
        }
        throw .outOfRange(settings.accountUIDs.highest)
    }
}

extension AccountName {
    /// Whether a user who signs in under that name for the first time gets an account.
    package static func isLetTry(_ name: [UInt8], by settings: Settings) -> Bool {
        settings.accounts == .signIn && settings.accountNames.contains { pattern in fits(name, pattern) }
    }
}
