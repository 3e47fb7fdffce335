package import Base
import CLinux

/// Why the store does not say whether there is such an account.
package enum AccountFault: Error, Equatable, Sendable {
    /// The directory is missing (ENOENT), not root's alone (EPERM), or cannot be opened.
    case directory(ErrorNumber)
    /// The file is not one that root owns and only root can write.
    case file(FileFault)
    /// The file is not what this software has written: edited, cut off, of another name or of another version.
    case damaged
}

/// The users who have accounts here: a file of root's for each, by the account's name, and a symbolic link to it by the
/// user id.
///
/// Readers take no lock: files are replaced whole. A link is made before the file that it leads to, and stays. So it
/// reserves the user id for this user, even if the account is removed, until root releases it.
package struct AccountStore: ~Copyable {
    package static let directory: StaticString = "/var/lib/pam-cognito/accounts"

    let descriptor: Descriptor
    let path: String

    /// Opens the store; ENOENT where there is none.
    ///
    /// - Parameter making: Whether to make it then.
    package init(at path: String = AccountStore.defaultPath, making: Bool = false) throws(AccountFault) {
        let opened = unsafe linux_open_directory(path, making ? 0o755 : 0)
        guard let descriptor = Descriptor(owning: opened) else {
            // A file, or a link to a directory, is not root's store.
            throw .directory(opened == -ELOOP || opened == -ENOTDIR ? .notPermitted : ErrorNumber(-opened))
        }
        self.descriptor = descriptor
        self.path = path
    }

    /// The same, for calls that want a C string.
    package static var defaultPath: String { String(decoding: directory.bytes, as: UTF8.self) }

    /// The record of that name, be the account forgotten or not; nil when there is none.
    package func record(named name: [UInt8]) throws(AccountFault) -> AccountRecord? {
        guard AccountName.isPossible(name) else {
            return nil
        }
        let file: [UInt8]
        do throws(FileFault) {
            file = try readTrustedFile(name, in: descriptor.number, limit: AccountRecord.largest)
        } catch {
            guard error != .missing else {
                return nil
            }
            throw .file(error)
        }
        guard let record = AccountRecord(file: file), record.name == name else {
            throw .damaged
        }
        return record
    }

    /// When the record of that name was written last, in milliseconds since the epoch; nil: there is none.
    package func lastChange(of name: [UInt8]) -> Int64? {
        let file: [UInt8] = Array(path.utf8) + [UInt8(ascii: "/")] + name
        let stamp = unsafe linux_file_stamp(String(decoding: file, as: UTF8.self))
        return stamp.inode == 0 ? nil : stamp.seconds * 1000 + stamp.nanoseconds / 1_000_000
    }

    /// Returns the record with that user id; nil if there is none.
    package func record(uid: UInt32) throws(AccountFault) -> AccountRecord? {
        guard let name = try holder(of: uid), let record = try record(named: name), record.uid == uid else {
            return nil
        }
        return record
    }

    /// Returns the name that the user id is reserved for, even if the account was forgotten; nil: it is free.
    package func holder(of uid: UInt32) throws(AccountFault) -> [UInt8]? {
        var target = [CChar](repeating: 0, count: AccountName.longest + 1)
        let length = unsafe linux_read_link_at(descriptor.number, fileName(of: uid), &target, target.count)
        guard length >= 0 else {
            let error = ErrorNumber(-length)
            guard error != .noSuchFileOrDirectory else {
                return nil
            }
            throw error == .invalidArgument ? .file(.notRegular) : .file(.unreadable(error))
        }
        let name = target.prefix(Int(length)).map { character in UInt8(truncatingIfNeeded: character) }
        guard AccountName.isPossible(name) else {
            throw .damaged
        }
        return name
    }

    /// Goes through the names of all files, in no order.
    package func names() throws(AccountFault) -> AccountNames {
        try names(that: AccountName.isPossible)
    }

    private func names(that isWanted: @escaping ([UInt8]) -> Bool) throws(AccountFault) -> AccountNames {
        do throws(ErrorNumber) {
            return AccountNames(try Descriptor(opened: linux_reopen_directory(descriptor.number)), that: isWanted)
        } catch {
            throw .directory(error)
        }
    }

    /// The user ids that are kept for a name, in order.
    package func userIDs(keptFor name: [UInt8]) throws(AccountFault) -> [UInt32] {
        let links = try names { entry in userID(claimed: entry) != nil }
        var found: [UInt32] = []
        while let entry = try links.next() {
            // A link to a name without a record reserves nothing.
            if let uid = userID(claimed: entry), (try? holder(of: uid)) == .some(name) {
                found.append(uid)
            }
        }
        return found.sorted()
    }

    /// The file whose time says when user ids were given back last.
    static var releaseMark: StaticString { ".released" }

    /// When a user id was given back last, in milliseconds since the epoch; nil: never. What has begun before may have
    /// another one for a name without a record.
    package var lastRelease: Int64? { lastChange(of: Self.releaseMark.bytes) }
}

extension AccountRecord {
    /// A file of another owner in a place where programs look for this user's files.
    package var foreignFile: [UInt8]? {
        [
            home, ("/var/mail/" as StaticString).bytes + name,
            ("/var/spool/cron/crontabs/" as StaticString).bytes + name,
        ].first { path in
            var owner: UInt32 = 0
            return unsafe linux_owner(path + [0], &owner) == 1 && owner != uid
        }
    }
}

/// The name of the symbolic link for a user id. No account's name begins with a digit.
func fileName(of uid: UInt32) -> String {
    String(decoding: ("\(uid)" as ByteText).bytes, as: UTF8.self)
}

/// The names in a store, a few at a time: as much memory for ten thousand people as for one.
package final class AccountNames {
    private let descriptor: Descriptor
    private let isWanted: ([UInt8]) -> Bool
    private var ready: [[UInt8]] = []

    fileprivate init(_ descriptor: consuming Descriptor, that isWanted: @escaping ([UInt8]) -> Bool) {
        self.descriptor = descriptor
        self.isWanted = isWanted
    }

    /// The next one; nil: there are no more.
    package func next() throws(AccountFault) -> [UInt8]? {
        while ready.isEmpty {
            let names: [[UInt8]]
            do throws(ErrorNumber) {
                names = try nextNames(in: descriptor)
            } catch {
                throw .directory(error)
            }
            guard !names.isEmpty else {
                return nil
            }
            ready = names.filter(isWanted)
        }
        return ready.popLast()
    }
}
