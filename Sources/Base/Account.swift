import CLinux

/// A local account, as NSS knows it.
package struct Account: Equatable, Sendable {
    package let uid: UInt32
    package let gid: UInt32
    /// Whether a password of this machine opens it.
    package let hasUsablePassword: Bool
    /// Whether one would, if it were not locked (passwd(1), -l): then the account is closed.
    package let hasLockedPassword: Bool

    /// The account's entry in shadow(5).
    package let shadow: ShadowEntry

    /// An account by its parts.
    package init(
        uid: UInt32, gid: UInt32, hasUsablePassword: Bool, hasLockedPassword: Bool = false,
        shadow: ShadowEntry = .notAsked
    ) {
        self.uid = uid
        self.gid = gid
        self.hasUsablePassword = hasUsablePassword
        self.hasLockedPassword = hasLockedPassword
        self.shadow = shadow
    }

    /// Looks up the account of exactly that name (getpwnam_r(3)); nil when there is none.
    package static func named(_ name: [UInt8]) throws(ErrorNumber) -> Account? {
        guard !name.isEmpty, !name.contains(0) else {
            return nil
        }
        var found = linux_account_t()
        guard try ErrorNumber.check(unsafe linux_account(name + [0], &found)) == 1 else {
            return nil
        }
        return Account(
            uid: found.uid, gid: found.gid, hasUsablePassword: found.usable_password != 0,
            hasLockedPassword: found.locked_password != 0, shadow: ShadowEntry(found))
    }

    /// Whether the account called `name` is in the group called `group`; nil when there is no such group.
    package func isMember(_ name: [UInt8], of group: [UInt8]) throws(ErrorNumber) -> Bool? {
        guard !group.isEmpty, !group.contains(0), !name.contains(0) else {
            return nil
        }
        do throws(ErrorNumber) {
            return try ErrorNumber.check(unsafe linux_is_member(name + [0], gid, group + [0])) == 1
        } catch .noSuchFileOrDirectory {
            return nil
        }
    }
}
