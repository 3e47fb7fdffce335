package import Base
import CLinux
package import Sessions

/// LOG_AUTHPRIV of syslog(3), which is a macro; `JournalEntry` has it, too.
private let authpriv: Int32 = 10 << 3

package enum SystemLog {
    /// Counts what a line tells of, and gives it to systemd-journald where that is there, else to who listens at
    /// /dev/log; whether that was done, or must not be waited for any longer. Else syslog(3) is to have it, which keeps
    /// a descriptor of the host's: somebody who calls su may leave it few.
    ///
    /// - Parameters:
    ///   - program: Whose line it is; nil: that of the program that this is.
    ///   - shown: The whole line as syslog(3) would have it.
    package static func write(
        _ severity: LogSeverity, _ line: LogLine, of program: StaticString? = nil, shown: ByteText
    ) -> Bool {
        MetricsFile.count(severity, line)
        // Whoever calls su chooses it: more than a log takes, or with the end of a line in it.
        let name = unsafe program?.bytes ?? Array(printable(StaticBytes(linux_program_name()).bytes).prefix(48))
        let process = linux_process_id()
        let entry = JournalEntry(line, shown: shown, severity: severity.rawValue, of: name, process: process)
        var sent = unsafe entry.bytes.withUnsafeBytes { bytes in
            unsafe linux_journal_send(bytes.baseAddress, bytes.count)
        }
        if sent != 0, sent != -EAGAIN {
            let entry: ByteText = "<\(authpriv | severity.rawValue)>\(name)[\(process)]: \(shown)"
            sent = unsafe entry.bytes.withUnsafeBytes { bytes in
                unsafe linux_syslog_send(bytes.baseAddress, bytes.count)
            }
        }
        if sent == -EAGAIN {
            // Who listens is stopped, or flooded: syslog(3) would wait for the same one, for as long as it takes.
            MetricsFile.countLostLine()
        }
        return sent == 0 || sent == -EAGAIN
    }
}
