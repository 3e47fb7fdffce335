import Base
import Configuration

/// Configuration files as they were when they were first read: each is read once, so that all parts of a hook see the
/// same.
final class ConfigurationFiles {
    private var known: [(path: [UInt8], text: Result<[UInt8], Fault>)] = []

    func text(at path: [UInt8]) throws(Fault) -> [UInt8] {
        if let (_, text) = known.first(where: { known in known.path == path }) {
            return try text.get()
        }
        let text = Self.read(path)
        known.append((path, text))
        return try text.get()
    }

    private static func read(_ path: [UInt8]) -> Result<[UInt8], Fault> {
        // The user who starts su chooses the directory of any relative path.
        guard path.first == UInt8(ascii: "/") else {
            return .failure(
                Fault(
                    """
                    config= in the PAM stack is \(quoting: path), which is not an absolute path. Use an absolute \
                    path, such as /etc/security/NAME
                    """, .configuration))
        }
        do throws(FileFault) {
            let text = try readTrustedFile(path, secret: false, limit: largestConfiguration)
            return .success(text.withBytes { bytes in bytes.copied() })
        } catch {
            let why = LinuxMachine.explanation(of: error, needed: "root:root, mode 0644")
            return .failure(
                Fault("\(path): \(why)", isResourceExhaustion: error.isResourceExhaustion, else: .configuration))
        }
    }
}
