import Base
import Configuration
import Keyring
import Protocol
import Sessions

/// What somebody's own session, which this was called from, proves of them.
enum HeldProof {
    case nothing
    /// All that is wanted.
    case everything
    /// The password, lately enough, but not the level that is required. The session's entry.
    case password(RootKey)
}

/// `try_session` and `required_acr`: whoever signed in lately and calls from the session that this gave them is not asked again, or only
/// for what is missing.
extension Hooks {
    /// How long Cognito may take to say that a session stands, and to renew it before that, in milliseconds: somebody waits
    /// for their prompt.
    private static var checkLimit: Int64 { 5000 }
    /// An access token that ends sooner, in seconds, is renewed first: it must not end while Cognito is asked about it.
    private static var leastLife: Int64 { 30 }
    /// How far clocks may differ, in seconds.
    private static var clockTolerance: Int64 { 60 }

    /// For how long after a sign-in it counts, in seconds.
    private static func life(_ settings: Settings) -> Int64 {
        settings.requiredACR.isEmpty ? settings.trySessionAge : settings.maxAge
    }
    /// How long to wait for another process that is at the same session, in milliseconds.
    private static var lockLimit: Int32 { 2000 }

    /// What the session proves that this was called from, if it is the person's own and stands. That it proves everything is noted and
    /// logged.
    func held(_ user: [UInt8], _ account: Account, _ settings: Settings) -> HeldProof {
        guard mayUseSession(settings),
            // sshd and login have root's; su to somebody else has the caller's.
            machine.realUserID == account.uid, let session = callersSession(user, settings)
        else {
            return .nothing
        }
        let why: ByteText
        switch checked(of: session, user) {
        case .good(let tokens):
            log(tokens.note)
            return accept(tokens, session, user, settings)
        case .kept(let reason, let line): why = "reason=\(reason.name): \(line)"
        case .invalid(let line): why = "reason=invalid_tokens: \(line)"
        case .ended(let line): why = "reason=session_ended: \(line)"
        case .gone, .busy: return .nothing
        }
        host.log(.notice, "\(audit("session not reused", user, session: session)) \(why)")
        return .nothing
    }

    private func log(_ note: RenewalNote?) {
        if let note {
            host.log(note.isFault ? .error : .notice, note.line)
        }
    }

    /// Whether this service may go by the session that it is called from.
    private func mayUseSession(_ settings: Settings) -> Bool {
        let isScreenLock = isScreenLock(host.service)
        guard settings.trySession else {
            return machine.effectiveUserID == 0 && !isScreenLock
        }
        guard machine.effectiveUserID == 0 else {
            host.log(
                .warning,
                """
                try_session is not used: \(host.service) runs without root's rights, as screen locks do, which it would \
                open to whoever walks up; take it out of that service's auth line
                """)
            return false
        }
        guard !isScreenLock else {
            host.log(
                .warning,
                """
                try_session is not used: by its name \(host.service) is a screen lock, which it would open to whoever walks \
                up; take it out of that service's auth line
                """)
            return false
        }
        return true
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
        case .renewed(_, let note):
            host.log(.information, audit("renewed", user, session: session))
            log(note)
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
            isTheirs = isTheirs && age <= Self.life(settings) + Self.clockTolerance
            return true
        }
        return isTheirs ? found : nil
    }

    private func accept(
        _ tokens: CheckedTokens, _ session: RootKey, _ user: [UInt8], _ settings: Settings
    ) -> HeldProof {
        guard settings.isRecent(tokens.proof, within: Self.life(settings), at: machine.time) else {
            return .nothing
        }
        let rule: ByteText
        switch settings.decide(tokens.groups) {
        case .everybody: rule = "allowed_groups=*"
        case .allowed(let group): rule = "allowed_groups=\(quoting: group)"
        // Perhaps Cognito knows better by now: it is asked with the password.
        case .denied, .notAllowed: return .nothing
        }
        guard settings.shortfall(of: tokens.proof, at: machine.time) == nil else {
            // Cognito counts what the tokens say that was proved, and nothing else.
            return tokens.proof.amr.isEmpty ? .nothing : .password(session)
        }
        guard keep(session, of: user) else {
            return .nothing
        }
        let age = max(0, machine.time - (tokens.proof.authenticatedAt ?? machine.time))
        host.log(
            .information,
            "\(audit("session reused", user, session: session)) age=\(age) \(rule)\(tokens.proof.auditFields)")
        return .everything
    }

    /// Notes for the hooks to come that this login is by the session whose entry that is.
    private func keep(_ session: RootKey, of user: [UInt8]) -> Bool {
        let login = Login(process: machine.process.id, user: user, entry: session, root: machine.rootDirectory)
        login.state = .reused
        return (try? host.keep(login)) != nil
    }
}

// Step-up: what is missing of the level is asked for, and nothing else; with the access token of the session, from root's registry.
extension Hooks {
    /// Has Cognito ask for what the session lacks. The tokens that come of it prove that, and are revoked: the session goes on with its own.
    func stepUp(
        _ user: [UInt8],
        _ settings: Settings,
        from session: RootKey,
        _ count: inout AttemptCount
    ) throws(Fault) -> ReturnValue {
        let begin = machine.time
        guard let entry = machine.readEntry(session), entry.state == .open, entry.user == user else {
            throw Fault(
                "the session of \(quoting: user) ended while a further proof was to be asked for; sign in again")
        }
        guard let worker = try machine.startWorker(for: charged) else {
            return tooManyPrompts(user, .signIn, &count)
        }
        var request = try signInFrame(user, settings, rememberingDevice: false, .nothing, steppingUp: true)
        request.add(.maxAge, settings.maxAge)
        request.add(.bundle, entry.bundle)
        let frame = try finished(request)
        var step = try WorkerStep(frame, to: worker, timeLimit: settings.networkTimeout + workerSlack)
        do throws(ReturnValue) {
            let (proof, rule) = try prove(&step, user, settings, since: begin, &count)
            let ending = SessionEnding(machine: machine).end(proof, mode: .session, waiting: settings.signOutWait)
            if case .left = ending {
                report(ending, of: proof, user)
            }
            guard keep(session, of: user) else {
                throw .systemError
            }
            host.log(
                .information,
                "\(audit("stepped up", user, session: session)) pool=\(settings.userPoolID) \(rule)")
            return .success
        } catch {
            return error == .success ? .systemError : error
        }
    }
}
