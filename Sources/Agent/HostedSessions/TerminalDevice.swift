package import Base
internal import CLinux
internal import Glibc

/// A terminal as the kernel numbers it (Documentation/admin-guide/devices.txt).
package struct TerminalDevice: Equatable, Sendable {
    /// The major number: 136 to 143 for pseudo-terminals, 4 for consoles and serial lines.
    package let major: UInt32
    package let minor: UInt32
}

extension TerminalDevice {
    /// One as /proc has it, in the kernel's own form of device numbers (include/linux/kdev_t.h, new_encode_dev); nil
    /// for none.
    init?(_ number: UInt32) {
        self.init(major: (number & 0xfff00) >> 8, minor: number & 0xff | number >> 12 & 0xfff00)
        guard major != 0 else {
            return nil
        }
    }

    /// The controlling terminal of a process; nil where it has none.
    package init?(of process: Int32) {
        guard let stat = try? ProcessStat(of: process) else {
            return nil
        }
        self.init(stat.terminal)
    }

    /// Its name as w(1) has it, empty where that is not known.
    package var name: [UInt8] { path.map { path in Array(path.utf8.dropFirst("/dev/".utf8.count)) } ?? [] }

    private var path: String? {
        switch (major, minor) {
        case (136...143, _): "/dev/pts/\((major - 136) * 256 + minor)"
        case (4, 1..<64): "/dev/tty\(minor)"
        case (4, 64...): "/dev/ttyS\(minor - 64)"
        default: nil
        }
    }

    /// Whether that is what a file is, and `user`'s.
    private func isFile(_ status: stat, of user: UInt32) -> Bool {
        // makedev(3), of which the upper half is not used here.
        let device = UInt64(minor & 0xff | major << 8) | UInt64(minor & 0xfff00) << 12
        return status.st_mode & S_IFMT == S_IFCHR && status.st_uid == user && UInt64(status.st_rdev) == device
    }

    /// Writes to it if it belongs to `user`, once and without blocking: the rest that does not fit is not written, and
    /// EAGAIN. It does not become a controlling terminal.
    package func tell(_ text: [UInt8], as user: UInt32) throws(ErrorNumber) {
        let terminal = try open(as: user)
        defer { close(terminal) }
        var status = stat()
        guard unsafe fstat(terminal, &status) == 0, isFile(status, of: user) else {
            throw .notPermitted
        }
        let written = unsafe write(terminal, text, text.count)
        guard written == text.count else {
            throw written < 0 ? .last : .resourceTemporarilyUnavailable
        }
    }

    /// Opens it as `user`, which need not be root's to open.
    private func open(as user: UInt32) throws(ErrorNumber) -> CInt {
        guard let path else {
            throw ErrorNumber(ENOTTY)
        }
        guard user != 0, linux_set_filesystem_user(user) == 0 else {
            throw .notPermitted
        }
        let terminal = unsafe Glibc.open(path, O_WRONLY | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        let error = ErrorNumber.last
        guard linux_set_filesystem_user(0) == 0 else {
            // It was 0, and the effective user id still is: this cannot be.
            close(terminal)
            throw .notPermitted
        }
        guard terminal >= 0 else {
            throw error
        }
        return terminal
    }

    /// For how many seconds nothing was read from it, if it belongs to `user`.
    package func idleTime(of user: UInt32) throws(ErrorNumber) -> Int64 {
        guard let path else {
            throw ErrorNumber(ENOTTY)
        }
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            throw .last
        }
        guard isFile(status, of: user) else {
            throw .notPermitted
        }
        // The kernel sets the access time when input is read (drivers/tty/tty_io.c, tty_read).
        return max(0, secondsSinceEpoch() - Int64(status.st_atim.tv_sec))
    }
}
