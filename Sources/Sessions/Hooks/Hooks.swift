import Base
import Configuration
import Keyring
import Messages
package import Protocol

/// How long a failure takes at least where no stack sees to that, in milliseconds: as pam_faildelay(8) has it in ours.
package let failureDelay: Int64 = 2_000

/// The PAM environment's variable that carries a login from sshd's keyboard-interactive child to its monitor.
package let handOffVariable: StaticString = "PAM_COGNITO_H"

/// The service as which polkit asks.
package let polkitService: StaticString = "polkit-1"

/// The argument of an account line that takes PAM_AUTHTOK_DISABLE_AGING for an answer; called as in pam_unix(8).
package let noPasswordExpiry: StaticString = "no_pass_expiry"

/// The arguments that set no option: those that pam_get_authtok(3) takes for itself, and `noPasswordExpiry`.
package var flagArguments: [StaticString] { ["use_first_pass", "try_first_pass", noPasswordExpiry] }

/// The default place of the configuration.
package let defaultConfigurationPath: StaticString = "/etc/security/pam_cognito.conf"

/// Why a user was neither accepted nor refused, for what they are told, and what the agent tells who asked it.
package final class Unavailability {
    /// What the agent says. Unless more is known: that it may go away.
    package private(set) var refusal = AgentRefusal.serviceFault
    /// What the user is told.
    private(set) var text = Wording.cannotBeChecked

    /// It stays until the machine is changed.
    func note(_ refusal: AgentRefusal) {
        switch refusal {
        case .configuration: text = Wording.configuration
        case .internalFault: text = Wording.internalFault
        default: return
        }
        self.refusal = refusal
    }
}

/// One call of a hook: the transaction, the machine, and the module's arguments in the PAM stack.
package struct Hooks<Host: Transaction, System: Machine> {
    let host: Host
    let machine: System
    let configurationPath: [UInt8]
    let options: [[UInt8]]
    /// Whether the account line knows what to do for an account whose password is too old and is not there:
    /// `noPasswordExpiry`.
    let passesAge: Bool
    /// The user id of the user who makes the request: in a set-uid application its caller's.
    let caller: UInt32
    /// Whether this is polkit's helper as systemd starts it, in a sandbox without a network (polkit 127 and newer).
    let isPolkitService: Bool
    /// The reason why no user can be authenticated, as far as it is known.
    package let unavailability = Unavailability()

    /// Whose attempts and workers those of the caller's are.
    var charged: UInt32 { machine.charged(caller) }

    /// A call with the arguments of the PAM stack's line.
    ///
    /// - Parameter caller: The user for whom this process of root's does it; nil: the user who started it.
    package init(_ host: Host, on machine: System, arguments: [[UInt8]], caller: UInt32? = nil) {
        self.host = host
        self.machine = machine
        let isRoots = caller == nil && machine.realUserID == 0 && machine.effectiveUserID == 0
        let peer = isRoots && host.service == polkitService.bytes ? machine.inputPeer : nil
        isPolkitService = peer != nil
        self.caller = caller ?? peer ?? machine.realUserID
        let prefix = ("config=" as StaticString).bytes
        configurationPath =
            arguments.last { argument in argument.starts(with: prefix) }
            .map { argument in Array(argument.dropFirst(prefix.count)) } ?? defaultConfigurationPath.bytes
        passesAge = arguments.contains(noPasswordExpiry.bytes)
        options = arguments.filter { argument in
            !argument.starts(with: prefix) && !flagArguments.contains { flag in flag.equals(argument) }
        }
    }

    func settings() throws(Fault) -> Settings {
        try machine.settings(at: configurationPath, arguments: options)
    }

    /// The same, for the end of what was begun.
    var settingsOrDefaults: Settings {
        (try? settings()) ?? .defaults
    }

    /// Whether another user than root started this program, and chose its environment and limits.
    var isSetUserID: Bool { machine.effectiveUserID == 0 && machine.realUserID != 0 }

    /// Whether this process of root's serves a user who may cause faults: in a set-uid application, or in the agent.
    var isForSomebodyElse: Bool { machine.effectiveUserID == 0 && caller != 0 }

    /// The language for the user: the application's, or else the machine's. Only the application reads the environment.
    var language: Language { host.language ?? machine.language ?? .english }

    /// Shows a text in the person's language, with `insert` where there is a place for it.
    func say(_ phrase: Phrase, filling insert: [UInt8] = []) {
        host.show(ByteText(phrase.said(in: language, filling: insert)))
    }
}

extension Hooks {
    /// Logs a fault of this machine's that keeps a hook from doing what `user` wants.
    func log(_ fault: Fault, _ user: [UInt8], _ purpose: Purpose) {
        let reason: StaticString
        switch fault.cause {
        case .configuration:
            reason = "configuration"
            unavailability.note(.configuration)
        case .keyrings:
            reason = "internal_fault"
            unavailability.note(.internalFault)
        case .resourceExhaustion, .installation, .other: reason = "internal_fault"
        }
        logFailure(user, purpose, reason: reason, fault.line, .error)
    }

    /// Logs why a step with `user` comes to nothing.
    ///
    /// - Parameter words: What they are told.
    func logFailure(
        _ user: [UInt8], _ purpose: Purpose, reason: StaticString, _ text: ByteText,
        _ severity: LogSeverity = .notice, saying words: Phrase? = nil
    ) {
        host.log(severity, audit(purpose.failure, user, reason: reason, text: text))
        if let words {
            say(words)
        }
    }

    /// A line of the log about `user` at this host. The parameters are those of `AuditEvent`.
    func audit(
        _ event: AuditEventName, _ user: [UInt8], session: RootKey? = nil, _ fields: AuditFields = [:],
        reason: StaticString? = nil, text: ByteText? = nil
    ) -> LogLine {
        let subject = AuditSubject(
            user: user, session: session?.serial.number ?? 0, service: host.service, remoteHost: host.remoteHost)
        return subject.line(event, fields, reason: reason, text: text)
    }
}
