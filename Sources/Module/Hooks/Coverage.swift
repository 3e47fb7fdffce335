package import Base
package import Configuration
package import Sessions

/// Whether an account of this machine is Cognito's: decided before a prompt, a process or a packet.
///
/// A pool in which people can register themselves lets a stranger be called `ubuntu`; so only accounts that the administrator
/// named are covered, and none that this machine has a password for, be it a locked one, unless it is listed by name. And those
/// that this machine has from the pool alone (`accounts`).
package enum Coverage: Equatable {
    case covered(Account)
    /// Somebody else's business; why, for the log.
    case notCovered
    /// No such account on this machine, or no name that an account can have.
    case unknown

    /// Whether `name` could be an account's at all: UTF-8 without control characters, blanks or slashes.
    package static func isPossibleName(_ name: [UInt8]) -> Bool {
        !name.isEmpty && name.count <= 128 && isPrintableUTF8(name[...])
            && !name.contains { byte in byte == UInt8(ascii: "/") || byte == 0x20 || byte == 0x09 }
    }

    /// Decides for `name`.
    package static func of(
        _ name: [UInt8],
        account: Account?,
        settings: Settings,
        on machine: some Machine
    ) throws(Fault) -> Coverage {
        guard let account, isPossibleName(name) else {
            return .unknown
        }
        guard account.uid != 0, account.uid >= settings.minimumUID else {
            return .notCovered
        }
        // Nobody but Cognito's people has an account of ours.
        if try machine.ownAccount(name, account, settings) != nil {
            return .covered(account)
        }
        if settings.users.contains(name) {
            return .covered(account)
        }
        // Whoever locks an account's password (passwd -l) closes the account, and does not open it to Cognito.
        guard let group = settings.unixGroup, !account.hasUsablePassword, !account.hasLockedPassword else {
            return .notCovered
        }
        guard let member = try machine.isMember(name, account, of: group) else {
            throw Fault(
                """
                unix_group names \(quoting: group), which is no group of this machine; Cognito accounts cannot sign in \
                until it is made or the configuration names another
                """)
        }
        return member ? .covered(account) : .notCovered
    }
}
