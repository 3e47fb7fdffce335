internal import Base
internal import CognitoIdentityProvider
internal import Cryptography
internal import Protocol
internal import Tokens

/// The pool's key set: the one from the last time, fetched anew where it does not do; or the administrator's, and no other.
final class KeySource {
    private let client: CognitoClient
    private let given: [UInt8]?
    /// Whether the key set is the administrator's: then none is fetched.
    let isFixed: Bool
    private var current: KeySet?
    private var fetched: [UInt8]?
    private var mayFetchAgain = true
    /// The endpoint says that there is no key set at the pool's address: there is no such pool.
    private(set) var isMissing = false

    init(_ frame: borrowing Frame, client: CognitoClient) {
        self.client = client
        isFixed = frame.code(.fixedKeySet) == 1
        given = frame.bytes(.keySet)
        current = given.flatMap { bytes in KeySet(parsing: bytes) }
    }

    /// Whether there is a key set.
    var isKnown: Bool { current != nil }

    /// Whether the key set is one that was kept, and none that was fetched by this.
    var isGiven: Bool { fetched == nil }

    /// The key set to remember for the next time; nil when it is the one that was given.
    var toKeep: [UInt8]? {
        fetched == given ? nil : fetched
    }

    /// Opens the connection by fetching the key set, while there is nothing else to do. A failure shows later.
    func preload() {
        if !isFixed {
            _ = try? fetch(.never)
        }
    }

    /// Sees to it that there is a key set before there are tokens: as long as those wait for it, nobody but this process knows
    /// them, and nobody would end them if it died. That there is no such pool is for Cognito to say.
    func prepare() throws(StepFailure) {
        guard current == nil, !isMissing else {
            return
        }
        do {
            _ = try keys()
        } catch {
            guard isMissing else {
                throw error
            }
        }
    }

    /// A key set.
    func keys() throws(StepFailure) -> KeySet {
        if let current {
            return current
        }
        guard !isFixed else {
            throw StepFailure(
                .configuration,
                "\"key_set_file\" holds no key set (RFC 7517) that tokens could be verified by: put the pool's into it."
            )
        }
        return try fetch(.idempotent)
    }

    /// A key set newer than the one that lacked a key; nil when there was one already.
    func newerKeys() throws(StepFailure) -> KeySet? {
        guard mayFetchAgain, !isFixed else {
            return nil
        }
        mayFetchAgain = false
        return try fetch(.idempotent)
    }

    private func fetch(_ policy: RetryPolicy) throws(StepFailure) -> KeySet {
        let bytes: [UInt8]
        do {
            bytes = try client.keySet(policy)
        } catch {
            guard error.saysNoSuchPool else {
                throw StepFailure(signIn: error).adding("The pool's key set could not be fetched.")
            }
            isMissing = current == nil
            throw StepFailure(
                .configuration, "The pool's key set is not at its address: check \"user_pool_id\" and \"endpoint\"."
            )
        }
        guard let keys = KeySet(parsing: bytes) else {
            throw StepFailure(
                .serviceFault, "What stands at the address of the pool's key set is not one: check \"endpoint\".")
        }
        current = keys
        fetched = bytes
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
}

/// Whom the tokens must belong to.
struct ExpectedIdentity {
    /// The account being logged in, exact bytes.
    let userName: [UInt8]
    /// The name or alias that was sent to Cognito.
    let loginName: [UInt8]
    let rule: IdentityRule
}

extension ExpectedIdentity {
    /// Whom a step's first message is about.
    init(_ frame: borrowing Frame) throws(StepFailure) {
        guard let userName = frame.bytes(.userName), let loginName = frame.bytes(.loginName),
            let rule = frame.code(.identityRule).flatMap(IdentityRule.init)
        else {
            throw StepFailure(.internalFault, "The step's message has a value that this worker does not know.")
        }
        self.init(userName: userName, loginName: loginName, rule: rule)
    }
}

/// Two tokens that were found to be genuine, valid and those of the expected person.
struct VerifiedTokens {
    let accessToken: SecretValue
    let idToken: SecretValue
    let userName: String
    /// `sub`: the person's lasting identifier in the pool.
    let subject: String
    let accessTokenExpiry: Int64
    /// When the first of the two ends.
    let firstExpiry: Int64
    let groups: [String]
    /// When the person last proved who they are, in seconds since the epoch; nil where the tokens do not say.
    let authenticatedAt: Int64?
    private let person: Claims
    /// When the earlier of the two was issued; nil where one does not say.
    let issuedAt: Int64?
    /// The level that the person reached, where both say the same.
    let acr: String?
    /// By which methods; no more than a message takes.
    let amr: [String]

    /// Checks everything about the tokens of `result`.
    init(
        _ result: AuthenticationResult, keys: KeySource, pool: UserPool, identity: ExpectedIdentity, now: Int64
    ) throws(StepFailure) {
        try self.init(result.accessToken, result.idToken, keys: keys, pool: pool, identity: identity, now: now)
    }

    /// Checks everything about an access token and an ID token.
    init(
        _ accessToken: SecretValue, _ idToken: SecretValue, keys: KeySource, pool: UserPool, identity: ExpectedIdentity,
        now: Int64
    ) throws(StepFailure) {
        let expected = Claims.Expectation(issuer: pool.issuer, clientID: pool.clientID, now: now)
        let access = try Self.claims(accessToken, .access, keys, expected)
        let person = try Self.claims(idToken, .identity, keys, expected)
        guard Array(access.subject.utf8) == Array(person.subject.utf8),
            Array(access.userName.utf8) == Array(person.userName.utf8)
        else {
            throw StepFailure(.invalidTokens, "The ID token and the access token from Cognito name different users.")
        }
        let isExpected =
            switch identity.rule {
            case .userName: Array(access.userName.utf8) == identity.userName
            case .verifiedEmail:
                person.verifiedEmail.map { address in areSameAddress(Array(address.utf8), identity.loginName) } ?? false
            }
        guard isExpected else {
            throw Self.otherIdentity(identity, access.userName, person.verifiedEmail)
        }
        self.accessToken = accessToken
        self.idToken = idToken
        userName = access.userName
        subject = access.subject
        accessTokenExpiry = access.expiry
        firstExpiry = min(access.expiry, person.expiry)
        groups = access.groups
        authenticatedAt = access.authenticatedAt
        self.person = person
        issuedAt = access.issuedAt.flatMap { moment in person.issuedAt.map { other in min(moment, other) } }
        let levels = [access.acr, person.acr].map { level in level.map { level in Array(level.utf8) } }
        acr = levels[0] == levels[1] && access.authenticatedAt == person.authenticatedAt ? access.acr : nil
        amr = acr == nil ? [] : Array(access.amr.prefix(16))
    }

    /// A claim of the ID token's that is text, or a whole number.
    func claim(_ name: String) -> String? {
        person.text(name)
    }

    /// What a message to the root side says of the proof.
    func addProof(to writer: inout FrameWriter) {
        if let authenticatedAt {
            writer.add(.authenticatedAt, authenticatedAt)
        }
        writer.add(.acr, ifPresent: acr.map { level in Array(level.utf8) })
        for method in amr {
            writer.add(.amr, Array(method.utf8))
        }
    }

    private static func otherIdentity(
        _ identity: ExpectedIdentity, _ userName: String, _ address: String?
    ) -> StepFailure {
        let expected = identity.rule == .userName ? identity.userName : identity.loginName
        let found = identity.rule == .userName ? userName : address
        let spellings = found.map { found in
            "the pool has \(quoted(found)), and this machine wants \(quoted(String(decoding: expected, as: UTF8.self)))"
        }
        let differsInCase = found.map { found in found.utf8.equalsIgnoringCase(expected) } ?? false
        let sentence =
            switch (identity.rule, spellings) {
            case (.userName, let spellings?) where differsInCase:
                "Cognito's tokens are valid, but \(spellings): the pool ignores upper and lower case, and accounts are exact. Give both "
                    + "one spelling: rename the account (usermod -l), or make the user in the pool anew."
            case (.verifiedEmail, let spellings?) where differsInCase:
                "Cognito's tokens are valid, but \(spellings): upper and lower case count in what is before the @. Give both one "
                    + "spelling: change the address in the pool, or rename the account (usermod -l)."
            case (.userName, let spellings?):
                "Cognito's tokens are valid, but their user name is not exactly that of the account: \(spellings). If the pool's "
                    + "users sign in by e-mail, set \"username_template\"."
            case (.verifiedEmail, let spellings?):
                "Cognito's tokens are valid, but their verified e-mail address is not the one signed in with: \(spellings)."
            case (_, nil):
                "Cognito's tokens are valid, but they carry no verified e-mail address. Check that the address is verified in "
                    + "the pool and that the app client may read it."
            }
        return StepFailure(.otherIdentity, sentence)
    }

    /// A name as the log can show it.
    private static func quoted(_ name: String) -> String {
        "'\(name.printableASCII(limit: 128))'"
    }

    private static var keyMissing: String {
        "\"key_set_file\" lacks that key: it is older than the key, or another pool's. Replace it by the pool's key set of today."
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
                guard let newer = try keys.newerKeys() else {
                    throw StepFailure(.unknownKey, token: name).adding(keys.isFixed ? Self.keyMissing : nil)
                }
                keySet = newer
            } catch {
                // What was kept may have been spoilt by whoever kept it.
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
