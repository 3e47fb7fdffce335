internal import Glibc
internal import Messages

/// What `sshd -T -C` says.
enum SSHFact: Equatable, Sendable {
    /// There is no sshd here.
    case absent
    /// It refuses its configuration; its own words.
    case refused(String)
    /// It did not answer in time, and would not the next time.
    case silent
    /// It has not been started since the machine was, and cannot be asked before.
    case unstarted
    /// The effective settings: a name, whose case says nothing, and a value on each line.
    case settings(String)
}

/// sshd's settings beside what Cognito needs.
struct SSHExamination {
    /// One line for when all is well.
    let summary: String
    /// What was found.
    let findings: [Finding]

    /// Examines them.
    ///
    /// - Parameters:
    ///   - service: Whether sshd's PAM service asks Cognito.
    ///   - networkTimeout: How long Cognito may take, in milliseconds.
    ///   - configuration: Where the settings are written; nil where that is not known.
    ///   - accounts: Whose sign-in is Cognito's. What holds for nobody of them is not told.
    ///   - group: Whose members they are (`unix_group`).
    ///   - ask: What sshd says of one connection (`sshd -T -C`).
    init(
        _ fact: SSHFact, asksCognito service: Bool, networkTimeout: Int64, configuration: SSHConfiguration? = nil,
        accounts: [SSHAccount] = [], group: String? = nil, ask: (SSHConnection) -> SSHFact = { _ in .absent }
    ) {
        guard service else {
            summary = "does not ask Cognito"
            findings = []
            return
        }
        switch fact {
        case .absent:
            summary = "is not installed"
            findings = []
        case .silent:
            summary = ""
            findings = [
                Finding(
                    .broken, DoctorWording.sshRefused("it did not answer within ten seconds."),
                    why: DoctorWording.sshRefusedWhy,
                    mend: DoctorWording.sshTest)
            ]
        case .unstarted:
            summary = "is started when somebody comes; until then it does not say its settings"
            findings = []
        case .refused(let words):
            summary = ""
            findings = [
                Finding(
                    .broken, DoctorWording.sshRefused(words), why: DoctorWording.sshRefusedWhy,
                    mend: DoctorWording.sshTest)
            ]
        case .settings(let text):
            let settings = Self.settings(text)
            let probes = configuration?.probes(accounts, port: settings["port"] ?? "22") ?? []
            let answers = Self.answers(to: probes, otherwise: text, ask)
            let offersBoth = answers.contains { answer in
                let settings = Self.settings(answer.text)
                return Self.isAsking(settings, "password") && Self.isAsking(settings, "keyboard-interactive")
            }
            summary = DoctorWording.sshSummary(grace: settings["logingracetime"] ?? "120", offersBoth: offersBoth)
            findings =
                Self.findings(
                    answers.map { ($0.probe, Self.settings($0.text)) }, usual: settings, accounts.count, configuration,
                    networkTimeout)
                + Self.listFindings(answers, accounts, configuration, group: group)
        }
    }

    /// What sshd says of each probe; of everybody, where there is none, or it says nothing.
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

    /// What is wrong with a setting, wherever it stands.
    private struct SettingFault {
        var severity: Severity
        var what: String
        var why: String
        var name: String
        /// What it ought to be.
        var value: String
    }

    /// The faults of every answer, each once, with those whom it is about, and what sshd was asked.
    private static func findings(
        _ answers: [(probe: SSHConfiguration.Probe?, settings: [String: String])], usual: [String: String],
        _ count: Int, _ configuration: SSHConfiguration?, _ networkTimeout: Int64
    ) -> [Finding] {
        var found: [(fault: SettingFault, probe: SSHConfiguration.Probe?, names: [String])] = []
        for (probe, settings) in answers {
            for var fault in faults(settings, networkTimeout) {
                if probe?.isElsewhere == true {
                    // From other places they come in, or that is told of them.
                    fault.severity = min(fault.severity, .warning)
                }
                let names = probe?.accounts.map(\.name) ?? []
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
        let general = faults(usual, networkTimeout).map(\.name)
        return found.map { fault, probe, names in
            var what = fault.what
            if let probe, probe.isElsewhere || names.count < count || !general.contains(fault.name) {
                what +=
                    " So says sshd -T -C \(probe.connection.specification), for "
                    + "\(DoctorWording.peopleSummary(names))."
            }
            let files = configuration?.files(naming: fault.name) ?? "/etc/ssh/sshd_config"
            return Finding(
                fault.severity, what, why: fault.why,
                mend: "\(fault.name) \(fault.value) in \(files); then: systemctl reload ssh")
        }
    }

    /// The settings that sshd names, by their names in small letters: since OpenSSH 10.4 it writes some with capitals.
    static func settings(_ text: String) -> [String: String] {
        var settings: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1)
            if parts.count == 2, settings[parts[0].lowercased()] == nil {
                settings[parts[0].lowercased()] = String(parts[1])
            }
        }
        return settings
    }

    /// The lists of methods, with keyboard-interactive where a password was asked for, and behind all that asked for none: what
    /// they demand, such as a key, stays demanded.
    private static func asking(_ methods: [String]) -> String {
        let lists = methods.map { list in
            list.split(separator: ",").map { part in part == "password" ? "keyboard-interactive" : String(part) }
                .joined(separator: ",")
        }
        guard lists == methods else {
            return lists.joined(separator: " ")
        }
        return lists.map { list in "\(list),keyboard-interactive" }.joined(separator: " ")
    }

    private static func methods(_ settings: [String: String]) -> [String] {
        (settings["authenticationmethods"] ?? "any").split(separator: " ").map(String.init)
    }

    /// Whether AuthenticationMethods lets that method be used.
    private static func isListed(_ settings: [String: String], _ method: String) -> Bool {
        let methods = methods(settings)
        return methods == ["any"]
            || methods.contains { list in
                list.split(separator: ",").contains { part in part.split(separator: ":").first ?? "" == method }
            }
    }

    private static func isAsking(_ settings: [String: String], _ method: String) -> Bool {
        let option = method == "password" ? "passwordauthentication" : "kbdinteractiveauthentication"
        return settings[option] == "yes" && isListed(settings, method)
    }

    private static func faults(_ settings: [String: String], _ networkTimeout: Int64) -> [SettingFault] {
        var found: [SettingFault] = []
        let asks = isAsking(settings, "keyboard-interactive")
        let password = isAsking(settings, "password")
        if settings["usepam"] != "yes" {
            found.append(
                SettingFault(
                    severity: .broken, what: "sshd has UsePAM no.",
                    why: "It never asks pam_cognito, and compares passwords with /etc/shadow alone.", name: "UsePAM",
                    value: "yes"))
        } else if !asks {
            let isListed = isListed(settings, "keyboard-interactive")
            found.append(
                SettingFault(
                    severity: password ? .warning : .broken,
                    what: password && !isListed
                        ? "sshd's AuthenticationMethods leave out keyboard-interactive."
                        : password
                            ? "sshd has KbdInteractiveAuthentication no."
                            : "sshd asks for no password: neither keyboard-interactive nor password is on.",
                    why: password
                        ? "The password method knows one question: whoever needs a code or a new password is refused."
                        : "Over ssh only keys get in, and a key does not sign in to Cognito.",
                    name: isListed ? "KbdInteractiveAuthentication" : "AuthenticationMethods",
                    value: isListed ? "yes" : asking(methods(settings))))
        }
        if settings["usepam"] == "yes", settings["permitemptypasswords"] == "yes", asks {
            found.append(
                SettingFault(
                    severity: .broken, what: "sshd has PermitEmptyPasswords yes.",
                    why: "It tries an empty password first, and goes by that failure when it sets credentials "
                        + "(pam_setcred): keyboard-interactive ends in a closed connection.",
                    name: "PermitEmptyPasswords", value: "no"))
        }
        if let grace = settings["logingracetime"].flatMap({ text in Int64(text) }), grace > 0 {
            let needed = networkTimeout / 1000 + 15
            if grace < needed {
                found.append(
                    SettingFault(
                        severity: .warning,
                        what: "sshd's LoginGraceTime is \(grace) s, and Cognito alone may take "
                            + "\((networkTimeout / 1000)) s (network_timeout).",
                        why: "sshd hangs up in the middle of a sign-in when the network is slow or a code is typed.",
                        name: "LoginGraceTime", value: "\(max(120, needed))"))
            }
        }
        return found
    }
}

/// The names of all groups of an account.
func groupNames(of name: String) -> [String] {
    guard let account = unsafe getpwnam(name) else {
        return []
    }
    let primary = unsafe account.pointee.pw_gid
    // As many as the kernel lets a process have.
    var count: Int32 = 65536
    var groups = [gid_t](repeating: 0, count: Int(count))
    guard unsafe getgrouplist(name, primary, &groups, &count) >= 0 else {
        return []
    }
    return groups.prefix(Int(count)).compactMap { group in
        unsafe getgrgid(group).map { entry in unsafe String(cString: entry.pointee.gr_name) }
    }
}

/// What sshd makes of its configuration for one connection (`sshd -T -C`).
func effectiveSSHSettings(of connection: SSHConnection) -> SSHFact {
    let path = "/usr/sbin/sshd"
    guard linuxExists(path) else {
        return .absent
    }
    guard let (status, output) = run([path, "-T", "-C", connection.specification]) else {
        return .silent
    }
    // It ends its complaints as on a terminal.
    let lines = output.split(whereSeparator: \.isNewline)
    if status != 0, isSystemdRunning, lines.last?.hasPrefix("Missing privilege separation directory") == true {
        return settingsBeforeFirstStart([path, "-T", "-C", connection.specification])
    }
    return status == 0 ? .settings(output) : .refused(lines.last.map(String.init) ?? "")
}

/// systemd makes sshd's /run/sshd when it starts it: with ssh.socket only when somebody comes. Until then sshd is asked where
/// /run is another one, which nobody else sees.
private func settingsBeforeFirstStart(_ command: [String]) -> SSHFact {
    let script = "mount -t tmpfs -o mode=755 none /run && mkdir -m 755 /run/sshd && exec \"$@\""
    guard let (status, output) = run(["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, "sh"] + command) else {
        return .silent
    }
    let lines = output.split(whereSeparator: \.isNewline)
    guard status != 0, let last = lines.last else {
        return .settings(output)
    }
    // Where no file system may be mounted, nothing is known against it.
    return ["unshare:", "mount:", "mkdir:"].contains { name in last.hasPrefix(name) }
        ? .unstarted : .refused(String(last))
}
