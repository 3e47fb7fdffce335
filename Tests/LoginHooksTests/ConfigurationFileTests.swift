import Base
import FoundationEssentials
import Sessions
import Testing

@Suite struct ConfigurationFileTests {
    /// What a machine says of the configuration at `path`.
    private func fault(_ machine: LinuxMachine, _ path: String, arguments: [[UInt8]] = []) -> String? {
        do throws(Fault) {
            _ = try machine.settings(at: Array(path.utf8), arguments: arguments)
            return nil
        } catch {
            return String(decoding: error.line.bytes, as: UTF8.self)
        }
    }

    @Test("a hook sees the file as it was when it was first read, whatever the arguments are")
    func once() throws {
        let path =
            FileManager.default.temporaryDirectory.path + "/pam_cognito.\(UInt64.random(in: 0...UInt64.max)).conf"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let machine = LinuxMachine()
        #expect(fault(machine, path)?.contains("does not exist") == true)
        try "other = 1\n".write(toFile: path, atomically: false, encoding: .utf8)
        #expect(fault(machine, path, arguments: [Array("welcome=no".utf8)])?.contains("does not exist") == true)
        // The next one sees what is there by then; whose file it is, too.
        #expect(fault(LinuxMachine(), path)?.contains("does not exist") == false)
    }
}
