import Configuration
import HTTPClient
import Protocol
import Steps
import Testing
import Tokens

@Suite struct ProbeTests {
    @Test("what anybody may ask for is asked for, and nothing else")
    func reached() {
        let step = Step()
        let root = step.run([Step.probe()])
        #expect(root.kinds == [.probed])
        #expect(step.pool.operations == ["jwks"])
        let report = root.last?.reports.first
        #expect((report?["keys"]?.seconds ?? 0) > 0)
        // Of its connections a script has nothing to tell.
        #expect(report?["address"] == nil)
    }

    private static let pin = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    @Test(
        "the options that came are obeyed",
        arguments: [
            ([], nil, nil), ([(.options, "proxy=http://a:1\n")], nil, "http://a:1"),
            ([(.options, "pinned_public_keys=\(Self.pin)\nproxy=http://a:1\n")], Self.pin, "http://a:1"),
        ] as [([(Field, String)], String?, String?)])
    func options(fields: [(Field, String)], pins: String?, proxy: String?) {
        let step = Step()
        _ = step.run([Step.probe(fields.map { field, text in (field, Array(text.utf8)) })])
        var expected = WorkerSettings()
        expected.pinnedPublicKeys = pins.map { text in Array(text.utf8) }
        expected.proxy = proxy.map { text in Array(text.utf8) }
        #expect(step.pool.settings.map(\.options) == [expected])
    }

    @Test(
        "whether Cognito asks for levels is seen from one that there is not, in the name of nobody",
        arguments: [
            (ScriptedPool.refusal("InvalidParameterException", "x"), "offered"),
            (ScriptedPool.refusal("InvalidParameterException", "USER_AUTH is not enabled for the client."), "no_flow"),
            (ScriptedPool.refusal("FeatureUnavailableInTierException"), "no_plan"),
            (.success((200, #"{"ChallengeName":"PASSWORD_VERIFIER","ChallengeParameters":{}}"#)), "ignored"),
            (ScriptedPool.refusal("NotAuthorizedException", "Incorrect username or password."), nil),
            (ScriptedPool.refusal("UserNotFoundException"), nil), (.failure(.timedOut), nil),
            (.success((200, "{}")), nil),
        ] as [(ScriptedPool.Answer, String?)])
    func levels(answer: ScriptedPool.Answer, expected: String?) {
        let step = Step()
        step.pool.answers["InitiateAuth"] = [answer]
        let root = step.run([Step.probe([(.requiredACR, Array("urn:none".utf8))])])
        #expect(root.kinds == [.probed])
        #expect(root.last?.reports.first?["levels"]?.text == expected)
        let parameters = step.pool.bodies.last?["AuthParameters"]
        #expect(parameters?["TARGET_ACR_VALUES"]?.text == "urn:none")
        #expect(parameters?["PREFERRED_CHALLENGE"]?.text == "PASSWORD_SRP")
        #expect((8...16).contains(parameters?["USERNAME"]?.text?.count ?? 0))
    }

    @Test(
        "what Cognito has against all sign-ins is seen from one that is begun in the name of nobody",
        arguments: [
            (.secureRemotePassword, challenge, "possible"), (.password, refused, "possible"),
            (.choice, ScriptedPool.refusal("UserNotFoundException"), "possible"),
            (.custom, challenge, "possible"), (.customAfterProof, refused, "possible"),
            (.password, ScriptedPool.refusal("ResourceNotFoundException", "x"), "no_client"),
            (
                .secureRemotePassword,
                ScriptedPool.refusal(
                    "NotAuthorizedException", "Client x is configured with secret but SECRET_HASH was not received"),
                "no_secret"
            ),
            (
                .secureRemotePassword,
                ScriptedPool.refusal("InvalidParameterException", "USER_SRP_AUTH is not enabled for the client."),
                "no_flow"
            ),
            (.choice, ScriptedPool.refusal("FeatureUnavailableInTierException"), "no_plan"),
            (.choice, ScriptedPool.refusal("OperationNotEnabledException"), "not_enabled"),
            (.secureRemotePassword, ScriptedPool.refusal("FeatureUnavailableInTierException"), nil),
            (.secureRemotePassword, ScriptedPool.refusal("TooManyRequestsException"), nil),
            (.secureRemotePassword, ScriptedPool.refusal("UserLambdaValidationException", "no"), nil),
            (.secureRemotePassword, .failure(.timedOut), nil), (.secureRemotePassword, .success((200, "{}")), nil),
        ] as [(AuthenticationFlow, ScriptedPool.Answer, String?)])
    func obstacle(flow: AuthenticationFlow, answer: ScriptedPool.Answer, expected: String?) {
        let step = Step()
        step.pool.answers["InitiateAuth"] = [answer]
        let root = step.run([Step.probe([(.flow, [flow.rawValue])])])
        #expect(root.kinds == [.probed])
        let report = root.last?.reports.first
        #expect(report?["sign_in"]?.text == expected)
        #expect(report?["levels"] == nil && report?["revocation"] == nil)
        #expect(step.pool.operations == ["jwks", "InitiateAuth", "RevokeToken"])
        let body = step.pool.bodies.first { body in body["AuthFlow"] != nil }
        #expect((8...16).contains(body?["AuthParameters"]?["USERNAME"]?.text?.count ?? 0))
    }

    @Test(
        "the administrator's key set is compared with what Cognito shows, if it shows one",
        arguments: [
            (["k"], .success((200, text(["k"]))), "same"), (["k", "l"], .success((200, text(["k"]))), "same"),
            (["k"], .success((200, text(["k", "l"]))), "older"), (["k"], .success((200, text(["l"]))), "other"),
            (["k"], .success((403, "")), nil), (["k"], .success((404, "<html>")), nil),
            (["k"], .success((200, "<html>")), nil),
        ] as [([String], ScriptedPool.Answer, String?)])
    func keySetFile(keys: [String], answer: ScriptedPool.Answer, expected: String?) {
        let step = Step()
        step.pool.answers["jwks"] = [answer]
        let root = step.run([Step.probe([(.keySet, Array(Self.text(keys).utf8)), (.fixedKeySet, [1])])])
        #expect(root.kinds == [.probed])
        let report = root.last?.reports.first
        #expect(report?["key_set_file"]?.text == expected)
        #expect(report?["keys"]?.seconds == Int64(keys.count))
    }

    @Test("with the administrator's key set, too, an endpoint that cannot be reached is told")
    func keySetFileUnreachable() {
        let step = Step()
        step.pool.answers["jwks"] = [.failure(.unresolvable)]
        let root = step.run([Step.probe([(.keySet, ScriptedPool.keySet), (.fixedKeySet, [1])])])
        #expect(root.last?.reason == .unreachable)
    }

    /// A key set with keys of those names.
    private static func text(_ keys: [String]) -> String {
        let members = keys.map { key in
            #"{"kty":"RSA","kid":"\#(key)","e":"AQAB","n":"\#(String(repeating: "A", count: 344))"}"#
        }
        return #"{"keys":[\#(members.joined(separator: ","))]}"#
    }

    @Test("tokens that a pool gives to nobody are revoked")
    func tokensForNobody() {
        let step = Step()
        let root = step.run([Step.probe([(.flow, [AuthenticationFlow.custom.rawValue])])])
        #expect(root.kinds == [.probed])
        #expect(step.pool.operations == ["jwks", "InitiateAuth", "RevokeToken", "RevokeToken"])
    }

    @Test(
        "that tokens cannot be revoked is seen from the answer to one that there is not",
        arguments: [
            (ScriptedPool.refusal("UnsupportedOperationException", "x"), "off"), (.success((200, "{}")), nil),
            (ScriptedPool.refusal("UnknownOperationException"), nil),
            (ScriptedPool.refusal("NotAuthorizedException", "Invalid Refresh Token"), nil),
            (.failure(.timedOut), nil),
        ] as [(ScriptedPool.Answer, String?)])
    func revocation(answer: ScriptedPool.Answer, expected: String?) {
        let step = Step()
        step.pool.answers["InitiateAuth"] = [Self.refused]
        step.pool.answers["RevokeToken"] = [answer]
        let root = step.run([Step.probe([(.flow, [AuthenticationFlow.password.rawValue])])])
        #expect(root.kinds == [.probed])
        #expect(root.last?.reports.first?["revocation"]?.text == expected)
    }

    private static let refused = ScriptedPool.refusal("NotAuthorizedException", "Incorrect username or password.")
    private static let challenge = ScriptedPool.Answer.success(
        (200, #"{"ChallengeName":"PASSWORD_VERIFIER","ChallengeParameters":{}}"#))

    @Test("an option that the worker does not know is no step", arguments: ["other=1\n", "proxy=nowhere\n", "\0"])
    func unknown(option: String) {
        let root = Step().run([Step.probe([(.options, Array(option.utf8))])])
        #expect(root.kinds == [.failed])
        #expect(root.last?.reason == .internalFault)
    }

    @Test("a pool that is not there is a fault of the configuration")
    func missing() {
        let step = Step()
        step.pool.answers["jwks"] = [.success((404, "{}"))]
        let root = step.run([Step.probe()])
        // The updated issuer's host was asked, which is told before and afterwards.
        #expect(root.kinds == [.keep, .keep, .failed])
        #expect(root.last?.reason == .configuration)
    }
}
