import Accounts
import Base
import CLinux
import Configuration
import Glibc
import Sessions

/// subuid(5) and subgid(5), in which every user who has signed in here gets a line, for containers without root
/// (`account_subids`).
struct SubordinateFiles {
    /// One of the two files, and what login.defs(5) has useradd(8) give away by it.
    private struct File {
        let name: String
        let lowest: UInt32
        let highest: UInt32
        let count: UInt32
    }

    /// Where the two are: /etc, but for tests.
    let folder: String
    /// People's own ids.
    let reserved: UserIDRange

    /// Gives to each of these, by their user ids, what they do not have yet; whether all have some.
    func give(to people: [AccountRecord], report: (LogLine, Bool) -> Void) -> Bool {
        do throws(Fault) {
            var isDone = true
            for file in files() where people.contains(where: { one in !read(file).hasShare(of: one.uid) }) {
                let number = unsafe linux_lock_byte(folder, ".pwd.lock", 0, 15_000)
                guard let lock = Descriptor(owning: number) else {
                    throw Fault(
                        """
                        \(path(".pwd.lock")) is locked by another program or not writable (errno \(-number))
                        """)
                }
                isDone = try give(people, file, report) && isDone
                withExtendedLifetime(lock) {}
            }
            return isDone
        } catch {
            report("no subordinate ids: \(error.line)", true)
            return false
        }
    }

    private func give(
        _ people: [AccountRecord], _ file: File, _ report: (LogLine, Bool) -> Void
    ) throws(Fault) -> Bool {
        for one in people {
            let known = read(file)
            guard !known.hasShare(of: one.uid) else {
                continue
            }
            let range = file.lowest...max(file.lowest, file.highest)
            guard let first = known.room(for: file.count, in: range, besides: reserved) else {
                throw Fault(
                    """
                    \(path(file.name)) has no free range of \(file.count) ids for \(quoting: one.name) between \
                    \(file.lowest) and \(file.highest). The limits are set in login.defs(5)
                    """)
            }
            try append("\(one.uid):\(first):\(file.count)\n", to: file)
            report(
                .event(
                    .subordinateIDsGiven,
                    [
                        "user": .outside(one.name), "uid": "\(one.uid)", "file": "\(path(file.name))",
                        "ids": "\(first)-\(first + file.count - 1)",
                    ]), false)
        }
        return true
    }

    private func path(_ name: String) -> ByteText {
        ByteText(Array("\(folder)/\(name)".utf8))
    }

    private func content(_ name: String) -> [UInt8] {
        (try? readFile("\(folder)/\(name)")) ?? []
    }

    private func read(_ file: File) -> SubordinateIDs {
        SubordinateIDs(parsing: content(file.name))
    }

    private func files() -> [File] {
        var values: [String: UInt32] = [:]
        for line in content("login.defs").split(separator: 0x0a) {
            let words = line.split { byte in byte == 0x20 || byte == 0x09 }
            if words.count >= 2, let number = userID(claimed: Array(words[1])) {
                values[String(decoding: words[0], as: UTF8.self)] = number
            }
        }
        // As useradd(8) has them where nothing is said.
        return ["UID", "GID"].map { kind in
            File(
                name: "sub\(kind.lowercased())", lowest: values["SUB_\(kind)_MIN"] ?? 100_000,
                highest: values["SUB_\(kind)_MAX"] ?? 600_100_000, count: max(1, values["SUB_\(kind)_COUNT"] ?? 65_536))
        }
    }

    /// Writes behind what is there, whole or not at all: others may have the file open, and its folder may not be ours
    /// to write to.
    private func append(_ line: ByteText, to file: File) throws(Fault) {
        let opened = Descriptor(
            owning: unsafe open("\(folder)/\(file.name)", O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC))
        guard let opened else {
            throw Fault(
                """
                \(path(file.name)) cannot be written (errno \(errno)). If the file does not exist, create an empty \
                file (0644)
                """)
        }
        let length = lseek(opened.number, 0, SEEK_END)
        let text = (content(file.name).last.map { last in last == 0x0a } ?? true ? [] : [0x0a]) + line.bytes
        do throws(ErrorNumber) {
            try writeAll(text, to: opened.number)
            guard fsync(opened.number) == 0 else {
                throw ErrorNumber(errno)
            }
        } catch {
            _ = ftruncate(opened.number, length)
            throw Fault(
                """
                \(path(file.name)) cannot be written (errno \(error.code)). Check whether the disk is full or \
                read-only
                """)
        }
    }
}
