package import Base
package import Keyring
package import Messages
package import Protocol

/// How grave a log line is (syslog(3)).
package enum LogSeverity: Int32, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case information = 6
}

/// One PAM transaction, as the hooks see it: the host's side of pam(3).
package protocol Transaction {
    /// PAM_SERVICE.
    var service: [UInt8] { get }
    /// PAM_RHOST, empty when there is none.
    var remoteHost: [UInt8] { get }
    /// PAM_TTY, empty when there is none.
    var terminal: [UInt8] { get }
    /// PAM_USER, asked for when it is not known yet (pam_get_user(3)).
    func user() throws(PAMRefusal) -> [UInt8]
    /// The language that the host speaks (setlocale(3), LC_MESSAGES); nil where it speaks none in particular.
    var language: Language? { get }
    /// PAM_AUTHTOK, asked for with `prompt` when it is not known yet (pam_get_authtok(3)).
    func password(_ prompt: ByteText) throws(PAMRefusal) -> Secret
    /// Asks through the conversation (pam_conv(3)).
    func ask(_ text: ByteText, _ style: PromptStyle) throws(PAMRefusal) -> Secret
    /// Leaves `password` to the modules that come after this one (PAM_AUTHTOK).
    func leave(password: borrowing Secret)
    /// Leaves them none: what was typed is no password.
    func forgetPassword()
    /// Leaves them the one that it has taken the place of (PAM_OLDAUTHTOK).
    func leave(oldPassword: borrowing Secret)
    /// Whether `password` is this machine's own for the account of that name, as pam_unix(8) has it; false where that
    /// cannot be read.
    func isLocal(_ password: borrowing Secret, of user: [UInt8]) -> Bool
    /// Shows a text, unless the host asked for silence.
    func show(_ text: ByteText)
    /// Has a failure take some seconds, whatever it is (pam_fail_delay(3)).
    func delayFailure()
    /// Writes a line to the system's log.
    func log(_ severity: LogSeverity, _ line: LogLine)
    /// A variable of the PAM environment; nil when it is unset or empty.
    func variable(_ name: StaticString) -> [UInt8]?
    /// Sets a variable of the PAM environment.
    func setVariable(_ name: StaticString, to value: [UInt8]) throws(PAMRefusal)
    /// Removes a variable from the PAM environment.
    func removeVariable(_ name: StaticString)
    /// What an earlier hook of this process kept.
    var login: Login? { get }
    /// Keeps a login for the hooks to come (pam_set_data(3)), and then for `Hooks.abandon`, which is called with it
    /// when the transaction ends or keeps another one.
    func keep(_ login: Login) throws(PAMRefusal)
    /// What an earlier hook of this process left to another module.
    var openAttempt: OpenAttempt? { get }
    /// Keeps an attempt that another module decides.
    func keep(_ attempt: OpenAttempt) throws(PAMRefusal)
}

/// A transaction with no host of PAM's behind it: there is no environment, no other module is asked afterwards, and
/// nothing is handed over, since all of it happens in one process, which waits by itself before it says no.
package protocol UnhostedTransaction: Transaction, AnyObject {
    var login: Login? { get set }
}

extension UnhostedTransaction {
    package func delayFailure() {}

    package func leave(password: borrowing Secret) {}

    package func forgetPassword() {}

    package func leave(oldPassword: borrowing Secret) {}

    package func isLocal(_ password: borrowing Secret, of user: [UInt8]) -> Bool {
        false
    }

    package func variable(_ name: StaticString) -> [UInt8]? {
        nil
    }

    package func setVariable(_ name: StaticString, to value: [UInt8]) throws(PAMRefusal) {}

    package func removeVariable(_ name: StaticString) {}

    package func keep(_ login: Login) throws(PAMRefusal) {
        self.login = login
    }

    package var openAttempt: OpenAttempt? { nil }

    package func keep(_ attempt: OpenAttempt) throws(PAMRefusal) {}
}

/// What the hooks of one login know of each other. No secret is in it: those are in the registry.
package final class Login {
    /// Where a login stands.
    package enum HookState: Equatable, Sendable {
        case authenticated
        case delivered(KeySerial, description: [UInt8])
        /// Let in by a session that was there before, whose entry this is: nothing of it is this login's to deliver or
        /// to end.
        case reused
        /// Let in by a service that begins no session: the tokens were revoked at once.
        case proven
        case ended
    }

    /// The process that keeps it. A forked child has a copy and must leave everything alone.
    package let process: Int32
    /// The name that was authenticated; the session may be another's (sudo).
    package let user: [UInt8]
    package let entry: RootKey
    /// What the process took for "/" then.
    package let root: RootDirectory
    package var state = HookState.authenticated
    /// The session keyring that was joined for the person, the host's own not being fit for it.
    package var joinedKeyring: KeySerial?

    /// A login of that process that is in the registry.
    package init(process: Int32, user: [UInt8], entry: RootKey, root: RootDirectory) {
        self.process = process
        self.user = user
        self.entry = entry
        self.root = root
    }

    /// A login whose tokens the agent had, and has revoked.
    convenience init(process: Int32, provenByAgent user: [UInt8], root: RootDirectory) {
        self.init(process: process, user: user, entry: RootKey(serial: KeySerial(0), description: []), root: root)
        state = .proven
    }
}
