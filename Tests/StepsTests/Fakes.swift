import Base
import CognitoIdentityProvider
import HTTPClient
import Messages
import Protocol
import Steps
import TokenSigning
import Tokens

extension Phrase {
    /// The text as it is written in the sources.
    var english: String { Manner().say(self) }
}

/// What one message held, in ordinary memory.
struct SentMessage {
    let kind: MessageKind
    let fields: [Field: [UInt8]]
    let groups: [String]
    let methods: [String]
    let reports: [JSONValue]
    let number: Int64?
    let result: SignOutResult?

    init(_ frame: borrowing Frame) {
        result = SignOutResult(frame)
        kind = frame.kind
        var fields: [Field: [UInt8]] = [:]
        for (field, _) in frame.kind.rule.fields {
            fields[field] = frame.bytes(field)
        }
        self.fields = fields
        groups = frame.list(.group).map { bytes in String(decoding: bytes, as: UTF8.self) }
        methods = frame.list(.amr).map { bytes in String(decoding: bytes, as: UTF8.self) }
        reports = frame.list(.report).compactMap(JSONValue.init(parsing:))
        number = frame.number(.accessTokenExpiry)
    }

    func text(_ field: Field) -> String? {
        fields[field].map { bytes in String(decoding: bytes, as: UTF8.self) }
    }

    var reason: FailureReason? { fields[.reason]?.first.flatMap(FailureReason.init) }
    var outcome: SignOutOutcome? { fields[.outcome]?.first.flatMap(SignOutOutcome.init) }
    var session: Session? { fields[.bundle].flatMap { bytes in try? Session(decoding: bytes) } }
}

/// The root side: a list of what it says, and what it heard.
final class ScriptedRoot: RootChannel {
    enum Event {
        case packet([UInt8])
        case nothing
        case closed
        /// Something happens before the next of them.
        case meanwhile
        /// From here on nothing arrives that is sent.
        case deaf
    }

    private var events: [Event]
    private(set) var sent: [SentMessage] = []
    private(set) var timeLimits: [Int64?] = []
    /// Says that it has registered tokens, as often as it gets some, out of its script's order.
    var registers = false
    /// What it answers once its script is at its end: to the question for the account's password, and to every other.
    var person: (password: String, other: String)?
    /// What it answers to a prompt with an address in it: what a browser comes back with from there.
    var browser: ((String) -> String)?
    var isGone = false
    private(set) var isClosed = false
    var meanwhile: () -> Void = {}

    init(_ events: [Event]) {
        self.events = events
    }

    func receive(timeLimit: Int64?) -> Received {
        timeLimits.append(timeLimit)
        if registers, let last = sent.last, last.kind == .signedIn {
            events.insert(Step.registered, at: 0)
        }
        if events.isEmpty, let person, let last = sent.last, last.kind == .ask {
            let isPassword = last.fields[.promptStyle] == [PromptStyle.password.rawValue]
            events.append(Step.answer(isPassword ? person.password : person.other))
        }
        if events.isEmpty, let browser, let last = sent.last, last.kind == .ask, let text = last.text(.text),
            let address = text.split(separator: "\n").last(where: { line in line.hasPrefix("https://") })
        {
            events.append(Step.answer(browser(String(address))))
        }
        guard !events.isEmpty else {
            return .closed
        }
        switch events.removeFirst() {
        case .meanwhile:
            meanwhile()
            timeLimits.removeLast()
            return receive(timeLimit: timeLimit)
        case .deaf:
            isGone = true
            timeLimits.removeLast()
            return receive(timeLimit: timeLimit)
        case .packet(let bytes):
            guard let packet = Secret(copying: bytes.span.bytes), let frame = try? Frame(decoding: packet) else {
                return .closed
            }
            return .frame(frame)
        case .nothing:
            return .nothing
        case .closed:
            return .closed
        }
    }

    func stopReceiving() {
        isClosed = true
    }

    func send(_ frame: borrowing Frame) -> Bool {
        sent.append(SentMessage(frame))
        return !isGone
    }

    var kinds: [MessageKind] { sent.map(\.kind) }
    var last: SentMessage? { sent.last }
    var prompts: [SentMessage] { sent.filter { message in message.kind == .ask } }
    /// What is to be kept of the pool's keys, by the last message that says so.
    var keptKeySet: [UInt8]? { sent.last { message in message.kind == .keep }?.fields[.keySet] }

    /// The questions in their order, each with `#` in front where there is no echo, and two where other modules want
    /// the answer.
    var questions: [String] {
        prompts.map { message in
            let sign =
                switch message.fields[.promptStyle]?.first.flatMap(PromptStyle.init) {
                case .visible: ""
                case .password, .hidden, nil: "#"
                case .newPassword, .currentPassword: "##"
                }
            return sign + (message.text(.text) ?? "")
        }
    }
}

/// A pool's challenge.
func challenge(
    _ name: String, _ parameters: [String: String] = [:], session: String = "s", available: [String]? = nil
) -> ScriptedPool.Answer {
    var members: [String: JSONValue] = [
        "ChallengeName": .string(name), "Session": .string(session),
        "ChallengeParameters": .object(parameters.mapValues(JSONValue.string)),
    ]
    members["AvailableChallenges"] = available.map { names in .array(names.map(JSONValue.string)) }
    return ScriptedPool.answer(members)
}

/// The parameters of a challenge to prove the password.
let proofParameters = [
    "USERNAME": "alice", "USER_ID_FOR_SRP": "alice", "SALT": "1f", "SRP_B": "abcdef", "SECRET_BLOCK": "QUJD",
]

/// A pool: answers by operation, and remembers what it was asked.
final class ScriptedPool: HTTPTransport {
    typealias Answer = Result<(status: Int, body: String), HTTPError>

    static let signer = TokenSigner()
    static let issuer = "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbCdEf123"
    static let updatedIssuer = "https://issuer-cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbCdEf123"

    private(set) var operations: [String] = []
    /// Beginnings of addresses that no connection can be made to, and whom each operation was asked of.
    var deadAddresses: [String] = []
    private(set) var addresses: [String] = []
    /// What clients were made with.
    fileprivate(set) var settings: [TransportSettings] = []
    private(set) var mayHaveSent = true
    private(set) var bodies: [JSONValue] = []
    /// What STS was asked.
    private(set) var forms: [String] = []
    /// By operation, one after the other; the last one for ever.
    var answers: [String: [Answer]] = [:]
    /// What is answered when the time for it is over.
    var lateOperations: Set<String> = []
    /// The same of the operation's how-many-eth call.
    var late: (String, Int) -> Bool = { _, _ in false }
    let clock: StepClock
    /// When each operation was asked for.
    private(set) var times: [String: [Int64]] = [:]
    /// For how many milliseconds a challenge of InitiateAuth can be answered; later answers are wrong passwords. nil:
    /// for ever.
    var challengeLife: Int64?
    /// The time at the service (Date).
    var date: String?
    var claims: [String: JSONValue] = [:]
    var identityClaims: [String: JSONValue] = [:]

    init(_ clock: StepClock) {
        self.clock = clock
        answers["jwks"] = [.success((200, String(decoding: Self.keySet, as: UTF8.self)))]
        // Of a pool with the original issuer.
        answers["issuer_jwks"] = [.success((403, "<Error><Code>AccessDenied</Code></Error>"))]
        answers["GlobalSignOut"] = [.success((200, "{}"))]
        answers["RevokeToken"] = [.success((200, "{}"))]
    }

    static var keySet: [UInt8] { signer?.keySet("k") ?? [] }

    func token(_ members: [String: JSONValue]) -> String {
        let common: [String: JSONValue] = [
            "iss": .string(Self.issuer), "sub": .string("s"), "exp": .integer(clock.wall + 3600),
        ]
        let header: JSONValue = .object(["alg": .string("RS256"), "kid": .string("k")])
        return Self.signer?.token(header: header, claims: .object(common.merging(members) { _, new in new })) ?? ""
    }

    /// The answer of the token endpoint.
    ///
    /// - Parameter missing: Members that are not in it.
    func tokenResponse(missing: Set<String> = []) -> Answer {
        let whole = tokens()
        guard case .success(let (_, body)) = whole,
            let result = JSONValue(parsing: Array(body.utf8))?["AuthenticationResult"]
        else {
            return whole
        }
        let names = ["AccessToken": "access_token", "IdToken": "id_token", "RefreshToken": "refresh_token"]
        var members: [String: JSONValue] = ["token_type": .string("Bearer"), "expires_in": .integer(3600)]
        for (name, member) in names where !missing.contains(member) {
            members[member] = result[name]
        }
        return Self.answer(members)
    }

    /// The answer with which a sign-in or a renewal succeeds.
    func tokens(refresh: String? = "refresh-1", newDevice: String? = nil) -> Answer {
        let access: [String: JSONValue] = [
            "token_use": .string("access"), "client_id": .string("client"), "username": .string("alice"),
            "cognito:groups": .array([.string("staff")]),
        ]
        let identity: [String: JSONValue] = [
            "token_use": .string("id"), "aud": .string("client"), "cognito:username": .string("alice"),
        ]
        var result: [String: JSONValue] = [
            "AccessToken": .string(token(access.merging(claims) { _, new in new })),
            "IdToken": .string(token(identity.merging(identityClaims) { _, new in new })),
        ]
        result["RefreshToken"] = refresh.map(JSONValue.string)
        if let newDevice {
            result["NewDeviceMetadata"] = .object([
                "DeviceKey": .string(newDevice), "DeviceGroupKey": .string("-group"),
            ])
        }
        return Self.answer(["AuthenticationResult": .object(result)])
    }

    static func answer(_ members: [String: JSONValue]) -> Answer {
        .success((200, String(decoding: JSONValue.object(members).serialized ?? [], as: UTF8.self)))
    }

    static func refusal(_ name: String, _ message: String = "") -> Answer {
        .success((400, "{\"__type\":\"\(name)\",\"message\":\"\(message)\"}"))
    }

    /// What an operation answers for which a test has no answers: what gives tokens, gives them.
    private func unscripted(_ operation: String) -> Answer {
        switch operation {
        case "InitiateAuth", "RespondToAuthChallenge", "GetTokensFromRefreshToken": tokens()
        case "token": tokenResponse()
        default: .failure(.unreachable("no answer was scripted for \(operation)"))
        }
    }

    func send(_ request: HTTPRequest, timeLimit: Int64) throws(HTTPError) -> HTTPResponse {
        let target = request.headers.first { header in header.name == "X-Amz-Target" }?.value
        let isForm = request.headers.contains(.init("Content-Type", "application/x-www-form-urlencoded"))
        let form = request.url.hasSuffix("/oauth2/token") ? "token" : "sts"
        let key = request.url.hasPrefix("https://issuer-") ? "issuer_jwks" : "jwks"
        let operation = target?.split(separator: ".").last.map(String.init) ?? (isForm ? form : key)
        if isForm, let form = request.body?.text {
            forms.append(form)
        }
        mayHaveSent = !deadAddresses.contains { address in request.url.hasPrefix(address) }
        guard mayHaveSent else {
            clock.now += 10
            throw .unreachable("refused")
        }
        operations.append(operation)
        times[operation, default: []].append(clock.now)
        addresses.append(String(request.url.dropFirst("https://".count).prefix { letter in letter != "/" }))
        bodies.append(
            request.body.flatMap { body in JSONValue(parsing: body.withBytes { bytes in bytes.copied() }) } ?? .null)
        clock.now += 10
        var queue = answers[operation] ?? []
        let answer = queue.count > 1 ? queue.removeFirst() : queue.first ?? unscripted(operation)
        answers[operation] = queue
        var (status, body) = try answer.get()
        if let challengeLife, operation == "RespondToAuthChallenge",
            let begun = times["InitiateAuth"]?.last, clock.now - begun > challengeLife
        {
            (status, body) = try Self.refusal("NotAuthorizedException", "Incorrect username or password.").get()
        }
        let headers = date.map { date in ["date": date] } ?? [:]
        let response = HTTPResponse(status: status, headers: headers, body: SecretValue(body))
        let count = operations.count { called in called == operation }
        guard !lateOperations.contains(operation), !late(operation, count) else {
            clock.now += timeLimit
            guard let late = request.late else {
                throw .timedOut
            }
            late.onLimit()
            guard let take = late.take else {
                return response
            }
            take(response)
            throw .timedOut
        }
        return response
    }
}

/// An instance's metadata, which refuses what it is asked without a token that it gave.
final class ScriptedMetadata: HTTPTransport {
    static let roles = "/latest/meta-data/iam/security-credentials/"
    static let keys = """
        {"Code": "Success", "Type": "AWS-HMAC", "AccessKeyId": "ASIAEXAMPLE", "SecretAccessKey": "keySecret",
         "Token": "tokenSecret", "Expiration": "2027-01-15T14:00:00Z"}
        """

    /// Answers by path.
    var answers: [String: ScriptedPool.Answer] = [
        "/latest/api/token": .success((200, "tokenOfMetadata==")), roles: .success((200, "reaper\n")),
        roles + "reaper": .success((200, keys)),
    ]
    private(set) var paths: [String] = []
    private(set) var timeLimits: [Int64] = []
    private let clock: StepClock

    init(_ clock: StepClock) {
        self.clock = clock
    }

    func send(_ request: HTTPRequest, timeLimit: Int64) throws(HTTPError) -> HTTPResponse {
        let path = String(request.url.dropFirst(HTTPClient.metadataOrigin.count))
        paths.append(path)
        timeLimits.append(timeLimit)
        clock.now += 10
        let isToken = path == "/latest/api/token"
        guard request.isPut == isToken, request.body == nil,
            request.headers == (isToken ? [.init("X-aws-ec2-metadata-token-ttl-seconds", "60")] : []),
            request.secretHeaders == (isToken ? [] : [.init("X-aws-ec2-metadata-token", "tokenOfMetadata==")])
        else {
            return HTTPResponse(status: 401, body: nil)
        }
        let (status, body) = try (answers[path] ?? .success((404, ""))).get()
        return HTTPResponse(status: status, body: SecretValue(body))
    }
}

final class StepClock: Clock {
    var now: Int64 = 1_000
    var wall: Int64 = 1_800_000_000
    func milliseconds() -> Int64 { now }
    func seconds() -> Int64 { wall }
    func sleep(milliseconds: Int64) { now += milliseconds }
}

/// One step with everything around it.
struct Step {
    let clock = StepClock()
    let pool: ScriptedPool
    let metadata: ScriptedMetadata

    init() {
        pool = ScriptedPool(clock)
        metadata = ScriptedMetadata(clock)
    }

    func run(
        _ events: [ScriptedRoot.Event], on hostName: String? = "demo", rootIsGone: Bool = false,
        registers: Bool = false, person: (password: String, other: String)? = nil,
        meanwhile: @escaping () -> Void = {}, browser: ((String) -> String)? = nil
    ) -> ScriptedRoot {
        let root = ScriptedRoot(events)
        root.meanwhile = meanwhile
        root.person = person
        root.browser = browser
        root.registers = registers
        root.isGone = rootIsGone
        let surroundings = StepSurroundings(
            clock: clock, hostName: { hostName },
            makeTransport: { settings in
                pool.settings.append(settings)
                return pool
            }, makeMetadataTransport: { metadata })
        WorkerProcess(channel: root, surroundings: surroundings).run()
        return root
    }

    /// A message as the root side would send it.
    static func message(_ kind: MessageKind, _ fields: [(Field, [UInt8])]) -> ScriptedRoot.Event {
        var packet = [Frame.version, kind.rawValue]
        for (field, bytes) in fields {
            packet.append(field.rawValue)
            packet += stride(from: 24, through: 0, by: -8).map { shift in
                UInt8(truncatingIfNeeded: bytes.count >> shift)
            }
            packet += bytes
        }
        return .packet(packet)
    }

    static func number(_ value: Int64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { shift in UInt8(truncatingIfNeeded: value >> Int64(shift)) }
    }

    private static let service: [(Field, [UInt8])] = [
        (.userPoolID, Array("eu-west-1_AbCdEf123".utf8)), (.clientID, Array("client".utf8)),
        (.timeLimit, number(15_000)), (.connectTimeLimit, number(5_000)),
    ]

    /// A field for which there is a value.
    private static func given(_ field: Field, _ value: [UInt8]?) -> [(Field, [UInt8])] {
        value.map { bytes in [(field, bytes)] } ?? []
    }

    private static func given(_ field: Field, _ text: String?) -> [(Field, [UInt8])] {
        given(field, text.map { text in Array(text.utf8) })
    }

    private static func given(_ field: Field, _ flag: Bool?) -> [(Field, [UInt8])] {
        given(field, flag.map { flag in [flag ? 1 : 0] })
    }

    private static func given(_ field: Field, _ session: Session?) -> [(Field, [UInt8])] {
        given(field, session.map { session in (try? session.bundle()) ?? [] })
    }

    private static func identity(
        _ userName: String, loginName: String? = nil, rule: IdentityRule = .userName
    ) -> [(Field, [UInt8])] {
        given(.userName, userName) + given(.loginName, loginName ?? userName) + [(.identityRule, [rule.rawValue])]
    }

    private static func validity(withhold: Bool? = nil) -> [(Field, [UInt8])] {
        given(.withholdRefreshToken, withhold) + [(.refreshTokenValidity, number(86_400))]
    }

    static func signIn(
        userName: String = "alice", loginName: String = "alice", rule: IdentityRule = .userName,
        flow: AuthenticationFlow = .password, preconnect: UInt8 = 0, withhold: Bool = false,
        keySet: [UInt8]? = ScriptedPool.keySet, isFixed: Bool = false,
        preferred: PreferredFactor? = nil, combined: Bool = false, address: String? = nil, service: String? = nil,
        device: String? = nil, remember: Bool? = nil, language: String? = nil, translatesPrompts: Bool? = nil,
        agentService: [UInt8]? = nil, endpoint: String? = nil, levels: [String] = [], from held: Session? = nil,
        maxAge: Int64? = nil, options: String? = nil,
        timeLimit: Int64 = 15_000, uidAttribute: String? = nil, tellingJudgement: Bool = false,
        placing isPlaced: Bool = false
    ) -> ScriptedRoot.Event {
        var fields = Self.service.filter { field, _ in field != .timeLimit } + [(.timeLimit, number(timeLimit))]
        fields += identity(userName, loginName: loginName, rule: rule) + validity(withhold: withhold)
        fields += [(.flow, [flow.rawValue]), (.preconnect, [preconnect]), (.signOutMode, Array("global".utf8))]
        fields += given(.keySet, keySet) + given(.fixedKeySet, isFixed ? true : nil)
        fields += given(.preferredFactor, preferred.map { factor in [factor.rawValue] })
        fields += given(.clientAddress, address) + given(.serviceName, service)
        if let agentService, (1...256).contains(agentService.count) {
            fields.append((.requestingService, agentService))
        }
        fields += given(.endpoint, endpoint) + given(.options, options)
        fields += levels.flatMap { level in given(.requiredACR, level) }
        fields += given(.maxAge, maxAge.map(number)) + given(.bundle, held) + given(.uidAttribute, uidAttribute)
        fields += given(.sessionPlace, isPlaced ? number(0) : nil) + given(.combinedCode, combined ? true : nil)
        fields += given(.tellsJudgement, tellingJudgement ? true : nil) + given(.language, language)
        fields += given(.translatesPrompts, translatesPrompts) + given(.device, device)
        fields += given(.rememberDevice, remember)
        return message(.signIn, fields)
    }

    static func changePassword(flow: AuthenticationFlow = .password, device: String? = nil) -> ScriptedRoot.Event {
        let fields: [(Field, [UInt8])] = [
            (.flow, [flow.rawValue]), (.preconnect, [0]), (.keySet, ScriptedPool.keySet),
        ]
        return message(
            .changePassword, service + identity("alice") + validity() + fields + given(.device, device))
    }

    static func forgotPassword(_ name: String? = "alice") -> ScriptedRoot.Event {
        message(.forgotPassword, service + given(.loginName, name))
    }

    static func probe(_ more: [(Field, [UInt8])] = []) -> ScriptedRoot.Event {
        message(.probe, service + more)
    }

    /// - Parameter credentials: A file with keys; nil: the instance's metadata has them.
    static func adminSignOut(credentials: String?) -> ScriptedRoot.Event {
        let keys: (Field, [UInt8]) =
            credentials.map { file in (.credentials, Array(file.utf8)) } ?? (.instanceMetadata, [1])
        return message(.adminSignOut, service + [(.loginName, Array("alice@example.com".utf8)), keys])
    }

    static func listPeople(credentials: String, from token: String? = nil) -> ScriptedRoot.Event {
        let attributes: [(Field, [UInt8])] = [
            (.publicKeyAttribute, Array("custom:key".utf8)), (.uidAttribute, Array("custom:uid".utf8)),
        ]
        let fields: [(Field, [UInt8])] = [(.group, Array("staff".utf8)), (.credentials, Array(credentials.utf8))]
        return message(
            .listPeople,
            service + fields + attributes + given(.nextToken, token))
    }

    static func renew(
        _ session: Session, keySet: [UInt8]? = nil, takesLateAnswer: Bool? = nil, endpoint: String? = nil
    ) -> ScriptedRoot.Event {
        let fields = service + identity("alice") + validity(withhold: false)
        return message(
            .renew,
            fields + given(.bundle, session) + given(.keySet, keySet) + given(.endpoint, endpoint)
                + given(.takesLateAnswer, takesLateAnswer))
    }

    static func check(
        _ session: Session, isOnline: Bool, isOpening: Bool = false, keySet: [UInt8]? = ScriptedPool.keySet,
        placing place: [UInt8]? = nil, endpoint: String? = nil
    ) -> ScriptedRoot.Event {
        let fields = service + given(.endpoint, endpoint) + identity("alice")
        return message(
            .check,
            fields + given(.bundle, session) + given(.online, isOnline) + given(.unexpired, isOpening ? true : nil)
                + given(.sessionPlace, place) + given(.keySet, keySet))
    }

    static func makeCredential(
        _ session: Session, name: String, options: String, known: String?, userName: String,
        keySet: [UInt8]? = ScriptedPool.keySet
    ) -> ScriptedRoot.Event {
        let fields = service + identity(userName) + given(.bundle, session) + given(.credentialName, name)
        return message(
            .makeCredential,
            fields + given(.options, options) + given(.keySet, keySet) + given(.identityID, known))
    }

    static func poolSessions(_ session: Session, ending name: String? = nil) -> ScriptedRoot.Event {
        message(.poolSessions, service + given(.bundle, session) + given(.poolSession, name))
    }

    /// A session whose tokens the pool signed with `claims` of its own.
    func genuineSession(lifetime: Int64 = 3600) -> Session {
        var session = session(lifetime: lifetime)
        let common: [String: JSONValue] = ["exp": .integer(clock.wall + lifetime)]
        session.accessToken = SecretValue(
            pool.token(
                ["token_use": "access", "client_id": "client", "username": "alice"].mapValues(JSONValue.string)
                    .merging(common) { _, new in new }.merging(pool.claims) { _, new in new }))
        session.idToken = SecretValue(
            pool.token(
                ["token_use": "id", "aud": "client", "cognito:username": "alice"].mapValues(JSONValue.string)
                    .merging(common) { _, new in new }.merging(pool.identityClaims) { _, new in new }))
        return session
    }

    static func signOut(
        _ session: Session, _ revocation: Revocation = .global, _ persistence: UInt8? = nil, endpoint: String? = nil,
        keepingConnection keepsConnection: Bool = false, options: String? = nil
    ) -> ScriptedRoot.Event {
        message(
            .signOut,
            service + given(.bundle, session) + [(.revocation, [revocation.rawValue])]
                + given(.persistence, persistence.map { code in [code] }) + given(.endpoint, endpoint)
                + given(.keepsConnection, keepsConnection ? true : nil) + given(.options, options))
    }

    static func answer(_ password: String = "secret") -> ScriptedRoot.Event {
        message(.answer, [(.answer, Array(password.utf8))])
    }

    static func answer(_ password: String, clientSecret: String) -> ScriptedRoot.Event {
        message(.answer, [(.answer, Array(password.utf8)), (.clientSecret, Array(clientSecret.utf8))])
    }

    static let registered = message(.registered, [])

    /// A session as it was signed in, its access token good for `lifetime` seconds.
    func session(lifetime: Int64 = 3600, pool: String = "eu-west-1_AbCdEf123", device: String? = nil) -> Session {
        Session(
            accessToken: "old-access", idToken: "old-id", refreshToken: "refresh-0",
            accessTokenExpiry: clock.wall + lifetime, refreshTokenExpiry: clock.wall + 80_000, userName: "alice",
            userPoolID: pool, clientID: "client", region: "eu-west-1", signedInAt: clock.wall - 100,
            renewedAt: clock.wall - 100, signOut: .global, deviceKey: device
        )
    }
}
