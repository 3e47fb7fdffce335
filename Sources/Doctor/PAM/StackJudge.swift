internal import Base
internal import CLinux
internal import CStackJudge
internal import Glibc

/// What libpam made of a stack: what the application gets, and the lines that had their turn, with what their modules
/// returned.
struct StackRun {
    var result: ModuleResult
    var called: [(line: StackLine, result: ModuleResult)]
}

/// libpam as the judge of PAM stacks. A child process without rights runs them, with pam_debug(8) in place of each
/// module and one outcome for each line.
final class StackJudge {
    /// Why nothing can be judged; nil: all was.
    private(set) var fault: String?
    let directory: String
    private let module: String
    /// Shows other doctors that this one lives.
    private let lock: Int32
    private var connection: Int32 = -1
    private(set) var child: pid_t = 0
    private var answers: [String: [Substring]] = [:]

    /// pam_debug says what it returns, and not where it stands. So two lines before each one return the line's number
    /// in this base: the last value, PAM_INCOMPLETE, would end the stack.
    private static let base = ModuleResult.allCases.count - 1
    private static let markers = 2

    init(_ module: String) {
        self.module = module
        (directory, lock) = Self.privateDirectory() ?? ("", -1)
        guard !directory.isEmpty else {
            fault = "the doctor cannot write its service files to /run or /tmp"
            return
        }
        connection = unsafe stack_judge_start(directory, module, &child)
        // A service without lines must not be one without a configuration.
        write("other", Facility.allCases.map { facility in "\(facility.rawValue) required" }.joined(separator: "\n"))
        let probe = "auth required \(module) auth=success\n"
        if answer(to: "a", files: [probe]).first != "auth=success" {
            fault = "\(module) does not work in an unprivileged process"
        }
    }

    deinit {
        if connection >= 0 { stack_judge_end(connection, child) }
        if lock >= 0 { Self.remove(directory) }
        close(lock)
    }

    private static let prefix = "pam-cognito-doctor."

    /// Below /run, or /tmp for unit tests without root's rights. Doctors that were killed have left theirs in /run
    /// without a lock.
    private static func privateDirectory() -> (path: String, lock: Int32)? {
        for path in fileNames(in: "/run").filter({ name in name.hasPrefix(prefix) }).map({ name in "/run/\(name)" }) {
            let lock = unsafe stack_judge_lock(path)
            if lock >= 0 { remove(path) }
            close(lock)
        }
        // Another doctor may remove a directory before it is locked.
        for parent in Array(repeating: "/run", count: 20) + ["/tmp"] {
            var template = Array("\(parent)/\(prefix)XXXXXX".utf8CString)
            guard unsafe mkdtemp(&template) != nil, unsafe chmod(template, 0o755) == 0 else { continue }
            let path = String(
                decoding: template.dropLast().map { byte in UInt8(truncatingIfNeeded: byte) }, as: UTF8.self)
            let lock = unsafe stack_judge_lock(path)
            if lock >= 0, unsafe access(path, F_OK) == 0 { return (path, lock) }
            close(lock)
        }
        return nil
    }

    private static func remove(_ directory: String) {
        for name in fileNames(in: directory) { unsafe unlink("\(directory)/\(name)") }
        unsafe rmdir(directory)
    }

    /// Runs the lines of one facility, as an application does that makes these calls one after the other.
    ///
    /// - Parameters:
    ///   - isIgnoringOurs: Whether pam_cognito's return values count for nothing.
    ///   - outcome: What the module of a line returns.
    func run(
        _ service: Service, _ calls: [ModuleCall], isIgnoringOurs: Bool = false,
        _ outcome: (ModuleCall, StackLine) -> ModuleResult
    ) -> [StackRun] {
        let facility = calls[0].facility
        let stack = service.stack(facility)
        var files = [""]
        var open = [0]
        for (index, line) in stack.enumerated() {
            open.removeLast(max(0, open.count - line.level - 1))
            let file = open[open.count - 1]
            for digit in [index / Self.base % Self.base, index % Self.base] {
                let result = ModuleResult.allCases[digit]
                files[file] += moduleLine(facility, "[default=ignore]", calls) { _ in result }
            }
            if line.isSubstack {
                files[file] += "\(facility.rawValue) substack /\(files.count)\n"
                open.append(files.count)
                files.append("")
            } else if line.module == nil {
                // libpam refuses at such a line.
                files[file] += "\(facility.rawValue) required\n"
            } else {
                let control = isIgnoringOurs && line.isOurs ? "[default=ignore]" : line.controlText
                files[file] += moduleLine(facility, Self.scaled(control), calls) { call in outcome(call, line) }
            }
        }
        return runs(answer(to: calls.map(\.rawValue).joined(), files: files), stack, calls)
    }

    private func moduleLine(
        _ facility: Facility, _ control: String, _ calls: [ModuleCall], _ result: (ModuleCall) -> ModuleResult
    ) -> String {
        let arguments = calls.flatMap { call in call.events.map { event in " \(event)=\(result(call).name)" } }
        return "\(facility.rawValue) \(control) \(module)\(arguments.joined())\n"
    }

    /// A control whose jumps go over the markers, too. libpam reads numbers up to 1000.
    private static func scaled(_ control: String) -> String {
        guard control.hasPrefix("[") else { return control }
        let parts = control.split(separator: "=", omittingEmptySubsequences: false)
        return parts[0]
            + parts.dropFirst().map { part in
                let rest = part.drop { letter in letter.isWhitespace }
                let digits = rest.prefix { letter in letter.isASCII && letter.isNumber }
                guard let count = Int(digits), count <= 1000 else { return "=" + part }
                return "=\(min(1000, count * (markers + 1)))" + rest.dropFirst(digits.count)
            }.joined()
    }

    private func runs(_ answer: [Substring], _ stack: [StackLine], _ calls: [ModuleCall]) -> [StackRun] {
        var said = answer[...]
        return calls.map { call in
            let lines = said.prefix { line in !line.hasPrefix("=") }
            said = said.dropFirst(lines.count)
            let code = said.popFirst().flatMap { line in Int(line.dropFirst()) } ?? ModuleResult.abort.rawValue
            // A change of a password that is refused at once has no second round.
            let event = call.events.last { event in lines.contains { line in line.hasPrefix("\(event)=") } } ?? ""
            var results = lines.filter { line in line.hasPrefix("\(event)=") }.compactMap { line in
                ModuleResult(name: String(line.dropFirst(event.utf8.count + 1)))
            }[...]
            var run = StackRun(result: ModuleResult(rawValue: code) ?? .abort, called: [])
            var last = -1
            while results.count >= Self.markers {
                var index = results.prefix(Self.markers).reduce(0) { number, digit in
                    number * Self.base + digit.rawValue
                }
                // A stack is longer than two digits can say, and goes forwards only.
                while index <= last { index += Self.base * Self.base }
                last = index
                results = results.dropFirst(Self.markers)
                guard stack.indices.contains(index), !stack[index].isSubstack else { continue }
                let isCalled = stack[index].module != nil
                run.called.append((stack[index], isCalled ? results.popFirst() ?? .abort : .permDenied))
            }
            return run
        }
    }

    // MARK: The child process

    private func answer(to calls: String, files: [String]) -> [Substring] {
        let key = calls + files.joined(separator: "\0")
        if let known = answers[key] { return known }
        for (number, text) in files.enumerated() { write("\(number)", text) }
        let answer = fault == nil ? exchange("0 \(calls)\n") : nil
        if answer == nil, fault == nil { fault = "the process that runs the stacks with \(module) has ended" }
        let lines = (answer ?? "").split(separator: "\n").dropLast()
        answers[key] = Array(lines)
        return Array(lines)
    }

    private func write(_ name: String, _ text: String) {
        let bytes = Array(text.utf8)
        if unsafe stack_judge_write("\(directory)/\(name)", bytes, bytes.count) != 0 {
            fault = "the doctor cannot write its service files to \(directory)"
        }
    }

    /// The whole answer to a request; nil where none comes in time.
    private func exchange(_ request: String) -> String? {
        let bytes = Array(request.utf8)
        guard connection >= 0, unsafe send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            return nil
        }
        return readAll(connection, by: linux_boottime_ms() + 60_000) { answer in
            answer.suffix(3).elementsEqual("\n.\n".utf8)
        }
    }
}
