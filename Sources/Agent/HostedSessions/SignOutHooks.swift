import Base
import CLinux
package import Sessions

/// What is run for a person whose tokens have ended, so that what depends on them lets go: programs of the
/// administrator's, one after the other by name, then the person's own. All of them run as the person.
package struct SignOutHooks {
    /// Where the administrator's are. Where this folder is not, nothing is run, the person's neither.
    private static let folder: StaticString = "/etc/pam-cognito/sign-out.d"
    /// The longest that one may take, and all of them together, in milliseconds.
    private static let limit: Int64 = 10_000
    private static let wholeLimit: Int64 = 60_000

    private let notice: SignOutNotice
    private let others: Int?

    /// The hooks for `notice`, whose person has so many `others` sessions here; nil: that is not known.
    package init(_ notice: SignOutNotice, others: Int?) {
        self.notice = notice
        self.others = others
    }

    /// Runs them.
    ///
    /// - Parameter report: Gets a line for each; whether it is a fault.
    package func run(report: (LogLine, Bool) -> Void) {
        let names: [[UInt8]]
        do throws(ErrorNumber) {
            names = try Base.names(inRootsDirectory: "\(Self.folder)")
        } catch {
            report(
                line(
                    ["outcome": "not_run"],
                    text: """
                        the directory /etc/pam-cognito/sign-out.d cannot be read, or users other than root can write \
                        to it (errno \(error.code))
                        """), true)
            return
        }
        let deadline = Instant.now.milliseconds + Self.wholeLimit
        for name in Self.hooks(among: names) {
            run(name, by: deadline, report)
        }
        run(nil, by: deadline, report)
    }

    /// The names of programs among those of a folder: of letters, digits, '-' and '_', as run-parts(8) has them, so
    /// that what editors and packages leave behind is not run. In order.
    package static func hooks(among names: [[UInt8]]) -> [[UInt8]] {
        names.filter { name in
            name.allSatisfy { byte in byte.isAlphanumericASCII || byte == 0x2d || byte == 0x5f }
        }.sorted { left, right in left.lexicographicallyPrecedes(right) }
    }

    private func line(_ fields: AuditFields, text: ByteText? = nil) -> LogLine {
        .event(
            .signOutHook, ["user": .outside(notice.user), "cause": .word(notice.reason.rawValue)] + fields, text: text)
    }

    /// Runs one; nil: the person's own.
    private func run(_ name: [UInt8]?, by deadline: Int64, _ report: (LogLine, Bool) -> Void) {
        let limit = min(Self.limit, deadline - Instant.now.milliseconds)
        let run = runHook(
            name.map { name in ByteText("\(Self.folder)/\(name)") }, of: notice, others: others, timeout: max(0, limit))
        let hook: AuditFields = ["hook": .outside(name ?? Array("~/.config/pam-cognito/sign-out".utf8))]
        func tell(_ outcome: AuditFields, _ text: ByteText? = nil) {
            report(line(hook + outcome, text: text), true)
        }
        switch run.outcome {
        case LINUX_HOOK_ENDED:
            report(line(hook + ["outcome": "ended", "status": "\(run.status)"]), run.status != 0)
        case LINUX_HOOK_ABSENT:
            break
        case LINUX_HOOK_NOT_REGULAR:
            tell(["outcome": "refused"], "the hook is not a regular file (symbolic links are not allowed)")
        case LINUX_HOOK_WRONG_OWNER:
            let owner: ByteText = name == nil ? "the user" : "root"
            tell(["outcome": "refused"], "the hook does not belong to \(owner)")
        case LINUX_HOOK_WRITABLE:
            tell(["outcome": "refused"], "users other than the owner can write to the hook")
        case LINUX_HOOK_NOT_EXECUTABLE:
            tell(["outcome": "refused"], "the hook is not executable")
        case LINUX_HOOK_TOO_LONG:
            tell(["outcome": "killed"], "the hook took too long")
        default:
            tell(["outcome": "not_run"], "the hook cannot be started (errno \(run.error))")
        }
    }
}
