internal import Commands
internal import Doctor
internal import Messages

// `cognito-session doctor` becomes this program, with the arguments as they were typed.
run(programArguments, as: "cognito-doctor") { invocation throws(Refusal) in
    guard invocation.command == .doctor else {
        throw Refusal(.usage, ToolWording.unknownCommand(invocation.command.rawValue))
    }
    return try examine(invocation)
}
