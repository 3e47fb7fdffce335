import Base

/// The description of a key with credentials for another system: `cognito-aws:FRESH:END:NAME`. It says, without the key
/// being read, which credentials they are, when they end, and from when on newer ones should be made.
package struct CredentialLabel: Equatable, Sendable {
    /// The name that the administrator gave them.
    package let name: [UInt8]
    /// Until when they are handed out as they are, and when they end, in seconds since the epoch.
    package let freshUntil: Int64
    package let end: Int64

    /// Those of credentials that are had now.
    package init(name: [UInt8], freshUntil: Int64, end: Int64) {
        self.name = name
        self.freshUntil = freshUntil
        self.end = end
    }

    static var prefix: [UInt8] { Array("cognito-aws:".utf8) }

    package var description: [UInt8] {
        let times: ByteText = "\(freshUntil):\(end):"
        return Self.prefix + times.bytes + name
    }

    /// The label of a key; nil unless root made it for a session, readable there and writable by root alone.
    package init?(_ key: KeyDescription) {
        guard key.type == Array("user".utf8), key.uid == 0,
            key.permissions == .tokenKey || key.permissions == Inbox.onTheWay
        else {
            return nil
        }
        self.init(description: key.text)
    }

    init?(description: [UInt8]) {
        guard description.starts(with: Self.prefix) else {
            return nil
        }
        let parts = description.dropFirst(Self.prefix.count).split(
            separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let freshUntil = Int64(decimal: parts[0], atMost: 15),
            let end = Int64(decimal: parts[1], atMost: 15)
        else {
            return nil
        }
        self.init(name: Array(parts[2]), freshUntil: freshUntil, end: end)
    }
}

package struct CredentialKey: Equatable, Sendable {
    package let serial: KeySerial
    package let label: CredentialLabel

    /// A key by what it is called.
    package init(serial: KeySerial, label: CredentialLabel) {
        self.serial = serial
        self.label = label
    }

    /// That key; nil when it is none.
    package init?(_ serial: KeySerial) {
        guard let description = try? serial.describe(), let label = CredentialLabel(description) else {
            return nil
        }
        self.init(serial: serial, label: label)
    }
}

extension SessionKeyring {
    /// The credentials that are in the session keyring of this process itself.
    package static var credentials: [CredentialKey] {
        ((try? KeySerial.sessionKeyring.links()) ?? []).compactMap { link in CredentialKey(link) }
    }
}

/// Root's notes about a session's credentials, in keys that only root can read.
package enum CredentialNote: Sendable {
    /// The identity that an identity pool gave the user.
    case identity
    /// Why they were refused.
    case refusal

    func description(_ name: [UInt8]) -> [UInt8] {
        switch self {
        case .identity: Array("identity:".utf8) + name
        case .refusal: Array("refusal:".utf8) + name
        }
    }
}
