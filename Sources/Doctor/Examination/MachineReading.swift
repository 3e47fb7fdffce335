internal import Base
internal import CLinux
internal import Commands
internal import Configuration
internal import Glibc
internal import Keyring
internal import LinuxHost

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

/// The names of what is in a folder, but for those that begin with a dot.
func fileNames(in folder: String) -> [String] {
    ((try? names(inFolder: folder)) ?? []).map { name in String(decoding: name, as: UTF8.self) }
}

/// The regular files of a folder that hold text, by name. Not those that editors and packages leave.
func textFiles(in folder: String) -> [String: String] {
    var files: [String: String] = [:]
    for name in fileNames(in: folder) {
        let isLeft = name.hasSuffix("~") || [".dpkg-", ".rpm", ".bak", ".ucf-"].contains(where: name.mentions)
        guard !isLeft, let text = readWhole("\(folder)/\(name)") else {
            continue
        }
        files[name] = text
    }
    return files
}

/// Whether there is something at `path`.
func linuxExists(_ path: String) -> Bool {
    unsafe linux_exists(path) == 1
}

/// The texts of a list that ends with NULL.
func strings(_ list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> [String] {
    var texts: [String] = []
    guard var next = unsafe list else {
        return texts
    }
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
    guard unsafe glob(pattern, 0, nil, &found) == 0 else {
        return []
    }
    return unsafe strings(found.gl_pathv).compactMap { path in
        readWhole(path).map { text in (path, text) }
    }
}

/// Runs a program with nothing to read and an environment of its own: its status, and all that it wrote.
func run(_ command: [String]) -> (status: Int32, output: String)? {
    var pipe: [Int32] = [-1, -1]
    guard unsafe Glibc.pipe(&pipe) == 0, fcntl(pipe[0], F_SETFD, FD_CLOEXEC) == 0 else {
        return nil
    }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, pipe[1], STDERR_FILENO)
    unsafe posix_spawn_file_actions_addclose(&actions, pipe[1])
    var process: pid_t = 0
    let isStarted = unsafe withStrings(command.map { word in ByteText(Array(word.utf8)) }) { arguments in
        unsafe withStrings(["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C"]) { environment in
            unsafe posix_spawn(&process, command.first ?? "", &actions, nil, arguments, environment) == 0
        } ?? false
    }
    close(pipe[1])
    defer { close(pipe[0]) }
    guard isStarted == true else {
        return nil
    }
    let output = String(decoding: (try? readRest(pipe[0])) ?? [], as: UTF8.self)
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0 {
        guard errno == EINTR else {
            return nil
        }
    }
    return (status & 0x7f == 0 ? status >> 8 & 0xff : 128 + (status & 0x7f), output)
}
