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

extension FileFact {
    /// The file at `path` as it is: a link is one.
    init(at path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            self.init(path, nil)
            return
        }
        let kind: Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            case S_IFLNK: .link
            default: .other
            }
        self.init(path, kind, owner: status.st_uid, group: status.st_gid, mode: status.st_mode & 0o7777)
    }
}

/// Where libpam looks for modules.
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
        path =
            candidates.first { folder in linuxExists("\(folder)/pam_unix.so") || linuxExists("\(folder)/pam_permit.so")
            }
            ?? candidates[0]
    }

    /// The file of a module as a stack names it.
    func path(of module: String) -> String {
        module.hasPrefix("/") ? module : "\(path)/\(module)"
    }

    /// Whether it is there.
    func has(_ module: String) -> Bool {
        linuxExists(path(of: module))
    }
}

private func linuxExists(_ path: String) -> Bool {
    unsafe linux_exists(path) == 1
}

/// The error of keyctl(2); nil where it works.
func keyctlError() -> Int32? {
    do throws(ErrorNumber) {
        _ = try RootKeyring().serials()
        return nil
    } catch {
        return error.code
    }
}

/// A number of kernel.keys; nil where it cannot be read.
func kernelNumber(_ name: String) -> Int? {
    readWhole("/proc/sys/kernel/keys/\(name)").flatMap { text in Int(text.prefix { digit in digit.isNumber }) }
}

/// The accounts whose primary group it is.
func accountNames(withGroup gid: UInt32) -> [String] {
    var names: [String] = []
    setpwent()
    defer { endpwent() }
    while let entry = unsafe getpwent() {
        if unsafe entry.pointee.pw_gid == gid, let name = unsafe entry.pointee.pw_name {
            names.append(unsafe String(cString: name))
        }
    }
    return names
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

extension WorkerFacts {
    /// A worker that has just been started; nil where /proc does not show it.
    init?(of worker: LinuxMachine.Worker) {
        let descriptor = readWhole("/proc/self/fdinfo/\(worker.processDescriptor)") ?? ""
        guard let line = descriptor.split(separator: "\n").first(where: { line in line.hasPrefix("Pid:") }),
            let process = line.split(whereSeparator: \.isWhitespace).last
        else {
            return nil
        }
        // It is past all preparations when it sleeps.
        for _ in 0..<100 {
            guard let status = readWhole("/proc/\(process)/status") else {
                return nil
            }
            self.init(status: status)
            if isWaiting {
                return
            }
            linux_sleep_ms(5)
        }
        return nil
    }
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

/// The names of all groups of an account.
func groupNames(of name: String) -> [String] {
    guard let account = unsafe getpwnam(name) else {
        return []
    }
    let primary = unsafe account.pointee.pw_gid
    // As many as the kernel lets a process have.
    var count: Int32 = 65536
    var groups = [gid_t](repeating: 0, count: Int(count))
    guard unsafe getgrouplist(name, primary, &groups, &count) >= 0 else {
        return []
    }
    return groups.prefix(Int(count)).compactMap { group in
        unsafe getgrgid(group).map { entry in unsafe String(cString: entry.pointee.gr_name) }
    }
}

/// What sshd makes of its configuration for one connection (`sshd -T -C`).
func effectiveSSHSettings(of connection: SSHConnection) -> SSHFact {
    let path = "/usr/sbin/sshd"
    guard linuxExists(path) else {
        return .absent
    }
    guard let (status, output) = run([path, "-T", "-C", connection.specification]) else {
        return .absent
    }
    // It ends its complaints as on a terminal.
    let lines = output.split(whereSeparator: \.isNewline)
    return status == 0 ? .settings(output) : .refused(lines.last.map(String.init) ?? "")
}

/// Runs a program with nothing to read and an environment of its own: its status, and all that it wrote.
private func run(_ command: [String]) -> (status: Int32, output: String)? {
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
