internal import Messages
internal import Sessions

/// What decides whether an account is Cognito's, in the order in which a login goes by it.
enum CoverageRule: String, CaseIterable, Sendable {
    case name
    case account
    case configuration
    case `switch`
    case record
    case root
    case minimumUID = "minimum_uid"
    case users
    case password
    case group = "unix_group"
}

/// Which rule makes an account Cognito's, or does not.
struct Explanation: Equatable, Sendable {
    /// What is known of the account and of the rules.
    struct Facts: Sendable {
        var name: String
        var isPossibleName: Bool
        /// Nil when there is no such account.
        var uid: UInt32?
        var hasUsablePassword: Bool
        var hasConfiguration: Bool
        var isSwitchedOff: Bool
        var minimumUID: UInt32
        var isNamed: Bool
        var group: String?
        /// Nil when there is no such group.
        var isMember: Bool?
        /// The name that Cognito is asked for.
        var loginName: String
        /// `allowed_groups` and `denied_groups`, as they stand in the file.
        var groups: String
        var hasLockedPassword = false
        /// What a mistake in the configuration makes of its sign-ins; `hasConfiguration` is false then.
        var mistake = MistakeEffect.none
        /// Whether a password of this machine counts while Cognito cannot be asked (`local_password`).
        var allowsLocalPasswords = false
        /// Whether people have accounts here from the pool alone (`accounts`), and what this machine knows of this one by that.
        var hasAccounts = false
        var ownAccount: OwnAccount?
        /// Whether there is a record, or what is left of one.
        var isEntered = false
    }

    /// Whether Cognito is asked about the account.
    let isCovered: Bool
    /// The rule that decides.
    let rule: CoverageRule
    let sentence: String
    /// What else decides, at the sign-in; empty where Cognito is not asked.
    let conditions: [String]
    /// Whether the rule keeps the account out, rather than leaving it to others.
    let isRefused: Bool

    init(_ facts: Facts) {
        let decision = Self.decide(facts)
        isCovered = decision.isCovered
        rule = decision.rule
        sentence = decision.sentence
        conditions =
            decision.isCovered
            ? [
                "Cognito is asked about \(facts.loginName).",
                "Who may come in is told by their Cognito groups, at sign-in: \(facts.groups); a service "
                    + "may have others.",
            ]
                + (facts.hasUsablePassword && facts.allowsLocalPasswords
                    ? [
                        "While Cognito cannot be asked, the password of this machine opens the account "
                            + "(local_password)."
                    ] : [])
            : []
        isRefused =
            switch rule {
            case .configuration: facts.mistake == .refused
            case .record: !isCovered && (facts.isEntered || facts.ownAccount?.contest != nil)
            case .group: facts.isMember == nil
            case .name, .account, .switch, .root, .minimumUID, .users, .password: false
            }
    }

    private static func decide(_ facts: Facts) -> (isCovered: Bool, rule: CoverageRule, sentence: String) {
        guard facts.isPossibleName else {
            return (false, .name, "That is no name that an account can have.")
        }
        guard let uid = facts.uid else {
            return facts.isEntered
                ? (
                    false, .record,
                    "Something is kept of \(facts.name), and the machine does not find the account: "
                        + "cognito-session doctor says why."
                )
                : facts.hasAccounts
                    ? (
                        false, .record,
                        "\(facts.name) has no account on this machine, and none from the pool: nobody of that "
                            + "name has been entered (accounts)."
                    )
                    : (
                        false, .account,
                        "There is no account \(facts.name) on this machine; Cognito's people need one here, too: "
                            + "\(DoctorWording.makeUser(facts.name))"
                    )
        }
        guard uid != 0 else {
            return (false, .root, "root is never Cognito's, whatever the configuration says.")
        }
        guard !facts.isSwitchedOff else {
            return (false, .switch, "/run/pam-cognito/disabled is there: Cognito is switched off for everybody.")
        }
        guard facts.hasConfiguration else {
            let sentence =
                switch facts.mistake {
                case .none:
                    "The configuration has a mistake, which changes nothing for this account. "
                        + "cognito-session doctor says where."
                case .refused:
                    "The configuration has a mistake, and \(facts.name) is refused until it is corrected. "
                        + "cognito-session doctor says where."
                case .localPassword(isManaged: true):
                    "The configuration has a mistake: until it is corrected, Cognito is not asked, and the "
                        + "local password of \(facts.name) alone opens the account (local_password). "
                        + "cognito-session doctor says where."
                case .localPassword(isManaged: false):
                    "The configuration has a mistake and does not say whether \(facts.name) is a managed "
                        + "account: until it is corrected, its local password alone opens it. cognito-session "
                        + "doctor says where."
                }
            return (false, .configuration, sentence)
        }
        guard uid >= facts.minimumUID else {
            return (false, .minimumUID, "Its uid, \(uid), is below minimum_uid, \(facts.minimumUID).")
        }
        if facts.ownAccount?.contest != nil {
            return (
                false, .record,
                "\(facts.name) has an account from the pool, and another source in /etc/nsswitch.conf "
                    + "knows it, too: nobody comes in. The log says which."
            )
        }
        if facts.ownAccount != nil {
            return (
                true, .record,
                "\(facts.name) has an account from the pool alone (accounts): cognito-session accounts "
                    + "--show \(facts.name)"
            )
        }
        if facts.isNamed {
            return (true, .users, "users names \(facts.name).")
        }
        guard let group = facts.group else {
            return (false, .users, "users does not name \(facts.name), and no unix_group is set.")
        }
        guard !facts.hasUsablePassword else {
            return (
                false, .password,
                "\(facts.name) has a password of this machine, and users does not name it: such an "
                    + "account stays local."
            )
        }
        guard !facts.hasLockedPassword else {
            return (
                false, .password,
                "\(facts.name) has a password of this machine that is locked, and users does not name "
                    + "it: such an account is closed."
            )
        }
        switch facts.isMember {
        case nil: return (false, .group, DoctorWording.noGroup(group) + " " + DoctorWording.noGroupWhy)
        case true?:
            return (
                true, .group,
                "\(facts.name) is in the group \(group) (unix_group), and has no password of this machine."
            )
        case false?:
            return (
                false, .group, "users does not name \(facts.name), and it is not in the group \(group) (unix_group)."
            )
        }
    }
}
