internal import Base
internal import Commands
internal import Keyring

struct KeyringFacts: Equatable, Sendable {
    /// The error of keyctl(2) or add_key(2), which fail whatever they are asked for, or of reading the registry of
    /// sessions.
    enum KeyringFault: Equatable, Sendable {
        case refused(Int32)
        case unreadable(Int32)
    }

    var fault: KeyringFault?
    /// kernel.keys.root_maxkeys and kernel.keys.root_maxbytes; nil where they cannot be read.
    var mostKeys: Int?
    var mostBytes: Int?
    /// Root's keys now, and their bytes (/proc/key-users).
    var keys: Int
    var bytes: Int

    /// What a session takes of root's quota: its token key, its secret, and its entry in the registry, which holds the
    /// tokens once more.
    private static let keysPerSession = 5
    private static let bytesPerSession = 12_000
    /// Fewer sessions than that are soon used up: it is the most that one user may have.
    private static let fewSessions = 50

    /// How many more sessions there is room for; nil where the kernel does not say.
    var sessionsLeft: Int? {
        let byKeys = mostKeys.map { most in max(0, most - keys) / Self.keysPerSession }
        let byBytes = mostBytes.map { most in max(0, most - bytes) / Self.bytesPerSession }
        return [byKeys, byBytes].compactMap(\.self).min()
    }

    var summary: String {
        sessionsLeft.map { count in "root's key quota has room for \(count) more sessions" }
            ?? "the kernel supports keyrings"
    }

    static let forbiddenFix = allowCalls("keyctl, add_key")

    @CheckList var findings: [Check] {
        switch fault {
        case .refused(let error)?:
            Check(
                .keyringsForbidden, .broken, "keyrings(7) calls are not permitted (errno \(error)).",
                why: "Tokens are kept only in kernel keyrings. Without keyrings, all sign-ins with Cognito are "
                    + "refused.",
                fix: Self.forbiddenFix)
        case .unreadable(let error)?:
            Check(
                .registryUnreadable, .broken,
                "The registry of sessions in root's user keyring cannot be read (errno \(error)).",
                why: "Without the registry, all sign-ins with Cognito are refused, and tokens of ended sessions are "
                    + "not revoked.",
                fix: "keyctl show @u   # pam-cognito:sessions must belong to root; unlink keys of other programs")
        case nil:
            if let left = sessionsLeft, left < Self.fewSessions {
                let moreKeys = Self.raised(mostKeys, used: keys, usual: 1_000_000)
                let moreBytes = Self.raised(mostBytes, used: bytes, usual: 25_000_000)
                Check(
                    .fewKeys, left == 0 ? .broken : .warning,
                    "Root's key quota (kernel.keys.root_maxkeys \(mostKeys ?? 0), root_maxbytes \(mostBytes ?? 0)) "
                        + "has room for \(left) more sessions.",
                    why: "When root's key quota is exhausted, sign-ins with Cognito are refused.",
                    fix: "printf 'kernel.keys.root_maxkeys = \(moreKeys)\\nkernel.keys.root_maxbytes = \(moreBytes)\\n'"
                        + " > /etc/sysctl.d/60-keys.conf && sysctl -p /etc/sysctl.d/60-keys.conf")
            }
        }
    }

    /// Twice of what is set or used, and no less than the kernel's default.
    private static func raised(_ most: Int?, used: Int, usual: Int) -> Int {
        min(Int(Int32.max), max(usual, 2 * max(most ?? 0, used)))
    }
}

/// Root's line of /proc/key-users: how many keys count, and their bytes.
func rootKeyUsage(_ keyUsers: String) -> (keys: Int, bytes: Int)? {
    let lines = keyUsers.split(separator: "\n").map { line in line.split(whereSeparator: \.isWhitespace) }
    guard let fields = lines.first(where: { fields in fields.count >= 5 && fields[0] == "0:" }),
        let keys = fields[3].split(separator: "/").first.flatMap({ text in Int(text) }),
        let bytes = fields[4].split(separator: "/").first.flatMap({ text in Int(text) })
    else {
        return nil
    }
    return (keys, bytes)
}

extension KeyringFacts {
    static var current: KeyringFacts {
        let usage = rootKeyUsage(readWhole("/proc/key-users") ?? "") ?? (0, 0)
        return KeyringFacts(
            fault: currentFault, mostKeys: kernelNumber("root_maxkeys"), mostBytes: kernelNumber("root_maxbytes"),
            keys: usage.keys, bytes: usage.bytes)
    }

    private static var currentFault: KeyringFault? {
        do throws(ErrorNumber) {
            try RootKeyring.tryCalls()
        } catch {
            // A full quota shows in the figures.
            return error == .diskQuotaExceeded ? nil : .refused(error.code)
        }
        do throws(ErrorNumber) {
            _ = try RootKeyring().serials()
            return nil
        } catch {
            return .unreadable(error.code)
        }
    }

    private static func kernelNumber(_ name: String) -> Int? {
        readWhole("/proc/sys/kernel/keys/\(name)").flatMap { text in Int(text.prefix { digit in digit.isNumber }) }
    }
}
