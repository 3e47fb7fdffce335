package import Base
package import Configuration
import Keyring
package import Protocol

/// Where a session of the registry stands.
package enum SessionState: UInt8, Sendable {
    /// Tokens exist, no session has them yet.
    case pending = 1
    /// Delivered.
    case open = 2
    /// Ended here; Cognito has not said yes yet.
    case closing = 3
    /// Needed by one step alone, such as a password change: never delivered, and ended with the step.
    case held = 4
}

/// One session as the registry has it: everything that its end needs, wherever and by whomever that is carried out.
package struct RegistryEntry: ~Copyable {
    /// Where it stands.
    package var state: SessionState
    /// The process that hosts it: while that lives, only it may end the session.
    package var host: ProcessIdentity
    /// While it is pending, who may take it over: the parent of a host that runs the same program, as sshd's monitor is of the
    /// process that asks for the password. It comes for the entry when that one is gone.
    package var parent: ProcessIdentity?
    /// Whose process id that is.
    package var pidNamespace: PIDNamespace
    /// When tokens came to be.
    package var created: Instant
    /// When the refresh token ends by itself, in seconds since the epoch.
    package var expires: Int64
    /// PAM_SERVICE.
    package var service: [UInt8]
    /// PAM_RHOST.
    package var remoteHost: [UInt8]
    /// PAM_TTY.
    package var terminal: [UInt8] = []
    /// The account that was authenticated.
    package var user: [UInt8]
    /// What happens at the end.
    package var signOut: SignOutMode
    /// Whether tokens were ever in the session's reach. Only then is the end global.
    package var delivered: Bool
    /// Where the tokens come from, and where sign-out goes: not what the configuration says by then.
    package var userPoolID: [UInt8]
    /// The app client's id.
    package var clientID: [UInt8]
    /// An endpoint other than the pool's own.
    package var endpoint: [UInt8]?
    /// A file of CA certificates other than the system's.
    package var caFile: [UInt8]?
    /// The public keys of which Cognito must have one, and the proxy on the way there, as they were at sign-in.
    package var pinnedPublicKeys: [UInt8]?
    package var proxy: [UInt8]?
    /// The configuration file, for the client's secret.
    package var configuration: [UInt8]
    /// The session's token key, 0 before delivery.
    package var tokenKey: Int32
    /// When the newest access token ends, in seconds since the epoch.
    package var accessTokenExpiry: Int64
    /// When the tokens were last obtained or renewed.
    package var renewed: Instant
    /// The name that Cognito knows the person by, and how the tokens' person is recognised: for renewals.
    package var loginName: [UInt8]
    package var identity: IdentityRule
    /// Whether the session's own bundle lacks the refresh token.
    package var withholdsRefreshToken: Bool
    /// Whether the person's other sessions can read the tokens, too.
    package var isShared = false
    /// When Cognito was last asked whether it still stands, and answered; 0: never.
    package var checked = Instant(milliseconds: 0)
    /// When its person was told that it ends unless they type; 0: never.
    package var warned = Instant(milliseconds: 0)
    /// When its end began, by its host or while that lived; 0: not yet, or nobody knows.
    package var closed = Instant(milliseconds: 0)
    /// The session's place among the person's, when Cognito was last `checked`: see `Field.sessionPlace`; nil: it was not asked.
    package var place: Int64?
    /// Whether Cognito has said that its tokens were revoked.
    package var wasRevoked = false
    /// Whether its person is known to have been signed out, wherever the session's own end is noticed.
    package var isSignedOut = false
    /// How often its end was tried in vain.
    package var attempts: UInt8
    /// Before when it need not be tried again; 0: at once.
    package var nextAttempt: Instant
    /// The newest tokens.
    package var bundle: Secret
    /// What the session may see of them, where that is less.
    package var sessionBundle: Secret?

    /// An entry by its parts.
    package init(
        state: SessionState,
        host: ProcessIdentity,
        parent: ProcessIdentity? = nil,
        pidNamespace: PIDNamespace,
        created: Instant,
        expires: Int64,
        service: [UInt8],
        remoteHost: [UInt8],
        terminal: [UInt8] = [],
        user: [UInt8],
        signOut: SignOutMode,
        delivered: Bool,
        userPoolID: [UInt8],
        clientID: [UInt8],
        endpoint: [UInt8]? = nil,
        caFile: [UInt8]? = nil,
        pinnedPublicKeys: [UInt8]? = nil,
        proxy: [UInt8]? = nil,
        configuration: [UInt8],
        tokenKey: Int32,
        accessTokenExpiry: Int64,
        renewed: Instant,
        loginName: [UInt8],
        identity: IdentityRule,
        withholdsRefreshToken: Bool,
        isShared: Bool = false,
        checked: Instant = Instant(milliseconds: 0),
        warned: Instant = Instant(milliseconds: 0),
        closed: Instant = Instant(milliseconds: 0),
        place: Int64? = nil,
        wasRevoked: Bool = false,
        isSignedOut: Bool = false,
        attempts: UInt8,
        nextAttempt: Instant,
        bundle: consuming Secret,
        sessionBundle: consuming Secret? = nil
    ) {
        self.state = state
        self.host = host
        self.parent = parent
        self.pidNamespace = pidNamespace
        self.created = created
        self.expires = expires
        self.service = service
        self.remoteHost = remoteHost
        self.terminal = terminal
        self.user = user
        self.signOut = signOut
        self.delivered = delivered
        self.userPoolID = userPoolID
        self.clientID = clientID
        self.endpoint = endpoint
        self.caFile = caFile
        self.pinnedPublicKeys = pinnedPublicKeys
        self.proxy = proxy
        self.configuration = configuration
        self.tokenKey = tokenKey
        self.accessTokenExpiry = accessTokenExpiry
        self.renewed = renewed
        self.loginName = loginName
        self.identity = identity
        self.withholdsRefreshToken = withholdsRefreshToken
        self.isShared = isShared
        self.checked = checked
        self.warned = warned
        self.closed = closed
        self.place = place
        self.wasRevoked = wasRevoked
        self.isSignedOut = isSignedOut
        self.attempts = attempts
        self.nextAttempt = nextAttempt
        self.bundle = bundle
        self.sessionBundle = sessionBundle
    }
}

extension RegistryEntry {
    private static let version: UInt8 = 1
    /// The end of the year 9999 in seconds, and the same number of seconds after boot in milliseconds: no time that was entered is
    /// later. One that is, which only root could have forged, counts as this, so that sums with it do not overflow, and what
    /// its entry has is ended all the same.
    private static let latestSecond: UInt64 = 253_402_300_799
    private static let latestMillisecond: UInt64 = 253_402_300_799_000

    private enum Tag: UInt8 {
        case state = 1
        case hostID, hostStart, pidNamespace, created, expires, service, remoteHost, user, signOut, delivered
        case userPoolID, clientID, endpoint, caFile, configuration, tokenKey, attempts, bundle, sessionBundle
        case accessTokenExpiry, renewed, loginName, identity, withholdsRefreshToken, nextAttempt, isShared, checked
        case terminal, warned, pinnedPublicKeys, proxy
        case closed = 40
        case parentID = 41
        case parentStart = 42
        case place = 46
        case revocation = 47
    }

    /// The entry as a key's payload; nil when it is larger than a key may be.
    package borrowing func encode() -> Secret? {
        guard var payload = Secret(capacity: largestPayload), payload.append(Self.version) else {
            return nil
        }
        var fits = true
        func add(_ tag: Tag, _ bytes: [UInt8], to payload: inout Secret) {
            fits = fits && payload.append(Self.header(tag, bytes.count)) && payload.append(bytes)
        }
        add(.state, [state.rawValue], to: &payload)
        add(.hostID, Self.bytes(UInt64(UInt32(bitPattern: host.id))), to: &payload)
        add(.hostStart, Self.bytes(host.startTime), to: &payload)
        if let parent {
            add(.parentID, Self.bytes(UInt64(UInt32(bitPattern: parent.id))), to: &payload)
            add(.parentStart, Self.bytes(parent.startTime), to: &payload)
        }
        add(.pidNamespace, Self.bytes(pidNamespace.inode), to: &payload)
        add(.created, Self.bytes(UInt64(bitPattern: created.milliseconds)), to: &payload)
        add(.expires, Self.bytes(UInt64(bitPattern: expires)), to: &payload)
        add(.service, service, to: &payload)
        add(.remoteHost, remoteHost, to: &payload)
        if !terminal.isEmpty {
            add(.terminal, terminal, to: &payload)
        }
        add(.user, user, to: &payload)
        add(.signOut, [signOut.rawValue], to: &payload)
        add(.delivered, [delivered ? 1 : 0], to: &payload)
        add(.userPoolID, userPoolID, to: &payload)
        add(.clientID, clientID, to: &payload)
        if let endpoint {
            add(.endpoint, endpoint, to: &payload)
        }
        if let caFile {
            add(.caFile, caFile, to: &payload)
        }
        if let pinnedPublicKeys {
            add(.pinnedPublicKeys, pinnedPublicKeys, to: &payload)
        }
        if let proxy {
            add(.proxy, proxy, to: &payload)
        }
        add(.configuration, configuration, to: &payload)
        add(.tokenKey, Self.bytes(UInt64(UInt32(bitPattern: tokenKey))), to: &payload)
        add(.accessTokenExpiry, Self.bytes(UInt64(bitPattern: accessTokenExpiry)), to: &payload)
        add(.renewed, Self.bytes(UInt64(bitPattern: renewed.milliseconds)), to: &payload)
        add(.loginName, loginName, to: &payload)
        add(.identity, [identity.rawValue], to: &payload)
        add(.withholdsRefreshToken, [withholdsRefreshToken ? 1 : 0], to: &payload)
        if isShared {
            add(.isShared, [1], to: &payload)
        }
        if checked.milliseconds > 0 {
            add(.checked, Self.bytes(UInt64(bitPattern: checked.milliseconds)), to: &payload)
        }
        if warned.milliseconds > 0 {
            add(.warned, Self.bytes(UInt64(bitPattern: warned.milliseconds)), to: &payload)
        }
        if closed.milliseconds > 0 {
            add(.closed, Self.bytes(UInt64(bitPattern: closed.milliseconds)), to: &payload)
        }
        if let place {
            add(.place, Self.bytes(UInt64(bitPattern: place)), to: &payload)
        }
        if wasRevoked || isSignedOut {
            add(.revocation, [(wasRevoked ? 1 : 0) | (isSignedOut ? 2 : 0)], to: &payload)
        }
        add(.attempts, [attempts], to: &payload)
        if nextAttempt.milliseconds > 0 {
            add(.nextAttempt, Self.bytes(UInt64(bitPattern: nextAttempt.milliseconds)), to: &payload)
        }
        fits = fits && payload.append(Self.header(.bundle, bundle.count))
        fits = bundle.withBytes { bytes in payload.append(bytes) } && fits
        if let extra = sessionBundle?.duplicate() {
            fits = fits && payload.append(Self.header(.sessionBundle, extra.count))
            fits = extra.withBytes { bytes in payload.append(bytes) } && fits
        }
        guard fits else {
            return nil
        }
        return payload
    }

    /// Reads an entry; nil for anything that is not exactly one.
    package static func decode(_ payload: borrowing Secret) -> RegistryEntry? {
        payload.withBytes { bytes in parse(bytes) }
    }

    /// Whether the entry was written in this version's form, whole or not.
    package static func isOfThisVersion(_ payload: borrowing Secret) -> Bool {
        payload.withBytes { bytes in bytes.byte(at: 0) == version || bytes.byteCount == 0 }
    }

    private static func parse(_ bytes: RawSpan) -> RegistryEntry? {
        guard bytes.byte(at: 0) == version else {
            return nil
        }
        // By their tags' numbers, of which any has its place: the reaper reads thousands of entries.
        var plain = [[UInt8]?](repeating: nil, count: Int(UInt8.max) + 1)
        var bundle: Secret?
        var sessionBundle: Secret?
        var offset = 1
        while offset < bytes.byteCount {
            guard let code = bytes.byte(at: offset) else {
                return nil
            }
            guard let first = bytes.byte(at: offset + 1), let second = bytes.byte(at: offset + 2),
                let third = bytes.byte(at: offset + 3), let fourth = bytes.byte(at: offset + 4)
            else {
                return nil
            }
            let length = Int(first) << 24 | Int(second) << 16 | Int(third) << 8 | Int(fourth)
            let start = offset + 5
            guard length <= bytes.byteCount - start else {
                return nil
            }
            let value = bytes.extracting(start..<(start + length))
            switch Tag(rawValue: code) {
            case .bundle?: bundle = Secret(copying: value)
            case .sessionBundle?: sessionBundle = Secret(copying: value)
            case let tag?: plain[Int(tag.rawValue)] = plain[Int(tag.rawValue)] ?? value.copied()
            // What a module that came later adds must not keep an older one from ending the session.
            case nil: break
            }
            offset = start + length
        }
        func value(_ tag: Tag) -> [UInt8]? {
            plain[Int(tag.rawValue)]
        }
        func number(_ tag: Tag) -> UInt64? {
            guard let bytes = value(tag), bytes.count == 8 else {
                return nil
            }
            return unsafe bytes.withUnsafeBytes { bytes in
                unsafe UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
            }
        }
        let parent = number(.parentID).map { id in
            ProcessIdentity(id: Int32(truncatingIfNeeded: id), startTime: number(.parentStart) ?? 0)
        }
        let revocation = value(.revocation)?.first ?? 0
        let nextAttempt = number(.nextAttempt) ?? 0
        let checked = number(.checked) ?? 0
        let warned = number(.warned) ?? 0
        let closed = number(.closed) ?? 0
        guard let state = value(.state)?.first.flatMap({ code in SessionState(rawValue: code) }),
            let hostID = number(.hostID), let hostStart = number(.hostStart),
            let namespace = number(.pidNamespace), let created = number(.created), let expires = number(.expires),
            let service = value(.service), let remoteHost = value(.remoteHost), let user = value(.user),
            let signOut = value(.signOut)?.first.flatMap({ code in SignOutMode(rawValue: code) }),
            let delivered = value(.delivered)?.first, let userPoolID = value(.userPoolID),
            let clientID = value(.clientID), let configuration = value(.configuration),
            let tokenKey = number(.tokenKey), let attempts = value(.attempts)?.first, let bundle,
            let accessTokenExpiry = number(.accessTokenExpiry), let renewed = number(.renewed),
            let loginName = value(.loginName),
            let identity = value(.identity)?.first.flatMap({ code in IdentityRule(rawValue: code) }),
            let withholds = value(.withholdsRefreshToken)?.first,
            // What is negative is no time.
            created <= UInt64(Int64.max), expires <= UInt64(Int64.max), accessTokenExpiry <= UInt64(Int64.max),
            renewed <= UInt64(Int64.max), nextAttempt <= UInt64(Int64.max),
            checked <= UInt64(Int64.max), warned <= UInt64(Int64.max), closed <= UInt64(Int64.max)
        else {
            return nil
        }
        func second(_ number: UInt64) -> Int64 {
            Int64(min(number, latestSecond))
        }
        func moment(_ number: UInt64) -> Instant {
            Instant(milliseconds: Int64(min(number, latestMillisecond)))
        }
        return RegistryEntry(
            state: state,
            host: ProcessIdentity(id: Int32(truncatingIfNeeded: hostID), startTime: hostStart),
            parent: parent,
            pidNamespace: PIDNamespace(inode: namespace),
            created: moment(created),
            expires: second(expires),
            service: service,
            remoteHost: remoteHost,
            terminal: value(.terminal) ?? [],
            user: user,
            signOut: signOut,
            delivered: delivered == 1,
            userPoolID: userPoolID,
            clientID: clientID,
            endpoint: value(.endpoint),
            caFile: value(.caFile),
            pinnedPublicKeys: value(.pinnedPublicKeys),
            proxy: value(.proxy),
            configuration: configuration,
            tokenKey: Int32(truncatingIfNeeded: tokenKey),
            accessTokenExpiry: second(accessTokenExpiry),
            renewed: moment(renewed),
            loginName: loginName,
            identity: identity,
            withholdsRefreshToken: withholds == 1,
            isShared: value(.isShared)?.first == 1,
            checked: moment(checked),
            warned: moment(warned),
            closed: moment(closed),
            place: number(.place).flatMap { place in Int64(exactly: place) },
            wasRevoked: revocation & 1 != 0,
            isSignedOut: revocation & 2 != 0,
            attempts: attempts,
            nextAttempt: moment(nextAttempt),
            bundle: bundle,
            sessionBundle: sessionBundle
        )
    }

    private static func header(_ tag: Tag, _ length: Int) -> [UInt8] {
        [tag.rawValue] + bytes(UInt64(UInt32(truncatingIfNeeded: length))).suffix(4)
    }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        stride(from: UInt64(56), through: 0, by: -8).map { shift in UInt8(truncatingIfNeeded: number >> shift) }
    }
}
