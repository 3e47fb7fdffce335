package import Base
internal import CLinux
internal import Glibc

/// What a program answers to `input` (as much as a pipe takes), standard input and output alone, in a constant
/// environment.
///
/// - Returns: How many bytes of `output` it is; nil when the program did not end well in time, or said more than fits
///   there.
package func run(
    _ arguments: [ByteText], input: UnsafeRawBufferPointer, output: UnsafeMutableRawBufferPointer,
    timeout milliseconds: Int64
) -> Int? {
    let deadline = Instant.now.milliseconds + milliseconds
    guard let (question, asked) = try? pipeEnds() else {
        return nil
    }
    guard let (answered, answer) = try? pipeEnds() else {
        close(question)
        close(asked)
        return nil
    }
    defer { close(answered) }
    let started = start(arguments, reading: question, writing: answer)
    close(question)
    close(answer)
    guard let process = started else {
        close(asked)
        return nil
    }
    // It fits into the pipe, so that neither side waits; and a program that has already ended causes no signal.
    let before = signal(SIGPIPE, SIG_IGN)
    let written = unsafe write(asked, input.baseAddress, input.count)
    _ = signal(SIGPIPE, before)
    close(asked)
    let size = unsafe written == input.count ? readWhole(answered, output, by: deadline) : nil
    if size == nil {
        kill(process, SIGKILL)
    }
    var status: CInt = -1
    while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status == 0 ? size : nil
}

/// The same, with nothing to read and a short answer.
func run(_ arguments: [ByteText], timeout milliseconds: Int64) -> [UInt8]? {
    var answer = [UInt8](repeating: 0, count: 256)
    let size = unsafe answer.withUnsafeMutableBytes { output in
        unsafe run(
            arguments, input: UnsafeRawBufferPointer(start: nil, count: 0), output: output, timeout: milliseconds)
    }
    return size.map { size in Array(answer.prefix(size)) }
}

/// What `end` says until its other end is closed: how many bytes; nil when they do not fit or take too long.
private func readWhole(_ end: CInt, _ output: UnsafeMutableRawBufferPointer, by deadline: Int64) -> Int? {
    var size = 0
    while true {
        let left = deadline - Instant.now.milliseconds
        guard left > 0, linux_readable(end, CInt(clamping: left)) == 1 else {
            return nil
        }
        // One byte more than there is room for is one too many.
        var beyond: UInt8 = 0
        let room = output.count - size
        let got =
            unsafe room > 0
            ? read(end, output.baseAddress.map { start in unsafe start + size }, room) : read(end, &beyond, 1)
        if got == 0 {
            return size
        }
        guard got > 0 ? room > 0 : errno == EINTR else {
            return nil
        }
        size += max(0, got)
    }
}

private func start(_ arguments: [ByteText], reading input: CInt, writing output: CInt) -> pid_t? {
    var actions = unsafe posix_spawn_file_actions_t()
    guard unsafe posix_spawn_file_actions_init(&actions) == 0 else {
        return nil
    }
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    // What it may say of a failure goes nowhere: the caller says that there was one.
    guard unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) == 0,
        unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) == 0,
        unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0
    else {
        return nil
    }
    var process: pid_t = -1
    let isStarted = unsafe withStrings(arguments) { list in
        unsafe withStrings(["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C"]) { environment in
            unsafe list.pointee.map { path in
                unsafe posix_spawn(&process, path, &actions, nil, list, environment) == 0
            }
        }
    }
    return isStarted == true ? process : nil
}
