internal import Base
package import Cryptography
package import Tokens

/// SECRET_HASH: shows that the caller knows the app client's secret.
package enum SecretHash {
    /// Base64(HMAC-SHA256(client secret, user name || client id)).
    ///
    /// - Parameter userName: exactly the USERNAME that goes with it; on REFRESH_TOKEN_AUTH, which has none, the
    ///   canonical name, never an alias.
    package static func make(
        clientSecret: SecretValue, userName: String, clientID: String
    ) throws(CryptographyError) -> String {
        var code = try clientSecret.withBytes { key throws(CryptographyError) in try HMACSHA256(key: key) }
        try code.update(Array(userName.utf8))
        try code.update(Array(clientID.utf8))
        return try code.finish().withBytes { bytes in Base64.standard.encode(bytes.copied()) }
    }
}
