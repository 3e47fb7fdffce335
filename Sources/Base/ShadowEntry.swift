import CLinux

/// The dates of an account in shadow(5).
package enum ShadowEntry: Equatable, Sendable {
    /// It was not read: passwd(5) has the whole account, or the reader is not root.
    case notAsked
    /// passwd(5) refers to an entry that is not there.
    case missing
    case present(PasswordAges)

    init(_ account: linux_account_t) {
        self =
            switch account.shadow_entry {
            case 0: .notAsked
            case 1: .present(PasswordAges(account.ages))
            default: .missing
            }
    }

    /// The objection of pam_unix(8) to the account on that day, counted since 1970; nil: there is none.
    package func objection(on day: Int64) -> ShadowObjection? {
        switch self {
        case .notAsked: nil
        case .missing: .missing
        case .present(let ages): ages.objection(on: day)
        }
    }
}

/// The reason why pam_unix(8) refuses an account, whatever its password.
package enum ShadowObjection: Equatable, Sendable {
    /// There is no entry in shadow(5) (PAM_AUTHINFO_UNAVAIL).
    case missing
    /// The account's last day is over (PAM_ACCT_EXPIRED).
    case expired
    /// The password has been too old for longer than it may be (PAM_AUTHTOK_EXPIRED).
    case inactive
    /// The password is too old, or has to be changed at the next sign-in (PAM_NEW_AUTHTOK_REQD).
    case passwordIsOld
}

/// The days of shadow(5); -1 where nothing is set.
package struct PasswordAges: Equatable, Sendable {
    private let changed: Int64
    private let longest: Int64
    private let inactive: Int64
    private let expires: Int64

    /// The days: of the last change, how many a password may have, how many more until it is of no use any more, and of
    /// the account's end.
    package init(changed: Int64, longest: Int64, inactive: Int64, expires: Int64) {
        self.changed = changed
        self.longest = longest
        self.inactive = inactive
        self.expires = expires
    }

    fileprivate init(_ ages: linux_password_ages_t) {
        self.init(changed: ages.changed, longest: ages.longest, inactive: ages.inactive, expires: ages.expires)
    }

    /// As check_shadow_expiry of pam_unix has it.
    fileprivate func objection(on day: Int64) -> ShadowObjection? {
        if expires != -1, day >= expires {
            return .expired
        }
        guard changed != 0 else {
            return .passwordIsOld
        }
        let age = day - changed
        // For a day that is not set it uses -1.
        guard age >= 0, longest != -1, age > longest else {
            return nil
        }
        return inactive != -1 && age > inactive && age - longest > inactive ? .inactive : .passwordIsOld
    }
}
