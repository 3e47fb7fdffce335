package import ByteText
import KernelKeyring

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

extension Hooks {
    /// The beginning of an audit line about `user` at this host.
    func audit(_ event: StaticString, _ user: [UInt8], session: RootKey? = nil) -> ByteText {
        auditLine(
            event, user: user, session: session?.serial.number ?? 0, service: host.service, remoteHost: host.remoteHost)
    }
}
