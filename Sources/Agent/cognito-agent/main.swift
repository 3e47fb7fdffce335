import Accounts
import Agent
import Base
import CLinux
import Configuration
import Glibc
import Keyring
import Messages
import Protocol
import Sessions

// The root side for everything that no PAM host does: it serves people who are logged in, and ends the sessions that
// ended badly.

private let socketPath = "\(agentSocketPath)"

private func complain(_ message: String) {
    // Where that fails, too, there is nothing else that could be told; the status says enough.
    try? writeAll(Array("cognito-agent: \(message)\n".utf8), to: STDERR_FILENO)
}

private func fail(_ message: String, status: CInt) -> Never {
    complain(message)
    exit(status)
}

private func say(_ text: String) -> Never {
    do throws(ErrorNumber) {
        try writeAll(Array(text.utf8), to: STDOUT_FILENO)
    } catch {
        fail(ProgramWording.agentUnwritten(error.code), status: EX_IOERR)
    }
    exit(0)
}

/// Has the log say, once a day, which layers of the worker's sandbox are not to be had here.
private func tellMissingLayers() {
    var missing: [String] = []
    if linux_seccomp_fault() != 0 {
        missing.append("seccomp")
    }
    if linux_landlock_fault() != 0 {
        missing.append("Landlock")
    }
    guard !missing.isEmpty,
        (try? LinuxMachine.takesTurn(.missingLayers)) == true
    else {
        return
    }
    let layers = Array(missing.joined(separator: " and ").utf8)
    log(.warning, "workers are running without \(layers), which this kernel or container does not provide")
}

/// What a purpose that may be called by hand, or by systemd, says: to standard output, and into the log.
private final class Narration {
    // As a service standard output is the journal, where the log's line already is.
    private let isService = unsafe getenv("JOURNAL_STREAM") != nil
    private let isSaidOnly: Bool
    private(set) var fault: ErrorNumber?

    init(sayingOnly isSaidOnly: Bool) {
        self.isSaidOnly = isSaidOnly
        // A reader that goes away must not end what is being done. Workers and hooks begin with signals as they usually
        // are.
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// The exit status.
    func status(_ isDone: Bool) -> CInt {
        if let fault {
            complain(ProgramWording.agentUnwritten(fault.code))
        }
        return !isDone ? 1 : fault == nil ? 0 : EX_IOERR
    }

    func give(_ line: LogLine, _ isFault: Bool) {
        if isSaidOnly || !isService, fault == nil {
            do throws(ErrorNumber) {
                try writeAll(line.bytes + [0x0a], to: STDOUT_FILENO)
            } catch {
                fault = error
            }
        }
        if !isSaidOnly {
            report(line, isFault)
        }
    }
}

private func reap(_ scope: ReaperScope, dryRun: Bool) -> CInt {
    if !dryRun {
        tellMissingLayers()
    }
    let narration = Narration(sayingOnly: dryRun)
    let machine = LinuxMachine()
    let left = Reaper(machine: machine, sessions: LinuxSessions()).reap(scope, dryRun: dryRun, report: narration.give)
    var isDone = left == 0
    if !dryRun, scope != .everything,
        let settings = try? machine.settings(at: defaultConfigurationPath.bytes, arguments: [])
    {
        let accounts = AccountSync(machine: machine, control: LinuxAccounts(), settings: settings)
        isDone = accounts.endLostGroups(report: narration.give) && isDone
        isDone = accounts.giveSubordinateIDs(report: narration.give) && isDone
    }
    if !dryRun, scope != .everything {
        PrometheusFile().write(left: left, report: narration.give)
    }
    return narration.status(isDone)
}

/// What counts of the attempts to sign in.
private func listedFailures() throws(ErrorNumber) -> String {
    let machine = LinuxMachine()
    let counts = try machine.attemptCounts { _ in true }
    let lines = listing(failures: counts.failures, codesSent: counts.codesSent, at: machine.now)
    return String(decoding: lines.bytes, as: UTF8.self)
}

/// Has those of an account count no more.
private func resetFailures(_ user: [UInt8]) throws(ErrorNumber) {
    let machine = LinuxMachine()
    let counts = try machine.attemptCounts { subject in subject.user == user }
    for attempt in counts.failures + counts.codesSent {
        machine.forgetAttempt(attempt.key)
    }
    let codes: AuditFields = counts.codesSent.isEmpty ? [:] : ["codes": "\(counts.codesSent.count)"]
    log(
        .information,
        .event(.failuresForgotten, ["user": .outside(user), "failures": "\(counts.failures.count)"] + codes))
}

private func failures(resetting user: [UInt8]?) -> CInt {
    do throws(ErrorNumber) {
        if let user {
            try resetFailures(user)
        } else {
            say(try listedFailures())
        }
        return 0
    } catch {
        fail(ProgramWording.agentNoFailures(error.code), status: EX_OSERR)
    }
}

/// Brings the accounts of this machine to what the pool's directory says.
private func synchronise(removing allowed: Int?, dryRun: Bool) -> CInt {
    keepAccounts(sayingOnly: dryRun) { machine, settings, report in
        AccountSync(machine: machine, control: LinuxAccounts(), settings: settings)
            .run(removing: allowed, dryRun: dryRun, report: report)
    }
}

/// Makes users of this machine's accounts of Cognito's.
private func adopt(_ names: [[UInt8]], _ isApplied: Bool) -> CInt {
    keepAccounts(sayingOnly: !isApplied) { machine, settings, report in
        AccountAdoption(machine: machine, settings: settings).run(of: names, applying: isApplied, report: report)
    }
}

private func keepAccounts(
    sayingOnly: Bool, _ work: (LinuxMachine, Settings, (LogLine, Bool) -> Void) -> Bool
) -> CInt {
    let machine = LinuxMachine()
    let narration = Narration(sayingOnly: sayingOnly)
    var isDone = false
    do throws(Fault) {
        let settings = try machine.settings(at: defaultConfigurationPath.bytes, arguments: [])
        isDone = work(machine, settings, narration.give)
    } catch {
        narration.give("accounts were not changed: \(error.line)", true)
    }
    return narration.status(isDone)
}

/// Writes the ssh keys of an account for sshd(8), which uses them for any account of that name. There are none if the
/// account is not from the pool or is locked, or if the configuration no longer removes keys together with their users.
private func sayKeys(of name: [UInt8]) -> CInt {
    let machine = LinuxMachine()
    do throws(Fault) {
        let configuration = machine.configuration(at: defaultConfigurationPath.bytes, arguments: [])
        let account = try machine.account(named: name)
        var own: OwnAccount?
        if let account {
            own = try machine.ownAccount(name, account, configuration)
        }
        if let contest = own?.contest {
            throw Fault(contest)
        }
        // cognito-accounts answers for no account while there is a mistake; what is a user of this machine's has no
        // keys here anyway.
        if let fault = configuration.fault, account == nil || own != nil {
            throw fault
        }
        guard configuration.coverage.accounts == .directory, let own else {
            return 0
        }
        let keys = own.record?.currentKeys ?? []
        say(String(decoding: keys.flatMap { key in key + [0x0a] }, as: UTF8.self))
    } catch {
        log(.warning, "no ssh keys for \(quoting: name): \(error.line)")
        return 1
    }
}

/// Ends a session whose host has left that to this process.
private func end(_ serial: KeySerial) -> CInt {
    LinuxMachine().endHandedOver(serial, report: report) ? 0 : 1
}

private func runHooks(_ notice: SignOutNotice) -> CInt {
    if runHooksOutside(notice) {
        return 0
    }
    SignOutHooks(notice, others: LinuxMachine().liveSessions(of: notice.user)).run(report: report)
    return 0
}

Language.current = .ofEnvironment
do throws(ErrorNumber) {
    try holdStandardDescriptors()
} catch {
    exit(EX_OSERR)
}
linux_service_hurry_receiving()
let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.contains("--help") {
    say(ProgramWording.agentHelp(socket: socketPath))
}
if arguments.contains("--version") {
    say("cognito-agent \(version)\n")
}
/// What one command of this program does.
private struct AgentCommand {
    /// Whether any user may run it, as sshd may do: its output is public.
    var isForAllUsers = false
    /// Whether it may gain rights, which hooks may and the other processes do not need.
    var mayGainRights = false
    /// Returns the exit status.
    let run: () -> CInt
}

private func command(of arguments: [String]) -> AgentCommand? {
    switch arguments {
    case ["reap"], ["reap", "--once"]: AgentCommand { reap(.due, dryRun: false) }
    case ["reap", "--now"]: AgentCommand { reap(.now, dryRun: false) }
    case ["reap", "--dry-run"]: AgentCommand { reap(.due, dryRun: true) }
    case ["drain"]: AgentCommand { reap(.everything, dryRun: false) }
    case ["failures"]: AgentCommand { failures(resetting: nil) }
    case _ where arguments.count == 3 && arguments.starts(with: ["failures", "--reset"]):
        AgentCommand { failures(resetting: Array(arguments[2].utf8)) }
    case ["seal"]: AgentCommand { SealingFilter().run() }
    case ["accounts"]: AgentCommand { AccountReader.serve() }
    case ["names"]: AgentCommand { NameSources.serve() }
    case ["accounts", "sync"]: AgentCommand { synchronise(removing: nil, dryRun: false) }
    case ["accounts", "sync", "--dry-run"]: AgentCommand { synchronise(removing: nil, dryRun: true) }
    case _ where arguments.count == 4 && arguments.starts(with: ["accounts", "sync", "--removals"]):
        Int(arguments[3]).flatMap { number in
            number < 0 ? nil : AgentCommand { synchronise(removing: number, dryRun: false) }
        }
    case _ where arguments.starts(with: ["accounts", "adopt"]): adoption(Array(arguments.dropFirst(2)))
    case _ where arguments.count == 2 && arguments.first == "keys":
        AgentCommand(isForAllUsers: true) { sayKeys(of: Array(arguments[1].utf8)) }
    // "let-go": the name that 0.1.0 gives it, whose module may be loaded still.
    case _ where arguments.count == 2 && ["run-hooks", "let-go"].contains(arguments[0]):
        SignOutNotice(argument: Array(arguments[1].utf8)).map { notice in
            AgentCommand(mayGainRights: true) { runHooks(notice) }
        }
    case _ where arguments.count == 2 && arguments.first == "end":
        Int32(arguments[1]).map { serial in AgentCommand { end(KeySerial(serial)) } }
    case ["end"]: AgentCommand { EndingProcesses.run() }
    case ["serve"]: AgentCommand(run: serve)
    case ["watch"]: AgentCommand { Watcher.run() }
    case ["listen"]: AgentCommand { listen(at: socketPath) }
    case _ where arguments.count == 3 && arguments.starts(with: ["listen", "--socket"]):
        AgentCommand { listen(at: arguments[2]) }
    default: nil
    }
}

private func adoption(_ words: [String]) -> AgentCommand? {
    let names = words.filter { word in word != "--apply" }
    guard !names.contains(where: { name in name.hasPrefix("-") || name.isEmpty }) else {
        return nil
    }
    return AgentCommand { adopt(names.map { name in Array(name.utf8) }, words.count > names.count) }
}

private func serve() -> CInt {
    guard let peer = PacketPeer(STDIN_FILENO) else {
        fail(ProgramWording.agentNoSocket, status: EX_USAGE)
    }
    AgentRequest(LinuxSurroundings(), peer).serve()
    return 0
}

private func listen(at path: String) -> CInt {
    do throws(ErrorNumber) {
        var listener = try Listener(path: path)
        listener.run()
        return 0
    } catch {
        fail(ProgramWording.agentCannotListen(path, error.code), status: EX_UNAVAILABLE)
    }
}

guard let command = command(of: arguments) else {
    fail(ProgramWording.agentUsage, status: EX_USAGE)
}
if !command.isForAllUsers {
    guard geteuid() == 0, getuid() == 0 else {
        fail(ProgramWording.agentNotRoot, status: EX_NOPERM)
    }
    guard (command.mayGainRights ? linux_hide_memory() : linux_harden()) == 0 else {
        fail(ProgramWording.agentUnprotected, status: EX_OSERR)
    }
}
exit(command.run())
