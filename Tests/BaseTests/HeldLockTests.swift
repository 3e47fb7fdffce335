import Base
import CLinux
import Foundation
import Testing

/// Another process, which has a lock and does not go on.
private final class Holder {
    private let process = Process()
    private let identity: ProcessIdentity

    /// - Parameter file: The file of the lock, of which one byte is locked.
    init(_ file: String, byte: UInt64, byName: Bool) throws {
        let command = byName ? "F_SETLK" : "F_OFD_SETLK"
        let script = """
            import fcntl, os, signal, struct
            lock = os.open("\(file)", os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.fcntl(lock, fcntl.\(command), struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, \(byte), 1, 0))
            os.write(1, b"!")
            os.kill(os.getpid(), signal.SIGSTOP)
            """
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-IS", "-c", script]
        process.standardOutput = output
        try process.run()
        identity = ProcessIdentity(now: process.processIdentifier)
        #expect(output.fileHandleForReading.readData(ofLength: 1).count == 1)
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Whether it has been killed.
    var isKilled: Bool { identity.life == .gone }
}

@Suite(.needsRoot) struct HeldLockTests {
    private let directory = TemporaryDirectory()

    private func place(_ byte: UInt64) -> LockPlace {
        LockPlace(directory: directory.path, file: "lock", byte: byte, subject: "session=7")
    }

    private func isBusy(_ take: () throws(ErrorNumber) -> HeldLock?) -> Bool {
        do throws(ErrorNumber) {
            _ = try take()
            return false
        } catch {
            return error == .resourceTemporarilyUnavailable
        }
    }

    @Test("one has a lock at a time, and nothing is left of its turn", arguments: [false, true])
    func locks(byName: Bool) throws {
        for byte in [3, UInt64(Int32.max), 1 << 62, UInt64(Int64.max)] {
            var lock: HeldLock? = try place(byte).lock(within: 0, byName: byName)
            let other: HeldLock? = try place(byte - 1).lock(within: 0, byName: byName)
            #expect(place(byte).isLocked)
            #expect(isBusy { () throws(ErrorNumber) in try place(byte).lock(within: 20, byName: byName) })
            withExtendedLifetime((lock, other)) {}
            lock = nil
            // Another test that starts a process has a copy of the descriptor until that becomes its program.
            _ = try place(byte).lock(within: 5000, byName: byName)
        }
        #expect(names(in: directory.path) == ["lock"])
    }

    @Test("a process that has the turn under its name is ended by an end, and by nothing else")
    func named() throws {
        let holder = try Holder("\(directory.path)/turn-7", byte: 0, byName: true)
        #expect(place(7).isLocked)
        #expect(isBusy { () throws(ErrorNumber) in try place(7).lock(within: 20) })
        #expect(!holder.isKilled)
        // Its own user id here is root's.
        #expect(isBusy { () throws(ErrorNumber) in try place(7).lockEndingHolder(sparingRoot: true) })
        #expect(!holder.isKilled)
        let lock = try place(7).lockEndingHolder()
        #expect(lock != nil && holder.isKilled)
        #expect(isBusy { () throws(ErrorNumber) in try place(7).lock(within: 0) })
    }

    @Test("a process without a name is not")
    func unnamed() throws {
        let holder = try Holder("\(directory.path)/turn-7", byte: 0, byName: false)
        #expect(isBusy { () throws(ErrorNumber) in try place(7).lockEndingHolder() })
        #expect(!holder.isKilled)
    }

    @Test("nobody is waited for who has the lock and not the turn: a child of an ended program, or a host of 0.1.0")
    func withoutTurn() throws {
        let holder = try Holder("\(directory.path)/lock", byte: 7, byName: false)
        #expect(isBusy { () throws(ErrorNumber) in try place(7).lock(within: 20) })
        // A process that another test starts has a copy of the turn that was given up, until it becomes its program.
        var lock: HeldLock?
        for _ in 0..<500 where lock == nil {
            lock = try? place(7).lockEndingHolder()
            usleep(lock == nil ? 10_000 : 0)
        }
        #expect(lock != nil && !holder.isKilled)
        #expect(isBusy { () throws(ErrorNumber) in try place(7).lock(within: 0) })
    }
}
