import HTTPClient
import Protocol
import Testing
import TokenSigning
import Tokens

/// Pools of both issuer types, and pools that change theirs: which tokens are taken, and where keys are looked for.
@Suite struct IssuerTests {
    private static let replica = "https://cognito-idp.us-east-1.amazonaws.com"
    private static let updated: JSONValue = .string(ScriptedPool.updatedIssuer)
    /// A key set with another key than the one that tokens are signed with.
    private static let otherKeys = ScriptedPool.signer?.keySet("other") ?? []
    private static let others = String(decoding: otherKeys, as: UTF8.self)
    private static let genuine = String(decoding: ScriptedPool.keySet, as: UTF8.self)

    private static func kept(_ root: ScriptedRoot) -> KeptKeySet? {
        root.keptKeySet.flatMap(KeptKeySet.init(parsing:))
    }

    /// Until when the host of the updated issuer is not to be asked again, by each message that tells of it.
    private static func pauses(_ root: ScriptedRoot) -> [Int64?] {
        root.sent.filter { message in message.kind == .keep }
            .map { message in message.fields[.keySet].flatMap(KeptKeySet.init(parsing:))?.issuerNotBefore }
    }

    /// What is kept of a pool whose own address has the keys `own`.
    private static func document(_ own: String?, type: IssuerType? = nil, notBefore: Int64? = nil) -> [UInt8]? {
        var kept = KeptKeySet()
        if let own {
            _ = kept.take(keySet: Array(own.utf8))
        }
        kept.issuerType = type
        kept.issuerNotBefore = notBefore
        return kept.serialized
    }

    @Test(
        "tokens are taken of the pool's two issuers, and of the original one in the Regions of the endpoints",
        arguments: [
            (ScriptedPool.issuer, nil, true), (ScriptedPool.updatedIssuer, nil, true),
            (ScriptedPool.issuer, replica, true), (ScriptedPool.updatedIssuer, replica, true),
            ("\(replica)/eu-west-1_AbCdEf123", replica, true), ("\(replica)/eu-west-1_AbCdEf123", nil, false),
            ("\(replica)/eu-west-1_AbCdEf123", "https://cognito.example.com", false),
            ("https://cognito-idp.us-west-2.amazonaws.com/eu-west-1_AbCdEf123", replica, false),
            ("\(replica)/eu-west-1_AbCdEf123", "https://cognito.example.com \(replica)", true),
            ("\(replica)/eu-west-1_AbCdEf123", "\(replica):8443 https://cognito.example.com", true),
            ("\(replica)/eu-west-1_Other", "https://cognito.example.com \(replica)", false),
            ("https://cognito-idp.us-west-2.amazonaws.com/eu-west-1_AbCdEf123", "https://one \(replica)", false),
            // The updated one names the primary Region everywhere.
            ("https://issuer-cognito-idp.us-east-1.amazonaws.com/eu-west-1_AbCdEf123", replica, false),
            // Another pool, scheme, case or host; a slash too many.
            ("https://issuer-cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Other", nil, false),
            ("http://issuer-cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbCdEf123", nil, false),
            ("HTTPS://issuer-cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbCdEf123", nil, false),
            ("https://Issuer-cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbCdEf123", nil, false),
            ("https://issuer-cognito-idp.eu-west-1.amazonaws.com/eu-west-1_abcdef123", nil, false),
            ("https://issuer-cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbCdEf123/", nil, false),
            ("https://issuer-cognito-idp.eu-west-1.amazonaws.com//eu-west-1_AbCdEf123", nil, false),
            ("https://issuer-cognito-idp.eu-west-1.amazonaws.com:443/eu-west-1_AbCdEf123", nil, false),
            ("https://issuer-cognito-idp.eu-west-1.amazonaws.com.cn/eu-west-1_AbCdEf123", nil, false),
            ("issuer-cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbCdEf123", nil, false), ("", nil, false),
        ] as [(String, String?, Bool)])
    func accepted(issuer: String, endpoint: String?, isGood: Bool) {
        let step = Step()
        step.pool.claims["iss"] = .string(issuer)
        step.pool.identityClaims["iss"] = .string(issuer)
        let root = step.run([Step.signIn(endpoint: endpoint), Step.answer(), Step.registered])
        #expect(root.last?.kind == (isGood ? .signedIn : .failed))
        #expect(root.last?.reason == (isGood ? nil : .invalidTokens))
        #expect(step.pool.operations == (isGood ? ["InitiateAuth"] : ["InitiateAuth", "RevokeToken"]))
    }

    @Test("an open session knows the original issuers of its endpoints, too")
    func replicaOfSession() {
        for (endpoint, isGood) in [("https://one \(Self.replica)", true), ("https://one", false)] {
            let step = Step()
            let issuer: JSONValue = .string("\(Self.replica)/eu-west-1_AbCdEf123")
            step.pool.claims["iss"] = issuer
            step.pool.identityClaims["iss"] = issuer
            let session = step.genuineSession()
            let check = step.run([Step.check(session, isOnline: false, endpoint: endpoint)])
            #expect(check.last?.reason == (isGood ? nil : .invalidTokens))
            let renewal = step.run([
                Step.renew(session, keySet: ScriptedPool.keySet, endpoint: endpoint), Step.registered,
            ])
            #expect(renewal.last?.kind == (isGood ? .renewed : .failed))
        }
    }

    @Test("both tokens of an answer name one issuer", arguments: [true, false])
    func mixed(isAccess: Bool) {
        let step = Step()
        if isAccess {
            step.pool.claims["iss"] = Self.updated
        } else {
            step.pool.identityClaims["iss"] = Self.updated
        }
        #expect(step.run([Step.signIn(), Step.answer()]).last?.reason == .invalidTokens)
        #expect(step.pool.operations.last == "RevokeToken")
        #expect(step.run([Step.check(step.genuineSession(), isOnline: false)]).last?.reason == .invalidTokens)
    }

    @Test("a pool changes its issuer's type under an open session, and back")
    func change() {
        let step = Step()
        var keySet = ScriptedPool.keySet
        var session = step.genuineSession()
        for (issuer, type) in [(ScriptedPool.updatedIssuer, IssuerType.updated), (ScriptedPool.issuer, .original)] {
            step.pool.claims["iss"] = .string(issuer)
            step.pool.identityClaims["iss"] = .string(issuer)
            // Tokens of before are as good, and tell nothing new of the pool.
            #expect(step.run([Step.check(session, isOnline: false, keySet: keySet)]).kinds == [.checked])
            let root = step.run([Step.renew(session, keySet: keySet), Step.registered])
            #expect(root.kinds == [.keep, .renewed])
            #expect(Self.kept(root)?.issuerType == type)
            keySet = root.sent.first?.fields[.keySet] ?? []
            session = step.genuineSession()
            #expect(step.run([Step.check(session, isOnline: false, keySet: keySet)]).kinds == [.checked])
        }
        // What an older version would have kept.
        #expect(keySet == ScriptedPool.keySet)
        #expect(step.pool.operations == ["GetTokensFromRefreshToken", "GetTokensFromRefreshToken"])
    }

    @Test(
        "where keys are looked for, and what is kept of that",
        arguments: [
            // Own address, issuer host; not to be asked for so many seconds; whether it is well; what was asked for.
            (genuine, 403, nil, nil, true, ["jwks"]), (others, 200, genuine, nil, true, ["jwks", "issuer_jwks"]),
            (others, 403, nil, nil, false, ["jwks", "issuer_jwks"]),
            (others, 200, others, nil, false, ["jwks", "issuer_jwks"]),
            (others, 200, "{}", nil, false, ["jwks", "issuer_jwks"]),
            (others, 500, nil, nil, false, ["jwks", "issuer_jwks"]),
            (others, 200, genuine, 300, false, ["jwks"]), (others, 200, genuine, 1, false, ["jwks"]),
            (others, 200, genuine, 0, true, ["jwks", "issuer_jwks"]),
            // A clock that was put back does not keep it from being asked.
            (others, 200, genuine, 301, true, ["jwks", "issuer_jwks"]),
        ] as [(String, Int, String?, Int64?, Bool, [String])])
    func places(own: String, status: Int, host: String?, pause: Int64?, isGood: Bool, asked: [String]) {
        let step = Step()
        step.pool.answers["jwks"] = [.success((200, own))]
        step.pool.answers["issuer_jwks"] = [.success((status, host ?? ""))]
        let given = Self.document(
            Self.others, type: .original, notBefore: pause.map { pause in step.clock.wall + pause })
        let root = step.run([Step.signIn(keySet: given), Step.answer(), Step.registered])
        #expect(root.last?.kind == (isGood ? .signedIn : .failed))
        #expect(step.pool.operations.filter { operation in operation.hasSuffix("jwks") } == asked)
        if asked.contains("issuer_jwks") {
            // A step that is killed while it asks keeps others from asking for ten seconds, and no longer. What the
            // root side has been told is not sent again: it would be written to a file again.
            #expect(Self.pauses(root) == [10, 300].map { pause in step.clock.wall + pause })
            #expect((Self.kept(root)?.issuerKeySet != nil) == (host == Self.genuine || host == Self.others))
        }
        if isGood, let keySet = root.keptKeySet {
            // From then on no host is asked, also for tokens of the other key.
            let session = step.genuineSession()
            let before = step.pool.operations.count
            #expect(step.run([Step.check(session, isOnline: false, keySet: keySet)]).kinds == [.checked])
            #expect(step.pool.operations.count == before)
        }
    }

    @Test(
        "the host of the updated issuer is asked where the pool's own address has no keys, and for nothing else",
        arguments: [
            (403, 200, ["jwks", "issuer_jwks", "InitiateAuth"], nil),
            (404, 200, ["jwks", "issuer_jwks", "InitiateAuth"], nil),
            (403, 403, ["jwks", "issuer_jwks"], .refusedByPool),
            (500, 200, ["jwks", "jwks", "jwks"], .serviceFault), (429, 200, nil, .throttled),
            (200, 200, ["jwks", "InitiateAuth"], nil),
        ] as [(Int, Int, [String]?, FailureReason?)])
    func withheld(own: Int, host: Int, asked: [String]?, reason: FailureReason?) {
        let step = Step()
        step.pool.answers["jwks"] = [.success((own, own == 200 ? Self.genuine : ""))]
        step.pool.answers["issuer_jwks"] = [.success((host, host == 200 ? Self.genuine : ""))]
        let root = step.run([Step.signIn(keySet: nil), Step.answer(), Step.registered])
        #expect(root.last?.kind == (reason == nil ? .signedIn : .failed))
        #expect(root.last?.reason == reason)
        if let asked {
            #expect(step.pool.operations == asked)
        } else {
            #expect(!step.pool.operations.contains("issuer_jwks"))
        }
        // Connecting ahead asks no other host.
        let ahead = Step()
        ahead.pool.answers["jwks"] = step.pool.answers["jwks"]
        _ = ahead.run([Step.signIn(preconnect: 1, keySet: ScriptedPool.keySet), .nothing, .closed])
        #expect(ahead.pool.operations == ["jwks"])
    }

    @Test(
        "a host of the updated issuer that cannot be reached, or has something else than keys, is named",
        arguments: [
            (
                .failure(.unreachable("connection refused")),
                "The host of the updated issuer was also contacted: Cognito could not be reached"
            ), (.success((200, "{}")), "The document at the address of the updated issuer's key set is not a key set."),
        ] as [(ScriptedPool.Answer, String)], [true, false])
    func unusableHost(unusable: (answer: ScriptedPool.Answer, remark: String), hasOwnKeys: Bool) {
        let step = Step()
        step.pool.answers["jwks"] = [hasOwnKeys ? .success((200, Self.others)) : .success((404, ""))]
        step.pool.answers["issuer_jwks"] = [unusable.answer]
        let root = step.run([Step.signIn(keySet: hasOwnKeys ? Self.otherKeys : nil), Step.answer()])
        #expect(root.last?.reason == (hasOwnKeys ? .invalidTokens : .configuration))
        #expect(root.last?.text(.logText)?.contains(unusable.remark) == true)
        // The next one is told why it did not ask.
        let next = step.run([Step.signIn(keySet: root.keptKeySet), Step.answer()])
        #expect(
            next.last?.text(.logText)?
                .contains("was contacted recently, and will not be contacted again for 300 s.") == true)
        #expect(step.pool.operations.last == "RevokeToken")
    }

    @Test("keys that were fetched a moment ago are not fetched again if they do not fit the tokens")
    func unfitKeys() {
        let step = Step()
        let keySet = TokenSigner()?.keySet("k") ?? []
        step.pool.answers["jwks"] = [.success((403, ""))]
        step.pool.answers["issuer_jwks"] = [.success((200, String(decoding: keySet, as: UTF8.self)))]
        let root = step.run([Step.signIn(keySet: nil), Step.answer()])
        #expect(root.last?.reason == .invalidTokens)
        #expect(step.pool.operations == ["jwks", "issuer_jwks", "InitiateAuth", "RevokeToken"])
    }

    @Test(
        "a wrong password is reported as one if a host has the pool's keys, and the next sign-in does not ask again",
        arguments: [(403, .configuration), (200, .refused)] as [(Int, FailureReason)])
    func refused(host: Int, reason: FailureReason) {
        let step = Step()
        step.pool.answers["jwks"] = [.success((404, ""))]
        step.pool.answers["issuer_jwks"] = [.success((host, host == 200 ? Self.genuine : ""))]
        step.pool.answers["InitiateAuth"] = [ScriptedPool.refusal("NotAuthorizedException")]
        let root = step.run([Step.signIn(keySet: nil), Step.answer()])
        #expect(root.kinds == [.ask, .keep, .keep, .failed])
        #expect(root.last?.reason == reason)
        let kept = root.sent[2].fields[.keySet]
        #expect(Self.pauses(root) == [10, 300].map { pause in step.clock.wall + pause })
        _ = step.run([Step.signIn(keySet: kept), Step.answer()])
        #expect(step.pool.operations.count { operation in operation == "issuer_jwks" } == 1)
    }

    @Test(
        "the doctor's look reports the type that this machine has seen last, and asks the other host by the same rule",
        arguments: [
            (nil, 200, nil, ["jwks"]), (.original, 200, "ORIGINAL", ["jwks"]), (.updated, 200, "UPDATED", ["jwks"]),
            (.updated, 403, "UPDATED", ["jwks", "issuer_jwks"]),
        ] as [(IssuerType?, Int, String?, [String])])
    func probe(type: IssuerType?, own: Int, reported: String?, asked: [String]) {
        let step = Step()
        step.pool.answers["jwks"] = [.success((own, own == 200 ? Self.genuine : ""))]
        step.pool.answers["issuer_jwks"] = [.success((200, Self.genuine))]
        let given = Self.document(Self.genuine, type: type) ?? []
        let root = step.run([Step.probe([(.keySet, given)])])
        #expect(root.last?.kind == .probed)
        #expect(root.last?.reports.first?["issuer_type"]?.text == reported)
        #expect(step.pool.operations == asked)
    }
}
