internal import Tokens

/// The content of a token with a right signature.
package struct Claims: Sendable {
    /// The purpose of a token.
    package enum Use: String, Sendable {
        /// `token_use` `access`; the app client is in `client_id`.
        case access
        /// `token_use` `id`; the app client is in `aud`.
        case identity = "id"

        /// The claim that names the app client.
        var clientClaim: String {
            switch self {
            case .access: "client_id"
            case .identity: "aud"
            }
        }

        /// The claim that names the person.
        var userNameClaim: String {
            switch self {
            case .access: "username"
            case .identity: "cognito:username"
            }
        }
    }

    /// The values that every token of one app client must have.
    package struct Expectation: Sendable {
        /// `iss`: one of these.
        package let issuers: Set<String>
        package let clientID: String
        /// Seconds since the epoch.
        package let now: Int64
        /// Seconds for which a token is good after its end.
        package let leeway: Int64
        /// Seconds by which this machine's clock may be behind the service's, as that of one that has just started.
        package let delay: Int64

        package init(issuers: Set<String>, clientID: String, now: Int64, leeway: Int64 = 60, delay: Int64 = 300) {
            self.issuers = issuers
            self.clientID = clientID
            self.now = now
            self.leeway = leeway
            self.delay = delay
        }
    }

    /// `iss`: who issued the token; empty where there is none.
    package let issuer: String
    /// `sub`: the person's lasting identifier in the pool.
    package let subject: String
    /// The canonical name: `username` or `cognito:username`.
    package let userName: String
    /// `exp`, in seconds since the epoch.
    package let expiry: Int64
    /// `cognito:groups`; empty where there are none.
    package let groups: [String]
    /// `auth_time`: when the person last proved who they are, in seconds since the epoch; a renewal does not change it.
    package let authenticatedAt: Int64?
    /// `iat`: when this token was issued, in seconds since the epoch.
    package let issuedAt: Int64?
    /// `acr`: the level that the person reached; nil where there is none, or one that cannot be one.
    package let acr: String?
    /// `amr`: by which methods.
    package let amr: [String]
    /// `email`, only where `email_verified` is true.
    package let verifiedEmail: String?

    /// `nonce`: what the authorization request had.
    package let nonce: String?
    /// `identities`: the accounts at external identity providers that the person has.
    package let identities: [Identity]

    /// An account at an external identity provider.
    package struct Identity: Sendable, Equatable {
        /// `providerName`: the provider's name in the pool.
        package let provider: String
        /// `userId`: the provider's own name for the person.
        package let userID: String
        /// `primary`: it is the person's own, and none that was linked to them.
        package let isPrimary: Bool
    }
    /// `scope`: what an access token may be used for.
    package let scopes: [String]

    init?(parsing payload: [UInt8]) {
        guard let content = JSONValue(parsing: payload), content.members != nil else {
            return nil
        }
        self.init(content)
    }

    private let content: JSONValue

    private init(_ content: JSONValue) {
        self.content = content
        let use = content["token_use"]?.text.flatMap(Use.init)
        issuer = content["iss"]?.text ?? ""
        subject = content["sub"]?.text ?? ""
        userName = use.flatMap { use in content[use.userNameClaim]?.text } ?? ""
        expiry = content["exp"]?.seconds ?? 0
        groups = content["cognito:groups"]?.texts ?? []
        authenticatedAt = content["auth_time"]?.seconds
        issuedAt = content["iat"]?.seconds
        acr = content["acr"]?.text.flatMap { level in Self.isShort(level, 64) ? level : nil }
        amr = (content["amr"]?.texts ?? []).filter { method in Self.isShort(method, 32) }
        let isVerified = content["email_verified"]?.flag == true || content["email_verified"]?.text == "true"
        verifiedEmail = isVerified ? content["email"]?.text : nil
        nonce = content["nonce"]?.text
        identities = (content["identities"]?.elements ?? []).map { identity in
            Identity(
                provider: identity["providerName"]?.text ?? "", userID: identity["userId"]?.text ?? "",
                isPrimary: identity["primary"]?.flag == true || identity["primary"]?.text == "true")
        }
        scopes = (content["scope"]?.text ?? "").split(separator: " ").map(String.init)
    }

    /// A claim of that name that is text, or a whole number.
    package func text(_ name: String) -> String? {
        content[name]?.text ?? content[name]?.seconds.map { number in String(number) }
    }

    /// Checks everything about one token that does not depend on another: whose it is, for whom, until when.
    package func check(_ use: Use, _ expected: Expectation) throws(TokenError) {
        guard expected.issuers.contains(where: { issuer in equals("iss", issuer) }) else {
            throw .claim("iss")
        }
        guard equals("token_use", use.rawValue) else {
            throw .claim("token_use")
        }
        guard equals(use.clientClaim, expected.clientID) else {
            throw .claim(use.clientClaim)
        }
        guard !subject.isEmpty else {
            throw .claim("sub")
        }
        guard !userName.isEmpty, userName.utf8.count <= 256 else {
            throw .claim(use.userNameClaim)
        }
        guard content["cognito:groups"] == nil || content["cognito:groups"]?.texts != nil else {
            throw .claim("cognito:groups")
        }
        guard let expiry = content["exp"]?.seconds, (1...253_402_300_799).contains(expiry) else {
            throw .claim("exp")
        }
        guard expiry + expected.leeway > expected.now else {
            throw .expired(secondsAgo: expected.now - expiry)
        }
        // None of these can be in the future of a token that is there: not before, issued at, signed in at.
        for name in ["nbf", "iat", "auth_time"] {
            guard let value = content[name] else {
                continue
            }
            guard let moment = value.seconds, (1...253_402_300_799).contains(moment) else {
                throw .claim(name)
            }
            guard moment <= expected.now + expected.delay else {
                throw .early(name, seconds: moment - expected.now)
            }
        }
    }

    private static func isShort(_ text: String, _ limit: Int) -> Bool {
        (1...limit).contains(text.utf8.count) && text.utf8.allSatisfy { byte in (0x21...0x7e).contains(byte) }
    }

    /// Byte for byte: Swift's `==` would take canonically equivalent texts for equal.
    private func equals(_ name: String, _ expected: String) -> Bool {
        content[name]?.text.map { text in Array(text.utf8) == Array(expected.utf8) } ?? false
    }
}
