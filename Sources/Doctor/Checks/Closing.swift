internal import Base
internal import Commands
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
    case closingShell(String)

    enum OldPassword: Equatable, Sendable {
        case none
        case usable
        /// passwd(1), --lock.
        case locked
    }

    /// Whether it keeps out a user who has signed in at Cognito.
    ///
    /// - Parameter passesAge: Whether the account lines ignore the age of a password that is not there.
    func closes(passingAge passesAge: Bool) -> Bool {
        switch self {
        case .passwordIsOld(.none): !passesAge
        case .passwordIsOld(.usable): false
        case .noShadow, .expired, .inactive, .passwordIsOld(.locked), .noShell, .closingShell: true
        }
    }

    /// What is told of those whom it is about.
    ///
    /// - Parameter worst: How bad it is where it keeps them out.
    func finding(_ names: [String], _ worst: Severity, passingAge passesAge: Bool) -> Check {
        let who = list(names)
        let isClosed = closes(passingAge: passesAge)
        func check(_ id: CheckID, _ what: String, why: String, fix: String) -> Check {
            Check(id, isClosed ? worst : .warning, what, why: why, fix: fix)
        }
        func each(_ line: String) -> String {
            names.map { name in "\(line) \(shellWord(name))" }.joined(separator: "; ")
        }
        func refused(_ kind: String) -> String {
            "pam_unix denies access to \(kind) accounts, even if Cognito accepts the user."
        }
        let unage = each("chage --maxdays -1 --lastday \"$(date +%F)\"")
        let setShell = each("usermod --shell /bin/bash")
        return switch self {
        case .noShadow:
            check(
                .noShadow, "These accounts have no entry in /etc/shadow: \(who).", why: refused("these"), fix: "pwconv")
        case .expired:
            check(
                .expired, "These accounts have expired on this machine: \(who).", why: refused("expired"),
                fix: each("chage --expiredate -1") + "   # if the account should not expire")
        case .inactive:
            check(
                .inactive,
                "These accounts are inactive, because the local password was not changed in time: \(who).",
                why: refused("inactive"), fix: unage)
        case .passwordIsOld(let password):
            check(
                .oldPassword, "/etc/shadow requires a new local password for these accounts: \(who).",
                why: password == .usable
                    ? "These accounts also have a local password, which the user must change at the next sign-in."
                    : isClosed
                        ? "pam_unix asks for the current local password at every sign-in, but these accounts have no "
                            + "local password."
                        : "Services with pam_cognito's account lines do not require a new local password, but other "
                            + "services refuse the user.",
                fix: unage)
        case .noShell(let path):
            check(
                .noShell, "\(who): the shell \(path) does not exist or cannot be run.",
                why: "sshd refuses these users, and their sessions in other services end immediately.", fix: setShell)
        case .closingShell(let path):
            check(
                .closingShell, "\(who): the shell \(path) ends each session immediately.",
                why: "These users can sign in with Cognito, but their sessions end immediately.", fix: setShell)
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

    static func all(of name: String) -> [AccountClosing] {
        let day = Int64(time(nil)) / 86_400
        let inShadow = existingAccount(name).flatMap { account in byShadow(account, on: day) }
        return [inShadow, byShell(of: name)].compactMap(\.self)
    }

    private static func byShell(of name: String) -> AccountClosing? {
        // Without one it is /bin/sh, as with login(1).
        guard let shell = shell(of: name), !shell.isEmpty else { return nil }
        var status = stat()
        guard unsafe stat(shell, &status) == 0, status.st_mode & 0o111 != 0 else {
            return .noShell(shell)
        }
        return endsSessions(shell) ? .closingShell(shell) : nil
    }
}

func shell(of name: String) -> String? {
    unsafe getpwnam(name)?.pointee.pw_shell.map { text in unsafe String(cString: text) }
}

func endsSessions(_ shell: String) -> Bool {
    shell.hasSuffix("/nologin") || shell.hasSuffix("/false")
}
