import Base
import CLinux
import Glibc
import Testing

// The numbers of <asm-generic/resource.h>, of which Glibc's overlay has some: NOFILE, AS, DATA, STACK, FSIZE, NPROC,
// CPU, MEMLOCK, SIGPENDING, RTTIME.
private let resources: [Int32] = [7, 9, 2, 3, 1, 6, 0, 8, 11, 15]

private func limits() -> [rlimit] {
    resources.map { resource in
        var limit = rlimit()
        _ = getrlimit(resource, &limit)
        return limit
    }
}

/// Whether root may go above hard limits here (CAP_SYS_RESOURCE), as in some containers it may not.
private func mayRaise() -> Bool {
    var limit = rlimit()
    _ = getrlimit(resources[0], &limit)
    var more = rlimit(rlim_cur: limit.rlim_cur, rlim_max: limit.rlim_max &- 1)
    let mayLower = setrlimit(resources[0], &more) == 0
    return mayLower && setrlimit(resources[0], &limit) == 0
}

@Suite("A caller's limits", .enabled(if: geteuid() == 0, "needs root: limits are raised"))
struct LimitsTests {
    @Test("are raised as far as root may, and put back as they were, however often", arguments: [false, true])
    func raised(isHard: Bool) async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { [isHard] in
            let mayRaise = mayRaise()
            // What a process can still run with.
            let small: [rlim_t] = [7, 1 << 36, 1 << 30, 1 << 20, 0, 1, 20, 0, 0, 1_000_000]
            for ((resource, value), limit) in zip(zip(resources, small), limits()) {
                var chosen = rlimit(rlim_cur: value, rlim_max: isHard ? value : limit.rlim_max)
                check(setrlimit(resource, &chosen) == 0, "\(resource) cannot be set")
            }
            let chosen = limits()
            for _ in 1...3 {
                var before = linux_limits()
                linux_raise_limits(&before)
                for (raised, limit) in zip(limits(), chosen) {
                    let isHigher = raised.rlim_cur > limit.rlim_cur || limit.rlim_max == limit.rlim_cur && !mayRaise
                    check(isHigher && (raised.rlim_max > limit.rlim_max || !isHard || !mayRaise), "\(raised)")
                }
                if mayRaise || !isHard {
                    let descriptors = (1...100).map { _ in dup(2) }
                    check(descriptors.allSatisfy { descriptor in descriptor >= 0 }, "no descriptors")
                    for descriptor in descriptors {
                        close(descriptor)
                    }
                }
                linux_restore_limits(&before)
                for (restored, limit) in zip(limits(), chosen) {
                    check(restored.rlim_cur == limit.rlim_cur && restored.rlim_max == limit.rlim_max, "\(restored)")
                }
            }
        }
        expectSilence(result)
    }
}
