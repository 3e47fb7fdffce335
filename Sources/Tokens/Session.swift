package import Base

/// Why bytes are not a session's token bundle. Never says what was in them.
package enum SessionError: Error, Equatable, CustomStringConvertible {
    case notAnObject
    /// A member is not there.
    case missing(String)
    /// A member is there, but its value cannot be right.
    case malformed(String)
    /// More than a key of type `user` can hold.
    case tooLarge

    /// A sentence for the log.
    package var description: String {
        switch self {
        case .notAnObject: "The token bundle is not a JSON object."
        case .missing(let member): "The token bundle has no \"\(member)\" member."
        case .malformed(let member): "The \"\(member)\" member of the token bundle has an invalid value."
        case .tooLarge: "The token bundle is too large for a key (\(Session.largestSize) bytes)."
        }
    }
}

/// The treatment of a session's tokens at logout: the configuration's `sign_out`.
package enum SignOutPolicy: String, Sendable, CaseIterable {
    /// GlobalSignOut: all sessions of the person, everywhere.
    case global
    /// GlobalSignOut when the person's last session on this host ends.
    case last
    /// RevokeToken: this session only.
    case session
    /// Nothing: the tokens live until they expire.
    case none
}

/// What a login holds: tokens, whose they are, where they come from, how long they last.
///
/// In the keyring a session is one JSON object, a documented interface for `keyctl pipe` and `jq`:
///
/// | member | type | |
/// | --- | --- | --- |
/// | `token_type` | string | always `Bearer` |
/// | `access_token`, `id_token` | string | JSON Web Tokens, verified when they were obtained |
/// | `refresh_token` | string | absent where the configuration withholds it |
/// | `expires_at` | number | when the access token ends, seconds since the epoch |
/// | `refresh_token_expires_at` | number | when the refresh token ends, by the configured validity |
/// | `username` | string | the canonical name in the pool |
/// | `user_pool_id`, `client_id`, `region` | string | where the tokens come from |
/// | `signed_in_at`, `renewed_at` | number | seconds since the epoch; equal before the first renewal |
/// | `device_key` | string | of this host as the person's device; absent where the pool does not remember it |
/// | `sign_out` | string | what happens at logout: `global`, `last`, `session` or `none` |
///
/// Readers must ignore members that they do not know.
package struct Session: Sendable, Equatable {
    /// The limit of a key of type `user`: keyrings(7).
    package static let largestSize = 32_767

    package var accessToken: SecretValue
    package var idToken: SecretValue
    /// The refresh token; nil where this copy of the bundle does not have it.
    package var refreshToken: SecretValue?
    /// When the access token ends, in seconds since the epoch.
    package var accessTokenExpiry: Int64
    /// When the refresh token ends, in seconds since the epoch. Neither renewal nor rotation moves it: the life of all
    /// refresh tokens of a session is that of the first.
    package var refreshTokenExpiry: Int64
    /// The canonical name in the pool: the access token's `username`.
    package var userName: String
    /// The user pool's id, for example `eu-west-1_AbCdEf123`.
    package var userPoolID: String
    package var clientID: String
    package var region: String
    /// When the person signed in, in seconds since the epoch.
    package var signedInAt: Int64
    /// When the tokens were last renewed, in seconds since the epoch.
    package var renewedAt: Int64
    /// The treatment of the tokens at logout.
    package var signOut: SignOutPolicy
    /// The DeviceKey that the tokens belong to; nil where the pool does not remember this host.
    package var deviceKey: String?

    /// Makes a session from its parts.
    package init(
        accessToken: SecretValue, idToken: SecretValue, refreshToken: SecretValue?, accessTokenExpiry: Int64,
        refreshTokenExpiry: Int64, userName: String, userPoolID: String, clientID: String, region: String,
        signedInAt: Int64, renewedAt: Int64, signOut: SignOutPolicy, deviceKey: String? = nil
    ) {
        self.accessToken = accessToken
        self.idToken = idToken
        self.refreshToken = refreshToken
        self.accessTokenExpiry = accessTokenExpiry
        self.refreshTokenExpiry = refreshTokenExpiry
        self.userName = userName
        self.userPoolID = userPoolID
        self.clientID = clientID
        self.region = region
        self.signedInAt = signedInAt
        self.renewedAt = renewedAt
        self.signOut = signOut
        self.deviceKey = deviceKey
    }

    /// The same session as its processes may see it: without the refresh token.
    package var withoutRefreshToken: Session {
        var copy = self
        copy.refreshToken = nil
        return copy
    }
}

// MARK: - The JSON object

extension Session {
    private enum Member {
        static let tokenType = "token_type"
        static let accessToken = "access_token"
        static let idToken = "id_token"
        static let refreshToken = "refresh_token"
        static let accessTokenExpiry = "expires_at"
        static let refreshTokenExpiry = "refresh_token_expires_at"
        static let userName = "username"
        static let userPoolID = "user_pool_id"
        static let clientID = "client_id"
        static let region = "region"
        static let signedInAt = "signed_in_at"
        static let renewedAt = "renewed_at"
        static let signOut = "sign_out"
        static let deviceKey = "device_key"
    }

    private static let tokens: Set<String> = [Member.accessToken, Member.idToken, Member.refreshToken]

    /// Reads a token bundle, accepting nothing that `encoded()` would not have written, other members aside.
    package init(decoding bytes: RawSpan) throws(SessionError) {
        guard bytes.byteCount <= Self.largestSize else {
            throw .tooLarge
        }
        guard let object = JSONValue(parsing: bytes, secrets: Self.tokens), object.members != nil else {
            throw .notAnObject
        }
        guard try Self.value(object, Member.tokenType, \.text) == "Bearer" else {
            throw .malformed(Member.tokenType)
        }
        accessToken = try Self.value(object, Member.accessToken, \.secret)
        idToken = try Self.value(object, Member.idToken, \.secret)
        refreshToken =
            object[Member.refreshToken] == nil ? nil : try Self.value(object, Member.refreshToken, \.secret)
        accessTokenExpiry = try Self.value(object, Member.accessTokenExpiry, \.seconds)
        refreshTokenExpiry = try Self.value(object, Member.refreshTokenExpiry, \.seconds)
        userName = try Self.value(object, Member.userName, \.text)
        userPoolID = try Self.value(object, Member.userPoolID, \.text)
        clientID = try Self.value(object, Member.clientID, \.text)
        region = try Self.value(object, Member.region, \.text)
        signedInAt = try Self.value(object, Member.signedInAt, \.seconds)
        renewedAt = try Self.value(object, Member.renewedAt, \.seconds)
        guard let mode = SignOutPolicy(rawValue: try Self.value(object, Member.signOut, \.text)) else {
            throw .malformed(Member.signOut)
        }
        signOut = mode
        deviceKey = object[Member.deviceKey] == nil ? nil : try Self.value(object, Member.deviceKey, \.text)
        try check()
    }

    /// The token bundle as it goes into a key.
    package func encoded() throws(SessionError) -> Secret {
        // An invalid token set must not reach a key.
        try check()
        var members: [String: JSONValue] = [
            Member.tokenType: .string("Bearer"),
            Member.accessToken: .secret(accessToken),
            Member.idToken: .secret(idToken),
            Member.accessTokenExpiry: .integer(accessTokenExpiry),
            Member.refreshTokenExpiry: .integer(refreshTokenExpiry),
            Member.userName: .string(userName),
            Member.userPoolID: .string(userPoolID),
            Member.clientID: .string(clientID),
            Member.region: .string(region),
            Member.signedInAt: .integer(signedInAt),
            Member.renewedAt: .integer(renewedAt),
            Member.signOut: .string(signOut.rawValue),
        ]
        members[Member.refreshToken] = refreshToken.map(JSONValue.secret)
        members[Member.deviceKey] = deviceKey.map(JSONValue.string)
        guard let bundle = JSONValue.object(members).serializedSecret else {
            throw .notAnObject
        }
        guard bundle.count <= Self.largestSize else {
            throw .tooLarge
        }
        return bundle
    }

    private static func value<Value>(
        _ object: JSONValue, _ name: String, _ kind: (JSONValue) -> Value?
    ) throws(SessionError) -> Value {
        guard let value = object[name] else {
            throw .missing(name)
        }
        guard let value = kind(value) else {
            throw .malformed(name)
        }
        return value
    }

    /// Whether each value can be right.
    ///
    /// One call for each: of a loop over pairs the compiler makes now one machine code, now another.
    private func check() throws(SessionError) {
        try Self.check(Member.accessToken, Self.isToken(accessToken))
        try Self.check(Member.idToken, Self.isToken(idToken))
        try Self.check(Member.refreshToken, refreshToken.map(Self.isToken) ?? true)
        try Self.check(Member.userName, Self.isFit(userName))
        try Self.check(Member.userPoolID, Self.isFit(userPoolID))
        try Self.check(Member.clientID, Self.isFit(clientID))
        try Self.check(Member.region, Self.isFit(region) && userPoolID.utf8.starts(with: (region + "_").utf8))
        try Self.check(Member.deviceKey, deviceKey.map(Self.isFit) ?? true)
        try Self.check(Member.accessTokenExpiry, Self.isTime(accessTokenExpiry))
        try Self.check(Member.refreshTokenExpiry, Self.isTime(refreshTokenExpiry))
        try Self.check(Member.signedInAt, Self.isTime(signedInAt))
        try Self.check(Member.renewedAt, Self.isTime(renewedAt))
    }

    private static func check(_ name: String, _ isGood: Bool) throws(SessionError) {
        guard isGood else {
            throw .malformed(name)
        }
    }

    /// Whether `time` is one between 1970 and 9999.
    private static func isTime(_ time: Int64) -> Bool {
        (1...253_402_300_799).contains(time)
    }

    private static func isFit(_ text: String) -> Bool {
        (1...256).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { scalar in scalar.value >= 0x20 && scalar.value != 0x7f }
    }

    /// Whether `token` has the characters of a bearer token (RFC 6750 section 2.1), and some.
    private static func isToken(_ token: SecretValue) -> Bool {
        token.count > 0
            && token.allSatisfy { byte in byte.isAlphanumericASCII(or: "-._~+/=") }
    }
}
