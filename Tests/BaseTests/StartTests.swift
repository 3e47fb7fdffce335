import Base
import CLinux
import Glibc
import Testing

// Each test is a process of its own: descriptors, children and signals of other tests would be counted, too.

/// How many SIGCHLD came.
private nonisolated(unsafe) var childSignals = 0

private func descriptors() -> [String] {
    names(in: "/proc/self/fd")
        // Another test's file that a child has inherited may be removed meanwhile.
        .map { number in "\(number) \(target("/proc/self/fd/\(number)").replacing(" (deleted)", with: ""))" }
        // Some are closed while this looks, its own among them; the test's machinery has timers and events of its own.
        .filter { line in
            !line.contains("/proc/") && !line.hasSuffix(" ") && !line.contains("[event") && !line.contains("[timerfd]")
        }
}

/// Whether the descriptors are those of before. The test's own machinery opens and closes some in another thread.
private func areSettled(_ before: [String], plus ours: [CInt] = []) -> Bool {
    for _ in 0..<100 {
        let own = ours.map { number in "\(number) \(target("/proc/self/fd/\(number)"))" }
        if descriptors().filter({ line in !own.contains(line) }) == before {
            return true
        }
        usleep(10_000)
    }
    return false
}

/// The number of the process behind a pidfd.
private func processID(_ pidfd: CInt) -> Int32 {
    field("Pid", of: "/proc/self/fdinfo/\(pidfd)")?.first.flatMap { text in Int32(text) } ?? -1
}

/// Waits until the other program runs: between clone and exec /proc tells of us.
private func status(_ pid: Int32, _ name: String) -> String {
    field(name, of: "/proc/\(pid)/status")?.joined(separator: " ") ?? "missing"
}

/// The same of this thread.
private func ownStatus(_ name: String) -> String {
    field(name, of: "/proc/thread-self/status")?.joined(separator: " ") ?? "missing"
}

/// Leaves this process no descriptor above that one.
private func limitDescriptors(to number: CInt) -> Bool {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = rlim_t(number)
    return setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
}

/// Gives this thread a table of descriptors of its own (unshare(2)): the test's machinery opens and closes some in
/// another thread.
private func leaveSharedDescriptors() -> Bool {
    guard let unshare = dlsym(nil, "unshare") else {
        return false
    }
    let cloneFiles: CInt = 0x400
    return unsafeBitCast(unshare, to: (@convention(c) (CInt) -> CInt).self)(cloneFiles) == 0
}

private func stop(_ started: linux_started) {
    linux_kill(started.pidfd, 60_000)
    close(started.socket)
    close(started.pidfd)
}

@Suite struct StartTests {
    @Test("the program runs as it should, whatever its host is like", .needsRoot)
    func surroundings() async {
        await expectSilence(
            #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                // A host with everything that must not be handed down.
                setenv("EVIL", "1", 1)
                chdir("/tmp")
                signal(SIGPIPE, SIG_IGN)
                signal(SIGTERM, SIG_IGN)
                var mask = sigset_t()
                sigemptyset(&mask)
                sigaddset(&mask, SIGINT)
                sigaddset(&mask, SIGCHLD)
                sigprocmask(SIG_BLOCK, &mask, nil)
                umask(0o002)
                let groups: [gid_t] = [0, 4, 27]
                setgroups(groups.count, groups)
                _ = open("/etc/passwd", O_RDONLY)
                var limit = rlimit(rlim_cur: 1 << 20, rlim_max: rlim_t.max)
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)

                let before = (descriptors(), target("/proc/self/cwd"), ownStatus("SigBlk"), ownStatus("SigIgn"))
                let started = linux_start("/bin/cat", "the-name", 65_500, 65_501)
                check(started.stage == 0, "\(started)")
                check(started.error == 0)
                let pid = processID(started.pidfd)
                check(pid > 0)
                check(status(pid, "Uid") == "65500 65500 65500 65500")
                check(status(pid, "Gid") == "65501 65501 65501 65501")
                check(status(pid, "Groups") == "")
                check(status(pid, "NoNewPrivs") == "1")
                // SIGTERM, SIGHUP and SIGINT, by which sessions are ended.
                check(status(pid, "SigIgn") == "0000000000004003")
                for name in ["SigBlk", "SigCgt", "SigPnd", "CapPrm", "CapEff", "CapAmb"] {
                    check(status(pid, name) == "0000000000000000", "\(name) \(status(pid, name))")
                }
                check(status(pid, "Umask") == "0077")
                check(status(pid, "PPid") != "\(getpid())")
                check(getsid(pid) == pid)
                check(content("/proc/\(pid)/cmdline") == "the-name\0")
                check(
                    content("/proc/\(pid)/environ").split(separator: "\0").sorted() == [
                        "LC_ALL=C", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "RES_OPTIONS=timeout:2 attempts:2",
                    ])
                check(target("/proc/\(pid)/cwd") == "/")
                let open = names(in: "/proc/\(pid)/fd").map { number in target("/proc/\(pid)/fd/\(number)") }
                check(open.count == 3)
                check(open.first?.hasPrefix("socket:") == true)
                check(open.dropFirst() == ["/dev/null", "/dev/null"])
                let limits = content("/proc/\(pid)/limits").split(separator: "\n").map { line in
                    line.split(separator: " ").joined(separator: " ")
                }
                check(limits.contains("Max core file size 0 0 bytes"))
                check(limits.contains("Max file size unlimited unlimited bytes"))
                check(limits.contains("Max open files 64 64 files"))

                // The host is as it was: but for what it owns now.
                check(areSettled(before.0, plus: [started.socket, started.pidfd]), "\(before.0) \(descriptors())")
                for number in [started.socket, started.pidfd] {
                    check(fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
                }
                check(target("/proc/self/cwd") == before.1)
                check(ownStatus("SigBlk") == before.2)
                check(ownStatus("SigIgn") == before.3)

                // It ends with its socket.
                check(linux_wait_gone(started.pidfd, 0) == 0)
                close(started.socket)
                check(linux_wait_gone(started.pidfd, 60_000) == 1)
            })
    }

    @Test("no child, no signal, no descriptor is left, also when it fails", .needsRoot)
    func leavesNothing() async {
        await expectSilence(
            #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                signal(SIGCHLD) { _ in childSignals += 1 }
                kill(getpid(), SIGCHLD)
                for _ in 0..<100 where childSignals == 0 {
                    // Another thread takes it.
                    usleep(10_000)
                }
                check(childSignals == 1, "\(childSignals) signals")
                let before = descriptors()
                let mask = ownStatus("SigBlk")
                for round in 0..<200 {
                    let missing = round.isMultiple(of: 2)
                    let started = linux_start(missing ? "/nonexistent/program" : "/bin/cat", "x", 65_500, 65_500)
                    if missing {
                        check(started.stage == CInt(LINUX_START_EXECUTE.rawValue))
                        check(started.error == ENOENT, "\(started)")
                        check(started.socket == -1)
                        check(started.pidfd == -1)
                    } else {
                        check(started.stage == 0, "\(started)")
                        linux_kill(started.pidfd, 60_000)
                        check(linux_wait_gone(started.pidfd, 0) == 1, "still there")
                        close(started.socket)
                        close(started.pidfd)
                    }
                    var ended: CInt = 0
                    let found = waitpid(-1, &ended, WNOHANG | CInt(bitPattern: UInt32(__WALL)))
                    let error = errno
                    check(found == -1 && error == ECHILD, "\(found) \(error)")
                }
                usleep(20_000)
                check(childSignals == 1, "\(childSignals) signals")
                check(areSettled(before), "\(before) \(descriptors())")
                check(ownStatus("SigBlk") == mask)
            })
    }

    @Test("a start that fails says at which step", .needsRoot)
    func stages() async {
        await expectSilence(
            #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let directory = TemporaryDirectory()
                let plain = directory.file("plain", Array("#!/bin/cat\n".utf8), mode: 0o644)
                let nonsense = directory.file("nonsense", [0, 1, 2, 3], mode: 0o755)
                for (path, error) in [(plain, EACCES), (nonsense, ENOEXEC), (directory.path, EACCES), ("", ENOENT)] {
                    let started = linux_start(path, "x", 65_500, 65_500)
                    check(started.stage == CInt(LINUX_START_EXECUTE.rawValue))
                    check(started.error == error)
                }
                // Without root's rights there is no way to a worker.
                setreuid(65_500, 65_500)
                let started = linux_start("/bin/cat", "x", 65_501, 65_501)
                check(started.stage == CInt(LINUX_START_IDENTITY.rawValue))
                check(started.error == EPERM)
                check(started.pidfd == -1)
            })
    }

    @Test("packets go to the program and back through the child's socket", .needsRoot)
    func conversation() async {
        await expectSilence(
            #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let directory = TemporaryDirectory()
                // Standard input is the socket: the answer goes there, too. A packet must be read at once.
                let script = directory.file(
                    "script", Array("#!/bin/sh\nexec dd bs=100 count=1 >&0\n".utf8), mode: 0o755)
                let started = linux_start(script, "x", 65_500, 65_500)
                check(started.stage == 0, "\(started)")
                check(linux_send(started.socket, "hello", 5, 1000) == 0)
                do throws(ReceiveFault) {
                    let answer = try PacketSocket(started.socket).receive(atMost: 100, timeout: 5000)
                    check(answer.withBytes { bytes in bytes.copied() } == Array("hello".utf8))
                } catch {
                    check(false, "\(error)")
                }
                stop(started)
            })
    }

    @Test(
        "a missing worker is reported with its step", .needsRoot,
        .enabled(if: access("/usr/libexec/pam-cognito/cognito-worker", F_OK) != 0, "a worker is installed"))
    func missingWorker() {
        do throws(StartFault) {
            let child = try ChildProcess(startingWorkerAs: 65_500, gid: 65_500)
            child.kill()
            Issue.record("started")
        } catch {
            #expect(error.stage == .executing)
            #expect(error.error == ErrorNumber(ENOENT))
            #expect(error.isOfInstallation)
        }
    }

    @Test("each step's fault says what to do; only missing or damaged files call for another installation")
    func startFaults() {
        let last = StartFault.StartStage.allCases.map(\.rawValue).max()
        #expect(last == CInt(LINUX_START_SLOW.rawValue))
        #expect(StartFault(stage: CInt(LINUX_START_OK.rawValue), error: 0) == nil)
        let errors = [
            EPERM, ENOENT, ESRCH, ENOEXEC, ECHILD, EAGAIN, ENOMEM, EACCES, EINVAL, ENFILE, EMFILE, ETXTBSY, ENOSYS,
            EDQUOT, EIO, EOPNOTSUPP, ETIMEDOUT,
        ]
        for stage in StartFault.StartStage.allCases {
            var words: Set<String> = []
            for error in errors {
                let fault = StartFault(stage, ErrorNumber(error))
                let text = String(decoding: fault.words.bytes, as: UTF8.self)
                let parts = text.split(separator: " (errno \(error)); ").map(String.init)
                #expect(parts.count == 2 && parts.allSatisfy { part in !part.isEmpty }, "\(text)")
                #expect(text.contains("reinstall") == fault.isOfInstallation, "\(text)")
                words.insert(parts[1])
            }
            #expect(words.count >= 3, "\(stage): \(words)")
        }
    }
}

@Suite struct UserIDTests {
    @Test("root's ids are in force for a moment only, also when that moment ends in an error", .needsRoot)
    func rootUserIDs() async {
        await expectSilence(
            #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                setreuid(5001, 0)
                for fails in [false, true] {
                    do throws(ErrorNumber) {
                        let inside = try withRootUserIDs({ refused in refused }) { () throws(ErrorNumber) in
                            if fails {
                                throw .ioError
                            }
                            return linux_user_id()
                        }
                        check(inside == 0)
                        check(!fails)
                    } catch {
                        check(error == .ioError)
                    }
                    check(ownStatus("Uid") == "5001 0 0 0")
                }
            })
    }

    @Test("without a root identity there is none for a moment either", .needsRoot)
    func refused() async {
        await expectSilence(
            #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                setreuid(5001, 5001)
                do throws(ErrorNumber) {
                    try withRootUserIDs({ refused in refused }) { () throws(ErrorNumber) in check(false, "ran") }
                    check(false, "not refused")
                } catch {
                    check(error == ErrorNumber(EPERM))
                }
                check(ownStatus("Uid") == "5001 5001 5001 5001")
            })
    }

    @Test("a process that cannot be looked at is neither alive nor gone")
    func unseen() async {
        await expectSilence(
            #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let (this, ended) = (ProcessIdentity.current, ProcessIdentity(id: Int32.max, startTime: 1))
                let unseen = Life.unknown(ErrorNumber(EMFILE))
                check(leaveSharedDescriptors())
                // One is left: it is enough for the folder, and then for each of the processes in it.
                let free = open("/dev/null", O_RDONLY)
                close(free)
                check(limitDescriptors(to: free + 1))
                check(this.lifeElsewhere == .gone, "\(this.lifeElsewhere)")
                check(limitDescriptors(to: 0))
                check(this.life == unseen, "\(this.life)")
                check(this.lifeElsewhere == unseen, "\(this.lifeElsewhere)")
                check(ended.life == .gone, "\(ended.life)")
                check(ProcessIdentity.current == ProcessIdentity(id: getpid(), startTime: 0))
                do throws(ErrorNumber) {
                    try this.signal(0)
                    check(false, "signalled")
                } catch {
                    check(error == .tooManyOpenFiles)
                }
                // Its start time cannot be read, so it is unknown whether it is still that one.
                check(limitDescriptors(to: 64))
                check(ProcessIdentity(id: getpid(), startTime: 0).life == .unknown(ErrorNumber(ENODATA)))
                check(this.life == .alive)
            })
    }
}
