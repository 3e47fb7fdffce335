import Configuration
import HTTPClient
import Protocol
import Steps
import Testing
import Tokens

@Suite("Credentials of AWS") struct CredentialTests {
    private static let identityPool = "eu-west-1:12345678-1234-1234-1234-123456789012"
    private static let role = "arn:aws:iam::123456789012:role/Builder"
    private static let options = """
        aws_credentials=default=\(identityPool) admin=\(identityPool),\(role) build=\(role),30m

        """
    private static let identity = ScriptedPool.Answer.success((200, #"{"IdentityId":"eu-west-1:anas"}"#))
    private static let token = String(repeating: "t", count: 900)
    private static let given =
        #"{"IdentityId":"eu-west-1:anas","Credentials":{"AccessKeyId":"ASIAEXAMPLEEXAMPLE12","SecretKey":"se/cr+et","#
        + #""SessionToken":"\#(token)==","Expiration":1800003600.25}}"#
    private static let output =
        #"{"AccessKeyId":"ASIAEXAMPLEEXAMPLE12","Expiration":"2027-01-15T09:00:00Z","SecretAccessKey":"se/cr+et","#
        + #""SessionToken":"\#(token)==","Version":1}"#

    private static func assumed(_ expiration: String = "2027-01-15T09:00:00.250Z", more: String = "") -> String {
        "<R xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><Credentials>"
            + "<AccessKeyId>ASIAEXAMPLEEXAMPLE12</AccessKeyId><SecretAccessKey>se/cr+et</SecretAccessKey>"
            + "<SessionToken>\(token)==</SessionToken><Expiration>\(expiration)</Expiration></Credentials>\(more)</R>"
    }

    private static let good: [String: [ScriptedPool.Answer]] = [
        "GetId": [identity], "GetCredentialsForIdentity": [.success((200, given))],
    ]

    private static func run(
        _ name: String, known: String? = nil, _ answers: [String: [ScriptedPool.Answer]] = good,
        user: String = "alice", keySet: [UInt8]? = ScriptedPool.keySet, with more: String = "",
        prepare: (Step) -> Void = { _ in }
    ) -> (step: Step, root: ScriptedRoot) {
        let step = Step()
        prepare(step)
        step.pool.answers.merge(answers) { _, new in new }
        let session = step.genuineSession()
        let root = step.run([
            Step.makeCredential(
                session, name: name, options: options + more, known: known, userName: user, keySet: keySet)
        ])
        return (step, root)
    }

    @Test("an identity pool is asked who it is, and the next time not again")
    func identityPool() {
        // What an earlier version kept, and what another pool gave, is of no use.
        for known in [nil, "\(Self.identityPool) eu-west-1:anas", "eu-west-1:anas", "eu-west-1:other eu-west-1:anas"] {
            let (step, root) = Self.run("default", known: known)
            #expect(root.kinds == [.credentialMade])
            #expect(
                step.pool.operations == (known?.hasPrefix(Self.identityPool) == true ? [] : ["GetId"]) + [
                    "GetCredentialsForIdentity"
                ])
            #expect(root.last?.text(.credential) == Self.output)
            #expect(root.last?.fields[.credentialExpiry] == Step.number(1_800_003_600))
            #expect(root.last?.text(.identityID) == "\(Self.identityPool) eu-west-1:anas")
            let body = step.pool.bodies.last
            #expect(body?["CustomRoleArn"] == nil)
            let logins = body?["Logins"]?.members
            #expect(logins?.keys.sorted() == ["cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbCdEf123"])
        }
        let (step, root) = Self.run(
            "default", known: "\(Self.identityPool) eu-west-1:gone",
            [
                "GetId": [Self.identity],
                "GetCredentialsForIdentity": [
                    ScriptedPool.refusal("ResourceNotFoundException"), .success((200, Self.given)),
                ],
            ])
        #expect(root.kinds == [.credentialMade])
        #expect(step.pool.operations == ["GetCredentialsForIdentity", "GetId", "GetCredentialsForIdentity"])
    }

    @Test("another role of the person's is asked for by its name")
    func role() {
        let (step, root) = Self.run("admin")
        #expect(root.kinds == [.credentialMade])
        #expect(step.pool.bodies.last?["CustomRoleArn"]?.text == Self.role)
    }

    @Test(
        "STS is told the verified name, or what the pool calls the person where that is none for it",
        arguments: [("alice", "alice"), ("a", "s"), ("ana lópez", "s"), (String(repeating: "n", count: 65), "s")])
    func roleSession(user: String, name: String) {
        let (step, root) = Self.run("build", ["sts": [.success((200, Self.assumed()))]], user: user) { step in
            step.pool.claims["username"] = .string(user)
            step.pool.identityClaims["cognito:username"] = .string(user)
            step.pool.claims["sub"] = .string("s")
        }
        #expect(root.kinds == [.credentialMade])
        #expect(root.last?.text(.credential) == Self.output)
        #expect(root.last?.fields[.identityID] == nil)
        let form = step.pool.forms.last ?? ""
        #expect(
            form.hasPrefix(
                "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A123456789012%3Arole%2FBuilder"
                    + "&RoleSessionName=\(name)&DurationSeconds=1800&WebIdentityToken="))
    }

    @Test(
        "what is no answer, or a refusal, is a failure with its reason",
        arguments: [
            ("default", ScriptedPool.refusal("NotAuthorizedException", "Token expired"), .credentialRefused),
            ("default", ScriptedPool.refusal("ResourceNotFoundException"), .credentialRefused),
            ("default", ScriptedPool.refusal("InvalidIdentityPoolConfigurationException"), .credentialRefused),
            ("default", ScriptedPool.refusal("TooManyRequestsException"), .throttled),
            ("default", .success((500, "<html>")), .serviceFault), ("default", .success((200, "[]")), .serviceFault),
            ("default", .success((200, "{}")), .serviceFault),
            ("default", .success((200, given.replacing("ASIAEXAMPLEEXAMPLE12", with: "A\\nB"))), .serviceFault),
            ("default", .success((200, given.replacing("1800003600.25", with: "\"x\""))), .serviceFault),
            (
                "default", .success((200, given.replacing(token, with: String(repeating: "t", count: 100_000)))),
                .serviceFault
            ),
            ("default", .failure(.unreachable("no")), .unreachable), ("default", .failure(.timedOut), .unreachable),
            (
                "build",
                .success(
                    (
                        403,
                        "<ErrorResponse><Error><Code>AccessDenied</Code><Message>No</Message></Error></ErrorResponse>"
                    )),
                .credentialRefused
            ),
            ("build", .success((400, "<Error><Code>Throttling</Code></Error>")), .throttled),
            ("build", .success((400, "garbage")), .serviceFault), ("build", .success((200, "garbage")), .serviceFault),
            ("build", .success((200, assumed("tomorrow"))), .serviceFault),
            ("build", .success((200, assumed(more: "<SessionToken>other</SessionToken>"))), .serviceFault),
            ("build", .success((200, assumed().replacing("se/cr+et", with: "<b>x</b>"))), .serviceFault),
            ("build", .success((200, assumed().replacing("se/cr+et", with: "a&amp;b"))), .serviceFault),
            ("build", .failure(.unreachable("no")), .unreachable),
            ("nobodys", .success((200, given)), .configuration),
        ] as [(String, ScriptedPool.Answer, FailureReason)])
    func failures(name: String, answer: ScriptedPool.Answer, reason: FailureReason) {
        let (_, root) = Self.run(
            name, ["GetId": [Self.identity], "GetCredentialsForIdentity": [answer], "sts": [answer]])
        #expect(root.kinds == [.failed])
        #expect(root.last?.reason == reason)
        #expect(root.last?.text(.logText)?.contains(Self.token) == false)
    }

    @Test("the key set is fetched where there is none, and kept")
    func keySet() {
        let (step, root) = Self.run("default", keySet: nil)
        #expect(root.kinds == [.keep, .credentialMade])
        #expect(root.sent.first?.fields[.keySet] == ScriptedPool.keySet)
        #expect(step.pool.operations == ["jwks", "GetId", "GetCredentialsForIdentity"])
    }

    @Test(
        """
        the public keys that the pool's endpoint must have are not asked of AWS's other services; the proxy serves \
        both
        """
    )
    func pins() {
        let pin = Array("sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=".utf8)
        let proxy = Array("http://a:1".utf8)
        let path = """
            pinned_public_keys=\(String(decoding: pin, as: UTF8.self))
            proxy=\(String(decoding: proxy, as: UTF8.self))

            """
        let (step, root) = Self.run("default", with: path)
        #expect(root.kinds == [.credentialMade])
        #expect(step.pool.settings.map(\.options.pinnedPublicKeys) == [pin, nil])
        #expect(step.pool.settings.map(\.options.proxy) == [proxy, proxy])
    }

    @Test("nobody is asked with tokens that have ended, or are another person's")
    func tokens() {
        let ended = Self.run("default", ["GetId": [Self.identity]]) { step in
            step.pool.identityClaims["exp"] = .integer(step.clock.wall - 120)
        }
        #expect(ended.root.last?.reason == .invalidTokens && ended.step.pool.operations.isEmpty)
        let others = Self.run("default", ["GetId": [Self.identity]], user: "bob")
        #expect(others.root.last?.reason == .otherIdentity && others.step.pool.operations.isEmpty)
    }
}
