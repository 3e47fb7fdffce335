import Base
import Configuration
package import Keyring
import Messages
import Protocol

/// What an identity is proved for, when no session follows.
package enum ProofPurpose: Sendable {
    /// A screen lock's person wants back in.
    case screenLock
    /// A program that is neither root's nor the person's asks, as a database server does.
    case service
    /// An administrator tries whether a sign-in works.
    case trial

    /// How the line in the log begins.
    var success: AuditEventName {
        switch self {
        case .screenLock: .screenUnlocked
        case .service: .identityProved
        case .trial: .signInTried
        }
    }

    var words: StaticString {
        switch self {
        case .screenLock: "a screen unlock by"
        case .service: "the authentication of"
        case .trial: "a test sign-in of"
        }
    }
}

// Screen locks run as the user whom they lock out, database servers as another user, and polkit's helper has no
// network. The module in them only passes prompts and answers on. The agent identifies the user by a whole sign-in, and
// revokes its tokens.

extension Hooks {
    /// How long the agent may take for what needs no person, in milliseconds: it has limits of its own, which are
    /// shorter.
    private static var agentLimit: Int64 { 90_000 }

    /// Whether the agent goes by the same configuration as this line of the PAM stack.
    var agentKnowsAll: Bool { options.isEmpty && configurationPath == defaultConfigurationPath.bytes }

    /// Returns the agent's answer about `user`, if this application cannot ask Cognito itself.
    ///
    /// - Parameter value: The result if no agent listens: then it is unknown whether Cognito is available.
    func askAgent(
        about user: [UInt8], withoutAgent value: ReturnValue = .credentialsUnavailable
    ) -> ReturnValue {
        guard let agent = machine.connectToAgent() else {
            let why: StaticString = isPolkitService ? "runs in polkit's sandbox" : "runs without root privileges"
            host.log(
                .error,
                """
                \(host.service) \(why) and needs cognito-agent, which is not listening. Users of managed accounts \
                cannot sign in to this service until root enables the agent: \
                systemctl enable --now pam-cognito-agent.socket
                """)
            return value
        }
        do throws(Fault) {
            return try prove(user, through: agent)
        } catch {
            // Only the agent knows whether Cognito is available.
            host.log(.error, "\(error.line)")
            return .credentialsUnavailable
        }
    }

    /// Has the agent prove that `user` is there, in a host that runs as that person, or as one who may ask about
    /// others.
    private func prove(_ user: [UInt8], through agent: System.Agent) throws(Fault) -> ReturnValue {
        var exchange = Exchange(.clientAndAgent)
        var request = FrameWriter(.unlockRequest)
        request.add(.userName, user)
        request.add(.language, language.tag.bytes)
        if isPolkitService {
            request.add(.requester, Int64(charged))
        }
        try send(request, to: agent, &exchange)
        // The agent goes by the file alone.
        let fileSettings = try? machine.settings(at: defaultConfigurationPath.bytes, arguments: [])
        let typed = TypedPasswords(keepingCurrent: fileSettings?.combinedCode ?? false)
        while true {
            guard let message = agent.receive(within: Self.agentLimit), exchange.accept(message.kind) else {
                throw Self.brokenAgent
            }
            switch message.kind {
            case .ask:
                let style = message.code(.promptStyle, PromptStyle.self)
                let answer: Secret
                do throws(PAMRefusal) {
                    let text = presentable(message.bytes(.text) ?? [])
                    answer = try style == .password ? host.password(text) : host.ask(text, style ?? .hidden)
                } catch {
                    return ReturnValue(error.ofUser)
                }
                var reply = FrameWriter(.answer)
                reply.add(.answer, answer)
                try send(reply, to: agent, &exchange)
                typed.note(answer, to: style)
            case .show:
                host.show(presentable(message.bytes(.text) ?? []))
            case .complete:
                leave(typed)
                return .success
            case .refused:
                let refusal = message.code(.refusal, AgentRefusal.self)
                if let refusal {
                    unavailability.note(refusal)
                }
                // One that only a newer agent knows may be a refusal of the person, so it does not fall through.
                return refusal?.unlockValue ?? .permissionDenied
            default:
                throw Self.brokenAgent
            }
        }
    }

    private func send(
        _ writer: consuming FrameWriter,
        to agent: System.Agent,
        _ exchange: inout Exchange
    ) throws(Fault) {
        let frame = try finished(writer)
        guard exchange.accept(frame.kind), agent.send(frame) else {
            throw Self.brokenAgent
        }
    }

    private static var brokenAgent: Fault {
        Fault(
            """
            cognito-agent stopped before the user was identified, or sent an invalid answer. The agent's log shows \
            the reason
            """)
    }

    /// Proves who is there, as a sign-in does, and leaves nothing of it: the tokens are held in the registry until
    /// Cognito has revoked them. Belongs to no hook of pam(3); the agent does this for screen locks, the tool for
    /// administrators.
    ///
    /// - Parameter look: What else is asked with the tokens, before they are revoked.
    package func proveIdentity(
        for proof: ProofPurpose = .screenLock, look: (RootKey) -> Void = { _ in }
    ) -> ReturnValue {
        guard !machine.isDisabled else {
            return .ignore
        }
        do throws(PAMRefusal) {
            let user = try host.user()
            do throws(Fault) {
                switch try standing(of: user) {
                case .notManaged: return .ignore
                case .managed(_, let settings): return proveIdentity(of: user, settings, proof, look: look)
                case .refused(let why):
                    logFailure(user, .signIn, reason: "known_elsewhere", why)
                    return .permissionDenied
                case .unavailable(let fault, allowsLocalPasswords: true):
                    log(fault, user, .signIn)
                    return .authenticationInformationUnavailable
                case .unavailable(let fault, allowsLocalPasswords: false), .doubtful(let fault):
                    log(fault, user, .signIn)
                    return .credentialsUnavailable
                }
            } catch {
                log(error, user, .signIn)
                return ReturnValue(fault(.signIn))
            }
        } catch {
            return ReturnValue(error)
        }
    }

    /// - Parameter account: As in `counting`.
    func proveIdentity(
        of user: [UInt8],
        _ settings: Settings,
        _ proof: ProofPurpose,
        otherWay account: Account? = nil,
        look: (RootKey) -> Void = { _ in }
    ) -> ReturnValue {
        counting(user, settings, .signIn, isTrial: proof == .trial, otherWay: account) { count throws(Fault) in
            try proveIdentity(of: user, settings, proof, look, &count)
        }
    }

    /// A sign-in whose tokens are in the registry only to be revoked: where they are, and the rule that let the person
    /// in.
    func prove(
        _ step: inout WorkerStep<System.Worker>,
        _ user: [UInt8],
        _ settings: Settings,
        since begin: Int64,
        _ count: inout AttemptCount
    ) throws(PAMRefusal) -> (entry: RootKey, rule: AuditFields) {
        let typed = TypedPasswords(keepingCurrent: settings.combinedCode)
        let signedIn = try converse(&step, until: .signedIn, user, settings, .signIn, &count, typed)
        let rule = try decide(signedIn, user, settings, .signIn, since: begin)
        let entry = try register(signedIn, as: .temporary, user, settings, .signIn)
        dropAnswered(&count)
        // A worker that does not hear this revokes the tokens as well, which does no harm.
        try? step.send(try finished(FrameWriter(.registered)))
        leave(typed)
        return (entry, rule)
    }

    /// Unlocks the tokens of all of the person's sessions (`lock_tokens`), who has proved who they are. For each it is
    /// waited so long if another process is doing it.
    package func unlockTokens(of user: [UInt8], following follows: Bool, waiting milliseconds: Int32 = 2000) {
        TokenLock(machine: machine).unlockAll(of: user, following: follows, for: caller, waiting: milliseconds) {
            line, isFault in
            host.log(isFault ? .warning : .information, line)
        }
    }

    private func proveIdentity(
        of user: [UInt8],
        _ settings: Settings,
        _ proof: ProofPurpose,
        _ look: (RootKey) -> Void,
        _ count: inout AttemptCount
    ) throws(Fault) -> ReturnValue {
        let begin = machine.time
        guard let worker = try machine.startWorker(for: charged) else {
            return tooManyPrompts(user, .signIn, &count)
        }
        let frame = try finished(
            try signInFrame(
                user, settings, rememberingDevice: false,
                preconnection(settings, &count, isUnlocking: proof == .screenLock)))
        var step = try WorkerStep(frame, to: worker, timeLimit: settings.networkTimeout + workerSlack)
        do throws(PAMRefusal) {
            let (entry, rule) = try prove(&step, user, settings, since: begin, &count)
            host.log(
                .information,
                audit(proof.success, user, session: entry, ["pool": "\(settings.userPoolID)"] + rule))
            if case .screenLock = proof {
                unlockTokens(of: user, following: settings.locksTokens)
            }
            look(entry)
            endTokens(entry, of: user, from: proof.words, settings)
            return .success
        } catch {
            return ReturnValue(error)
        }
    }
}

extension AgentRefusal {
    /// The result for a screen lock's application. Only an unavailable Cognito permits other modules: a user at the
    /// lock may have caused any other fault of the agent, such as too many requests.
    var unlockValue: ReturnValue {
        switch self {
        case .notSignedIn: .authenticationError
        case .notPermitted: .permissionDenied
        // Whose the account is, root knows better: it can see whether there is a local password.
        case .notCovered: .ignore
        case .unreachable: .authenticationInformationUnavailable
        case .busy, .throttled, .serviceFault, .configuration, .internalFault, .malformed, .noSession,
            .endedElsewhere, .noInbox, .invalidTokens, .notRecovered, .renewalLost, .notListed,
            .credentialRefused, .noSuchCredential, .noReceiver, .wrongCode, .notHandedOver,
            .locked, .notTheirs, .usedUp, .cannotSeal, .notInSession:
            .credentialsUnavailable
        }
    }
}

/// Whether a service is a screen lock by its name: some of them run as root.
func isScreenLock(_ service: [UInt8]) -> Bool {
    let words = ["lock" as StaticString, "saver", "greeter", "kde"]
    return words.contains { word in contains(service, word.bytes) }
}

private func contains(_ text: [UInt8], _ word: [UInt8]) -> Bool {
    text.indices.contains { start in text[start...].starts(with: word) }
}
