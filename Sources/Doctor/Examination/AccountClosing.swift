internal import Base
internal import Glibc
internal import Messages

/// What keeps an account out of this machine, whatever Cognito says.
enum AccountClosing: Equatable, Sendable {
    /// passwd(5) refers to an entry of shadow(5) that is not there.
    case noShadow
    /// usermod(8), --expiredate.
    case expired
    /// The password has been too old for longer than it may be (chage(1), --inactive).
    case inactive
    /// chage(1): this machine wants a new password of it.
    case passwordIsOld(OldPassword)
    /// The shell is not there, or cannot be run.
    case noShell(String)
    /// The shell sends everybody away.
    case closingShell(String)

    /// The password of this machine that is too old.
    enum OldPassword: Equatable, Sendable {
        case none
        case usable
        /// passwd(1), --lock.
        case locked
    }

    /// Whether it keeps somebody out who has proved to Cognito who they are.
    ///
    /// - Parameter passesAge: Whether the account lines pass over the age of a password that is not there.
    func closes(passingAge passesAge: Bool) -> Bool {
        switch self {
        case .passwordIsOld(.none): !passesAge
        case .passwordIsOld(.usable): false
        case .noShadow, .expired, .inactive, .passwordIsOld(.locked), .noShell, .closingShell: true
        }
    }

    /// What is told of those whom it is about.
    ///
    /// - Parameter severity: How bad it is where it keeps them out.
    func finding(_ names: [String], _ severity: Severity, passingAge passesAge: Bool) -> Finding {
        let who = DoctorWording.peopleSummary(names)
        let isClosed = closes(passingAge: passesAge)
        func finding(_ what: String, why: String, mend: String) -> Finding {
            Finding(isClosed ? severity : .warning, what, why: why, mend: mend)
        }
        return switch self {
        case .noShadow:
            finding(
                "No entry in /etc/shadow: \(who).", why: "pam_unix turns such accounts away, whatever Cognito says.",
                mend: "pwconv")
        case .expired:
            finding(
                "Expired on this machine: \(who).", why: "pam_unix turns expired accounts away, whatever Cognito says.",
                mend: DoctorWording.each(names, "chage --expiredate -1") + "   # if it is not meant to be closed")
        case .inactive:
            finding(
                "Inactive on this machine, since their local password was not changed in time: \(who).",
                why: "pam_unix turns inactive accounts away, whatever Cognito says.", mend: DoctorWording.unage(names))
        case .passwordIsOld(.usable):
            finding(
                DoctorWording.agedPassword(who),
                why: "They have a local password, too, and must change it at their next sign-in.",
                mend: DoctorWording.unage(names))
        case .passwordIsOld(.none), .passwordIsOld(.locked):
            finding(
                DoctorWording.agedPassword(who),
                why: isClosed
                    ? "pam_unix asks them for a current password at every sign-in, but they have none here: "
                        + "Cognito's is not kept on this machine."
                    : "pam_cognito's account lines pass over it. Services without these lines refuse the account.",
                mend: DoctorWording.unage(names))
        case .noShell(let path):
            finding(
                "\(who): the shell \(path) is not there, or cannot be run.",
                why: "sshd refuses them at once, and elsewhere their session ends as it begins.",
                mend: DoctorWording.setShell(names))
        case .closingShell(let path):
            finding(
                "\(who): the shell is \(path), which sends people away.",
                why: "They sign in with Cognito, and their session ends as it begins.",
                mend: DoctorWording.setShell(names))
        }
    }

    /// What shadow(5) has against an account on that day, counted since 1970.
    static func byShadow(_ account: Account, on day: Int64) -> AccountClosing? {
        switch account.shadow.objection(on: day) {
        case nil: nil
        case .missing: .noShadow
        case .expired: .expired
        case .inactive: .inactive
        case .passwordIsOld:
            .passwordIsOld(account.hasUsablePassword ? .usable : account.hasLockedPassword ? .locked : .none)
        }
    }

    /// What keeps an account out that is there.
    static func all(of name: String) -> [AccountClosing] {
        var found: [AccountClosing] = []
        if let account = (try? Account.named(Array(name.utf8))) ?? nil,
            let closing = byShadow(account, on: Int64(time(nil)) / 86_400)
        {
            found.append(closing)
        }
        if let entry = unsafe getpwnam(name), let field = unsafe entry.pointee.pw_shell {
            // As login(1), where nothing is set.
            let shell = unsafe String(cString: field)
            var status = stat()
            if !shell.isEmpty {
                let isThere = unsafe stat(shell, &status) == 0 && status.st_mode & 0o111 != 0
                if !isThere {
                    found.append(.noShell(shell))
                } else if shell.hasSuffix("/nologin") || shell.hasSuffix("/false") {
                    found.append(.closingShell(shell))
                }
            }
        }
        return found
    }
}
