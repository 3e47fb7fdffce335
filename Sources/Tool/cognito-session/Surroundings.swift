internal import Glibc
internal import SessionTool

func isUnset(_ variable: String) -> Bool {
    // An empty variable counts as unset: https://no-color.org
    guard let value = unsafe getenv(variable) else {
        return true
    }
    return unsafe value.pointee == 0
}

/// Whether the terminal can do nothing but print.
var isDumb: Bool {
    guard let value = unsafe getenv("TERM") else {
        return true
    }
    return unsafe strcmp(value, "dumb") == 0
}

/// A file of /proc, which has no size before it is read; nil when there is none.
func readWhole(_ path: String) -> String? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
        return nil
    }
    defer { close(descriptor) }
    return readAll(descriptor)
}

/// All that can be read from `descriptor`.
func readAll(_ descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < 1 << 24 {
        let count = unsafe buffer.withUnsafeMutableBytes { memory in
            unsafe read(descriptor, memory.baseAddress, memory.count)
        }
        if count < 0, errno == EINTR {
            continue
        }
        guard count > 0 else {
            break
        }
        bytes += buffer.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
}

extension Surroundings {
    /// Those of this process.
    static var current: Surroundings {
        let login = readWhole("/proc/self/loginuid").flatMap { text in UInt32(text.split(separator: "\n").first ?? "") }
        let controlGroup = readWhole("/proc/self/cgroup") ?? ""
        return Surroundings(
            uid: getuid(),
            loginUID: login == UInt32.max ? nil : login,
            isInsideTmux: !isUnset("TMUX"),
            isInsideScreen: !isUnset("STY"),
            isInsideSudo: !isUnset("SUDO_UID"),
            isInsideUserManager: controlGroup.split(separator: "/").contains { part in
                part.hasPrefix("user@") && part.hasSuffix(".service")
            }
        )
    }
}

/// Whether the kernel's list of keys has `serial` under a token key's name: the only place where an expired key still
/// has one.
func isTokenKey(_ serial: Int32) -> Bool {
    guard let keys = readWhole("/proc/keys") else {
        return false
    }
    return keys.split(separator: "\n").contains { line in
        guard let space = line.firstIndex(of: " "), Int32(line[..<space], radix: 16) == serial else {
            return false
        }
        return line.split(separator: " ").contains { word in word.hasPrefix("cognito:") }
    }
}

/// The time of day, with the date when it was another day's.
func localTime(_ seconds: Int64) -> String {
    let written = { (seconds: time_t, format: String) -> String in
        var moment = seconds
        var parts = unsafe tm()
        guard unsafe localtime_r(&moment, &parts) != nil else {
            return ""
        }
        var buffer = [CChar](repeating: 0, count: 64)
        let length = unsafe strftime(&buffer, buffer.count, format, &parts)
        return String(decoding: buffer.prefix(length).map { letter in UInt8(bitPattern: letter) }, as: UTF8.self)
    }
    let isToday = written(time_t(seconds), "%F") == written(time(nil), "%F")
    return written(time_t(seconds), isToday ? "%H:%M" : "%F %H:%M")
}
