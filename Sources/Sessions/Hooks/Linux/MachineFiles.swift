import Base
import CLinux

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
            unsafe linux_replace_file(Self.directory, Self.keySetName(userPoolID), 0, 0, bytes.baseAddress, bytes.count)
        }
    }

    package func removeUnfinishedFiles() {
        for directory in [Self.journalDirectory, Self.deviceDirectory] {
            unsafe linux_remove_unfinished(directory, Self.longestWrite)
        }
    }
}
