package import Base
import CLinux
package import LoginHooks
import Sessions

/// The system's log.
package enum SystemLog {
    /// Counts what a line tells of, and gives it to systemd-journald where that is there; whether that was done, or must not be waited for any
    /// longer. Else syslog(3) is to have it.
    ///
    /// - Parameters:
    ///   - program: Whose line it is; nil: that of the program that this is.
    ///   - shown: The whole line as syslog(3) would have it.
    package static func write(
        _ severity: LogSeverity, _ line: ByteText, of program: StaticString? = nil, shown: ByteText
    ) -> Bool {
        Tally.count(severity, line)
        let name = unsafe program?.bytes ?? StaticBytes(linux_program_name()).bytes
        let entry = JournalEntry(
            line, shown: shown, severity: severity.rawValue, of: name, process: linux_process_id())
        let sent = unsafe entry.bytes.withUnsafeBytes { bytes in
            unsafe linux_journal_send(bytes.baseAddress, bytes.count)
        }
        if sent == -EAGAIN {
            // journald is stopped, or flooded: syslog(3) would wait for the same one, for as long as it takes.
            Tally.countLostLine()
        }
        return sent == 0 || sent == -EAGAIN
    }
}
