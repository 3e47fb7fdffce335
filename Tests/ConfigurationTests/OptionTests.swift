import Base
import FoundationEssentials
import Testing

@testable import Configuration

/// Values that an option takes, and values that it does not.
private struct Values: CustomTestStringConvertible {
    let option: Option
    let good: [String]
    let bad: [String]

    var testDescription: String { option.name }

    static let all = [
        Values(
            option: "user_pool_id",
            good: ["eu-west-1_AbCdEf123", "us-gov-west-1_0", "local_a", "a_" + String(repeating: "b", count: 53)],
            bad: [
                "eu-west-1", "_AbC", "eu-west-1_", "eu west_1a", "eu-west-1_Ab-C", "eu-west-1_a_b", "../x_1", "é_1",
                "a_" + String(repeating: "b", count: 54),
            ]
        ),
        Values(
            option: "client_id",
            good: ["a", "0_+Z", String(repeating: "c", count: 128)],
            bad: ["a b", "a-b", "a.b", "é", String(repeating: "c", count: 129)]
        ),
        Values(
            option: "client_secret_file",
            good: ["/a", "/etc/security/with blank", "/" + String(repeating: "a", count: 1023)],
            bad: ["1example9secret", "~/a", "./a", "/" + String(repeating: "a", count: 1024)]
        ),
        // Whatever stands there is a name; names are not interpreted.
        Values(option: "users", good: ["alice", "alice  bob", "alice\tbob", "josé"], bad: []),
        Values(option: "unix_group", good: ["people", "domain-users", "gruppé"], bad: ["a b", "a\tb"]),
        Values(
            option: "authenticating_users", good: ["postgres", "postgres www-data"], bad: ["root", "postgres root"]),
        Values(option: "allowed_groups", good: ["*", "admins", "admins staff"], bad: ["* admins", "admins *", "* *"]),
        Values(option: "denied_groups", good: ["guests", "guests contractors"], bad: ["*", "guests *"]),
        Values(option: "key_logins", good: ["ignore", "refuse"], bad: ["yes", "allow", "Refuse"]),
        Values(
            option: "minimum_uid", good: ["1", "1000", "0001000", "4294967294"],
            bad: ["0", "-1", "+1", "4294967295", "1e3", "0x10", "1 0", "one", "99999999999999999999999"]
        ),
        Values(option: "accounts", good: ["none", "directory"], bad: ["yes", "Directory", "none directory"]),
        Values(
            option: "account_names", good: ["*@example.com", "dev-* ?im", "*"],
            bad: ["Ana", "a,b", "*@exämple.com", "a/b"]),
        Values(
            option: "account_uids", good: ["65536-99999", "1000-1000", "1879048192-2147483647"],
            bad: [
                "999-2000", "2000-1999", "1000-2147483648", "-1-2000", "1000", "1000-", "-", "1000 - 2000",
                "1000-2000-3000", "0-0",
            ]),
        Values(option: "account_shell", good: ["/bin/sh"], bad: ["bash", "/bin/a:b", "/bin/a b", "/é"]),
        Values(
            option: "account_home", good: ["/home/{user}", "/srv/{user}/home", "/{user}"],
            bad: ["/home", "/home/{user}/{user}", "home/{user}", "/home/{user}:", "/home/{User}", "/home/{user} x"]),
        Values(option: "account_subids", good: ["yes", "no"], bad: ["Yes", "true", "65536"]),
        Values(
            option: "username_template",
            good: ["{user}", "{user}@example.com", "{user}@a", "{user}@" + String(repeating: "a", count: 99)],
            bad: [
                "user", "{user", "a{user}", "{user}example.com", "{user}@", "{user}@{user}", "{user}{user}",
                "{user}@a b", "{user}@a@b", "{user}@a/b", "{User}", "{user}@" + String(repeating: "a", count: 100),
            ]
        ),
        Values(
            option: "auth_flow", good: ["srp", "password", "choice", "custom"],
            bad: ["SRP", "srp ,", "user", "srp password"]
        ),
        Values(
            option: "preferred_challenge", good: ["none", "password_srp", "password", "email_otp", "sms_otp"],
            bad: ["webauthn", "EMAIL_OTP", "email", "srp", "password srp"]
        ),
        Values(option: "combined_code", good: ["yes", "no"], bad: ["Yes", "6", "on"]),
        Values(option: "remember_device", good: ["yes", "no"], bad: ["always", "1"]),
        Values(option: "max_failures", good: ["0", "1", "3", "1000"], bad: ["-1", "1001", "three", "3 5", "no"]),
        Values(
            option: "fail_interval", good: ["1m", "60", "10m", "24h"], bad: ["0", "59s", "25h", "10 m", "forever"]),
        Values(
            option: "local_password", good: ["never", "unavailable"],
            bad: ["yes", "no", "always", "Never", "never unavailable"]),
        Values(option: "try_session", good: ["yes", "no"], bad: ["always", "1", "YES"]),
        Values(
            option: "try_session_age", good: ["1s", "5m", "24h", "90"],
            bad: ["0", "0s", "25h", "1441m", "5 m", "forever"]),
        Values(
            option: "required_acr",
            good: ["urn:cognito:loa:4", "urn:cognito:loa:4  urn:cognito:loa:3", String(repeating: "a", count: 64)],
            bad: ["é", "a\"b", "a\\b", String(repeating: "a", count: 65), "1 2 3 4 5 6 7 8 9"]),
        Values(option: "max_age", good: ["1s", "8h", "7d"], bad: ["0", "0s", "8d", "never"]),
        Values(option: "session", good: ["auto", "open", "never"], bad: ["yes", "none", "Never"]),
        Values(
            option: "sign_out", good: ["global", "last", "session", "none"], bad: ["first", "Global", "no", "all"]),
        Values(
            option: "sign_out_wait", good: ["0", "0s", "5", "60s", "1m"],
            bad: ["61s", "2m", "-1s", "5 s", "5ms", "s", "1.5s", "9999999999s", "1h"]
        ),
        Values(
            option: "check_interval", good: ["0", "0s", "1s", "10m", "24h"], bad: ["25h", "-1", "never", "1.5m", "2d"]),
        Values(option: "renew_ahead", good: ["yes", "no"], bad: ["5m", "always", "1"]),
        Values(option: "lock_tokens", good: ["yes", "no"], bad: ["screen", "always", "1"]),
        Values(option: "export_tokens", good: ["yes", "no"], bad: ["sealed", "always", "1"]),
        Values(option: "on_revoked", good: ["notify"], bad: ["Lock", "end", "notify lock", "wall"]),
        Values(
            option: "idle_sign_out", good: ["0", "0m", "5m", "300", "30m", "7d"],
            bad: ["1", "299s", "4m", "8d", "never", "-5m"]),
        Values(option: "keyring", good: ["session", "user"], bad: ["User", "yes", "root", "session user"]),
        Values(option: "refresh_token", good: ["session", "root"], bad: ["user", "Session", "none"]),
        Values(
            option: "refresh_token_validity", good: ["1h", "60m", "3600", "30d", "3650d"],
            bad: ["59m", "3599s", "3651d", "30", "30 d", "d", "999999999d", "1w"]
        ),
        Values(option: "network_timeout", good: ["1s", "15", "2m"], bad: ["0", "0s", "121s", "3m", "1h", "fast"]),
        Values(option: "connect_timeout", good: ["1s", "60", "1m"], bad: ["0", "61s", "2m", "1d"]),
        Values(
            option: "preconnect", good: ["no", "connect", "begin", "yes"],
            bad: ["Yes", "true", "1", "on", "yes no", "connect begin", "Begin", "srp"]),
        Values(option: "send_client_address", good: ["yes", "no"], bad: ["PAM_RHOST", "1"]),
        Values(option: "send_client_metadata", good: ["yes", "no"], bad: ["service", "true"]),
        Values(option: "isolate_sessions", good: ["yes", "no"], bad: ["YES", "false", "0", "off"]),
        Values(option: "journal", good: ["yes", "no"], bad: ["/var/lib/journal", "1"]),
        Values(
            option: "iam_credentials_file", good: ["/etc/security/keys"],
            bad: ["AKIAIOSFODNN7EXAMPLE", "~/.aws/credentials"]),
        Values(option: "iam_instance_metadata", good: ["yes", "no"], bad: ["http://169.254.169.254", "v2"]),
        Values(
            option: "metrics_directory", good: ["/var/lib/prometheus/node-exporter", "/"],
            bad: ["yes", "metrics", "~/metrics", "https://gateway.example.com"]),
        Values(
            option: "group_map",
            good: ["a:b", "linux-admins:sudo linux-dev:docker,www-data", "línux:x:_y.z-1", "a:A"],
            bad: [
                "a", "a:", ":b", "a:b,", "a:,b", "a:b a:c", "a:root", "a:b,root", "a:0", "a:-b", "a:b c", "a:b;c",
                "a:\(String(repeating: "b", count: 33))", "a:é",
            ]),
        Values(
            option: "account_ssh_key_attribute", good: ["custom:sshPublicKey", "profile"],
            bad: ["a b", "é", String(repeating: "a", count: 33)]),
        Values(
            option: "account_uid_claim", good: ["custom:uid"], bad: ["custom: uid", String(repeating: "a", count: 33)]),
        Values(
            option: "account_removal_limit", good: ["0", "0%", "100%", "5", "4294967295"],
            bad: ["101%", "-1", "%", "10 %", "ten", "4294967296", "1.5%"]),
        Values(option: "welcome", good: ["yes", "no"], bad: ["y", "n", "maybe"]),
        Values(option: "translate_prompts", good: ["yes", "no"], bad: ["es", "English", "1"]),
        Values(
            option: "endpoint",
            good: [
                "https://a", "https://cognito.example.com", "https://127.0.0.1:8443", "https://a:65535", "https://a:1",
                "https://a https://b:1", "https://a \t https://b https://c https://d",
            ],
            bad: [
                "http://a", "HTTPS://a", "https://", "https://a/", "https://a/path", "https://u@a", "https://a:0",
                "https://a:65536", "https://a:", "https://a:1:2", "https://[::1]", "https://a b", "a", "https://a?b",
                "https://a, https://b", "https://a;https://b", "https://a https://b https://a",
                "https://a https://b https://c https://d https://e",
                "https://" + String(repeating: "a", count: 293),
            ]
        ),
        Values(option: "ca_file", good: ["/etc/ssl/ca.pem"], bad: ["ca.pem", "https://a"]),
        Values(option: "key_set_file", good: ["/etc/security/keys.json"], bad: ["keys.json", "https://a/jwks.json"]),
        Values(
            option: "pinned_public_keys", good: [pin, "\(pin);\(pin)", "\(pin) ; \(pin)"],
            bad: [
                "sha256//", String(pin.dropFirst(8)), String(pin.dropLast()), "\(pin);", ";\(pin)", "\(pin) \(pin)",
                "\(pin)=",
                pin.replacing("sha256//", with: "sha1//"), pin.replacing("sha256//", with: "SHA256//"),
                pin.replacing("U=", with: "=="), pin.replacing("U=", with: "V="), pin.replacing("DEQ", with: "D-Q"),
                "\(pin);sha256//short", "/etc/ssl/key.pem",
            ]),
        Values(
            option: "proxy",
            good: ["http://proxy.example.com:3128", "https://127.0.0.1:443", "socks5h://a:1080"],
            bad: [
                "none", "proxy:3128", "http://proxy", "http://proxy:0", "http://proxy:3128/", "socks5://a:1080",
                "socks4a://a:1080", "http://:3128", "http://u:p@proxy:3128", "HTTP://a:1", "https://a:1 https://b:1",
            ]),
        Values(
            option: "aws_credentials",
            good: [
                "default=\(identityPool)", "a.b-c_D9=\(identityPool),\(role)", "a=\(role)", "a=\(role),12h",
                "a=\(role),15m b=\(role),900  c=\(identityPool)", "a=arn:aws-us-gov:iam::123456789012:role/path/Name",
            ],
            bad: [
                identityPool, "=\(identityPool)", "a b=\(role)", "-a=\(role)", "a/b=\(role)", "a=", "a=b",
                "a=eu-west-1:",
                "a=\(role),14m", "a=\(role),13h", "a=\(role),", "a=\(role),1h,1h", "a=\(identityPool),1h",
                "a=\(role) a=\(role)", "a=arn:aws:iam::123456789012:user/Ana", "a=arn:aws:s3::123456789012:role/R",
                "a=https://a", "a=\(identityPool):x", "\(String(repeating: "n", count: 65))=\(role)",
            ]),
        Values(option: "aws_endpoint", good: ["https://a", "https://a:8443"], bad: ["http://a", "https://a/", "a"]),
        Values(option: "federated", good: ["no", "yes", "only"], bad: ["maybe", "Yes"]),
        Values(
            option: "managed_login_domain", good: ["auth.example.com", "a:8443"],
            bad: ["https://a", "a/b", "a b", "a:0", "a@b"]),
        Values(
            option: "identity_provider", good: ["Okta", "Azure-AD", "Prüfer"],
            bad: ["ab", "a_b", "two words", String(repeating: "x", count: 129)]),
        Values(
            option: "redirect_uri",
            good: ["https://a.example.com/done", "http://localhost", "http://localhost:8080/x", "http://127.0.0.1/x"],
            bad: [
                "http://example.com/", "http://localhost.example.com/", "https://", "https://a?b", "https://a#b",
                "https://a/b c", "https://\(String(repeating: "x", count: 121))",
            ]),
        Values(option: "identity_claim", good: ["email", "custom:login"], bad: ["two words", "ü"]),
        Values(
            option: "managed_login_scopes", good: ["openid", "openid aws.cognito.signin.user.admin", "email openid"],
            bad: ["email", "openid \"x\"", "openid ü"]),
        Values(option: "browser_session", good: ["ask", "accept"], bad: ["yes"]),
        Values(option: "browser_sign_out", good: ["yes", "no"], bad: ["linked"]),
    ]
}

private let identityPool = "eu-west-1:12345678-1234-1234-1234-123456789012"
private let role = "arn:aws:iam::123456789012:role/Builder"

/// A pinned key: 32 bytes in base64.
private let pin = "sha256//MDEQMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElKS0xNTlU="

@Suite struct OptionTests {
    @Test("each option is in the table of values, once")
    func complete() {
        #expect(Values.all.map(\.option) == Option.all)
    }

    @Test(
        "good values are taken, and the worker gets what it obeys of them",
        arguments: Values.all.filter { values in values.option.mayStandInFile })
    private func good(values: Values) throws {
        for value in values.good {
            let text = needed(except: values.option, plus: value)
            #expect(throws: Never.self, "\(value)") {
                let settings = try settings(text)
                #expect(WorkerSettings(settings.workerOptions) == settings.worker)
            }
        }
    }

    @Test("what travels to the worker is the worker's, and nothing else is understood there")
    func worker() throws {
        let settings = try settings(
            minimal + "proxy = http://a:1\npinned_public_keys = \(pin) ; \(pin)\nwelcome = no\n")
        #expect(
            String(decoding: settings.workerOptions, as: UTF8.self)
                == "proxy=http://a:1\npinned_public_keys=\(pin) ; \(pin)\n")
        #expect(WorkerSettings([]) == WorkerSettings())
        for text in ["welcome=no\n", "proxy\n", "proxy=\n", "proxy=a\n", "=\n", "other=1\n", "\n=\0"] {
            #expect(WorkerSettings(Array(text.utf8)) == nil)
        }
    }

    @Test(
        "credentials of AWS are found by their name",
        arguments: [
            ("default", .identityPool(Array(identityPool.utf8), role: nil)),
            ("admin", .identityPool(Array(identityPool.utf8), role: Array(role.utf8))),
            ("build", .role(Array(role.utf8), seconds: 3600)), ("short", .role(Array(role.utf8), seconds: 900)),
            ("", nil), ("Default", nil), ("other", nil),
        ] as [(String, AWSCredentials?)])
    func credentials(name: String, source: AWSCredentials?) throws {
        let settings = try settings(
            minimal
                + "aws_credentials = default=\(identityPool) admin=\(identityPool),\(role) build=\(role) "
                + "short=\(role),15m\n"
        )
        #expect(settings.worker.awsCredentials(named: Array(name.utf8)) == source)
        #expect(WorkerSettings().awsCredentials(named: Array(name.utf8)) == nil)
    }

    @Test(
        "bad values are refused with the line, what was found and what is allowed",
        arguments: Values.all.filter { values in values.option.mayStandInFile })
    private func bad(values: Values) {
        for value in values.bad {
            let text = needed(except: values.option, plus: value)
            let line = text.split(separator: "\n").count
            let message = message(of: text)
            let found = ByteText("\(quoting: Array(value.utf8))").string
            // By mistake, the value may be the secret itself.
            let isSecret =
                ["client_secret_file", "iam_credentials_file"].contains(values.option)
                || values.option == "proxy" && value.contains("@")
            let told = isSecret ? "the given value" : found
            #expect(message == "F:\(line): \(values.option.name) cannot be \(told); allowed: \(values.option.allowed)")
        }
    }

    @Test("a mistake in an option that decides which accounts are managed is known", arguments: Values.all)
    private func doubts(values: Values) throws {
        // Without it, a level that is required changes nothing.
        var usual = Settings()
        usual.allowsLocalPasswords = true
        var decided: Set<CoverageDoubt> = []
        for value in values.good {
            var settings = usual
            var assignment = Assignment(of: Array(value.utf8)[...], to: Array(values.option.name.utf8)[...])
            settings.set(by: &assignment)
            decided.formUnion(CoverageDoubt.differences(usual.coverage, settings.coverage))
        }
        let doubt = CoverageDoubt(mistakeIn: Array("\(values.option.name) =".utf8)[...])
        #expect(decided == Set([doubt].compactMap(\.self)))
    }

    @Test("no value at all is refused", arguments: Option.all.filter(\.mayStandInFile))
    func empty(option: Option) {
        let text = needed(except: option, plus: " \t ")
        let line = text.split(separator: "\n").count
        #expect(message(of: text) == "F:\(line): \(option.name) has no value; allowed: \(option.allowed)")
    }

    @Test("each option sets a field of its own, and each field is set by one")
    func fields() throws {
        let fresh = Settings().fields
        var found: [String] = []
        for values in Values.all {
            // One value may be the default, and one of a choice has to do with other options.
            let candidates =
                values.good + values.option.allowed.split { letter in ", ".contains(letter) }.map(String.init)
            let changed = try candidates.lazy.map { value in try values.option.fields(setBy: value) }
                .first { changed in !changed.isEmpty }
            found += changed ?? []
        }
        #expect(found.sorted() == fresh.keys.sorted())
    }

    @Test("each field is used somewhere")
    func uses() throws {
        let sources = try Repository.sources
        for name in Settings().fields.keys {
            let uses = sources.filter { path, text in
                path.contains("/Configuration/Settings.swift")
                    ? text.components(separatedBy: "\n").contains { line in
                        line.contains(name) && !line.hasPrefix("    package var ")
                    }
                    : !path.contains("/Configuration/") && text.contains(".\(name)")
            }
            #expect(!uses.isEmpty, "\(name)")
        }
    }

    @Test("the table has each name once, in order; names are lower-case words and texts are printable ASCII")
    func names() {
        for (number, option) in zip(1..., Option.all) {
            #expect(option.row == number)
            #expect(option.name.utf8.allSatisfy { byte in byte == 0x5f || (0x61...0x7a).contains(byte) })
            #expect(Option(option.name.uppercased()) == nil)
            #expect(!option.allowed.isEmpty)
            #expect(option.allowed.utf8.allSatisfy { byte in (0x20...0x7e).contains(byte) })
        }
        #expect(Option.count == Option.all.count)
    }

    @Test(
        "an option may stand in the PAM stack only where the table says so",
        arguments: Values.all)
    private func moduleArguments(values: Values) {
        guard let value = values.good.first else {
            return
        }
        let message = message(of: minimal, arguments: ["\(values.option.name)=\(value)"])
        if values.option.mayBeModuleArgument {
            #expect(message == nil)
        } else {
            #expect(
                message
                    == """
                    in this service's pam_cognito.so lines: \(values.option.name) is not allowed as a module argument \
                    in the PAM stack. Set the option in the configuration file
                    """)
        }
    }

    @Test("what opens a service without a question is for that service alone")
    func notInTheFile() {
        #expect(
            message(of: minimal + "try_session = yes\n")
                == """
                F:5: try_session is not allowed in the configuration file. Add the option after pam_cognito.so in the \
                auth line of a service
                """
        )
        #expect(message(of: minimal, arguments: ["try_session=maybe"])?.contains("allowed: yes or no") == true)
        #expect(Option.all.filter { option in !option.mayStandInFile } == ["try_session", "session"])
    }

    @Test("times are understood in all their units")
    func times() throws {
        let settings = try settings(
            minimal + "sign_out_wait = 1m\nnetwork_timeout = 20\nconnect_timeout = 7s\nrefresh_token_validity = 2h\n")
        #expect(settings.signOutWait == 60_000)
        #expect(settings.networkTimeout == 20_000)
        #expect(settings.connectTimeout == 7000)
        #expect(settings.refreshTokenValidity == 7200 && settings.givenRefreshTokenValidity == 7200)
        let others = try Settings(parsing: Array(minimal.utf8), arguments: [])
        #expect(others.refreshTokenValidity == 30 * 86_400 && others.givenRefreshTokenValidity == nil)
        #expect(settings.checkInterval == 600)
    }

    @Test("an argument in the PAM stack wins over the file")
    func precedence() throws {
        let settings = try settings(minimal + "sign_out = none\n", arguments: ["sign_out=session", "welcome=no"])
        #expect(settings.signOut == .session)
        #expect(!settings.welcome)
    }

    @Test(
        "what is done to sessions that ended elsewhere does not go together with ending them everywhere",
        arguments: [
            ("on_revoked = notify\nsign_out = global", [], true), ("on_revoked = lock\nsign_out = last", [], true),
            ("on_revoked = terminate\nsign_out = session", [], true),
            ("on_revoked = terminate\nsign_out = none", [], true),
            ("on_revoked = lock", [], false), ("sign_out = global\non_revoked = terminate", [], false),
            ("on_revoked = lock\nsign_out = last", ["sign_out=global"], false),
            // A service's own does not make the file right, which is all that the reaper knows.
            ("on_revoked = lock", ["sign_out=last"], false),
        ])
    func endedElsewhere(lines: String, arguments: [String], isGood: Bool) {
        let message = message(of: minimal + lines + "\n", arguments: arguments)
        #expect((message == nil) == isGood)
        #expect(message?.hasSuffix(". Set sign_out = last") ?? true)
    }

    @Test("the keys of an IAM identity come from one place")
    func identity() throws {
        let file = "iam_credentials_file = /etc/keys\n"
        let both = message(of: minimal + file + "iam_instance_metadata = yes\n")
        #expect(both?.contains("Remove one of the two options") == true)
        #expect(try settings(minimal + file + "iam_instance_metadata = no\n").hasIAMIdentity)
        #expect(try settings(minimal + "iam_instance_metadata = yes\n").hasIAMIdentity)
        #expect(try !settings(minimal).hasIAMIdentity)
    }

    @Test("groups are compared as bytes, and * means everybody")
    func groups() throws {
        let some = try settings(needed(except: "allowed_groups", plus: "admins jos\u{e9}"))
        #expect(some.allowedGroups == .these([Array("admins".utf8), Array("jos\u{e9}".utf8)]))
        #expect(some.decide([Array("x".utf8), Array("admins".utf8)]) == .allowed(Array("admins".utf8)))
        for groups in [[], ["Admins"], ["admin"], ["jose\u{301}"], ["*"], ["admins "]] as [[String]] {
            #expect(some.decide(groups.map { group in Array(group.utf8) }) == .notAllowed)
        }
        #expect(try settings(needed(except: "allowed_groups", plus: "*")).decide([]) == .everybody)
    }

    @Test("the name sent to Cognito follows the template", arguments: [("{user}", "al"), ("{user}@a.b", "al@a.b")])
    func loginName(template: String, expected: String) throws {
        let settings = try settings(needed(except: "username_template", plus: template))
        #expect(settings.loginName(for: Array("al".utf8)) == Array(expected.utf8))
    }
}
