internal import Messages

/// What decides whether an account is Cognito's, in the order in which a login goes by it.
package enum CoverageRule: String, CaseIterable, Sendable {
    case name
    case account
    case configuration
    case `switch`
    case root
    case minimumUID = "minimum_uid"
    case users
    case password
    case group = "unix_group"
}

/// Which rule makes an account Cognito's, or does not.
package struct Explanation: Equatable, Sendable {
    /// What is known of the account and of the rules.
    package struct Facts: Sendable {
        package var name: String
        package var isPossibleName: Bool
        /// Nil when there is no such account.
        package var uid: UInt32?
        package var hasUsablePassword: Bool
        package var hasLockedPassword: Bool
        package var hasConfiguration: Bool
        package var isSwitchedOff: Bool
        package var minimumUID: UInt32
        package var isNamed: Bool
        package var group: String?
        /// Nil when there is no such group.
        package var isMember: Bool?
        /// The name that Cognito is asked for.
        package var loginName: String
        /// `allowed_groups` and `denied_groups`, as they stand in the file.
        package var groups: String

        /// Facts from their parts.
        package init(
            name: String, isPossibleName: Bool, uid: UInt32?, hasUsablePassword: Bool, hasConfiguration: Bool,
            isSwitchedOff: Bool, minimumUID: UInt32, isNamed: Bool, group: String?, isMember: Bool?, loginName: String,
            groups: String, hasLockedPassword: Bool = false
        ) {
            self.name = name
            self.isPossibleName = isPossibleName
            self.uid = uid
            self.hasUsablePassword = hasUsablePassword
            self.hasLockedPassword = hasLockedPassword
            self.hasConfiguration = hasConfiguration
            self.isSwitchedOff = isSwitchedOff
            self.minimumUID = minimumUID
            self.isNamed = isNamed
            self.group = group
            self.isMember = isMember
            self.loginName = loginName
            self.groups = groups
        }
    }

    /// Whether Cognito is asked about the account.
    package let isCovered: Bool
    /// The rule that decides.
    package let rule: CoverageRule
    /// What it says.
    package let sentence: String
    /// What else decides, at the sign-in; empty where Cognito is not asked.
    package let conditions: [String]

    /// Goes through the rules.
    package init(_ facts: Facts) {
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
                + (facts.hasUsablePassword ? [DoctorWording.explainLocalPassword] : [])
            : []
    }

    private static func decide(_ facts: Facts) -> (isCovered: Bool, rule: CoverageRule, sentence: String) {
        guard facts.isPossibleName else {
            return (false, .name, DoctorWording.explainName)
        }
        guard let uid = facts.uid else {
            return (false, .account, DoctorWording.explainNoAccount(facts.name))
        }
        guard uid != 0 else {
            return (false, .root, DoctorWording.explainRoot)
        }
        guard !facts.isSwitchedOff else {
            return (false, .switch, DoctorWording.explainSwitchedOff)
        }
        guard facts.hasConfiguration else {
            return (false, .configuration, DoctorWording.explainNoConfiguration)
        }
        guard uid >= facts.minimumUID else {
            return (false, .minimumUID, DoctorWording.explainLowUID(uid, facts.minimumUID))
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
