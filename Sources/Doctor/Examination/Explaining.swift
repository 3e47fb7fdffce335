internal import Accounts
internal import Base
internal import Commands
internal import Configuration
internal import Glibc
internal import LinuxHost
internal import LoginHooks
internal import Messages
internal import Sessions
internal import Tokens

/// `doctor --explain`.
func explain(_ name: String, _ path: String, asJSON: Bool) throws(Refusal) -> ExitCode {
    let machine = MachineExamination(configuration: path)
    let mistake = machine.configuration.effect(on: name)
    let explanation = Explanation(Explanation.Facts(of: name, machine.configuration.settings, mistake))
    let obstacles = AccountObstacles(
        name, on: machine, isCovered: explanation.isCovered,
        isManaged: explanation.isCovered || explanation.isRefused || mistake != .none)
    let report = DoctorReport([AreaReport(.people, "", obstacles?.findings ?? [])])
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
            ? "\(shown) signs in with Cognito here." : "\(shown) does not sign in with Cognito here."
        let rest = obstacles == nil ? [] : report.entries(.current)
        let all =
            obstacles != nil && rest.isEmpty
            ? ["Nothing else that was looked at keeps \(shown) out of this machine."]
            : rest.isEmpty ? [] : ["What else was found about sign-ins of \(shown):"]
        let lines = [verdict, explanation.sentence] + explanation.conditions + all + rest
        try answer(lines.joined(separator: "\n") + "\n")
    }
    return status
}

extension Explanation.Facts {
    /// What this machine knows of an account; `settings` are nil while the configuration has a mistake.
    fileprivate init(of name: String, _ settings: Settings?, _ mistake: MistakeEffect) {
        let bytes = Array(name.utf8)
        let account = (try? Account.named(bytes)) ?? nil
        func words(_ names: [[UInt8]]) -> String {
            names.map { group in String(decoding: group, as: UTF8.self) }.joined(separator: " ")
        }
        let allowed: String =
            switch settings?.allowedGroups {
            case .everybody?: "*"
            case .these(let names)?: words(names)
            case nil: ""
            }
        let denied =
            settings.flatMap { settings in
                settings.deniedGroups.isEmpty ? nil : ["denied_groups = \(words(settings.deniedGroups))"]
            } ?? []
        self.init(
            name: printable(bytes), isPossibleName: Coverage.isPossibleName(bytes), uid: account?.uid,
            hasUsablePassword: account?.hasUsablePassword ?? false, hasConfiguration: settings != nil,
            isSwitchedOff: LinuxMachine().isDisabled, minimumUID: settings?.minimumUID ?? 0,
            isNamed: settings?.users.contains(bytes) ?? false,
            group: settings?.unixGroup.map { group in String(decoding: group, as: UTF8.self) },
            isMember: settings?.unixGroup.flatMap { group in (try? account?.isMember(bytes, of: group)) ?? nil },
            loginName: String(decoding: settings?.loginName(for: bytes) ?? bytes, as: UTF8.self),
            groups: (["allowed_groups = \(allowed)"] + denied).joined(separator: ", "),
            hasLockedPassword: account?.hasLockedPassword ?? false, mistake: mistake,
            allowsLocalPasswords: settings?.coverage.allowsLocalPasswords ?? false)
        guard let settings, settings.accounts != .none else {
            return
        }
        hasAccounts = true
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
