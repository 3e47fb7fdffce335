import CLinux

/// A moment on the clock that cannot be set and that includes suspend (CLOCK_BOOTTIME), in milliseconds.
package struct Instant: Comparable, Sendable {
    /// Milliseconds since boot.
    package let milliseconds: Int64

    /// A moment by its milliseconds since boot.
    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    package static var now: Instant {
        Instant(milliseconds: linux_boottime_ms())
    }

    package static func < (left: Instant, right: Instant) -> Bool {
        left.milliseconds < right.milliseconds
    }
}

/// The wall clock, in seconds since the epoch.
package func secondsSinceEpoch() -> Int64 {
    linux_realtime_ms() / 1000
}
