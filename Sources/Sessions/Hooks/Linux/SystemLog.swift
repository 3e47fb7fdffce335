package import Base
import CLinux

/// LOG_AUTHPRIV of syslog(3), which is a macro; `JournalEntry` has it, too.
private let authpriv: Int32 = 10 << 3

package enum SystemLog {
    /// Counts the event of a line, and sends it to systemd-journald, or else to the program that listens at /dev/log;
    /// returns whether that was done, or must not be waited for any longer. Otherwise syslog(3) is used, which keeps a
    /// descriptor in the application: a caller of su may leave it few.
    ///
    /// - Parameters:
    ///   - program: The name of the program in the line; nil: this program's.
    ///   - shown: The whole line as syslog(3) would write it.
    package static func write(
        _ severity: LogSeverity, _ line: LogLine, of program: StaticString? = nil, shown: ByteText
    ) -> Bool {
        MetricsFile.count(severity, line)
        // The caller of su chooses it: it may be too long for a log, or contain the end of a line.
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
