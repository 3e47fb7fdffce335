package import Base
import CLinux
package import Sessions

// What is kept in files.

extension LinuxMachine {
    private static let directory = "/run/pam-cognito"
    private static let largestKeySet = 32_767
    /// How many seconds a file may take to be written before its writer is taken for dead: more than any disk needs.
    private static let longestWrite: Int64 = 3600

    private static func keySetName(_ userPoolID: [UInt8]) -> String {
        // A pool's id holds letters, digits, '-' and '_' only: `isUserPoolID`.
        String(decoding: ("keys-" as StaticString).bytes + userPoolID, as: UTF8.self)
    }

    package func keySet(ofPool userPoolID: [UInt8]) -> [UInt8]? {
        let path = ("/run/pam-cognito/keys-" as StaticString).bytes + userPoolID
        guard let content = try? readTrustedFile(path, secret: false, limit: Self.largestKeySet), content.count > 0
        else {
            return nil
        }
        return content.withBytes { bytes in bytes.copied() }
    }

    package func keepKeySet(_ keySet: [UInt8], ofPool userPoolID: [UInt8]) {
        _ = unsafe keySet.withUnsafeBytes { bytes in
            unsafe linux_replace_file(Self.directory, Self.keySetName(userPoolID), 0, bytes.baseAddress, bytes.count)
        }
    }

    package func device(named name: [UInt8]) throws(Fault) -> Secret? {
        try DeviceStore().read(name)
    }

    package func keepDevice(_ device: borrowing Secret, named name: [UInt8]) throws(Fault) -> Bool {
        try DeviceStore().write(device, name)
    }

    package func forgetDevice(named name: [UInt8]) {
        DeviceStore().remove(name)
    }

    package var bootID: [UInt8]? { JournalStore.bootID }

    package func removeUnfinishedFiles() {
        for directory in [JournalStore.directory, DeviceStore.directory] {
            unsafe linux_remove_unfinished(directory, Self.longestWrite)
        }
    }

    package var journalStamp: Int64? {
        JournalStore.stamp
    }

    package func journalNames() throws(ErrorNumber) -> [[UInt8]] {
        try JournalStore().names()
    }

    package func journalRecord(named name: [UInt8]) throws(FileFault) -> [UInt8] {
        try JournalStore().read(name)
    }

    package func keepJournalRecord(_ record: [UInt8], named name: [UInt8]) throws(ErrorNumber) {
        try JournalStore().write(record, name)
    }

    package func dropJournalRecord(named name: [UInt8]) -> Bool {
        JournalStore().remove(name)
    }
}
