import CCurl
import Testing
import TokenSigning
import Tokens

@testable import HTTPClient

@Suite struct HTTPClientTests {
    @Test(
        "a client goes to addresses of its own kind only, and says so before it connects",
        arguments: [
            "http://localhost/", "ftp://localhost/", "HTTPS://localhost/", "localhost", "", "file:///etc/passwd",
        ])
    func address(url: String) throws {
        let client = try HTTPClient(caFile: nil, connectTimeLimit: 1000, userAgent: "test")
        #expect(throws: HTTPError.unusable("the address of the request is not allowed")) {
            try client.send(HTTPRequest(url: url), timeLimit: 1000)
        }
        #expect(client.connectionCount == 0)
    }

    @Test(
        "the metadata's client goes to the metadata only",
        arguments: [
            "https://169.254.169.254/", "http://169.254.169.254.example.com/", "http://169.254.169.254:80/",
            "http://localhost/",
        ])
    func metadata(url: String) throws {
        let client = try HTTPClient(ofMetadataWithin: 1000, userAgent: "test")
        #expect(throws: HTTPError.unusable("the address of the request is not allowed")) {
            try client.send(HTTPRequest(url: url), timeLimit: 1000)
        }
    }

    @Test("without time nothing is tried", arguments: [0, -1] as [Int64])
    func noTime(timeLimit: Int64) throws {
        let client = try HTTPClient(caFile: nil, connectTimeLimit: 1000, userAgent: "test")
        #expect(throws: HTTPError.timedOut) {
            try client.send(HTTPRequest(url: "https://localhost/"), timeLimit: timeLimit)
        }
    }

    @Test(
        "a request for which there is no connection was not sent",
        arguments: ["https://127.0.0.1:1/", "https://a.invalid/"])
    func unsent(url: String) throws {
        let client = try HTTPClient(caFile: nil, connectTimeLimit: 1000, userAgent: "test")
        #expect(throws: HTTPError.self) { try client.send(HTTPRequest(url: url), timeLimit: 1000) }
        #expect(!client.mayHaveSent)
    }

    @Test("keys that cannot stand in a header sign nothing", arguments: ["", "a b", "a\n", "a\u{7f}", "ñ"])
    func unusableKeys(key: String) throws {
        func signer(_ identifier: String, _ key: String, _ token: String?) -> RequestSigner? {
            RequestSigner(
                accessKeyID: SecretValue(identifier), secretAccessKey: SecretValue(key),
                sessionToken: token.map { token in SecretValue(token) }, service: "cognito-idp", region: "eu-west-1")
        }
        #expect(signer("id", "key", nil)?.provider == "aws:amz:eu-west-1:cognito-idp")
        #expect(signer("id", "key", "token") != nil)
        #expect(signer(key, "key", nil) == nil)
        #expect(signer("id", key, nil) == nil)
        #expect(signer("id", "key", key) == nil)
    }
}

@Suite struct LateAnswerTests {
    @Test(
        "after its limit a request goes on if it was sent as a whole, and that is said once; else it goes on no longer",
        arguments: [(10, true), (9, false)] as [(Int64, Bool)])
    func sent(bytes: Int64, goesOn: Bool) {
        var said = 0
        let overtime = Overtime(
            LateAnswer(patience: 1, onLimit: { said += 1 }, take: { _ in }), after: 0, size: 10)
        for _ in 0..<2 {
            #expect(overtime.goesOn(sent: bytes) == goesOn)
        }
        #expect(overtime.hasBegun == goesOn && said == (goesOn ? 1 : 0))
    }

    @Test("before its limit every request goes on")
    func inTime() {
        let overtime = Overtime(LateAnswer(patience: 1, onLimit: {}, take: { _ in }), after: 3_600_000, size: 10)
        #expect(overtime.goesOn(sent: 0) && !overtime.hasBegun)
    }
}
