internal import Base
internal import Cryptography
package import HTTPClient
package import Tokens

/// A pool's managed login: where a browser signs users of an external identity provider in, and where the code that it
/// comes back with becomes tokens.
package struct ManagedLogin {
    /// `host` or `host:port`.
    package let domain: String
    /// IdentityProvider: the provider's name in the pool.
    package let provider: String
    /// The address to which the browser returns.
    package let redirectURI: String
    /// With a blank between them.
    package let scopes: String
    /// Whether a browser that is signed in already is enough.
    package let acceptsBrowserSession: Bool
    /// The way to the domain, which has other keys than the pool's endpoint.
    private let transport: any HTTPTransport

    package init(
        domain: String, provider: String, redirectURI: String, scopes: String, acceptsBrowserSession: Bool,
        transport: any HTTPTransport
    ) {
        self.domain = domain
        self.provider = provider
        self.redirectURI = redirectURI
        self.scopes = scopes
        self.acceptsBrowserSession = acceptsBrowserSession
        self.transport = transport
    }

    /// The address that the user opens (RFC 6749, section 4.1.1).
    package func url(for request: borrowing AuthorizationRequest, clientID: String, loginName: String) -> String {
        var parameters = [
            ("client_id", clientID), ("code_challenge", request.challenge), ("code_challenge_method", "S256"),
            ("identity_provider", provider), ("login_hint", loginName), ("nonce", request.nonce),
            ("redirect_uri", redirectURI), ("response_type", "code"), ("scope", scopes), ("state", request.state),
        ]
        if !acceptsBrowserSession {
            parameters.append(("prompt", "login"))
        }
        return "https://\(domain)/oauth2/authorize?" + form(parameters)
    }

    /// Asks managed login with a request like that of a sign-in, and returns `possible` if it redirects the browser to
    /// the provider, the error's name, or `no_managed_login` if the answer does not come from managed login.
    package func answer(
        to request: borrowing AuthorizationRequest, by client: CognitoClient
    ) throws(CognitoError) -> String {
        let address = url(for: request, clientID: client.pool.clientID, loginName: "")
        let response = try client.exchange(HTTPRequest(url: address), through: transport)
        guard (300...399).contains(response.status), let location = response.headers["location"] else {
            return "no_managed_login"
        }
        let error = location.split(whereSeparator: { letter in "?&#".contains(letter) })
            .first { part in part.hasPrefix("error=") }?.dropFirst("error=".utf8.count)
        return error.map { name in String(name).printableASCII(limit: 40, blanks: false) } ?? "possible"
    }

    /// Builds the request that exchanges a code for tokens (RFC 6749, section 4.1.3, and RFC 7636, section 4.5).
    fileprivate func tokenRequest(
        _ code: SecretValue, _ verifier: SecretValue, _ client: CognitoClient
    ) -> HTTPRequest? {
        let open = form([
            ("grant_type", "authorization_code"), ("client_id", client.pool.clientID), ("redirect_uri", redirectURI),
        ])
        // Neither has a character that would have to be encoded.
        guard var body = Secret(capacity: open.utf8.count + code.count + verifier.count + 32),
            body.append(Array(open.utf8)), body.append(Array("&code=".utf8)),
            code.withBytes({ bytes in body.append(bytes) }), body.append(Array("&code_verifier=".utf8)),
            verifier.withBytes({ bytes in body.append(bytes) })
        else {
            return nil
        }
        var request = HTTPRequest(
            url: "https://\(domain)/oauth2/token",
            headers: [.init("Content-Type", "application/x-www-form-urlencoded")],
            body: SecretValue(body), isRepeatable: false)
        if let secret = client.secret {
            guard let credentials = Self.basic(client.pool.clientID, secret) else {
                return nil
            }
            request.secretHeaders = [.init("Authorization", credentials)]
        }
        return request
    }

    /// The app client's id and secret (RFC 6749, section 2.3.1); nil when there is no memory.
    private static func basic(_ clientID: String, _ secret: SecretValue) -> SecretValue? {
        guard var pair = Secret(capacity: clientID.utf8.count + 1 + secret.count), pair.append(Array(clientID.utf8)),
            pair.append(UInt8(ascii: ":")), secret.withBytes({ bytes in pair.append(bytes) }),
            let encoded = pair.withBytes({ bytes in Base64.standard.encode(secret: bytes) }),
            var credentials = Secret(capacity: encoded.count + 6), credentials.append(Array("Basic ".utf8)),
            encoded.withBytes({ bytes in credentials.append(bytes) })
        else {
            return nil
        }
        return SecretValue(credentials)
    }

    fileprivate func send(_ request: HTTPRequest, by client: CognitoClient) throws(CognitoError) -> HTTPResponse {
        try client.exchange(request, through: transport)
    }
}

/// `application/x-www-form-urlencoded`.
func form(_ parameters: [(String, String)]) -> String {
    parameters.map { name, value in "\(name)=\(value.percentEncoded())" }.joined(separator: "&")
}

/// One request for a code, with what it is known by again (`state`, `nonce`) and the proof that the code is meant for
/// this process (RFC 7636). Made anew for each code, and gone with the process.
package struct AuthorizationRequest: ~Copyable {
    /// The value that the browser brings back. The redirect page shows its content: see `init`.
    package let state: String
    /// The nonce that the ID token must contain.
    package let nonce: String
    /// When it was made, by the clock's milliseconds.
    package let begun: Int64
    private let verifier: SecretValue
    fileprivate let challenge: String

    /// Makes a request of random numbers.
    ///
    /// - Parameter shown: What the redirect page tells the user about the prompt that the code belongs to.
    package init(shown: [String: JSONValue], at begun: Int64) throws(CognitoError) {
        var members = shown
        members["id"] = .string(try Self.random())
        let state = Base64.url.encode(JSONValue.object(members).serialized ?? [])
        let nonce = try Self.random()
        try self.init(state: state, nonce: nonce, verifier: try Self.verifier(), at: begun)
    }

    /// Makes a request of given parts; `verifier` nil where there is no memory.
    package init(state: String, nonce: String, verifier: SecretValue?, at begun: Int64) throws(CognitoError) {
        guard let verifier else {
            throw .local("Not enough memory for a code verifier.")
        }
        let challenge = try Self.local { () throws(CryptographyError) in
            var hash = try SHA256()
            try verifier.withBytes { bytes throws(CryptographyError) in try hash.update(bytes) }
            return try hash.finish().withBytes { digest in Base64.url.encode(digest.copied()) }
        }
        self.state = state
        self.nonce = nonce
        self.begun = begun
        self.verifier = verifier
        self.challenge = challenge
    }

    /// 32 random bytes as text.
    private static func random() throws(CognitoError) -> String {
        try local { () throws(CryptographyError) in
            try RandomBytes.secret(32).withBytes { bytes in Base64.url.encode(bytes.copied()) }
        }
    }

    /// The same as text that is a secret; nil where there is no memory.
    private static func verifier() throws(CognitoError) -> SecretValue? {
        try local { () throws(CryptographyError) in
            switch try RandomBytes.secret(32).withBytes({ bytes in Base64.url.encode(secret: bytes) }) {
            case .some(let text): SecretValue(text)
            case .none: nil
            }
        }
    }

    private static func local<R>(_ body: () throws(CryptographyError) -> R) throws(CognitoError) -> R {
        do {
            return try body()
        } catch {
            throw .local(error.description)
        }
    }

    /// The code that a user has pasted becomes tokens. Once, whatever comes of it: Cognito takes a code once.
    ///
    /// Tokens that come too late, or with something missing, are revoked.
    package consuming func redeem(
        _ code: SecretValue, at login: ManagedLogin, by client: CognitoClient
    ) throws(CognitoError) -> AuthenticationResult {
        guard var request = login.tokenRequest(code, verifier, client) else {
            throw .local("Not enough memory for a request.")
        }
        request.late = client.lateAnswer { body in AuthenticationResult.members(ofTokenResponse: body).refreshToken }
        let response = try login.send(request, by: client)
        guard response.status == 200 else {
            throw Self.error(response)
        }
        let tokens = response.body.map(AuthenticationResult.members(ofTokenResponse:))
        guard let result = tokens?.result else {
            if let refreshToken = tokens?.refreshToken {
                try? client.revoke(refreshToken: refreshToken)
            }
            throw .malformed(status: response.status)
        }
        return result
    }

    /// An error of the token endpoint (RFC 6749, section 5.2).
    private static func error(_ response: HTTPResponse) -> CognitoError {
        let body = response.body?.withBytes { bytes in JSONValue(parsing: bytes) }
        guard let name = body?["error"]?.text, name.utf8.count <= 64 else {
            return .malformed(status: response.status)
        }
        return .service(ServiceError(name: name, message: body?["error_description"]?.text ?? ""))
    }
}
