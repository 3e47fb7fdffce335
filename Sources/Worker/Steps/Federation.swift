internal import Base
internal import CognitoIdentityProvider
internal import Configuration
internal import Cryptography
internal import HTTPClient
internal import Messages
internal import Protocol
internal import Tokens

/// Which users of an external identity provider sign in, and as whom.
struct Federation {
    /// The provider's name in the pool, exact bytes.
    let provider: [UInt8]
    /// The claim of the ID token that names the account.
    let claim: String
    /// The scopes that the access token must have, at least.
    let scopes: [String]
    /// Whether a browser that is signed in already is enough.
    let acceptsBrowserSession: Bool

    /// In place of a claim: what the provider itself calls its user.
    private static let userID = "identities.userId"

    /// The administrator's settings; nil if users do not sign in this way.
    init?(_ options: WorkerSettings) {
        guard options.federated != .no, let provider = options.identityProvider,
            let claim = StepSurroundings.text(options.identityClaim)
        else {
            return nil
        }
        self.provider = provider
        self.claim = claim
        scopes = String(decoding: options.managedLoginScopes, as: UTF8.self).split(separator: " ").map(String.init)
        acceptsBrowserSession = options.acceptsBrowserSession
    }

    /// Returns the objection to an ID token as that of `loginName`; nil if it is right.
    ///
    /// A native user of the pool who is linked to the provider has its name in `identities`, too, and may have signed
    /// in with a password. The user name and `primary` distinguish them.
    func objection(to person: Claims, loginName: [UInt8]) -> String? {
        guard let identity = person.identities.first else {
            return "the user signs in with a password in the pool, not with an identity provider"
        }
        guard person.identities.count == 1 else {
            return "the user has accounts with \(person.identities.count) identity providers, but only one is allowed"
        }
        guard Array(identity.provider.utf8) == provider else {
            return """
                the user signed in through \(identity.provider.quoted), which is not the configured \
                "identity_provider"
                """
        }
        guard identity.isPrimary,
            person.userName.utf8.equalsIgnoringCase(Array("\(identity.provider)_\(identity.userID)".utf8))
        else {
            return "the user is a native user of the pool who is linked to the identity provider"
        }
        let isAddress = claim == "email"
        // No user of the pool can change the provider's name for its user.
        let provided = claim == Self.userID ? identity.userID : nil
        guard let value = provided ?? (isAddress ? person.verifiedEmail : person.text(claim)) else {
            return isAddress
                ? "the tokens contain no verified e-mail address: map email_verified from the identity provider"
                : """
                the tokens have no claim \(claim.quoted): make sure that the identity provider sends the \
                claim, and that the app client may read the attribute
                """
        }
        guard areSameAddress(Array(value.utf8), loginName) else {
            return "\(claim) is \(value.quoted), and this machine expects "
                + String(decoding: loginName, as: UTF8.self).quoted
        }
        return nil
    }
}

extension String {
    /// The name as the log can show it.
    var quoted: String { "'\(printableASCII(limit: 128))'" }
}

/// Further requirements for tokens that came through a browser. Anyone can change the address, so the content of the
/// request is not taken for granted.
struct BrowserProof {
    let federation: Federation
    /// The nonce that the ID token must contain.
    let nonce: String
    /// How long ago the prompt was shown, in seconds.
    let age: Int64

    /// How much earlier than the prompt the user may have signed in, in seconds: clocks and requests take their time.
    private static let leeway: Int64 = 60

    /// Throws what is wrong with verified tokens as `loginName`'s.
    func check(_ access: Claims, _ person: Claims, loginName: [UInt8]) throws(StepFailure) {
        guard person.nonce.map({ found in Array(found.utf8) }) == Array(nonce.utf8) else {
            throw StepFailure(
                .refused,
                "The ID token from Cognito belongs to another sign-in, because it does not contain the nonce "
                    + "that was sent.")
        }
        guard federation.scopes.allSatisfy(access.scopes.contains) else {
            throw StepFailure(
                .refused,
                "The access token lacks a scope that is listed in \"managed_login_scopes\". The sign-in address was "
                    + "changed before the user opened it, or one of the pool's triggers removes scopes.")
        }
        if let objection = federation.objection(to: person, loginName: loginName) {
            throw StepFailure(.otherIdentity, "Cognito's tokens are valid, but \(objection).")
        }
        // By the service's clock alone.
        guard federation.acceptsBrowserSession || isFresh(person) else {
            throw StepFailure(
                .refused,
                "The user had signed in to Cognito before this prompt was shown, but \"browser_session = ask\" "
                    + "requires a new sign-in. The sign-in address was changed before the user opened it, or managed "
                    + "login did not ask the user to sign in again.",
                text: WorkerWording.refusedInBrowser)
        }
    }

    private func isFresh(_ person: Claims) -> Bool {
        guard let issued = person.issuedAt, let authenticated = person.authenticatedAt else {
            return false
        }
        return issued - authenticated <= age + Self.leeway
    }
}

/// The way through a browser: what the user is shown, and what they bring back.
struct BrowserSignIn {
    let login: ManagedLogin
    let federation: Federation
    /// Whether no password is requested.
    let isOnly: Bool
    let clientID: String
    let loginName: String
    let hostName: String?
    let clientAddress: String?
    let service: String?
    let clock: any Clock

    /// A new request. The redirect page shows the user which prompt it belongs to.
    func begin() throws(StepFailure) -> AuthorizationRequest {
        var shown: [String: JSONValue] = [
            "user": .string(PromptText.cleaned(loginName, limit: 64)),
            "time": .integer(clock.seconds()),
        ]
        shown["host"] = hostName.map { name in .string(PromptText.cleaned(name, limit: 64)) }
        shown["service"] = service.map { name in .string(PromptText.cleaned(name, limit: 32)) }
        shown["client"] = clientAddress.map { address in .string(PromptText.cleaned(address, limit: 45)) }
        do {
            return try AuthorizationRequest(shown: shown, at: clock.milliseconds())
        } catch {
            throw StepFailure(signIn: error)
        }
    }

    /// Returns the requirements for tokens from this request.
    func proof(of request: borrowing AuthorizationRequest) -> BrowserProof {
        let age = max(0, clock.milliseconds() - request.begun) / 1000
        return BrowserProof(federation: federation, nonce: request.nonce, age: age)
    }

    /// Asks managed login with such a request; returns `unreachable` without an answer.
    func answer(by client: CognitoClient) throws(StepFailure) -> String {
        let request = try begin()
        do throws(CognitoError) {
            return try client.once(within: client.timeLeft / 3) { () throws(CognitoError) in
                try login.answer(to: request, by: client)
            }
        } catch {
            return "unreachable"
        }
    }

    /// The prompt: what to do, the address alone on its line, and the question.
    func prompt(_ request: borrowing AuthorizationRequest, _ manner: Manner) -> String {
        manner.say(ChallengeWording.browser)
            + "\n\(login.url(for: request, clientID: clientID, loginName: loginName))\n\n"
            + manner.say(ChallengeWording.browserCode)
    }
}

/// The text that a user pasted at the prompt for a code.
enum PastedAnswer: Equatable {
    case code(SecretValue)
    /// The provider or Cognito refused, or the user who pasted it claims so; with the error's name.
    case refused(String)
    /// It belongs to another prompt.
    case ofAnotherPrompt
    /// Its end is missing.
    case truncated
    case unusable

    /// The longest answers that programs read: of libpam's misc_conv (su, login) and of OpenSSH's client, in bytes.
    private static let longestLines = [511, 1023, 4095]
    /// Longer than any code of Cognito's.
    private static let longestCode = 256
    private static let shortestCode = 8

    /// Reads an address, its query, or a code alone. Blanks and line breaks in it come from terminals that wrap.
    init(_ answer: SecretValue, state: String) {
        let text = answer.text.map { text in
            String(text.unicodeScalars.filter { scalar in !scalar.properties.isWhitespace })
        }
        guard let text, text.utf8.allSatisfy(Self.isOfAddress) else {
            self = .unusable
            return
        }
        guard let parameters = Self.parameters(text) else {
            self = Self.code(text[...], orElse: Self.longestLines.contains(answer.count) ? .truncated : .unusable)
            return
        }
        func value(_ name: String) -> Substring? {
            parameters.last { parameter in parameter.name == name }?.value
        }
        guard Set(parameters.map(\.name)).count == parameters.count else {
            self = .unusable
            return
        }
        let isLast = parameters.last?.name == "state"
        switch value("state") {
        case nil:
            // The state follows the code.
            self = value("error") == nil ? Self.code(value("code"), orElse: .truncated) : .ofAnotherPrompt
            if text.hasPrefix("http"), case .code = self {
                self = .truncated
            }
        case let found? where found == state[...]:
            if value("error") != nil {
                self = .refused(Self.errors.first { name in value("error") == name[...] } ?? "another error")
            } else {
                self = Self.code(value("code"), orElse: .unusable)
            }
        case let found? where isLast && state.hasPrefix(found): self = .truncated
        default: self = .ofAnotherPrompt
        }
    }

    /// The parameters of an address, or of a query alone; nil: it is neither.
    private static func parameters(_ text: String) -> [(name: Substring, value: Substring)]? {
        var query = text[...]
        if let mark = text.firstIndex(of: "?") {
            query = text[text.index(after: mark)...]
        } else if !["code=", "state=", "error="].contains(where: text.hasPrefix) {
            return text.hasPrefix("http") ? [] : nil
        }
        return query.prefix { character in character != "#" }.split(separator: "&").map { part in
            let name = part.prefix { character in character != "=" }
            return (name, part.dropFirst(name.count + 1))
        }
    }

    /// A code: letters, digits and the marks that need no encoding, as Cognito's are.
    private static func code(_ text: Substring?, orElse other: PastedAnswer) -> PastedAnswer {
        guard let text, (shortestCode...longestCode).contains(text.utf8.count),
            text.utf8.allSatisfy({ byte in byte.isAlphanumericASCII(or: "-._~") }),
            let code = SecretValue(copying: unsafe Array(text.utf8).span.bytes)
        else {
            return other
        }
        return .code(code)
    }

    /// The names of errors (RFC 6749, section 4.1.2.1). A description can be any text, from anyone.
    private static let errors = [
        "access_denied", "invalid_request", "invalid_scope", "server_error", "temporarily_unavailable",
        "unauthorized_client", "unsupported_response_type",
    ]

    /// Whether a byte may stand in an address (RFC 3986).
    private static func isOfAddress(_ byte: UInt8) -> Bool {
        byte.isAlphanumericASCII(or: "-._~:/?#[]@!$&'()*+,;=%")
    }
}
