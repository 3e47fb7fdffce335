package import Base
import CLinux

/// The key by which the programs of a session prove to the agent that they are in it: 128 random bits, root's, beside
/// the token key.
///
/// The user id proves nothing: other sessions of the same user have it, and read the number of every token key in
/// /proc/keys.
package enum SessionSecret {
    /// The prefix of its description. What follows is that of the token key, without the token key's prefix.
    static var prefix: [UInt8] { Array("cognito-secret:".utf8) }

    /// How long a secret is, in bytes.
    private static var length: Int { 16 }

    /// The description of the secret beside a token key of that description.
    package static func description(beside tokenKey: [UInt8]) -> [UInt8] {
        prefix + tokenKey.dropFirst(TokenKey.prefix.count)
    }

    package static func make() throws(ErrorNumber) -> Secret {
        var fault: Int32 = 0
        let made = unsafe Secret(capacity: length) { memory, capacity in
            fault = unsafe linux_random(memory, capacity)
            return fault == 0 ? capacity : -1
        }
        guard let made else {
            throw fault == 0 ? .noMemory : ErrorNumber(-fault)
        }
        return made
    }
}

extension SessionKeyring {
    /// The secret of the session, or of the job, that has `tokenKey`; nil where this process finds none beside it.
    package static func secret(beside tokenKey: KeySerial) -> Secret? {
        secretKey(beside: tokenKey).flatMap { key in try? key.read() }
    }

    static func secretKey(beside tokenKey: KeySerial) -> KeySerial? {
        guard let found = current.tokenKeys.first(where: { key in key.isOurs && key.serial == tokenKey }) else {
            return nil
        }
        let description = SessionSecret.description(beside: found.description.text)
        // A key of that name that the user has made proves nothing to the agent.
        return ((try? found.place.ring.links()) ?? []).first { link in
            TokenKey.isTokenKey(link, description, readable: true)
        }
    }
}
