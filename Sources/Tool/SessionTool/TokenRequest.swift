package import Commands
internal import Messages
package import Tokens

/// One of the two tokens that other programs may be given.
package enum TokenKind: String, Sendable {
    /// For the services that trust the pool.
    case access
    /// Identifies the user to another program.
    case id
}

extension Invocation {
    /// Which token is meant. Other programs' servers learn who the person is, and can do nothing at Cognito.
    package var tokenKind: TokenKind {
        switch command {
        case .kubeCredential, .gitCredential, .dockerCredential: has(.access) ? .access : .id
        default: has(.header) ? has(.access) ? .access : .id : has(.id) ? .id : .access
        }
    }
}

/// A token that is good for as long as was asked.
package struct GrantedToken: Equatable, Sendable {
    package var kind: TokenKind
    package var text: String
    /// When it ends, in seconds since the epoch.
    package var expiry: Int64
    /// The serial of the token key that it is from.
    package var key: Int32
    /// The user's name in the pool.
    package var userName: String

    /// The token as a line of an HTTP request (RFC 6750 section 2.1), without its end.
    package var header: String { "Authorization: Bearer \(text)" }

    /// Whether there is nothing in it that would end a line, or a field, of what it is put into.
    package var isFit: Bool { !text.isEmpty && text.utf8.allSatisfy { byte in (0x21...0x7e).contains(byte) } }

    /// The token and its end as one JSON object.
    package func json(at now: Int64) -> JSONValue {
        answerObject(
            .valid, nil,
            [
                "token": .string(text), "type": .string(kind.rawValue), "expires_at": .integer(expiry),
                "expires_in": .integer(max(0, expiry - now)),
            ])
    }
}

extension Session {
    func token(_ kind: TokenKind, from key: Int32) -> GrantedToken {
        switch kind {
        case .access:
            GrantedToken(
                kind: kind, text: accessToken.text ?? "", expiry: accessTokenExpiry, key: key, userName: userName)
        case .id:
            GrantedToken(
                kind: kind, text: idToken.text ?? "", expiry: idTokenClaims?.expiry ?? 0, key: key, userName: userName)
        }
    }
}

/// Obtaining one token of the session, renewed first where it would end too soon.
package struct TokenRequest: Sendable {
    /// The remaining validity, in seconds, that a token must have to be handed out, unless the user requests another
    /// one.
    static let usualLife: Int64 = 60
    /// The margin for the time until the token is used.
    static let margin: Int64 = 5

    private let kind: TokenKind
    private let minimumLife: Int64?

    /// Asks for a token of a kind that still lives for `minimumLife` seconds.
    package init(_ kind: TokenKind, minimumLife: Int64?) {
        self.kind = kind
        self.minimumLife = minimumLife
    }

    /// Reads the session, and has it renewed if need be.
    ///
    /// - Parameters:
    ///   - status: Looks at the session as it is now.
    ///   - now: The time, in seconds since the epoch.
    package func obtain(
        from status: () -> SessionStatus, renewedBy agent: some Agent, at now: () -> Int64
    ) throws(Refusal) -> GrantedToken {
        let (session, place) = try Self.session(status())
        let held = session.token(kind, from: place.key)
        let wanted = minimumLife ?? Self.usualLife
        guard held.expiry - now() < max(1, wanted) else {
            return held
        }
        // Whatever is thought of its refresh token: whether that has run out is Cognito's to say.
        do throws(AgentFault) {
            _ = try agent.renew(place.key, minimumLife: wanted + Self.margin)
        } catch {
            // A token that ends soon is better than none where no more was asked for; not one that Cognito refuses.
            guard minimumLife == nil, held.expiry > now(), !error.isEnd else {
                throw Refusal(error)
            }
            return held
        }
        let (newer, newPlace) = try Self.session(status())
        let renewed = newer.token(kind, from: newPlace.key)
        guard renewed.expiry - now() >= max(1, minimumLife ?? 1) else {
            throw Refusal(.expired, ToolWording.tooShort(ToolWording.duration(renewed.expiry - now())))
        }
        return renewed
    }

    /// The session, or why there is none.
    package static func session(_ status: SessionStatus) throws(Refusal) -> (Session, KeyPlace) {
        switch status.finding {
        case .session(let session, let place): return (session, place)
        case .absent(let absence): throw Refusal(absence)
        }
    }
}

extension Refusal {
    init(_ absence: Absence) {
        let explanation = absence.explanation
        self.init(absence.exitCode, "\(absence.headline) \(explanation.reason) \(explanation.advice)")
    }

    init(_ fault: AgentFault) {
        self.init(fault.exitStatus, fault.message, name: fault.name)
    }
}
