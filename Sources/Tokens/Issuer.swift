internal import Base

/// The partitions of AWS that have domains of their own, as botocore's data lists them (partitions.json).
private let partitions: [(regions: String, domain: String, dualStackDomain: String)] = [
    ("cn-", "amazonaws.com.cn", "api.amazonwebservices.com.cn"),
    ("eusc-", "amazonaws.eu", "api.amazonwebservices.eu"),
    ("us-iso-", "c2s.ic.gov", "api.aws.ic.gov"),
    ("us-isob-", "sc2s.sgov.gov", "api.aws.scloud"),
    ("us-isof-", "csp.hci.ic.gov", "api.aws.hci.ic.gov"),
    ("eu-isoe-", "cloud.adc-e.uk", "api.cloud-aws.adc-e.uk"),
    // Also us-gov-*.
    ("", "amazonaws.com", "api.aws"),
]

/// A Region of AWS, by its name.
package struct Region: Sendable, Equatable {
    /// The Region's name, for example `eu-west-1`.
    package let name: String

    /// Makes a Region of that name, whether AWS has one or not.
    package init(_ name: String) {
        self.name = name
    }

    /// The Region of the user pool with that id; its primary one if the pool has replicas.
    package init(ofPool pool: String) {
        self.init(String(pool.prefix { character in character != "_" }))
    }

    /// The domain of a service's hosts in the Region.
    package var domain: String {
        "\(name).\(suffixes.domain)"
    }

    private var suffixes: (domain: String, dualStack: String) {
        let found = partitions.first { partition in name.hasPrefix(partition.regions) }
        return (found?.domain ?? "", found?.dualStackDomain ?? "")
    }

    /// The Region whose user pools `endpoint` (`https://host[:port]`) reaches, by its name: the service's own, its
    /// FIPS, dual-stack or PrivateLink endpoint. Nil for every other name, which can lead anywhere.
    package init?(ofEndpoint endpoint: String) {
        let scheme = "https://"
        guard endpoint.hasPrefix(scheme) else {
            return nil
        }
        let host = endpoint.dropFirst(scheme.count).prefix { character in character != ":" && character != "/" }
        var labels = host.lowercased().split(separator: ".", omittingEmptySubsequences: false)[...]
        let isPrivateLink = labels.first?.hasPrefix("vpce-") ?? false
        if isPrivateLink {
            labels = labels.dropFirst()
        }
        guard let service = labels.popFirst(), service == "cognito-idp" || service == "cognito-idp-fips",
            let name = labels.popFirst(), !name.isEmpty
        else {
            return nil
        }
        self.init(String(name))
        let domain = labels.joined(separator: ".")
        let isOwn =
            isPrivateLink
            ? domain == "vpce.\(suffixes.domain)" : domain == suffixes.domain || domain == suffixes.dualStack
        guard isOwn else {
            return nil
        }
    }
}

/// Under which address a user pool issues its tokens: `IssuerConfiguration.Type` of CreateUserPool and UpdateUserPool.
/// A pool can change it at any time; tokens that it has issued before keep theirs.
package enum IssuerType: String, Sendable, CaseIterable {
    /// The address of the endpoint that issued the token.
    case original = "ORIGINAL"
    /// The address that is the same for all replicas of a pool.
    case updated = "UPDATED"

    /// The host of the issuer in `region`.
    package func host(in region: Region) -> String {
        switch self {
        case .original: "cognito-idp.\(region.domain)"
        case .updated: "issuer-cognito-idp.\(region.domain)"
        }
    }

    /// The `iss` of the tokens of `pool` that are issued in `region`.
    package func issuer(ofPool pool: String, in region: Region) -> String {
        "https://\(host(in: region))/\(pool)"
    }
}

/// The knowledge of a pool's keys that is kept from one step to the next.
///
/// It is kept as the pool's key set (RFC 7517). The member `pam_cognito` is beside its keys if there is more to know
/// than the keys of a pool whose tokens have the original issuer.
package struct KeptKeySet: Sendable, Equatable {
    /// The key set from the pool's own address; nil if there was none.
    package var keySet: JSONValue?
    /// The key set from the host of the updated issuer; nil if it was not needed.
    package var issuerKeySet: JSONValue?
    /// The type of the issuer of the pool's newest tokens that were verified here; nil: none were.
    package var issuerType: IssuerType?
    /// Until when the host of the updated issuer is not asked again, in seconds since the epoch; nil: it was never
    /// asked.
    package var issuerNotBefore: Int64?

    private static let member = "pam_cognito"

    package init() {}

    /// Reads what was kept, by this version or an older one; nil if `bytes` are no JSON object.
    package init?(parsing bytes: [UInt8]) {
        guard let document = JSONValue(parsing: bytes), let members = document.members else {
            return nil
        }
        guard let more = document[Self.member] else {
            keySet = document
            issuerType = .original
            return
        }
        let own = members.filter { name, _ in name != Self.member }
        keySet = own.isEmpty ? nil : .object(own)
        issuerKeySet = more["key_set"]
        issuerType = more["issuer_type"]?.text.flatMap(IssuerType.init)
        issuerNotBefore = more["issuer_not_before"]?.seconds
    }

    /// The data to keep; nil if nothing is known.
    package var serialized: [UInt8]? {
        guard self != KeptKeySet() else {
            return nil
        }
        guard keySet == nil || issuerKeySet != nil || issuerNotBefore != nil || issuerType != .original else {
            return keySet?.serialized
        }
        var more: [String: JSONValue] = [:]
        more["key_set"] = issuerKeySet
        more["issuer_type"] = issuerType.map { type in .string(type.rawValue) }
        more["issuer_not_before"] = issuerNotBefore.map(JSONValue.integer)
        var members = keySet?.members ?? [:]
        members[Self.member] = .object(more)
        return JSONValue.object(members).serialized
    }

    /// Takes `bytes` as they came from the pool's own address; false if they are no JSON object.
    package mutating func take(keySet bytes: [UInt8]) -> Bool {
        guard let members = JSONValue(parsing: bytes)?.members else {
            return false
        }
        // The member is ours.
        keySet = .object(members.filter { name, _ in name != Self.member })
        return true
    }
}
