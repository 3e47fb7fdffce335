internal import Base
internal import Commands
internal import Glibc

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
            },
            isInsideJob: isInsideJob
        )
    }

    /// Whether one of this process's ancestors is a program that carries out jobs.
    private static var isInsideJob: Bool {
        var process = getppid()
        // There are never more ancestors.
        for _ in 0..<256 where process > 1 {
            guard let status = try? ProcessStatus(of: process) else {
                return false
            }
            if ["cron", "crond", "anacron", "fcron", "atd"].contains(where: status.isNamed) {
                return true
            }
            process = status.numbers("PPid").first.flatMap { number in Int32(exactly: number) } ?? 0
        }
        return false
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
