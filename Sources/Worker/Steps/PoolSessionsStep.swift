internal import CognitoIdentityProvider
internal import Protocol
internal import Tokens

/// The person's sessions by the pool's own list, or the end of one of them. The pool must track sessions.
struct PoolSessionsStep {
    private let conversation: Conversation
    private let client: CognitoClient
    private let session: Session
    /// Which one is to be ended; nil: none, they are listed.
    private let ended: String?

    init(
        _ frame: borrowing Frame, _ conversation: Conversation, _ surroundings: StepSurroundings
    ) throws(StepFailure) {
        self.conversation = conversation
        client = try surroundings.client(for: frame)
        session = try Session(from: frame, of: client.pool)
        ended = frame.bytes(.poolSession).map { bytes in String(decoding: bytes, as: UTF8.self) }
    }

    func run() throws(StepFailure) {
        var writer = FrameWriter(.poolSessionList)
        do {
            if let ended {
                try client.revoke(session: ended, accessToken: session.accessToken)
            } else {
                let sessions = try client.sessions(accessToken: session.accessToken)
                for session in sessions.prefix(Self.most) {
                    writer.add(.report, Self.report(session).serialized ?? [])
                }
                let own = sessions.first(where: \.isCurrent)?.identifier
                writer.add(.poolSession, ifPresent: own.map { name in Array(name.utf8.prefix(64)) })
            }
        } catch {
            throw failure(error)
        }
        guard let message = try? writer.finish() else {
            throw StepFailure(.serviceFault, "Cognito's list of the user's sessions is too long.")
        }
        _ = conversation.send(message)
    }

    /// A hundred sessions of tokens and 25 of browsers are what a pool keeps of a person's (SessionsListType).
    private static var most: Int { 125 }

    private static func report(_ session: TrackedSession) -> JSONValue {
        func text(_ text: String?, _ limit: Int) -> JSONValue {
            let shown = PromptText.cleaned(text ?? "", limit: limit)
            return shown.isEmpty ? .null : .string(shown)
        }
        return .object([
            "session": text(session.identifier, 64), "current": .boolean(session.isCurrent),
            "browser": .boolean(session.isBrowser), "client_id": text(session.clientID, 128),
            "created": session.created.map(JSONValue.integer) ?? .null, "active": .integer(session.lastActive),
            "device": text(session.device, 120), "address": text(session.address, 60),
            "place": text(session.place.joined(separator: ", "), 80),
        ])
    }

    private func failure(_ error: CognitoError) -> StepFailure {
        switch error.kind {
        // As with a check: a renewal shows whether the session is over.
        case .accessTokenExpired, .accessTokenRevoked, .accessTokenInvalid, .refused:
            return StepFailure(.accessTokenExpired, "Cognito no longer accepts the access token.")
        case .invalidRequest, .flowNotEnabled, .operationNotSupported, .clientNotFound:
            var sentence = "The pool does not track sessions, or the list of sessions does not contain the session."
            if case .service(let refusal) = error, !refusal.cleanedMessage.isEmpty {
                sentence += " Cognito said: \(refusal.cleanedMessage)"
            }
            return StepFailure(.notListed, sentence)
        default:
            return StepFailure(session: error)
        }
    }
}
