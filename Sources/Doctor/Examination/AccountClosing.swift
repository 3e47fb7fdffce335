internal import CLinux
internal import Glibc
internal import Messages

/// What keeps an account out of this machine, whatever Cognito says.
enum AccountClosing: Equatable, Sendable {
    /// usermod(8), --expiredate.
    case expired
    /// chage(1): this machine wants a new password of it, although it has none, or not that one.
    case passwordIsOld
    /// The shell is not there, or cannot be run.
    case noShell(String)
    /// The shell sends everybody away.
    case closingShell(String)

    /// What is told of those whom it keeps out.
    func finding(_ names: [String]) -> Finding {
        let who = DoctorWording.peopleSummary(names)
        return switch self {
        case .expired:
            Finding(
                .warning, DoctorWording.expired(who), why: DoctorWording.expiredWhy, mend: DoctorWording.unexpire(names)
            )
        case .passwordIsOld:
            Finding(
                .warning, DoctorWording.agedPassword(who), why: DoctorWording.agedPasswordWhy,
                mend: DoctorWording.unage(names))
        case .noShell(let path):
            Finding(
                .warning, DoctorWording.noShell(who, path), why: DoctorWording.noShellWhy,
                mend: DoctorWording.setShell(names))
        case .closingShell(let path):
            Finding(
                .warning, DoctorWording.closingShell(who, path), why: DoctorWording.closingShellWhy,
                mend: DoctorWording.setShell(names))
        }
    }

    /// As check_shadow_expiry of pam_unix has it; `today` in days since 1970.
    static func aging(_ ages: linux_password_ages_t, today: Int64) -> AccountClosing? {
        if ages.expires != -1, today >= ages.expires {
            return .expired
        }
        let age = today - ages.changed
        if ages.changed == 0 || ages.changed > 0 && ages.longest != -1 && age > ages.longest {
            return .passwordIsOld
        }
        return nil
    }

    /// What keeps an account out that is there.
    static func all(of name: String) -> [AccountClosing] {
        var found: [AccountClosing] = []
        var ages = linux_password_ages_t()
        if unsafe linux_password_ages(Array(name.utf8) + [0], &ages) == 1,
            let closing = aging(ages, today: Int64(time(nil)) / 86400)
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
