import Accounts
import Base
import Configuration
import Sessions
import Testing

@testable import Doctor

@Suite("Whose sign-in is Cognito's, and why")
struct ExplanationTests {
    private static func facts(
        name: String = "ana", uid: UInt32? = 1000, password: Bool = false, configuration: Bool = true,
        disabled: Bool = false, named: Bool = false, group: String? = "cognito", member: Bool? = true,
        locked: Bool = false, accounts: Bool = false, own: OwnAccount? = nil, entered: Bool = false,
        mistake: MistakeEffect = .none, localPasswords: Bool = false
    ) -> Explanation {
        var settings = Settings.defaults
        settings.users = named ? [Array("ana".utf8)] : []
        settings.unixGroup = group.map { group in Array(group.utf8) }
        settings.accounts = accounts ? .directory : .none
        settings.allowsLocalPasswords = localPasswords
        let account = uid.map { uid in
            Account(uid: uid, gid: uid, hasUsablePassword: password, hasLockedPassword: locked)
        }
        return Explanation(
            Explanation.Facts(
                name: Array(name.utf8), account: account, settings: configuration ? settings : nil, mistake: mistake,
                isSwitchedOff: disabled, isMember: member, ownAccount: own, isEntered: entered))
    }

    @Test(
        "every rule decides once",
        arguments: [
            (facts(name: "a/b"), .name, false), (facts(uid: nil), .account, false), (facts(uid: 0), .root, false),
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
