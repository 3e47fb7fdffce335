internal import Base
internal import CLinux
internal import Commands
internal import Configuration
internal import Glibc
internal import Keyring
internal import Sessions

/// What the programs are installed below, from where the worker is.
var installedPrefix: String {
    let folder = programFolder
    return folder.hasSuffix("/libexec/pam-cognito") ? String(folder.dropLast("/libexec/pam-cognito".count)) : "/usr"
}

/// A file as a login would read it.
func trustedContent(
    _ path: String, secret: Bool, limit: Int = largestConfiguration
) -> Result<[UInt8], FileFault> {
    do throws(FileFault) {
        let text = try readTrustedFile(Array(path.utf8), secret: secret, limit: limit)
        return .success(text.withBytes { bytes in bytes.copied() })
    } catch {
        return .failure(error)
    }
}

/// The names in a directory, but for those that begin with a dot.
func fileNames(in folder: String) -> [String] { ((try? names(inFolder: folder)) ?? []).map(text) }

/// The regular files of a directory that hold text, by name. Not those that editors and packages leave.
func textFiles(in folder: String) -> [String: String] {
    let names = fileNames(in: folder).filter { name in
        !name.hasSuffix("~") && ![".dpkg-", ".rpm", ".bak", ".ucf-"].contains(where: name.mentions)
    }
    let files = names.compactMap { name in readWhole("\(folder)/\(name)").map { text in (name, text) } }
    return Dictionary(uniqueKeysWithValues: files)
}

/// The lines of a text that are a name and a value, with `separator` between them.
func fields(_ text: String, by separator: Character) -> [(String, String)] {
    text.split(separator: "\n").compactMap { line in
        let sides = line.split(separator: separator, maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return sides.count == 2 ? (sides[0], sides[1]) : nil
    }
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// The account of that name; nil where there is none, or that cannot be told.
func existingAccount(_ name: String) -> Account? {
    (try? Account.named(Array(name.utf8))) ?? nil
}

func linuxExists(_ path: String) -> Bool { unsafe linux_exists(path) == 1 }

/// The texts of a list that ends with NULL.
func strings(_ list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> [String] {
    var texts: [String] = []
    guard var next = unsafe list else { return texts }
    while let text = unsafe next.pointee {
        texts.append(unsafe String(cString: text))
        unsafe next += 1
    }
    return texts
}

/// The files that a pattern of glob(3) stands for, in order, with what is in them.
func filesMatching(_ pattern: String) -> [(path: String, text: String)] {
    var found = unsafe glob_t()
    defer { unsafe globfree(&found) }
    guard unsafe glob(pattern, 0, nil, &found) == 0 else { return [] }
    return unsafe strings(found.gl_pathv).compactMap { path in
        readWhole(path).map { text in (path, text) }
    }
}

/// Runs a program with nothing to read and an environment of its own: its status, and all that it wrote. One that takes
/// longer than `limit` milliseconds is killed; nil then.
func run(_ command: [String], within limit: Int64 = 10_000) -> (status: Int32, output: String)? {
    guard let (end, its) = try? pipeEnds() else { return nil }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, its, STDOUT_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, its, STDERR_FILENO)
    var process: pid_t = 0
    let isStarted = unsafe withStrings(command.map { word in ByteText(Array(word.utf8)) }) { arguments in
        unsafe withStrings(["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C"]) { environment in
            unsafe posix_spawn(&process, command.first ?? "", &actions, nil, arguments, environment) == 0
        } ?? false
    }
    close(its)
    defer { close(end) }
    guard isStarted == true else { return nil }
    let output = readAll(end, by: linux_boottime_ms() + limit)
    if output == nil {
        kill(process, SIGKILL)
    }
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0 {
        guard errno == EINTR else { return nil }
    }
    return output.map { output in (status & 0x7f == 0 ? status >> 8 & 0xff : 128 + (status & 0x7f), output) }
}

/// All that comes from a descriptor until its end or, with `isWhole`, until that is true; nil if that takes too long.
func readAll(_ descriptor: Int32, by deadline: Int64, until isWhole: (([UInt8]) -> Bool)? = nil) -> String? {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65536)
    while isWhole?(bytes) != true {
        let left = deadline - linux_boottime_ms()
        guard left > 0, linux_readable(descriptor, Int32(clamping: left)) == 1 else { return nil }
        let count = unsafe read(descriptor, &part, part.count)
        if count == 0, isWhole == nil { break }
        guard count > 0 else { return nil }
        bytes += part.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
}

struct ModuleFolder {
    private let path: String

    init() {
        #if arch(x86_64)
        let triplet = "x86_64-linux-gnu"
        #elseif arch(arm64)
        let triplet = "aarch64-linux-gnu"
        #else
        let triplet = ""
        #endif
        let candidates = [
            "/usr/lib/\(triplet)/security", "/lib/\(triplet)/security", "/usr/lib64/security", "/lib64/security",
            "/usr/lib/security", "/lib/security",
        ]
        let known = ["pam_unix.so", "pam_permit.so"]
        let found = candidates.first { folder in known.contains { file in linuxExists("\(folder)/\(file)") } }
        path = found ?? candidates[0]
    }

    func path(of module: String) -> String {
        module.hasPrefix("/") ? module : "\(path)/\(module)"
    }

    func has(_ module: String) -> Bool { linuxExists(path(of: module)) }
}
