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
    case temporary = 4
}

/// One session as the registry has it: everything that its end needs, wherever and by whomever that is carried out.
package struct RegistryEntry: ~Copyable {
    package var state: SessionState
    /// The process that hosts it: while that lives, only it may end the session.
    package var host: ProcessIdentity
    /// While it is pending, who may take it over: the parent of a host that runs the same program, as sshd's monitor is
    /// of the process that asks for the password. It comes for the entry when that one is gone.
    package var parent: ProcessIdentity?
    /// The PID namespace of `host.id`.
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
    package var delivered = false
    /// Where the tokens come from, and where sign-out goes: not what the configuration says by then.
    package var userPoolID: [UInt8]
    package var clientID: [UInt8]
    /// Endpoints other than the pool's own, separated by blanks.
    package var endpoint: [UInt8]?
    /// A file of CA certificates other than the system's.
    package var caFile: [UInt8]?
    /// What the worker obeyed at sign-in, see `Settings.workerOptions`.
    package var workerOptions: [UInt8] = []
    /// The configuration file, for the client's secret.
    package var configuration: [UInt8]
    /// The session's token key, 0 before delivery.
    package var tokenKey: Int32 = 0
    /// When the newest access token ends, or its ID token where that ends sooner, in seconds since the epoch.
    package var accessTokenExpiry: Int64
    /// When the tokens were last obtained or renewed.
    package var renewed: Instant
    /// The user's name at Cognito, which also identifies the tokens' user: for renewals. For a user of an external
    /// identity provider, it is the pool's own name for them. The tokens of a session always belong to the user of its
    /// sign-in.
    package var loginName: [UInt8]
    package var identity: IdentityRule
    /// Whether the session's own bundle lacks the refresh token.
    package var withholdsRefreshToken = false
    /// Whether the person's other sessions can read the tokens, too.
    package var isShared = false
    /// When Cognito was last asked whether it still stands, and answered; 0: never.
    package var checked = Instant(milliseconds: 0)
    /// When its person was told that it ends unless they type; 0: never.
    package var warned = Instant(milliseconds: 0)
    /// Since when its session may not read its tokens; 0: it may.
    package var locked = Instant(milliseconds: 0)
    /// When its person last proved that it is them who is there, and had them unlocked; 0: never.
    package var unlocked = Instant(milliseconds: 0)
    /// The copy of the token key for jobs that go on while it is locked; 0: there is none.
    package var keptKey: Int32 = 0
    /// The time when its end began, by its application or while that lived; 0: not yet, or unknown.
    package var closed = Instant(milliseconds: 0)
    /// The session's place among the person's, when Cognito was last `checked`: see `Field.sessionPlace`; nil: it was
    /// not asked.
    package var place: Int64?
    /// Whether Cognito has said that its tokens were revoked.
    package var wasRevoked = false
    /// Whether Cognito has said that the refresh token has expired by itself.
    package var ranOut = false
    /// Whether its person was told that it is about to.
    package var endTold = false
    /// Whether its person is known to have been signed out, wherever the session's own end is noticed.
    package var isSignedOut = false
    /// Whether the session's key has older tokens than this.
    package var tokenKeyIsStale = false
    /// How often its end was tried in vain.
    package var attempts: UInt8 = 0
    /// Before when it need not be tried again; 0: at once.
    package var nextAttempt = Instant(milliseconds: 0)
    package var bundle: Secret
    /// What the session may see of them, where that is less.
    package var sessionBundle: Secret?
}

extension RegistryEntry {
    /// Whether tokens of `name` can be this session's, as far as names tell. A worker has verified the rest.
    package borrowing func isTheirs(_ name: [UInt8]) -> Bool {
        switch identity {
        case .userName: name == user
        case .verifiedEmail: true
        case .federated: name == loginName
        }
    }

    /// Whether it is of that user of that pool: an account may have one of the pool's own, and one of an identity
    /// provider.
    package borrowing func isOf(_ pool: [UInt8], _ name: [UInt8], _ rule: IdentityRule) -> Bool {
        guard identity == .federated || rule == .federated else {
            return userPoolID == pool
        }
        return userPoolID == pool && identity == rule && loginName == name
    }

    /// The description of the session's token key.
    package var keyDescription: [UInt8] { TokenKey.description(userPoolID: userPoolID, clientID: clientID) }
}

extension RegistryEntry {
    private static let version: UInt8 = 1
    private enum Tag: UInt8 {
        case state = 1
        case hostID, hostStart, pidNamespace, created, expires, service, remoteHost, user, signOut, delivered
        case userPoolID, clientID, endpoint, caFile, configuration, tokenKey, attempts, bundle, sessionBundle
        case accessTokenExpiry, renewed, loginName, identity, withholdsRefreshToken, nextAttempt, isShared, checked
        // 31 and 32 were used before version 0.1.0.
        case terminal, warned
        case closed = 40
        case parentID = 41
        case parentStart = 42
        case place = 46
        case revocation = 47
        case workerOptions = 50
        case locked = 51
        case unlocked = 52
        case keptKey = 53
        case isFederated = 54
    }

    /// All of it that is not secret.
    private mutating func code(_ coder: inout some RecordCoder<Tag>) {
        coder.require(.state, &state)
        coder.require(.hostID, .hostStart, &host)
        let parentID = coder.number(.parentID, parent.map { parent in UInt64(UInt32(bitPattern: parent.id)) })
        let parentStart = coder.number(.parentStart, parent?.startTime)
        parent = parentID.map { id in
            ProcessIdentity(id: Int32(truncatingIfNeeded: id), startTime: parentStart ?? 0)
        }
        var inode = pidNamespace.inode
        coder.require(.pidNamespace, &inode)
        pidNamespace = PIDNamespace(inode: inode)
        coder.require(.created, &created)
        coder.require(.expires, &expires)
        coder.require(.service, &service)
        coder.require(.remoteHost, &remoteHost)
        terminal = coder.bytes(.terminal, terminal.isEmpty ? nil : terminal) ?? []
        coder.require(.user, &user)
        coder.require(.signOut, &signOut)
        coder.require(.delivered, &delivered)
        coder.require(.userPoolID, &userPoolID)
        coder.require(.clientID, &clientID)
        endpoint = coder.bytes(.endpoint, endpoint)
        caFile = coder.bytes(.caFile, caFile)
        workerOptions = coder.bytes(.workerOptions, workerOptions.isEmpty ? nil : workerOptions) ?? []
        coder.require(.configuration, &configuration)
        var key = UInt64(UInt32(bitPattern: tokenKey))
        coder.require(.tokenKey, &key)
        tokenKey = Int32(truncatingIfNeeded: key)
        coder.require(.accessTokenExpiry, &accessTokenExpiry)
        coder.require(.renewed, &renewed)
        coder.require(.loginName, &loginName)
        // Version 0.1.0 knows two rules. By this one it ends such a session, and renews none: no address is such a
        // name.
        var rule = identity == .federated ? .verifiedEmail : identity
        coder.require(.identity, &rule)
        identity = coder.code(.isFederated, identity == .federated ? 1 : nil) == 1 ? .federated : rule
        coder.require(.withholdsRefreshToken, &withholdsRefreshToken)
        isShared = coder.code(.isShared, isShared ? 1 : nil) == 1
        coder.code(.checked, ifAny: &checked)
        coder.code(.warned, ifAny: &warned)
        coder.code(.locked, ifAny: &locked)
        coder.code(.unlocked, ifAny: &unlocked)
        let kept = coder.number(.keptKey, keptKey > 0 ? UInt64(UInt32(bitPattern: keptKey)) : nil) ?? 0
        keptKey = Int32(truncatingIfNeeded: kept)
        coder.code(.closed, &closed)
        place = coder.number(.place, place.map { place in UInt64(bitPattern: place) })
            .flatMap { place in Int64(exactly: place) }
        let flags: UInt8 =
            (wasRevoked ? 1 : 0) | (isSignedOut ? 2 : 0) | (ranOut ? 4 : 0) | (endTold ? 8 : 0)
            | (tokenKeyIsStale ? 16 : 0)
        let revocation = coder.code(.revocation, flags) ?? 0
        wasRevoked = revocation & 1 != 0
        isSignedOut = revocation & 2 != 0
        ranOut = revocation & 4 != 0
        endTold = revocation & 8 != 0
        tokenKeyIsStale = revocation & 16 != 0
        coder.require(.attempts, &attempts)
        coder.code(.nextAttempt, &nextAttempt)
    }

    /// The entry as a key's payload; nil when it is larger than a key may be, or has no tokens.
    package mutating func encode() -> Secret? {
        var writer = RecordWriter<Tag>()
        code(&writer)
        guard var payload = Secret(capacity: largestPayload) else {
            return nil
        }
        var fits = writer.isWhole && payload.append(Self.version) && payload.append(writer.bytes)
        // What was only looked at is not all of it.
        fits = fits && bundle.count > 0
        fits = bundle.withBytes { bytes in payload.append(Tag.bundle.rawValue, bytes) } && fits
        if let extra = sessionBundle?.duplicate() {
            fits = extra.withBytes { bytes in payload.append(Tag.sessionBundle.rawValue, bytes) } && fits
        }
        guard fits else {
            return nil
        }
        return payload
    }

    /// Reads an entry; nil for anything that is not exactly one.
    package static func decode(_ payload: borrowing Secret) -> RegistryEntry? {
        payload.withBytes { bytes in parse(bytes, withTokens: true) }
    }

    /// The same without the tokens, for reading many entries without writing any.
    package static func decodeMetadata(_ payload: borrowing Secret) -> RegistryEntry? {
        payload.withBytes { bytes in parse(bytes, withTokens: false) }
    }

    /// Whether the entry was written in this version's form, whole or not.
    package static func isOfThisVersion(_ payload: borrowing Secret) -> Bool {
        payload.withBytes { bytes in bytes.byte(at: 0) == version || bytes.byteCount == 0 }
    }

    private static func parse(_ bytes: RawSpan, withTokens isWhole: Bool) -> RegistryEntry? {
        guard bytes.byte(at: 0) == version else {
            return nil
        }
        var reader = RecordReader<Tag>()
        var bundle: Secret?
        var sessionBundle: Secret?
        var offset = 1
        while offset < bytes.byteCount {
            guard let field = bytes.field(at: offset) else {
                return nil
            }
            let value = bytes.extracting(field.value)
            switch Tag(rawValue: field.tag) {
            case .bundle?: bundle = isWhole ? Secret(copying: value) : Secret(capacity: 0)
            case .sessionBundle?: sessionBundle = isWhole ? Secret(copying: value) : nil
            case let tag?: reader.add(tag, value)
            // What a module that came later adds must not keep an older one from ending the session.
            case nil: break
            }
            offset = field.value.upperBound
        }
        guard let bundle else {
            return nil
        }
        var entry = RegistryEntry(
            state: .pending, host: ProcessIdentity(id: 0, startTime: 0), pidNamespace: PIDNamespace(inode: 0),
            created: Instant(milliseconds: 0), expires: 0, service: [], remoteHost: [], user: [], signOut: .global,
            userPoolID: [], clientID: [], configuration: [], accessTokenExpiry: 0, renewed: Instant(milliseconds: 0),
            loginName: [], identity: .userName, bundle: bundle)
        entry.sessionBundle = sessionBundle
        entry.code(&reader)
        guard reader.isWhole else {
            return nil
        }
        return entry
    }
}

extension RecordCoder {
    fileprivate mutating func require(_ id: Key, _ startTime: Key, _ process: inout ProcessIdentity) {
        var number = UInt64(UInt32(bitPattern: process.id))
        var start = process.startTime
        require(id, &number)
        require(startTime, &start)
        process = ProcessIdentity(id: Int32(truncatingIfNeeded: number), startTime: start)
    }

    /// What is negative is no time, and none was entered that is later than `latest`: one that is, which only root
    /// could have forged, counts as that, so that sums with it do not overflow, and what its entry has is ended all the
    /// same.
    private mutating func time(_ value: UInt64, latest: UInt64) -> Int64 {
        if value > UInt64(Int64.max) {
            fail()
        }
        return Int64(min(value, latest))
    }

    /// Seconds since the epoch, until the end of the year 9999.
    fileprivate mutating func require(_ key: Key, _ seconds: inout Int64) {
        var value = UInt64(bitPattern: seconds)
        require(key, &value)
        seconds = time(value, latest: 253_402_300_799)
    }

    /// The same number of seconds after boot in milliseconds.
    fileprivate mutating func require(_ key: Key, _ moment: inout Instant) {
        var value = UInt64(bitPattern: moment.milliseconds)
        require(key, &value)
        moment = Instant(milliseconds: time(value, latest: 253_402_300_799_000))
    }

    /// What an end enters has its room from the beginning: root's key quota may be full by then, and would not take an
    /// entry that grows.
    fileprivate mutating func code(_ key: Key, _ moment: inout Instant) {
        let value = number(key, UInt64(max(0, moment.milliseconds))) ?? 0
        moment = Instant(milliseconds: time(value, latest: 253_402_300_799_000))
    }

    fileprivate mutating func code(_ key: Key, ifAny moment: inout Instant) {
        let value = moment.milliseconds > 0 ? UInt64(moment.milliseconds) : nil
        moment = Instant(milliseconds: time(number(key, value) ?? 0, latest: 253_402_300_799_000))
    }
}
