import Base
import CognitoIdentityProvider
import HTTPClient
import Testing
import TokenSigning
import Tokens

/// Answers requests from a list, the last answer for ever, and keeps what it was asked.
final class ScriptedTransport: HTTPTransport {
    enum Answer {
        case response(Int, String)
        case failure(HTTPError)
        case slow(Int64)
    }

    var answers: [Answer]
    let clock: ManualClock
    private(set) var requests: [HTTPRequest] = []
    private(set) var timeLimits: [Int64] = []

    init(_ answers: [Answer], _ clock: ManualClock) {
        self.answers = answers
        self.clock = clock
    }

    func send(_ request: HTTPRequest, timeLimit: Int64) throws(HTTPError) -> HTTPResponse {
        requests.append(request)
        timeLimits.append(timeLimit)
        let answer = answers.count > 1 ? answers.removeFirst() : answers[0]
        switch answer {
        case .response(let status, let body):
            return HTTPResponse(
                status: status, headers: ["date": "Tue, 05 Sep 2023 14:03:07 GMT"], body: SecretValue(body)
            )
        case .failure(let error):
            throw error
        case .slow(let milliseconds):
            clock.now += milliseconds
            throw .timedOut
        }
    }

    func body(_ index: Int) -> JSONValue? {
        requests[index].body.flatMap { body in JSONValue(parsing: body.withBytes { bytes in bytes.copied() }) }
    }
}

final class ManualClock: Clock {
    var now: Int64 = 0
    private(set) var slept: [Int64] = []
    func milliseconds() -> Int64 { now }
    func seconds() -> Int64 { 1_693_922_587 + 200 }
    func sleep(milliseconds: Int64) {
        slept.append(milliseconds)
        now += milliseconds
    }
}

private struct Setting {
    let clock = ManualClock()
    let transport: ScriptedTransport
    let client: CognitoClient

    init(
        _ answers: [ScriptedTransport.Answer], secret: String? = nil, endpoint: String? = nil, timeLimit: Int64 = 5000
    ) throws {
        transport = ScriptedTransport(answers, clock)
        let pool = try #require(UserPool(identifier: "eu-west-1_AbCdEf123", clientID: "client"))
        let made = CognitoClient(
            pool: pool, secret: secret.map { text in SecretValue(text) }, endpoint: endpoint, transport: transport,
            clock: clock, timeLimit: timeLimit
        )
        client = try #require(made)
    }
}

private let tokens = #"{"AuthenticationResult":{"AccessToken":"a","IdToken":"i","RefreshToken":"r","ExpiresIn":3600}}"#

@Suite struct RequestTests {
    @Test("InitiateAuth with SRP, as the wire has it")
    func initiate() throws {
        let setting = try Setting([
            .response(200, #"{"ChallengeName":"PASSWORD_VERIFIER","ChallengeParameters":{"SALT":"1"}}"#)
        ])
        let step = try setting.client.beginSRP(userName: "alice", publicText: "abc")
        guard case .challenge(let challenge) = step else {
            Issue.record("no challenge")
            return
        }
        #expect(challenge.name == "PASSWORD_VERIFIER")
        #expect(challenge.srp == nil)
        let request = setting.transport.requests[0]
        #expect(request.url == "https://cognito-idp.eu-west-1.amazonaws.com/")
        #expect(
            request.headers == [
                .init("Content-Type", "application/x-amz-json-1.1"),
                .init("X-Amz-Target", "AWSCognitoIdentityProviderService.InitiateAuth"),
            ]
        )
        #expect(
            setting.transport.body(0)
                == .object([
                    "AuthFlow": .string("USER_SRP_AUTH"), "ClientId": .string("client"),
                    "AuthParameters": .object(["USERNAME": .string("alice"), "SRP_A": .string("abc")]),
                ])
        )
        #expect(request.isRepeatable)
    }

    @Test("an answer to a challenge carries its session and the hash of the name that is sent")
    func answer() throws {
        let setting = try Setting(
            [
                .response(200, #"{"ChallengeName":"X","Session":"s","ChallengeParameters":{"USERNAME":"canonical"}}"#),
                .response(200, tokens),
            ], secret: "s3cr3ts3cr3ts3cr3ts3cr3ts3cr3t"
        )
        guard case .challenge(let challenge) = try setting.client.beginSRP(userName: "alias", publicText: "1") else {
            return
        }
        let name = try #require(challenge.userName)
        let step = try setting.client.answer(challenge, userName: name, responses: ["ANSWER": .secret("42")])
        guard case .tokens(let result) = step else {
            Issue.record("no tokens")
            return
        }
        #expect(result.refreshToken == "r")
        let body = try #require(setting.transport.body(1))
        #expect(body["Session"]?.text == "s")
        #expect(body["ChallengeName"]?.text == "X")
        #expect(body["ChallengeResponses"]?["USERNAME"]?.text == "canonical")
        #expect(body["ChallengeResponses"]?["ANSWER"]?.text == "42")
        let hashes = [
            setting.transport.body(0)?["AuthParameters"]?["SECRET_HASH"], body["ChallengeResponses"]?["SECRET_HASH"],
        ]
        #expect(hashes.compactMap { hash in hash?.text?.utf8.count } == [44, 44])
        #expect(hashes[0] != hashes[1])
        #expect(!setting.transport.requests[1].isRepeatable)
    }

    @Test("a refresh falls back to the older operation, with the canonical name in the hash")
    func refresh() throws {
        let setting = try Setting(
            [.response(400, #"{"__type":"UnknownOperationException"}"#), .response(200, tokens)], secret: "sss"
        )
        #expect(try setting.client.refresh("token", userName: "canonical").accessToken == "a")
        #expect(setting.transport.body(0)?["ClientSecret"]?.text == "sss")
        #expect(setting.transport.body(0)?["SECRET_HASH"] == nil)
        let parameters = setting.transport.body(1)?["AuthParameters"]
        #expect(setting.transport.body(1)?["AuthFlow"]?.text == "REFRESH_TOKEN_AUTH")
        #expect(parameters?["REFRESH_TOKEN"]?.text == "token")
        #expect(parameters?["USERNAME"] == nil)
        #expect(parameters?["SECRET_HASH"]?.text?.utf8.count == 44)
    }

    @Test("a refused refresh is not tried in another way")
    func refusedRefresh() throws {
        let setting = try Setting([
            .response(400, #"{"__type":"NotAuthorizedException","message":"Refresh Token has been revoked"}"#)
        ])
        #expect(throws: CognitoError.self) { try setting.client.refresh("token", userName: "x") }
        #expect(setting.transport.requests.count == 1)
    }

    @Test("no refresh token in the answer means that the old one stays")
    func noRefreshToken() throws {
        let setting = try Setting([.response(200, #"{"AuthenticationResult":{"AccessToken":"a","IdToken":"i"}}"#)])
        #expect(try setting.client.refresh("token", userName: "x").refreshToken == nil)
    }

    @Test("an empty answer to a sign-out is a success", arguments: ["", "{}"])
    func empty(body: String) throws {
        let setting = try Setting([.response(200, body)])
        try setting.client.globalSignOut(accessToken: "a")
        try setting.client.revoke(refreshToken: "r")
        #expect(setting.transport.body(1) == .object(["ClientId": .string("client"), "Token": .string("r")]))
    }

    @Test("the key set is at the endpoint, under the pool's id")
    func keySet() throws {
        let setting = try Setting([.response(200, "x")], endpoint: "https://127.0.0.1:8443/")
        #expect(try setting.client.keySet() == Array("x".utf8))
        #expect(setting.transport.requests[0].url == "https://127.0.0.1:8443/eu-west-1_AbCdEf123/.well-known/jwks.json")
        #expect(setting.transport.requests[0].body == nil)
    }

    @Test("the clock's error is known from the answer's Date")
    func skew() throws {
        let setting = try Setting([.response(200, "x")])
        _ = try setting.client.keySet()
        #expect(setting.client.clockSkew == 200)
    }

    @Test(
        "what is no endpoint, or no list of endpoints",
        arguments: [
            "", " ", "http://a", "https://", "https://a/b", "https://a?b", "https://u@a", "https://a b", "HTTPS://a",
            "https://a http://b", "https://a https://", "https://a/x https://b",
        ]
    )
    func endpoint(text: String) throws {
        let pool = try #require(UserPool(identifier: "eu-west-1_A", clientID: "c"))
        let clock = ManualClock()
        let client = CognitoClient(
            pool: pool, secret: nil, endpoint: text, transport: ScriptedTransport([], clock), clock: clock, timeLimit: 1
        )
        #expect(client == nil)
    }

    @Test(
        "answers that mean nothing do no harm",
        arguments: [
            "", "[]", "null", "<html>", "{", "\u{0}\u{1}", "{}", #"{"AuthenticationResult":{}}"#,
            #"{"AuthenticationResult":{"AccessToken":1,"IdToken":"i"}}"#, #"{"ChallengeName":""}"#,
        ]
    )
    func malformed(body: String) throws {
        let setting = try Setting([.response(200, body)])
        #expect(throws: CognitoError.malformed(status: 200)) {
            try setting.client.beginSRP(userName: "a", publicText: "1")
        }
    }
}

/// What may be sent once only: each is another attempt of the person, or uses something up.
private enum Attempt: CaseIterable {
    case password, choice, custom, answer, setupKey, setupCode, sendCode, setPassword, changePassword

    func make(_ client: CognitoClient) throws {
        let setting = try Setting([.response(200, #"{"ChallengeName":"SMS_MFA","Session":"s"}"#)])
        guard case .challenge(let challenge) = try setting.client.beginSRP(userName: "a", publicText: "1") else {
            return
        }
        switch self {
        case .password: _ = try client.begin(userName: "a", password: "p")
        case .choice: _ = try client.beginChoice(userName: "a", preferred: nil, parameters: [:])
        case .custom: _ = try client.beginCustom(userName: "a", publicText: nil)
        case .answer: _ = try client.answer(challenge, userName: "a", responses: ["SMS_MFA_CODE": .secret("123456")])
        case .setupKey: _ = try client.softwareToken(challenge)
        case .setupCode: _ = try client.verifySoftwareToken(challenge, code: "123456")
        case .sendCode: _ = try client.forgotPassword(userName: "a")
        case .setPassword: try client.confirmForgotPassword(userName: "a", code: "123456", password: "p")
        case .changePassword: try client.changePassword(accessToken: "t", previous: "a", proposed: "b")
        }
    }
}

@Suite struct RetryTests {
    private static let throttled = ScriptedTransport.Answer.response(400, #"{"__type":"TooManyRequestsException"}"#)

    @Test(
        "the beginning of SRP is tried three times",
        arguments: [ScriptedTransport.Answer.response(503, ""), .failure(.unreachable("x"))])
    func idempotent(answer: ScriptedTransport.Answer) throws {
        let setting = try Setting([answer])
        #expect(throws: CognitoError.self) { try setting.client.beginSRP(userName: "a", publicText: "1") }
        #expect(setting.transport.requests.count == 3)
        #expect(setting.clock.slept.count == 2)
    }

    @Test("an attempt is made once", arguments: Attempt.allCases)
    fileprivate func once(attempt: Attempt) throws {
        for answer in [ScriptedTransport.Answer.response(503, ""), .failure(.unreachable("x")), .failure(.timedOut)] {
            let setting = try Setting([answer])
            #expect(throws: CognitoError.self) { try attempt.make(setting.client) }
            #expect(setting.transport.requests.count == 1)
            #expect(!setting.transport.requests[0].isRepeatable)
        }
    }

    @Test(
        "what was not carried out, for its rate or another's change, is made again after ever longer pauses",
        arguments: Attempt.allCases,
        ["TooManyRequestsException", "ThrottlingException", "ConcurrentModificationException"])
    fileprivate func notCarriedOut(attempt: Attempt, name: String) throws {
        let setting = try Setting([.response(400, "{\"__type\":\"\(name)\"}")])
        #expect(throws: CognitoError.self) { try attempt.make(setting.client) }
        #expect(setting.transport.requests.count == 5)
        #expect(setting.clock.slept.count == 4)
        #expect(setting.clock.slept == setting.clock.slept.sorted())
        #expect(setting.clock.slept.reduce(0, +) <= 3000)
    }

    @Test("and not beyond the time limit")
    func notCarriedOutInTime() throws {
        let setting = try Setting([Self.throttled], timeLimit: 500)
        #expect(throws: CognitoError.self) { try setting.client.begin(userName: "a", password: "p") }
        #expect(setting.clock.now <= 500)
        #expect((2...4).contains(setting.transport.requests.count))
    }

    @Test("a client that is not to be patient makes nothing again")
    func impatient() throws {
        let setting = try Setting([Self.throttled])
        setting.client.isPatient = false
        #expect(throws: CognitoError.self) { try setting.client.begin(userName: "a", password: "p") }
        #expect(setting.transport.requests.count == 1)
    }

    @Test(
        "a refusal, or a wrong certificate, is never tried again",
        arguments: ["NotAuthorizedException", "ForbiddenException", "NewException"].map { name in
            ScriptedTransport.Answer.response(400, "{\"__type\":\"\(name)\"}")
        } + [.failure(.certificate("x"))])
    func refusal(answer: ScriptedTransport.Answer) throws {
        let setting = try Setting([answer])
        #expect(throws: CognitoError.self) { try setting.client.beginSRP(userName: "a", publicText: "1") }
        #expect(throws: CognitoError.self) { try setting.client.globalSignOut(accessToken: "a") }
        #expect(setting.transport.requests.count == 2)
    }

    @Test("the end of one session is tried until the time is up, ever more slowly; that of all of them, once")
    func persistent() throws {
        let setting = try Setting([.failure(.unreachable("x"))], timeLimit: 20_000)
        #expect(throws: CognitoError.self) { try setting.client.globalSignOut(accessToken: "a") }
        #expect(setting.transport.requests.count == 1)
        #expect(throws: CognitoError.self) { try setting.client.revoke(refreshToken: "r") }
        #expect(setting.transport.requests.count > 5)
        #expect(setting.clock.now <= 20_000)
        #expect(setting.clock.slept.allSatisfy { wait in (100...3200).contains(wait) })
    }

    @Test("what is tried once has less time, and the rest is there afterwards")
    func once() throws {
        let setting = try Setting([.slow(2000)], timeLimit: 9000)
        #expect(throws: CognitoError.transport(.timedOut)) {
            try setting.client.once(within: 2000) { () throws(CognitoError) in
                try setting.client.revoke(refreshToken: "r")
            }
        }
        #expect(setting.transport.timeLimits == [2000])
        #expect(setting.client.timeLeft == 7000)
        #expect(setting.client.isPatient)
    }

    @Test("all requests share one time limit")
    func timeLimit() throws {
        let setting = try Setting([.slow(3000)], timeLimit: 5000)
        #expect(throws: CognitoError.transport(.timedOut)) { try setting.client.keySet(.never) }
        #expect(throws: CognitoError.transport(.timedOut)) { try setting.client.keySet(.never) }
        #expect(throws: CognitoError.outOfTime) { try setting.client.keySet(.never) }
        #expect(setting.transport.timeLimits == [5000, 2000])
    }
}
