internal import CLinux
internal import Glibc
internal import Messages

/// Where the reaper is to write figures for Prometheus.
struct MetricsFacts: Sendable {
    /// `metrics_directory`.
    var path: String
    /// Why it does not; nil where it does.
    var error: Int32?

    /// What is wrong with it.
    var findings: [Finding] {
        guard let error else {
            return []
        }
        let (fault, mend) =
            switch error {
            case ENOENT: (DoctorWording.fileMissing, "install -d -m 0755 \(shellWord(path))")
            case EPERM: (DoctorWording.fileWritable, DoctorWording.own(path, mode: "0755"))
            case ENOTDIR, ELOOP: ("is no folder, or is reached by a link", DoctorWording.inspect(path))
            default: (DoctorWording.fileUnreadable(error), DoctorWording.inspect(path))
            }
        return [
            Finding(
                .warning, DoctorWording.fileFault(path, fault),
                why: "Figures for Prometheus are not written there, and what is there is old.", mend: mend)
        ]
    }
}

extension MetricsFacts {
    /// The folder as it is.
    init(at bytes: [UInt8]) {
        let opened = unsafe linux_open_own_folder(bytes + [0])
        self.init(path: String(decoding: bytes, as: UTF8.self), error: opened < 0 ? -opened : nil)
        if opened >= 0 {
            linux_close(opened)
        }
    }
}
