import Base
import Glibc
import Testing

@testable import Agent

private let person: UInt32 = 5001

extension Trait where Self == ConditionTrait {
    /// For what only root can try.
    static var needsRoot: ConditionTrait { .enabled(if: geteuid() == 0, "needs root: it is about owners") }
}

/// Why a text was not told; nil: it was.
private func tell(_ text: String, _ device: TerminalDevice, _ uid: uid_t) -> ErrorNumber? {
    do throws(ErrorNumber) {
        try device.tell(Array(text.utf8), as: uid)
        return nil
    } catch {
        return error
    }
}

/// A terminal that belongs to a user.
private final class Pseudoterminal {
    let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK)
    let device: TerminalDevice
    var path: String { "/dev/pts/\(device.minor)" }

    init(owner: uid_t, mode: mode_t = 0o600) {
        // TIOCSPTLCK and TIOCGPTN, ioctl_tty(2).
        var unlocked: CInt = 0
        var number: CUnsignedInt = 0
        _ = ioctl(master, 0x4004_5431, &unlocked)
        _ = ioctl(master, 0x8004_5430, &number)
        device = TerminalDevice(major: 136, minor: number)
        chown(path, owner, 5)
        chmod(path, mode)
    }

    deinit {
        close(master)
    }

    /// Why a text was not told; nil: it was.
    func tell(_ text: String, _ uid: uid_t) -> ErrorNumber? {
        HostedSessionsTests.tell(text, device, uid)
    }

    /// The text that has appeared on the terminal since.
    var seen: String {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let got = read(master, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, got)), as: UTF8.self)
    }
}

@Suite struct TellTests {
    @Test(
        "a line arrives, whatever mesg(1) says, and makes the terminal nobody's", .needsRoot, arguments: [0o600, 0o620])
    func told(mode: mode_t) {
        let terminal = Pseudoterminal(owner: person, mode: mode)
        #expect(terminal.tell("hello\r\n", person) == nil)
        #expect(terminal.seen.hasPrefix("hello"))
        let own = open("/dev/tty", O_RDWR)
        #expect(own < 0 || ttyname(own).map { name in String(cString: name) } != terminal.path)
        close(own)
    }

    @Test("somebody else's terminal is not written to, nor one whose owner may not", .needsRoot)
    func others() {
        let theirs = Pseudoterminal(owner: 5002, mode: 0o666)
        #expect(theirs.tell("hello\r\n", person) == .notPermitted)
        #expect(theirs.seen.isEmpty)
        let roots = Pseudoterminal(owner: 0)
        #expect(roots.tell("hello\r\n", 0) == .notPermitted)
        #expect(roots.seen.isEmpty)
        let closed = Pseudoterminal(owner: person, mode: 0)
        #expect(closed.tell("hello\r\n", person) == .permissionDenied)
        #expect(tell("x", TerminalDevice(major: 1, minor: 3), person) == ErrorNumber(ENOTTY))
        #expect(tell("x", TerminalDevice(major: 136, minor: 1_000_000), person) == .noSuchFileOrDirectory)
    }

    @Test("a terminal that is stopped, or full, is not waited for", .needsRoot)
    func blocked() {
        let stopped = Pseudoterminal(owner: person)
        let slave = open(stopped.path, O_RDWR | O_NOCTTY | O_NONBLOCK)
        defer { close(slave) }
        #expect(tcflow(slave, TCOOFF) == 0)
        #expect(stopped.tell("hello\r\n", person) == .resourceTemporarilyUnavailable)
        #expect(tcflow(slave, TCOON) == 0)
        #expect(stopped.tell("hello\r\n", person) == nil)

        let filler = [UInt8](repeating: 0x61, count: 4096)
        // The kernel moves what is written to the other end, behind the writer's back, until that is full
        // (N_TTY_BUF_SIZE).
        var waiting: CInt = 0
        repeat {
            while write(slave, filler, filler.count) > 0 {}
            #expect(ioctl(stopped.master, UInt(FIONREAD), &waiting) == 0)
        } while waiting < 4095
        while write(slave, filler, filler.count) > 0 {}
        #expect(stopped.tell("hello\r\n", person) == .resourceTemporarilyUnavailable)
    }
}

@Suite struct IdleTests {
    @Test(
        "idle is since somebody's input was read, by the terminal's time of access", .needsRoot,
        arguments: [0, 90, 7200])
    func idle(seconds: Int) throws {
        let terminal = Pseudoterminal(owner: person)
        var times = [
            timespec(tv_sec: time(nil) - seconds, tv_nsec: 0), timespec(tv_sec: time(nil), tv_nsec: 0),
        ]
        #expect(utimensat(AT_FDCWD, terminal.path, &times, 0) == 0)
        let found = try terminal.device.idleTime(of: person)
        #expect((Int64(seconds)...Int64(seconds + 60)).contains(found))
        #expect(throws: ErrorNumber.notPermitted) { try terminal.device.idleTime(of: 5002) }
    }

    @Test("a time of access to come is now", .needsRoot)
    func future() throws {
        let terminal = Pseudoterminal(owner: person)
        var times = [timespec(tv_sec: time(nil) + 1000, tv_nsec: 0), timespec(tv_sec: time(nil), tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, terminal.path, &times, 0) == 0)
        #expect(try terminal.device.idleTime(of: person) == 0)
    }
}
