import Base

/// Which accounts are managed, and whether a password of this machine counts for them: read on its own, so that a
/// mistake elsewhere changes neither.
package struct CoverageSettings: Equatable, Sendable {
    /// Managed accounts, by name.
    package let users: [[UInt8]]
    /// Managed accounts, by group.
    package let unixGroup: [UInt8]?
    /// User ids below this are never managed.
    package let minimumUID: UInt32
    package let accounts: AccountOrigin
    /// Which user ids such accounts have.
    package let accountUIDs: UserIDRange
    /// Whether an account that none of these names is not managed: the lines about that can be read, and have no
    /// mistake.
    package let isComplete: Bool
    /// Whether a password of this machine counts for a managed account while Cognito cannot be asked.
    package let allowsLocalPasswords: Bool
    /// Whether a managed account that came without Cognito is refused.
    package let refusesKeyLogins: Bool

    init(_ settings: Settings, _ doubts: [CoverageDoubt]) {
        users = settings.users
        unixGroup = settings.unixGroup
        minimumUID = settings.minimumUID
        accounts = settings.accounts
        accountUIDs = settings.accountUIDs
        isComplete = !doubts.contains(.managedAccounts) && settings.namesManagedAccounts
        // A password of this machine proves no level.
        allowsLocalPasswords =
            settings.allowsLocalPasswords && settings.requiredACR.isEmpty && !doubts.contains(.localPasswords)
        refusesKeyLogins = settings.refusesKeyLogins || doubts.contains(.keyLogins)
    }

    /// The settings if the file cannot be read: those of the module arguments.
    package init(withoutFile arguments: [[UInt8]]) {
        self = ConfigurationReading(parsing: [], arguments: arguments).coverage
    }
}

extension Settings {
    /// Which accounts are managed, and whether local passwords count for them.
    package var coverage: CoverageSettings { CoverageSettings(self, []) }

    /// Whether anything says which accounts are managed.
    var namesManagedAccounts: Bool { !users.isEmpty || unixGroup != nil || accounts != .none }
}

/// The part of `CoverageSettings` that is unknown because of a mistake.
enum CoverageDoubt: Sendable {
    case managedAccounts
    case localPasswords
    case keyLogins

    /// The unknown settings if some lines were not read. `keyLogins` is not among them: as with a file that cannot be
    /// read, keys still open accounts that may be managed. Otherwise an administrator who can use only keys could not
    /// correct the file.
    static var ofUnreadRest: [CoverageDoubt] { [.managedAccounts, .localPasswords] }

    /// The settings that each option decides, if it decides any of them.
    private static var options: [(name: StaticString, decides: CoverageDoubt)] {
        [
            ("users", .managedAccounts), ("unix_group", .managedAccounts), ("minimum_uid", .managedAccounts),
            ("accounts", .managedAccounts), ("account_uids", .managedAccounts), ("local_password", .localPasswords),
            ("required_acr", .localPasswords), ("key_logins", .keyLogins),
        ]
    }

    /// The setting that `line`, which has a mistake, was meant to decide; nil: none of them.
    init?(mistakeIn line: ArraySlice<UInt8>) {
        // Letters of any case, with whatever an editor put around them, such as a byte order mark.
        let letters = Self.name(in: line).map(lowercaseASCII).compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"): byte
            case UInt8(ascii: "-"), 0x20, 0x09: UInt8(ascii: "_")
            default: nil
            }
        }
        guard !letters.isEmpty, let option = nearestOption(to: letters[...]),
            let row = Self.options.first(where: { row in row.name.equals(option.bytes) })
        else {
            return nil
        }
        self = row.decides
    }

    /// Returns the text before the equals sign, or the first word.
    private static func name(in line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let line = trimmed(line)
        guard line.first != UInt8(ascii: "#") else {
            return []
        }
        let end =
            line.firstIndex(of: UInt8(ascii: "="))
            ?? line.firstIndex { byte in byte == 0x20 || byte == 0x09 || byte == UInt8(ascii: ":") }
        return trimmed(end.map { end in line[..<end] } ?? line)
    }
}
