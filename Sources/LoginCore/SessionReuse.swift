import ByteText
import Configuration
import KernelKeyring
import LinuxProcess
import WorkerProtocol

/// `try_session`: whoever signed in lately and calls from the session that this gave them is not asked again.
extension Hooks {
    /// How long Cognito may take to say that a session stands, in milliseconds: somebody waits for their prompt.
    private static var checkLimit: Int64 { 5000 }
    /// How long to wait for another process that is at the same session, in milliseconds.
    private static var lockLimit: Int32 { 2000 }

    /// Whether the person in question is the caller, in a session of their own that stands; then it is noted and logged.
    func reusesSession(_ user: [UInt8], _ account: Account, _ settings: Settings) -> Bool {
        guard machine.effectiveUserID == 0 else {
            host.log(
                .warning,
                """
                try_session is not used: \(host.service) runs without root's rights, as screen locks do, which it would \
                open to whoever walks up; take it out of that service's auth line
                """)
            return false
        }
        guard !isScreenLock(host.service) else {
            host.log(
                .warning,
                """
                try_session is not used: by its name \(host.service) is a screen lock, which it would open to whoever walks \
                up; take it out of that service's auth line
                """)
            return false
        }
        // sshd and login have root's; su to somebody else has the caller's.
        guard machine.realUserID == account.uid, let session = callersSession(user, settings) else {
            return false
        }
        let checked = SessionCheck(machine: machine).check(
            session, online: true, opening: true, timeLimit: Self.checkLimit, waiting: Self.lockLimit,
            ifMayCall: { true })
        let why: ByteText
        switch checked {
        case .good(let standing): return accept(standing, session, user, settings)
        case .unknown(let reason, let line): why = "reason=\(reason.name): \(line)"
        case .invalid(let line): why = "reason=invalid_tokens: \(line)"
        case .ended(let line): why = "reason=session_ended: \(line)"
        case .gone, .busy: return false
        }
        host.log(.notice, "\(audit("session not reused", user, session: session)) \(why)")
        return false
    }

    /// The registry's entry of the session that this was called from, where that is `user`'s, from the pool that is configured
    /// now, and its access token has not ended. Nothing but the registry is believed: a person can plant any key.
    private func callersSession(_ user: [UInt8], _ settings: Settings) -> RootKey? {
        let description = TokenKey.description(userPoolID: settings.userPoolID, clientID: settings.clientID)
        guard let token = machine.inheritedTokenKey(described: description) else {
            return nil
        }
        for key in (try? machine.entries()) ?? [] {
            guard let entry = entry(key), entry.tokenKey == token.number else {
                continue
            }
            let isTheirs =
                entry.state == .open && entry.pidNamespace == machine.pidNamespace && entry.user == user
                && entry.userPoolID == settings.userPoolID && entry.clientID == settings.clientID
                && entry.endpoint == settings.endpoint && entry.loginName == settings.loginName(for: user)
                && entry.identity == settings.identityRule && entry.accessTokenExpiry > machine.time
            return isTheirs ? key : nil
        }
        return nil
    }

    private func accept(_ standing: Standing, _ session: RootKey, _ user: [UInt8], _ settings: Settings) -> Bool {
        guard let authenticatedAt = standing.authenticatedAt else {
            return false
        }
        let (age, overflow) = machine.time.subtractingReportingOverflow(authenticatedAt)
        // Clocks differ a little; a time that is still to come is no sign-in.
        guard !overflow, age >= -60, age <= settings.trySessionAge else {
            return false
        }
        let rule: ByteText
        switch settings.decide(standing.groups) {
        case .everybody: rule = "allowed_groups=*"
        case .allowed(let group): rule = "allowed_groups=\(quoting: group)"
        // Perhaps Cognito knows better by now: it is asked with the password.
        case .denied, .notAllowed: return false
        }
        let login = Login(process: machine.process.id, user: user, entry: session)
        login.state = .reused
        guard (try? host.keep(login)) != nil else {
            return false
        }
        host.log(
            .information,
            """
            \(audit("session reused", user, session: session)) age=\(max(0, age)) \(rule)
            """)
        return true
    }
}

/// Whether a service is a screen lock by its name: some of them run as root.
private func isScreenLock(_ service: [UInt8]) -> Bool {
    let words = ["lock" as StaticString, "saver", "greeter", "kde"]
    return words.contains { word in contains(service, word.bytes) }
}

private func contains(_ text: [UInt8], _ word: [UInt8]) -> Bool {
    text.indices.contains { start in text[start...].starts(with: word) }
}
