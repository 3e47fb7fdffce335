internal import Base
internal import Commands
internal import Glibc
internal import Messages

/// What the doctor has changed, each file as it was before and after, so that it can be taken back: the newest last.
struct KeptMends {
    static let folder = "/var/lib/pam-cognito/mends"

    /// One change.
    struct KeptMend {
        fileprivate let number: Int
        /// The file that was changed.
        let path: String
        /// What stood in it before, and what the doctor put there.
        let before: String
        let after: String
    }

    /// Those that are kept, by number.
    private static var numbers: [Int] {
        fileNames(in: folder).compactMap { name in name.hasSuffix(".path") ? Int(name.dropLast(5)) : nil }.sorted()
    }

    /// The last change; nil where there is none.
    static func newest() throws(MendFault) -> KeptMend? {
        guard let number = numbers.last else {
            return nil
        }
        guard let path = content(number, "path"), path.hasPrefix("/"), let before = content(number, "before"),
            let after = content(number, "after")
        else {
            throw MendFault(DoctorWording.mendNoText("\(folder)/\(number)"))
        }
        return KeptMend(number: number, path: path, before: before, after: after)
    }

    /// Keeps a change that is about to be made.
    static func add(_ path: String, before: String, after: String) throws(MendFault) -> KeptMend {
        // Root's alone: what they copy may be.
        for folder in ["/var/lib/pam-cognito", folder] where unsafe mkdir(folder, 0o700) != 0 && errno != EEXIST {
            throw MendFault(DoctorWording.mendFailed(folder, reason(errno)))
        }
        var status = stat()
        guard unsafe lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == 0,
            status.st_mode & 0o022 == 0
        else {
            throw MendFault(DoctorWording.mendUnsafe(folder))
        }
        let number = (numbers.last ?? 0) + 1
        // Without its path it is no change.
        for (part, text) in [("before", before), ("after", after), ("path", path)] {
            try write(text, to: "\(folder)/\(number).\(part)")
        }
        return KeptMend(number: number, path: path, before: before, after: after)
    }

    /// Forgets a change that was not made, or that was taken back.
    static func remove(_ entry: KeptMend) {
        for part in ["path", "before", "after"] {
            unsafe unlink("\(folder)/\(entry.number).\(part)")
        }
    }

    private static func content(_ number: Int, _ part: String) -> String? {
        guard case .success(let bytes) = trustedContent("\(folder)/\(number).\(part)", secret: true, limit: 1 << 24)
        else {
            return nil
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func write(_ text: String, to path: String) throws(MendFault) {
        unsafe unlink(path)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        guard let file = Descriptor(owning: unsafe open(path, flags, 0o600)) else {
            throw MendFault(DoctorWording.mendFailed(path, reason(errno)))
        }
        do throws(ErrorNumber) {
            try writeAll(Array(text.utf8), to: file.number)
        } catch {
            throw MendFault(DoctorWording.mendFailed(path, reason(error.code)))
        }
        guard fsync(file.number) == 0 else {
            throw MendFault(DoctorWording.mendFailed(path, reason(errno)))
        }
    }
}
