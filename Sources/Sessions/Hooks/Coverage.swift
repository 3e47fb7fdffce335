package import Base
import Configuration

/// Whether an account of this machine is Cognito's: decided before a prompt, a process or a packet.
///
/// A pool in which people can register themselves lets a stranger be called `ubuntu`; so only accounts that the
/// administrator named are covered, and none that this machine has a password for, be it a locked one, unless it is
/// listed by name. And those that this machine has from the pool alone (`accounts`).
package enum Coverage: Equatable {
    case covered(Account)
    /// Unknown: the lines that decide it are missing, or have a mistake; and no local password opens the account.
    case doubtful
    /// It would be managed, but another source of names knows it, too, so it is refused. The reason, for the log.
    case refused(ByteText)
    /// Not a managed account.
    case notCovered
    /// No such account on this machine, or no name that an account can have.
    case unknown

    /// Whether `name` could be an account's at all: UTF-8 without control characters, blanks or slashes.
    package static func isPossibleName(_ name: [UInt8]) -> Bool {
        !name.isEmpty && name.count <= 128 && isPrintableUTF8(name[...])
            && !name.contains { byte in byte == UInt8(ascii: "/") || byte == 0x20 || byte == 0x09 }
    }

    package static func of(
        _ name: [UInt8],
        account: Account?,
        configuration: LoginConfiguration,
        on machine: some Machine
    ) throws(Fault) -> Coverage {
        let coverage = configuration.coverage
        guard let account, isPossibleName(name) else {
            return .unknown
        }
        guard account.uid != 0, account.uid >= coverage.minimumUID else {
            return .notCovered
        }
        // Only users of the pool have an account from the pool.
        if let own = try machine.ownAccount(name, account, configuration) {
            if let contest = own.contest {
                return .refused(contest)
            }
            return coverage.accounts == .none ? .doubtful : .covered(account)
        }
        if coverage.users.contains(name) {
            return .covered(account)
        }
        // Locking an account's password (passwd -l) closes the account, and does not make it a managed one.
        if let group = coverage.unixGroup, !account.hasUsablePassword, !account.hasLockedPassword {
            guard let member = try machine.isMember(name, account, of: group) else {
                throw Fault(
                    """
                    unix_group is \(quoting: group), which is not a group on this machine. Managed accounts cannot \
                    sign in until you create the group or specify another group
                    """, .configuration)
            }
            if member {
                return .covered(account)
            }
        }
        let isOwnBusiness = account.hasUsablePassword || systemUserIDs.contains(account.uid)
        return coverage.isComplete || isOwnBusiness ? .notCovered : .doubtful
    }
}

/// The user ids of systemd's dynamic users, and of `nobody`: the system's, though above `minimum_uid` (systemd's
/// UIDS-GIDS).
private let systemUserIDs: ClosedRange<UInt32> = 61_184...65_535

/// What a hook may do about an account.
enum Standing {
    /// Nothing: it is root's, the system's, local, or there is none. Which value says so, and what is wrong with the
    /// configuration all the same.
    case notManaged(ReturnValue, Fault?)
    /// Sign it in, or ask about it, with these settings.
    case managed(Account, Settings)
    /// Refuse it for this fault, unless a password of this machine counts meanwhile.
    case unavailable(Fault, allowsLocalPasswords: Bool)
    /// Refuse it, whatever the configuration has wrong: another source of names knows it, too. Why, for the log.
    case refused(ByteText)
    /// Refuse it for this fault: the configuration does not say whether it is managed, and no password of this machine
    /// opens it.
    case doubtful(Fault)
}

extension Hooks {
    /// Decides which account a hook may act on. The account hook decides for itself, since it needs the entry in
    /// shadow(5), too.
    ///
    /// Throws if the account cannot be looked up, and if the user who started this program may have prevented reading.
    func standing(of user: [UInt8]) throws(Fault) -> Standing {
        guard Coverage.isPossibleName(user), let account = try machine.account(named: user) else {
            return .notManaged(.userUnknown, nil)
        }
        // Root must not depend on a correct file of pam-cognito.
        guard account.uid != 0 else {
            return .notManaged(.ignore, nil)
        }
        let configuration = machine.configuration(at: configurationPath, arguments: options)
        let coverage = configuration.coverage
        let found: Coverage
        do throws(Fault) {
            if let fault = configuration.fault, isSetUserID, fault.isResourceExhaustion {
                throw fault
            }
            found = try Coverage.of(user, account: account, configuration: configuration, on: machine)
        } catch {
            guard isSetUserID, error.isResourceExhaustion else {
                return .unavailable(error, allowsLocalPasswords: coverage.allowsLocalPasswords)
            }
            throw error
        }
        switch (found, configuration) {
        case (.unknown, _): return .notManaged(.userUnknown, nil)
        case (.notCovered, _): return .notManaged(.ignore, configuration.fault)
        case (.refused(let why), _): return .refused(why)
        case (.covered, .right(let settings)): return .managed(account, settings)
        case (.covered, .wrong(let fault, _)):
            return .unavailable(fault, allowsLocalPasswords: coverage.allowsLocalPasswords)
        case (.doubtful, .wrong(let fault, _)): return .doubtful(fault)
        // What is right says whose every account is.
        case (.doubtful, .right): return .notManaged(.ignore, nil)
        }
    }
}
