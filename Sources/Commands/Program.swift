internal import Base
internal import Glibc
internal import Messages
internal import Tokens

/// This program's arguments without its name, as bytes: Swift's own `CommandLine.arguments` repairs what is not UTF-8.
package var programArguments: [[UInt8]] {
    Array(wholeCommandLine.dropFirst())
}

/// The path under which the program was started; may be empty.
package var programPath: [UInt8] { wholeCommandLine.first ?? [] }

private var wholeCommandLine: [[UInt8]] {
    unsafe UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
        .compactMap { argument in
            unsafe argument.map { text in
                let bytes = unsafe UnsafeRawBufferPointer(start: text, count: strlen(text))
                return unsafe [UInt8](bytes)
            }
        }
}

/// Has a command line carried out by `perform`, says what became of it, and ends the program.
package func run(
    _ arguments: [[UInt8]], as program: String = ToolWording.program,
    _ perform: (Invocation) throws(Refusal) -> ExitCode
) -> Never {
    Language.current = .ofEnvironment
    do throws(ErrorNumber) {
        try holdStandardDescriptors()
    } catch {
        exit(ExitCode.fault.rawValue)
    }
    let invocation: Invocation
    do throws(UsageError) {
        invocation = try parse(arguments)
    } catch {
        exit(tell(error.refusal, error.command, asJSON: error.wantsJSON, text: error.text).rawValue)
    }
    if invocation.has(.debug) {
        Trace.begin()
    }
    do throws(Refusal) {
        let status = try answerItself(invocation, program) ? .valid : perform(invocation)
        try endAnswer(afterChange: invocation.command.changesSomething && status == .valid)
        Trace.note(ToolWording.traceEnd(status.rawValue, status.name))
        exit(status.rawValue)
    } catch {
        Trace.note(ToolWording.traceEnd(error.exitStatus.rawValue, error.name))
        // If standard output cannot be written, it is not tried again.
        let asJSON = invocation.has(.json) && error.exitStatus != .unwritten
        exit(tell(error, invocation.command, asJSON: asJSON, text: ToolWording.failure(error.message)).rawValue)
    }
}

/// Says what can be said without doing anything; whether that was asked for.
private func answerItself(_ invocation: Invocation, _ program: String) throws(Refusal) -> Bool {
    if invocation.has(.help) {
        let text = helpText(invocation.isCommandNamed ? invocation.command : nil)
        try invocation.answer(answerObject(.valid, nil, ["help": .string(text)]), text)
        return true
    }
    if invocation.has(.version) {
        try invocation.answer(
            answerObject(.valid, nil, ["program": .string(program), "version": .string(version)]),
            "\(program) \(version)\n")
        return true
    }
    return false
}

/// Says why a command came to nothing, to a person or to a program; what becomes of this one.
///
/// - Parameter text: What a person is told.
private func tell(_ refusal: Refusal, _ command: Command?, asJSON: Bool, text: String) -> ExitCode {
    guard asJSON else {
        complain(sentence: text)
        return refusal.exitStatus
    }
    // The program that exec runs writes to standard output; exec itself does not.
    guard command != .exec else {
        complain(line(refusal.json))
        return refusal.exitStatus
    }
    do throws(Refusal) {
        try answer(refusal.json)
        return refusal.exitStatus
    } catch {
        complain(sentence: ToolWording.failure(error.message))
        return error.exitStatus
    }
}
