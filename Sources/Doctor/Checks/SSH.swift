internal import Commands
internal import Configuration

/// sshd's settings beside what Cognito needs.
struct SSHExamination {
    /// One line for when all is well.
    let summary: String
    let findings: [Check]

    private static let refusedWhy = "It will not start again, and no user can sign in over the network."
    private static let test = "/usr/sbin/sshd -t"

    /// Examines them.
    ///
    /// - Parameters:
    ///   - service: Whether sshd's PAM service asks Cognito.
    ///   - networkTimeout: How long Cognito may take, in milliseconds.
    ///   - configuration: Where the settings are written; nil where that is not known.
    ///   - accounts: Managed accounts. What holds for none of them is not told.
    ///   - group: Whose members they are (`unix_group`).
    ///   - ask: What sshd says of one connection (`sshd -T -C`).
    init(
        _ fact: SSHFact, asksCognito service: Bool, networkTimeout: Int64, configuration: SSHConfiguration? = nil,
        accounts: [SSHAccount] = [], group: String? = nil, ask: (SSHConnection) -> SSHFact = { _ in .absent }
    ) {
        guard service else {
            (summary, findings) = ("does not ask Cognito", [])
            return
        }
        switch fact {
        case .absent: (summary, findings) = ("is not installed", [])
        case .unstarted:
            summary = "starts with the first connection; until then its settings are not known"
            findings = []
        case .silent:
            summary = ""
            findings = [
                Check(
                    .sshSilent, .broken,
                    "sshd does not accept its configuration: it did not answer within ten seconds.",
                    why: Self.refusedWhy, fix: Self.test)
            ]
        case .refused(let words):
            summary = ""
            findings = [
                Check(
                    .sshRefused, .broken, "sshd does not accept its configuration: \(words)", why: Self.refusedWhy,
                    fix: Self.test)
            ]
        case .settings(let text):
            let settings = SSHSettings(text)
            let probes = configuration?.probes(accounts, port: settings["port"] ?? "22") ?? []
            let answers = Self.answers(to: probes, otherwise: text, ask)
            let offersBoth = answers.contains { answer in
                let settings = SSHSettings(answer.text)
                return settings.asks("password") && settings.asks("keyboard-interactive")
            }
            summary =
                "asks through PAM, keyboard-interactive, LoginGraceTime \(settings["logingracetime"] ?? "120")"
                + (offersBoth ? "; better with PasswordAuthentication no, see pam_cognito(8)" : "")
            findings =
                Self.findings(
                    answers.map { ($0.probe, SSHSettings($0.text)) }, usual: settings, accounts.count, configuration,
                    networkTimeout)
                + Self.listFindings(answers, accounts, configuration, group: group)
        }
    }

    /// What sshd says of each probe; of all accounts, where there is none, or it says nothing.
    private static func answers(
        to probes: [SSHConfiguration.Probe], otherwise text: String, _ ask: (SSHConnection) -> SSHFact
    ) -> [(probe: SSHConfiguration.Probe?, text: String)] {
        var answers: [(probe: SSHConfiguration.Probe?, text: String)] = []
        for probe in probes {
            let answer = ask(probe.connection)
            if case .settings(let text) = answer {
                answers.append((probe, text))
            } else if answer == .silent {
                break
            }
        }
        return answers.isEmpty ? [(nil, text)] : answers
    }

    /// The faults of every answer, each once, with those whom it is about, and what sshd was asked.
    private static func findings(
        _ answers: [(probe: SSHConfiguration.Probe?, settings: SSHSettings)], usual: SSHSettings,
        _ count: Int, _ configuration: SSHConfiguration?, _ networkTimeout: Int64
    ) -> [Check] {
        var found: [(fault: SSHSettings.SettingFault, probe: SSHConfiguration.Probe?, names: [String])] = []
        for (probe, settings) in answers {
            for var fault in settings.faults(networkTimeout) {
                if probe?.isElsewhere == true {
                    // From other places they can sign in, or that is told of them.
                    fault.severity = min(fault.severity, .warning)
                }
                let names = (probe.map { probe in [probe.account.name] }) ?? []
                if let index = found.firstIndex(where: { entry in entry.fault.name == fault.name }) {
                    if fault.severity > found[index].fault.severity {
                        found[index].fault = fault
                    }
                    found[index].names += names.filter { name in !found[index].names.contains(name) }
                } else {
                    found.append((fault, probe, names))
                }
            }
        }
        let general = usual.faults(networkTimeout).map(\.name)
        return found.map { fault, probe, names in
            var what = fault.what
            if let probe, probe.isElsewhere || names.count < count || !general.contains(fault.name) {
                what += " So says sshd -T -C \(probe.connection.specification), for \(list(names))."
            }
            let files = configuration?.files(naming: fault.name) ?? SSHConfiguration.path
            return Check(
                fault.id, fault.severity, what, why: fault.why,
                fix: "\(fault.name) \(fault.value) in \(files); then: systemctl reload ssh")
        }
    }

    /// Those whom sshd turns away by a list, whatever they prove.
    ///
    /// - Parameters:
    ///   - answers: What it says of whom, in its own words; nil: of all.
    ///   - group: Whose members sign in with Cognito.
    static func listFindings(
        _ answers: [(probe: SSHConfiguration.Probe?, text: String)], _ accounts: [SSHAccount],
        _ configuration: SSHConfiguration?, group: String?
    ) -> [Check] {
        var found: [(list: SSHAccess.List, accounts: [SSHAccount])] = []
        for (probe, text) in answers where probe?.isElsewhere != true {
            let access = SSHAccess(text)
            for account in probe.map({ probe in [probe.account] }) ?? accounts {
                guard let list = access.keepingOut(account) else {
                    continue
                }
                if let index = found.firstIndex(where: { entry in entry.list == list }) {
                    found[index].accounts.append(account)
                } else {
                    found.append((list, [account]))
                }
            }
        }
        let total = found.map(\.accounts.count).reduce(0, +)
        return found.map { kind, kept in
            let files = configuration?.files(naming: kind.rawValue) ?? SSHConfiguration.path
            let added =
                switch kind {
                // The pattern may be meant for other accounts.
                case .denyUsers, .denyGroups: [String]()
                case .allowUsers: kept.map(\.name)
                case .allowGroups:
                    [group].compactMap(\.self).filter { group in
                        kept.allSatisfy { account in account.groups.contains(group) }
                    }
                }
            return Check(
                .sshList, total >= accounts.count ? .broken : .warning,
                "sshd's \(kind.rawValue) keeps out \(list(kept.map(\.name))).",
                why: "They are refused even with the right password: sshd admits only accounts that its lists allow.",
                fix: added.isEmpty
                    ? "editor \(files)   # \(kind.rawValue) may be meant for others"
                    : "add \(added.joined(separator: " ")) to \(kind.rawValue) in \(files); then: systemctl reload ssh")
        }
    }
}
