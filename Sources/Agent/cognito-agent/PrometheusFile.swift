import Agent
import Base
import CLinux
import Configuration
import Glibc
import Messages
import Sessions

/// The file that Prometheus' node exporter reads (textfile collector), where `metrics_directory` is set.
struct PrometheusFile {
    private static let name = "pam-cognito.prom"

    private let machine = LinuxMachine()

    /// Writes what is known after a round that left so many, and has this machine count, or count no more.
    ///
    /// - Parameter report: Gets a line about what keeps it from that, once an hour.
    func write(left: Int, report: (LogLine, Bool) -> Void) {
        // A wrong configuration has other lines.
        guard let settings = try? machine.settings(at: defaultConfigurationPath.bytes, arguments: []) else {
            return
        }
        guard let directory = settings.metricsDirectory else {
            MetricsFile.end()
            return
        }
        do throws(ErrorNumber) {
            try MetricsFile.begin()
            let text = MetricsText(
                try FleetFigures(of: machine, left: left), try MetricsFile.values(),
                KeyQuota((try? readFile("/proc/key-users")) ?? []), at: machine.time,
                version: ByteText(Array(version.utf8)))
            try Self.replace(in: directory, with: text.text.bytes)
        } catch {
            if (try? LinuxMachine.takesTurn(.metricsFault)) == true {
                report(Self.line(about: error, directory), true)
            }
        }
    }

    private static func replace(in directory: [UInt8], with text: [UInt8]) throws(ErrorNumber) {
        let folder = try Descriptor(opened: unsafe linux_open_own_folder(directory + [0]))
        let result = unsafe text.withUnsafeBytes { bytes in
            unsafe linux_replace_file_at(folder.number, name, 0, 0, bytes.baseAddress, bytes.count)
        }
        try ErrorNumber.check(result)
    }

    private static func line(about error: ErrorNumber, _ directory: [UInt8]) -> LogLine {
        let remedy: ByteText =
            switch error.code {
            case ENOENT: "the directory does not exist; create the directory (root:root, mode 0755)"
            case ENOTDIR, ELOOP: "the path contains a symbolic link or is not a directory; specify the directory itself"
            case EPERM: "users other than root can write to the directory; set root:root, mode 0755"
            case EROFS:
                "the directory is read-only; add it to ReadWritePaths= of pam-cognito-reap.service (systemctl edit)"
            default: "see errno(3)"
            }
        return "metrics not written to \(quoting: directory) (errno \(error.code)): \(remedy)"
    }
}
