package import Base
import CLinux
import LoginHooks
package import Sessions

/// What is run for a person whose tokens have ended, so that what depends on them lets go: programs of the administrator's, one
/// after the other by name, then the person's own. All of them run as the person.
package struct SignOutHooks {
    /// Where the administrator's are. Where this folder is not, nothing is run, the person's neither.
    private static let folder = "/etc/pam-cognito/sign-out.d"
    /// The longest that one may take, and all of them together, in milliseconds.
    private static let limit: Int64 = 10_000
    private static let wholeLimit: Int64 = 60_000
    private static let largestListing = 65_536

    private let notice: SignOutNotice
    private let others: Int

    /// The hooks for `notice`, whose person has so many `others` sessions here.
    package init(_ notice: SignOutNotice, others: Int) {
        self.notice = notice
        self.others = others
    }

    /// Runs them.
    ///
    /// - Parameter report: Gets a line for each; whether it is a fault.
    package func run(report: (ByteText, Bool) -> Void) {
        var names = [UInt8](repeating: 0, count: Self.largestListing)
        let size = unsafe names.withUnsafeMutableBytes { bytes in
            unsafe linux_hook_names(
                Self.folder, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        guard size >= 0 else {
            report(
                """
                \(Self.line(notice)) outcome=not_run: the folder /etc/pam-cognito/sign-out.d cannot be read, or can be written \
                by others than root (errno \(-size))
                """, true)
            return
        }
        let deadline = linux_boottime_ms() + Self.wholeLimit
        for name in Self.hooks(inListing: Array(names.prefix(Int(size)))) {
            run(name, by: deadline, report)
        }
        run(nil, by: deadline, report)
    }

    /// The names of programs among those that a folder's listing has, each with a NUL: of letters, digits, '-' and '_', as
    /// run-parts(8) has them, so that what editors and packages leave behind is not run. In order.
    package static func hooks(inListing listing: [UInt8]) -> [[UInt8]] {
        listing.split(separator: 0).map { name in Array(name) }.filter { name in
            name.allSatisfy { byte in
                (48...57).contains(byte) || (97...122).contains(byte | 0x20) || byte == 0x2d || byte == 0x5f
            }
        }.sorted { left, right in left.lexicographicallyPrecedes(right) }
    }

    private static func line(_ notice: SignOutNotice) -> ByteText {
        "sign-out hook; user=\(quoting: notice.user) cause=\(notice.reason.name)"
    }

    /// Runs one; nil: the person's own.
    private func run(_ name: [UInt8]?, by deadline: Int64, _ report: (ByteText, Bool) -> Void) {
        let hook = unsafe (notice.reason.name.bytes + [0]).withUnsafeBytes { reason in
            unsafe ((name ?? []) + [0]).withUnsafeBytes { name in
                unsafe linux_run_hook(
                    Self.folder, name.baseAddress?.assumingMemoryBound(to: CChar.self), name.count > 1 ? 0 : 1,
                    notice.user + [0], reason.baseAddress?.assumingMemoryBound(to: CChar.self), Int64(others),
                    Int32(clamping: max(0, min(Self.limit, deadline - linux_boottime_ms()))))
            }
        }
        let line: ByteText =
            "\(Self.line(notice)) hook=\(quoting: name ?? Array("~/.config/pam-cognito/sign-out".utf8))"
        switch linux_hook_outcome(rawValue: UInt32(truncatingIfNeeded: hook.outcome)) {
        case LINUX_HOOK_ENDED:
            report("\(line) outcome=ended status=\(hook.status)", hook.status != 0)
        case LINUX_HOOK_ABSENT:
            break
        case LINUX_HOOK_NOT_REGULAR:
            report("\(line) outcome=refused: it is no regular file; a link is none", true)
        case LINUX_HOOK_WRONG_OWNER:
            let owner: ByteText = name == nil ? "the person" : "root"
            report("\(line) outcome=refused: it does not belong to \(owner)", true)
        case LINUX_HOOK_WRITABLE:
            report("\(line) outcome=refused: others than its owner can write it", true)
        case LINUX_HOOK_NOT_EXECUTABLE:
            report("\(line) outcome=refused: it is not executable", true)
        case LINUX_HOOK_TOO_LONG:
            report("\(line) outcome=killed: it took too long", true)
        default:
            report("\(line) outcome=not_run: it cannot be started (errno \(hook.error))", true)
        }
    }
}
