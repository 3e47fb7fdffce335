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
        var name: [UInt8]
        /// Nil when there is no such account.
        var account: Account?
        /// Nil while there is a mistake in the configuration, and what that makes of its sign-ins.
        var settings: Settings?
        var mistake = MistakeEffect.none
        var isSwitchedOff = false
        /// Nil when there is no such group.
        var isMember: Bool?
        /// What this machine knows of it by the pool alone (`accounts`).
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
        conditions = isCovered ? facts.settings.map { settings in Self.conditions(facts, settings) } ?? [] : []
        isRefused =
            switch rule {
            case .configuration: facts.mistake == .refused
            case .record: !isCovered && (facts.isEntered || facts.ownAccount?.contest != nil)
            case .group: facts.isMember == nil
            case .name, .account, .switch, .root, .minimumUID, .users, .password: false
            }
    }

    private static func conditions(_ facts: Facts, _ settings: Settings) -> [String] {
        func words(_ names: [[UInt8]]) -> String { names.map(text).joined(separator: " ") }
        let allowed = if case .these(let names) = settings.allowedGroups { words(names) } else { "*" }
        let denied = settings.deniedGroups.isEmpty ? "" : ", denied_groups = \(words(settings.deniedGroups))"
        let local = "While Cognito cannot be reached, the local password is accepted (local_password)."
        return [
            "The user name in Cognito is \(text(settings.loginName(for: facts.name))).",
            "Cognito groups decide which users are admitted: allowed_groups = \(allowed)\(denied). A service's PAM "
                + "line can specify different groups.",
        ] + (facts.account?.hasUsablePassword == true && settings.coverage.allowsLocalPasswords ? [local] : [])
    }

    private typealias Decision = (isCovered: Bool, rule: CoverageRule, sentence: String)

    private static func decide(_ facts: Facts) -> Decision {
        func no(_ rule: CoverageRule, _ sentence: String) -> Decision { (false, rule, sentence) }
        func yes(_ rule: CoverageRule, _ sentence: String) -> Decision { (true, rule, sentence) }
        let name: String = printable(facts.name)
        guard Coverage.isPossibleName(facts.name) else {
            return no(.name, "This is not a valid account name.")
        }
        guard let account = facts.account else {
            guard facts.isEntered || facts.settings.map({ settings in settings.accounts != .none }) ?? false else {
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
        guard account.uid != 0 else {
            return no(.root, "root never signs in with Cognito, regardless of the configuration.")
        }
        guard !facts.isSwitchedOff else {
            return no(.switch, "pam_cognito is turned off for all accounts, because /run/pam-cognito/disabled exists.")
        }
        guard let settings = facts.settings else {
            return no(
                .configuration,
                mistakeSentence(facts.mistake, name) + " cognito-session doctor shows the mistake.")
        }
        let (uid, minimum) = (account.uid, settings.minimumUID)
        guard uid >= minimum else {
            return no(.minimumUID, "The uid of \(name) is \(uid), which is below minimum_uid (\(minimum)).")
        }
        if facts.ownAccount?.contest != nil {
            return no(
                .record,
                "Sign-ins as \(name) are refused, because both the pool and another source in /etc/nsswitch.conf have "
                    + "this account. The log shows which source in /etc/nsswitch.conf has the same name or user id.")
        }
        if facts.ownAccount != nil {
            return yes(
                .record,
                "The account of \(name) comes only from the pool (accounts): cognito-session accounts --show \(name)")
        }
        if settings.users.contains(facts.name) {
            return yes(.users, "\(name) is listed in the users option.")
        }
        guard let group = settings.unixGroup.map(text) else {
            return no(.users, "\(name) is not listed in the users option, and unix_group is not set.")
        }
        guard !account.hasUsablePassword, !account.hasLockedPassword else {
            let (lock, end) = account.hasUsablePassword ? ("", "stays local") : (" that is locked", "cannot be used")
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
        self.init(
            name: bytes, account: account, settings: settings, mistake: mistake,
            isSwitchedOff: LinuxMachine().isDisabled)
        guard let settings else { return }
        isMember = settings.unixGroup.flatMap { group in (try? account?.isMember(bytes, of: group)) ?? nil }
        guard settings.accounts != .none else { return }
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
