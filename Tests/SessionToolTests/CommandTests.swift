import Testing
import Wording

@testable import SessionTool

@Suite("The command line of cognito-session")
struct CommandTests {
    @Test(
        "is understood",
        arguments: [
            ([], .init(command: .status, options: [])),
            (["status"], .init(command: .status, options: [])),
            (["--json"], .init(command: .status, options: [.json])),
            (["status", "--json"], .init(command: .status, options: [.json])),
            (["--json", "status"], .init(command: .status, options: [.json])),
            (["-h"], .init(command: .status, options: [.help])),
            (["-hV"], .init(command: .status, options: [.help, .version])),
            (["--", "status"], .init(command: .status, options: [])),
        ] as [([String], Invocation)])
    func understood(arguments: [String], invocation: Invocation) throws {
        #expect(try parse(arguments) == invocation)
    }

    @Test(
        "is refused with what was probably meant",
        arguments: [
            (["--jsno"], "Unknown option '--jsno'. Did you mean '--json'?"),
            (["--verison"], "Unknown option '--verison'. Did you mean '--version'?"),
            (["--colour"], "Unknown option '--colour'."),
            (["-json"], "Unknown option '-json'. Did you mean '--json'?"),
            (["-x"], "Unknown option '-x'."),
            (["--json=yes"], "The option '--json' takes no value."),
            (["stauts"], "Unknown command 'stauts'. Did you mean 'status'?"),
            (["frobnicate"], "Unknown command 'frobnicate'."),
            ([""], "Unknown command ''."),
            (["-"], "Unknown command '-'."),
            (["status", "now"], "'status' takes no argument 'now'."),
            (["\u{1B}]0;title\u{7}"], "Unknown command ']0;title'."),
        ])
    func refused(arguments: [String], message: String) {
        #expect(throws: UsageError(message: message)) {
            try parse(arguments)
        }
    }

    @Test("An error has three parts")
    func errorText() {
        #expect(
            UsageError(message: "Unknown option '-x'.").text == """
                Error: Unknown option '-x'.
                Usage: cognito-session [status] [--json]
                  See 'cognito-session --help' for more information.

                """
        )
    }

    @Test("The help names every command, option and exit status")
    func help() {
        for command in Command.allCases {
            #expect(helpText.contains("  \(command.rawValue) "))
        }
        for option in SessionTool.Option.allCases {
            #expect(helpText.contains("--\(option.rawValue) "))
        }
        for status in ToolWording.exitStatuses {
            #expect(helpText.contains("  \(status.status) "))
        }
    }

    @Test("A very long word costs little")
    func longWord() {
        #expect(throws: UsageError.self) {
            try parse(["--" + String(repeating: "j", count: 100_000)])
        }
    }
}
