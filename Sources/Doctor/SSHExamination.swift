internal import Wording

/// What `sshd -T` says.
package enum SSHFact: Equatable, Sendable {
    /// There is no sshd here.
    case absent
    /// It refuses its configuration; its own words.
    case refused(String)
    /// The effective settings: a name in small letters and a value on each line.
    case settings(String)
}

/// sshd's settings beside what Cognito needs.
package struct SSHExamination {
    /// One line for when all is well.
    package let summary: String
    /// What was found.
    package let findings: [Finding]

    /// Examines them.
    ///
    /// - Parameters:
    ///   - service: Whether sshd's PAM service asks Cognito.
    ///   - networkTimeout: How long Cognito may take, in milliseconds.
    package init(_ fact: SSHFact, asksCognito service: Bool, networkTimeout: Int64) {
        guard service else {
            summary = DoctorWording.sshUnused
            findings = []
            return
        }
        switch fact {
        case .absent:
            summary = DoctorWording.sshAbsent
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
            summary = DoctorWording.sshSummary(grace: settings["logingracetime"] ?? "120")
            findings = Self.findings(settings, networkTimeout)
        }
    }

    private static func settings(_ text: String) -> [String: String] {
        var settings: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1)
            if parts.count == 2, settings[parts[0].lowercased()] == nil {
                settings[parts[0].lowercased()] = String(parts[1])
            }
        }
        return settings
    }

    /// The lists of methods, with keyboard-interactive where a password was asked for: what else they demand, such as a key
    /// before it, stays demanded.
    private static func asking(_ methods: [String]) -> String {
        let lists = methods.map { list in
            list.split(separator: ",").map { part in part == "password" ? "keyboard-interactive" : String(part) }
                .joined(separator: ",")
        }
        return (lists == methods ? lists + ["keyboard-interactive"] : lists).joined(separator: " ")
    }

    private static func findings(_ settings: [String: String], _ networkTimeout: Int64) -> [Finding] {
        var found: [Finding] = []
        let methods = (settings["authenticationmethods"] ?? "any").split(separator: " ").map(String.init)
        func isOffered(_ method: String) -> Bool {
            methods == ["any"]
                || methods.contains { list in
                    list.split(separator: ",").contains { part in part.split(separator: ":").first ?? "" == method }
                }
        }
        let asks = settings["kbdinteractiveauthentication"] == "yes" && isOffered("keyboard-interactive")
        let password = settings["passwordauthentication"] == "yes" && isOffered("password")
        if settings["usepam"] != "yes" {
            found.append(
                Finding(
                    .broken, DoctorWording.sshNoPAM, why: DoctorWording.sshNoPAMWhy,
                    mend: DoctorWording.sshSet("UsePAM", "yes")))
        } else if !asks {
            let isListed = isOffered("keyboard-interactive")
            let isOnlyListed = password && !isListed
            found.append(
                Finding(
                    password ? .warning : .broken,
                    isOnlyListed
                        ? DoctorWording.sshNotListed
                        : password ? DoctorWording.sshPasswordOnly : DoctorWording.sshNoPassword,
                    why: password ? DoctorWording.sshPasswordOnlyWhy : DoctorWording.sshNoPasswordWhy,
                    mend: isListed
                        ? DoctorWording.sshSet("KbdInteractiveAuthentication", "yes")
                        : DoctorWording.sshSet("AuthenticationMethods", asking(methods))))
        }
        if settings["usepam"] == "yes", settings["permitemptypasswords"] == "yes", asks {
            found.append(
                Finding(
                    .broken, DoctorWording.sshEmpty, why: DoctorWording.sshEmptyWhy,
                    mend: DoctorWording.sshSet("PermitEmptyPasswords", "no")))
        }
        if let grace = settings["logingracetime"].flatMap({ text in Int64(text) }), grace > 0 {
            let needed = networkTimeout / 1000 + 15
            if grace < needed {
                found.append(
                    Finding(
                        .warning, DoctorWording.sshGrace(grace, networkTimeout / 1000), why: DoctorWording.sshGraceWhy,
                        mend: DoctorWording.sshSet("LoginGraceTime", "\(max(120, needed))")))
            }
        }
        return found
    }
}
