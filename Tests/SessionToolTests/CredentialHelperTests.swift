import Commands
import Testing
import TokenSigning
import Tokens

@testable import cognito_session

@Suite("Credentials for kubectl, git and docker")
struct CredentialHelperTests {
    private static let token = GrantedToken(
        kind: .id, text: "head.claims.signature", expiry: 1_800_003_600, key: 456, userName: "ana")

    // MARK: kubectl

    @Test("kubectl gets the form that it asks for")
    func execCredential() throws {
        for version in ["v1", "v1beta1"] {
            let name = "client.authentication.k8s.io/\(version)"
            let asked = #"{"apiVersion":"\#(name)","kind":"ExecCredential","spec":{"interactive":true}}"#
            let text = try KubernetesCredential(askedBy: Array(asked.utf8)).text(Self.token)
            #expect(
                text
                    == #"{"apiVersion":"\#(name)","kind":"ExecCredential","status":{"expirationTimestamp":"2027-01-15T09:00:00Z","#
                    + #""token":"head.claims.signature"}}"# + "\n")
        }
        #expect(try KubernetesCredential(askedBy: nil).apiVersion == "client.authentication.k8s.io/v1")
    }

    @Test(
        "kubectl gets none for what is no such question, or a cluster that anybody could be",
        arguments: [
            ("", false), ("x", false), ("[]", false), ("{}", false),
            (#"{"apiVersion":"client.authentication.k8s.io/v1alpha1","kind":"ExecCredential"}"#, false),
            (#"{"apiVersion":"client.authentication.k8s.io/v1","kind":"Pod"}"#, false),
            (#"{"apiVersion":1,"kind":"ExecCredential"}"#, false),
            (exec(#"{"server":"https://k.example.com:6443"}"#), true),
            (exec(#"{"server":"https://k.example.com","insecure-skip-tls-verify":false}"#), true),
            (exec(#"{"server":"https://k.example.com","insecure-skip-tls-verify":true}"#), false),
            (exec(#"{"server":"http://k.example.com"}"#), false),
            (exec(#"{"server":"HTTPS://k.example.com"}"#), true), (exec(#"{"server":"httpsx//k"}"#), false),
            (exec(#"{"server":""}"#), false), (exec("{}"), false), (exec("7"), false),
        ] as [(String, Bool)])
    func execInfo(asked: String, isAnswered: Bool) {
        let refusal = Result { try KubernetesCredential(askedBy: Array(asked.utf8)) }
        switch refusal {
        case .success: #expect(isAnswered)
        case .failure(let error): #expect((error as? Refusal)?.exitStatus == .usage && !isAnswered)
        }
    }

    private static func exec(_ cluster: String) -> String {
        #"{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":{"cluster":\#(cluster)}}"#
    }

    // MARK: git

    /// What becomes of a request of git's.
    private enum Outcome: Equatable {
        case given, silent, refused
    }

    @Test(
        "git gets a token for the named hosts, whose names have no case and 443 as their port, by https",
        arguments: [
            ("protocol=https\nhost=git.example.com\n", .given),
            ("protocol=https\nhost=git.example.com\npath=a/b\n\nhost=evil.example.com\n", .given),
            ("protocol=https\nhost=other.example.com:8443", .given),
            ("capability[]=state\nprotocol=https\nhost=git.example.com\nusername=ana\n\n", .given),
            ("protocol=https\nhost=git.example.com\nusername=bob\n", .silent),
            ("protocol=https\nhost=git.example.com\nusername=\n", .silent),
            ("protocol=https\nhost=git.example.com:8443\n", .silent),
            ("protocol=https\nhost=other.example.com\n", .silent),
            ("protocol=https\nhost=Git.Example.COM\n", .given),
            ("protocol=https\nhost=git.example.com:443\n", .given),
            ("protocol=https\nhost=GIT.EXAMPLE.COM:443\n", .given),
            ("protocol=https\nhost=Other.example.com:8443\n", .given),
            ("protocol=https\nhost=third.example.com\n", .given),
            ("protocol=HTTPS\nhost=git.example.com\n", .given),
            ("protocol=https\nhost=git.example.com:4433\n", .silent),
            ("protocol=https\nhost=git.example.com:443:443\n", .silent),
            ("protocol=https\nhost=git.example.com:0443\n", .silent),
            ("protocol=https\nhost=other.example.com:443\n", .silent),
            ("protocol=https\nhost=:443\n", .silent),
            ("protocol=https\nhost=g\u{0130}t.example.com\n", .silent),
            ("protocol=https\nhost=git.example.com.\n", .silent),
            ("protocol=https\nhost=git.example.com\r\n", .silent),
            ("protocol=https\nhost=git.example.com\0\n", .silent),
            ("protocol=https\nhost=xgit.example.com\n", .silent),
            ("protocol=https\nhost=git.example.com,other.example.com:8443\n", .silent),
            ("protocol=https\nhost=\n", .silent), ("protocol=https\n", .silent), ("", .silent),
            ("protocol=http\nhost=git.example.com\n", .refused),
            ("protocol=httpsx\nhost=git.example.com\n", .refused),
            ("host=git.example.com\n", .refused),
            ("protocol=https\nhost=git.example.com\nhost=evil.example.com\n", .refused),
            ("protocol=http\nprotocol=https\nhost=git.example.com\n", .refused),
            ("protocol=https\nhost=git.example.com\nnonsense\n", .refused),
            ("\0\u{1}", .refused),
        ] as [(String, Outcome)])
    private func git(request: String, expected: Outcome) throws {
        let outcome: Outcome
        do {
            let asked = try GitRequest(parsing: Array(request.utf8))
            let isNamed = try asked.isAbout(oneOf: "git.example.com,other.example.com:8443,Third.example.com:443")
            let answer = asked.answer(Self.token)
            outcome = isNamed && answer != nil ? .given : .silent
            if outcome == .given {
                #expect(
                    answer == """
                        username=ana
                        password_expiry_utc=1800003600
                        password=head.claims.signature

                        """)
            }
        } catch {
            #expect(error.exitStatus == .usage)
            outcome = .refused
        }
        #expect(outcome == expected)
    }

    @Test(
        "a token as such goes to a server that takes no password, from a git that can",
        arguments: [
            (["authtype"], ["Bearer realm=x"], true), (["authtype"], ["bearer"], true),
            (["authtype"], ["Bearer realm=x", "Basic realm=x"], false), (["authtype"], ["Basic realm=x"], false),
            (["authtype"], [], false), (["state"], ["Bearer"], false), ([], ["Bearer"], false),
        ] as [([String], [String], Bool)])
    func bearer(capabilities: [String], challenges: [String], isBearer: Bool) throws {
        let lines =
            capabilities.map { name in "capability[]=\(name)" } + ["protocol=https", "host=git.example.com"]
            + challenges.map { field in "wwwauth[]=\(field)" }
        let answer = try #require(GitRequest(parsing: Array(lines.joined(separator: "\n").utf8)).answer(Self.token))
        #expect(
            answer.hasPrefix("capability[]=authtype\nauthtype=Bearer\ncredential=head.claims.signature\n") == isBearer)
        #expect(answer.contains("password=head.claims.signature\n") != isBearer)
    }

    @Test("a name that would be another line of the answer is given to nobody")
    func hostileName() throws {
        var token = Self.token
        token.userName = "ana\nhost=evil.example.com"
        #expect(try GitRequest(parsing: Array("protocol=https\nhost=g\n".utf8)).answer(token)?.isEmpty == true)
    }

    // MARK: docker

    private static let registries = DockerRegistries(
        configuration: Array(
            #"""
            {"auths":{"a.example.com":{}},"credsStore":"cognito","credHelpers":{"r.example.com":"cognito",
             "s.example.com:5000":"cognito","http://t.example.com":"cognito","u.example.com":"pass","v.example.com":7}}
            """#.utf8))

    @Test(
        "docker gets a token for the registries that its configuration names",
        arguments: [
            ("r.example.com", true), ("r.example.com\n", true), ("https://r.example.com", true),
            ("s.example.com:5000", true), ("s.example.com", false), ("http://r.example.com", false),
            ("https://r.example.com/v1/", false), ("http://t.example.com", false), ("u.example.com", false),
            ("v.example.com", false), ("a.example.com", false), ("", false), ("\n", false), ("R.Example.COM", true),
            ("HTTPS://r.example.com:443", true), ("r.example.com:444", false), ("S.example.com:5000", true),
            ("HTTP://t.example.com", false), ("r.example.com.", false), ("https://", false),
        ] as [(String, Bool)])
    func registry(address: String, isNamed: Bool) throws {
        do {
            let registry = try Self.registries.registry(Array(address.utf8))
            #expect(isNamed)
            let answer = JSONValue(parsing: Array(Self.registries.answer(registry, Self.token).utf8))
            #expect(answer?["ServerURL"]?.text == address.split(separator: "\n").first.map(String.init))
            #expect(answer?["Username"]?.text == "ana")
            #expect(answer?["Secret"]?.text == Self.token.text)
        } catch {
            #expect(error.exitStatus == .usage && !isNamed)
        }
    }

    @Test(
        "no configuration, or one that is none, names nothing", arguments: [nil, "", "x", "[]", #"{"credHelpers":[]}"#])
    func noRegistries(configuration: String?) {
        let registries = DockerRegistries(configuration: configuration.map { text in Array(text.utf8) })
        #expect(registries.list("ana") == "{}\n")
        #expect(throws: Refusal.self) { try registries.registry(Array("r.example.com".utf8)) }
    }

    @Test("docker may store what it got here, and nothing else")
    func store() throws {
        let session = try TokenRequest.session(ReportTests.status()).0
        let own = session.idToken.text ?? ""
        let cases: [(String, ExitCode?)] = [
            (#"{"ServerURL":"r.example.com","Username":"ana","Secret":"\#(own)"}"#, nil),
            (#"{"ServerURL":"r.example.com","Username":"ana","Secret":"\#(own)x"}"#, .fault),
            (#"{"ServerURL":"r.example.com","Username":"ana","Secret":""}"#, .fault),
            (#"{"ServerURL":"x.example.com","Username":"ana","Secret":"\#(own)"}"#, .usage),
            (#"{"ServerURL":"r.example.com"}"#, .usage), ("", .usage), ("[]", .usage),
        ]
        for (request, status) in cases {
            var refusal: Refusal?
            do throws(Refusal) {
                try Self.registries.store(Array(request.utf8), ReportTests.status())
            } catch {
                refusal = error
            }
            #expect(refusal?.exitStatus == status, "\(request)")
        }
        #expect(throws: Refusal.self) {
            try Self.registries.store(Array(cases[0].0.utf8), SessionStatus(finding: .absent(.noSignIn)))
        }
    }

    // MARK: All of them

    @Test(
        "the access token goes out only when it is asked for",
        arguments: [
            (.token, [:], .access), (.token, [.id: .given], .id), (.token, [.header: .given], .id),
            (.token, [.header: .given, .access: .given], .access), (.exec, [:], .access),
            (.exec, [.header: .given], .id), (.claims, [:], .access), (.kubeCredential, [:], .id),
            (.kubeCredential, [.access: .given], .access), (.gitCredential, [:], .id),
            (.gitCredential, [.access: .given], .access), (.dockerCredential, [:], .id),
        ] as [(Command, [Option: Value], TokenKind)])
    func kind(command: Command, options: [Option: Value], kind: TokenKind) {
        #expect(Invocation(command, options).tokenKind == kind)
    }

    @Test("what would end a header's line is no token", arguments: ["", "a\nb", "a b", "a\u{7f}", "é"])
    func unfit(text: String) {
        var token = Self.token
        #expect(token.isFit)
        #expect(token.header == "Authorization: Bearer head.claims.signature")
        token.text = text
        #expect(!token.isFit)
    }
}
