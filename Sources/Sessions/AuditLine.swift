package import Base
package import Keyring

/// The beginning of an audit line, in the one grammar that cognito-agent(8) documents: `event; name=value name=value`, then
/// perhaps a colon and a text. What comes from outside is in quotes, and no quote is in it.
///
/// - Parameters:
///   - session: The number of the registry's entry, the same from sign-in to the end; 0 where there is no session.
///   - service: PAM_SERVICE.
///   - remoteHost: PAM_RHOST, empty where the person is here.
package func auditLine(
    _ event: StaticString,
    user: [UInt8],
    session: Int32 = 0,
    service: [UInt8],
    remoteHost: [UInt8]
) -> ByteText {
    "\(event); user=\(quoting: user) session=\(session) service=\(quoting: service) rhost=\(quoting: remoteHost)"
}

/// Whom audit lines of one session are about. No secret is in it.
package struct AuditSubject {
    private let user: [UInt8]
    private let session: Int32
    private let service: [UInt8]
    private let remoteHost: [UInt8]
    private let rest: ByteText

    /// The session of the registry's entry `key`.
    ///
    /// - Parameter rest: Further fields that all of its lines have.
    package init(_ key: RootKey, _ entry: borrowing RegistryEntry, _ rest: ByteText) {
        user = entry.user
        session = key.serial.number
        service = entry.service
        remoteHost = entry.remoteHost
        self.rest = rest
    }

    /// The beginning of a line about `event`.
    package func line(_ event: StaticString) -> ByteText {
        let begin = auditLine(event, user: user, session: session, service: service, remoteHost: remoteHost)
        return "\(begin) \(rest)"
    }
}
