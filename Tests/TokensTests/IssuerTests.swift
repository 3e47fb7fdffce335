import Testing
import Tokens

@Suite struct IssuerTests {
    @Test(
        "each partition has a domain of its own, by botocore's partitions.json",
        arguments: [
            ("eu-west-1", "amazonaws.com"), ("us-east-1", "amazonaws.com"), ("us-gov-west-1", "amazonaws.com"),
            ("mx-central-1", "amazonaws.com"), ("cn-north-1", "amazonaws.com.cn"),
            ("cn-northwest-1", "amazonaws.com.cn"), ("eusc-de-east-1", "amazonaws.eu"),
            ("us-iso-east-1", "c2s.ic.gov"), ("us-isob-east-1", "sc2s.sgov.gov"),
            ("us-isof-south-1", "csp.hci.ic.gov"), ("eu-isoe-west-1", "cloud.adc-e.uk"),
        ])
    func domains(region: String, domain: String) {
        let pool = "\(region)_X"
        #expect(Region(ofPool: pool) == Region(region))
        let issuers = IssuerType.allCases.map { type in type.issuer(ofPool: pool, in: Region(region)) }
        #expect(
            issuers == [
                "https://cognito-idp.\(region).\(domain)/\(pool)",
                "https://issuer-cognito-idp.\(region).\(domain)/\(pool)",
            ])
        for service in ["cognito-idp", "cognito-idp-fips"] {
            #expect(Region(ofEndpoint: "https://\(service).\(region).\(domain)") == Region(region))
        }
    }

    @Test(
        "an endpoint of AWS's own says which Region it is in; no other name does",
        arguments: [
            ("https://cognito-idp.us-east-1.amazonaws.com", "us-east-1"),
            ("https://cognito-idp.us-east-1.amazonaws.com/", "us-east-1"),
            ("https://cognito-idp.us-east-1.amazonaws.com:443", "us-east-1"),
            ("https://Cognito-IDP.US-East-1.amazonaws.com", "us-east-1"),
            ("https://cognito-idp.us-east-1.api.aws", "us-east-1"),
            ("https://cognito-idp.cn-north-1.api.amazonwebservices.com.cn", "cn-north-1"),
            ("https://vpce-0a1b-x.cognito-idp.us-east-1.vpce.amazonaws.com", "us-east-1"),
            ("https://vpce-0a1b-x-us-east-1a.cognito-idp.us-east-1.vpce.amazonaws.com", "us-east-1"),
            ("https://vpce-0a1b-x.cognito-idp.us-east-1.amazonaws.com", nil),
            ("https://cognito-idp.us-east-1.vpce.amazonaws.com", nil),
            ("https://cognito-idp.us-east-1.amazonaws.com.evil.example", nil),
            ("https://cognito-idp.us-east-1.amazonaws.com.cn", nil),
            ("https://cognito-idp.cn-north-1.amazonaws.com", nil), ("https://cognito-idp..amazonaws.com", nil),
            ("https://cognito-idp.amazonaws.com", nil), ("https://cognito-idp", nil), ("https://", nil), ("", nil),
            ("http://cognito-idp.us-east-1.amazonaws.com", nil),
            ("https://issuer-cognito-idp.us-east-1.amazonaws.com", nil),
            ("https://x.cognito-idp.us-east-1.amazonaws.com", nil), ("https://[::1]:8443", nil),
            ("https://cognito.example.com", nil),
        ] as [(String, String?)])
    func region(endpoint: String, name: String?) {
        #expect(Region(ofEndpoint: endpoint)?.name == name)
    }
}

@Suite struct KeptKeySetTests {
    private static let keys = #"{"keys":[{"kid":"a"}]}"#

    @Test(
        "what was kept is read again",
        arguments: [
            (nil, nil, nil), (.original, nil, nil), (.updated, nil, nil), (nil, nil, 7), (.original, nil, 7),
            (.updated, #"{"keys":[{"kid":"b"}]}"#, 1_800_000_000),
        ] as [(IssuerType?, String?, Int64?)])
    func again(type: IssuerType?, issuerKeys: String?, notBefore: Int64?) throws {
        var kept = KeptKeySet()
        kept.issuerType = type
        kept.issuerKeySet = issuerKeys.flatMap { text in JSONValue(parsing: Array(text.utf8)) }
        kept.issuerNotBefore = notBefore
        if notBefore != nil {
            #expect(KeptKeySet(parsing: try #require(kept.serialized)) == kept)
        }
        let isTaken = kept.take(keySet: Array(Self.keys.utf8))
        #expect(isTaken)
        #expect(KeptKeySet(parsing: try #require(kept.serialized)) == kept)
        // Versions that know of one issuer read the keys alone.
        let document = JSONValue(parsing: try #require(kept.serialized))
        #expect(document?["keys"] == JSONValue(parsing: Array(Self.keys.utf8))?["keys"])
    }

    @Test("what an older version kept is the key set of a pool with the original issuer, and stays as it is")
    func older() {
        let kept = KeptKeySet(parsing: Array(Self.keys.utf8))
        #expect(kept?.issuerType == .original)
        #expect(kept?.serialized == Array(Self.keys.utf8))
    }

    @Test("a server does not set what is ours", arguments: [#"{"issuer_not_before":9}"#, "1"])
    func foreign(member: String) {
        var kept = KeptKeySet()
        let isTaken = kept.take(keySet: Array(#"{"keys":[{"kid":"a"}],"pam_cognito":\#(member)}"#.utf8))
        #expect(isTaken)
        #expect(kept.keySet == JSONValue(parsing: Array(Self.keys.utf8)))
        #expect(kept.issuerNotBefore == nil)
    }

    @Test("what is none", arguments: ["", "[]", "{", "1", #""{}""#])
    func none(text: String) {
        #expect(KeptKeySet(parsing: Array(text.utf8)) == nil)
        var kept = KeptKeySet()
        let isTaken = kept.take(keySet: Array(text.utf8))
        #expect(!isTaken)
        #expect(kept.serialized == nil)
    }
}
