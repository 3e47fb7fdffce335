internal import CLinux
internal import Commands
internal import Glibc
internal import Messages

/// Makes `token` readable at descriptor `number` of the command, from memory that no process can change any more.
func putInDescriptor(_ token: String, _ number: Int32) throws(Refusal) {
    let bytes = Array(token.utf8)
    let memory = unsafe bytes.withUnsafeBytes { buffer in
        unsafe linux_sealed_memory("token", buffer.baseAddress, buffer.count)
    }
    // dup2(2) leaves close-on-exec as it is when both are the same.
    guard memory >= 0, memory == number ? fcntl(memory, F_SETFD, 0) == 0 : dup2(memory, number) == number else {
        throw Refusal(.notStarted, ToolWording.noSealedMemory)
    }
}

/// Becomes `command`, with everything else as it is; returns only why not.
func become(_ command: [[UInt8]]) -> Refusal {
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe command.map { argument in
        let letters = (argument + [0]).map { byte in CChar(truncatingIfNeeded: byte) }
        return unsafe strdup(letters)
    }
    unsafe arguments.append(nil)
    // A missing argument would end the list there, and be another command.
    guard unsafe arguments.dropLast().allSatisfy({ argument in unsafe argument != nil }), let name = unsafe arguments[0]
    else {
        return Refusal(.notExecutable, ToolWording.notStarted(printable(command.first ?? []), "ENOMEM"))
    }
    unsafe execvp(name, arguments)
    let error = errno
    return Refusal(
        error == ENOENT ? .notFound : .notExecutable,
        ToolWording.notStarted(printable(command.first ?? []), reason(error))
    )
}

/// `doctor` and `accounts`: root's, and so a program of their own. Returns only why not.
func becomeRootsProgram(orRefuse refusal: String) throws(Refusal) -> ExitCode {
    guard geteuid() == 0, getuid() == 0 else {
        throw Refusal(.notPermitted, refusal)
    }
    let path = Array("\(programFolder)/cognito-doctor".utf8)
    throw Refusal(.fault, become([path] + programArguments).message)
}
