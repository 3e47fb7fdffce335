import Base
import Configuration
import Messages
import Protocol

extension Hooks {
    /// Sets a new password in place of a forgotten one, for a user who has proved nothing yet, with a code that Cognito
    /// sends to the account's owner. It is no hook of pam(3).
    ///
    /// For names that are not managed on this machine, or do not exist, all messages and prompts are the same; but
    /// Cognito is not asked about that name. Root has no influence, and no tokens are issued.
    package func recoverPassword() -> ReturnValue {
        let user: [UInt8]
        do throws(PAMRefusal) {
            user = try host.user()
        } catch {
            return ReturnValue(Purpose.passwordRecovery.unanswered(error))
        }
        do throws(Fault) {
            guard !machine.isDisabled else {
                throw Fault("no password can be reset: pam-cognito is switched off (/run/pam-cognito/disabled)")
            }
            return try recoverPassword(of: user, try settings())
        } catch {
            log(error, user, .passwordRecovery)
            say(Wording.recoveryUnavailable)
            return ReturnValue(Purpose.passwordRecovery.fault)
        }
    }

    private func recoverPassword(of user: [UInt8], _ settings: Settings) throws(Fault) -> ReturnValue {
        var request = settings.stepFrame(.forgotPassword, clientSecret: try machine.clientSecret(settings))
        let isCovered = try isCovered(user, settings)
        if isCovered {
            request.add(.loginName, settings.loginName(for: user))
        }
        addCircumstances(to: &request, settings)
        let frame = try finished(request)
        // A user who has forgotten a password is not asked for it.
        var count = AttemptCount.none
        guard let worker = try machine.startWorker(for: charged) else {
            _ = tooManyPrompts(user, .passwordRecovery, &count)
            return .tryAgain
        }
        var step = try WorkerStep(frame, to: worker, timeLimit: settings.networkTimeout + 1000)
        do throws(PAMRefusal) {
            _ = try converse(
                &step, until: .passwordChanged, user, settings, .passwordRecovery, &count,
                TypedPasswords(keepingCurrent: false))
        } catch {
            if !isCovered {
                host.log(
                    .notice,
                    """
                    \(quoting: user) is not a managed account on this machine. This reason was not shown to the user
                    """)
            }
            if error == Purpose.passwordRecovery.fault, !step.hasFailed {
                say(Wording.recoveryUnavailable)
            }
            return ReturnValue(error)
        }
        host.log(
            .information,
            audit(.passwordRecovered, user, ["pool": "\(settings.userPoolID)"]))
        say(Wording.passwordRecovered)
        return .success
    }

    private func isCovered(_ user: [UInt8], _ settings: Settings) throws(Fault) -> Bool {
        guard Coverage.isPossibleName(user), let account = try machine.account(named: user),
            case .covered = try Coverage.of(user, account: account, configuration: .right(settings), on: machine)
        else {
            return false
        }
        return true
    }
}
