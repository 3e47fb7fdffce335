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

    private var stamp: linux_stamp?
    /// nil: nobody has an account here.
    private(set) var rules: AccountRules?
    /// All of it, where people get accounts by signing in.
    private(set) var whole: Settings?

    mutating func update(complaining complain: (ByteText) -> Void) {
        let current = unsafe linux_file_stamp(Self.path.terminated)
        if let stamp, stamp.inode == current.inode, stamp.seconds == current.seconds,
            stamp.nanoseconds == current.nanoseconds, stamp.size == current.size
        {
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
                \(Self.path) is missing, is not root's alone, or cannot be read by \(accountName) (it needs mode 0644): until that is \
                mended, nobody of the pool has an account here
                """)
        }
        do throws(ConfigurationError) {
            let settings = try Settings(parsing: text)
            rules = settings.accounts == .none ? nil : AccountRules(settings)
            whole = settings.accounts == .signIn ? settings : nil
        } catch {
            complain(
                "\(error.message(file: Self.path.bytes)); until that is mended, nobody of the pool has an account here")
        }
    }
}
