internal import Accounts
internal import Base
internal import Commands
internal import Configuration
internal import Glibc
internal import Messages
internal import Sessions
internal import Tokens

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
        var isPossibleName = true
        /// Nil when there is no such account.
        var uid: UInt32?
        var hasUsablePassword = false
        var hasLockedPassword = false
        var hasConfiguration = true
        var isSwitchedOff = false
        var minimumUID: UInt32 = 0
        var isNamed = false
        var group: String?
        /// Nil when there is no such group.
        var isMember: Bool?
        /// The name that Cognito is asked for.
        var loginName: String
        /// `allowed_groups` and `denied_groups`, as they stand in the file.
        var groups = ""
        /// What a mistake in the configuration makes of its sign-ins; `hasConfiguration` is false then.
        var mistake = MistakeEffect.none
        /// Whether a password of this machine counts while Cognito cannot be asked (`local_password`).
        var allowsLocalPasswords = false
        /// Whether users have accounts here from the pool alone (`accounts`), and what this machine knows of this one
        /// by that.
        var hasAccounts = false
        var ownAccount: OwnAccount?
        /// Whether there is a record, or what is left of one.
        var isEntered = false
    }

    let isCovered: Bool
    let rule: CoverageRule
    let sentence: String
    /// What else decides, at the sign-in; empty where Cognito is not asked.
    let conditions: [String]
    /// Whether the rule keeps the account out, rather than leaving it to others.
    let isRefused: Bool

    init(_ facts: Facts) {
        (isCovered, rule, sentence) = Self.decide(facts)
        let conditions = [
            "The user name in Cognito is \(facts.loginName).",
            "Cognito groups decide which users are admitted: \(facts.groups). A service's PAM line can specify "
                + "different groups.",
            facts.hasUsablePassword && facts.allowsLocalPasswords
                ? "While Cognito cannot be reached, the local password is accepted (local_password)."
                : nil,
        ]
        self.conditions = isCovered ? conditions.compactMap(\.self) : []
        isRefused =
            switch rule {
            case .configuration: facts.mistake == .refused
            case .record: !isCovered && (facts.isEntered || facts.ownAccount?.contest != nil)
            case .group: facts.isMember == nil
            case .name, .account, .switch, .root, .minimumUID, .users, .password: false
            }
    }

    private typealias Decision = (isCovered: Bool, rule: CoverageRule, sentence: String)

    private static func decide(_ facts: Facts) -> Decision {
        func no(_ rule: CoverageRule, _ sentence: String) -> Decision { (false, rule, sentence) }
        func yes(_ rule: CoverageRule, _ sentence: String) -> Decision { (true, rule, sentence) }
        let name = facts.name
        guard facts.isPossibleName else {
            return no(.name, "This is not a valid account name.")
        }
        guard let uid = facts.uid else {
            guard facts.isEntered || facts.hasAccounts else {
                return no(
                    .account,
                    "There is no account \(name) on this machine. Cognito users also need a local account: "
                        + PeopleFacts.create(shellWord(name)))
            }
            return no(
                .record,
                facts.isEntered
                    ? "There is an account record for \(name), but the account is not found. cognito-session doctor "
                        + "shows the reason."
                    : "\(name) has no local account, and there is no record of an account from the pool (accounts).")
        }
        guard uid != 0 else {
            return no(.root, "root never signs in with Cognito, regardless of the configuration.")
        }
        guard !facts.isSwitchedOff else {
            return no(.switch, "pam_cognito is turned off for all accounts, because /run/pam-cognito/disabled exists.")
        }
        guard facts.hasConfiguration else {
            return no(
                .configuration,
                mistakeSentence(facts.mistake, name) + " cognito-session doctor shows the mistake.")
        }
        guard uid >= facts.minimumUID else {
            return no(.minimumUID, "The uid of \(name) is \(uid), which is below minimum_uid (\(facts.minimumUID)).")
        }
        if facts.ownAccount?.contest != nil {
            return no(
                .record,
                "Sign-ins as \(name) are refused, because both the pool and another source in /etc/nsswitch.conf have "
                    + "this account. The log names the other source.")
        }
        if facts.ownAccount != nil {
            return yes(
                .record,
                "The account of \(name) comes only from the pool (accounts): cognito-session accounts --show \(name)")
        }
        if facts.isNamed {
            return yes(.users, "\(name) is listed in the users option.")
        }
        guard let group = facts.group else {
            return no(.users, "\(name) is not listed in the users option, and unix_group is not set.")
        }
        guard !facts.hasUsablePassword, !facts.hasLockedPassword else {
            let (lock, end) = facts.hasUsablePassword ? ("", "stays local") : (" that is locked", "cannot be used")
            return no(
                .password,
                "\(name) is not listed in the users option and has a local password\(lock), so the account \(end).")
        }
        return switch facts.isMember {
        case nil: no(.group, PeopleFacts.noGroup(group) + " " + PeopleFacts.noGroupWhy)
        case true?: yes(.group, "\(name) is in the group \(group) (unix_group) and has no local password.")
        case false?:
            no(.group, "\(name) is not listed in the users option and is not in the group \(group) (unix_group).")
        }
    }

    private static func mistakeSentence(_ mistake: MistakeEffect, _ name: String) -> String {
        switch mistake {
        case .none: "The configuration has a mistake, which does not affect this account."
        case .refused: "The configuration has a mistake, and \(name) is refused until the mistake is corrected."
        case .localPassword(isManaged: true):
            "The configuration has a mistake. Until the mistake is corrected, \(name) signs in with only the local "
                + "password (local_password)."
        case .localPassword(isManaged: false):
            "Because of a mistake in the configuration, it is unknown whether \(name) is a managed account. Until the "
                + "mistake is corrected, \(name) signs in with only the local password."
        }
    }
}

/// `doctor --explain`.
func explain(_ name: String, _ path: String, asJSON: Bool) throws(Refusal) -> ExitCode {
    let machine = MachineExamination(configuration: path)
    let mistake = machine.configuration.effect(on: name)
    let explanation = Explanation(Explanation.Facts(of: name, machine.configuration.settings, mistake))
    let obstacles = existingAccount(name).map { account in
        AccountObstacles(
            name: name, examination: machine, isRoot: account.uid == 0, isCovered: explanation.isCovered,
            isManaged: explanation.isCovered || explanation.isRefused || mistake != .none)
    }
    let report = DoctorReport(areas: [AreaReport(.people, "", obstacles?.findings ?? [])])
    let status = explanation.isRefused ? .broken : report.exitStatus
    if asJSON {
        try answer(
            answerObject(
                status, explanation.sentence,
                [
                    "covered": .boolean(explanation.isCovered), "rule": .string(explanation.rule.rawValue),
                    "conditions": .array(explanation.conditions.map(JSONValue.string)),
                    "findings": report.findings,
                ]))
    } else {
        let shown: String = printable(Array(name.utf8))
        let verdict =
            explanation.isCovered
            ? "\(shown) signs in with Cognito on this "
                + "machine." : "\(shown) does not sign in with Cognito on this machine."
        let rest = obstacles == nil ? [] : report.entries(.current)
        let all =
            obstacles != nil && rest.isEmpty
            ? ["The doctor found nothing else that prevents a sign-in by \(shown)."]
            : rest.isEmpty ? [] : ["Other findings about sign-ins by \(shown):"]
        let lines = [verdict, explanation.sentence] + explanation.conditions + all + rest
        try answer(lines.joined(separator: "\n") + "\n")
    }
    return status
}

extension Explanation.Facts {
    /// What this machine knows of an account; `settings` are nil while the configuration has a mistake.
    fileprivate init(of name: String, _ settings: Settings?, _ mistake: MistakeEffect) {
        let bytes = Array(name.utf8)
        let account = existingAccount(name)
        self.init(name: printable(bytes), loginName: text(settings?.loginName(for: bytes) ?? bytes))
        isPossibleName = Coverage.isPossibleName(bytes)
        uid = account?.uid
        hasUsablePassword = account?.hasUsablePassword ?? false
        hasLockedPassword = account?.hasLockedPassword ?? false
        hasConfiguration = settings != nil
        isSwitchedOff = LinuxMachine().isDisabled
        self.mistake = mistake
        guard let settings else { return }
        minimumUID = settings.minimumUID
        isNamed = settings.users.contains(bytes)
        group = settings.unixGroup.map(text)
        isMember = settings.unixGroup.flatMap { group in (try? account?.isMember(bytes, of: group)) ?? nil }
        func words(_ names: [[UInt8]]) -> String { names.map(text).joined(separator: " ") }
        let allowed = if case .these(let names) = settings.allowedGroups { words(names) } else { "*" }
        let denied = settings.deniedGroups.isEmpty ? "" : ", denied_groups = \(words(settings.deniedGroups))"
        groups = "allowed_groups = \(allowed)\(denied)"
        allowsLocalPasswords = settings.coverage.allowsLocalPasswords
        hasAccounts = settings.accounts != .none
        guard hasAccounts else { return }
        ownAccount = account.flatMap { account in
            (try? LinuxMachine().ownAccount(bytes, account, .right(settings))) ?? nil
        }
        do throws(AccountFault) {
            isEntered = try AccountStore().record(named: bytes).map { record in record.state != .forgotten } ?? false
        } catch .directory(.noSuchFileOrDirectory) {
            isEntered = false
        } catch {
            isEntered = true
        }
    }
}
