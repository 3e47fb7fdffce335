internal import Encodings
internal import Glibc
internal import SessionTool
internal import Wording

/// Writes all of `text`; a reader that has gone away is no reason to complain.
func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let written = unsafe bytes.withUnsafeBytes { buffer in
            unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count)
        }
        if written < 0, errno != EINTR {
            return
        }
        bytes = bytes.dropFirst(max(0, written))
    }
}

let invocation: Invocation
do throws(UsageError) {
    invocation = try parse(Array(CommandLine.arguments.dropFirst()))
} catch {
    write(error.text, to: STDERR_FILENO)
    exit(Report.ExitStatus.usage.rawValue)
}

if invocation.options.contains(.help) {
    write(helpText, to: STDOUT_FILENO)
    exit(0)
}
if invocation.options.contains(.version) {
    write("\(ToolWording.program) \(version)\n", to: STDOUT_FILENO)
    exit(0)
}

switch invocation.command {
case .status:
    let situation = Situation.current(in: .current) { serial in isTokenKey(serial) }
    let report = Report(situation, at: Int64(time(nil)))
    if invocation.options.contains(.json) {
        write(String(decoding: report.json.serialized ?? [], as: UTF8.self) + "\n", to: STDOUT_FILENO)
    } else {
        let colored = isatty(STDOUT_FILENO) == 1 && isUnset("NO_COLOR") && !isDumb
        write(report.text(colored: colored, localTime: localTime), to: STDOUT_FILENO)
    }
    exit(report.exitStatus.rawValue)
}
