import Base
import Configuration
import Keyring
import Messages
import Protocol

/// What pam_sm_chauthtok(3) is called for.
package enum PasswordPass: Equatable, Sendable {
    /// PAM_PRELIM_CHECK: can it be done?
    case preliminary
    /// PAM_UPDATE_AUTHTOK: do it.
    case update
}

extension Hooks {
    /// pam_sm_chauthtok(3): changes a managed account's password at Cognito; other accounts are ignored.
    ///
    /// The preliminary pass only decides whether the account is managed, without prompts. Both passes decide it in the
    /// same way, since libpam looks at each by itself: an account that is ignored once must be ignored again, or
    /// pam_unix could not do the update.
    ///
    /// - Parameter onlyIfExpired: PAM_CHANGE_EXPIRED_AUTHTOK: another module found a password of its own too old.
    ///   Cognito's is not: an expired one is changed while signing in.
    package func changePassword(_ pass: PasswordPass, onlyIfExpired: Bool) -> ReturnValue {
        guard !machine.isDisabled, !onlyIfExpired else {
            return .ignore
        }
        let user: [UInt8]
        do throws(PAMRefusal) {
            user = try host.user()
        } catch {
            return ReturnValue(Purpose.passwordChange.unanswered(error))
        }
        let settings: Settings
        do throws(Fault) {
            switch try standing(of: user) {
            case .notManaged: return .ignore
            case .refused(let why):
                if pass == .preliminary {
                    logFailure(user, .passwordChange, reason: "known_elsewhere", why)
                }
                return .permissionDenied
            case .unavailable(let fault, _), .doubtful(let fault): return refusePasswordChange(of: user, pass, fault)
            case .managed(_, let found): settings = found
            }
            guard machine.effectiveUserID == 0 else {
                throw Fault(
                    """
                    \(host.service) runs without root privileges, which pam_cognito needs to protect tokens. This \
                    service cannot change the passwords of Cognito accounts
                    """)
            }
        } catch {
            // Once is enough.
            if pass == .preliminary {
                log(error, user, .passwordChange)
            }
            // The manual page has no "unavailable"; "try again" is its word for a check that could not be made. After
            // it the stack continues to local passwords. A user must not get there by removing what the check needs.
            return isSetUserID && error.isResourceExhaustion ? .systemError : .tryAgain
        }
        guard !knowsNewPasswordOnly else {
            logFailure(
                user, .passwordChange, reason: "no_answer",
                """
                \(host.service) provides only the new password, but Cognito also requires the current \
                password. Nothing was sent to Cognito. Set the password in the user pool \
                (AdminSetUserPassword)
                """, saying: Wording.onlyInPool)
            return .permissionDenied
        }
        guard settings.worker.federated != .only else {
            logFailure(
                user, .passwordChange, reason: "no_password",
                "with federated = only, users have no password in Cognito. Nothing was sent to Cognito",
                saying: Wording.passwordAtProvider)
            return .permissionDenied
        }
        guard pass == .update else {
            return .success
        }
        host.delayFailure()
        return counting(user, settings, .passwordChange) { count throws(Fault) in
            try changePassword(of: user, settings, &count)
        }
    }

    /// Whether this program answers every prompt with the new password, as chpasswd(8), newusers(8) and `passwd
    /// --stdin` do: asked for the current one, it would have the new one sent to Cognito as a guess.
    private var knowsNewPasswordOnly: Bool {
        if ("chpasswd" as StaticString).equals(host.service) || ("newusers" as StaticString).equals(host.service) {
            return true
        }
        // -s, alone or among other letters, and --stdin, which getopt_long(3) takes shortened, too.
        return ("passwd" as StaticString).equals(host.service)
            && machine.arguments.dropFirst().contains { argument in
                let letters = argument.dropFirst()
                guard argument.first == UInt8(ascii: "-"), letters.first == UInt8(ascii: "-") else {
                    return argument.first == UInt8(ascii: "-") && letters.contains(UInt8(ascii: "s"))
                }
                return letters.count >= 4 && ("-stdin" as StaticString).bytes.starts(with: letters)
            }
    }

    /// Changes no password of an account that is managed, or may be: neither the one at Cognito, nor one of this
    /// machine in its place.
    private func refusePasswordChange(of user: [UInt8], _ pass: PasswordPass, _ fault: Fault) -> ReturnValue {
        if pass == .preliminary {
            log(fault, user, .passwordChange)
            say(unavailability.text)
        }
        return ReturnValue(Purpose.passwordChange.fault)
    }

    private func changePassword(
        of user: [UInt8],
        _ settings: Settings,
        _ count: inout AttemptCount
    ) throws(Fault) -> ReturnValue {
        if machine.realUserID == 0 {
            say(Wording.currentPasswordNeeded)
        }
        guard let worker = try machine.startWorker(for: charged) else {
            return tooManyPrompts(user, .passwordChange, &count)
        }
        let secret = try machine.clientSecret(settings)
        let frame = try finished(
            try personFrame(
                .changePassword, user, settings, clientSecret: secret, preconnection(settings, &count)))
        do throws(PAMRefusal) {
            var step = try orUnavailable(.passwordChange) { () throws(Fault) in
                // Besides its own time, the worker has some for revoking its tokens: see `revocationTime`.
                try WorkerStep(frame, to: worker, timeLimit: settings.networkTimeout + revocationTime + 1000)
            }
            let typed = TypedPasswords(keepingCurrent: true)
            let signedIn = try converse(&step, until: .signedIn, user, settings, .passwordChange, &count, typed)
            let rule: AuditFields
            do throws(PAMRefusal) {
                rule = try decide(signedIn, user, settings, .passwordChange, since: machine.time)
            } catch {
                say(Wording.notLetIn)
                throw error
            }
            let entry = try register(signedIn, as: .temporary, user, settings, .passwordChange)
            dropAnswered(&count)
            defer { endTokens(entry, of: user, step.outcome, settings) }
            try changePassword(of: user, &step, settings, rule, &count, typed)
            return .success
        } catch {
            return ReturnValue(error)
        }
    }

    /// The change itself, now that its tokens are registered and no accident can make them outlive it.
    private func changePassword(
        of user: [UInt8],
        _ step: inout WorkerStep<System.Worker>,
        _ settings: Settings,
        _ rule: AuditFields,
        _ count: inout AttemptCount,
        _ typed: TypedPasswords
    ) throws(PAMRefusal) {
        do throws(Fault) {
            try step.send(try finished(FrameWriter(.registered)))
        } catch {
            host.log(.error, "\(error.line)")
            throw Purpose.passwordChange.fault
        }
        let changed = try converse(&step, until: .passwordChanged, user, settings, .passwordChange, &count, typed)
        leaveChanged(typed)
        let remark = changed.bytes(.logText).map { text in ByteText(printable(text)) }
        host.log(
            remark == nil ? .information : .warning,
            audit(.passwordChanged, user, ["pool": "\(settings.userPoolID)"] + rule, text: remark))
    }

    /// Sees to the end of a password change's tokens.
    ///
    /// - Parameter outcome: What the worker said of them; nil where it said nothing, or could not revoke them. A worker
    ///   that still lives revokes them as well, which does no harm.
    private func endTokens(_ entry: RootKey, of user: [UInt8], _ outcome: SignOutOutcome?, _ settings: Settings) {
        guard outcome == nil else {
            return SessionEnding(machine: machine).forget(entry)
        }
        endTokens(entry, of: user, from: "a password change by", settings)
    }

    /// Ends the tokens of a step from which no session comes.
    func endTokens(_ entry: RootKey, of user: [UInt8], from step: StaticString, _ settings: Settings) {
        let ending = SessionEnding(machine: machine).end(entry, mode: .session, waiting: settings.signOutWait)
        if case .left(_, let why) = ending {
            host.log(
                .warning,
                """
                the tokens from \(step) \(quoting: user) have not been revoked yet: \(why). The tokens are kept in \
                the registry, and cognito-agent reap tries to revoke them again
                """)
        }
    }
}

/// Milliseconds that a worker may take for revoking tokens after its own time is over.
private let revocationTime: Int64 = 2000

extension FailureReason {
    /// What a password change that failed for this reason returns: of the values that pam_sm_chauthtok(3) has, no for a
    /// person who may not, "token" for a new password that is none, "recovery" for what could not be asked.
    package var passwordRefusal: PAMRefusal {
        switch self {
        case .refused, .lockedOut, .disabled, .notConfirmed, .challengeNotSupported, .refusedByPool, .otherIdentity,
            .levelNotReached, .operationNotEnabled, .managedLogin:
            .permissionDenied
        case .passwordChangeNeeded, .noNewPassword:
            .authenticationTokenError
        case .invalidTokens, .unreachable, .throttled, .serviceFault, .configuration, .internalFault, .sessionEnded,
            .accessTokenExpired, .renewalLost, .notListed, .credentialRefused:
            .authenticationTokenRecoveryError
        }
    }
}
