internal import AccountKeeping
internal import Commands
internal import Doctor
internal import Messages

// `cognito-session doctor` and `cognito-session accounts` become this program, with the arguments as they were typed.
run(programArguments, as: "cognito-doctor") { invocation throws(Refusal) in
    switch invocation.command {
    case .doctor: return try examine(invocation)
    case .accounts: return try keepAccounts(invocation, in: KeptAccounts())
    default: throw Refusal(.usage, ToolWording.unknownCommand(invocation.command.rawValue))
    }
}
