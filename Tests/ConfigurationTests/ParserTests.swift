import Base
import Configuration
import Testing

@testable import struct Fakes.Seeded

/// A configuration and the whole message that it gets; none when it is right.
private struct Mistake: CustomTestStringConvertible {
    let name: String
    let text: [UInt8]
    var arguments: [String] = []
    let message: String?

    var testDescription: String { name }

    init(_ name: String, _ text: String, arguments: [String] = [], _ message: String?) {
        self.init(name, Array(text.utf8), arguments: arguments, message)
    }

    init(_ name: String, _ text: [UInt8], arguments: [String] = [], _ message: String?) {
        self.name = name
        self.text = text
        self.arguments = arguments
        self.message = message
    }

    private static func with(_ bytes: [UInt8]) -> [UInt8] {
        Array(minimal.utf8) + bytes
    }

    private static let notText =
        "F:5: the line contains bytes that are not UTF-8 text. Save the file as UTF-8 without control characters"

    static let all: [Mistake] = [
        Mistake("minimal", minimal, nil),
        Mistake("CRLF", minimal.split(separator: "\n").joined(separator: "\r\n") + "\r\n", nil),
        Mistake("no newline at the end", String(minimal.dropLast()), nil),
        Mistake("blanks around all", minimal.split(separator: "\n").map { "\t \($0)  " }.joined(separator: "\n"), nil),
        Mistake("comments of any bytes", with([0x23, 0xff, 0x00, 0x0a, 0x20, 0x23, 0x07]), nil),
        Mistake("empty lines", "\n\n" + minimal + "\n \n\t\n", nil),

        Mistake(
            "unknown key with a near one", minimal + "sing_out = none\n",
            "F:5: unknown key 'sing_out'; did you mean sign_out?"),
        Mistake(
            "unknown key with none near", minimal + "colour = blue\n",
            "F:5: unknown key 'colour'; see pam_cognito.conf(5)"),
        Mistake(
            "upper case is another key", minimal + "WELCOME = no\n",
            "F:5: unknown key 'WELCOME'; see pam_cognito.conf(5)"),
        Mistake(
            "long unknown key", minimal + String(repeating: "k", count: 70) + " = 1",
            "F:5: unknown key '" + String(repeating: "k", count: 60) + "...'; see pam_cognito.conf(5)"),
        Mistake("no key", minimal + "= blue\n", "F:5: unknown key ''; see pam_cognito.conf(5)"),
        Mistake(
            "a secret in place of its file", minimal + "client_secret = abc\n",
            "F:5: unknown key 'client_secret'; see pam_cognito.conf(5)"),
        Mistake("no '='", minimal + "welcome no\n", "F:5: the line has no '='. Write: key = value"),
        Mistake(
            "byte order mark", [0xef, 0xbb, 0xbf] + Array(minimal.utf8),
            "F:1: unknown key '???user_pool_id'; did you mean user_pool_id?"),
        Mistake(
            "given twice", minimal + "\nclient_id = x\n",
            "F:6: client_id is set twice: it is already set in line 2. Remove one of the lines"),
        Mistake(
            "value with '='", minimal + "endpoint = https://a=b\n",
            """
            F:5: endpoint cannot be 'https://a=b'; allowed: one to four addresses such as https://host or \
            https://host:port, separated by spaces
            """
        ),
        Mistake(
            "a comment after a value is part of it", minimal + "welcome = no # quiet\n",
            "F:5: welcome cannot be 'no # quiet'; allowed: yes or no"),

        Mistake("not UTF-8", with(Array("users = jos".utf8) + [0xe9]), notText),
        Mistake("overlong UTF-8", with(Array("users = ".utf8) + [0xc0, 0xaf]), notText),
        Mistake("surrogate", with(Array("users = ".utf8) + [0xed, 0xa0, 0x80]), notText),
        Mistake("beyond Unicode", with(Array("users = ".utf8) + [0xf4, 0x90, 0x80, 0x80]), notText),
        Mistake("cut short", with(Array("users = ".utf8) + [0xe2, 0x82]), notText),
        Mistake("NUL", with(Array("users = a".utf8) + [0]), notText),
        Mistake("escape", with(Array("users = \u{1b}[2J".utf8)), notText),
        Mistake("C1 control", with(Array("users = \u{9b}2J".utf8)), notText),
        Mistake("delete", with(Array("users = \u{7f}".utf8)), notText),
        Mistake("CR within a line", with(Array("users = a\rb".utf8)), notText),
        Mistake("CR twice at the end", with(Array("welcome = no\r\r\n".utf8)), notText),

        Mistake(
            "empty", "",
            "F: user_pool_id is required but missing; allowed: a user pool id such as eu-west-1_AbCdEf123"),
        Mistake(
            "no pool", needed(except: "user_pool_id"),
            "F: user_pool_id is required but missing; allowed: a user pool id such as eu-west-1_AbCdEf123"),
        Mistake(
            "no client", needed(except: "client_id"),
            "F: client_id is required but missing; allowed: "
                + "an app client id with 1 to 128 letters, digits, '_' or '+'"),
        Mistake(
            "no groups", needed(except: "allowed_groups"),
            "F: allowed_groups is required but missing; allowed: "
                + "names of Cognito groups, separated by spaces, or an asterisk for every user of the pool"),
        Mistake(
            "nobody covered", needed(except: "unix_group"),
            """
            F: users, unix_group and accounts are all missing. One of these options must specify the managed \
            accounts
            """),
        Mistake(
            "accounts by sign-in for no names", needed(except: "unix_group") + "accounts = sign-in\n",
            "F: accounts = sign-in needs account_names, which lists the names that may try to sign in, such "
                + "as account_names = "
                + "*@example.com"
        ),
        Mistake(
            "an identity provider without a domain", minimal + "federated = yes\n",
            "F: federated = yes needs managed_login_domain: see pam_cognito.conf(5)"),
        Mistake(
            "an identity provider beside a sign-in without a password",
            minimal + federation + "federated = yes\nauth_flow = custom\n",
            """
            F: federated = yes needs an auth_flow that starts with the password prompt, where users can press Enter to \
            sign in with a browser instead. Set auth_flow = srp, or federated = only
            """),
        Mistake(
            "only an identity provider", minimal + federation + "federated = only\nauth_flow = custom\n", nil),
        Mistake(
            "the browser's session and GlobalSignOut",
            minimal + federation + "federated = only\nbrowser_sign_out = yes\n",
            """
            F: browser_sign_out = yes does not work with sign_out = global, because Cognito ends the browser \
            session with RevokeToken, which is refused after GlobalSignOut. Set sign_out = session
            """),
        Mistake(
            "an identity provider without a claim",
            minimal + federation.replacing("identity_claim = email\n", with: "") + "federated = only\n",
            "F: federated = only needs identity_claim: see pam_cognito.conf(5)"),
        Mistake(
            "accounts by sign-in with ssh keys",
            needed(except: "unix_group") + "accounts = sign-in\naccount_names = *\naccount_ssh_key_attribute = a\n",
            """
            F: account_ssh_key_attribute does not work with accounts = sign-in, because only the directory shows \
            when a user loses a key. Remove the option, or set accounts = directory
            """),
        Mistake(
            "accounts by sign-in with groups",
            needed(except: "unix_group") + "accounts = sign-in\naccount_names = *\ngroup_map = a:sudo\n", nil),
        Mistake(
            "accounts by sign-in", needed(except: "unix_group") + "accounts = sign-in\naccount_names = *\n", nil),
        Mistake("users will do", needed(except: "unix_group") + "users = alice\n", nil),

        Mistake(
            "long line", with([UInt8](repeating: 0x20, count: 4097)),
            "F:5: the line has more than 4096 bytes. Use a group instead of a long list of names"),
        Mistake("longest line", with([0x23] + [UInt8](repeating: 0x41, count: 4095)), nil),
        Mistake(
            "one line of 1 MB", [UInt8](repeating: 0x61, count: 1 << 20),
            "F: the file has more than 65536 bytes. Check that the path is correct"),
        Mistake(
            "1 MB of lines", [UInt8](repeating: 0x0a, count: 1 << 20),
            "F: the file has more than 65536 bytes. Check that the path is correct"),
        Mistake("largest file", with([UInt8](repeating: 0x0a, count: 65_536 - minimal.utf8.count)), nil),

        Mistake(
            "unknown argument", minimal, arguments: ["debug"],
            """
            in this service's pam_cognito.so lines: unknown module argument 'debug' in the PAM stack; see \
            pam_cognito(8)
            """
        ),
        Mistake(
            "unknown argument with a value", minimal, arguments: ["sign-out=none"],
            """
            in this service's pam_cognito.so lines: unknown module argument 'sign-out=none' in the PAM stack; see \
            pam_cognito(8)
            """
        ),
        Mistake(
            "blank in an argument", minimal, arguments: ["sign_out =none"],
            """
            in this service's pam_cognito.so lines: unknown module argument 'sign_out =none' in the PAM stack; see \
            pam_cognito(8)
            """
        ),
        Mistake(
            "bad value in an argument", minimal, arguments: ["sign_out=first"],
            "in this service's pam_cognito.so lines: sign_out cannot be 'first'; allowed: global, last, session or none"
        ),
        Mistake(
            "empty argument", minimal, arguments: [""],
            "in this service's pam_cognito.so lines: unknown module argument '' in the PAM stack; see pam_cognito(8)"),
        Mistake(
            "control characters in an argument", minimal, arguments: ["\u{1b}[2J\n"],
            """
            in this service's pam_cognito.so lines: unknown module argument '?[2J?' in the PAM stack; see \
            pam_cognito(8)
            """
        ),
        Mistake(
            "pool in an argument", minimal, arguments: ["user_pool_id=a_b"],
            """
            in this service's pam_cognito.so lines: user_pool_id is not allowed as a module argument in the PAM stack. \
            Set the option in the configuration file
            """
        ),
        Mistake(
            "an argument does not mend the file", "", arguments: ["welcome=no"],
            "F: user_pool_id is required but missing; allowed: a user pool id such as eu-west-1_AbCdEf123"),
    ]
}

@Suite struct ParserTests {
    @Test("each mistake has its message, whole", arguments: Mistake.all)
    private func mistakes(mistake: Mistake) {
        #expect(message(of: mistake.text, arguments: mistake.arguments) == mistake.message)
    }

    @Test(
        "the nearest key is the one that was meant",
        arguments: [
            ("user_pool", "user_pool_id"), ("userpoolid", "user_pool_id"), ("clientid", "client_id"),
            ("usernametemplate", "username_template"), ("minimum_gid", "minimum_uid"), ("welcom", "welcome"),
            ("sign_out_waits", "sign_out_wait"), ("ca-file", "ca_file"), ("user", "users"), ("cafile", "ca_file"),
            ("allowed_group", "allowed_groups"), ("refresh_tokens", "refresh_token"), ("pre_connect", "preconnect"),
        ]
    )
    func nearest(written: String, meant: String) {
        #expect(message(of: "\(written) = x")?.hasSuffix("did you mean \(meant)?") == true)
    }

    // In parts, which run at the same time: as one it is the last test of all, alone for a minute.
    @Test(
        "a message is one line of printable text, whatever the file holds; random bytes never trap",
        arguments: UInt64(0)..<12)
    func randomBytes(part: UInt64) {
        var random = Seeded(state: 0x5eed + part)
        let seeds = [Array(minimal.utf8), Array((minimal + "endpoint = https://a:1\nusers = é\n").utf8), []]
        let pieces =
            Option.all.map { option in Array(option.name.utf8) }
            + ["=", "\n", "\r\n", " = ", "#", "{user}@", "*", "99999999999d"].map { Array($0.utf8) }
        for _ in 0..<500 {
            var text = seeds.randomElement(using: &random) ?? []
            for _ in 0...Int.random(in: 0..<6, using: &random) {
                let place = Int.random(in: 0...text.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: text.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
                case 1: text.removeSubrange(place..<min(text.count, place + .random(in: 0..<9, using: &random)))
                case 2: text.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: place)
                default:
                    if place < text.count {
                        text[place] = UInt8(truncatingIfNeeded: random.next())
                    }
                }
            }
            do {
                _ = try Settings(parsing: text)
            } catch {
                let bytes = error.message(file: [0x46]).bytes
                guard bytes.count < 600, bytes.allSatisfy({ byte in (0x20...0x7e).contains(byte) }) else {
                    Issue.record("not one printable line: \(bytes) for \(text)")
                    return
                }
            }
        }
    }

    @Test(
        "what is UTF-8 text without control characters",
        arguments: [
            ([], true), ([0x61, 0x09, 0x20], true), ([0xc2, 0xa0], true), ([0xf4, 0x8f, 0xbf, 0xbf], true),
            ([0xef, 0xbf, 0xbf], true), ([0x80], false), ([0xc1, 0xbf], false), ([0xc2], false), ([0xc2, 0x41], false),
            ([0xe0, 0x9f, 0xbf], false), ([0xf0, 0x8f, 0xbf, 0xbf], false), ([0xf5, 0x80, 0x80, 0x80], false),
            ([0xff], false), ([0x00], false), ([0x1f], false), ([0x7f], false), ([0x0a], false), ([0xc2, 0x85], false),
        ] as [([UInt8], Bool)]
    )
    func text(bytes: [UInt8], expected: Bool) {
        #expect(isPrintableUTF8(bytes[...]) == expected)
        #expect(expected == false || String(validating: bytes, as: UTF8.self) != nil)
    }

    @Test("byte text keeps bytes, cuts and cleans what it quotes, and writes all numbers")
    func byteText() {
        let number = Int64.min
        #expect(ByteText("a\([0xff, 0x00])b").bytes == [0x61, 0xff, 0x00, 0x62])
        #expect(ByteText("\(quoting: [0x1b, 0x41, 0xc3, 0xa9, 0x0a])").string == "'?A???'")
        #expect(ByteText("\(quoting: [UInt8](repeating: 0x61, count: 60))").bytes.count == 62)
        #expect(ByteText("\(quoting: [UInt8](repeating: 0x61, count: 61))").string.hasSuffix("a...'"))
        #expect(
            ByteText("\(number) \(UInt64.max) \(0) \(-10)").string == "-9223372036854775808 9223372036854775807 0 -10")
    }
}
