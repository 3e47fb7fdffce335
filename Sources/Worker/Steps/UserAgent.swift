internal import Base
internal import Messages
internal import Tokens

/// The User-Agent header. The service derives a session's DeviceType from it, in its list of sessions. The machine's
/// name and the service let users tell their sessions apart there.
enum UserAgent {
    /// - Parameters:
    ///   - host: this machine's name.
    ///   - service: PAM_SERVICE.
    static func text(host: String?, service: [UInt8]?) -> String {
        let name = word(host.map { name in Array(name.utf8) } ?? [])
        let place = [name.isEmpty ? "unnamed" : name, word(service ?? [])].filter { word in !word.isEmpty }
        return "pam-cognito/\(version) (Linux; \(place.joined(separator: "; ")))"
    }

    /// `name` without anything that means something in a header, and no longer than a host's name.
    private static func word(_ name: [UInt8]) -> String {
        let allowed = name.prefix(64).map { byte in
            byte.isAlphanumericASCII(or: "-._") ? byte : UInt8(ascii: "_")
        }
        return String(decoding: allowed, as: UTF8.self)
    }
}
