import Accounts
import Base
import CLinux
import Configuration

extension StaticString {
    /// With a NUL behind it.
    var terminated: [CChar] { (bytes + [0]).map { byte in CChar(truncatingIfNeeded: byte) } }
}

/// The configuration as it is now: it is read again whenever it is another file than before.
struct CurrentSettings {
    private static let path: StaticString = "/etc/security/pam_cognito.conf"

    private static let nameServices: StaticString = "/etc/nsswitch.conf"

    private var stamp: linux_stamp?
    private var nameStamp: linux_stamp?
    /// A source of accounts after systemd in nsswitch.conf, which would not be asked about a new user; nil: there is
    /// none.
    private(set) var sourceBehind: [UInt8]?
    /// nil: the pool has no accounts here.
    private(set) var rules: AccountRules?
    /// All of it, where people get accounts by signing in.
    private(set) var whole: Settings?

    mutating func update(complaining complain: (ByteText) -> Void) {
        readNameServices()
        let current = unsafe linux_file_stamp(Self.path.terminated)
        if let stamp, Self.isSame(stamp, current) {
            return
        }
        stamp = current
        (rules, whole) = (nil, nil)
        let text: [UInt8]
        do throws(FileFault) {
            let file = try readTrustedFile(Self.path.bytes, secret: false, limit: largestConfiguration)
            text = file.withBytes { bytes in bytes.copied() }
        } catch {
            return complain(
                """
                \(Self.path) is missing, writable by users other than root, or not readable by \(accountName) (set \
                mode 0644). Until the file can be read, pool users have no accounts on this machine
                """)
        }
        do throws(ConfigurationError) {
            let settings = try Settings(parsing: text)
            rules = settings.accounts == .none ? nil : AccountRules(settings)
            whole = settings.accounts == .signIn ? settings : nil
        } catch {
            complain(
                """
                \(error.message(file: Self.path.bytes)). Until the file is corrected, pool users have no accounts on \
                this machine
                """)
        }
    }
    private mutating func readNameServices() {
        let current = unsafe linux_file_stamp(Self.nameServices.terminated)
        if let nameStamp, Self.isSame(nameStamp, current) {
            return
        }
        nameStamp = current
        do throws(FileFault) {
            let file = try readTrustedFile(Self.nameServices.bytes, secret: false, limit: largestConfiguration)
            sourceBehind = Accounts.sourceBehindOurs(in: file.withBytes { bytes in bytes.copied() })
        } catch {
            // A file that cannot be read may name one.
            sourceBehind = Self.nameServices.bytes
        }
    }

    private static func isSame(_ one: linux_stamp, _ other: linux_stamp) -> Bool {
        one.inode == other.inode && one.seconds == other.seconds && one.nanoseconds == other.nanoseconds
            && one.size == other.size
    }
}
