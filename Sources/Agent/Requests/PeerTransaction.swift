import Base
import Keyring
import Messages
import Protocol
import Sessions

/// A login's hooks for a user who is logged in: the client replaces the application's conversation.
final class PeerTransaction<Peer: AgentPeer>: UnhostedTransaction {
    /// How long a person may think about one answer, and about all of them, in milliseconds.
    private static var answerLimit: Int64 { 300_000 }
    private static var wholeLimit: Int64 { 900_000 }

    let service: [UInt8]
    /// Where the person is, this machine does not know.
    let remoteHost: [UInt8] = []
    let terminal: [UInt8] = []
    var login: Login?
    private let name: [UInt8]
    private let conversation: PeerConversation<Peer>
    private let writeLog: (LogSeverity, LogLine) -> Void
    private let now: () -> Instant
    private let begin: Instant
    /// Whether the client was told something that is no question: why it ends as it does.
    private(set) var hasSaid = false

    init(
        _ name: [UInt8],
        _ conversation: PeerConversation<Peer>,
        service: [UInt8],
        now: @escaping () -> Instant,
        log: @escaping (LogSeverity, LogLine) -> Void
    ) {
        self.name = name
        self.conversation = conversation
        self.service = service
        self.now = now
        begin = now()
        writeLog = log
    }

    func user() throws(PAMRefusal) -> [UInt8] {
        name
    }

    /// The client's language; the agent itself has none.
    var language: Language? { conversation.language }

    func password(_ prompt: ByteText) throws(PAMRefusal) -> Secret {
        // A client that is a PAM host may have it already.
        try ask(prompt, .password)
    }

    func ask(_ text: ByteText, _ style: PromptStyle) throws(PAMRefusal) -> Secret {
        var question = FrameWriter(.ask)
        question.add(.promptStyle, style)
        question.add(.text, text.bytes)
        guard conversation.send(question) else {
            throw .conversationError
        }
        let left = Self.wholeLimit - (now().milliseconds - begin.milliseconds)
        guard case .frame(let answer) = conversation.receive(within: min(Self.answerLimit, left)),
            let given = answer.secret(.answer)
        else {
            throw .conversationError
        }
        return given
    }

    func show(_ text: ByteText) {
        var message = FrameWriter(.show)
        message.add(.text, text.bytes)
        hasSaid = true
        _ = conversation.send(message)
    }

    func log(_ severity: LogSeverity, _ line: LogLine) {
        writeLog(severity, line)
    }
}
