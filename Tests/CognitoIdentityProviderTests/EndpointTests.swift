import HTTPClient
import Testing
import TokenSigning
import Tokens

@testable import CognitoIdentityProvider

/// What stands at an address.
private enum Server: CaseIterable, Sendable {
    /// No server listens.
    case dead
    /// Never comes to a connection.
    case slow
    /// Has another server's certificate.
    case lying
    /// Takes requests, and does not answer.
    case silent
    /// Refuses what it is asked.
    case refusing
    case good

    /// In every order.
    static func orders(of servers: [Server]) -> [[Server]] {
        guard servers.count > 1 else {
            return [servers]
        }
        return servers.indices.flatMap { place in
            var others = servers
            let first = others.remove(at: place)
            return orders(of: others).map { rest in [first] + rest }
        }
    }
}

/// Servers by the names of their hosts, and what was sent to whom.
private final class Servers: HTTPTransport {
    let clock = ManualClock()
    var servers: [Server]
    private(set) var tried: [Int] = []
    /// Operations with the place that they were sent to.
    private(set) var sent: [String] = []
    private(set) var mayHaveSent = false
    let client: CognitoClient

    init(_ servers: [Server], timeLimit: Int64 = 15_000) throws {
        self.servers = servers
        let pool = try #require(UserPool(identifier: "eu-west-1_AbCdEf123", clientID: "client"))
        let relay = Relay()
        let made = CognitoClient(
            pool: pool, secret: nil,
            endpoint: servers.indices.map { place in "https://h\(place)" }.joined(separator: " "),
            transport: relay, clock: clock, timeLimit: timeLimit)
        client = try #require(made)
        relay.servers = self
    }

    func send(_ request: HTTPRequest, timeLimit: Int64) throws(HTTPError) -> HTTPResponse {
        let place = servers.indices.first { place in request.url.hasPrefix("https://h\(place)/") } ?? -1
        let operation = request.headers.last?.value.split(separator: ".").last.map(String.init) ?? "jwks"
        tried.append(place)
        mayHaveSent = false
        clock.now += 10
        switch servers[place] {
        case .dead: throw .unreachable("refused")
        case .lying: throw .certificate("another's")
        case .slow:
            clock.now += min(timeLimit, 5000, request.connectTimeLimit ?? .max)
            throw .timedOut
        case .silent, .refusing, .good: break
        }
        mayHaveSent = true
        sent.append("\(operation) \(place)")
        switch servers[place] {
        case .refusing:
            return HTTPResponse(
                status: 400, body: SecretValue(#"{"__type":"NotAuthorizedException","message":"Incorrect username"}"#))
        case .good: return HTTPResponse(status: 200, body: SecretValue(Self.answers[operation] ?? "{}"))
        case .dead, .lying, .slow, .silent:
            clock.now += min(timeLimit, 3000)
            throw .unreachable("reset")
        }
    }

    private static let answers = [
        "InitiateAuth": #"{"ChallengeName":"SMS_MFA","Session":"s","ChallengeParameters":{}}"#,
        "RespondToAuthChallenge": #"{"AuthenticationResult":{"AccessToken":"a","IdToken":"i","RefreshToken":"r"}}"#,
        "GetTokensFromRefreshToken": #"{"AuthenticationResult":{"AccessToken":"a","IdToken":"i"}}"#,
    ]

    func begin() throws(CognitoError) -> Challenge? {
        let step = try client.beginSRP(userName: "alice", publicText: "1")
        return if case .challenge(let challenge) = step { challenge } else { nil }
    }
}

/// The client is made with its transport, which is made with the client.
private final class Relay: HTTPTransport {
    weak var servers: Servers?

    var mayHaveSent: Bool { servers?.mayHaveSent ?? true }

    func send(_ request: HTTPRequest, timeLimit: Int64) throws(HTTPError) -> HTTPResponse {
        guard let servers else {
            throw .unusable("gone")
        }
        return try servers.send(request, timeLimit: timeLimit)
    }
}

@Suite("endpoints") struct EndpointTests {
    @Test(
        "a request goes to the first that a connection can be made to, and later ones go there at once",
        arguments: Server.orders(of: [.dead, .slow, .lying, .good]))
    private func orders(servers: [Server]) throws {
        let world = try Servers(servers)
        let good = try #require(servers.firstIndex(of: .good))
        let challenge = try #require(try world.begin())
        #expect(world.tried == Array(0...good))
        #expect(world.sent == ["InitiateAuth \(good)"])
        _ = try world.client.answer(challenge, userName: "alice", responses: [:])
        _ = try world.client.refresh("r", userName: "alice")
        #expect(world.tried == Array(0...good) + [good, good])
        #expect((world.client.endpointRemark == nil) == (good == 0))
        #expect(world.client.endpointRemark?.contains("https://h\(good) was used instead") ?? true)
        #expect(world.clock.now <= 15_000)
    }

    @Test(
        "RevokeToken is done when the first has agreed; where that cannot be reached, another one is asked besides",
        arguments: Server.orders(of: [.dead, .slow, .lying, .good]))
    private func revocation(servers: [Server]) throws {
        let world = try Servers(servers)
        let good = try #require(servers.firstIndex(of: .good))
        let failure = try error { () throws(CognitoError) in try world.client.revoke(refreshToken: "r") }
        #expect((failure == nil) == (good == 0))
        #expect(world.sent == ["RevokeToken \(good)"])
        #expect(world.client.substitute == (good == 0 ? nil : "https://h\(good)"))
        let remark = failure.flatMap(world.client.signOutRemark)
        #expect(good == 0 || remark?.contains("https://h\(good) has revoked") == true)
        #expect(remark?.contains("the first endpoint, https://h0, confirms it") ?? true)
        #expect(world.clock.now <= 15_100)
    }

    @Test(
        "GlobalSignOut goes to the first alone; a renewal for it, too",
        arguments: [Server.dead, .slow, .lying, .silent, .refusing, .good])
    private func firstAlone(server: Server) throws {
        let world = try Servers([server, .good])
        let failure = try error { () throws(CognitoError) in try world.client.globalSignOut(accessToken: "a") }
        #expect((failure == nil) == (server == .good))
        world.client.asksFirstOnly = true
        _ = try error { () throws(CognitoError) in _ = try world.client.refresh("r", userName: "alice") }
        #expect(!world.tried.isEmpty && world.tried.allSatisfy { place in place == 0 })
        #expect(world.client.substitute == nil)
    }

    @Test("what was sent and not answered is asked nowhere else", arguments: [Server.silent, .refusing])
    private func sent(server: Server) throws {
        for before in [[], [Server.dead]] {
            let world = try Servers(before + [server, .good])
            let place = before.count
            _ = try error { () throws(CognitoError) in
                _ = try world.client.once(within: 5000) { () throws(CognitoError) in try world.begin() }
            }
            #expect(world.sent == ["InitiateAuth \(place)"])
            // Nor where it cannot be asked again.
            world.servers[place] = .dead
            _ = try error { () throws(CognitoError) in _ = try world.client.refresh("r", userName: "alice") }
            #expect(world.sent.allSatisfy { sent in sent.hasSuffix(" \(place)") } == (server == .silent))
            // An answer ends that.
            world.servers[place] = .good
            _ = try world.begin()
            world.servers[place] = .dead
            _ = try world.begin()
            #expect(world.sent.last == "InitiateAuth \(place + 1)")
        }
    }

    @Test("a repetition of what changes nothing stays there as well")
    func repeated() throws {
        let world = try Servers([.silent, .good])
        _ = try error { () throws(CognitoError) in _ = try world.client.keySet() }
        #expect(world.sent == ["jwks 0", "jwks 0", "jwks 0"])
    }

    @Test("a challenge is answered where it came from, and nowhere else")
    func challenge() throws {
        let world = try Servers([.dead, .good])
        let challenge = try #require(try world.begin())
        world.servers[0] = .good
        // What is fetched meanwhile, and from where, does not matter.
        world.servers[1] = .dead
        _ = try world.client.keySet()
        #expect(world.sent == ["InitiateAuth 1", "jwks 0"])
        let failure = try error { () throws(CognitoError) in
            _ = try world.client.answer(challenge, userName: "alice", responses: [:])
        }
        #expect(failure == .transport(.unreachable("refused")))
        world.servers[1] = .good
        _ = try world.client.answer(challenge, userName: "alice", responses: [:])
        #expect(world.sent == ["InitiateAuth 1", "jwks 0", "RespondToAuthChallenge 1"])
    }

    @Test("several that cannot be reached take no longer than one, and each has its share", arguments: [1, 2, 4])
    func time(count: Int) throws {
        let world = try Servers(Array(repeating: .slow, count: count), timeLimit: 4000)
        let failure = try error { () throws(CognitoError) in _ = try world.begin() }
        #expect(failure == .transport(.timedOut))
        #expect(Array(world.tried.prefix(count)) == Array(0..<count))
        #expect(world.clock.now <= 4100)
    }

    @Test(
        """
        what is wrong with this machine, or with an answer, is no reason to ask elsewhere; that it has no way to an \
        address is one, as to IPv6 where that is switched off
        """,
        arguments: [
            (HTTPError.caFile("x"), false), (.unusable("x"), false), (.malformed("x"), false),
            (.tooLarge(limit: 1), false), (.shortage("errno 99"), true),
        ])
    func ownFaults(failure: HTTPError, isOfConnection: Bool) {
        #expect(failure.isOfConnection == isOfConnection)
    }

    /// What `body` throws.
    private func error(_ body: () throws(CognitoError) -> Void) throws -> CognitoError? {
        do throws(CognitoError) {
            try body()
            return nil
        } catch {
            return error
        }
    }
}
