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
            !region.isEmpty, region.utf8.allSatisfy({ byte in byte.isAlphanumericASCII(or: "-") }),
            !name.isEmpty, name.utf8.allSatisfy(\.isAlphanumericASCII),
            (1...128).contains(clientID.utf8.count),
            clientID.utf8.allSatisfy({ byte in byte.isAlphanumericASCII(or: "_+") })
        else {
            return nil
        }
        self.identifier = identifier
        self.clientID = clientID
        self.region = String(region)
        self.name = String(name)
    }

    /// The host of the region's own endpoint. The European Sovereign Cloud has a domain of its own.
    package var host: String {
        "cognito-idp.\(Self.domain(inRegion: region))"
    }

    /// What the names of a service's hosts in a region end with.
    static func domain(inRegion region: String) -> String {
        "\(region).\(region.hasPrefix("eusc-") ? "amazonaws.eu" : "amazonaws.com")"
    }

    /// What the pool is called as a provider of identities (GetId, Logins).
    var loginName: String {
        "\(host)/\(identifier)"
    }

    /// The `iss` of the pool's tokens. It follows from the pool alone: another endpoint (private, FIPS, emulator) does
    /// not change it.
    package var issuer: String {
        "https://\(host)/\(identifier)"
    }
}
