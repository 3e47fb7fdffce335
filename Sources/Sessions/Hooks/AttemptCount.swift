import Base
import Configuration
package import Keyring
import Messages
import Protocol

/// How long an answer may wait until there is room for it, in milliseconds: less than sshd's LoginGraceTime (120 s)
/// leaves.
private let roomPatience: Int64 = 30_000

/// One attempt to sign in, for the count of those that failed.
///
/// Each answer is counted before it goes to Cognito: a user who can kill the program that asks, such as the caller of
/// su, must not get a free guess. An answer that is not a wrong guess is removed from the count as soon as Cognito has
/// judged it.
struct AttemptCount {
    /// nil: this is not counted.
    let subject: AttemptSubject?
    /// The answer that Cognito is judging.
    fileprivate var reservation: RootKey?
    /// For the answers to the pool's own questions, of which only the end shows whether they were right: one for all of
    /// a sign-in. Where there is no room beside it, later answers have no other: a sign-in never waits for itself.
    fileprivate var undecided: RootKey?
    /// The codes that Cognito has sent for the prompt that is open.
    fileprivate var codesSent: [RootKey] = []
    /// That Cognito has an answer, whether or not that is counted: see `awaitSignOuts`.
    var answered: RootKey?
    /// Whether the attempt is logged, if the caller can kill this program.
    fileprivate var isLogged = false
    /// The note that the sign-in may be begun before the first answer; nil: it may not, or there was one.
    var begin: RootKey?
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
    /// The answer that the other module is judging; nil: it has.
    package fileprivate(set) var reservation: RootKey?

    /// An attempt of a process.
    package init(process: Int32, subject: AttemptSubject, reservation: RootKey) {
        self.process = process
        self.subject = subject
        self.reservation = reservation
    }
}

extension Hooks {
    /// Carries `body` out as an attempt that is counted, unless there were too many failures lately.
    ///
    /// - Parameters:
    ///   - isTrial: An administrator tries whether a sign-in works.
    ///   - asksFirst: Cognito is asked before the user is, whatever the flow.
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
        do throws(PAMRefusal) {
            count = try beginAttempt(user, settings, purpose, isTrial: isTrial, asksFirst: asksFirst)
        } catch {
            return ReturnValue(error)
        }
        let value: ReturnValue
        do throws(Fault) {
            value = try body(&count)
        } catch {
            log(error, user, purpose)
            value = ReturnValue(fault(purpose))
        }
        return settleAttempt(count, value, settings, purpose, otherWay: account)
    }

    private func beginAttempt(
        _ user: [UInt8],
        _ settings: Settings,
        _ purpose: Purpose,
        isTrial: Bool,
        asksFirst: Bool
    ) throws(PAMRefusal) -> AttemptCount {
        // The application tries again: the other module has refused.
        if let attempt = host.openAttempt {
            failOpenAttempt(attempt)
        }
        let isRoots = isTrial || purpose == .passwordChange && caller == 0
        guard settings.maxFailures > 0, !isRoots, purpose != .passwordRecovery else {
            return .none
        }
        let subject = AttemptSubject(user: user, caller: charged)
        var count = AttemptCount(of: subject)
        _ = try room(for: subject, count, settings, purpose)
        // Who is asked for a code first has had it sent.
        if asksFirst || settings.asksCognitoFirst {
            try reserve(&count, settings, purpose)
            logAttempt(&count, user, purpose)
        }
        return count
    }

    /// Counts an answer before it goes to Cognito. It waits for room while others are being judged.
    func noteAnswer(
        _ user: [UInt8],
        _ count: inout AttemptCount,
        _ settings: Settings,
        _ purpose: Purpose,
        isOfBrowser: Bool = false
    ) throws(PAMRefusal) {
        try reserve(&count, settings, purpose)
        // Only now: one of the two counts, whenever this program is killed. What is answered in a browser does not
        // answer what was begun.
        if !isOfBrowser, let begin = count.begin.take() {
            machine.forgetAttempt(begin)
        }
        logAttempt(&count, user, purpose)
    }

    private func logAttempt(_ count: inout AttemptCount, _ user: [UInt8], _ purpose: Purpose) {
        // The user who started a set-uid program can end it before it logs the result.
        if isSetUserID, !count.isLogged {
            host.log(.information, audit(purpose.attempt, user, ["uid": "\(caller)"]))
        }
        count.isLogged = true
    }

    /// Settles the last answer, now that Cognito asks for more.
    func noteJudgement(_ prompt: borrowing Frame, _ count: inout AttemptCount, _ settings: Settings) {
        dropAnswered(&count)
        let judgement = prompt.code(.judgement, AnswerJudgement.self)
        let entered = judgement == .notSent ? [] : count.codesSent
        var isNoted = true
        if prompt.code(.codeSent) == 1, let subject = count.subject {
            do throws(ErrorNumber) {
                count.codesSent.append(try machine.noteAttempt(.codeSent, subject, lasting: settings.failInterval))
            } catch {
                isNoted = false
            }
        }
        // Each counts as something until it counts as something else.
        forget(entered, &count)
        switch judgement {
        case .undecided:
            if count.undecided == nil {
                count.undecided = count.reservation.take()
            }
            release(&count)
        // A code that cannot be noted is one more that was wrong.
        case .notWrong where isNoted, .notSent where isNoted: release(&count)
        case .notWrong, .notSent, .wrong, nil: fail(&count, settings)
        }
    }

    /// The codes were entered.
    private func forget(_ codes: [RootKey], _ count: inout AttemptCount) {
        for code in codes {
            machine.forgetAttempt(code)
        }
        // Swift 6.3 compiles removeAll(where:) here in two ways, by chance: the package would not be reproducible.
        count.codesSent = count.codesSent.filter { code in !codes.contains(code) }
    }

    /// Settles the last answer, now that the worker has given up; what is not known to be wrong, and not to be right,
    /// is settled at the end.
    func noteEnd(_ failure: borrowing Frame, _ count: inout AttemptCount, _ settings: Settings) {
        dropAnswered(&count)
        let judgement = failure.code(.judgement, AnswerJudgement.self)
        if judgement != .notSent {
            forget(count.codesSent, &count)
        }
        switch judgement {
        case .notWrong, .notSent: release(&count)
        case .wrong where !count.isFault: fail(&count, settings)
        case .wrong, .undecided, nil: break
        }
    }

    /// Settles all answers, now that Cognito has accepted them.
    func noteSuccess(_ count: inout AttemptCount) {
        forget(count.codesSent, &count)
        release(&count)
        if let key = count.undecided.take() {
            machine.forgetAttempt(key)
        }
    }

    /// Cognito has the answer no longer.
    func dropAnswered(_ count: inout AttemptCount) {
        if let answered = count.answered.take() {
            machine.forgetAttempt(answered)
        }
    }

    /// Takes back that an answer counts.
    func release(_ count: inout AttemptCount) {
        if let key = count.reservation.take() {
            machine.forgetAttempt(key)
        }
    }

    private func fail(_ count: inout AttemptCount, _ settings: Settings) {
        if let subject = count.subject, let key = count.reservation.take() ?? count.undecided.take() {
            fail(key, of: subject, settings)
        }
    }

    private func fail(_ reservation: RootKey, of subject: AttemptSubject, _ settings: Settings) {
        // Without room for the failure the reservation stays, which is one when this process ends.
        if (try? machine.noteAttempt(.failure, subject, lasting: settings.failInterval)) != nil {
            machine.forgetAttempt(reservation)
        }
    }

    /// Reserves one of `max_failures` for an answer, unless this attempt has one already.
    private func reserve(
        _ count: inout AttemptCount, _ settings: Settings, _ purpose: Purpose
    ) throws(PAMRefusal) {
        guard let subject = count.subject, count.reservation == nil else {
            return
        }
        var ticket: RootKey?
        defer {
            if let ticket {
                machine.forgetAttempt(ticket)
            }
        }
        let deadline = machine.now.milliseconds + roomPatience
        while true {
            let found = try room(for: subject, before: ticket, count, settings, purpose)
            if found.places > found.waiting {
                let key = try note(.reserved, subject, lasting: settings.failInterval, purpose)
                // With those that others have reserved meanwhile: the last of them to look has seen all.
                do throws(PAMRefusal) {
                    if try room(for: subject, count, settings, purpose).places >= 0 {
                        count.reservation = key
                        return
                    }
                } catch {
                    machine.forgetAttempt(key)
                    throw error
                }
                machine.forgetAttempt(key)
            }
            guard count.undecided == nil else {
                return
            }
            guard machine.now.milliseconds < deadline else {
                throw tooManyAtOnce(subject, settings, purpose)
            }
            if ticket == nil {
                ticket = try note(.waiting, subject, lasting: roomPatience / 1000 + 1, purpose)
            } else {
                machine.pause(milliseconds: min(500, 20 * Int64(found.waiting + 1)) + machine.random(below: 20))
            }
        }
    }

    private func note(
        _ kind: AttemptKind, _ subject: AttemptSubject, lasting seconds: Int64, _ purpose: Purpose
    ) throws(PAMRefusal) -> RootKey {
        do throws(ErrorNumber) {
            return try machine.noteAttempt(kind, subject, lasting: seconds)
        } catch {
            throw uncountable(error, subject.user, purpose)
        }
    }

    /// For how many answers of `subject` there is room, negative where more are reserved than may be; and how many wait
    /// for it that came before `ticket`. Throws where no wait makes room.
    private func room(
        for subject: AttemptSubject, before ticket: RootKey? = nil, _ count: AttemptCount, _ settings: Settings,
        _ purpose: Purpose
    ) throws(PAMRefusal) -> (places: Int, waiting: Int) {
        let counts: AttemptCounts
        do throws(ErrorNumber) {
            counts = try machine.attemptCounts(of: subject)
        } catch {
            throw uncountable(error, subject.user, purpose)
        }
        let most = Int(settings.maxFailures)
        // An answer may have Cognito send a code; those that this is the answer to are none any more.
        let codes = counts.codesSent.filter { code in !count.codesSent.contains(code.key) } + counts.unjudged
        guard counts.failures.count < most else {
            throw tooMany(counts.failures, subject, most, purpose)
        }
        guard codes.count < most else {
            throw tooManyCodes(codes, subject, most, purpose)
        }
        let places = most - counts.reserved - max(counts.failures.count, codes.count)
        return (places, counts.waiting(before: ticket))
    }

    private func tooMany(
        _ failures: [Attempt], _ subject: AttemptSubject, _ most: Int, _ purpose: Purpose
    ) -> PAMRefusal {
        let minutes = minutesUntilRoom(failures, most)
        return refuse(
            subject, purpose, reason: "too_many_failures",
            """
            \(failures.count) attempts by user id \(subject.caller) failed within fail_interval. Cognito was not \
            contacted. The lockout ends in \(minutes) min. To end the lockout now, run: cognito-agent failures \
            --reset \(quoting: subject.user)
            """, Wording.tooManyFailures, minutes)
    }

    private func tooManyCodes(
        _ codes: [Attempt], _ subject: AttemptSubject, _ most: Int, _ purpose: Purpose
    ) -> PAMRefusal {
        let minutes = minutesUntilRoom(codes, most)
        return refuse(
            subject, purpose, reason: "too_many_codes",
            """
            user id \(subject.caller) has reached the max_failures limit: \(codes.count) codes that Cognito may have \
            sent were never entered. Cognito was not contacted. The lockout ends in \
            \(minutes) min. To end the lockout now, run: cognito-agent failures --reset \(quoting: subject.user)
            """, Wording.tooManyCodes, minutes)
    }

    private func tooManyAtOnce(_ subject: AttemptSubject, _ settings: Settings, _ purpose: Purpose) -> PAMRefusal {
        refuse(
            subject, purpose, reason: "too_many_at_once",
            """
            Cognito is already checking as many answers from user id \(subject.caller) as max_failures \
            (\(settings.maxFailures)) allows, and did not return a result within \(roomPatience / 1000) s. The \
            user's latest answer was not sent
            """, Wording.tooManyAtOnce)
    }

    /// Refuses an attempt that Cognito is not asked about.
    ///
    /// - Parameter minutes: In how many minutes the next one may be tried, where that is known.
    private func refuse(
        _ subject: AttemptSubject, _ purpose: Purpose, reason: StaticString, _ text: ByteText, _ words: Phrase,
        _ minutes: Int64? = nil
    ) -> PAMRefusal {
        logFailure(subject.user, purpose, reason: reason, text)
        say(words, filling: minutes.map { minutes in ("\(minutes)" as ByteText).bytes } ?? [])
        return purpose.refusal(.lockedOut)
    }

    /// In how many minutes there are fewer than `most` of `attempts`.
    private func minutesUntilRoom(_ attempts: [Attempt], _ most: Int) -> Int64 {
        let ends = attempts.map { attempt in attempt.end.milliseconds }.sorted()
        let end = ends.dropFirst(attempts.count - most).first ?? 0
        return max(1, (end - machine.now.milliseconds + 59_999) / 60_000)
    }

    private func uncountable(_ error: ErrorNumber, _ user: [UInt8], _ purpose: Purpose) -> PAMRefusal {
        let fault = Fault(
            """
            failed sign-ins cannot be counted in the kernel (errno \(error.code)), so Cognito passwords are not \
            accepted; \(error.keyringRemedy)
            """, .keyrings)
        log(fault, user, purpose)
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
        dropAnswered(&count)
        guard let subject = count.subject else {
            return value
        }
        if value == .success {
            noteSuccess(&count)
            machine.forgetFailures(of: subject)
            return value
        }
        if let key = count.undecided.take() {
            fail(key, of: subject, settings)
        }
        if value == .authenticationInformationUnavailable, account?.hasUsablePassword ?? false {
            return leaveAttemptOpen(of: subject, &count, settings, purpose) ?? value
        }
        // A fault is no judgement of the answer, unless the caller can have brought it about.
        let isFault = value == ReturnValue(purpose.fault) || value == .credentialsUnavailable
        if isFault && (count.isFault || !isSetUserID) {
            release(&count)
        } else {
            fail(&count, settings)
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
        do throws(PAMRefusal) {
            try host.keep(Login(process: machine.process.id, provenByAgent: user, root: machine.rootDirectory))
            return .success
        } catch {
            return ReturnValue(error)
        }
    }

    /// Has an attempt count until another module's yes is known. nil: it does; else what keeps it from that.
    private func leaveAttemptOpen(
        of subject: AttemptSubject,
        _ count: inout AttemptCount,
        _ settings: Settings,
        _ purpose: Purpose
    ) -> ReturnValue? {
        do throws(PAMRefusal) {
            try reserve(&count, settings, purpose)
            logAttempt(&count, subject.user, purpose)
            if let key = count.reservation {
                try host.keep(OpenAttempt(process: machine.process.id, subject: subject, reservation: key))
            }
            return nil
        } catch {
            fail(&count, settings)
            return ReturnValue(error)
        }
    }

    /// Forgets the failures of whom another module has let in while Cognito was away: libpam comes by here only after
    /// that.
    func closeOpenAttempt() {
        if let attempt = host.openAttempt, attempt.process == machine.process.id, let key = attempt.reservation {
            machine.forgetAttempt(key)
            attempt.reservation = nil
            machine.forgetFailures(of: attempt.subject)
        }
    }

    /// Counts as a failure what another module has not let in.
    package func failOpenAttempt(_ attempt: OpenAttempt) {
        guard attempt.process == machine.process.id, let key = attempt.reservation else {
            return
        }
        attempt.reservation = nil
        fail(key, of: attempt.subject, settingsOrDefaults)
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
