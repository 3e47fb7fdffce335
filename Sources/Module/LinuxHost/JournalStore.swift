import Base
import CLinux

/// The journal's files: one for each open session, in a folder for root alone. No secret is in them.
struct JournalStore {
    private static let parent = "/var/lib/pam-cognito"
    static let directory = "/var/lib/pam-cognito/journal"
    private static let largestRecord = 4096
    /// For the names of more sessions than the registry can hold.
    private static let longestList = 1_048_576

    /// The boot id (random(4)) without its hyphens; nil when it cannot be read.
    static var bootID: [UInt8]? {
        var text = [CChar](repeating: 0, count: 36)
        guard unsafe linux_boot_id(&text) == 0 else {
            return nil
        }
        return text.map { character in UInt8(truncatingIfNeeded: character) }.filter { byte in byte != UInt8(ascii: "-")
        }
    }

    /// When a file last came or went, in nanoseconds; nil when the folder is not there.
    static var stamp: Int64? {
        let stamp = unsafe linux_file_stamp(directory)
        return stamp.inode == 0 ? nil : stamp.seconds &* 1_000_000_000 &+ stamp.nanoseconds
    }

    /// The names of all files, a long journal's last ones excepted.
    func names() throws(ErrorNumber) -> [[UInt8]] {
        var list = [CChar](repeating: 0, count: Self.longestList)
        let used = unsafe linux_list_files(Self.directory, &list, list.count)
        guard used >= 0 else {
            throw ErrorNumber(-used)
        }
        return list.prefix(Int(used)).split(separator: 0).map { name in
            name.map { character in UInt8(truncatingIfNeeded: character) }
        }
    }

    func read(_ name: [UInt8]) throws(FileFault) -> [UInt8] {
        let path = ("/var/lib/pam-cognito/journal/" as StaticString).bytes + name
        let content = try readTrustedFile(path, secret: true, limit: Self.largestRecord)
        return content.withBytes { bytes in bytes.copied() }
    }

    /// Writes one file, whole, to the disk.
    func write(_ record: [UInt8], _ name: [UInt8]) throws(ErrorNumber) {
        let made = unsafe linux_make_directory(Self.parent)
        guard made == 0 else {
            throw ErrorNumber(-made)
        }
        let fileName = String(decoding: name, as: UTF8.self)
        let result = unsafe record.withUnsafeBytes { bytes in
            unsafe linux_replace_file_for_good(Self.directory, fileName, bytes.baseAddress, bytes.count)
        }
        guard result == 0 else {
            throw ErrorNumber(-result)
        }
    }

    /// Removes one file; whether it is gone.
    func remove(_ name: [UInt8]) -> Bool {
        let result = unsafe linux_remove_file(Self.directory, String(decoding: name, as: UTF8.self))
        // There was none, or there is no journal.
        return result == 0 || ErrorNumber(-result) == .noSuchFileOrDirectory
    }
}
