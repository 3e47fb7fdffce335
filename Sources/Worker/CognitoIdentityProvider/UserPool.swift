internal import Tokens

/// A user pool and the app client through which it is used.
package struct UserPool: Sendable, Equatable {
    /// The pool's id, for example `eu-west-1_AbCdEf123`.
    package let identifier: String
    /// The app client's id.
    package let clientID: String
    /// The pool's region: what stands before the id's first underscore.
    package let region: String
    /// The pool's name in SRP: what follows the id's first underscore.
    package let name: String

    /// Makes a pool; nil when `identifier` is not a pool's id or `clientID` not a client's.
    package init?(identifier: String, clientID: String) {
        let parts = identifier.split(separator: "_", maxSplits: 1, omittingEmptySubsequences: false)
        guard identifier.utf8.count <= 55, let region = parts.first, let name = parts.last, parts.count == 2,
            !region.isEmpty, region.utf8.allSatisfy({ byte in Self.isAlphanumeric(byte) || byte == UInt8(ascii: "-") }),
            !name.isEmpty, name.utf8.allSatisfy(Self.isAlphanumeric),
            (1...128).contains(clientID.utf8.count),
            clientID.utf8.allSatisfy({ byte in
                Self.isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "+")
            })
        else {
            return nil
        }
        self.identifier = identifier
        self.clientID = clientID
        self.region = String(region)
        self.name = String(name)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            false
        }
    }

    /// The host of the region's own endpoint. The European Sovereign Cloud has a domain of its own.
    package var host: String {
        "cognito-idp.\(region).\(region.hasPrefix("eusc-") ? "amazonaws.eu" : "amazonaws.com")"
    }

    /// The `iss` of the pool's tokens. It follows from the pool alone: another endpoint (private, FIPS, emulator) does
    /// not change it.
    package var issuer: String {
        "https://\(host)/\(identifier)"
    }
}
