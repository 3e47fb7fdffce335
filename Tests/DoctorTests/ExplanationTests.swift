import Accounts
import Base
import Sessions
import Testing

@testable import Doctor

@Suite("Whose sign-in is Cognito's, and why")
struct ExplanationTests {
    private static func facts(
        name: Bool = true, uid: UInt32? = 1000, password: Bool = false, configuration: Bool = true,
        disabled: Bool = false,
        named: Bool = false, group: String? = "cognito", member: Bool? = true, locked: Bool = false,
        accounts: Bool = false,
        own: OwnAccount? = nil, entered: Bool = false, mistake: MistakeEffect = .none, localPasswords: Bool = false
    ) -> Explanation {
        Explanation(
            Explanation.Facts(
                name: "ana", isPossibleName: name, uid: uid, hasUsablePassword: password, hasLockedPassword: locked,
                hasConfiguration: configuration, isSwitchedOff: disabled, minimumUID: 1000, isNamed: named,
                group: group, isMember: member, loginName: "ana", groups: "allowed_groups = *", mistake: mistake,
                allowsLocalPasswords: localPasswords, hasAccounts: accounts, ownAccount: own, isEntered: entered))
    }

    @Test(
        "every rule decides once",
        arguments: [
            (facts(name: false), .name, false), (facts(uid: nil), .account, false), (facts(uid: 0), .root, false),
            (facts(configuration: false), .configuration, false), (facts(disabled: true), .switch, false),
            (facts(uid: 999), .minimumUID, false), (facts(uid: 999, named: true), .minimumUID, false),
            (facts(password: true, named: true), .users, true), (facts(group: nil, member: nil), .users, false),
            (facts(password: true), .password, false), (facts(), .group, true), (facts(member: false), .group, false),
            (facts(member: nil), .group, false), (facts(locked: true), .password, false),
            (facts(named: true, locked: true), .users, true), (facts(uid: nil, accounts: true), .record, false),
            (facts(uid: nil, accounts: true, entered: true), .record, false),
            (facts(group: nil, member: nil, accounts: true, own: OwnAccount(.enabled), entered: true), .record, true),
            (facts(group: nil, member: nil, accounts: true), .users, false),
        ] as [(Explanation, CoverageRule, Bool)])
    func rules(explanation: Explanation, rule: CoverageRule, isCovered: Bool) {
        #expect(explanation.rule == rule)
        #expect(explanation.isCovered == isCovered)
        #expect(explanation.conditions.isEmpty == !isCovered)
    }

    @Test("a password of this machine is told of only where it counts")
    func localPassword() {
        for (counts, password) in [(true, true), (true, false), (false, true), (false, false)] {
            let said = Self.facts(password: password, named: true, localPasswords: counts).conditions
            #expect(
                said.contains { line in line.contains("the local password is accepted") } == (counts && password),
                "\(said)")
        }
    }

    @Test(
        "a mistake in the configuration is told for what it makes of the account",
        arguments: [
            (.none, "does not affect this account", false), (.refused, "ana is refused until", true),
            (.localPassword(isManaged: true), "ana signs in with only the local password (local_password)", false),
            (.localPassword(isManaged: false), "it is unknown whether ana is a managed account", false),
        ] as [(MistakeEffect, String, Bool)])
    func mistakes(mistake: MistakeEffect, words: String, isRefused: Bool) {
        let explanation = Self.facts(configuration: false, mistake: mistake)
        #expect(explanation.sentence.contains(words), "\(explanation.sentence)")
        #expect(explanation.isRefused == isRefused)
    }

    @Test("a rule that keeps an account out is no mere note")
    func refusals() {
        for (explanation, isRefused) in [
            (Self.facts(), false), (Self.facts(member: false), false), (Self.facts(member: nil), true),
            (Self.facts(uid: nil), false), (Self.facts(uid: nil, accounts: true), false),
            (Self.facts(uid: nil, accounts: true, entered: true), true), (Self.facts(disabled: true), false),
            (Self.facts(own: OwnAccount(.enabled)), false),
            (Self.facts(own: OwnAccount(.locked, contest: "ldap")), true),
        ] {
            #expect(explanation.isRefused == isRefused, "\(explanation.sentence)")
        }
    }
}
