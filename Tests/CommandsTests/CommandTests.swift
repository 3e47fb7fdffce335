import Testing

@testable import Commands

/// Arguments as a program gets them.
private func words(_ arguments: [String]) -> [[UInt8]] {
    arguments.map { argument in Array(argument.utf8) }
}

@Suite("The command line of cognito-session")
struct CommandTests {
    @Test(
        "is understood",
        arguments: [
            ([], .init(.status, named: false)),
            (["status"], .init(.status)),
            (["--json"], .init(.status, named: false, [.json: .given])),
            (["status", "--json"], .init(.status, [.json: .given])),
            (["--json", "status"], .init(.status, [.json: .given])),
            (["-h"], .init(.status, named: false, [.help: .given])),
            (["-hV"], .init(.status, named: false, [.help: .given, .version: .given])),
            (["--", "status"], .init(.status)),
            (["refresh", "--json"], .init(.refresh, [.json: .given])),
            (["sign-out"], .init(.signOut)),
            (["sign-out", "--global", "--yes"], .init(.signOut, [.global: .given, .yes: .given])),
            (["sign-in"], .init(.signIn)),
            (["login"], .init(.signIn)),
            (["signin", "--json"], .init(.signIn, [.json: .given])),
            (["logout"], .init(.signOut)),
            (["signout", "--local"], .init(.signOut, [.local: .given])),
            (["list"], .init(.sessions)),
            (["help"], .init(.status, named: false, [.help: .given])),
            (["help", "exec"], .init(.exec, [.help: .given])),
            (["sign-in", "--json"], .init(.signIn, [.json: .given])),
            (["status", "--check"], .init(.status, [.check: .given])),
            (["token"], .init(.token)),
            (["token", "-h"], .init(.token, [.help: .given])),
            (["token", "--min-life", "5m", "--id"], .init(.token, [.minimumLife: .seconds(300), .id: .given])),
            (["--min-life=90", "token"], .init(.token, [.minimumLife: .seconds(90)])),
            (["token", "--min-life=1h", "--min-life", "0"], .init(.token, [.minimumLife: .seconds(0)])),
            (["exec", "ls"], .init(.exec, operands: [Array("ls".utf8)])),
            (
                ["exec", "--fd", "0", "ls", "-h", "--", "--json"],
                .init(
                    .exec, [.descriptor: .descriptor(0)],
                    operands: ["ls", "-h", "--", "--json"].map { text in Array(text.utf8) })
            ),
            (
                ["exec", "--env=TOKEN", "--", "--odd"],
                .init(.exec, [.variable: .text("TOKEN")], operands: [Array("--odd".utf8)])
            ),
            (["exec", "--help"], .init(.exec, [.help: .given])),
            (
                ["git-credential", "--host", "git.example.com:8443,[::1]", "get"],
                .init(
                    .gitCredential, [.host: .text("git.example.com:8443,[::1]")], operands: [Array("get".utf8)])
            ),
            (["docker-credential", "list"], .init(.dockerCredential, operands: [Array("list".utf8)])),
            (["docker-credential", "--help"], .init(.dockerCredential, [.help: .given])),
            (["claims", "--id", "--json"], .init(.claims, [.id: .given, .json: .given])),
            (["forgot-password"], .init(.forgotPassword)),
            (["doctor"], .init(.doctor)),
            (["doctor", "--explain", "ana", "--json"], .init(.doctor, [.explain: .text("ana"), .json: .given])),
            (["doctor", "--login=ana"], .init(.doctor, [.login: .text("ana")])),
            (["doctor", "--config", "a b"], .init(.doctor, [.config: .text("a b")])),
            (["forgot-password", "alice"], .init(.forgotPassword, operands: [Array("alice".utf8)])),
            (
                ["forgot-password", "alice", "--json"],
                .init(.forgotPassword, [.json: .given], operands: [Array("alice".utf8)])
            ),
        ] as [([String], Invocation)])
    func understood(arguments: [String], invocation: Invocation) throws {
        #expect(try parse(words(arguments)) == invocation)
    }

    @Test(
        "is refused with what was probably meant",
        arguments: [
            (["--jsno"], nil, "Unknown option '--jsno'. Did you mean '--json'?"),
            (["--verison"], nil, "Unknown option '--verison'. Did you mean '--version'?"),
            (["--colour"], nil, "Unknown option '--colour'."),
            (["-json"], nil, "Unknown option '-json'. Did you mean '--json'?"),
            (["-x"], nil, "Unknown option '-x'."),
            (["--json=yes"], nil, "The option '--json' takes no value."),
            (["stauts"], nil, "Unknown command 'stauts'. Did you mean 'status'?"),
            (["frobnicate"], nil, "Unknown command 'frobnicate'."),
            ([""], nil, "Unknown command ''."),
            (["-"], nil, "Unknown command '-'."),
            (["status", "now"], .status, "'now' is not a valid argument for 'status'."),
            (["\u{1B}]0;title\u{7}"], nil, "Unknown command ']0;title'."),
            (["status", "--force"], .status, "'--force' is not a valid argument for 'status'."),
            (["status", "--forec"], .status, "Unknown option '--forec'."),
            (
                ["doctor", "--verify"], .doctor,
                "The --verify option has been removed. Run dpkg --verify pam-cognito, or rpm --verify pam-cognito."
            ),
            (
                ["doctor", "--undo"], .doctor,
                "The --undo option has been removed: the doctor does not change files. Make the changes "
                    + "yourself, and keep a copy of each file."
            ), (["status", "--undo"], .status, "Unknown option '--undo'."),
            (["--forec"], nil, "Unknown option '--forec'. Did you mean '--force'?"),
            (["status", "--check", "--json"], .status, "The options '--check' and '--json' cannot be used together."),
            (
                ["sign-out", "--local", "--global"], .signOut,
                "The options '--local' and '--global' cannot be used together."
            ),
            (["sign-in", "--yes"], .signIn, "'--yes' is not a valid argument for 'sign-in'."),
            (["sign-uot"], nil, "Unknown command 'sign-uot'. Did you mean 'sign-out'?"),
            (["help", "me"], nil, "Unknown command 'me'."),
            (["token", "--id", "--access"], .token, "The options '--access' and '--id' cannot be used together."),
            (["exec"], .exec, "'exec' needs a command to run."),
            (["exec", "--json", "--"], .exec, "'exec' needs a command to run."),
            (["exec", "--fd", "1", "ls"], .exec, "Invalid file descriptor '1' for '--fd N': use 0, or 3 to 1023."),
            (
                ["exec", "--fd", "1024", "ls"], .exec,
                "Invalid file descriptor '1024' for '--fd N': use 0, or 3 to 1023."
            ),
            (["exec", "--fd", "-3", "ls"], .exec, "Invalid file descriptor '-3' for '--fd N': use 0, or 3 to 1023."),
            (
                ["exec", "--env", "A=B", "ls"], .exec,
                """
                Invalid variable name 'A=B' for '--env NAME': use letters, digits and _, and do not begin with a \
                digit.
                """
            ),
            (
                ["exec", "--env", "1A", "ls"], .exec,
                "Invalid variable name '1A' for '--env NAME': use letters, digits and _, and do not begin with a digit."
            ),
            (
                ["exec", "--env", "A", "--fd", "3", "ls"], .exec,
                "The options '--fd' and '--env' cannot be used together."
            ),
            (["prompt", "--id"], .prompt, "'--id' is not a valid argument for 'prompt'."),
            (["forgot-password", "a", "b"], .forgotPassword, "'b' is not a valid argument for 'forgot-password'."),
            (["forgot-password", ""], .forgotPassword, "'' is not a valid argument for 'forgot-password'."),
            (
                ["docker-credential"], .dockerCredential,
                "'docker-credential' needs one of these operations: get|store|erase|list."
            ),
            (
                ["docker-credential", "get", "b"], .dockerCredential,
                "'b' is not a valid argument for 'docker-credential'."
            ),
            (
                ["docker-credential", "--host", "a", "get"], .dockerCredential,
                "'--host' is not a valid argument for 'docker-credential'."
            ),
            (
                ["git-credential", "--host", "a, b", "get"], .gitCredential,
                "Invalid host 'a, b' for '--host HOST': use a name, and a port if needed, such as git.example.com:8443."
            ),
            (
                ["git-credential", "--host=", "get"], .gitCredential,
                "Invalid host '' for '--host HOST': use a name, and a port if needed, such as git.example.com:8443."
            ),
            (["token", "--header", "--json"], .token, "The options '--header' and '--json' cannot be used together."),
            (["token", "--min-life"], .token, "The option '--min-life TIME' needs a value."),
            (
                ["token", "--min-life", "soon"], .token,
                """
                Invalid duration 'soon' for '--min-life TIME': use seconds, or a number followed by s, m, h or d, \
                such as 5m.
                """
            ),
        ] as [([String], Command?, String)])
    func refused(arguments: [String], command: Command?, message: String) {
        #expect(throws: UsageError(message: message, command: command, wantsJSON: arguments.contains("--json"))) {
            try parse(words(arguments))
        }
    }

    @Test("Bytes that are no text are no command")
    func notUnicode() {
        #expect(throws: UsageError(message: "Unknown command '\u{FFFD}'.")) {
            try parse([[0xff]])
        }
    }

    @Test(
        "Lengths of time",
        arguments: [
            ("0", 0), ("90", 90), ("90s", 90), ("5m", 300), ("2h", 7200), ("366d", 31_622_400), ("367d", nil),
            ("", nil), ("m", nil), ("-1", nil), ("+1", nil), ("1.5h", nil), ("5 m", nil), ("999999999d", nil),
            ("9999999999", nil), ("٣", nil),
        ] as [(String, Int64?)])
    func duration(text: String, expected: Int64?) {
        #expect(seconds(text) == expected)
    }

    @Test("An error has three parts")
    func errorText() {
        #expect(
            UsageError(message: "Unknown option '-x'.").text == """
                Error: Unknown option '-x'.
                Usage: cognito-session [COMMAND] [OPTION]...
                  See 'cognito-session --help' for more information.

                """
        )
        #expect(
            UsageError(message: "Unknown option '-x'.", command: .token).text == """
                Error: Unknown option '-x'.
                Usage: cognito-session token [--access|--id] [--min-life TIME] [--force]
                       [--header|--json]
                  See 'cognito-session token --help' for more information.

                """
        )
    }

    @Test("The help names every command and exit status, and each command's its options, in 80 columns")
    func help() {
        let whole = helpText(nil)
        for command in Command.allCases {
            #expect(whole.contains("  \(command.rawValue) "))
            let text = helpText(command)
            for option in command.options.flatMap(\.self) + [.help, .version] {
                #expect(text.contains("\(option.synopsis) "))
            }
            #expect(text.split(separator: "\n").allSatisfy { line in line.count <= 80 })
            let named = usage(command).split { letter in " []|\n".contains(letter) }.filter { word in
                word.hasPrefix("--")
            }
            #expect(named.count == Set(named).count, "\(named)")
        }
        for status in ExitCode.allCases {
            #expect(whole.contains("  \(status.rawValue) "))
        }
        #expect(whole.split(separator: "\n").allSatisfy { line in line.count <= 80 })
    }

    @Test("A link's name is a command")
    func links() {
        for (path, command) in [
            ("git-credential-cognito", .gitCredential), ("/usr/bin/docker-credential-cognito", .dockerCredential),
            ("cognito-session", nil), ("", nil), ("/", nil),
        ] as [(String, Command?)] {
            #expect(Command(helper: Array(path.utf8)) == command, "\(path)")
        }
    }

    @Test("A very long word costs little")
    func longWord() {
        #expect(throws: UsageError.self) {
            try parse(words(["--" + String(repeating: "j", count: 100_000)]))
        }
    }
}
