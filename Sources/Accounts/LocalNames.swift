package import Base
import CLinux

/// The users, groups and ids in this machine's own files. They take precedence over accounts from the pool.
package struct LocalNames: Sendable {
    private let passwd: String
    private let group: String
    private let subordinate: [String]

    /// passwd(5), group(5), subuid(5) and subgid(5).
    package init(
        passwd: String = "/etc/passwd", group: String = "/etc/group",
        subordinate: [String] = ["/etc/subuid", "/etc/subgid"]
    ) {
        self.passwd = passwd
        self.group = group
        self.subordinate = subordinate
    }

    /// Something of this machine's in an account's way.
    package enum Conflict: Equatable, Sendable {
        case user
        case group
        /// The user that has the user id.
        case userID(of: [UInt8])
        /// The group that has it as its group id.
        case groupID(of: [UInt8])
    }

    /// Returns the local user or group that conflicts with an account called `name` with the user and group id `uid`;
    /// nil: none.
    package func conflict(with name: [UInt8], _ uid: UInt32) throws(ErrorNumber) -> Conflict? {
        let user = try find(name, uid, in: passwd)
        if user.hasName { return .user }
        let group = try find(name, uid, in: self.group)
        if group.hasName { return .group }
        if let owner = user.owner { return .userID(of: owner) }
        return group.owner.map { owner in .groupID(of: owner) }
    }

    /// Whether there is a user here of that user id.
    package func hasUser(_ uid: UInt32) throws(ErrorNumber) -> Bool {
        try find([], uid, in: passwd).owner != nil
    }

    /// Whether there is such a group here, and it is root's by its id.
    package func isRootsGroup(_ name: [UInt8]) throws(ErrorNumber) -> Bool {
        try find(name, 0, in: group).isSameLine
    }

    /// The groups here that are root's by their id, read once for whatever names are to be compared.
    package func rootsGroups() throws(ErrorNumber) -> [[UInt8]] {
        var names = [CChar](repeating: 0, count: 4096)
        let used = unsafe linux_find_names(group, 0, &names, names.count)
        return names.prefix(Int(try ErrorNumber.check(used))).split(separator: 0).map { name in
            name.map { character in UInt8(truncatingIfNeeded: character) }
        }
    }

    /// Whether there is such a group here at all.
    package func hasGroup(_ name: [UInt8]) throws(ErrorNumber) -> Bool {
        try find(name, 0, in: group).hasName
    }

    /// Returns the files that give something to that name although it is not a local user: groups with it as a member,
    /// and subordinate ids.
    package func grants(to name: [UInt8]) throws(ErrorNumber) -> [[UInt8]] {
        var files: [[UInt8]] = []
        if try find(name, 0, in: group).isMember {
            files.append(Array(group.utf8))
        }
        for path in subordinate {
            do throws(ErrorNumber) {
                if try find(name, 0, in: path).hasName {
                    files.append(Array(path.utf8))
                }
            } catch .noSuchFileOrDirectory {}
        }
        return files
    }

    /// Returns the owner of the subordinate ids (subuid(5), subgid(5)) that contain a number, and the file; nil: there
    /// is none.
    package func subordinateOwner(of id: UInt32) throws(ErrorNumber) -> (owner: [UInt8], file: [UInt8])? {
        for path in subordinate {
            var owner = [CChar](repeating: 0, count: AccountName.longest + 1)
            let found = unsafe linux_find_share(path, id, &owner, owner.count)
            guard found >= 0 || ErrorNumber(-found) == .noSuchFileOrDirectory else {
                throw ErrorNumber(-found)
            }
            if found == 1 {
                let name = owner.prefix { character in character != 0 }
                return (name.map { character in UInt8(truncatingIfNeeded: character) }, Array(path.utf8))
            }
        }
        return nil
    }

    private func find(
        _ name: [UInt8], _ number: UInt32, in path: String
    ) throws(ErrorNumber) -> (hasName: Bool, owner: [UInt8]?, isSameLine: Bool, isMember: Bool) {
        var owner = [CChar](repeating: 0, count: AccountName.longest + 1)
        let found = try ErrorNumber.check(unsafe linux_find_entry(path, name + [0], number, &owner, owner.count))
        let holder = owner.prefix { character in character != 0 }.map { character in
            UInt8(truncatingIfNeeded: character)
        }
        return (
            found & CInt(LINUX_HAS_NAME) != 0, found & CInt(LINUX_HAS_ID) != 0 ? holder : nil,
            found & CInt(LINUX_HAS_BOTH) != 0, found & CInt(LINUX_HAS_MEMBER) != 0
        )
    }
}
