import Accounts
import Base
import CLinux
import Glibc
import Sessions

/// A user of passwd(5).
struct LocalUser: Equatable {
    var uid: UInt32
    var gid: UInt32
    /// The first part of the comment field.
    var realName: [UInt8]
    var home: [UInt8]
    var shell: [UInt8]
}

/// The files of this machine's own users and groups, while no other program writes to them (lckpwdf(3)).
struct LocalUsers: ~Copyable {
    private let folder: String
    private let lock: Descriptor
    private let passwd: UserFile
    private let group: UserFile

    /// Those in /etc, or in another folder.
    init(in folder: String = "/etc") throws(Fault) {
        let number = unsafe linux_lock_byte(folder, ".pwd.lock", 0, 15_000)
        guard let lock = Descriptor(owning: number) else {
            throw Fault(
                """
                \(text: folder)/.pwd.lock is locked by another program (errno \(-number)). Try again when that \
                program has finished
                """
            )
        }
        let passwd = try UserFile("\(folder)/passwd")
        let group = try UserFile("\(folder)/group")
        self.folder = folder
        self.lock = lock
        self.passwd = passwd
        self.group = group
    }

    /// The user called `name`, where there is one.
    func user(_ name: [UInt8]) throws(Fault) -> LocalUser? {
        let lines = passwd.lines(of: name)
        guard let fields = lines.first else {
            return nil
        }
        guard lines.count == 1, fields.count == 7, let uid = userID(claimed: fields[2]),
            let gid = userID(claimed: fields[3])
        else {
            throw Fault(
                """
                \(quoting: name) does not have exactly one line with seven fields in \(text: folder)/passwd; see \
                pwck(8)
                """)
        }
        let realName = fields[4].prefix { byte in byte != UInt8(ascii: ",") }
        return LocalUser(uid: uid, gid: gid, realName: Array(realName), home: fields[5], shell: fields[6])
    }

    /// What keeps the user from having an account with the same numbers that is in none of these files; nil: nothing.
    func objection(to user: LocalUser, called name: [UInt8]) -> ByteText? {
        let others = passwd.names { fields in fields.count > 2 && userID(claimed: fields[2]) == user.uid }
        if let other = others.first(where: { other in other != name }) {
            return """
                the user shares the user id \(user.uid) with \(quoting: other), who would own the user's files after \
                the adoption
                """
        }
        let namesakes = group.names { fields in fields.count > 2 && userID(claimed: fields[2]) == user.uid }
        if let other = namesakes.first(where: { other in other != name }) {
            return """
                the user needs the group id \(user.uid), which belongs to the group \(quoting: other): change the id \
                of that group
                """
        }
        guard user.gid == user.uid else {
            return """
                the user has the group id \(user.gid) instead of a group id equal to the user id: run groupadd -g \
                \(user.uid) \(name), then usermod -g \(name) \(name), which also changes the group of the files in \
                the home directory
                """
        }
        let members = group.lines(of: name).flatMap { fields in
            fields.count > 3 ? fields[3].split(separator: UInt8(ascii: ",")).map(Array.init) : []
        }
        if let other = members.first(where: { member in member != name }) {
            return
                """
                the user has a private group with the additional member \(quoting: other), but the group would be \
                removed: run gpasswd -d \(quoting: other) \(name)
                """
        }
        return nil
    }

    /// The groups that go on to name the user as a member.
    func groups(of name: [UInt8]) -> [[UInt8]] {
        group.names { fields in
            fields.count > 3 && fields[0] != name
                && fields[3].split(separator: UInt8(ascii: ",")).contains { member in Array(member) == name }
        }
    }

    /// Removes the user, and the group of that name, from all four files. Copies of the earlier files are kept beside
    /// them, as other programs do (`passwd-`). The password is removed first, so that it opens nothing while the user
    /// still exists. The user is removed last, so that the next run finds it if this one is interrupted.
    func remove(_ name: [UInt8]) throws(Fault) {
        for file in ["shadow", "gshadow"] where unsafe access("\(folder)/\(file)", F_OK) == 0 {
            try UserFile("\(folder)/\(file)").remove(name)
        }
        try group.remove(name)
        try passwd.remove(name)
    }
}

/// A file of lines with fields that are separated by colons, a name in front.
private final class UserFile {
    private let path: String
    private let file: Descriptor
    private let bytes: [UInt8]

    init(_ path: String) throws(Fault) {
        self.path = path
        guard let file = Descriptor(owning: unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)) else {
            throw Fault("\(text: path) cannot be read (errno \(errno))")
        }
        var status = stat()
        guard unsafe fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & 0o022 == 0
        else {
            throw Fault(
                """
                \(text: path) was not changed: the file must be a regular file that belongs to root and is writable \
                only by root
                """)
        }
        do throws(ErrorNumber) {
            bytes = try readRest(file.number)
        } catch {
            throw Fault("\(text: path) cannot be read (errno \(error.code))")
        }
        self.file = file
    }

    private static func fields(_ line: ArraySlice<UInt8>) -> [[UInt8]] {
        line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map(Array.init)
    }

    /// The lines of that name, by their fields.
    func lines(of name: [UInt8]) -> [[[UInt8]]] {
        bytes.split(separator: 0x0a).map(Self.fields).filter { fields in fields[0] == name }
    }

    /// Whose lines are so.
    func names(_ isSo: ([[UInt8]]) -> Bool) -> [[UInt8]] {
        bytes.split(separator: 0x0a).map(Self.fields).filter(isSo).map { fields in fields[0] }
    }

    /// Takes the lines of that name out.
    func remove(_ name: [UInt8]) throws(Fault) {
        var kept: [UInt8] = []
        for line in bytes.split(separator: 0x0a, omittingEmptySubsequences: false).dropLast(bytes.last == 0x0a ? 1 : 0)
        where Self.fields(line)[0] != name {
            kept += line + [0x0a]
        }
        guard kept != bytes else {
            return
        }
        try put(bytes, at: path + "-")
        try put(kept, at: path)
    }

    /// Puts a file with the owner and mode of this one there, whole or not at all.
    private func put(_ text: [UInt8], at place: String) throws(Fault) {
        var name = Array("\(place).XXXXXX".utf8CString)
        let number = unsafe mkstemp(&name)
        guard let draft = Descriptor(owning: number) else {
            throw Fault(
                "\(text: place) cannot be written (errno \(errno)). Check whether the disk is full or read-only")
        }
        do throws(ErrorNumber) {
            try writeAll(text, to: draft.number)
            try ErrorNumber.check(linux_copy_attributes(file.number, draft.number))
            guard fsync(draft.number) == 0, unsafe rename(name, place) == 0 else {
                throw ErrorNumber(errno)
            }
        } catch {
            unsafe unlink(name)
            throw Fault(
                "\(text: place) cannot be written (errno \(error.code)). Check whether the disk is full or read-only")
        }
    }
}

extension ByteText.StringInterpolation {
    /// A path from the program itself.
    fileprivate mutating func appendInterpolation(text: String) {
        appendInterpolation(ByteText(Array(text.utf8)))
    }
}
