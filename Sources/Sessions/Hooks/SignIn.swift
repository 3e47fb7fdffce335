import Base
import Configuration
import Keyring
import Messages
import Protocol

extension Hooks {
    /// pam_sm_authenticate(3).
    package func authenticate() -> ReturnValue {
        guard !machine.isDisabled else {
            return .ignore
        }
        do throws(PAMRefusal) {
            let user = try host.user()
            do throws(Fault) {
                return try authenticate(user)
            } catch {
                log(error, user, .signIn)
                // Not even the account can be looked up: that must lock no local one out. But no caller of su may bring
                // it about.
                return isSetUserID && error.isResourceExhaustion ? .systemError : .authenticationInformationUnavailable
            }
        } catch {
            return ReturnValue(error)
        }
    }

    private func authenticate(_ user: [UInt8]) throws(Fault) -> ReturnValue {
        let value: ReturnValue
        let allowsLocalPasswords: Bool
        switch try standing(of: user) {
        case .notManaged(let value, let fault):
            if let fault {
                host.log(.error, "\(fault.line)")
            }
            return value
        case .refused(let why):
            logFailure(user, .signIn, reason: "known_elsewhere", why)
            return .permissionDenied
        case .unavailable(let fault, let allows):
            log(fault, user, .signIn)
            (value, allowsLocalPasswords) = (.authenticationInformationUnavailable, allows)
        case .doubtful(let fault):
            // A process that is not root's cannot tell who has a password, and perhaps cannot read the file: the agent
            // can.
            let isRoots = machine.effectiveUserID == 0
            let unavailable = ReturnValue.authenticationInformationUnavailable
            if isRoots || !agentKnowsAll {
                log(fault, user, .signIn)
                value = unavailable
            } else {
                host.log(.error, "\(fault.line)")
                value = askAgent(about: user, withoutAgent: unavailable)
            }
            allowsLocalPasswords = !isRoots
        case .managed(let account, let settings):
            value = authenticate(user, account, settings)
            allowsLocalPasswords = settings.coverage.allowsLocalPasswords
            if value == .authenticationInformationUnavailable, allowsLocalPasswords {
                leaveLocalPassword(of: user, account, settings)
            }
        }
        switch value {
        case .authenticationInformationUnavailable where allowsLocalPasswords: return value
        case .authenticationInformationUnavailable, .credentialsUnavailable:
            say(unavailability.text)
            return .credentialsUnavailable
        // Too much of theirs is here already, which they have been told.
        case .tryAgain: return .credentialsUnavailable
        default: return value
        }
    }

    /// Whether this very service wants a level. What the file wants of all of them opens none without a question.
    private var requiresLevelHere: Bool {
        options.contains { option in option.starts(with: ("required_acr=" as StaticString).bytes) }
    }

    private func authenticate(
        _ user: [UInt8],
        _ account: Account,
        _ settings: Settings
    ) -> ReturnValue {
        // Before anything is asked; and where there is the least doubt, it is asked.
        switch settings.trySession || requiresLevelHere ? held(user, account, settings) : .nothing {
        case .nothing: break
        case .everything: return .success
        case .password(let session):
            return counting(user, settings, .signIn, asksFirst: true) { count throws(Fault) in
                try stepUp(user, settings, from: session, &count)
            }
        }
        // Screen locks run as the person, who must not have what signs people in.
        guard machine.effectiveUserID == 0 else {
            return askAgent(about: user)
        }
        let otherWay = settings.coverage.allowsLocalPasswords ? account : nil
        // What the line of polkit's helper says the agent does not know, and must not pass by.
        guard !isPolkitService || !agentKnowsAll else {
            return settleAgentsAttempt(user, askAgent(about: user), settings, otherWay: otherWay)
        }
        // Those that have it all the same begin no session that tokens could belong to.
        guard !isScreenLock(host.service) else {
            return proveIdentity(of: user, settings, .screenLock, otherWay: otherWay)
        }
        return counting(user, settings, .signIn, otherWay: otherWay) {
            count throws(Fault) in
            try signIn(user, settings, &count)
        }
    }

    private func signIn(
        _ user: [UInt8],
        _ settings: Settings,
        _ count: inout AttemptCount
    ) throws(Fault) -> ReturnValue {
        let (parent, begin) = (machine.parentProcess, machine.time)
        // First of all: making the frame may start programs, too, and only workers are counted.
        guard let worker = try machine.startWorker(for: charged) else {
            return tooManyPrompts(user, .signIn, &count)
        }
        var request = try signInFrame(
            user, settings, rememberingDevice: settings.rememberDevice, preconnection(settings, &count))
        // How the session stands to others has to be known before it ends.
        if settings.onRevoked != .notify {
            request.add(.sessionPlace, 0)
        }
        let frame = try finished(request)
        do throws(PAMRefusal) {
            // The worker keeps a little of the time for itself, to say what happened rather than be killed.
            var step = try orUnavailable(.signIn) { () throws(Fault) in
                try WorkerStep(frame, to: worker, timeLimit: settings.networkTimeout + workerSlack)
            }
            var seen = SignOutLook()
            let typed = TypedPasswords(keepingCurrent: settings.combinedCode)
            let signedIn = try converse(&step, until: .signedIn, user, settings, .signIn, &count, typed) { look in
                seen = look
            }
            let opensNoSession = settings.opensNoSession(host.service)
            let rule = try decide(signedIn, user, settings, .signIn, since: begin)
            try admit(signedIn, user, settings, parent, as: opensNoSession ? .temporary : .pending, by: rule)
            // From here on a sign-out finds the tokens in the registry.
            dropAnswered(&count)
            do throws(Fault) {
                try step.send(try finished(FrameWriter(.registered)))
            } catch {
                host.log(.error, "\(error.line)")
                // The worker may have revoked the tokens, or be dead with the tokens alive.
                withdraw()
                throw fault(.signIn)
            }
            try lookAgain(user, settings, since: seen)
            keepDevice(signedIn, user, settings)
            if opensNoSession, let login = host.login {
                end(login, mode: .session, waiting: settings.signOutWait)
                login.state = .proven
            }
            leave(typed)
            return .success
        } catch {
            // The worker revokes its tokens if they are not confirmed as registered, so it is not ended.
            return ReturnValue(error)
        }
    }

    /// The frame that begins a sign-in.
    func signInFrame(
        _ user: [UInt8],
        _ settings: Settings,
        rememberingDevice: Bool,
        _ preconnection: Preconnection,
        steppingUp isStepUp: Bool = false
    ) throws(Fault) -> FrameWriter {
        let secret = try machine.clientSecret(settings)
        var request = try personFrame(
            .signIn, user, settings, clientSecret: secret, preconnection, steppingUp: isStepUp)
        request.add(.combinedCode, settings.combinedCode)
        request.add(.rememberDevice, rememberingDevice)
        request.add(.signOutMode, settings.signOut.name.bytes)
        request.add(.withholdRefreshToken, settings.withholdsRefreshToken)
        if settings.accounts == .signIn {
            request.add(.uidAttribute, ifPresent: settings.accountUIDClaim)
        }
        request.add(.requiredACR, all: settings.requiredACR)
        return request
    }

    /// Whether a global sign-out that began before this login was visible has revoked its tokens: then they have no
    /// use, and a session with them would end by itself.
    ///
    /// - Parameter seen: The state when the user had given their last answer: a sign-out that has ended or was tried
    ///   since may have been one.
    private func lookAgain(
        _ user: [UInt8], _ settings: Settings, since seen: SignOutLook
    ) throws(PAMRefusal) {
        guard let login = host.login, awaitSignOuts(of: user, settings).globalSignOutPossible(since: seen),
            SessionCheck(machine: machine).isRefused(login.entry)
        else {
            return
        }
        host.log(
            .notice,
            audit(
                Purpose.signIn.failure, user, session: login.entry, reason: "signed_out",
                text:
                    "Cognito accepted this user, but a concurrent global sign-out has revoked the user's new tokens"
            ))
        say(Wording.signedOutMeanwhile)
        withdraw()
        throw .tryAgain
    }

    /// Takes back a login that is registered.
    private func withdraw() {
        host.removeVariable(handOffVariable)
        if let login = host.login {
            end(login, mode: .session, waiting: undoLimit)
        }
    }

    /// Lets the person in whose tokens these are, which is decided: registry, hand-off; in this order.
    private func admit(
        _ signedIn: borrowing Frame,
        _ user: [UInt8],
        _ settings: Settings,
        _ parent: Int32,
        as state: SessionState,
        by rule: AuditFields
    ) throws(PAMRefusal) {
        guard machine.parentProcess == parent else {
            host.log(
                .notice,
                "the client of \(quoting: user) disconnected during the sign-in. The new tokens are revoked")
            throw .abort
        }
        try enterAccount(signedIn, user, settings)
        let key = try registerSession(signedIn, as: state, user, settings)
        do throws(PAMRefusal) {
            // Hosts that ran from a person's session (su, sudo) do not fork between sign-in and session.
            if machine.realUserID == 0, state == .pending {
                try host.setVariable(handOffVariable, to: handOff(key))
            }
            try host.keep(
                Login(process: machine.process.id, user: user, entry: key, root: machine.rootDirectory))
        } catch {
            host.removeVariable(handOffVariable)
            machine.remove(key)
            throw error
        }
        if state == .pending {
            machine.watch(key)
        }
        host.log(
            .information,
            audit(.signedIn, user, session: key, ["pool": "\(settings.userPoolID)"] + rule))
    }

    /// Enters the tokens of `signedIn` into the registry, unless it has too much of the person already.
    ///
    /// Too much of the right password is no failure: what is thrown counts as none.
    private func registerSession(
        _ signedIn: borrowing Frame,
        as state: SessionState,
        _ user: [UInt8],
        _ settings: Settings
    ) throws(PAMRefusal) -> RootKey {
        var found = registerUnlessFull(signedIn, as: state, user, settings, makingRoom: true)
        if case .needsRoom(let holdings) = found {
            makeRoom(in: holdings, of: user)
            found = registerUnlessFull(signedIn, as: state, user, settings, makingRoom: false)
        }
        // What is said is said without the lock: a terminal may take as long as it likes.
        switch found {
        case .entered(let key): return key
        case .failed(let error): throw notKept(error, user, .signIn)
        case .tooLarge: throw tooLarge(user, .signIn)
        case .tooManySessions:
            logFailure(
                user, .signIn, reason: "too_many_sessions",
                "Cognito accepted this user, but the user already has \(mostSessions) sessions on this machine",
                saying: Wording.tooManySessions)
        case .tooManySignIns, .needsRoom:
            logFailure(
                user, .signIn, reason: "too_many_sign_ins",
                """
                Cognito accepted this user, but \(mostUnclaimed) sign-ins by this user have not yet led to a \
                session. To list the unfinished sign-ins, run 'cognito-session sessions'
                """, saying: Wording.tooManySignIns)
        case .busy(let holder):
            let who: ByteText =
                holder.map { fields in
                    """
                    another program has locked the registry (\(fields)). To end the program, run 'cognito-session \
                    sessions --end USER'
                    """
                }
                ?? "another sign-in by this user, or a cleanup after a crash, has locked the registry for too long"
            logFailure(
                user, .signIn, reason: "busy", "Cognito accepted this user, but \(who). The new tokens are revoked",
                saying: Wording.anotherSignIn)
        }
        throw .tryAgain
    }

    /// Keeps other processes from counting, entering or ending sessions of a user meanwhile. If that fails, the sign-in
    /// does not continue.
    private func registerUnlessFull(
        _ signedIn: borrowing Frame, as state: SessionState, _ user: [UInt8], _ settings: Settings,
        makingRoom isRoomMade: Bool
    ) -> Registration {
        guard let lock = machine.lock(.counting(user), within: countingLimit) else {
            return .busy(machine.holderFields(.counting(user)))
        }
        defer { withExtendedLifetime(lock) {} }
        let found = machine.holdings(of: user)
        guard !isRoomMade || !found.needsRoom else {
            return .needsRoom(found)
        }
        guard state != .pending || found.sessions < mostSessions else {
            return .tooManySessions
        }
        guard found.unclaimed < mostUnclaimed else {
            return .tooManySignIns
        }
        guard let payload = newEntry(signedIn, as: state, user, settings) else {
            return .tooLarge
        }
        do throws(ErrorNumber) {
            return .entered(try machine.register(payload, of: user, expiringIn: settings.refreshTokenValidity))
        } catch {
            return .failed(error)
        }
    }

    /// Ends abandoned sign-ins of a user, the oldest first.
    private func makeRoom(in found: Holdings, of user: [UInt8]) {
        let sessionEnding = SessionEnding(machine: machine)
        var pending: [(key: RootKey, ending: SessionOperation<Ending>)] = []
        for (key, limit) in found.toEnd {
            let begun = sessionEnding.begin(
                key, mode: .session, forLock: 0, waiting: limit, trying: limit > 0 ? .once : .unattended,
                because: .logout, onlyIf: { entry in machine.isLeftOver(entry) || machine.waits(entry) })
            switch begun {
            // Another process ends it, or has taken it over.
            case .finished(.busy): break
            case .finished(let ending): report(ending, of: key, user)
            case .pending where limit > 0: pending.append((key, begun))
            case .pending: report(abandoned: key, user)
            }
        }
        for (key, ending) in pending {
            report(ending.finish(), of: key, user)
        }
    }

    /// Enters the tokens of `signedIn` into the registry.
    func register(
        _ signedIn: borrowing Frame,
        as state: SessionState,
        _ user: [UInt8],
        _ settings: Settings,
        _ purpose: Purpose
    ) throws(PAMRefusal) -> RootKey {
        guard let payload = newEntry(signedIn, as: state, user, settings) else {
            throw tooLarge(user, purpose)
        }
        do throws(ErrorNumber) {
            return try machine.register(payload, of: user, expiringIn: settings.refreshTokenValidity)
        } catch {
            throw notKept(error, user, purpose)
        }
    }

    /// A new entry of the registry with the tokens of `signedIn`, as its key's payload; nil: they do not fit into one.
    private func newEntry(
        _ signedIn: borrowing Frame, as state: SessionState, _ user: [UInt8], _ settings: Settings
    ) -> Secret? {
        guard let bundle = signedIn.secret(.bundle), let expiry = signedIn.number(.accessTokenExpiry) else {
            return nil
        }
        let federatedName = settings.federatedName(of: signedIn)
        let now = machine.now
        var entry = RegistryEntry(
            state: state, host: machine.process, pidNamespace: machine.pidNamespace, created: now,
            expires: machine.time + settings.refreshTokenValidity, service: host.service, remoteHost: host.remoteHost,
            user: user, signOut: settings.signOut, userPoolID: settings.userPoolID, clientID: settings.clientID,
            configuration: configurationPath, accessTokenExpiry: expiry, renewed: now,
            loginName: federatedName ?? settings.loginName(for: user),
            identity: federatedName == nil ? settings.identityRule : .federated, bundle: bundle)
        entry.parent = state == .pending ? machine.parentOfSameProgram : nil
        entry.terminal = host.terminal
        entry.endpoint = settings.endpoint
        entry.caFile = settings.caFile
        entry.workerOptions = settings.workerOptions
        entry.withholdsRefreshToken = settings.withholdsRefreshToken
        entry.sessionBundle = signedIn.secret(.sessionBundle)
        if let place = signedIn.number(.sessionPlace) {
            entry.place = place
            entry.checked = entry.created
        }
        return entry.encode()
    }

    private func tooLarge(_ user: [UInt8], _ purpose: Purpose) -> PAMRefusal {
        host.log(
            .error,
            """
            the tokens of \(quoting: user) are too large for a kernel key (32767 bytes) and are revoked. Configure \
            the pool to put fewer groups or claims into the tokens
            """)
        return fault(purpose)
    }

    /// Says that the registry has not taken the tokens of a sign-in; what comes of it.
    private func notKept(_ error: ErrorNumber, _ user: [UInt8], _ purpose: Purpose) -> PAMRefusal {
        host.log(
            .error,
            """
            the tokens of \(quoting: user) cannot be kept in the kernel (errno \(error.code)) and are revoked; \
            \(error.keyringRemedy)
            """)
        // Cognito is there, and has said yes: no other password decides.
        guard error == .diskQuotaExceeded, purpose == .signIn else {
            return fault(purpose)
        }
        say(Wording.full)
        return .tryAgain
    }

    /// Whether the person whose tokens these are is the one in question, whose the account is, may come in, and has
    /// proved it as is required: the rule that says so and the proof, for the log; throws when one keeps them out.
    ///
    /// - Parameter begin: When they were asked for, in seconds since the epoch.
    func decide(
        _ signedIn: borrowing Frame,
        _ user: [UInt8],
        _ settings: Settings,
        _ purpose: Purpose,
        since begin: Int64
    ) throws(PAMRefusal) -> AuditFields {
        let isProviders = settings.federatedName(of: signedIn) != nil
        guard let name = signedIn.bytes(.userName),
            isProviders || settings.identityRule == .verifiedEmail || name == user,
            isProviders || signedIn.code(.identityRule) == nil
        else {
            logFailure(
                user, purpose, reason: "other_identity", "the tokens belong to another user; the sign-in was refused",
                .error)
            throw .permissionDenied
        }
        if let why = refusalByRecord(user, subject: signedIn.bytes(.subject), settings) {
            logFailure(user, purpose, reason: why.word, why.text, .error)
            throw .permissionDenied
        }
        let refusal: ByteText
        switch settings.decide(signedIn.list(.group)) {
        case .everybody: return ["allowed_groups": "*"] + (try proof(signedIn, user, settings, purpose, since: begin))
        case .allowed(let group):
            return ["allowed_groups": .outside(group)] + (try proof(signedIn, user, settings, purpose, since: begin))
        case .denied(let group): refusal = "denied_groups contains this user's group \(quoting: group)"
        case .notAllowed: refusal = "allowed_groups contains none of this user's Cognito groups"
        }
        logFailure(user, purpose, reason: "group", "Cognito accepted this user, but \(refusal)")
        throw .permissionDenied
    }

    /// How the person has proved who they are, for the log; throws when that is not what is required.
    private func proof(
        _ signedIn: borrowing Frame,
        _ user: [UInt8],
        _ settings: Settings,
        _ purpose: Purpose,
        since begin: Int64
    ) throws(PAMRefusal) -> AuditFields {
        let proof = Proof(signedIn)
        let refusal: ByteText
        switch purpose == .signIn ? settings.shortfall(of: proof, at: begin) : nil {
        case nil: return proof.auditFields
        case .noLevel:
            refusal = """
                the tokens contain no authentication level (acr), which required_acr requires. The user pool needs \
                the Essentials or Plus feature plan
                """
        case .otherLevel:
            refusal = "the level that was reached, \(quoting: proof.acr ?? []), is not in required_acr"
        case .tooOld:
            refusal = """
                according to auth_time, the user signed in longer ago than max_age allows, or in the future: check \
                this machine's clock
                """
        }
        let text: ByteText = "\(proof.auditFields.rendered) Cognito accepted this user, but \(refusal)"
        logFailure(
            user, purpose, reason: "level_not_reached", ByteText(Array(text.bytes.dropFirst())),
            saying: Wording.levelNotReached)
        throw .permissionDenied
    }
}

/// What came of entering a sign-in.
private enum Registration {
    case entered(RootKey)
    /// Something should be ended before there is one more.
    case needsRoom(Holdings)
    case tooManySessions
    case tooManySignIns
    /// Another process holds the user's sessions for too long: the program, if it is known.
    case busy(ByteText?)
    case failed(ErrorNumber)
    /// The tokens do not fit into a key.
    case tooLarge
}

/// How much more time than for all of the network a worker has, in milliseconds, so that it can say what happened: that
/// the time is over it sees within a second.
let workerSlack: Int64 = 2500

/// The time limit for undoing after a fault, in milliseconds: it may be that no other program can be started.
let undoLimit: Int64 = 5000

extension Settings {
    /// How the tokens' person is recognised.
    var identityRule: IdentityRule { aliasDomain.isEmpty ? .userName : .verifiedEmail }

    /// The pool's name of new tokens' user, where the worker says that they came through the identity provider that the
    /// settings name. Its users are called PROVIDER_ID; nil for every other name, which root would have signed out, or
    /// put into its journal.
    func federatedName(of signedIn: borrowing Frame) -> [UInt8]? {
        guard signedIn.code(.identityRule, IdentityRule.self) == .federated, worker.federated != .no,
            let provider = worker.identityProvider, let name = signedIn.bytes(.userName),
            name.count > provider.count + 1, name.count <= 128, isPrintableUTF8(name[...]),
            name[provider.count] == UInt8(ascii: "_"), name[..<provider.count].equalsIgnoringCase(provider)
        else {
            return nil
        }
        return name
    }
}
