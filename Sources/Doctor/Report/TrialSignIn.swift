internal import Base
internal import CLinux
internal import Commands
internal import Glibc
internal import Messages
internal import Protocol
internal import Sessions

/// `doctor --login`: a whole sign-in, without a stack of PAM's around it and without a session behind it.
func trySignIn(_ name: String, _ path: String) throws(Refusal) -> ExitCode {
    guard let terminal = Terminal() else {
        throw Refusal(
            .usage,
            "A trial sign-in needs a terminal to ask for the password. Run this command in a terminal.")
    }
    guard linux_harden() == 0 else {
        throw Refusal(
            .fault, "The process cannot be protected from other processes (prctl), so no sign-in was attempted.")
    }
    let trial = TrialTransaction(Array(name.utf8), terminal)
    trial.note("trying to sign in as \(printable(Array(name.utf8)))")
    let machine = LinuxMachine()
    let hooks = Hooks(trial, on: machine, arguments: [Array("config=\(path)".utf8)])
    let result = hooks.proveIdentity(for: .trial) { tokens in
        if PoolSessions(machine: machine).areTracked(askingWith: tokens) == true {
            trial.note(
                "the pool tracks sessions: if a user has more than MaxPerUser sessions (default 20), a sign-in ends "
                    + "the least recently renewed session, on this or another machine. The shell of the ended session "
                    + "stays open, regardless of on_revoked")
        }
    }
    let (words, status) = result.verdict
    terminal.show(words)
    return status
}

extension ReturnValue {
    /// What a trial that ends so says of the set-up.
    fileprivate var verdict: (words: String, status: ExitCode) {
        switch self {
        case .success:
            (
                "The sign-in works. No session was opened. The tokens have been revoked, or a cleanup run will revoke "
                    + "them.",
                .valid
            )
        case .ignore, .userUnknown:
            (
                "Cognito was not contacted, because the account is not a managed account. cognito-session doctor "
                    + "--explain shows the reason.", .improvable
            )
        case .authenticationInformationUnavailable, .systemError:
            ("The password could not be checked, because of a fault that the user did not cause.", .broken)
        default: ("Cognito or a rule on this machine refused the user.", .refused)
        }
    }
}

/// The terminal in place of a PAM application. Each line shows the time since the beginning.
private final class TrialTransaction: UnhostedTransaction {
    let service = ("cognito-session" as StaticString).bytes
    // Cognito is told nothing of where an administrator sits.
    let remoteHost: [UInt8] = []
    let terminal: [UInt8] = []
    let language: Language? = .current
    var login: Login?
    private let name: [UInt8]
    private let person: Terminal
    private let begin = Instant.now

    init(_ name: [UInt8], _ person: Terminal) {
        self.name = name
        self.person = person
    }

    func note(_ text: String) {
        let passed = Instant.now.milliseconds - begin.milliseconds
        let seconds = "\(passed / 1000).\(String(1000 + passed % 1000).dropFirst())"
        person.show("\((String(repeating: " ", count: max(0, 8 - seconds.count)) + seconds)) s  \(text)")
    }

    func user() throws(PAMRefusal) -> [UInt8] {
        name
    }

    func password(_ prompt: ByteText) throws(PAMRefusal) -> Secret {
        try ask(prompt, .password)
    }

    func ask(_ text: ByteText, _ style: PromptStyle) throws(PAMRefusal) -> Secret {
        let question = String(decoding: text.bytes, as: UTF8.self)
        note("asks: \((question.split(separator: "\n").last.map(String.init) ?? ""))")
        guard let answer = person.ask(question, echo: style == .visible) else {
            throw .conversationError
        }
        note("answered")
        return answer
    }

    func show(_ text: ByteText) {
        person.show(String(decoding: text.bytes, as: UTF8.self))
    }

    func log(_ severity: LogSeverity, _ line: LogLine) {
        note(printable(line.bytes))
        unsafe linux_log("cognito-session", severity.rawValue, String(decoding: line.bytes, as: UTF8.self))
    }
}
