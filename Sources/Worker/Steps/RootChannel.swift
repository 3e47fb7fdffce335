package import Protocol
internal import Tokens

/// A message or event from the root side.
package enum Received: ~Copyable {
    case frame(Frame)
    /// Nothing in time.
    case nothing
    /// The other end is gone, or sent what may not come.
    case closed
}

/// The way to the root side: a packet socket, or a test's script.
package protocol RootChannel: AnyObject {
    /// Waits for one message, at most `timeLimit` milliseconds, or as long as it takes with nil.
    func receive(timeLimit: Int64?) -> Received
    /// Sends one message; false when the other end is gone.
    func send(_ frame: borrowing Frame) -> Bool
    /// Takes no further message: from here on the root side learns that what it sends does not arrive. What has arrived
    /// is still received.
    func stopReceiving()
}

/// A channel on which both sides keep to the order of messages.
final class Conversation {
    /// Cognito's judgement of the answers since the last prompt.
    var judgement = AnswerJudgement.notSent
    /// Whether Cognito has sent a code since the last prompt.
    var codeWasSent = false
    /// The app client's secret that came with the last answer, to be used from now on.
    var clientSecret: SecretValue?
    /// Whether the root side wants to know either: one that began before an upgrade does not.
    private var tellsJudgement = false

    private let channel: any RootChannel
    private var exchange = Exchange(.rootSideAndWorker)

    init(_ channel: any RootChannel) {
        self.channel = channel
    }

    /// Waits for one message; what is out of place counts as the end of the conversation.
    func receive(timeLimit: Int64?) -> Received {
        switch channel.receive(timeLimit: timeLimit) {
        case .frame(let frame):
            accept(frame)
        case .nothing:
            .nothing
        case .closed:
            .closed
        }
    }

    private func accept(_ frame: consuming Frame) -> Received {
        guard exchange.accept(frame.kind) else {
            return .closed
        }
        if frame.kind == .answer {
            clientSecret = frame.sharedSecret(.clientSecret)
        }
        tellsJudgement = tellsJudgement || frame.flag(.tellsJudgement)
        return .frame(frame)
    }

    /// Adds what the answers came to since the last prompt.
    func addJudgement(to writer: inout FrameWriter) {
        writer.add(.judgement, tellsJudgement ? judgement : nil)
    }

    /// Adds the same to a prompt, from which on there are new answers.
    func addJudgement(toPrompt writer: inout FrameWriter) {
        addJudgement(to: &writer)
        if tellsJudgement, codeWasSent {
            writer.add(.codeSent, true)
        }
        judgement = .notSent
        codeWasSent = false
    }

    /// Waits for the last message, at most `timeLimit` milliseconds: the root side cannot send it later, and believe
    /// that it was heard.
    func receiveLast(timeLimit: Int64) -> Received {
        switch receive(timeLimit: timeLimit) {
        case .frame(let frame): return .frame(frame)
        case .closed: return .closed
        case .nothing:
            channel.stopReceiving()
            return receive(timeLimit: 0)
        }
    }

    /// Waits for another sign-out after one that is over. Anything else ends the conversation.
    func receiveNextSignOut(within timeLimit: Int64) -> Received {
        guard exchange.isFinished else {
            return .closed
        }
        exchange = Exchange(.rootSideAndWorker)
        switch receive(timeLimit: timeLimit) {
        case .frame(let frame): return frame.kind == .signOut ? .frame(frame) : .closed
        case .nothing: return .nothing
        case .closed: return .closed
        }
    }

    /// Sends one message; false when the other end is gone, or when the message would be out of place.
    func send(_ frame: borrowing Frame) -> Bool {
        exchange.accept(frame.kind) && channel.send(frame)
    }

    /// The same for one that may be too large, which is not sent then.
    @discardableResult
    func send(_ writer: consuming FrameWriter) -> Bool {
        guard let frame = try? writer.finish() else {
            return false
        }
        return send(frame)
    }
}
