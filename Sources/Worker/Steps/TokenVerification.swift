internal import Base
internal import CognitoIdentityProvider
internal import Cryptography
internal import Protocol
internal import Tokens

/// The pool's keys: those from the last time, fetched anew where they do not do; or the administrator's
/// (`key_set_file`), and no others.
///
/// They come from the pool's own address. The host of the updated issuer is asked only for a key that is not there, or
/// if that address says 403 or 404: it answers 403 for pools that have not switched.
final class KeySource {
    /// Seconds within which the host of the updated issuer is asked once, by all steps for the pool on this machine.
    private static let issuerPause: Int64 = 300
    /// The same while a step waits for the answer. A step that is killed meanwhile keeps the others waiting no longer.
    private static let openIssuerPause: Int64 = 10

    private let client: CognitoClient
    /// Whether the key set is the administrator's: then none is fetched.
    let isFixed: Bool
    private let conversation: Conversation
    private let clock: any Clock
    /// The key set that the root side has.
    private var atRoot: KeptKeySet
    private var known: KeptKeySet
    private var current: KeySet?
    private var isFetched = false
    private var mayFetchAgain = true
    private var mayAskIssuer = true
    /// Why the host of the updated issuer gave no keys; nil: it was not asked, or has none for this pool.
    private var issuerRemark: String?
    /// The endpoint says that there is no key set at the pool's address: there is no such pool.
    private(set) var isMissing = false
    /// The endpoint says that it gives no key set.
    private var isWithheld = false

    init(_ frame: borrowing Frame, client: CognitoClient, _ conversation: Conversation, _ clock: any Clock) {
        self.client = client
        isFixed = frame.flag(.fixedKeySet)
        self.conversation = conversation
        self.clock = clock
        atRoot = frame.bytes(.keySet).flatMap(KeptKeySet.init(parsing:)) ?? KeptKeySet()
        if isFixed {
            // A key set by itself says nothing of the issuer's type.
            atRoot.issuerType = nil
        }
        known = atRoot
        current = known.keys
    }

    /// Whether there is a key set.
    var isKnown: Bool { current != nil }

    /// Whether the key set is one that was kept, and none that was fetched by this.
    var isGiven: Bool { !isFetched }

    /// The `iss` that the pool's tokens may have.
    var issuers: [String: IssuerType] { client.issuers }

    /// The type of the pool's issuer, by its newest tokens; nil: none were verified on this machine.
    var issuerType: IssuerType? { known.issuerType }

    /// Takes note of the issuer of verified tokens; of those that were issued before, only if nothing better is known.
    func note(_ type: IssuerType?, isNew: Bool) {
        // With the administrator's keys, what is known is not told here.
        if isNew || !isFixed {
            known.issuerType = isNew ? type : known.issuerType ?? type
        }
    }

    /// Hands over what is to be remembered for the next time, if that is something new. What does not fit is not kept,
    /// nor are the administrator's keys.
    func keep() {
        guard known != atRoot else {
            return
        }
        atRoot = known
        var kept = known
        if isFixed {
            kept.keySet = nil
        }
        guard let document = kept.serialized else {
            return
        }
        var writer = FrameWriter(.keep)
        writer.add(.keySet, document)
        conversation.send(writer)
    }

    /// Opens the connection by fetching the key set, while there is nothing else to do. A failure shows later.
    func preload() {
        if !isFixed {
            _ = try? fetch(.never)
        }
    }

    /// Makes sure that there is a key set before there are tokens. While tokens wait for it, only this process knows
    /// them, and they would stay valid if it died. Cognito itself reports a pool that does not exist.
    func prepare() throws(StepFailure) {
        guard current == nil else {
            return
        }
        guard !isMissing else {
            return askIssuer()
        }
        do {
            _ = try keys()
        } catch {
            guard isMissing else {
                throw error
            }
        }
    }

    func keys() throws(StepFailure) -> KeySet {
        if let current {
            return current
        }
        guard !isFixed else {
            throw StepFailure(
                .configuration,
                "The file \"key_set_file\" contains no key set (RFC 7517) that can verify tokens: write the "
                    + "pool's key set into the file."
            )
        }
        return try fetchAnywhere()
    }

    /// A key set newer than one whose key of that name did not hold; nil when there was one already.
    func newerKeys() throws(StepFailure) -> KeySet? {
        guard mayFetchAgain, !isFixed else {
            return nil
        }
        mayFetchAgain = false
        return try fetchAnywhere()
    }

    /// A key set newer than the one that lacked a key; nil when there is none.
    func keysWithMore() throws(StepFailure) -> KeySet? {
        if let newer = try newerKeys() {
            return newer
        }
        let before = current
        askIssuer()
        return current == before ? nil : current
    }

    /// The failure that no key was found, with the state of the updated issuer's host.
    func unknownKey(_ token: String) -> StepFailure {
        let remark =
            "The file \"key_set_file\" lacks the signing key, because the file is older than that key or belongs to "
            + "another pool. Replace the file with the pool's current key set."
        return explained(StepFailure(.unknownKey, token: token)).adding(isFixed ? remark : nil)
    }

    /// The pool's keys as they are now, from its own address or, if that has none, from the host of the updated issuer.
    func fetchAnywhere() throws(StepFailure) -> KeySet {
        do throws(StepFailure) {
            return try fetch(.idempotent)
        } catch {
            guard isWithheld else {
                throw error
            }
            askIssuer()
            guard known.issuerKeySet != nil, let current else {
                throw explained(error)
            }
            return current
        }
    }

    private func explained(_ failure: StepFailure) -> StepFailure {
        failure.adding(issuerRemark)
    }

    private func fetch(_ policy: RetryPolicy) throws(StepFailure) -> KeySet {
        let bytes: [UInt8]
        do {
            bytes = try client.keySet(policy)
        } catch {
            isWithheld = error.saysNoKeySet
            guard error.saysNoSuchPool else {
                throw StepFailure(signIn: error).adding("The pool's key set could not be fetched.")
            }
            isMissing = current == nil
            throw StepFailure(
                .configuration,
                """
                The pool's key set does not exist at its address: check "user_pool_id" and "endpoint".
                """
            )
        }
        guard KeySet(parsing: bytes) != nil, known.take(keySet: bytes), let keys = known.keys else {
            throw StepFailure(
                .serviceFault, "The document at the address of the pool's key set is not a key set: check \"endpoint\"."
            )
        }
        current = keys
        isFetched = true
        return keys
    }

    /// Adds the keys that the host of the updated issuer has, unless it was asked lately. The root side hears of it
    /// before: steps that begin meanwhile do not ask as well, nor do those after one that fails.
    private func askIssuer() {
        guard !isFixed, mayAskIssuer else {
            return
        }
        let now = clock.seconds()
        // A time further ahead is of a clock that was put back.
        if let end = known.issuerNotBefore, now < end, end <= now + Self.issuerPause {
            issuerRemark =
                "The host of the updated issuer was contacted recently, and will not be contacted again for "
                + "\(end - now) s."
            return
        }
        mayAskIssuer = false
        known.issuerNotBefore = now + Self.openIssuerPause
        keep()
        defer {
            known.issuerNotBefore = now + Self.issuerPause
            keep()
        }
        do throws(CognitoError) {
            let bytes = try client.keySetOfUpdatedIssuer()
            guard let document = JSONValue(parsing: bytes), KeySet(document) != nil else {
                issuerRemark = "The document at the address of the updated issuer's key set is not a key set."
                return
            }
            known.issuerKeySet = document
            current = known.keys
            isFetched = true
            isMissing = false
        } catch {
            if !error.saysNoKeySet {
                issuerRemark =
                    "The host of the updated issuer was also contacted: \(StepFailure(signIn: error).logText)"
            }
        }
    }
}

extension KeptKeySet {
    /// All keys that the pool's tokens can be signed with.
    fileprivate var keys: KeySet? {
        var keys = keySet.flatMap(KeySet.init)
        if let more = issuerKeySet.flatMap(KeySet.init) {
            keys?.add(more)
            keys = keys ?? more
        }
        return keys
    }
}

extension CognitoError {
    /// Whether this, in answer to a request for a key set, says that there is no such pool.
    fileprivate var saysNoSuchPool: Bool {
        switch self {
        case .malformed(let status): status == 400 || status == 404
        case .service(let error): error.kind == .clientNotFound || error.kind == .invalidRequest
        default: false
        }
    }

    /// Whether this, in answer to a request for a key set, says that there is none at this address: statuses 403 and
    /// 404.
    fileprivate var saysNoKeySet: Bool {
        saysNoSuchPool || kind == .refusedByFirewall || kind == .operationNotSupported
    }
}

/// The identity that the tokens must have.
struct ExpectedIdentity {
    /// The account being logged in, exact bytes.
    let userName: [UInt8]
    /// The name or alias that was sent to Cognito.
    let loginName: [UInt8]
    let rule: IdentityRule

    /// Reads the identity from a step's first message.
    init(_ frame: borrowing Frame) throws(StepFailure) {
        guard let userName = frame.bytes(.userName), let loginName = frame.bytes(.loginName),
            let rule = frame.code(.identityRule, IdentityRule.self)
        else {
            throw StepFailure(.internalFault, "The calling program sent a request with an unknown value.")
        }
        self.userName = userName
        self.loginName = loginName
        self.rule = rule
    }
}

/// Two tokens that were found to be genuine, valid and those of the expected person.
struct VerifiedTokens {
    let accessToken: SecretValue
    let idToken: SecretValue
    /// Under which of the pool's two addresses they were issued.
    let issuerType: IssuerType?
    let userName: String
    /// `sub`: the person's lasting identifier in the pool.
    let subject: String
    let accessTokenExpiry: Int64
    /// When the first of the two ends.
    let firstExpiry: Int64
    let groups: [String]
    /// When the person last proved who they are, in seconds since the epoch. The earlier of both, which Cognito may
    /// make in different seconds; nil where one does not say.
    let authenticatedAt: Int64?
    private let person: Claims
    /// When the earlier of the two was issued; nil where one does not say.
    let issuedAt: Int64?
    /// The level that the person reached, where both say the same.
    let acr: String?
    /// By which methods; no more than a message takes.
    let amr: [String]

    /// Checks everything about an access token and an ID token.
    init(
        _ accessToken: SecretValue, _ idToken: SecretValue, keys: KeySource, pool: UserPool, identity: ExpectedIdentity,
        now: Int64, through browser: BrowserProof? = nil
    ) throws(StepFailure) {
        let issuers = keys.issuers
        let expected = Claims.Expectation(issuers: Set(issuers.keys), clientID: pool.clientID, now: now)
        let access = try Self.claims(accessToken, .access, keys, expected)
        let person = try Self.claims(idToken, .identity, keys, expected)
        guard Array(access.subject.utf8) == Array(person.subject.utf8),
            Array(access.userName.utf8) == Array(person.userName.utf8)
        else {
            throw StepFailure(.invalidTokens, "The ID token and the access token from Cognito name different users.")
        }
        // They are of one answer, which one endpoint made.
        guard Array(access.issuer.utf8) == Array(person.issuer.utf8) else {
            throw StepFailure(.invalidTokens, "The ID token and the access token from Cognito name different issuers.")
        }
        switch (browser, identity.rule) {
        case (let browser?, _): try browser.check(access, person, loginName: identity.loginName)
        case (nil, .userName):
            guard Array(access.userName.utf8) == identity.userName else {
                throw Self.otherIdentity(identity, access.userName, person.verifiedEmail)
            }
        case (nil, .verifiedEmail):
            let isTheirs = person.verifiedEmail.map { address in
                areSameAddress(Array(address.utf8), identity.loginName)
            }
            guard isTheirs == true else {
                throw Self.otherIdentity(identity, access.userName, person.verifiedEmail)
            }
        case (nil, .federated):
            throw StepFailure(
                .internalFault, "The calling program sent an identity rule that is valid only in the session registry.")
        }
        issuerType = issuers[access.issuer]
        keys.note(issuerType, isNew: false)
        self.accessToken = accessToken
        self.idToken = idToken
        userName = access.userName
        subject = access.subject
        accessTokenExpiry = access.expiry
        firstExpiry = min(access.expiry, person.expiry)
        groups = access.groups
        authenticatedAt = Self.earlier(access.authenticatedAt, person.authenticatedAt)
        self.person = person
        issuedAt = Self.earlier(access.issuedAt, person.issuedAt)
        let levels = [access.acr, person.acr].map { level in level.map { level in Array(level.utf8) } }
        acr = levels[0] == levels[1] ? access.acr : nil
        amr = acr == nil ? [] : Array(access.amr.prefix(16))
    }

    private static func earlier(_ moment: Int64?, _ other: Int64?) -> Int64? {
        moment.flatMap { moment in other.map { other in min(moment, other) } }
    }

    /// A claim of the ID token's that is text, or a whole number.
    func claim(_ name: String) -> String? {
        person.text(name)
    }

    /// Writes the proof and the groups into a message to the root side.
    func addProof(to writer: inout FrameWriter) {
        writer.add(.authenticatedAt, ifPresent: authenticatedAt)
        writer.add(.acr, ifPresent: acr.map { level in Array(level.utf8) })
        writer.add(.amr, all: amr.map { method in Array(method.utf8) })
        writer.add(.group, all: groups.map { group in Array(group.utf8) })
    }

    private static func otherIdentity(
        _ identity: ExpectedIdentity, _ userName: String, _ address: String?
    ) -> StepFailure {
        let expected = identity.rule == .userName ? identity.userName : identity.loginName
        let found = identity.rule == .userName ? userName : address
        let spellings = found.map { found in
            "the pool has \(found.quoted), and this machine expects "
                + String(decoding: expected, as: UTF8.self).quoted
        }
        let differsInCase = found.map { found in found.utf8.equalsIgnoringCase(expected) } ?? false
        let sentence =
            switch (identity.rule == .userName, spellings) {
            case (true, let spellings?) where differsInCase:
                "Cognito's tokens are valid, but \(spellings): the pool ignores case, but account names are "
                    + "case-sensitive. Use the same spelling in the pool and on this machine: rename the account "
                    + "(usermod -l), or recreate the user in the pool."
            case (false, let spellings?) where differsInCase:
                "Cognito's tokens are valid, but \(spellings): the part before the @ is case-sensitive. Use "
                    + "the same spelling in the pool and on this machine: change the address in the pool, or rename "
                    + "the account (usermod -l)."
            case (true, let spellings?):
                "Cognito's tokens are valid, but the user name in the tokens differs from the account's name: "
                    + "\(spellings). If "
                    + "the pool's users sign in by e-mail, set \"username_template\"."
            case (false, let spellings?):
                "Cognito's tokens are valid, but the verified e-mail address in the tokens is not the address "
                    + "that the user signed in with: \(spellings)."
            case (_, nil):
                "Cognito's tokens are valid, but contain no verified e-mail address. Check that the address "
                    + "is verified in the pool, and that the app client may read the address."
            }
        return StepFailure(.otherIdentity, sentence)
    }

    private static func claims(
        _ token: SecretValue, _ use: Claims.Use, _ keys: KeySource, _ expected: Claims.Expectation
    ) throws(StepFailure) -> Claims {
        let name = use == .access ? "access" : "ID"
        let parsed: JSONWebToken
        do {
            parsed = try JSONWebToken(parsing: token)
        } catch {
            throw StepFailure(error, token: name)
        }
        var keySet = try keys.keys()
        while true {
            do {
                let claims = try parsed.verified(by: keySet)
                try claims.check(use, expected)
                return claims
            } catch .unknownKey {
                guard let newer = try keys.keysWithMore() else {
                    throw keys.unknownKey(name)
                }
                keySet = newer
            } catch {
                // The stored key set may have been damaged where it was stored.
                guard [.signature, .weakKey, .cryptography].contains(error), keys.isGiven,
                    let newer = try? keys.newerKeys()
                else {
                    throw StepFailure(error, token: name)
                }
                keySet = newer
            }
        }
    }
}
