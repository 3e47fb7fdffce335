package import Base
import CLinux
import Protocol

/// This machine's counters: a file of root's, of one size, which is there where `metrics_directory` is set and the
/// reaper has made it. What cannot be counted there is not.
package enum MetricsFile {
    private static let folder = "/run/pam-cognito"
    private static let name = "tally"
    private static let path = "/run/pam-cognito/tally"

    /// Counts what a line of the log tells of.
    static func count(_ severity: LogSeverity, _ line: LogLine) {
        guard linux_effective_user_id() == 0,
            let counter = Counter(line, isFault: severity == .error)
        else {
            return
        }
        add(counter, 1)
    }

    /// Counts how long an answer was waited for, in milliseconds.
    static func count(_ kind: MessageKind, waited milliseconds: Int64) {
        let counters = Counter.wait(of: kind, milliseconds: milliseconds)
        add(counters.place, 1)
        add(counters.sum, UInt64(max(0, milliseconds)))
    }

    /// Counts a line that no log has taken.
    static func countLostLine() {
        if linux_effective_user_id() == 0 {
            add(.lostLine, 1)
        }
    }

    private static func add(_ counter: Counter, _ amount: UInt64) {
        _ = unsafe linux_tally_add(path, UInt32(Counter.count), UInt32(counter.cell), amount)
    }

    /// Has this machine count from now on.
    package static func begin() throws(ErrorNumber) {
        try ErrorNumber.check(unsafe linux_tally_make(folder, name, UInt32(Counter.count)))
    }

    /// Has it count no more.
    package static func end() {
        _ = unsafe linux_remove_file(folder, name)
    }

    /// What has been counted since the machine started.
    package static func values() throws(ErrorNumber) -> [UInt64] {
        var values = [UInt64](repeating: 0, count: Counter.count)
        try ErrorNumber.check(unsafe linux_tally_read(path, &values, UInt32(values.count)))
        return values
    }
}
