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
                DoctorWording.explainLoginName(facts.loginName),
                DoctorWording.explainGroups(facts.groups),
            ]
                + (facts.hasUsablePassword && facts.allowsLocalPasswords ? [DoctorWording.explainLocalPassword] : [])
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
            return (false, .name, DoctorWording.explainName)
        }
        guard let uid = facts.uid else {
            return facts.isEntered
                ? (false, .record, DoctorWording.explainUnserved(facts.name))
                : facts.hasAccounts
                    ? (false, .record, DoctorWording.explainNoRecord(facts.name))
                    : (false, .account, DoctorWording.explainNoAccount(facts.name))
        }
        guard uid != 0 else {
            return (false, .root, DoctorWording.explainRoot)
        }
        guard !facts.isSwitchedOff else {
            return (false, .switch, DoctorWording.explainSwitchedOff)
        }
        guard facts.hasConfiguration else {
            let sentence =
                switch facts.mistake {
                case .none: DoctorWording.explainNoConfiguration
                case .refused: DoctorWording.explainRefused(facts.name)
                case .localPassword(isManaged: true): DoctorWording.explainLocalPasswordAlone(facts.name)
                case .localPassword(isManaged: false): DoctorWording.explainPerhapsManaged(facts.name)
                }
            return (false, .configuration, sentence)
        }
        guard uid >= facts.minimumUID else {
            return (false, .minimumUID, DoctorWording.explainLowUID(uid, facts.minimumUID))
        }
        if facts.ownAccount?.contest != nil {
            return (false, .record, DoctorWording.explainContested(facts.name))
        }
        if facts.ownAccount != nil {
            return (true, .record, DoctorWording.explainRecord(facts.name))
        }
        if facts.isNamed {
            return (true, .users, DoctorWording.explainNamed(facts.name))
        }
        guard let group = facts.group else {
            return (false, .users, DoctorWording.explainNotNamed(facts.name))
        }
        guard !facts.hasUsablePassword else {
            return (false, .password, DoctorWording.explainPassword(facts.name))
        }
        guard !facts.hasLockedPassword else {
            return (false, .password, DoctorWording.explainLockedPassword(facts.name))
        }
        switch facts.isMember {
        case nil: return (false, .group, DoctorWording.noGroup(group) + " " + DoctorWording.noGroupWhy)
        case true?: return (true, .group, DoctorWording.explainMember(facts.name, group))
        case false?: return (false, .group, DoctorWording.explainNoMember(facts.name, group))
        }
    }
}
