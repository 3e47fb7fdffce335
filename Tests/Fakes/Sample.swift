import Base
import Configuration
import Keyring
import Protocol

@testable import Sessions

/// One entry of the registry, as tests write it.
struct Sample {
    var state = SessionState.open
    var host: Int32 = 300
    var parent: Int32?
    var inContainer = false
    var pool = "eu-west-1_AbCdEf123"
    var created: Int64 = 4_940_000
    var expires: Int64 = 1_800_100_000
    var user = "alice"
    var signOut = SignOutMode.global
    var delivered = true
    var attempts: UInt8 = 0
    var nextAttempt: Int64 = 0
    var tokenKey: Int32 = 600
    var bundle = Array(Secrets.bundle.utf8)
    var sessionBundle: [UInt8]?
    var endpoint: [UInt8]?
    var caFile: [UInt8]?
    var workerOptions: [UInt8] = []
    var accessTokenExpiry: Int64 = 1_800_003_600
    var renewed: Int64 = 4_000_000
    var loginName = "alice@example.com"
    var identity = IdentityRule.userName
    var withholdsRefreshToken = false
    var isShared = false
    var checked: Int64 = 0
    var terminal = ""
    var warned: Int64 = 0
    var closed: Int64 = 0
    var place: Int64?
    var wasRevoked = false
    var isSignedOut = false
    var ranOut = false
    var endTold = false
    var tokenKeyIsStale = false

    func entry(_ machine: FakeMachine) -> RegistryEntry? {
        guard let bundle = secret(bundle) else {
            return nil
        }
        var entry = RegistryEntry(
            state: state, host: ProcessIdentity(id: host, startTime: 7),
            pidNamespace: inContainer ? PIDNamespace(inode: 77) : machine.pidNamespace,
            created: Instant(milliseconds: created), expires: expires, service: Array("sshd".utf8),
            remoteHost: Array("203.0.113.7".utf8), user: Array(user.utf8), signOut: signOut,
            userPoolID: Array(pool.utf8), clientID: Array("1example23456789".utf8),
            configuration: Array("/etc/security/pam_cognito.conf".utf8), accessTokenExpiry: accessTokenExpiry,
            renewed: Instant(milliseconds: renewed), loginName: Array(loginName.utf8), identity: identity,
            bundle: bundle)
        entry.parent = parent.map { id in ProcessIdentity(id: id, startTime: 6) }
        entry.terminal = Array(terminal.utf8)
        entry.delivered = delivered
        entry.endpoint = endpoint
        entry.caFile = caFile
        entry.workerOptions = workerOptions
        entry.tokenKey = tokenKey
        entry.withholdsRefreshToken = withholdsRefreshToken
        entry.isShared = isShared
        entry.checked = Instant(milliseconds: checked)
        entry.warned = Instant(milliseconds: warned)
        entry.closed = Instant(milliseconds: closed)
        entry.place = place
        entry.wasRevoked = wasRevoked
        entry.isSignedOut = isSignedOut
        entry.ranOut = ranOut
        entry.endTold = endTold
        entry.tokenKeyIsStale = tokenKeyIsStale
        entry.attempts = attempts
        entry.nextAttempt = Instant(milliseconds: nextAttempt)
        entry.sessionBundle = sessionBundle.flatMap { bytes in secret(bytes) }
        return entry
    }

    func payload(_ machine: FakeMachine = FakeMachine()) -> [UInt8] {
        guard var entry = entry(machine), let encoded = entry.encode() else {
            return []
        }
        return encoded.withBytes { bytes in bytes.copied() }
    }

    func add(to machine: FakeMachine) -> RootKey {
        machine.registry.add(payload(machine), seconds: 1, of: Array(user.utf8))
    }
}

extension [UInt8] {
    /// Copies of an entry, in each of which one byte is another.
    var changedByteByByte: [[UInt8]] {
        indices.flatMap { offset in
            [0, 1, 0x7f, 0x80, 0xff, self[offset] ^ 1].map { value in
                var changed = self
                changed[offset] = value
                return changed
            }
        }
    }
}

/// Bytes from hexadecimal digits, whatever stands between those.
func bytes(_ digits: String) -> [UInt8] {
    let values = digits.compactMap(\.hexDigitValue).map { value in UInt8(value) }
    return stride(from: 0, to: values.count - 1, by: 2).map { index in values[index] << 4 | values[index + 1] }
}
