/// What `sshd -T` says, by names in small letters: since OpenSSH 10.4 it writes some with capitals.
struct SSHSettings {
    /// What is wrong with a setting, wherever it stands, and what the setting ought to be.
    struct SettingFault {
        var id: CheckID
        var severity: Severity
        var what: String
        var why: String
        var name: String
        var value: String
    }

    private let values: [String: String]

    init(_ text: String) {
        let settings = fields(text, by: " ").map { name, value in (name.lowercased(), value) }
        values = Dictionary(settings) { first, _ in first }
    }

    subscript(name: String) -> String? { values[name] }

    private var methods: [String] {
        (values["authenticationmethods"] ?? "any").split(separator: " ").map(String.init)
    }

    /// Whether AuthenticationMethods lets that method be used.
    private func isListed(_ method: String) -> Bool {
        methods == ["any"]
            || methods.contains { list in
                list.split(separator: ",").contains { part in part.split(separator: ":").first ?? "" == method }
            }
    }

    func asks(_ method: String) -> Bool {
        values[method == "password" ? "passwordauthentication" : "kbdinteractiveauthentication"] == "yes"
            && isListed(method)
    }

    /// The lists of methods, with keyboard-interactive where a password was asked for, and behind all that asked for
    /// none: what they demand, such as a key, stays demanded.
    private var askingMethods: String {
        let lists = methods.map { list in
            list.split(separator: ",").map { part in part == "password" ? "keyboard-interactive" : String(part) }
                .joined(separator: ",")
        }
        return (lists == methods ? lists.map { list in "\(list),keyboard-interactive" } : lists)
            .joined(separator: " ")
    }

    func faults(_ networkTimeout: Int64) -> [SettingFault] {
        var found: [SettingFault] = []
        func note(_ id: CheckID, _ severity: Severity, _ name: String, _ value: String, _ what: String, why: String) {
            found.append(SettingFault(id: id, severity: severity, what: what, why: why, name: name, value: value))
        }
        let asks = asks("keyboard-interactive")
        let isListed = isListed("keyboard-interactive")
        let (name, value) =
            isListed ? ("KbdInteractiveAuthentication", "yes") : ("AuthenticationMethods", askingMethods)
        if values["usepam"] != "yes" {
            note(
                .sshNoPAM, .broken, "UsePAM", "yes", "sshd is configured with UsePAM no.",
                why: "sshd does not use pam_cognito and checks passwords only against /etc/shadow.")
        } else if !asks, self.asks("password") {
            note(
                .sshPasswordOnly, .warning, name, value,
                isListed
                    ? "sshd is configured with KbdInteractiveAuthentication no."
                    : "sshd's AuthenticationMethods do not include keyboard-interactive.",
                why: "The password method has only one prompt, so users who need a code or a new password are refused.")
        } else if !asks {
            note(
                .sshNoPassword, .broken, name, value,
                "sshd does not ask for a password, because keyboard-interactive and password are both disabled.",
                why: "sshd accepts only keys, and users who log in with a key do not sign in with Cognito.")
        } else if values["permitemptypasswords"] == "yes" {
            note(
                .sshEmptyPasswords, .broken, "PermitEmptyPasswords", "no",
                "sshd is configured with PermitEmptyPasswords yes.",
                why: "sshd first tries an empty password. Because the empty password is refused, pam_setcred fails "
                    + "later, and sshd closes the connection after a successful keyboard-interactive login.")
        }
        let needed = networkTimeout / 1000 + 15
        if let grace = values["logingracetime"].flatMap({ text in Int64(text) }), (1..<needed).contains(grace) {
            note(
                .sshGrace, .warning, "LoginGraceTime", "\(max(120, needed))",
                "sshd's LoginGraceTime of \(grace) s is too short: a single request to Cognito can take "
                    + "\(networkTimeout / 1000) s (network_timeout).",
                why: "sshd closes the connection during a sign-in if the network or the user is slow.")
        }
        return found
    }
}
