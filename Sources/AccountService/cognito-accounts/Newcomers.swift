import Accounts
import Base
import Configuration
import UserDatabase

/// The programs that are told of an account before the user has proved anything, by their names in /proc (proc(5),
/// `Name`). They ask for a password next, and a failure ends the login. Not su, sudo, cron or at, nor systemd's
/// multiplexer, which asks for any program.
private let signInPrograms: [StaticString] = ["sshd", "sshd-session", "login"]

/// People who come in for the first time (`accounts = sign-in`).
final class Newcomers {
    private var allowance = NameAllowance()
    private var complaint: ByteText?

    /// Returns a fault for the administrator, once.
    func takeComplaint() -> ByteText? {
        defer { complaint = nil }
        return complaint
    }

    /// Returns the account for a name that has none here yet, if the client is a login of root's and the limit of names
    /// permits it.
    func account(
        named name: [UInt8], for client: Client, in store: borrowing AccountStore?, _ settings: CurrentSettings
    ) -> AccountRecord? {
        guard client.userID == 0, let all = settings.whole, let rules = settings.rules,
            AccountName.isLetTry(name, by: all),
            isSignInProgram(client.processID)
        else {
            return nil
        }
        do throws(AccountRefusal) {
            let found: AccountRecord?
            switch store {
            case .some(let store): found = try store.newcomer(named: name, all, by: rules)
            case .none: found = nil
            }
            if let source = settings.sourceBehind, found != nil {
                complaint = """
                    \(quoting: name) and other new users cannot sign in: \(source) comes after systemd in \
                    nsswitch.conf (passwd) and would not be queried for these users; move it before systemd
                    """
                return nil
            }
            guard let found, allowance.admits(name, at: .now) else {
                if found != nil {
                    complaint = """
                        \(quoting: name) and other new users cannot sign in: more than \(NameAllowance.most) new names \
                        were looked up within a minute. Limit which hosts can reach sshd, or make account_names more \
                        specific
                        """
                }
                return nil
            }
            return found
        } catch {
            complaint = error.reason(for: name)
            return nil
        }
    }

    /// Whether a process is root's in every sense, not only by a set-uid bit, and one of those programs.
    private func isSignInProgram(_ process: CInt) -> Bool {
        guard let status = try? ProcessStatus(of: process), status.numbers("Uid") == [0, 0, 0, 0] else {
            return false
        }
        return signInPrograms.contains { program in status.isNamed(program) }
    }
}
