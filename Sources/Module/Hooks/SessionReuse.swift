import Base
import Configuration
import Keyring
import Protocol
import Sessions

/// `try_session`: whoever signed in lately and calls from the session that this gave them is not asked again.
extension Hooks {
    /// How long Cognito may take to say that a session stands, and to renew it before that, in milliseconds: somebody waits
    /// for their prompt.
    private static var checkLimit: Int64 { 5000 }
    /// An access token that ends sooner, in seconds, is renewed first: it must not end while Cognito is asked about it.
    private static var leastLife: Int64 { 30 }
    /// How far clocks may differ, in seconds.
    private static var clockTolerance: Int64 { 60 }
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
        let why: ByteText
        switch checked(of: session, user) {
        case .good(let tokens): return accept(tokens, session, user, settings)
        case .kept(let reason, let line): why = "reason=\(reason.name): \(line)"
        case .invalid(let line): why = "reason=invalid_tokens: \(line)"
        case .ended(let line): why = "reason=session_ended: \(line)"
        case .gone, .busy: return false
        }
        host.log(.notice, "\(audit("session not reused", user, session: session)) \(why)")
        return false
    }

    /// What Cognito says of a session, whose tokens are renewed first where that is needed. A renewal makes a sign-in no
    /// younger: the tokens still say when the person proved who they are.
    private func checked(of session: RootKey, _ user: [UInt8]) -> Checked {
        let begin = machine.now
        let renewal = SessionRenewal(machine: machine).renew(
            session, minimumLife: Self.leastLife, asked: begin, timeLimit: Self.checkLimit, waiting: Self.lockLimit,
            ifMayCall: { true })
        switch renewal {
        case .fresh: break
        case .renewed: host.log(.information, audit("renewed", user, session: session))
        case .kept(let reason, let line): return .kept(reason, line)
        case .ended(let line): return .ended(line)
        case .gone: return .gone
        case .busy: return .busy
        }
        let left = Self.checkLimit - (machine.now.milliseconds - begin.milliseconds)
        return SessionCheck(machine: machine).check(
            session, online: true, opening: true, timeLimit: max(1, left), waiting: Self.lockLimit, ifMayCall: { true })
    }

    /// The registry's entry of the session that this was called from, where that is `user`'s, from the pool that is configured
    /// now, and began lately enough. Nothing but the registry is believed: a person can plant any key.
    private func callersSession(_ user: [UInt8], _ settings: Settings) -> RootKey? {
        let description = TokenKey.description(userPoolID: settings.userPoolID, clientID: settings.clientID)
        guard let token = machine.inheritedTokenKey(described: description) else {
            return nil
        }
        var isTheirs = false
        let found = try? machine.firstEntry(of: user) { _, entry in
            guard entry.tokenKey == token.number else {
                return false
            }
            isTheirs =
                entry.state == .open && entry.pidNamespace == machine.pidNamespace
                && entry.userPoolID == settings.userPoolID && entry.clientID == settings.clientID
                && entry.endpoint == settings.endpoint && entry.loginName == settings.loginName(for: user)
                && entry.identity == settings.identityRule
            // What the tokens say decides, but no sign-in is younger than its session: an older one need not be asked about,
            // nor renewed.
            let age = (machine.now.milliseconds - entry.created.milliseconds) / 1000
            isTheirs = isTheirs && age <= settings.trySessionAge + Self.clockTolerance
            return true
        }
        return isTheirs ? found : nil
    }

    private func accept(_ tokens: CheckedTokens, _ session: RootKey, _ user: [UInt8], _ settings: Settings) -> Bool {
        guard let authenticatedAt = tokens.authenticatedAt else {
            return false
        }
        let (age, overflow) = machine.time.subtractingReportingOverflow(authenticatedAt)
        // Clocks differ a little; a time that is still to come is no sign-in.
        guard !overflow, age >= -Self.clockTolerance, age <= settings.trySessionAge else {
            return false
        }
        let rule: ByteText
        switch settings.decide(tokens.groups) {
        case .everybody: rule = "allowed_groups=*"
        case .allowed(let group): rule = "allowed_groups=\(quoting: group)"
        // Perhaps Cognito knows better by now: it is asked with the password.
        case .denied, .notAllowed: return false
        }
        let login = Login(
            process: machine.process.id, user: user, entry: session, root: machine.rootDirectory)
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
