internal import Commands
internal import Configuration

struct SSHExamination {
    let summary: String
    let findings: [Check]

    private static let refusedWhy = "If sshd stops, it cannot start again, and no user can sign in over the network."
    private typealias Answer = (probe: SSHConfiguration.Probe?, text: String)

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
            (summary, findings) = ("does not use Cognito", [])
            return
        }
        func refusal(_ id: CheckID, _ words: String) -> [Check] {
            let what = "sshd does not accept its configuration: \(words)"
            return [Check(id, .broken, what, why: Self.refusedWhy, fix: "/usr/sbin/sshd -t")]
        }
        switch fact {
        case .absent: (summary, findings) = ("is not installed", [])
        case .unstarted:
            (summary, findings) = ("starts on the first connection; its settings are not known until then", [])
        case .silent: (summary, findings) = ("", refusal(.sshSilent, "the check did not finish within ten seconds."))
        case .refused(let words): (summary, findings) = ("", refusal(.sshRefused, words))
        case .settings(let text):
            let settings = SSHSettings(text)
            let probes = configuration?.probes(accounts, port: settings["port"] ?? "22") ?? []
            let answers = Self.answers(to: probes, otherwise: text, ask)
            let offersBoth = answers.map { answer in SSHSettings(answer.text) }.contains { settings in
                settings.asks("password") && settings.asks("keyboard-interactive")
            }
            summary =
                "uses PAM, keyboard-interactive, LoginGraceTime \(settings["logingracetime"] ?? "120")"
                + (offersBoth ? "; PasswordAuthentication no is recommended, see pam_cognito(8)" : "")
            findings =
                Self.findings(answers, usual: settings, accounts.count, configuration, networkTimeout)
                + Self.listFindings(answers, accounts, configuration, group: group)
        }
    }

    /// What sshd says of each probe; of all accounts, where there is none, or it says nothing.
    private static func answers(
        to probes: [SSHConfiguration.Probe], otherwise text: String, _ ask: (SSHConnection) -> SSHFact
    ) -> [Answer] {
        var answers: [Answer] = []
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
        _ answers: [Answer], usual: SSHSettings, _ count: Int, _ configuration: SSHConfiguration?,
        _ networkTimeout: Int64
    ) -> [Check] {
        let found = answers.flatMap { probe, text in
            SSHSettings(text).faults(networkTimeout).map { fault in
                var fault = fault
                if probe?.isElsewhere == true {
                    // From other places they can sign in, or that is told of them.
                    fault.severity = min(fault.severity, .warning)
                }
                return (fault.name, (fault, probe))
            }
        }
        let general = usual.faults(networkTimeout).map(\.name)
        return grouped(found).compactMap { setting, entries in
            guard let fault = entries.map(\.0).max(by: { left, right in left.severity < right.severity }) else {
                return nil
            }
            let names = unique(entries.compactMap { entry in entry.1?.account.name })
            var what = fault.what
            if let probe = entries[0].1, probe.isElsewhere || names.count < count || !general.contains(setting) {
                what +=
                    " The output of sshd -T -C \(probe.connection.specification) shows this setting for \(list(names))."
            }
            let files = configuration?.files(naming: setting) ?? SSHConfiguration.path
            return Check(
                fault.id, fault.severity, what, why: fault.why,
                fix: "\(setting) \(fault.value) in \(files); then: sshd -t && systemctl reload ssh")
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
        let keptOut = answers.filter { answer in answer.probe?.isElsewhere != true }.flatMap { probe, text in
            let access = SSHAccess(text)
            return (probe.map { probe in [probe.account] } ?? accounts).compactMap { account in
                access.keepingOut(account).map { list in (list, account) }
            }
        }
        return grouped(keptOut).map { kind, kept in
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
                .sshList, keptOut.count >= accounts.count ? .broken : .warning,
                "sshd's \(kind.rawValue) option excludes \(list(kept.map(\.name))).",
                why: "sshd refuses these users, even with the correct password.",
                fix: added.isEmpty
                    ? "editor \(files)   # \(kind.rawValue) may be intended for other users"
                    : "add \(added.joined(separator: " ")) to \(kind.rawValue) in \(files); "
                        + "then: sshd -t && systemctl reload ssh")
        }
    }
}
