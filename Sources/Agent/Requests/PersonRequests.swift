import Base
import Configuration
import Keyring
import Messages
import Protocol
import Sessions

// The requests in whose course a person is asked: the same hooks as at a login, over the client's conversation.
extension AgentRequest {
    /// Signs the caller in, as a login would, and puts the tokens into their session through `inbox`.
    func signIn(_ inbox: KeySerial) {
        guard takesTurn(.conversation, of: userID, orRefusing: "too many of the user's sign-ins are in progress") else {
            return
        }
        guard let name = surroundings.accountName(userID) else {
            refuse(.notCovered, "the user id does not belong to an account")
            return
        }
        let machine = surroundings.machine(
            forSessionOf: conversation.peer.process, userID, inbox: inbox, isTaken: isTaken)
        guard let machine else {
            refuse(.noInbox, "the session has no keyring for receiving tokens, or no running process")
            return
        }
        let transaction = PeerTransaction(
            name, conversation, service: Array("cognito-session".utf8), now: { machine.now }, log: surroundings.log)
        let hooks = Hooks(transaction, on: machine, arguments: [], caller: userID)
        // Why not is in the log already.
        switch hooks.authenticate() {
        case .success: break
        case .ignore, .userUnknown:
            refuse(.notCovered, "the account is not managed")
            return
        case .authenticationInformationUnavailable, .credentialsUnavailable:
            refuse(hooks.unavailability.refusal, saying: transaction.hasSaid ? AgentWording.notSignedIn : nil)
            return
        case .authenticationError where !transaction.hasSaid:
            refuseSlowly(saying: AgentWording.notAccepted)
            return
        default:
            refuseSlowly(saying: transaction.hasSaid ? nil : AgentWording.notSignedInUntold)
            return
        }
        guard hooks.openSession() == .success else {
            refuse(.noInbox)
            return
        }
        _ = conversation.send(FrameWriter(.complete))
    }

    /// Says that the person was not who they say, as late as a login says so.
    private func refuseSlowly(saying words: Phrase?) {
        machine.pause(milliseconds: failureDelay)
        refuse(.notSignedIn, saying: words)
    }

    /// Counts a conversation against the quota of `owner`; otherwise, it was refused.
    func takesConversation(of owner: UInt32) -> Bool {
        takesTurn(.conversation, of: owner, orRefusing: "too many of the user's requests are waiting for input")
    }

    // MARK: A forgotten password

    /// Sets a new password in place of a forgotten one: the caller's own, or that of a named user. The caller does not
    /// matter: only the code counts.
    func recoverPassword(of named: [UInt8]?) {
        guard takesConversation(of: userID) else {
            return
        }
        guard let name = named ?? surroundings.accountName(userID) else {
            refuse(.notCovered, "the user id does not belong to an account")
            return
        }
        // For any caller, and whether there is such an account or not.
        guard
            takesTurn(
                .recovery(of: name), of: userID, orRefusing: "too many codes were requested for \(quoting: name)",
                saying: AgentWording.tooManyCodes)
        else {
            return
        }
        surroundings.log(.information, .event(.passwordRecoveryAskedFor, ["user": .outside(name), "uid": "\(userID)"]))
        switch hooks(for: name, asService: Array("cognito-session".utf8)).recoverPassword() {
        case .success: _ = conversation.send(FrameWriter(.complete))
        case .authenticationTokenRecoveryError: refuse(.serviceFault)
        case .tryAgain: refuse(.busy)
        default: refuse(.notRecovered)
        }
    }

    // MARK: Proofs

    /// Checks that the user of an account is present: for a screen lock, which runs as that user; for programs that the
    /// administrator trusts (`authenticating_users`); or for polkit's helper, which runs as root without a network. The
    /// caller gets yes or no, and no token.
    ///
    /// - Parameter requester: The user for whom root asks, who started neither the agent nor the helper: the quota and
    ///   the attempts are that user's.
    func prove(_ named: [UInt8], for requester: UInt32?) {
        let asker = userID == 0 ? requester ?? 0 : userID
        guard takesConversation(of: asker) else {
            return
        }
        guard userID != 0 else {
            _ = prove(hooks(for: named, asService: polkitService.bytes, of: asker), for: .service)
            return
        }
        guard let caller = surroundings.accountName(userID) else {
            refuse(.notPermitted, "the user id does not belong to an account")
            return
        }
        let asked = machine.now
        guard caller != named else {
            let hooks = hooks(for: named, asService: Array("screen-lock".utf8))
            if prove(hooks, for: .screenLock) {
                // What follows is nothing that the person should wait for in front of a locked screen.
                conversation.peer.hangUp()
                // Those that another process was at.
                hooks.unlockTokens(of: named, following: false, waiting: Self.lockLimit)
                renewSessions(of: named, asked: asked)
            }
            return
        }
        guard let settings = settings(at: defaultConfigurationPath.bytes) else {
            return
        }
        guard settings.authenticatingUsers.contains(caller) else {
            refuse(
                .notPermitted,
                """
                \(quoting: caller) is not allowed to verify the password of \(quoting: named): \
                authenticating_users does not list \(quoting: caller)
                """
            )
            return
        }
        _ = prove(hooks(for: named, asService: caller), for: .service)
    }

    /// The hooks of a login, over the client's conversation.
    private func hooks(
        for name: [UInt8], asService service: [UInt8], of asker: UInt32? = nil
    ) -> Hooks<PeerTransaction<Peer>, Surroundings.System> {
        let machine = machine
        return Hooks(
            PeerTransaction(name, conversation, service: service, now: { machine.now }, log: surroundings.log),
            on: machine, arguments: [], caller: asker ?? userID)
    }

    /// Whether the person has proved who they are, which the client has been told then.
    private func prove(_ hooks: Hooks<PeerTransaction<Peer>, Surroundings.System>, for purpose: ProofPurpose) -> Bool {
        // Why not is in the log already.
        switch hooks.proveIdentity(for: purpose) {
        case .success:
            _ = conversation.send(FrameWriter(.complete))
            return true
        case .ignore: refuse(.notCovered)
        case .permissionDenied: refuse(.notPermitted)
        case .authenticationInformationUnavailable: refuse(.unreachable)
        case .credentialsUnavailable, .systemError: refuse(hooks.unavailability.refusal)
        default: refuseSlowly(saying: AgentWording.proofNotAccepted)
        }
        return false
    }

    /// Renews every open session of the caller's, unless that was done since it was `asked` for.
    private func renewSessions(of user: [UInt8], asked: Instant) {
        for key in (try? machine.entries(of: user)) ?? [] {
            guard let entry = machine.readEntry(key),
                entry.state == .open, entry.pidNamespace == machine.pidNamespace, entry.user == user
            else {
                continue
            }
            let session = CallerSession(key: key, entry: entry)
            let who = subject(session)
            if case .failed(.ended) = renewal(of: key, who, minimumLife: .max, asked: asked) {
                finish(endedElsewhere: session, who)
            }
        }
    }
}
