import Base
import Configuration
import Keyring
import Protocol

/// The proof that a user's own session, from which this was called, provides.
enum HeldProof {
    case nothing
    case everything
    /// The password, lately enough, but not the level that is required. The session's entry.
    case password(RootKey)
}

/// `try_session` and `required_acr`: a user who signed in lately and calls from that session is not asked again, or
/// only for what is missing.
extension Hooks {
    /// For how long after a sign-in it counts, in seconds.
    private static func life(_ settings: Settings) -> Int64 {
        settings.requiredACR.isEmpty ? settings.trySessionAge : settings.maxAge
    }

    /// What the session proves that this was called from, if it is the person's own and stands. That it proves
    /// everything is noted and logged.
    func held(_ user: [UInt8], _ account: Account, _ settings: Settings) -> HeldProof {
        guard mayUseSession(settings),
            // sshd and login have root's; su to another user has the caller's.
            machine.realUserID == account.uid, let session = callersSession(user, settings)
        else {
            return .nothing
        }
        guard let agent = machine.connectToAgent() else {
            notReused(
                user, session,
                "no_agent",
                """
                cognito-agent, which checks the session at Cognito, is not listening. To start the agent, run: \
                systemctl enable --now pam-cognito-agent.socket
                """)
            return .nothing
        }
        switch Self.ask(agent, about: session) {
        case .good(let proof, let groups)?:
            return accept(proof, groups, session, user, settings)
        case .not(let reason, let line)?: notReused(user, session, reason.name, line)
        case nil: notReused(user, session, "busy", "cognito-agent did not handle the request in time")
        }
        return .nothing
    }

    private func notReused(_ user: [UInt8], _ session: RootKey, _ reason: StaticString, _ text: ByteText) {
        host.log(.notice, audit(.sessionNotReused, user, session: session, reason: reason, text: text))
    }

    /// The agent's answer about a session; nil: none, or not in time. Nothing is locked here meanwhile, because the
    /// user who started this program can stop it.
    private static func ask(_ agent: System.Agent, about session: RootKey) -> OpeningAnswer? {
        var exchange = Exchange(.clientAndAgent)
        var request = FrameWriter(.openingRequest)
        request.add(.key, Int64(session.serial.number))
        guard let request = try? request.finish(), exchange.accept(request.kind), agent.send(request),
            let answer = agent.receive(within: openingPatience), exchange.accept(answer.kind),
            answer.kind == .sessionChecked
        else {
            return nil
        }
        return OpeningAnswer(answer)
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
                try_session is ignored: \(host.service) runs without root privileges and may be a screen lock, which \
                anyone at the screen could unlock with try_session. Remove try_session from the auth line of the service
                """)
            return false
        }
        guard !isScreenLock else {
            host.log(
                .warning,
                """
                try_session is ignored: \(host.service) seems to be a screen lock, which anyone at the screen could \
                unlock with try_session. Remove try_session from the auth line of the service
                """)
            return false
        }
        return true
    }

    /// The registry's entry of the session that this was called from, where that is `user`'s, from the pool that is
    /// configured now, and began lately enough. Nothing but the registry is believed: a person can plant any key.
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
                && entry.endpoint == settings.endpoint
                && (entry.identity == .federated
                    ? settings.worker.federated != .no
                    : entry.identity == settings.identityRule && entry.loginName == settings.loginName(for: user))
            // What the tokens say decides, but no sign-in is younger than its session: an older one need not be asked
            // about, nor renewed.
            let age = (machine.now.milliseconds - entry.created.milliseconds) / 1000
            isTheirs = isTheirs && age <= Self.life(settings) + clockTolerance
            return true
        }
        return isTheirs ? found : nil
    }

    private func accept(
        _ proof: Proof, _ groups: [[UInt8]], _ session: RootKey, _ user: [UInt8], _ settings: Settings
    ) -> HeldProof {
        guard settings.isRecent(proof, within: Self.life(settings), at: machine.time) else {
            return .nothing
        }
        if let refusal = refusalByRecord(user, subject: nil, settings) {
            notReused(user, session, refusal.word, refusal.text)
            return .nothing
        }
        let rule: AuditFields
        switch settings.decide(groups) {
        case .everybody: rule = ["allowed_groups": "*"]
        case .allowed(let group): rule = ["allowed_groups": .outside(group)]
        // Perhaps Cognito knows better by now: it is asked with the password.
        case .denied, .notAllowed: return .nothing
        }
        guard settings.shortfall(of: proof, at: machine.time) == nil else {
            // Cognito counts what the tokens say that was proved, and nothing else.
            return proof.amr.isEmpty ? .nothing : .password(session)
        }
        guard keep(session, of: user) else {
            return .nothing
        }
        let age = max(0, machine.time - (proof.authenticatedAt ?? machine.time))
        host.log(
            .information,
            audit(.sessionReused, user, session: session, ["age": "\(age)"] + rule + proof.auditFields))
        return .everything
    }

    /// Notes for the hooks to come that this login is by the session whose entry that is.
    private func keep(_ session: RootKey, of user: [UInt8]) -> Bool {
        let login = Login(process: machine.process.id, user: user, entry: session, root: machine.rootDirectory)
        login.state = .reused
        return (try? host.keep(login)) != nil
    }
}

// Step-up: what is missing of the level is asked for, and nothing else; with the access token of the session, from
// root's registry.
extension Hooks {
    /// Has Cognito ask for what the session lacks. The tokens that come of it prove that, and are revoked: the session
    /// goes on with its own.
    func stepUp(
        _ user: [UInt8],
        _ settings: Settings,
        from session: RootKey,
        _ count: inout AttemptCount
    ) throws(Fault) -> ReturnValue {
        let begin = machine.time
        guard let entry = machine.readEntry(session), entry.state == .open, entry.user == user else {
            throw Fault(
                "the session of \(quoting: user) ended before step-up authentication could start. Sign in again")
        }
        guard let worker = try machine.startWorker(for: charged) else {
            return tooManyPrompts(user, .signIn, &count)
        }
        var request = try signInFrame(user, settings, rememberingDevice: false, .nothing, steppingUp: true)
        request.add(.maxAge, settings.maxAge)
        request.add(.bundle, entry.bundle)
        let frame = try finished(request)
        var step = try WorkerStep(frame, to: worker, timeLimit: settings.networkTimeout + workerSlack)
        do throws(PAMRefusal) {
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
                audit(.steppedUp, user, session: session, ["pool": "\(settings.userPoolID)"] + rule))
            return .success
        } catch {
            return ReturnValue(error)
        }
    }
}
