internal import Messages
internal import Protocol

/// The worker's whole life: one step, told by the root side, from its first message to its result. Sign-outs may follow
/// each other.
package struct WorkerProcess {
    /// How long the root side may take to say what to do, in milliseconds.
    static let firstMessageTimeLimit: Int64 = 10_000
    /// How long it may take to ask for another sign-out, in milliseconds: a little longer than it does.
    static let nextSignOutTimeLimit: Int64 = Exchange.longestSharing + 1000

    private let conversation: Conversation
    private let surroundings: StepSurroundings

    package init(channel: any RootChannel, surroundings: StepSurroundings) {
        conversation = Conversation(channel)
        self.surroundings = surroundings
    }

    /// Does one step and reports its result. Returns when there is nothing left to do.
    package func run() {
        guard case .frame(let frame) = conversation.receive(timeLimit: Self.firstMessageTimeLimit) else {
            return
        }
        if frame.kind == .signOut {
            signOut(frame)
        } else {
            takeStep(frame)
        }
    }

    /// Signs a session out, and others that follow. All of them use one connection.
    private func signOut(_ first: consuming Frame) {
        let surroundings = surroundings.keepingConnections()
        var next: Frame? = consume first
        for number in 1...Exchange.mostSignOuts {
            guard let frame = next.take(), signOut(frame, surroundings), frame.flag(.keepsConnection),
                number < Exchange.mostSignOuts,
                case .frame(let following) = conversation.receiveNextSignOut(within: Self.nextSignOutTimeLimit)
            else {
                return
            }
            next = consume following
        }
    }

    /// Whether the root side knows that the session of `frame` is signed out.
    private func signOut(_ frame: borrowing Frame, _ surroundings: StepSurroundings) -> Bool {
        let manner = Manner(frame)
        do throws(StepFailure) {
            let step = try SignOutStep(frame, surroundings) { failure in conversation.report(failure, manner) }
            return report(try step.run())
        } catch {
            conversation.report(error, manner)
            return false
        }
    }

    private func takeStep(_ frame: borrowing Frame) {
        do throws(StepFailure) {
            switch frame.kind {
            case .signIn: try SignInStep(frame, conversation, surroundings).run()
            case .renew: try RenewStep(frame, conversation, surroundings).run()
            case .changePassword: report(try ChangePasswordStep(frame, conversation, surroundings).run())
            case .check: try CheckStep(frame, conversation, surroundings).run()
            case .makeCredential: try CredentialStep(frame, conversation, surroundings).run()
            case .probe: try ProbeStep(frame, conversation, surroundings).run()
            case .poolSessions: try PoolSessionsStep(frame, conversation, surroundings).run()
            case .forgotPassword: report(try RecoverPasswordStep(frame, conversation, surroundings).run())
            case .adminSignOut:
                let result = try AdminSignOutStep(frame, surroundings).run()
                report(SignOutStepResult(result: result, remark: nil))
            case .listPeople: try ListPeopleStep(frame, conversation, surroundings).run()
            default: break
            }
        } catch {
            conversation.report(error, Manner(frame))
        }
    }

    @discardableResult
    private func report(_ report: SignOutStepResult) -> Bool {
        var writer = FrameWriter(.signedOut)
        writer.add(report.result)
        writer.add(.logText, ifPresent: report.remark.map { text in Array(text.utf8) })
        return conversation.send(writer)
    }

    private func report(_ change: PasswordChange?) {
        guard let change else {
            return
        }
        var writer = FrameWriter(.passwordChanged)
        writer.add(.outcome, change.outcome)
        writer.add(.logText, ifPresent: change.logText.map { text in Array(text.utf8) })
        conversation.send(writer)
    }
}

extension Conversation {
    /// Tells root's log why Cognito refused something, which the person is not told.
    func report(withheld failure: StepFailure) {
        var writer = FrameWriter(.withheld)
        writer.add(.reason, failure.reason)
        writer.add(.logText, Array(failure.logText.utf8))
        send(writer)
    }

    /// Tells the root side how the step has failed.
    func report(_ failure: StepFailure, _ manner: Manner) {
        var writer = FrameWriter(.failed)
        writer.add(.reason, failure.reason)
        writer.add(.logText, Array(failure.logText.utf8))
        writer.add(.text, ifPresent: failure.text.map { text in manner.say(text) })
        writer.add(.outcome, failure.outcome)
        if failure.wasRevoked {
            writer.add(.revoked, true)
        }
        if failure.ranOut {
            writer.add(.ranOut, true)
        }
        addJudgement(to: &writer)
        send(writer)
    }
}
