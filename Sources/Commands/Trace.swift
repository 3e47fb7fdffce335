internal import Glibc
internal import Messages
internal import Synchronization

/// The steps of a program for `--debug`: on standard error, each step with the time since the start. Never a secret.
package enum Trace {
    /// The start time, in microseconds since the machine's start; 0: there is no trace.
    private static let start = Atomic<Int64>(0)

    /// Has steps told from here on.
    package static func begin() {
        start.store(max(1, now), ordering: .relaxed)
    }

    /// Tells a step that is over.
    package static func note(_ step: @autoclosure () -> String) {
        let begun = start.load(ordering: .relaxed)
        if begun > 0 {
            let tenths = (now - begun) / 100
            complain("\(padded("\(tenths / 10).\(tenths % 10) ms", to: 12))\(step())\n")
        }
    }

    private static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
