internal import CLinux
internal import Glibc
internal import Messages
internal import SessionTool

/// The arguments without the program's name, as bytes: Swift's own `CommandLine.arguments` repairs what is not UTF-8.
let arguments: [[UInt8]] = unsafe UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    .dropFirst().compactMap { argument in
        unsafe argument.map { text in
            let bytes = unsafe UnsafeRawBufferPointer(start: text, count: strlen(text))
            return unsafe [UInt8](bytes)
        }
    }

Language.current = .ofEnvironment

guard linux_hold_standard_descriptors() == 0 else {
    exit(ExitCode.fault.rawValue)
}

/// Says why a command came to nothing, to a person or to a program; what becomes of this one.
///
/// - Parameter text: What a person is told.
func tell(_ refusal: Refusal, _ command: Command?, asJSON: Bool, text: String) -> ExitCode {
    guard asJSON else {
        complain(text)
        return refusal.exitStatus
    }
    // What exec runs writes to standard output: of exec itself there is nothing to be read there.
    guard command != .exec else {
        complain(line(refusal.json))
        return refusal.exitStatus
    }
    do throws(Refusal) {
        try answer(refusal.json)
        return refusal.exitStatus
    } catch {
        complain(ToolWording.failure(error.message))
        return error.exitStatus
    }
}

let invocation: Invocation
do throws(UsageError) {
    invocation = try parse(arguments)
} catch {
    exit(tell(error.refusal, error.command, asJSON: error.wantsJSON, text: error.text).rawValue)
}

/// Does what was asked for, and says it.
func perform() throws(Refusal) -> ExitCode {
    if invocation.has(.help) {
        try answer(helpText(invocation.isCommandNamed ? invocation.command : nil))
        return .valid
    }
    if invocation.has(.version) {
        try answer("\(ToolWording.program) \(version)\n")
        return .valid
    }
    switch invocation.command {
    case .status: return try showStatus(invocation)
    case .whoami: return try showPerson(invocation)
    case .token: return try printToken(invocation)
    case .exec: return try execute(invocation)
    case .claims: return try showClaims(invocation)
    case .prompt: return try showPrompt(invocation)
    case .refresh: return try refresh(invocation)
    case .signOut: return try signOut(invocation)
    case .signIn: return try signIn(invocation)
    case .forgotPassword: return try forgotPassword(invocation)
    case .doctor: return try examine(invocation)
    case .sessions: return try listSessions(invocation)
    }
}

do throws(Refusal) {
    let status = try perform()
    try endAnswer(afterChange: invocation.command.changesSomething && status == .valid)
    exit(status.rawValue)
} catch {
    // What cannot be written there need not be tried again.
    let asJSON = invocation.has(.json) && error.exitStatus != .unwritten
    exit(tell(error, invocation.command, asJSON: asJSON, text: ToolWording.failure(error.message)).rawValue)
}
