import CognitoIdentityProvider
import Cryptography
import HTTPClient
import Protocol
import Testing
import TokenSigning
import Tokens

@testable import Steps

/// The parameters of an address.
func queryParameters(_ address: String) -> [String: String] {
    let query = address.split(separator: "?", maxSplits: 1).last ?? ""
    return Dictionary(
        query.split(separator: "&").map { part in
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(pair[0]), String(pair.dropFirst().first ?? ""))
        }
    ) { first, _ in first }
}

private let redirectURI = "https://login.example.com/done"
private let code = "3f0d1a7e-5c0b-4f55-8a8e-0c7d0d2b7a11"

/// A sign-in through a browser, with the tokens and the answer that it comes to.
struct BrowserSignInCase {
    var options: [String: String] = [
        "federated": "only", "managed_login_domain": "auth.example.com", "identity_provider": "Okta",
        "redirect_uri": redirectURI, "identity_claim": "email",
    ]
    var claims: [String: JSONValue] = [
        "email": .string("alice@Example.com"), "email_verified": .boolean(true),
        "cognito:username": .string("Okta_0oa1"), "identities": identity(), "iat": .integer(1_800_000_000),
        "auth_time": .integer(1_799_999_990),
    ]
    var scope = "aws.cognito.signin.user.admin openid"
    var changesNonce = false
    /// What the root side kept of a device.
    var device: String?

    static func identity(
        _ provider: String = "Okta", _ userID: String = "0oa1", times: Int = 1, primary: String = "true"
    ) -> JSONValue {
        .array(
            Array(
                repeating: .object([
                    "providerName": .string(provider), "userId": .string(userID), "primary": .string(primary),
                ]), count: times))
    }

    /// Runs it; `answer` is what the browser comes back with, from the address that was shown.
    func run(
        _ step: Step, _ events: [ScriptedRoot.Event] = [], tellingJudgement: Bool = false,
        answer: @escaping ([String: String]) -> String = { shown in
            "\(redirectURI)?code=\(code)&state=\(shown["state"] ?? "")"
        }
    ) -> ScriptedRoot {
        let text = options.sorted { one, other in one.key < other.key }.map { "\($0)=\($1)\n" }.joined()
        let signIn = Step.signIn(
            loginName: "alice@example.com", rule: .verifiedEmail, flow: .secureRemotePassword, address: "192.0.2.7",
            device: device, options: text, tellingJudgement: tellingJudgement)
        return step.run(
            [signIn] + events, registers: true,
            browser: { address in
                let shown = queryParameters(address)
                var claims = claims
                claims["nonce"] = .string(changesNonce ? "other" : shown["nonce"] ?? "")
                step.pool.identityClaims = claims
                step.pool.claims = ["username": claims["cognito:username"] ?? .null, "scope": .string(scope)]
                return answer(shown)
            })
    }
}

@Suite("Signing in with an external identity provider") struct BrowserTests {
    @Test("the code becomes tokens with one request, and the root side hears by which rule they are verified")
    func success() throws {
        let step = Step()
        let root = BrowserSignInCase().run(step)
        #expect(root.kinds == [.ask, .signedIn])
        #expect(root.last?.fields[.identityRule] == [IdentityRule.federated.rawValue])
        #expect(root.last?.session?.refreshToken == "refresh-1")
        #expect(step.pool.operations == ["token"])
        #expect(step.pool.addresses == ["auth.example.com"])
        let form = queryParameters("?\(step.pool.forms[0])")
        #expect(form["grant_type"] == "authorization_code")
        #expect(form["code"] == code)
        #expect(form["redirect_uri"] == "https%3A%2F%2Flogin.example.com%2Fdone")
        #expect(form["client_id"] == "client")
        #expect(form["code_verifier"]?.utf8.count == 43)
        // It would go in the header alone.
        #expect(form["client_secret"] == nil)
    }

    @Test("the prompt has the address alone on its line, and no secret in it")
    func prompt() throws {
        let step = Step()
        let root = BrowserSignInCase().run(step)
        let text = try #require(root.sent[0].text(.text))
        let address = try #require(text.split(separator: "\n").first { line in line.hasPrefix("https://") })
        #expect(text.utf8.allSatisfy { byte in byte == 0x0a || (0x20...0x7e).contains(byte) })
        let shown = queryParameters(String(address))
        #expect(
            Set(shown.keys) == [
                "client_id", "code_challenge", "code_challenge_method", "identity_provider", "login_hint", "nonce",
                "prompt", "redirect_uri", "response_type", "scope", "state",
            ])
        #expect(shown["code_challenge_method"] == "S256")
        #expect(shown["prompt"] == "login")
        let verifier = queryParameters("?\(step.pool.forms[0])")["code_verifier"] ?? ""
        #expect(!text.contains(verifier))
        // What the redirect page shows.
        let state = Base64.url.decode(shown["state"] ?? "").flatMap(JSONValue.init(parsing:))
        #expect(state?["host"]?.text == "demo")
        #expect(state?["user"]?.text == "alice@example.com")
        #expect(state?["client"]?.text == "192.0.2.7")
        #expect(state?["time"]?.seconds == step.clock.wall)
        // su and login read 511 bytes.
        #expect("\(redirectURI)?code=\(code)&state=\(shown["state"] ?? "")".utf8.count < 511)
    }

    @Test("a browser that is signed in already is enough where the administrator says so")
    func browserSession() {
        var signIn = BrowserSignInCase()
        signIn.options["browser_session"] = "accept"
        let root = signIn.run(Step())
        #expect(root.sent[0].text(.text)?.contains("prompt=") == false)
    }

    @Test("Enter alone at the password prompt leads to the browser, where both are allowed")
    func choice() {
        var signIn = BrowserSignInCase()
        signIn.options["federated"] = "yes"
        let step = Step()
        // This host may be a device of the pool's own user of that name, whose key renews no tokens of another user.
        signIn.device = "1\neu-west-1_0b1c\n-group\nc2VjcmV0"
        let root = signIn.run(step, [Step.answer("")])
        #expect(root.kinds == [.ask, .ask, .signedIn])
        #expect(step.pool.operations == ["token"])
        #expect(root.last?.session != nil && root.last?.session?.deviceKey == nil)
    }

    /// What is pasted, from the state of the prompt.
    static let pasted: [(String, @Sendable (String) -> String)] = [
        ("a code alone", { _ in code }),
        ("a query", { state in "code=\(code)&state=\(state)" }),
        ("in the other order", { state in "\(redirectURI)?state=\(state)&code=\(code)" }),
        ("wrapped by a terminal", { state in "  \(redirectURI)?code=\(code)&st  ate=\(state) " }),
        ("with a fragment", { state in "\(redirectURI)?code=\(code)&state=\(state)#_=_" }),
    ]

    @Test("what a browser shows can be pasted in every form", arguments: pasted)
    func pastedForm(name: String, answer: @Sendable @escaping (String) -> String) {
        let root = BrowserSignInCase().run(Step()) { shown in answer(shown["state"] ?? "") }
        #expect(root.last?.kind == .signedIn, "\(name)")
    }

    /// What is not sent to Cognito, and what the user is told before the same address is shown again.
    static let unusable: [(@Sendable (String) -> String, String)] = [
        ({ state in "\(redirectURI)?code=\(code)&state=\(state.dropLast(9))" }, "The end of the pasted address"),
        ({ _ in "\(redirectURI)?code=\(code)&state=c3RhdGU" }, "That code belongs to another sign-in."),
        ({ _ in "\(redirectURI)?code=\(code)" }, "The end of the pasted address"),
        ({ _ in "\(redirectURI)?error=access_denied&error_description=Call+555&state=c3RhdGU" }, "That code belongs"),
        ({ state in "\(redirectURI)?code=\(code)&code=\(code)&state=\(state)" }, "The answer is not valid."),
        ({ state in "<html><a href=\"?code=\(code)&state=\(state)\">" }, "The answer is not valid."),
        ({ _ in "short" }, "The answer is not valid."),
        ({ _ in String(repeating: "x", count: 511) }, "The end of the pasted address"),
        ({ _ in String(repeating: "x", count: 4096) }, "The answer is not valid."),
        ({ _ in code + "\r\nHost: x" }, "The answer is not valid."),
        ({ _ in "" }, "Nothing was entered."),
    ]

    @Test("what is not this prompt's is not sent, and the next answer counts", arguments: unusable)
    func notSent(answer: @Sendable @escaping (String) -> String, notice: String) {
        let step = Step()
        var isFirst = true
        let root = BrowserSignInCase().run(step) { shown in
            defer { isFirst = false }
            return isFirst ? answer(shown["state"] ?? "") : code
        }
        #expect(root.kinds == [.ask, .ask, .signedIn])
        #expect(root.sent[1].text(.text)?.hasPrefix(notice) == true)
        #expect(root.sent[1].text(.text)?.contains("555") == false)
        let (first, second) = (root.sent[0].text(.text) ?? "", root.sent[1].text(.text) ?? "")
        #expect(second.hasSuffix(first))
        #expect(step.pool.operations == ["token"])
    }

    @Test("a refusal in the browser ends the sign-in, and its words are nobody's")
    func refusal() {
        let step = Step()
        let root = BrowserSignInCase().run(step) { shown in
            "\(redirectURI)?error=access_denied&error_description=No%0D%0AEntry%1B[2J&state=\(shown["state"] ?? "")"
        }
        #expect(root.last?.reason == .refused)
        #expect(root.last?.text(.logText)?.contains("(access_denied)") == true)
        #expect(root.last?.text(.logText)?.contains("Entry") == false)
        #expect(root.last?.text(.text)?.contains("Entry") == false)
        #expect(step.pool.operations.isEmpty)
    }

    @Test("a code that Cognito does not take is followed by a new request, twice, and each is a wrong guess")
    func refusedCodes() {
        let step = Step()
        step.pool.answers["token"] = [.success((400, "{\"error\":\"invalid_grant\"}"))]
        var states: Set<String> = []
        let root = BrowserSignInCase().run(step, tellingJudgement: true) { shown in
            states.insert((shown["state"] ?? "") + (shown["nonce"] ?? "") + (shown["code_challenge"] ?? ""))
            return code
        }
        #expect(root.kinds == [.ask, .ask, .ask, .failed])
        #expect(states.count == 3)
        #expect(root.sent[1].fields[.judgement] == [AnswerJudgement.wrong.rawValue])
        #expect(root.last?.reason == .refused)
        #expect(step.pool.operations == ["token", "token", "token"])
    }

    /// What the token endpoint answers, and what comes of it.
    static let endings: [(ScriptedPool.Answer, FailureReason)] = [
        (.success((400, "{\"error\":\"invalid_client\"}")), .managedLogin),
        (.success((400, "{\"error\":\"unauthorized_client\"}")), .managedLogin),
        (.success((400, "{\"error\":\"invalid_request\"}")), .managedLogin),
        (.success((302, "")), .managedLogin),
        (.success((200, "<html>Sign in</html>")), .managedLogin),
        (.success((403, "<html>Forbidden</html>")), .managedLogin),
        (.success((500, "<html>oops</html>")), .managedLogin),
        (.failure(.unreachable("refused")), .managedLogin),
    ]

    @Test(
        "every other answer of the token endpoint is a refusal, and makes way for no other password", arguments: endings
    )
    func ending(answer: ScriptedPool.Answer, reason: FailureReason) {
        let step = Step()
        step.pool.answers["token"] = [answer]
        let root = BrowserSignInCase().run(step)
        #expect(root.last?.reason == reason)
        #expect(step.pool.operations == ["token"])
    }

    @Test("tokens that cannot be used are revoked", arguments: ["id_token", "access_token"])
    func missingToken(name: String) {
        let step = Step()
        step.pool.answers["token"] = [step.pool.tokenResponse(missing: [name])]
        let root = BrowserSignInCase().run(step)
        #expect(root.last?.reason == .managedLogin)
        #expect(step.pool.operations == ["token", "RevokeToken"])
        #expect(step.pool.bodies.last?["Token"]?.text == "refresh-1")
    }

    @Test("tokens that come when the time is over are revoked")
    func late() {
        let step = Step()
        step.pool.lateOperations = ["token"]
        let root = BrowserSignInCase().run(step)
        #expect(root.kinds.last == .failed)
        #expect(step.pool.operations == ["token", "RevokeToken"])
    }

    /// Who else might come, and what the log says.
    static let others: [(String, String, JSONValue?)] = [
        ("another provider of the pool", "identities", BrowserSignInCase.identity("Google", "0oa1")),
        ("a provider with more at its end", "identities", BrowserSignInCase.identity("Okta2", "0oa1")),
        ("an identity that was linked", "identities", BrowserSignInCase.identity(primary: "false")),
        ("two identities", "identities", BrowserSignInCase.identity(times: 2)),
        ("a user of the pool's own", "identities", nil),
        ("a user of the pool's own who is linked", "cognito:username", .string("alice")),
        ("another address", "email", .string("mallory@example.com")),
        ("another spelling before the @", "email", .string("Alice@example.com")),
        ("an unverified address", "email_verified", .boolean(false)),
        ("no address", "email", nil),
    ]

    @Test(
        "nobody but the provider's own user with the account's claim comes in, and no token lives on", arguments: others
    )
    func otherUser(name: String, claim: String, value: JSONValue?) {
        var signIn = BrowserSignInCase()
        signIn.claims[claim] = value
        let step = Step()
        let root = signIn.run(step)
        #expect(root.last?.reason == .otherIdentity, "\(name)")
        #expect(step.pool.operations == ["token", "RevokeToken"])
    }

    /// The changes that a user can make to the address, and their effects.
    static let changes: [(String, @Sendable (inout BrowserSignInCase) -> Void)] = [
        ("another nonce", { signIn in signIn.changesNonce = true }),
        ("fewer scopes", { signIn in signIn.scope = "openid" }),
        ("no prompt=login", { signIn in signIn.claims["auth_time"] = .integer(1_799_999_900) }),
        ("no auth_time", { signIn in signIn.claims["auth_time"] = nil }),
    ]

    @Test("what the address asked for is not taken for granted", arguments: changes)
    func changedAddress(name: String, change: @Sendable (inout BrowserSignInCase) -> Void) {
        var signIn = BrowserSignInCase()
        change(&signIn)
        let step = Step()
        let root = signIn.run(step)
        #expect(root.last?.reason == .refused, "\(name)")
        #expect(step.pool.operations == ["token", "RevokeToken"])
    }

    @Test("what a trigger or a browser adds does no harm")
    func more() {
        var signIn = BrowserSignInCase()
        signIn.options["browser_session"] = "accept"
        signIn.claims["auth_time"] = .integer(1_799_000_000)
        signIn.scope += " api/read"
        #expect(signIn.run(Step()).last?.kind == .signedIn)
    }

    @Test("the provider's own name for its user can name the account")
    func userID() {
        var signIn = BrowserSignInCase()
        signIn.options["identity_claim"] = "identities.userId"
        signIn.claims["email"] = nil
        signIn.claims["cognito:username"] = .string("Okta_alice@example.com")
        signIn.claims["identities"] = BrowserSignInCase.identity("Okta", "alice@example.com")
        #expect(signIn.run(Step()).last?.kind == .signedIn)
    }

    @Test("the challenge is that of RFC 7636, appendix B")
    func vector() throws {
        let verifier = SecretValue("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        let request = try AuthorizationRequest(state: "s", nonce: "n", verifier: verifier, at: 0)
        let login = ManagedLogin(
            domain: "d", provider: "p", redirectURI: "r", scopes: "openid", acceptsBrowserSession: true,
            transport: ScriptedPool(StepClock()))
        let address = login.url(for: request, clientID: "c", loginName: "l")
        #expect(queryParameters(address)["code_challenge"] == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test("of 1,024 pairs of a prompt and a code, those that belong together come to tokens, and no others")
    func pairs() throws {
        let step = Step()
        let server = CodeServer(step.pool)
        let login = ManagedLogin(
            domain: "d", provider: "p", redirectURI: "r", scopes: "openid", acceptsBrowserSession: true,
            transport: server)
        let pool = try #require(UserPool(identifier: "eu-west-1_AbCdEf123", clientID: "client"))
        var prompts: [String] = []
        for number in 0..<32 {
            let request = try Self.request(number)
            prompts.append(login.url(for: request, clientID: "client", loginName: "alice"))
        }
        server.challenges = prompts.map { address in queryParameters(address)["code_challenge"] ?? "" }
        #expect(Set(server.challenges).count == 32)
        var matches = 0
        for prompt in 0..<32 {
            for code in 0..<32 {
                let client = try #require(
                    CognitoClient(
                        pool: pool, secret: nil, endpoint: nil, transport: server, clock: step.clock, timeLimit: 1000))
                let given = SecretValue("code-of-\(code)")
                let hasTokens = (try? Self.request(prompt).redeem(given, at: login, by: client)) != nil
                #expect(hasTokens == (prompt == code))
                matches += hasTokens ? 1 : 0
            }
        }
        #expect(matches == 32)
    }

    private static func request(_ number: Int) throws -> AuthorizationRequest {
        let verifier = Base64.url.encode(Array(repeating: UInt8(number), count: 32))
        return try AuthorizationRequest(state: "s", nonce: "n", verifier: SecretValue(verifier), at: 0)
    }
}

/// A token endpoint that knows nothing but which challenge each code was issued for.
private final class CodeServer: HTTPTransport {
    var challenges: [String] = []
    private let pool: ScriptedPool

    init(_ pool: ScriptedPool) {
        self.pool = pool
    }

    func send(_ request: HTTPRequest, timeLimit: Int64) throws(HTTPError) -> HTTPResponse {
        let form = queryParameters("?\(request.body?.text ?? "")")
        let number = form["code"].flatMap { code in Int(code.dropFirst("code-of-".count)) } ?? 0
        let digest = try? SHA256.digest(Array((form["code_verifier"] ?? "").utf8))
        guard digest.map({ digest in Base64.url.encode(digest) }) == challenges[number],
            case .success(let (status, body)) = pool.tokenResponse()
        else {
            return HTTPResponse(status: 400, body: SecretValue(#"{"error":"invalid_grant"}"#))
        }
        return HTTPResponse(status: status, body: SecretValue(body))
    }
}
