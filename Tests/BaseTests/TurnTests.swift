import CLinux
import Glibc
import Testing

@Suite struct TurnTests {
    private let directory = TemporaryDirectory()
    private var path: String { "\(directory.path)/counts" }

    private func take(_ key: UInt64, at moment: Int64, most: Int64 = 5, interval: Int64 = 1000) -> Int32 {
        linux_take_turn(path, key, most, interval, moment)
    }

    private var size: Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : -1
    }

    @Test("turns are used up, come back one by one, and are each one's own", .needsRoot)
    func turns() {
        #expect((0..<9).map { _ in take(7, at: 1_000_000) } == [1, 1, 1, 1, 1, 0, 0, 0, 0])
        #expect(take(8, at: 1_000_000) == 1)
        #expect(take(7, at: 1_000_999) == 0)
        #expect((0..<3).map { _ in take(7, at: 1_002_000) } == [1, 1, 0])
        #expect((0..<9).map { _ in take(7, at: 2_000_000) } == [1, 1, 1, 1, 1, 0, 0, 0, 0])
        #expect((0..<3).map { _ in take(9, at: 1_000_000, most: 1) } == [1, 0, 0])
    }

    @Test("the file never grows; who finds no place in it waits until others have all of their turns", .needsRoot)
    func full() {
        #expect((UInt64(1)...4096).allSatisfy { key in take(key, at: 1_000_000) == 1 })
        let whole = size
        #expect(take(5000, at: 1_000_000) == -EUSERS)
        // Who is in it has their own.
        #expect(take(4096, at: 1_000_000) == 1)
        #expect(take(5000, at: 1_001_001) == 1 && size == whole)
    }

    @Test("what is not such a file", .needsRoot)
    func damaged() {
        // From a clock that ran on: it causes no wait.
        #expect(take(7, at: .max / 2) == 1)
        #expect(take(7, at: 1_000_000) == 1)
        #expect(truncate(path, 100) == 0)
        #expect(take(7, at: 1_000_000) == 1 && size > 100)
        #expect(chmod(path, 0o644) == 0)
        #expect(take(7, at: 1_000_000) == -EPERM)
        #expect(unlink(path) == 0 && symlink("/dev/null", path) == 0)
        #expect(take(7, at: 1_000_000) == -ELOOP)
        #expect(unlink(path) == 0 && mkdir(path, 0o700) == 0)
        #expect(take(7, at: 1_000_000) == -EISDIR)
    }
}
