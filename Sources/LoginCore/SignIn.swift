import ByteText
import Configuration
import KernelKeyring
import LinuxProcess
import SecretMemory
import Wording
import WorkerProtocol

/// How long a login may take from its tokens to its session: above sshd's LoginGraceTime (120 s).
package let pendingGrace: Int64 = 180_000

/// The PAM environment's variable that carries a login from sshd's keyboard-interactive child to its monitor.
package let handOffVariable: StaticString = "PAM_COGNITO_H"

/// The default place of the configuration.
package let defaultConfigurationPath: StaticString = "/etc/security/pam_cognito.conf"

/// One call of a hook: the transaction, the machine, and the module's arguments in the PAM stack.
package struct Hooks<Host: Transaction, System: Machine> {
    let host: Host
    let machine: System
    let configurationPath: [UInt8]
    let options: [[UInt8]]

    /// A call with the arguments of the PAM stack's line.
    package init(_ host: Host, on machine: System, arguments: [[UInt8]]) {
        self.host = host
        self.machine = machine
        let prefix = ("config=" as StaticString).bytes
        configurationPath =
            arguments.last { argument in argument.starts(with: prefix) }
            .map { argument in Array(argument.dropFirst(prefix.count)) } ?? defaultConfigurationPath.bytes
        // pam_get_authtok(3) takes these for itself.
        let libraryOptions = [
            ("use_first_pass" as StaticString).bytes, ("try_first_pass" as StaticString).bytes,
        ]
        options = arguments.filter { argument in
            !argument.starts(with: prefix) && !libraryOptions.contains(argument)
        }
    }

    func settings() throws(Fault) -> Settings {
        try machine.settings(at: configurationPath, arguments: options)
    }

    /// pam_sm_authenticate(3).
    package func authenticate() -> ReturnValue {
        guard !machine.isDisabled else {
            return .ignore
        }
        do throws(ReturnValue) {
            let user = try host.user()
            do throws(Fault) {
                return try authenticate(user)
            } catch {
                host.log(.error, "\(error.line)")
                return .authenticationInformationUnavailable
            }
        } catch {
            // What is thrown is never a success, even where PAM says so of a call that gave nothing.
            return error == .success ? .systemError : error
        }
    }

    private func authenticate(_ user: [UInt8]) throws(Fault) -> ReturnValue {
        guard Coverage.isPossibleName(user), let account = try machine.account(named: user) else {
            return .userUnknown
        }
        // Root must not depend on a file of ours being right.
        guard account.uid != 0 else {
            return .ignore
        }
        let settings = try settings()
        switch try Coverage.of(user, account: account, settings: settings, on: machine) {
        case .unknown: return .userUnknown
        case .notCovered: return .ignore
        case .covered: break
        }
        // Before anything is asked; and where there is the least doubt, it is asked.
        if settings.trySession, reusesSession(user, account, settings) {
            return .success
        }
        // Screen locks run as the person, who must not have what signs people in.
        guard machine.effectiveUserID == 0 else {
            return try proveThroughAgent(user)
        }
        return try signIn(user, settings)
    }

    private func signIn(_ user: [UInt8], _ settings: Settings) throws(Fault) -> ReturnValue {
        let parent = machine.parentProcess
        let frame = try signInFrame(user, settings, rememberingDevice: settings.rememberDevice)
        let worker = try machine.startWorker()
        do throws(ReturnValue) {
            // The worker keeps a little of the time for itself, to say what happened rather than be killed.
            var step = try orUnavailable(.signIn) { () throws(Fault) in
                try WorkerStep(frame, to: worker, timeLimit: settings.networkTimeout + 1000)
            }
            let signedIn = try converse(&step, until: .signedIn, user, settings, .signIn)
            try admit(signedIn, user, settings, parent)
            do throws(Fault) {
                try step.send(try finished(FrameWriter(.registered)))
            } catch {
                host.log(.error, "\(error.line)")
                withdraw()
                throw .authenticationInformationUnavailable
            }
            keepDevice(signedIn, user, settings)
            return .success
        } catch {
            // Whatever tokens it has, the worker revokes when nobody says that they are registered: so let it.
            return error == .success ? .systemError : error
        }
    }

    /// The frame that begins a sign-in.
    func signInFrame(_ user: [UInt8], _ settings: Settings, rememberingDevice: Bool) throws(Fault) -> Frame {
        let secret = try machine.clientSecret(settings)
        var request = personFrame(.signIn, user, settings, clientSecret: secret)
        request.add(.combinedCode, code: settings.combinedCode ? 1 : 0)
        request.add(.rememberDevice, code: rememberingDevice ? 1 : 0)
        request.add(.signOutMode, settings.signOut.name.bytes)
        request.add(.withholdRefreshToken, code: settings.refreshTokenInSession ? 0 : 1)
        return try finished(request)
    }

    /// The frame that begins a step with a person: who that is, and how they sign in.
    func personFrame(
        _ kind: MessageKind,
        _ user: [UInt8],
        _ settings: Settings,
        clientSecret: consuming Secret?
    ) -> FrameWriter {
        var request = stepFrame(
            kind,
            userPoolID: settings.userPoolID,
            clientID: settings.clientID,
            clientSecret: clientSecret,
            endpoint: settings.endpoint,
            caFile: settings.caFile,
            timeLimit: settings.networkTimeout,
            connectTimeLimit: settings.connectTimeout
        )
        request.add(.userName, user)
        request.add(.loginName, settings.loginName(for: user))
        addCircumstances(to: &request, settings)
        request.add(.identityRule, code: settings.identityRule.rawValue)
        request.add(.flow, code: settings.flow.rawValue)
        if settings.authFlow == .choice, let preferred = settings.preferredChallenge.factor {
            request.add(.preferredFactor, code: preferred.rawValue)
        }
        request.add(.preconnect, code: settings.preconnect ? 1 : 0)
        request.add(.refreshTokenValidity, settings.refreshTokenValidity)
        request.add(.keySet, ifPresent: machine.keySet(ofPool: settings.userPoolID))
        addDevice(to: &request, user, settings)
        return request
    }

    /// What Cognito is told besides, where the administrator wants it so.
    func addCircumstances(to request: inout FrameWriter, _ settings: Settings) {
        if settings.sendClientAddress, (1...256).contains(host.remoteHost.count) {
            request.add(.clientAddress, host.remoteHost)
        }
        if settings.sendClientMetadata, (1...256).contains(host.service.count) {
            request.add(.serviceName, host.service)
        }
    }

    /// Takes back a login that is registered, of which the worker could not be told: it may have revoked the tokens, or be
    /// dead with the tokens alive.
    private func withdraw() {
        host.removeVariable(handOffVariable)
        if let login = host.login {
            end(login, mode: .session, waiting: 5000)
        }
    }

    /// Runs `body`; a fault is logged and becomes "unavailable".
    func orUnavailable<R: ~Copyable>(
        _ purpose: Purpose,
        _ body: () throws(Fault) -> R
    ) throws(ReturnValue) -> R {
        do throws(Fault) {
            return try body()
        } catch {
            host.log(.error, "\(error.line)")
            throw purpose.fault
        }
    }

    /// Carries questions and answers until the worker sends `result` or gives up.
    func converse(
        _ step: inout WorkerStep<System.Worker>,
        until result: MessageKind,
        _ user: [UInt8],
        _ settings: Settings,
        _ purpose: Purpose
    ) throws(ReturnValue) -> Frame {
        while true {
            let received: Frame?
            do throws(Fault) {
                received = try step.receive(by: { machine.now })
            } catch {
                step.kill()
                host.log(.error, "\(error.line)")
                throw purpose.fault
            }
            guard let frame = received else {
                step.kill()
                host.log(
                    .error,
                    """
                    \(audit(purpose.failure, user)) reason=unreachable: \
                    Cognito did not answer within network_timeout; check the network, then: curl -sS https://HOST
                    """)
                throw purpose.fault
            }
            switch frame.kind {
            case .ask:
                let answer = try answer(to: frame, user, purpose)
                try orUnavailable(purpose) { () throws(Fault) in
                    var reply = FrameWriter(.answer)
                    reply.add(.answer, answer)
                    let frame = try finished(reply)
                    // A worker that gave up meanwhile has said why, perhaps that the person is refused: that is heard next.
                    try? step.send(frame)
                }
            case .keep:
                if let keySet = frame.bytes(.keySet) {
                    machine.keepKeySet(keySet, ofPool: settings.userPoolID)
                }
                if frame.bytes(.device) != nil {
                    forgetDevice(user, settings)
                }
            case result:
                return frame
            default:
                throw refusal(frame, user, purpose)
            }
        }
    }

    /// What the person answers to the worker's question.
    private func answer(
        to frame: borrowing Frame,
        _ user: [UInt8],
        _ purpose: Purpose
    ) throws(ReturnValue) -> Secret {
        do throws(ReturnValue) {
            return try ask(frame)
        } catch {
            switch purpose {
            case .signIn where frame.code(.promptStyle) == PromptStyle.password.rawValue:
                break
            case .signIn:
                host.log(
                    .notice,
                    """
                    \(audit(purpose.failure, user)) reason=no_answer: Cognito \
                    asks more than a password, and \(host.service) got no answer to it: the person left, or the program \
                    knows one question only (sshd needs KbdInteractiveAuthentication, and a client that uses it)
                    """)
            case .passwordChange, .passwordRecovery:
                host.log(
                    .notice,
                    """
                    \(audit(purpose.failure, user)) reason=no_answer: \
                    the person left before the end
                    """)
            }
            throw purpose.refusal(error)
        }
    }

    /// Puts the worker's question to the person.
    private func ask(_ frame: borrowing Frame) throws(ReturnValue) -> Secret {
        let style = frame.code(.promptStyle).flatMap { code in PromptStyle(rawValue: code) }
        guard style == .password else {
            return try host.ask(presentable(frame.bytes(.text) ?? []), echo: style == .visible)
        }
        let password = try host.password()
        switch password.withBytes({ bytes in PasswordShape(bytes) }) {
        case .usable:
            return password
        case .empty, .tooLong:
            throw .authenticationError
        case .standIn:
            host.log(
                .notice,
                """
                sshd replaced the password, since it does not let this account in; Cognito was not asked. \
                See AllowUsers, DenyUsers and the account's shell
                """)
            throw .authenticationError
        }
    }

    private func refusal(_ frame: borrowing Frame, _ user: [UInt8], _ purpose: Purpose) -> ReturnValue {
        let reason = frame.code(.reason).flatMap { code in FailureReason(rawValue: code) }
        // A reason that only a newer worker knows may be a refusal, so it does not fall through.
        let value = reason.map { reason in purpose.returnValue(reason) } ?? .permissionDenied
        host.log(
            value == purpose.fault ? .error : .notice,
            """
            \(audit(purpose.failure, user)) reason=\(reason?.name ?? "unknown"): \
            \(printable(frame.bytes(.logText) ?? []))
            """)
        if let text = frame.bytes(.text) {
            host.show(presentable(text))
        }
        return value
    }

    /// Lets the person in whose tokens these are: identity, groups, registry, hand-off; in this order.
    private func admit(
        _ signedIn: borrowing Frame,
        _ user: [UInt8],
        _ settings: Settings,
        _ parent: Int32
    ) throws(ReturnValue) {
        let rule = try decide(signedIn, user, settings, .signIn)
        guard machine.parentProcess == parent else {
            host.log(.notice, "the client of \(quoting: user) went away during sign-in; the new tokens are revoked")
            throw .abort
        }
        let key = try registerSession(signedIn, user, settings)
        do throws(ReturnValue) {
            // Hosts that ran from a person's session (su, sudo) do not fork between sign-in and session.
            if machine.realUserID == 0 {
                try host.setVariable(handOffVariable, to: handOff(key))
            }
            try host.keep(Login(process: machine.process.id, user: user, entry: key))
        } catch {
            host.removeVariable(handOffVariable)
            machine.remove(key)
            throw error
        }
        host.log(
            .information,
            "\(audit("signed in", user, session: key)) pool=\(settings.userPoolID) \(rule)")
    }

    /// Enters the tokens of `signedIn` into the registry, unless the person has too many sessions already.
    private func registerSession(
        _ signedIn: borrowing Frame,
        _ user: [UInt8],
        _ settings: Settings
    ) throws(ReturnValue) -> RootKey {
        let lock = machine.lock(.counting, within: countingLimit)
        defer { withExtendedLifetime(lock) {} }
        guard machine.liveSessions(of: user) < mostSessions else {
            host.log(
                .notice,
                """
                \(audit(Purpose.signIn.failure, user)) reason=too_many_sessions: \
                the password was right, but this person has \(mostSessions) sessions here already
                """)
            host.show(ByteText(Wording.tooManySessions.bytes))
            throw .permissionDenied
        }
        return try register(signedIn, as: .pending, user, settings, .signIn)
    }

    /// Enters the tokens of `signedIn` into the registry.
    func register(
        _ signedIn: borrowing Frame,
        as state: SessionState,
        _ user: [UInt8],
        _ settings: Settings,
        _ purpose: Purpose
    ) throws(ReturnValue) -> RootKey {
        guard let bundle = signedIn.secret(.bundle), let expiry = signedIn.number(.accessTokenExpiry),
            let entry = registryEntry(bundle, signedIn.secret(.sessionBundle), expiry, as: state, user, settings)
                .encode()
        else {
            host.log(
                .error,
                """
                the tokens of \(quoting: user) do not fit into a kernel key (32767 bytes) and are revoked; \
                let the pool put fewer groups or claims into them
                """)
            throw purpose.fault
        }
        do throws(ErrorNumber) {
            return try machine.register(entry, expiringIn: settings.refreshTokenValidity)
        } catch {
            host.log(
                .error,
                """
                the tokens of \(quoting: user) cannot be kept in the kernel (errno \(error.code)) and are revoked; \
                see /proc/key-users and kernel.keys.root_maxkeys
                """)
            throw purpose.fault
        }
    }

    /// Whether the person whose tokens these are is the one in question and may come in: the rule that says so, for the
    /// log; throws when one keeps them out.
    func decide(
        _ signedIn: borrowing Frame,
        _ user: [UInt8],
        _ settings: Settings,
        _ purpose: Purpose
    ) throws(ReturnValue) -> ByteText {
        guard let name = signedIn.bytes(.userName), settings.identityRule == .verifiedEmail || name == user else {
            host.log(
                .error,
                """
                \(audit(purpose.failure, user)) reason=other_identity: \
                the tokens are another person's; nobody was let in
                """)
            throw .permissionDenied
        }
        let refusal: ByteText
        switch settings.decide(signedIn.list(.group)) {
        case .everybody: return "allowed_groups=*"
        case .allowed(let group): return "allowed_groups=\(quoting: group)"
        case .denied(let group): refusal = "denied_groups names \(quoting: group), which this person is in"
        case .notAllowed: refusal = "allowed_groups names none of this person's Cognito groups"
        }
        host.log(
            .notice,
            """
            \(audit(purpose.failure, user)) reason=group: \
            Cognito accepted this person, but \(refusal)
            """)
        throw .permissionDenied
    }

    private func registryEntry(
        _ bundle: consuming Secret,
        _ sessionBundle: consuming Secret?,
        _ accessTokenExpiry: Int64,
        as state: SessionState,
        _ user: [UInt8],
        _ settings: Settings
    ) -> RegistryEntry {
        RegistryEntry(
            state: state,
            host: machine.process,
            boot: machine.boot,
            created: machine.now,
            expires: machine.time + settings.refreshTokenValidity,
            service: host.service,
            remoteHost: host.remoteHost,
            user: user,
            signOut: settings.signOut,
            delivered: false,
            userPoolID: settings.userPoolID,
            clientID: settings.clientID,
            endpoint: settings.endpoint,
            caFile: settings.caFile,
            configuration: configurationPath,
            tokenKey: 0,
            accessTokenExpiry: accessTokenExpiry,
            renewed: machine.now,
            loginName: settings.loginName(for: user),
            identity: settings.identityRule,
            withholdsRefreshToken: !settings.refreshTokenInSession,
            attempts: 0,
            nextAttempt: Instant(milliseconds: 0),
            bundle: bundle,
            sessionBundle: sessionBundle
        )
    }
}

extension Settings {
    /// How the tokens' person is recognised.
    var identityRule: IdentityRule { aliasDomain.isEmpty ? .userName : .verifiedEmail }

    /// The flow, as the worker knows it.
    fileprivate var flow: AuthenticationFlow {
        switch authFlow {
        case .srp: .secureRemotePassword
        case .password: .password
        case .choice: .choice
        case .custom: preferredChallenge == .passwordSRP ? .customAfterProof : .custom
        }
    }
}

extension PreferredChallenge {
    /// The same, as the worker knows it.
    fileprivate var factor: PreferredFactor? {
        switch self {
        case .none: nil
        case .passwordSRP: .proof
        case .password: .password
        case .emailCode: .emailCode
        case .messageCode: .messageCode
        }
    }
}

/// What a password is before anybody has looked whether it is right.
enum PasswordShape: Equatable {
    case usable
    case empty
    /// More than the 256 characters that Cognito takes.
    case tooLong
    /// What sshd sends in place of a password for an account that it refuses anyway (auth-pam.c, fake_password).
    case standIn

    init(_ password: RawSpan) {
        let standIn: [UInt8] = [0x08, 0x0a, 0x0d, 0x7f] + ("INCORRECT" as StaticString).bytes
        // Continuation bytes of UTF-8 are no characters of their own.
        var characters = 0
        var matches = password.byteCount <= standIn.count
        for offset in 0..<password.byteCount {
            let byte = password.byte(at: offset)
            characters += (byte ?? 0) & 0xc0 == 0x80 ? 0 : 1
            matches = matches && standIn.dropFirst(offset).first == byte
        }
        if password.byteCount == 0 {
            self = .empty
        } else if matches || password.byte(at: 0) == 0x08 && password.byte(at: 1) == 0x0a {
            self = .standIn
        } else if characters > 256 || password.byteCount > 1024 {
            self = .tooLong
        } else {
            self = .usable
        }
    }
}

/// A text for the person's terminal: UTF-8 without control characters other than line ends, or a terminal could be made to
/// do things by whoever chose a word of it.
func presentable(_ text: [UInt8]) -> ByteText {
    var lines: [UInt8] = []
    for line in text.split(separator: 0x0a, omittingEmptySubsequences: false) {
        if !lines.isEmpty {
            lines.append(0x0a)
        }
        lines += isPrintableUTF8(line) ? Array(line) : printable(Array(line))
    }
    return ByteText(lines)
}

/// Bytes for a log line: printable ASCII only, at most 400 of them.
func printable(_ text: [UInt8]) -> [UInt8] {
    text.prefix(400).map { byte in (0x20...0x7e).contains(byte) ? byte : UInt8(ascii: "?") }
}
