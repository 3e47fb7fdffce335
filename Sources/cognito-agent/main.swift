import ByteText
import CLinux
import Glibc
import LoginCore
import LoginSystem
import Wording

// The root side for everything that no PAM host does: so far, ending the sessions that ended badly.

private let help = """
    Usage: cognito-agent reap [--dry-run]

    Ends what is left of sessions whose host is gone: their tokens are revoked at Cognito, then removed from
    the registry in root's kernel keyring. Needs root. What it did is in the log, too (authpriv).

      reap        go through the registry once
      --dry-run   only say what would be done
      --help      this text
      --version   the version

    Exit status: 0 nothing is left, 1 something could not be ended yet, 64 wrong use, 77 not root.
    """

private func write(_ text: [UInt8], to descriptor: CInt) {
    var rest = text[...]
    while !rest.isEmpty {
        let written = unsafe rest.withUnsafeBytes { bytes in
            unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        }
        guard written > 0 else {
            return
        }
        rest = rest.dropFirst(written)
    }
}

private func fail(_ message: String, status: CInt) -> Never {
    write(Array("cognito-agent: \(message)\n".utf8), to: STDERR_FILENO)
    exit(status)
}

private func reap(dryRun: Bool) -> CInt {
    // As a service standard output is the journal, where the log's line already is.
    let isService = unsafe getenv("JOURNAL_STREAM") != nil
    let left = Reaper(machine: LinuxMachine()).reap(dryRun: dryRun) { line, isFault in
        if dryRun || !isService {
            write(line.bytes + [0x0a], to: STDOUT_FILENO)
        }
        if !dryRun {
            let severity: Severity = isFault ? .warning : .information
            let terminated = line.bytes.map { byte in CChar(bitPattern: byte) } + [0]
            unsafe linux_log("cognito-agent", severity.rawValue, terminated)
        }
    }
    return left == 0 ? 0 : 1
}

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.contains("--help") {
    write(Array((help + "\n").utf8), to: STDOUT_FILENO)
    exit(0)
}
if arguments.contains("--version") {
    write(Array("cognito-agent \(version)\n".utf8), to: STDOUT_FILENO)
    exit(0)
}
guard arguments == ["reap"] || arguments == ["reap", "--once"] || arguments == ["reap", "--dry-run"] else {
    fail("expected 'reap [--dry-run]'. See cognito-agent --help.", status: EX_USAGE)
}
guard geteuid() == 0, getuid() == 0 else {
    fail("the registry is root's; run this as root.", status: EX_NOPERM)
}
guard linux_harden() == 0 else {
    fail("this process cannot be protected (prctl); it holds tokens, so it stops here.", status: EX_OSERR)
}
exit(reap(dryRun: arguments.contains("--dry-run")))
