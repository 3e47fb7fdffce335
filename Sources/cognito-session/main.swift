internal import Glibc
internal import SessionTool
internal import Wording

/// The arguments without the program's name, as bytes: Swift's own `CommandLine.arguments` repairs what is not UTF-8.
let arguments: [[UInt8]] = unsafe UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    .dropFirst().compactMap { argument in
        unsafe argument.map { text in
            let bytes = unsafe UnsafeRawBufferPointer(start: text, count: strlen(text))
            return unsafe [UInt8](bytes)
        }
    }

Language.current = .ofEnvironment

let invocation: Invocation
do throws(UsageError) {
    invocation = try parse(arguments)
} catch {
    write(error.text, to: STDERR_FILENO)
    exit(ExitCode.usage.rawValue)
}

if invocation.has(.help) {
    write(helpText(invocation.isCommandNamed ? invocation.command : nil), to: STDOUT_FILENO)
    exit(0)
}
if invocation.has(.version) {
    write("\(ToolWording.program) \(version)\n", to: STDOUT_FILENO)
    exit(0)
}

do throws(Refusal) {
    let status: ExitCode
    switch invocation.command {
    case .status: status = try showStatus(invocation)
    case .whoami: status = try showPerson(invocation)
    case .token: status = try printToken(invocation)
    case .exec: status = try execute(invocation)
    case .claims: status = try showClaims(invocation)
    case .prompt: status = showPrompt(invocation)
    case .refresh: status = try refresh(invocation)
    case .signOut: status = try signOut(invocation)
    case .signIn: status = try signIn(invocation)
    case .forgotPassword: status = try forgotPassword(invocation)
    case .doctor: status = try examine(invocation)
    case .sessions: status = try listSessions(invocation)
    }
    exit(status.rawValue)
} catch {
    if invocation.has(.json) {
        // What exec runs writes to standard output: of exec itself there is nothing to be read there.
        write(error.json, to: invocation.command == .exec ? STDERR_FILENO : STDOUT_FILENO)
    } else {
        write(ToolWording.failure(error.message), to: STDERR_FILENO)
    }
    exit(error.exitStatus.rawValue)
}
