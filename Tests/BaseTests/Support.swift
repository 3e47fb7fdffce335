import Base
import CLinux
import Glibc
import Testing

let isRoot = geteuid() == 0

extension Trait where Self == ConditionTrait {
    /// For what only root can try.
    static var needsRoot: ConditionTrait { .enabled(if: isRoot, "needs root: it is about owners and dropped rights") }
}

/// Says on standard error what does not hold: where the test that started this process sees it.
func check(_ holds: Bool, _ found: @autoclosure () -> String = "", line: Int = #line) {
    if !holds {
        let text = "line \(line) \(found())\n"
        _ = write(2, text, text.utf8.count)
    }
}

/// Expects that a process of its own had nothing to say.
func expectSilence(_ result: ExitTest.Result?) {
    #expect(result.map { result in String(decoding: result.standardErrorContent, as: UTF8.self) } == "")
}

/// A directory of a test's own.
final class TemporaryDirectory {
    let path: String

    init() {
        let place = getenv("TMPDIR").map { name in String(cString: name) } ?? "/tmp"
        var template = Array("\(place)/pam-cognito-test-XXXXXX".utf8CString)
        path = mkdtemp(&template).map { name in String(cString: name) } ?? "/nonexistent"
        // The names below it are opened by absolute path; others must be able to walk through.
        chmod(path, 0o755)
    }

    deinit {
        for name in names(in: path) {
            rmdir("\(path)/\(name)")
            unlink("\(path)/\(name)")
        }
        rmdir(path)
    }

    func file(_ name: String, _ content: [UInt8], mode: mode_t = 0o644) -> String {
        let descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        _ = write(descriptor, content, content.count)
        fchmod(descriptor, mode)
        close(descriptor)
        return "\(path)/\(name)"
    }
}

func names(in directory: String) -> [String] {
    guard let stream = opendir(directory) else {
        return []
    }
    defer { closedir(stream) }
    var found: [String] = []
    while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: 256) { text in String(cString: text) }
        }
        if name != ".", name != ".." {
            found.append(name)
        }
    }
    return found.sorted()
}

func content(_ path: String) -> String {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else {
        return ""
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let got = read(descriptor, &buffer, buffer.count), got > 0 {
        bytes += buffer[..<got]
    }
    return String(decoding: bytes, as: UTF8.self)
}

func target(_ link: String) -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let length = readlink(link, &buffer, buffer.count - 1)
    return length < 0
        ? "" : String(decoding: buffer[..<length].map { byte in UInt8(truncatingIfNeeded: byte) }, as: UTF8.self)
}

/// The values of a line `NAME: values` of a file in /proc.
func field(_ name: String, of path: String) -> [String]? {
    for line in content(path).split(separator: "\n") where line.hasPrefix(name + ":") {
        return line.dropFirst(name.count + 1).split { character in character == " " || character == "\t" }.map(
            String.init)
    }
    return nil
}
