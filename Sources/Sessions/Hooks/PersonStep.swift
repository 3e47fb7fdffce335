import Base
import Configuration
import Keyring
import Messages
package import Protocol

// A step with a person: what the worker is told of them, and their conversation with it.
extension Hooks {
    /// The frame that begins a step with a person: who that is, and how they sign in.
    func personFrame(
        _ kind: MessageKind,
        _ user: [UInt8],
        _ settings: Settings,
        clientSecret: consuming Secret?,
        _ preconnection: Preconnection,
        steppingUp isStepUp: Bool = false
    ) throws(Fault) -> FrameWriter {
        var request = settings.stepFrame(kind, clientSecret: clientSecret)
        request.add(.userName, user)
        request.add(.loginName, settings.loginName(for: user))
        addCircumstances(to: &request, settings)
        request.add(.identityRule, settings.identityRule)
        let beginning = isStepUp ? (.stepUp, nil) : settings.beginning(kind)
        request.add(.flow, beginning.flow)
        request.add(.preferredFactor, beginning.preferred)
        request.add(.preconnect, preconnection)
        request.add(.tellsJudgement, true)
        request.add(.refreshTokenValidity, settings.refreshTokenValidity)
        if let file = try machine.addKeySet(to: &request, ofPool: settings.userPoolID, settings), file.isOld {
            host.log(
                .warning,
                """
                \(settings.keySetFile ?? []): key_set_file is \(file.age) days old. Replace the file with the pool's \
                current key set, because sign-ins fail when Cognito signs with a newer key
                """)
        }
        addDevice(to: &request, user, settings)
        return request
    }

    func manner(_ settings: Settings) -> Manner {
        Manner(language, translatesPrompts: settings.translatePrompts)
    }

    /// How the worker speaks to the person; and what Cognito is told besides, where the administrator wants it so.
    func addCircumstances(to request: inout FrameWriter, _ settings: Settings) {
        request.add(.language, language.tag.bytes)
        request.add(.translatesPrompts, settings.translatePrompts)
        request.addRequester(host.service)
        if settings.sendClientAddress, (1...256).contains(host.remoteHost.count) {
            request.add(.clientAddress, host.remoteHost)
        }
        if settings.sendClientMetadata, (1...256).contains(host.service.count) {
            request.add(.serviceName, host.service)
        }
    }

    /// The result for PAM if the user has too many prompts open: a refusal, so that the user is not asked for another
    /// password instead.
    func tooManyPrompts(_ user: [UInt8], _ purpose: Purpose, _ count: inout AttemptCount) -> ReturnValue {
        release(&count)
        logFailure(
            user, purpose, reason: "too_many_prompts",
            """
            too many prompts are open for user id \(caller), or for all callers of set-uid programs combined. \
            Cognito was not contacted
            """, saying: Wording.tooManyPrompts)
        return ReturnValue(purpose.refusal(.lockedOut))
    }

    /// Runs `body`; a fault is logged and becomes "unavailable".
    func orUnavailable<R: ~Copyable>(
        _ purpose: Purpose,
        _ body: () throws(Fault) -> R
    ) throws(PAMRefusal) -> R {
        do throws(Fault) {
            return try body()
        } catch {
            host.log(.error, "\(error.line)")
            throw fault(purpose)
        }
    }

    /// The result for a fault that the user has not caused.
    ///
    /// A user who starts a set-uid program can keep a worker from starting, kill it, or delay it; and a user who asks
    /// the agent can ask too often. There, local passwords are permitted only if a worker itself reports that Cognito
    /// cannot be reached.
    ///
    /// - Parameter reason: The worker's report; nil: none.
    func fault(_ purpose: Purpose, _ reason: FailureReason? = nil) -> PAMRefusal {
        guard purpose == .signIn, isForSomebodyElse, reason != .unreachable else {
            return purpose.fault
        }
        return .credentialsUnavailable
    }

    /// Carries questions and answers until the worker sends `result` or gives up.
    ///
    /// - Parameters:
    ///   - typed: Gets the passwords that are typed.
    ///   - note: Gets what was seen of sign-outs everywhere just before an answer went to the worker.
    func converse(
        _ step: inout WorkerStep<System.Worker>,
        until result: MessageKind,
        _ user: [UInt8],
        _ settings: Settings,
        _ purpose: Purpose,
        _ count: inout AttemptCount,
        _ typed: TypedPasswords,
        whenAnswering note: (SignOutLook) -> Void = { _ in }
    ) throws(PAMRefusal) -> Frame {
        var unsent: Fault?
        var isInBrowser = false
        while true {
            let received: Frame?
            do throws(Fault) {
                received = try step.receive(by: { machine.now })
            } catch {
                // It may have tokens by now, which only it can revoke: it does so by itself when it is no longer heard.
                host.log(.error, "\(error.line)")
                throw fault(purpose)
            }
            guard let frame = received else {
                step.kill()
                host.log(.error, unsent.map { unsent in "\(unsent.line)" } ?? lateness(user, purpose))
                throw fault(purpose)
            }
            switch frame.kind {
            case .ask:
                noteJudgement(frame, &count, settings)
                let answer = try answer(to: frame, user, settings, purpose)
                if answer.count == 0, frame.code(.promptStyle, PromptStyle.self) == .password {
                    // Enter alone: a browser shows who it is, and no password is there for later modules.
                    isInBrowser = true
                    host.forgetPassword()
                }
                try noteAnswer(user, &count, settings, purpose, isOfBrowser: isInBrowser)
                note(awaitSignOuts(of: user, settings, purpose, beforeAnswer: &count))
                let reply = try orUnavailable(purpose) { () throws(Fault) in
                    var reply = FrameWriter(.answer)
                    reply.add(.answer, answer)
                    reply.addCurrentSecret(settings, on: machine)
                    return try finished(reply)
                }
                typed.note(answer, to: frame.code(.promptStyle, PromptStyle.self))
                do throws(Fault) {
                    try step.send(reply)
                } catch {
                    // A worker that gave up meanwhile has said why, perhaps that the person is refused: that is heard
                    // next. Any other waits for what it will not get.
                    unsent = error
                    step.limit(to: 0)
                }
            case .keep:
                if let keySet = frame.bytes(.keySet) {
                    machine.keepKeySet(keySet, ofPool: settings.userPoolID)
                }
                if frame.bytes(.device) != nil {
                    forgetDevice(user, settings)
                }
            case .withheld:
                // At once: the person may leave, and then nothing else comes.
                host.log(
                    .notice,
                    audit(
                        .passwordRecoveryRefusalWithheld, user, reason: reasonName(frame),
                        text: "\(logLine(of: frame)) The reason was not shown to the user."))
            case result:
                noteSuccess(&count)
                return frame
            default:
                let (value, isFault) = refusal(frame, user, purpose)
                count.isFault = isFault
                noteEnd(frame, &count, settings)
                throw value
            }
        }
    }

    /// See `Machine.awaitSignOuts`.
    func awaitSignOuts(of user: [UInt8], _ settings: Settings) -> SignOutLook {
        machine.awaitSignOuts(
            of: user, userPoolID: settings.userPoolID, sweeping: settings.journal && settings.hasIAMIdentity)
    }

    /// The same before an answer goes to Cognito; those that begin from then on wait for what comes of it.
    private func awaitSignOuts(
        of user: [UInt8], _ settings: Settings, _ purpose: Purpose, beforeAnswer count: inout AttemptCount
    ) -> SignOutLook {
        // No tokens come of a new password for a forgotten one.
        guard purpose != .passwordRecovery else {
            return awaitSignOuts(of: user, settings)
        }
        let (look, answered) = machine.awaitSignOuts(
            of: user, userPoolID: settings.userPoolID, sweeping: settings.journal && settings.hasIAMIdentity,
            noting: AttemptSubject(user: user, caller: charged))
        count.answered = answered
        return look
    }

    /// The line about a worker whose time is over.
    private func lateness(_ user: [UInt8], _ purpose: Purpose) -> LogLine {
        audit(
            purpose.failure, user, reason: "unreachable",
            text: "Cognito did not answer within network_timeout. Check the network, then run: curl -sS https://HOST")
    }

    /// What the person answers to the worker's question.
    private func answer(
        to frame: borrowing Frame,
        _ user: [UInt8],
        _ settings: Settings,
        _ purpose: Purpose
    ) throws(PAMRefusal) -> Secret {
        do throws(PAMRefusal) {
            return try ask(frame, user, settings, purpose)
        } catch {
            switch purpose {
            case .signIn where frame.code(.promptStyle, PromptStyle.self) == .password:
                break
            case .signIn:
                logFailure(
                    user, purpose, reason: "no_answer",
                    """
                    Cognito requires more than a password, and \(host.service) received no answer. The user \
                    left, or the program supports only one prompt (sshd needs KbdInteractiveAuthentication, \
                    and a client that supports it)
                    """)
            case .passwordChange, .passwordRecovery:
                logFailure(user, purpose, reason: "no_answer", "the user left before the sign-in was complete")
            }
            throw purpose.unanswered(error)
        }
    }

    /// Puts the worker's question to the person.
    private func ask(
        _ frame: borrowing Frame,
        _ user: [UInt8],
        _ settings: Settings,
        _ purpose: Purpose
    ) throws(PAMRefusal) -> Secret {
        let style = frame.code(.promptStyle, PromptStyle.self)
        guard style == .password else {
            return try host.ask(presentable(frame.bytes(.text) ?? []), style ?? .hidden)
        }
        let mayUseBrowser = purpose == .signIn && settings.worker.federated != .no
        let prompt = mayUseBrowser ? Wording.passwordOrBrowserPrompt : Wording.passwordPrompt
        let password = try host.password(ByteText(manner(settings).prompt(prompt)))
        switch password.withBytes({ bytes in PasswordShape(bytes) }) {
        case .usable:
            return password
        case .empty where mayUseBrowser:
            return password
        case .empty, .tooLong:
            logFailure(
                user, purpose, reason: "no_answer",
                "the password is empty or longer than Cognito allows, and was not sent")
            throw .authenticationError
        case .standIn:
            host.log(
                .notice,
                """
                sshd sent an invalid password instead of the user's password, because sshd does not admit this \
                account. Cognito was not contacted. See AllowUsers, DenyUsers and the account's shell
                """)
            throw .authenticationError
        }
    }

    private func reasonName(_ frame: borrowing Frame) -> StaticString {
        frame.code(.reason, FailureReason.self)?.name ?? "unknown"
    }

    /// Tells why the worker gave up: the value for PAM, and whether it is no refusal of the person.
    private func refusal(
        _ frame: borrowing Frame,
        _ user: [UInt8],
        _ purpose: Purpose
    ) -> (value: PAMRefusal, isFault: Bool) {
        let reason = frame.code(.reason, FailureReason.self)
        // A reason that only a newer worker knows may be a refusal, so it does not fall through.
        let value = reason.map { reason in purpose.refusal(reason) } ?? .permissionDenied
        let isFault = value == purpose.fault
        if reason == .configuration {
            unavailability.note(.configuration)
        }
        logFailure(user, purpose, reason: reasonName(frame), logLine(of: frame), isFault ? .error : .notice)
        if let text = frame.bytes(.text) {
            host.show(presentable(text))
        }
        return (isFault ? fault(purpose, reason) : value, isFault)
    }
}

extension FrameWriter {
    /// Adds the app client's secret: the file may have been replaced while the user was typing. If it cannot be read,
    /// the worker keeps the secret that it has.
    fileprivate mutating func addCurrentSecret(_ settings: Settings, on machine: some Machine) {
        do throws(Fault) {
            add(.clientSecret, ifPresent: try machine.clientSecret(settings))
        } catch {}
    }
}

extension Settings {
    /// With what a step with a person begins. A level can be asked for in USER_AUTH alone, in which the password is
    /// proved, or sent, as in any other flow.
    package func beginning(_ kind: MessageKind) -> (flow: AuthenticationFlow, preferred: PreferredFactor?) {
        guard kind == .signIn, !requiredACR.isEmpty else {
            return (flow, authFlow == .choice ? preferredChallenge.factor : nil)
        }
        return switch authFlow {
        case .srp: (.choice, .proof)
        case .password: (.choice, .password)
        case .choice, .custom: (.choice, preferredChallenge.factor)
        }
    }

    /// The flow, as the worker knows it.
    private var flow: AuthenticationFlow {
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
