import Base
import CLinux
import Glibc
import Testing

/// A file with or without a fault, and whether it is trusted.
private struct Left: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var bytes = Array("content".utf8)
    var mode: mode_t = 0o644
    var owner: uid_t = 0
    var secret = false
    var limit = 100
    /// Makes something else of the name, from which the file is gone.
    var replace: (@Sendable (String) -> Void)?
    var fault: FileFault?

    static let all = [
        Left(testDescription: "root's, 0644"),
        Left(testDescription: "root's, 0400, secret", mode: 0o400, secret: true),
        Left(testDescription: "as large as allowed", bytes: [UInt8](repeating: 0x61, count: 100)),
        Left(testDescription: "empty", bytes: []),
        Left(testDescription: "too large", bytes: [UInt8](repeating: 0x61, count: 101), fault: .tooLarge),
        Left(testDescription: "group-writable", mode: 0o664, fault: .writableByOthers),
        Left(testDescription: "world-writable", mode: 0o602, fault: .writableByOthers),
        Left(testDescription: "secret, group-readable", mode: 0o640, secret: true, fault: .readableByOthers),
        Left(testDescription: "secret, world-readable", mode: 0o604, secret: true, fault: .readableByOthers),
        Left(testDescription: "somebody's", owner: 5001, fault: .wrongOwner),
        Left(testDescription: "missing", replace: { _ in }, fault: .missing),
        Left(
            testDescription: "symbolic link", replace: { path in symlink("/etc/passwd", path) }, fault: .notRegular),
        Left(testDescription: "FIFO", replace: { path in mkfifo(path, 0o644) }, fault: .notRegular),
        Left(testDescription: "directory", replace: { path in mkdir(path, 0o755) }, fault: .notRegular),
        Left(testDescription: "device", replace: { path in symlink("/dev/zero", path) }, fault: .notRegular),
    ]
}

@Suite struct FileTests {
    @Test("a file is believed only if nobody but root can change it", .needsRoot, arguments: Left.all)
    private func trusted(left: Left) {
        let directory = TemporaryDirectory()
        let path = directory.file("file", left.bytes, mode: left.mode)
        lchown(path, left.owner, 0)
        if let replace = left.replace {
            unlink(path)
            replace(path)
        }
        do throws(FileFault) {
            let read = try readTrustedFile(Array(path.utf8), secret: left.secret, limit: left.limit)
            #expect(left.fault == nil)
            #expect(read.withBytes { bytes in bytes.copied() } == left.bytes)
        } catch {
            #expect(error == left.fault)
        }
    }

    @Test(
        "names that cannot be files",
        arguments: [[], [0], Array("/etc/passwd\0".utf8), Array("/etc/passwd/x".utf8)] as [[UInt8]])
    func names(path: [UInt8]) {
        #expect(throws: FileFault.missing) { _ = try readTrustedFile(path, secret: false, limit: 10).count }
    }

    @Test("a file is replaced whole, readable by all, and its directory is made", .needsRoot)
    func replaced() {
        let directory = TemporaryDirectory()
        let inner = "\(directory.path)/inner"
        for text in ["first", "second and longer", ""] {
            #expect(linux_replace_file(inner, "name", 0, 0, text, text.utf8.count) == 0)
            #expect(content("\(inner)/name") == text)
        }
        #expect(BaseTests.names(in: inner) == ["name"])
        var status = stat()
        #expect(stat("\(inner)/name", &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o644)
        chmod(inner, 0o777)
        #expect(linux_replace_file(inner, "name", 0, 0, "x", 1) == -EPERM)
        unlink("\(inner)/name")
    }

    @Test("a directory is opened if only root can change it, and made if that is asked for", .needsRoot)
    func directories() {
        let directory = TemporaryDirectory()
        let inner = "\(directory.path)/inner"
        func result(of opened: CInt) -> CInt {
            if opened >= 0 {
                close(opened)
            }
            return min(opened, 0)
        }
        let opened = { (path: String) in
            [result(of: linux_open_directory(path, 0)), result(of: linux_open_own_folder(Array(path.utf8) + [0]))]
        }
        #expect(opened(inner) == [-ENOENT, -ENOENT])
        #expect(result(of: linux_open_directory(inner, 0o700)) == 0)
        var status = stat()
        #expect(stat(inner, &status) == 0 && status.st_mode & 0o7777 == 0o700)
        #expect(opened(inner) == [0, 0])
        // What is there is left as it is.
        #expect(result(of: linux_open_directory(inner, 0o755)) == 0)
        #expect(stat(inner, &status) == 0 && status.st_mode & 0o7777 == 0o700)
        symlink(inner, "\(directory.path)/link")
        #expect(opened("\(directory.path)/link") == [-ENOTDIR, -ENOTDIR])
        #expect(opened(directory.file("file", [])) == [-ENOTDIR, -ENOTDIR])
        for mode in [0o720, 0o702] as [mode_t] {
            chmod(inner, mode)
            #expect(opened(inner) == [-EPERM, -EPERM])
        }
        chmod(inner, 0o700)
        lchown(inner, 1, 0)
        #expect(opened(inner) == [-EPERM, -EPERM])
        rmdir(inner)
        unlink("\(directory.path)/link")
    }

    @Test("threads that replace files at the same time do not publish each other's", .needsRoot)
    func replacedAtOnce() async {
        let directory = TemporaryDirectory()
        let path = directory.path
        await withTaskGroup(of: Bool.self) { group in
            for name in ["a", "b", "c", "d"] {
                group.addTask {
                    let text = String(repeating: name, count: 20_000)
                    return (1...200).allSatisfy { _ in
                        linux_replace_file(path, name, 0, 0, text, text.utf8.count) == 0
                            && content("\(path)/\(name)") == text
                    }
                }
            }
            for await isOwn in group {
                #expect(isOwn)
            }
        }
        #expect(BaseTests.names(in: path).sorted() == ["a", "b", "c", "d"])
    }

    @Test("a byte is locked by one at a time, until the lock is dropped", .needsRoot)
    func locks() {
        let directory = TemporaryDirectory()
        let first = linux_lock_byte(directory.path, "lock", 7, 0)
        #expect(first >= 0)
        #expect(linux_lock_byte(directory.path, "lock", 7, 30) == -EAGAIN)
        let other = linux_lock_byte(directory.path, "lock", UInt64(Int64.max), 0)
        #expect(other >= 0)
        close(first)
        // A process that another test is just starting has a copy of the descriptor until it becomes its program.
        let again = linux_lock_byte(directory.path, "lock", 7, 5000)
        #expect(again >= 0)
        close(again)
        close(other)
    }

    @Test("a descriptor is closed when its owner lets it go, and there is none below zero")
    func descriptor() {
        var ends: [CInt] = [-1, -1]
        #expect(pipe(&ends) == 0)
        do {
            let writing = Descriptor(owning: ends[1])
            _ = writing?.number
        }
        var byte: UInt8 = 0
        #expect(read(ends[0], &byte, 1) == 0)
        close(ends[0])
        #expect(Descriptor(owning: -1)?.number == nil)
    }
}

@Suite struct ChannelTests {
    /// Two ends of a packet socket.
    private struct Pair {
        let ours: CInt
        let theirs: CInt

        init() {
            var ends: [CInt] = [-1, -1]
            socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0, &ends)
            ours = ends[0]
            theirs = ends[1]
        }
    }

    private func receive(
        _ socket: CInt, atMost largest: Int = 10, within milliseconds: Int32 = 0
    ) -> Result<[UInt8], ReceiveFault> {
        do throws(ReceiveFault) {
            let packet = try PacketSocket(socket).receive(atMost: largest, timeout: milliseconds)
            return .success(packet.withBytes { bytes in bytes.copied() })
        } catch {
            return .failure(error)
        }
    }

    @Test("packets keep their borders; what does not fit, does not come and is not there is told apart")
    func packets() {
        let pair = Pair()
        #expect(receive(pair.ours) == .failure(.timedOut))
        for text in ["a", "0123456789", "0123456789x", "b"] {
            #expect(linux_send(pair.theirs, text, text.utf8.count, 100) == 0)
        }
        #expect(receive(pair.ours) == .success(Array("a".utf8)))
        #expect(receive(pair.ours) == .success(Array("0123456789".utf8)))
        #expect(receive(pair.ours) == .failure(.tooLarge))
        #expect(receive(pair.ours) == .success(Array("b".utf8)))
        close(pair.theirs)
        // A child that another test has just started holds a copy until it executes its program.
        #expect(receive(pair.ours, within: 60_000) == .failure(.endOfFile))
        #expect(linux_send(pair.ours, "x", 1, 100) == -EPIPE)
        close(pair.ours)
        #expect(receive(-1) == .failure(.failed(ErrorNumber(EBADF))) || receive(-1) == .failure(.timedOut))
    }

    @Test("the last word of a worker that did not hear ours is received")
    func lastWord() {
        let pair = Pair()
        #expect(linux_send(pair.theirs, "result", 6, 100) == 0)
        #expect(linux_send(pair.ours, "answer", 6, 100) == 0)
        close(pair.theirs)
        #expect(receive(pair.ours) == .success(Array("result".utf8)))
        #expect(receive(pair.ours) == .failure(.endOfFile))
        close(pair.ours)
    }

    @Test("waiting takes as long as it may, and no longer")
    func waiting() {
        let pair = Pair()
        let before = Instant.now
        #expect(receive(pair.ours, within: 80) == .failure(.timedOut))
        let waited = Instant.now.milliseconds - before.milliseconds
        #expect((79...2000).contains(waited))
        // A full socket does not block either.
        let packet = [UInt8](repeating: 0, count: 90_000)
        var result: CInt = 0
        for _ in 0..<100 where result == 0 {
            result = linux_send(pair.ours, packet, packet.count, 10)
        }
        #expect(result == -ETIMEDOUT)
        close(pair.ours)
        close(pair.theirs)
    }

    @Test("a packet socket is told from everything else")
    func kind() {
        let pair = Pair()
        #expect(linux_is_packet_socket(pair.ours) == 1)
        var streams: [CInt] = [-1, -1]
        socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &streams)
        for other in [streams[0], -1] {
            #expect(linux_is_packet_socket(other) == 0)
        }
        for descriptor in [pair.ours, pair.theirs] + streams {
            close(descriptor)
        }
    }
}

@Suite struct IdentityTests {
    @Test("this process is alive; another start time or number is not it")
    func alive() {
        let current = ProcessIdentity.current
        #expect(current.id == getpid())
        #expect(current.life == .alive)
        #expect(ProcessIdentity(id: current.id, startTime: current.startTime + 1).life == .gone)
        for id in [0, -1, Int32.min, Int32.max] {
            #expect(ProcessIdentity(id: id, startTime: 0).life == .gone)
            #expect(ProcessIdentity(now: id).startTime == 0)
        }
        let fields = content("/proc/self/stat").split(separator: ")").last?.split(separator: " ")
        #expect(fields?.dropFirst(19).first.flatMap { text in UInt64(text) } == current.startTime)
    }

    @Test("a process of a namespace below this one is found by its number there", .needsRoot)
    func livesBelow() throws {
        var process: pid_t = 0
        let arguments = ["unshare", "--pid", "--fork", "--kill-child", "sleep", "60"]
        var vector: [UnsafeMutablePointer<CChar>?] = arguments.map { argument in strdup(argument) } + [nil]
        defer {
            for argument in vector {
                free(argument)
            }
        }
        #expect(posix_spawnp(&process, "unshare", nil, nil, &vector, nil) == 0)
        let children = "/proc/\(process)/task/\(process)/children"
        while content(children).isEmpty || content("/proc/\(content(children).dropLast())/comm") != "sleep\n" {
            usleep(1000)
        }
        let outer = try #require(Int32(content(children).dropLast()))
        let inner = ProcessIdentity(id: 1, startTime: ProcessIdentity(now: outer).startTime)
        #expect(inner.lifeElsewhere == .alive)
        #expect(ProcessIdentity(id: 2, startTime: inner.startTime).lifeElsewhere == .gone)
        #expect(ProcessIdentity(id: 1, startTime: inner.startTime + 1).lifeElsewhere == .gone)
        // Its number here is not its number there.
        #expect(ProcessIdentity(id: outer, startTime: inner.startTime).lifeElsewhere == .gone)
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        while ProcessIdentity(id: outer, startTime: inner.startTime).life == .alive {
            usleep(1000)
        }
        #expect(inner.lifeElsewhere == .gone)
    }

    @Test("the pid namespace is the one that /proc names")
    func pidNamespace() {
        #expect(target("/proc/self/ns/pid") == "pid:[\(PIDNamespace.current.inode)]")
    }

    @Test("accounts are found by exactly their name")
    func accounts() throws {
        let root = try #require(try Account.named(Array("root".utf8)))
        #expect(root.uid == 0)
        for name in [
            "", "ROOT", "root ", "root\0", "no-such-account", "roo\u{301}t", String(repeating: "a", count: 5000),
        ] {
            #expect(try Account.named(Array(name.utf8)) == nil)
        }
        #expect(try root.isMember(Array("root".utf8), of: Array("root".utf8)) == true)
        #expect(try root.isMember(Array("root".utf8), of: Array("nogroup".utf8)) == false)
        for group in ["", "no-such-group", "root\0", "ROOT"] {
            #expect(try root.isMember(Array("root".utf8), of: Array(group.utf8)) == nil)
        }
    }

    @Test("the clock goes forward")
    func clock() {
        let first = Instant.now
        #expect(first <= .now)
        #expect(first.milliseconds > 0)
        #expect(secondsSinceEpoch() > 1_700_000_000)
    }
}
