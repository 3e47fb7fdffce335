internal import Base
internal import CLinux
internal import Commands
internal import Glibc
internal import Messages

/// Why a file was not changed, for a person.
struct MendFault: Error {
    let why: String

    init(_ why: String) {
        self.why = why
    }

    fileprivate init(_ path: String, _ error: Int32) {
        why = DoctorWording.mendFailed(path, reason(error))
    }
}

/// A file of root's that is exchanged in one step for one with another text and the same owner, mode and extended attributes,
/// access control lists among them (acl(5)).
final class FileExchange {
    /// What stands in it.
    let text: String
    /// A file beside it that is to take its place.
    let draft: String
    /// Where it is.
    let path: String
    private let file: Descriptor
    private let status: stat

    /// Opens a plain file that is root's alone to write, has one name, and has no link on the way to it.
    init(_ path: String) throws(MendFault) {
        self.path = path
        let resolved = unsafe realpath(path, nil)
        defer { unsafe free(resolved) }
        guard let resolved = unsafe resolved else {
            throw MendFault(path, errno)
        }
        guard unsafe String(cString: resolved) == path else {
            throw MendFault(DoctorWording.mendLink(path))
        }
        guard let file = Descriptor(owning: unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)) else {
            throw MendFault(path, errno)
        }
        var status = stat()
        guard unsafe fstat(file.number, &status) == 0 else {
            throw MendFault(path, errno)
        }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else {
            throw MendFault(DoctorWording.mendLink(path))
        }
        guard status.st_uid == 0, status.st_mode & 0o022 == 0 else {
            throw MendFault(DoctorWording.mendUnsafe(path))
        }
        guard let bytes = try? readRest(file.number), let text = String(validating: bytes, as: UTF8.self) else {
            throw MendFault(DoctorWording.mendNoText(path))
        }
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        var name = Array("\(path[..<slash])/.\(path[slash...].dropFirst()).XXXXXX".utf8CString)
        let draft = unsafe mkstemp(&name)
        guard draft >= 0 else {
            throw MendFault(path, errno)
        }
        close(draft)
        self.draft = String(
            decoding: name.dropLast().map { letter in UInt8(truncatingIfNeeded: letter) }, as: UTF8.self)
        self.text = text
        self.file = file
        self.status = status
    }

    deinit {
        unsafe unlink(draft)
    }

    /// Puts `text` into the draft, and gives it all that the file has beside its own.
    func write(_ text: String) throws(MendFault) {
        guard let descriptor = Descriptor(owning: unsafe open(draft, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC))
        else {
            throw MendFault(path, errno)
        }
        do throws(ErrorNumber) {
            try writeAll(Array(text.utf8), to: descriptor.number)
        } catch {
            throw MendFault(path, error.code)
        }
        let copied = linux_copy_attributes(file.number, descriptor.number)
        guard copied == 0, fsync(descriptor.number) == 0 else {
            throw MendFault(path, copied < 0 ? -copied : errno)
        }
    }

    /// The difference between both, as diff(1) shows it.
    var difference: String {
        let command = ["/usr/bin/diff", "-u", "--label", path, "--label", path, path, draft]
        let lines = (run(command)?.output ?? "").split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { line in
            // A tab would be taken out, too.
            printable(String(line.map { letter in letter == "\t" ? " " : letter }))
        }.joined(separator: "\n")
    }

    /// Has the draft take the file's place, if that is still the file that was opened.
    func commit() throws(MendFault) {
        var now = stat()
        guard unsafe lstat(path, &now) == 0, now.st_dev == status.st_dev, now.st_ino == status.st_ino,
            now.st_size == status.st_size, now.st_mtim.tv_sec == status.st_mtim.tv_sec,
            now.st_mtim.tv_nsec == status.st_mtim.tv_nsec
        else {
            throw MendFault(DoctorWording.mendChanged(path))
        }
        guard unsafe rename(draft, path) == 0 else {
            throw MendFault(path, errno)
        }
    }
}
