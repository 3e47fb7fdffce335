package import Base
import CLinux

// The journal's files: one for each open session, in a directory that only root can read. No secret is in them.

extension LinuxMachine {
    private static let parent = "/var/lib/pam-cognito"
    static let journalDirectory = "/var/lib/pam-cognito/journal"
    private static let largestRecord = 4096

    package var bootID: [UInt8]? {
        var text = [CChar](repeating: 0, count: 36)
        guard unsafe linux_boot_id(&text) == 0 else {
            return nil
        }
        return text.map { character in UInt8(truncatingIfNeeded: character) }.filter { byte in byte != UInt8(ascii: "-")
        }
    }

    package var journalStamp: Int64? {
        let stamp = unsafe linux_file_stamp(Self.journalDirectory)
        return stamp.inode == 0 ? nil : stamp.seconds &* 1_000_000_000 &+ stamp.nanoseconds
    }

    package func journalNames() throws(ErrorNumber) -> [[UInt8]] {
        do throws(ErrorNumber) {
            return try names(inRootsDirectory: Self.journalDirectory)
        } catch .noSuchFileOrDirectory {
            return []
        }
    }

    package func journalRecord(named name: [UInt8]) throws(FileFault) -> [UInt8] {
        let path = ("/var/lib/pam-cognito/journal/" as StaticString).bytes + name
        let content = try readTrustedFile(path, secret: true, limit: Self.largestRecord)
        return content.withBytes { bytes in bytes.copied() }
    }

    package func keepJournalRecord(_ record: [UInt8], named name: [UInt8]) throws(ErrorNumber) {
        try ErrorNumber.check(unsafe linux_make_directory(Self.parent))
        let fileName = String(decoding: name, as: UTF8.self)
        let result = unsafe record.withUnsafeBytes { bytes in
            unsafe linux_replace_file(Self.journalDirectory, fileName, 1, 1, bytes.baseAddress, bytes.count)
        }
        try ErrorNumber.check(result)
    }

    package func dropJournalRecord(named name: [UInt8]) -> Bool {
        let result = unsafe linux_remove_file(Self.journalDirectory, String(decoding: name, as: UTF8.self))
        // There was none, or there is no journal.
        return result == 0 || ErrorNumber(-result) == .noSuchFileOrDirectory
    }
}
