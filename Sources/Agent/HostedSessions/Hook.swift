import Base
import CLinux
import Glibc
package import Sessions

/// What became of a hook.
struct HookResult {
    let outcome: linux_hook_outcome
    /// errno where it failed.
    var error: CInt = 0
    /// Its exit status as a shell has it.
    var status: CInt = 0
}

/// Runs a hook in a constant environment and waits for it. What is left of its process group when it ends, or when the
/// time is over, is killed.
///
/// - Parameter program: One of root's; nil: the person's own, ~/.config/pam-cognito/sign-out, which must be theirs.
func runHook(
    _ program: ByteText?, of notice: SignOutNotice, others: Int?, timeout milliseconds: Int64
) -> HookResult {
    guard let person = HookAccount(named: notice.user), person.uid != 0 else {
        return HookResult(outcome: LINUX_HOOK_FAILED, error: EPERM)
    }
    let path = program ?? "\(person.home)/.config/pam-cognito/sign-out"
    guard path.bytes.first == UInt8(ascii: "/") else {
        return HookResult(outcome: LINUX_HOOK_FAILED, error: ENOENT)
    }
    let (said, report): (CInt, CInt)
    do throws(ErrorNumber) {
        (said, report) = try pipeEnds()
    } catch {
        return HookResult(outcome: LINUX_HOOK_FAILED, error: error.code)
    }
    defer { close(said) }
    let environment: [ByteText] = [
        "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "USER=\(person.name)", "LOGNAME=\(person.name)",
        "HOME=\(person.home)", "SHELL=\(person.shell)", "PAM_COGNITO_REASON=\(notice.reason.rawValue)",
        "PAM_COGNITO_OTHER_SESSIONS=\(others.map { number in "\(number)" } ?? "")",
    ]
    let deadline = Instant.now.milliseconds + milliseconds
    let process =
        unsafe withStrings(environment) { environment in
            unsafe withStrings([path, ByteText(person.name)]) { texts in
                unsafe linux_start_hook(
                    texts[0], program == nil ? person.uid : 0, texts[1], person.uid, person.gid, environment, report)
            } ?? -ENOMEM
        } ?? -ENOMEM
    close(report)
    guard process > 0 else {
        return HookResult(outcome: LINUX_HOOK_FAILED, error: -process)
    }
    let result = end(process, by: deadline)
    var refusal = linux_hook_refusal()
    let size = MemoryLayout<linux_hook_refusal>.size
    guard linux_readable(said, 0) == 1, unsafe read(said, &refusal, size) == size else {
        return result
    }
    return HookResult(
        outcome: linux_hook_outcome(UInt32(truncatingIfNeeded: refusal.outcome)), error: refusal.error)
}

/// Waits for a hook, and ends what is left of its group.
private func end(_ process: pid_t, by deadline: Int64) -> HookResult {
    let pidfd = linux_open_process(process)
    defer { linux_close(pidfd) }
    let left = max(0, deadline - Instant.now.milliseconds)
    let hasEnded = pidfd >= 0 && linux_readable(pidfd, CInt(clamping: left)) == 1
    // Until it is waited for, its number is not reused.
    kill(-process, SIGKILL)
    kill(process, SIGKILL)
    if !hasEnded, pidfd >= 0 {
        // A process that waits for a file server cannot even be killed.
        _ = linux_readable(pidfd, 1000)
    }
    var status: CInt = 0
    guard unsafe waitpid(process, &status, WNOHANG) == process else {
        return HookResult(outcome: LINUX_HOOK_TOO_LONG)
    }
    return HookResult(
        outcome: hasEnded ? LINUX_HOOK_ENDED : LINUX_HOOK_TOO_LONG,
        status: status & 0x7f == 0 ? status >> 8 & 0xff : 128 + (status & 0x7f))
}

/// An account's data from the name service.
private struct HookAccount {
    let name: [UInt8]
    let uid: UInt32
    let gid: UInt32
    let home: [UInt8]
    let shell: [UInt8]

    init?(named user: [UInt8]) {
        guard let entry = unsafe getpwnam(user.map { byte in CChar(truncatingIfNeeded: byte) } + [0]) else {
            return nil
        }
        name = unsafe StaticBytes(entry.pointee.pw_name).bytes
        uid = unsafe entry.pointee.pw_uid
        gid = unsafe entry.pointee.pw_gid
        home = unsafe StaticBytes(entry.pointee.pw_dir).bytes
        shell = unsafe StaticBytes(entry.pointee.pw_shell).bytes
    }
}

/// Has systemd run `cognito-agent run-hooks` outside if this process is in one of our systemd services: no hook could
/// work in its sandbox, and systemd ends it as a whole. False if it is in none, or if systemd does not do it.
package func runHooksOutside(_ notice: SignOutNotice) -> Bool {
    guard let groups = try? readFile("/proc/self/cgroup"),
        String(decoding: groups, as: UTF8.self).mentions("/pam-cognito-")
    else {
        return false
    }
    let agent = unsafe ByteText(StaticBytes(linux_agent_path()).bytes)
    return run(
        [
            "/usr/bin/systemd-run", "--quiet", "--collect", "--no-block", "--", agent, "run-hooks",
            ByteText(notice.argument),
        ],
        timeout: 5000) != nil
}
