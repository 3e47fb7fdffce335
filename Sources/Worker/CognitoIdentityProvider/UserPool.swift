internal import Base
package import Tokens

/// A user pool and the app client through which it is used.
package struct UserPool: Sendable, Equatable {
    /// The pool's id, for example `eu-west-1_AbCdEf123`.
    package let identifier: String
    package let clientID: String
    /// The pool's region: what stands before the id's first underscore.
    package let region: Region
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
        self.region = Region(String(region))
        self.name = String(name)
    }

    /// The host of the Region's own endpoint.
    package var host: String { IssuerType.original.host(in: region) }

    /// The pool's name as an identity provider (GetId, Logins).
    var loginName: String {
        "\(host)/\(identifier)"
    }

    /// The `iss` that the pool's tokens may have, with the type of each: both of the pool's Region, and the original
    /// one of each Region of `endpoints`, since a replica of a pool with the original issuer reports its own Region.
    /// The updated one names the primary Region everywhere. An endpoint of another name (private, emulator) adds
    /// nothing.
    package func issuers(endpoints: [String]) -> [String: IssuerType] {
        let replicas = endpoints.compactMap(Region.init(ofEndpoint:))
        var issuers = [IssuerType.updated.issuer(ofPool: identifier, in: region): IssuerType.updated]
        for region in [region] + replicas {
            issuers[IssuerType.original.issuer(ofPool: identifier, in: region)] = .original
        }
        return issuers
    }
}
