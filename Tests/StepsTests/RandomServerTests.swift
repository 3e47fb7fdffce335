import HTTPClient
import Protocol
import Steps
import Testing
import TokenSigning
import Tokens

@testable import struct Fakes.Seeded

private let password = "Secret-of-alice-1"

/// What a server may answer, right or wrong.
private struct Answers {
    /// A good end of the sign-in.
    let genuine: String
    /// Tokens that are not alice's, of this pool, this client and this time.
    let wrong: [String]
    let challenges: [String]
    let others: [ScriptedPool.Answer]

    init() {
        let pool = Step().pool
        func tokens(_ access: [String: JSONValue], _ identity: [String: JSONValue]) -> String {
            pool.claims = access
            pool.identityClaims = identity
            return (try? pool.tokens().get().body) ?? ""
        }
        let bob = JSONValue.string("bob")
        let past = JSONValue.integer(pool.clock.wall - 3600)
        genuine = tokens([:], [:])
        let other: JSONValue = .string("other")
        wrong =
            [
                tokens(["username": bob], [:]), tokens([:], ["cognito:username": bob]),
                tokens(["username": bob], ["cognito:username": bob]), tokens(["client_id": other], [:]),
                tokens([:], ["aud": other]), tokens(["iss": other], [:]), tokens([:], ["iss": other]),
                tokens(["exp": past], [:]), tokens([:], ["exp": past]), tokens(["token_use": .string("id")], [:]),
                tokens([:], ["token_use": .string("access")]), tokens(["username": .null], [:]),
                tokens([:], ["sub": other]), tokens(["iat": .integer(pool.clock.wall + 9999)], [:]),
            ] + Self.forged(genuine)
        challenges = (ChallengeName.allCases.map(\.rawValue) + ["RETINA_SCAN", ""]).flatMap { name in
            Self.parameters.map { parameters in
                #"{"ChallengeName":"\#(name)","Session":"s","ChallengeParameters":\#(parameters)}"#
            }
        }
        let names = [
            "NotAuthorizedException", "CodeMismatchException", "ExpiredCodeException", "UserNotFoundException",
            "PasswordResetRequiredException", "InvalidPasswordException", "TooManyRequestsException",
            "ResourceNotFoundException", "EnableSoftwareTokenMFAException", "AliasExistsException",
            "LimitExceededException", "InvalidParameterException", "UserLambdaValidationException", "Unheard",
        ]
        others =
            names.map { name in ScriptedPool.refusal(name, "Invalid session for the user.") } + [
                ScriptedPool.refusal("NotAuthorizedException", "Incorrect username or password."),
                .success((200, "{}")), .success((200, "[]")), .success((200, "<html>")), .success((503, "")),
                .success((200, #"{"AuthenticationResult":{}}"#)), .failure(.timedOut), .failure(.unreachable("x")),
                .success((200, #"{"SecretCode":"ABCDEFGHIJKLMNOP","Session":"t"}"#)),
                .success((200, #"{"Status":"SUCCESS","Session":"t"}"#)),
            ]
    }

    /// The signature is another's, or there is none.
    private static func forged(_ genuine: String) -> [String] {
        guard let value = JSONValue(parsing: Array(genuine.utf8)), let result = value["AuthenticationResult"],
            let access = result["AccessToken"]?.text, let identity = result["IdToken"]?.text
        else {
            return []
        }
        func body(_ access: String, _ identity: String) -> String {
            #"{"AuthenticationResult":{"AccessToken":"\#(access)","IdToken":"\#(identity)","RefreshToken":"r"}}"#
        }
        let parts = access.split(separator: ".").map(String.init)
        return [
            body(identity, access), body(access, access), body(parts[0] + "." + parts[1] + ".", identity),
            body(parts[0] + "." + parts[1] + "." + String(parts[2].reversed()), identity), body("", identity),
            body(access + ".x", identity),
        ]
    }

    private static let parameters = [
        "{}", "null",
        #"{"SALT":"1f","SRP_B":"abcdef","SECRET_BLOCK":"YmxvY2s=","USER_ID_FOR_SRP":"alice","USERNAME":"alice"}"#,
        #"{"SALT":"1f","SRP_B":"0","SECRET_BLOCK":"YmxvY2s=","USER_ID_FOR_SRP":"bob"}"#,
        #"{"MFAS_CAN_CHOOSE":"[\"SMS_MFA\",\"SOFTWARE_TOKEN_MFA\"]","MFAS_CAN_SETUP":"[\"SOFTWARE_TOKEN_MFA\"]"}"#,
        #"{"requiredAttributes":"[\"userAttributes.email\"]","userAttributes":"{}","question":"why?"}"#,
    ]

    /// A queue of answers; the last of them is repeated.
    func script(_ random: inout Seeded) -> [ScriptedPool.Answer] {
        (0..<Int.random(in: 1...16, using: &random)).map { _ in
            switch Int.random(in: 0..<10, using: &random) {
            case 0: .success((200, genuine))
            case 1: .success((200, wrong.randomElement(using: &random) ?? ""))
            case 2, 3: others.randomElement(using: &random) ?? .failure(.timedOut)
            default: .success((200, challenges.randomElement(using: &random) ?? ""))
            }
        }
    }
}

/// A server that answers at random, and a user who types at random: the properties that must hold.
@Suite struct RandomServerTests {
    private static let answers = Answers()
    private static let flows: [(AuthenticationFlow, PreferredFactor?)] = [
        (.secureRemotePassword, nil), (.password, nil), (.choice, nil), (.choice, .proof), (.choice, .password),
        (.choice, .emailCode), (.custom, nil), (.customAfterProof, .proof),
    ]
    private static let operations = [
        "InitiateAuth", "RespondToAuthChallenge", "AssociateSoftwareToken", "VerifySoftwareToken", "ForgotPassword",
        "ConfirmForgotPassword",
    ]

    private static func isTokens(_ body: String) -> Bool {
        body.contains("RefreshToken") && body.contains(#"AccessToken":"e"#)
    }

    @Test("no success without this person's tokens, no end without end, no password in clear", arguments: 0..<8)
    func randomly(way: Int) {
        let (flow, preferred) = Self.flows[way]
        for number in 0..<400 {
            let seed = UInt64.random(in: 0...UInt64.max)
            var random = Seeded(state: seed)
            let step = Step()
            var scripts: [String: [ScriptedPool.Answer]] = [:]
            for operation in Self.operations {
                scripts[operation] = Self.answers.script(&random)
                step.pool.answers[operation] = scripts[operation]
            }
            let typed = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                Step.answer(["123456", "", "1", "2", password, "x@example.com"].randomElement(using: &random) ?? "")
            }
            let root = step.run(
                [Step.signIn(flow: flow, preconnect: 0, preferred: preferred), Step.answer(password)] + typed,
                registers: true, person: (password, ["123456", "", "1"].randomElement(using: &random) ?? ""))
            // What was really answered to the two operations that tokens and challenges come from.
            let served = Self.operations.prefix(2).flatMap { operation in
                let script = scripts[operation] ?? []
                return (0..<step.pool.operations.filter { name in name == operation }.count).map { index in
                    (try? script[min(index, script.count - 1)].get().body) ?? ""
                }
            }
            // A pool's own questions are not asked for the password: what is typed there is an answer.
            let mayBeSent = [1, 2, 4, 5, 6].contains(way)
            check(root, step, served, mayBeSent: mayBeSent, "seed \(seed), \(number)")
        }
    }

    private func check(
        _ root: ScriptedRoot, _ step: Step, _ served: [String], mayBeSent: Bool, _ seed: Comment
    ) {
        let isIn = root.kinds.contains(.signedIn)
        if isIn {
            let token = JSONValue(parsing: Array(Self.answers.genuine.utf8))?["AuthenticationResult"]?["AccessToken"]
            let session = root.sent.last { message in message.kind == .signedIn }?.session
            #expect(served.contains(Self.answers.genuine), seed)
            #expect(session?.userName == "alice" && session?.accessToken == token?.text.map { SecretValue($0) }, seed)
        } else if served.contains(where: Self.isTokens) {
            // Tokens that no process has are revoked.
            #expect(step.pool.operations.contains("RevokeToken"), seed)
        }
        // A challenge too many is not answered.
        let rounds = served.filter { body in body.contains("ChallengeName") }.count
        #expect(rounds <= ChallengeMachine.mostRounds + 1, seed)
        #expect(root.sent.count < 120 && step.pool.operations.count < 120, seed)
        #expect(root.kinds.allSatisfy { kind in [.ask, .show, .keep, .signedIn, .failed].contains(kind) }, seed)
        #expect(root.kinds.filter { kind in kind == .failed || kind == .signedIn }.count <= 1, seed)
        let isSent = step.pool.bodies.contains { body in
            body.serialized.map { text in String(decoding: text, as: UTF8.self).contains(password) } ?? false
        }
        #expect(mayBeSent || !isSent, seed)
    }
}
