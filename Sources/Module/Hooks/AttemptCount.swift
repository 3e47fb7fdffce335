package import Base
import Configuration
package import Keyring
import Messages
import Protocol
import Sessions

/// What is known of one attempt to sign in, for the count of those that failed.
///
/// It is noted before anything is asked of Cognito with what the person typed: whoever can kill the program that asks, as the
/// caller of su can, must not get a guess for nothing. Afterwards it is taken back if it was none.
struct AttemptCount {
    /// nil: this is not counted.
    let subject: AttemptSubject?
    /// The note; nil: there is none yet.
    fileprivate var key: RootKey?
    /// Whether it was noted, and the log has it, where whoever tries may kill this program.
    fileprivate var isNoted = false
    /// How often the person has answered.
    fileprivate var answers = 0
    /// The note that the sign-in may be begun before the first answer; nil: it may not, or there was one.
    var begin: RootKey?
    /// Whether Cognito accepted the person, whatever kept them out then.
    var isProven = false
    /// Whether the worker itself said that it could not tell.
    var isFault = false

    /// Of what is not counted.
    static let none = AttemptCount(of: nil)

    fileprivate init(of subject: AttemptSubject?) {
        self.subject = subject
    }
}

/// An attempt of which another module decides, with this machine's password.
package final class OpenAttempt {
    /// The process that keeps it.
    package let process: Int32
    /// Who tries to be whom.
    package let subject: AttemptSubject

    /// An attempt of a process.
    package init(process: Int32, subject: AttemptSubject) {
        self.process = process
        self.subject = subject
    }
}

extension Machine {
    /// The attempts of a subject that count as failures now.
    package func attempts(of subject: AttemptSubject) throws(ErrorNumber) -> [Attempt] {
        try attempts { other in other == subject }.filter { attempt in now < attempt.end }
    }

    /// Forgets all attempts of a subject.
    func forgetAttempts(of subject: AttemptSubject) {
        for attempt in (try? attempts(of: subject)) ?? [] {
            forgetAttempt(attempt.key)
        }
    }
}

extension Hooks {
    /// Carries `body` out as an attempt that is counted, unless there were too many failures lately.
    ///
    /// - Parameters:
    ///   - isTrial: An administrator tries whether a sign-in works.
    ///   - asksFirst: Cognito is asked before the person is, whatever the flow.
    ///   - account: Whose password of this machine another module asks for next, if this comes to "unavailable".
    func counting(
        _ user: [UInt8],
        _ settings: Settings,
        _ purpose: Purpose,
        isTrial: Bool = false,
        asksFirst: Bool = false,
        otherWay account: Account? = nil,
        _ body: (inout AttemptCount) throws(Fault) -> ReturnValue
    ) -> ReturnValue {
        var count: AttemptCount
        do throws(ReturnValue) {
            count = try beginAttempt(user, settings, purpose, isTrial: isTrial, asksFirst: asksFirst)
        } catch {
            return error
        }
        let value: ReturnValue
        do throws(Fault) {
            value = try body(&count)
        } catch {
            host.log(.error, "\(error.line)")
            value = fault(purpose)
        }
        return settleAttempt(count, value, settings, purpose, otherWay: account)
    }

    private func beginAttempt(
        _ user: [UInt8],
        _ settings: Settings,
        _ purpose: Purpose,
        isTrial: Bool,
        asksFirst: Bool
    ) throws(ReturnValue) -> AttemptCount {
        let isRoots = isTrial || purpose == .passwordChange && caller == 0
        guard settings.maxFailures > 0, !isRoots, purpose != .passwordRecovery else {
            return .none
        }
        let subject = AttemptSubject(user: user, caller: charged)
        try countAttempts(of: subject, settings, purpose, mayBe: Int(settings.maxFailures) - 1)
        var count = AttemptCount(of: subject)
        // Who is asked for a code first has had it sent.
        if asksFirst || settings.asksCognitoFirst {
            try noteAttempt(user, &count, settings, purpose)
        }
        return count
    }

    /// Notes the attempt, unless that was done, before an answer of the person's goes to Cognito.
    func noteAnswer(
        _ user: [UInt8],
        _ count: inout AttemptCount,
        _ settings: Settings,
        _ purpose: Purpose
    ) throws(ReturnValue) {
        count.answers += 1
        try noteAttempt(user, &count, settings, purpose)
        // Only now: one of the two counts, whenever this program is killed.
        if let begin = count.begin.take() {
            machine.forgetBegin(begin)
        }
    }

    private func noteAttempt(
        _ user: [UInt8],
        _ count: inout AttemptCount,
        _ settings: Settings,
        _ purpose: Purpose
    ) throws(ReturnValue) {
        guard !count.isNoted else {
            return
        }
        if let subject = count.subject {
            count.key = try countAttempt(of: subject, settings, purpose)
        }
        count.isNoted = true
        // Whoever started a set-uid program can end it before it says what came of this.
        if isSetUserID {
            host.log(.information, "\(audit(purpose.attempt, user)) uid=\(caller)")
        }
    }

    private func countAttempt(
        of subject: AttemptSubject,
        _ settings: Settings,
        _ purpose: Purpose
    ) throws(ReturnValue) -> RootKey {
        let key: RootKey
        do throws(ErrorNumber) {
            key = try machine.noteAttempt(subject, lasting: settings.failInterval)
        } catch {
            throw uncountable(error, purpose)
        }
        do throws(ReturnValue) {
            // With those that others have noted meanwhile: many at once are no more than one after the other.
            try countAttempts(of: subject, settings, purpose, mayBe: Int(settings.maxFailures))
        } catch {
            machine.forgetAttempt(key)
            throw error
        }
        return key
    }

    private func countAttempts(
        of subject: AttemptSubject,
        _ settings: Settings,
        _ purpose: Purpose,
        mayBe most: Int
    ) throws(ReturnValue) {
        let failures: [Attempt]
        do throws(ErrorNumber) {
            failures = try machine.attempts(of: subject)
        } catch {
            throw uncountable(error, purpose)
        }
        guard failures.count > most else {
            return
        }
        // The end of as many as are too many.
        let ends = failures.map { attempt in attempt.end.milliseconds }.sorted()
        let end = ends.dropFirst(failures.count - most - 1).first ?? 0
        let minutes = max(1, (end - machine.now.milliseconds + 59_999) / 60_000)
        host.log(
            .notice,
            """
            \(audit(purpose.failure, subject.user)) reason=too_many_failures: \(failures.count) attempts of user id \
            \(subject.caller) failed within fail_interval; Cognito was not asked. It ends in \(minutes) min, or with: \
            cognito-agent failures --reset \(quoting: subject.user)
            """)
        say(Wording.tooManyFailures, filling: ("\(minutes)" as ByteText).bytes)
        throw purpose.returnValue(.lockedOut)
    }

    private func uncountable(_ error: ErrorNumber, _ purpose: Purpose) -> ReturnValue {
        host.log(
            .error,
            """
            failed sign-ins cannot be counted in the kernel (errno \(error.code)), so nobody is asked for a password of \
            Cognito's; see keyrings(7) and /proc/key-users
            """)
        return purpose == .signIn ? .credentialsUnavailable : purpose.fault
    }

    /// Settles what came of an attempt that ends with `value`, which is what PAM is told.
    ///
    /// - Parameter account: Whose password another module may ask for now; nil: none does.
    private func settleAttempt(
        _ count: AttemptCount,
        _ value: ReturnValue,
        _ settings: Settings,
        _ purpose: Purpose,
        otherWay account: Account?
    ) -> ReturnValue {
        var count = count
        guard let subject = count.subject else {
            return value
        }
        if value == .success {
            machine.forgetAttempts(of: subject)
            return value
        }
        if value == .authenticationInformationUnavailable, account?.hasUsablePassword ?? false {
            return leaveAttemptOpen(of: subject, &count, settings, purpose) ?? value
        }
        guard let key = count.key else {
            return value
        }
        // A fault before Cognito's first word was no guess, unless the caller can have brought it about.
        let isFault = value == purpose.fault || value == .credentialsUnavailable
        if count.isProven || isFault && count.answers <= 1 && (count.isFault || !isSetUserID) {
            machine.forgetAttempt(key)
        }
        return value
    }

    /// Settles what came of an attempt that the agent has counted for this host of root's.
    func settleAgentsAttempt(
        _ user: [UInt8], _ value: ReturnValue, _ settings: Settings, otherWay account: Account?
    ) -> ReturnValue {
        let count = settings.maxFailures > 0 ? AttemptCount(of: AttemptSubject(user: user, caller: charged)) : .none
        let settled = settleAttempt(count, value, settings, .signIn, otherWay: account)
        guard settled == .success else {
            return settled
        }
        do throws(ReturnValue) {
            try host.keep(Login(process: machine.process.id, provenByAgent: user, root: machine.rootDirectory))
            return .success
        } catch {
            return error == .success ? .systemError : error
        }
    }

    /// Has an attempt count until another module's yes is known. nil: it does; else what keeps it from that.
    private func leaveAttemptOpen(
        of subject: AttemptSubject,
        _ count: inout AttemptCount,
        _ settings: Settings,
        _ purpose: Purpose
    ) -> ReturnValue? {
        do throws(ReturnValue) {
            try noteAttempt(subject.user, &count, settings, purpose)
            try host.keep(OpenAttempt(process: machine.process.id, subject: subject))
            return nil
        } catch {
            return error
        }
    }

    /// Forgets the failures of whom another module has let in while Cognito was away: libpam comes by here only after that.
    func closeOpenAttempt() {
        if let attempt = host.openAttempt, attempt.process == machine.process.id {
            machine.forgetAttempts(of: attempt.subject)
        }
    }
}

extension Settings {
    /// Whether Cognito is asked before the person is: then it may send them a code, or run the pool's own program.
    fileprivate var asksCognitoFirst: Bool {
        switch authFlow {
        case .srp, .password: false
        case .choice: preferredChallenge == .emailCode || preferredChallenge == .messageCode
        case .custom: preferredChallenge != .passwordSRP
        }
    }
}
