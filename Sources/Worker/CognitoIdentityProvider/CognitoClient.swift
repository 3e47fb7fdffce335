internal import Base
internal import Cryptography
package import HTTPClient
package import Tokens

/// Why an operation did not come to its answer.
package enum CognitoError: Error, Equatable, Sendable {
    case service(ServiceError)
    /// No answer came.
    case transport(HTTPError)
    /// An answer came that means nothing; with its status.
    case malformed(status: Int)
    /// The time for this step's network is used up.
    case outOfTime
    /// A challenge that cannot be answered; a sentence says why.
    case challenge(String)
    /// This machine failed; a sentence says how.
    case local(String)

    /// The meaning of a refusal; nil if the service did not refuse.
    package var kind: ServiceErrorKind? {
        if case .service(let error) = self { error.kind } else { nil }
    }

    /// Whether it is about sending a code. The service sends none to a user that it does not know.
    package var concernsDelivery: Bool { kind == .codeNotDelivered || kind == .messageLimit }
}

/// How often an operation may be tried.
package enum RetryPolicy: Sendable {
    /// Once.
    case never
    /// Again only where the service says that it did not carry it out, for its rate or because the account was being
    /// changed at that moment: every other repetition would count as another attempt of the person, or use something
    /// up.
    case attempt
    /// The same until a moment of the clock, in milliseconds: for a proof, whose challenge grows old.
    case attemptUntil(Int64)
    /// Also at most twice more after other failures that pass, for requests that change nothing.
    case idempotent
    /// Until the time is up: for revocations, which must not be lost.
    case persistent
}

extension RetryPolicy {
    /// Whether a request may be sent again that was perhaps answered.
    var mayRepeatUnanswered: Bool {
        switch self {
        case .never, .attempt, .attemptUntil: false
        case .idempotent, .persistent: true
        }
    }

    /// Whether it is for one attempt of the user, whose answer may bring tokens.
    var isAttempt: Bool {
        switch self {
        case .attempt, .attemptUntil: true
        case .never, .idempotent, .persistent: false
        }
    }

    /// After which moment of the clock nothing is sent again, nor first where a connection has to be made, in
    /// milliseconds.
    var lastRepetition: Int64 {
        if case .attemptUntil(let moment) = self { moment } else { .max }
    }
}

/// The circumstances of a sign-in that the service is told besides what it needs.
package struct RequestContext: Sendable, Equatable {
    /// UserContextData.IpAddress: the client's, for threat protection.
    package var address: String?
    /// ClientMetadata: for the pool's Lambda triggers.
    package var metadata: [String: String] = [:]

    package init() {}

    var members: [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        if let address {
            members["UserContextData"] = .object(["IpAddress": .string(address)])
        }
        if !metadata.isEmpty {
            members["ClientMetadata"] = .object(metadata.mapValues(JSONValue.string))
        }
        return members
    }
}

/// Time as a step sees it.
package protocol Clock: AnyObject {
    /// Milliseconds that only ever go forward.
    func milliseconds() -> Int64
    /// Seconds since the epoch.
    func seconds() -> Int64
    func sleep(milliseconds: Int64)
}

/// The operations of `cognito-idp` that a sign-in, a renewal and a sign-out need, for one app client; unsigned, but for
/// one.
///
/// Refusals are never tried again by themselves: each try feeds the lock-out. What may be repeated is said at each
/// operation.
package final class CognitoClient {
    /// Sent as User-Agent: the service's firewall refuses requests without one.
    package static let userAgent = "pam-cognito"

    /// The pool and app client.
    package let pool: UserPool
    /// Sent with every request of a sign-in.
    package var context = RequestContext()
    /// The remembered device that requests speak for, by its key; nil where there is none.
    package var deviceKey: String?
    private var endpoints: Endpoints
    /// The place of the endpoint that a request was sent to which it has not answered: until it answers, no other is
    /// asked.
    private var awaited: Int?
    /// Whether all requests go to the first endpoint: those that lead to the end of tokens.
    package var asksFirstOnly = false
    /// The endpoint that has revoked tokens in place of the first one, which could not be reached.
    package private(set) var substitute: String?
    /// The app client's secret; nil where it has none.
    package var secret: SecretValue?
    private let transport: any HTTPTransport
    /// The connection of the last request that was answered, where the transport tells.
    package var connection: ConnectionDescription? { transport.connection }
    private let clock: any Clock
    /// Milliseconds of network time that are left for the step.
    package private(set) var timeLeft: Int64
    /// Whether requests are repeated at all, where their policy allows it.
    package var isPatient = true
    /// Whether the end of tokens ends the session of the browser that they came through, too.
    package var endsBrowserSession = false
    /// Called with the first failure that is followed by another attempt. No program waits from then on, so further
    /// attempts are made with longer pauses.
    package var onSetback: ((CognitoError) -> Void)?
    /// Called when the time is over before an answer that may bring tokens. The client still reads that answer and
    /// revokes its tokens, because the service has issued them and no other program knows them. nil: it does not wait
    /// for such an answer.
    package var onLateAnswer: (() -> Void)?
    /// The same of a renewal, whose late answer counts like any other.
    package var onLateRenewal: (() -> Void)?
    /// How much longer it is waited for, in milliseconds.
    private static let lateAnswerPatience: Int64 = 20_000
    /// How far this machine's clock is ahead of the service's, in seconds, by the last answer's Date.
    package private(set) var clockSkew: Int64?
    /// The same if requests and networks alone cannot explain it, so this machine's clock is wrong. nil: it is right,
    /// or this is not known.
    package var clockFault: Int64? { clockSkew.flatMap { skew in abs(skew) > 120 ? skew : nil } }

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - endpoint: `https://host[:port]` instead of the region's own, or several, separated by blanks; nil when one
    ///     is no such address.
    ///   - timeLimit: milliseconds of network time for everything that this client does, its waits included.
    package init?(
        pool: UserPool, secret: SecretValue?, endpoint: String?, transport: any HTTPTransport,
        clock: any Clock, timeLimit: Int64
    ) {
        guard let endpoints = Endpoints(endpoint ?? "https://\(pool.host)") else {
            return nil
        }
        self.pool = pool
        self.endpoints = endpoints
        self.secret = secret
        self.transport = transport
        self.clock = clock
        timeLeft = timeLimit
    }

    /// A sentence for the log about endpoints that were passed over; nil: there is nothing to say.
    package var endpointRemark: String? { endpoints.remark }

    /// Returns a sentence for the log about a failed sign-out, if there are several endpoints.
    package func signOutRemark(_ error: CognitoError) -> String? {
        guard case .transport = error, let first = endpoints.addresses.first, endpoints.addresses.count > 1 else {
            return nil
        }
        let revoked = substitute.map { address in "The endpoint \(address) has revoked the tokens. " } ?? ""
        return
            "\(revoked)A sign-out is complete only when the first endpoint, \(first), confirms it. Until "
            + "the sign-out is complete, the session stays in the \"closing\" state."
    }

    /// Gives the client at least this much network time: for a revocation after the step's own time.
    package func extendTime(to milliseconds: Int64) {
        timeLeft = max(timeLeft, milliseconds)
    }

    /// Carries out `body` without repeating a request, and within `milliseconds`. What it leaves of the time is there
    /// afterwards, and no less where this machine was suspended meanwhile.
    package func once<Result>(
        within milliseconds: Int64, _ body: () throws(CognitoError) -> Result
    ) throws(CognitoError) -> Result {
        let wasPatient = isPatient
        let rest = max(0, timeLeft - milliseconds)
        isPatient = false
        timeLeft -= rest
        defer {
            isPatient = wasPatient
            timeLeft = max(0, timeLeft) + rest
        }
        return try body()
    }

    /// Waits, which the step's network time goes on for; false where there is too little of it.
    package func pause(milliseconds: Int64) -> Bool {
        guard milliseconds < timeLeft else {
            return false
        }
        clock.sleep(milliseconds: milliseconds)
        timeLeft -= milliseconds
        return true
    }

    // MARK: - The key set

    /// The `iss` that tokens may have which come from here, with the type of each.
    package var issuers: [String: IssuerType] { pool.issuers(endpoints: endpoints.addresses) }

    /// The pool's key set (RFC 7517), as it came. Its address is the original issuer's, at the endpoint's host.
    package func keySet(_ policy: RetryPolicy = .idempotent) throws(CognitoError) -> [UInt8] {
        let request = HTTPRequest(url: keySetPath)
        return try Self.keySet(send(request, policy, to: .any))
    }

    /// The same from the host of the updated issuer, which answers 403 for pools of the original type. It is asked
    /// once, and not for long: it is another host than the endpoints, and not every machine reaches it.
    package func keySetOfUpdatedIssuer() throws(CognitoError) -> [UInt8] {
        try once(within: min(5_000, timeLeft / 3)) { () throws(CognitoError) in
            let origin = "https://\(IssuerType.updated.host(in: pool.region))"
            return try Self.keySet(Self.checked(exchange(HTTPRequest(url: origin + keySetPath))))
        }
    }

    private var keySetPath: String { "/\(pool.identifier)/.well-known/jwks.json" }

    private static func keySet(_ response: HTTPResponse) throws(CognitoError) -> [UInt8] {
        guard response.status == 200 else {
            throw .malformed(status: response.status)
        }
        return response.body?.withBytes { bytes in bytes.copied() } ?? []
    }

    // MARK: - One operation

    /// Calls `operation` with `members`; the members of its answer.
    func call(
        _ operation: String, _ members: [String: JSONValue], _ policy: RetryPolicy, to rule: EndpointRule,
        signedBy signer: RequestSigner? = nil
    ) throws(CognitoError) -> JSONValue {
        guard let body = JSONValue.object(members).serializedSecret else {
            throw .local("A request could not be encoded as JSON.")
        }
        var request = HTTPRequest(
            url: "/",
            headers: [
                .init("Content-Type", "application/x-amz-json-1.1"),
                .init("X-Amz-Target", "AWSCognitoIdentityProviderService.\(operation)"),
            ],
            body: SecretValue(body),
            isRepeatable: policy.mayRepeatUnanswered,
            signer: signer
        )
        if policy.isAttempt, operation == "InitiateAuth" || operation == "RespondToAuthChallenge" {
            request.late = lateAnswer { body in
                AuthenticationResult(Self.members(body)?["AuthenticationResult"])?.refreshToken
            }
        } else if operation == "GetTokensFromRefreshToken", let onLateRenewal {
            request.late = LateAnswer(patience: Self.lateAnswerPatience, onLimit: onLateRenewal, take: nil)
        }
        let response = try send(
            request, policy, to: rule, standIn: operation == "RevokeToken" ? revokeElsewhere : nil)
        guard response.status == 200 else {
            throw .malformed(status: response.status)
        }
        guard let body = response.body, body.count > 0 else {
            return .object([:])
        }
        guard let answer = Self.members(body), answer.members != nil else {
            throw .malformed(status: response.status)
        }
        return answer
    }

    private static func members(_ body: SecretValue) -> JSONValue? {
        body.withBytes { bytes in
            JSONValue(parsing: bytes, secrets: ["AccessToken", "IdToken", "RefreshToken", "Session", "SecretCode"])
        }
    }

    /// Revokes the refresh token in an answer that arrives after the user was told that the request failed.
    func lateAnswer(refreshToken: @escaping (SecretValue) -> SecretValue?) -> LateAnswer? {
        guard let onLateAnswer else {
            return nil
        }
        return LateAnswer(patience: Self.lateAnswerPatience, onLimit: onLateAnswer) { [self] response in
            if let token = response.body.flatMap(refreshToken) {
                extendTime(to: Self.lateAnswerPatience)
                try? revoke(refreshToken: token)
            }
        }
    }

    /// Sends `request`, of whose address there is the path.
    ///
    /// - Parameter standIn: What is done once where the first endpoint could not be sent a byte of it.
    private func send(
        _ request: HTTPRequest, _ policy: RetryPolicy, to rule: EndpointRule, standIn: ((HTTPRequest) -> Void)? = nil
    ) throws(CognitoError) -> HTTPResponse {
        var request = request
        let others = endpoints.addresses.count - 1
        let awaitedBefore = awaited
        // After a request that changes nothing, later ones may go to another endpoint; only its own repetitions may
        // not.
        defer { awaited = request.body == nil ? awaitedBefore : awaited }
        var attempt = 0
        while true {
            let failure: CognitoError
            if policy.lastRepetition < .max {
                request.connectTimeLimit = max(1, policy.lastRepetition - clock.milliseconds())
            }
            do {
                return try sendOnce(
                    request, to: asksFirstOnly ? .first : rule, leaving: attempt == 0 && standIn != nil ? others : 0)
            } catch {
                failure = error
            }
            attempt += 1
            if attempt == 1, case .transport = failure, !transport.mayHaveSent {
                standIn?(request)
            }
            let wait = onSetback == nil ? Self.backOff(attempt) : Self.unattendedBackOff(attempt)
            guard isPatient, Self.mayRepeat(failure, policy, attempt), wait < timeLeft,
                clock.milliseconds() + wait <= policy.lastRepetition
            else {
                throw failure
            }
            if attempt == 1 {
                onSetback?(failure)
            }
            clock.sleep(milliseconds: wait)
            timeLeft -= wait
        }
    }

    /// Sends `request` to the first endpoint of those in question that a connection can be made to.
    ///
    /// - Parameter shares: For how many others of them there must be time, besides.
    private func sendOnce(
        _ request: HTTPRequest, to rule: EndpointRule, leaving shares: Int
    ) throws(CognitoError) -> HTTPResponse {
        let places = rule == .any ? awaited.map { place in [place] } ?? endpoints.places(rule) : endpoints.places(rule)
        var first: CognitoError?
        for (offset, place) in places.enumerated() {
            do throws(CognitoError) {
                let response = try send(request, to: place, leaving: shares + places.count - offset - 1)
                if rule == .any {
                    endpoints.noteAnswer(from: place, isBeginning: request.body != nil)
                }
                return try Self.checked(response)
            } catch {
                guard case .transport(let failure) = error, failure.isOfConnection, !transport.mayHaveSent else {
                    // Without time for this attempt, the result of the one before says more.
                    throw error == .outOfTime ? first ?? error : error
                }
                endpoints.note(failure, of: place)
                first = first ?? error
            }
        }
        throw first ?? .outOfTime
    }

    /// The same answer, unless it is a refusal.
    private static func checked(_ response: HTTPResponse) throws(CognitoError) -> HTTPResponse {
        if response.status != 200, let error = ServiceError(response) {
            throw .service(error)
        }
        return response
    }

    /// Sends `request` to the endpoint of that place. Where there must be time for others, its connection has its share
    /// alone.
    private func send(
        _ request: HTTPRequest, to place: Int, leaving shares: Int
    ) throws(CognitoError) -> HTTPResponse {
        var request = request
        request.url = endpoints.addresses[place] + request.url
        if shares > 0 {
            request.connectTimeLimit = min(request.connectTimeLimit ?? .max, max(1, timeLeft / Int64(shares + 1)))
        }
        do {
            let response = try exchange(request)
            awaited = nil
            return response
        } catch {
            if case .transport = error, transport.mayHaveSent {
                awaited = place
            }
            throw error
        }
    }

    /// Sends `request`, of whose address there is all, on the way to the endpoints or on another one.
    func exchange(
        _ request: HTTPRequest, through other: (any HTTPTransport)? = nil
    ) throws(CognitoError) -> HTTPResponse {
        guard timeLeft > 0 else {
            throw .outOfTime
        }
        let start = clock.milliseconds()
        defer { timeLeft -= max(0, clock.milliseconds() - start) }
        let response: HTTPResponse
        do {
            response = try (other ?? transport).send(request, timeLimit: timeLeft)
        } catch {
            throw .transport(error)
        }
        if let date = response.headers["date"].flatMap(HTTPDate.seconds) {
            clockSkew = clock.seconds() - date
        }
        return response
    }

    /// Has tokens revoked by another endpoint than the first one, which cannot be reached: a replica of the pool renews
    /// them no more then. They are not over before the first one says so.
    private func revokeElsewhere(_ request: HTTPRequest) {
        for place in endpoints.addresses.indices.dropFirst() where substitute == nil {
            do throws(CognitoError) {
                if try send(request, to: place, leaving: endpoints.addresses.count - 1).status == 200 {
                    substitute = endpoints.addresses[place]
                }
                return
            } catch {
                guard case .transport(let failure) = error, failure.isOfConnection, !transport.mayHaveSent else {
                    return
                }
                endpoints.note(failure, of: place)
            }
        }
    }

    private static func mayRepeat(_ error: CognitoError, _ policy: RetryPolicy, _ attempt: Int) -> Bool {
        let notCarriedOut = error.kind == .throttled || error.kind == .concurrentModification
        let passing =
            switch error {
            case .service(let error): notCarriedOut || error.kind == .serviceFault
            case .transport(.unreachable), .transport(.shortage), .transport(.unresolvable), .transport(.timedOut),
                .transport(.tls), .transport(.proxy):
                true
            default: false
            }
        return switch policy {
        case .never: false
        case .attempt, .attemptUntil: notCarriedOut && attempt <= 4
        case .idempotent: passing && attempt <= (notCarriedOut ? 4 : 2)
        case .persistent: passing
        }
    }

    /// Milliseconds before the next attempt: doubled each time to at most four seconds, and half of it by chance, so
    /// that many hosts do not come back together.
    private static func backOff(_ attempt: Int) -> Int64 {
        let longest = Int64(200) << Int64(min(attempt, 5) - 1)
        return Int64.random(in: longest / 2...longest)
    }

    /// The same while no program waits and many sessions may have ended at the same time: first one or two seconds, at
    /// most eight.
    private static func unattendedBackOff(_ attempt: Int) -> Int64 {
        let longest = Int64(2000) << Int64(min(attempt, 3) - 1)
        return Int64.random(in: longest / 2...longest)
    }

    /// SECRET_HASH for `userName`; nil where the app client has no secret.
    func secretHash(_ userName: String) throws(CognitoError) -> JSONValue? {
        guard let secret else {
            return nil
        }
        do {
            return .string(try SecretHash.make(clientSecret: secret, userName: userName, clientID: pool.clientID))
        } catch {
            throw .local(error.description)
        }
    }
}
