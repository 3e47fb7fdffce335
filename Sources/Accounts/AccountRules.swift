package import Base
package import Configuration

/// The rules for names and user ids of accounts from the pool on this machine.
package struct AccountRules: Sendable {
    package let range: UserIDRange
    /// Names of Unix groups that the configuration gives a meaning.
    package let groups: [[UInt8]]
    /// The machine's own users and groups.
    package let local: LocalNames
    /// Whether the account replaces a local user. The caller makes sure that no other local user is in the way.
    let replacesLocalUser: Bool

    /// The rules by their parts.
    package init(
        range: UserIDRange = .default, groups: [[UInt8]] = [], local: LocalNames = LocalNames(),
        replacingLocalUser: Bool = false
    ) {
        self.range = range
        self.groups = groups
        self.local = local
        replacesLocalUser = replacingLocalUser
    }

    /// Returns the reason why a user must not get an account under a name that another user had before; nil: the user
    /// may.
    func objection(toSuccessorCalled name: [UInt8]) -> AccountRefusal? {
        // Root has given that user of this machine's what they have.
        if replacesLocalUser {
            return nil
        }
        do throws(ErrorNumber) {
            let files = try local.grants(to: name)
            return files.isEmpty ? nil : .granted(in: files)
        } catch {
            return .unreadable(error)
        }
    }

    /// Why there must not be such an account; nil: there may.
    package func objection(to record: AccountRecord) -> AccountRefusal? {
        if let mistake = record.mistake {
            return .mistake(mistake)
        }
        if AccountName.isDistributions(record.name) {
            return .distributions
        }
        if groups.contains(record.name) {
            return .configuredGroup
        }
        // Root has handed that over with the user id that it had.
        guard record.source == .adopted || range.contains(record.uid) else {
            return .outOfRange(record.uid)
        }
        if replacesLocalUser {
            return nil
        }
        do throws(ErrorNumber) {
            return try local.conflict(with: record.name, record.uid).map { conflict in .local(conflict, record.uid) }
        } catch {
            return .unreadable(error)
        }
    }
}

extension AccountRules {
    /// Why there must not be such an account from now on; nil: there may.
    ///
    /// - Parameters:
    ///   - existing: What there is under that name.
    ///   - others: What other sources of names say.
    package func objection(
        toEntering record: AccountRecord, inPlaceOf existing: AccountRecord?, _ others: SourceAnswer
    ) -> AccountRefusal? {
        let isTheirs =
            existing.map { existing in existing.isSamePerson(as: record) && existing.uid == record.uid } ?? false
        let isOpen = isTheirs && (existing?.state == .enabled || existing?.state == .barred)
        return objection(to: record) ?? others.objection(to: record, isOpen: isOpen)
            // The user id of a forgotten account has not been watched since.
            ?? (isTheirs && existing?.state != .forgotten ? nil : objection(toNewUserID: record.uid))
    }

    /// Returns the reason why a new account cannot get that user id: another user's processes may have it.
    func objection(toNewUserID uid: UInt32) -> AccountRefusal? {
        guard !replacesLocalUser else {
            return nil
        }
        do throws(ErrorNumber) {
            return try local.subordinateOwner(of: uid).map { one in .subordinate(uid, of: one.owner, in: one.file) }
        } catch {
            return .unreadable(error)
        }
    }
}

/// The reason why a user gets no account here, or why an account is not shown.
package enum AccountRefusal: Error, Equatable, Sendable {
    /// That field has an invalid value.
    case mistake(StaticString)
    /// The name is a distribution's for a user or group of its own.
    case distributions
    /// The name is a group's of the configuration.
    case configuredGroup
    /// This machine's own users and groups win.
    case local(LocalNames.Conflict, UInt32)
    /// Another source of nsswitch.conf(5) has that, and the account that user id.
    case elsewhere(KnownElsewhere, UInt32)
    /// That source did not answer; an empty name: the program that asks the sources failed.
    case silent([UInt8])
    /// By that file, another user's processes may have that user id.
    case subordinate(UInt32, of: [UInt8], in: [UInt8])
    case outOfRange(UInt32)
    /// The account of that name belongs to another user.
    case otherPerson(AccountRecord)
    /// These files give the previous user's groups or subordinate ids to the new user of that name.
    case granted(in: [[UInt8]])
    /// The user id is kept for that name.
    case taken(UInt32, by: [UInt8])
    /// There is no such account.
    case unknown
    /// Another process is writing.
    case busy
    /// /etc/passwd or /etc/group.
    case unreadable(ErrorNumber)
    case fault(AccountFault)
    case notWritten(ErrorNumber)

    package static func == (one: AccountRefusal, other: AccountRefusal) -> Bool {
        one.reason(for: []) == other.reason(for: [])
    }

    /// Returns one line for the log: the obstacle to an account called `name`, and its fix.
    package func reason(for name: [UInt8]) -> ByteText {
        switch self {
        case .mistake(let field):
            "the '\(field)' field of the account \(quoting: name) has an invalid value"
        case .distributions:
            """
            \(quoting: name) is a name that distributions use for a system user or group. Rename the user in the pool
            """
        case .configuredGroup:
            "\(quoting: name) is the name of a group in unix_group or group_map. Rename the user in the pool"
        case .local(let conflict, let uid): Self.reason(conflict, name, uid)
        case .elsewhere(let known, let uid): Self.reason(known, name, uid)
        case .silent(let source):
            """
            \(source.isEmpty ? "another source" : ByteText(source)) (nsswitch.conf) does not answer, so it is unknown \
            whether that source has a user \(quoting: name). The user cannot sign in until the source answers. Check \
            that the source is running, or remove the source from nsswitch.conf
            """
        case .subordinate(let uid, let owner, let file):
            """
            the user id \(uid) of \(quoting: name) is also a subordinate id of \(quoting: owner) (\(file)), so \
            processes of \(quoting: owner) can use the id. Choose a different range for account_uids
            """
        case .outOfRange(let uid):
            """
            the user id \(uid) of \(quoting: name) is outside account_uids. Extend account_uids, or change the user \
            id in the pool
            """
        case .otherPerson(let record):
            """
            the account \(quoting: name) belongs to another user (sub \(quoting: record.subject), user pool \
            \(quoting: record.pool)); \
            'cognito-session accounts --forget \(name)' removes the account, and the new account gets another user id
            """
        case .granted(let files):
            """
            \(quoting: name) was the name of an earlier user, and \(list: files) would give that user's groups or \
            subordinate ids to the new user. Remove the name from these files, or use another name in the pool
            """
        case .taken(let uid, let holder):
            """
            the user id \(uid) of \(quoting: name) is reserved for \(quoting: holder). To avoid conflicts between user \
            ids, set a larger range in account_uids on all machines before accounts are created
            """
        case .unknown: "there is no account \(quoting: name) in \(AccountStore.directory)"
        case .busy: "\(quoting: name) was not written, because another process is writing account records. Try again"
        case .unreadable(let error):
            """
            /etc/passwd, /etc/group, /etc/subuid or /etc/subgid cannot be read (errno \(error.code)), so \
            \(quoting: name) cannot get an account yet
            """
        case .fault(let fault): fault.reason(for: name)
        case .notWritten(let error):
            """
            \(quoting: name) cannot be written to \(AccountStore.directory) (errno \(error.code)). Check whether the \
            disk is full or read-only
            """
        }
    }

    private static func reason(_ known: KnownElsewhere, _ name: [UInt8], _ uid: UInt32) -> ByteText {
        let source = known.source
        return switch known.conflict {
        case .user:
            """
            \(source) (nsswitch.conf) has a user \(quoting: name), who takes precedence. Rename the user in the pool
            """
        case .group:
            """
            \(source) (nsswitch.conf) has a group \(quoting: name), which takes precedence. Rename the user in the pool
            """
        case .userID(let owner):
            """
            \(source) (nsswitch.conf) has a user \(quoting: owner) with the user id \(uid), which is also the \
            user id of \(quoting: name). Exclude the user ids of that source from account_uids
            """
        case .groupID(let owner):
            """
            \(source) (nsswitch.conf) has a group \(quoting: owner) with the group id \(uid), which is also \
            the group id of \(quoting: name). Exclude the group ids of that source from account_uids
            """
        }
    }

    private static func reason(_ conflict: LocalNames.Conflict, _ name: [UInt8], _ uid: UInt32) -> ByteText {
        switch conflict {
        case .user:
            """
            \(quoting: name) is a local user (/etc/passwd), and local users take precedence. Remove the local user, or \
            use another name in the pool
            """
        case .group:
            """
            \(quoting: name) is a local group (/etc/group), and local groups take precedence. Rename the user in the \
            pool
            """
        case .userID(let owner):
            """
            the user id \(uid) of \(quoting: name) already belongs to the local user \(quoting: owner). Change the \
            local user's id, and assign the user's files to the new id
            """
        case .groupID(let owner):
            """
            the group id \(uid) of \(quoting: name) already belongs to the local group \(quoting: owner). Change the \
            local group's id, and assign the group's files to the new id
            """
        }
    }
}

extension AccountRefusal {
    /// What `body` gets from the store, whose faults are refusals.
    package static func unlessFault<R: ~Copyable>(
        _ body: () throws(AccountFault) -> R
    ) throws(AccountRefusal) -> R {
        do throws(AccountFault) {
            return try body()
        } catch {
            throw .fault(error)
        }
    }
}

extension AccountFault {
    /// Returns one line for the log: the fault in the record of `name`, and its fix.
    package func reason(for name: [UInt8]) -> ByteText {
        switch self {
        case .directory(.noSuchFileOrDirectory):
            "\(AccountStore.directory) does not exist, and neither does the account \(quoting: name)"
        case .directory(.notPermitted):
            """
            \(AccountStore.directory) is not trusted: the directory must belong to root and be writable only by root \
            (0755)
            """
        case .directory(let error): "\(AccountStore.directory) cannot be read (errno \(error.code))"
        case .file(let fault):
            """
            \(AccountStore.directory)/\(name) is not trusted: \(fault.word). The file must belong to root and be \
            writable only by root. 'cognito-session accounts --forget \(name)' removes the record
            """
        case .damaged:
            """
            \(AccountStore.directory)/\(name) is not trusted: the file was edited, is truncated or was written by \
            another version. 'cognito-session accounts --forget \(name)' removes the record
            """
        }
    }
}

extension FileFault {
    fileprivate var word: StaticString {
        switch self {
        case .missing: "it is missing"
        case .notRegular: "the file is not a regular file"
        case .wrongOwner: "it is not owned by root"
        case .writableByOthers: "users other than root can write to it"
        case .readableByOthers: "users other than root can read it"
        case .tooLarge: "it is too large"
        case .unreadable: "it cannot be read"
        case .outOfMemory: "this machine has too little memory"
        }
    }
}
