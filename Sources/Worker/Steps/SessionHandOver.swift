internal import Base
internal import CognitoIdentityProvider
internal import Protocol
internal import Tokens

/// Giving verified tokens to the root side, and hearing that it has them.
///
/// Made before there are tokens, with the memory for their message: nothing that can be done before stands between
/// their arrival and their hand-over, when no other process knows them.
struct SessionHandOver: ~Copyable {
    private let conversation: Conversation
    private let keys: KeySource
    private var writer: FrameWriter

    /// Begins a message of `kind`.
    init(_ kind: MessageKind, _ conversation: Conversation, _ keys: KeySource) {
        self.conversation = conversation
        self.keys = keys
        writer = FrameWriter(kind)
    }

    /// Sends what there is to keep, then the session; true when the root side has entered it into its registry.
    ///
    /// - Parameters:
    ///   - tokens: whose they are, and in which groups.
    ///   - uidClaim: the claim that has their user id.
    ///   - device: to be kept for the next sign-in.
    ///   - remark: what the log should know besides.
    ///   - isFederated: whether they came through a browser, and are verified by that rule.
    ///   - place: see `Field.sessionPlace`; nil: it was not asked for, or Cognito did not say.
    consuming func send(
        _ session: Session, _ tokens: VerifiedTokens, withholding: Bool, uidClaim: String? = nil,
        device: RememberedDevice? = nil, remark: String? = nil, place: Int64? = nil, isFederated: Bool = false
    ) throws(StepFailure) -> Bool {
        let whole = try Self.encoded(session)
        let visible = withholding ? try Self.encoded(session.withoutRefreshToken) : nil
        writer.add(.userName, Array(session.userName.utf8))
        writer.add(.subject, Array(tokens.subject.utf8))
        writer.add(.bundle, whole)
        writer.add(.sessionBundle, ifPresent: visible)
        writer.add(.accessTokenExpiry, tokens.firstExpiry)
        writer.add(.device, ifPresent: device?.encoded())
        writer.add(.realName, ifFits: tokens.claim("name"))
        writer.add(.uidClaim, ifFits: uidClaim.flatMap { name in tokens.claim(name) })
        writer.add(.logText, ifPresent: remark.map { text in Array(text.utf8) })
        if isFederated {
            writer.add(.identityRule, IdentityRule.federated)
        }
        writer.add(.sessionPlace, ifPresent: place)
        tokens.addProof(to: &writer)
        let (conversation, keys) = (conversation, keys)
        let message = try writer.finished()
        keys.note(tokens.issuerType, isNew: true)
        keys.keep()
        guard conversation.send(message) else {
            return false
        }
        if case .frame(let answer) = conversation.receiveLast(timeLimit: SignInStep.registrationTimeLimit) {
            return answer.kind == .registered
        }
        return false
    }

    private static func encoded(_ session: Session) throws(StepFailure) -> Secret {
        do {
            return try session.encoded()
        } catch {
            throw StepFailure(.internalFault, "The tokens cannot be stored. \(error.description)")
        }
    }
}

extension FrameWriter {
    /// Adds a text unless there is none, or it is longer than anything of its kind.
    mutating func add(_ field: Field, ifFits value: String?) {
        if let value, !value.isEmpty, field.lengths.contains(value.utf8.count) {
            add(field, Array(value.utf8))
        }
    }

    /// The finished message.
    consuming func finished() throws(StepFailure) -> Frame {
        do {
            return try finish()
        } catch {
            throw StepFailure(
                .internalFault, "The tokens are too large for a message to the module or the agent.")
        }
    }
}

extension Conversation {
    /// Has the root side remove the data of this host as the user's device, which is no longer valid.
    func forgetDevice() {
        var writer = FrameWriter(.keep)
        writer.add(.device, [UInt8]())
        send(writer)
    }
}
