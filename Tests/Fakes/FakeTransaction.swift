import Base
import Keyring
import Messages
import Protocol
import Sessions
import Testing

/// A PAM transaction in a test's hands.
final class FakeTransaction: Transaction {
    var language: Language?
    var service = Array("sshd".utf8)
    var remoteHost = Array("203.0.113.7".utf8)
    var terminal = Array("/dev/pts/7".utf8)
    var userName: Result<[UInt8], PAMRefusal> = .success(Array("alice".utf8))
    var typedPassword: Result<[UInt8], PAMRefusal> = .success(Array(Secrets.password.utf8))
    var answers: [Result<String, PAMRefusal>] = []
    var keepError: PAMRefusal?
    var setVariableError: PAMRefusal?
    /// Runs while the person is typing.
    var onQuestion: (() -> Void)?
    /// Runs before anything is said or asked.
    var onTalk: (() -> Void)?

    var variables: [String: [UInt8]] = [:]
    var kept: Login?
    private(set) var questions: [String] = []
    private(set) var shown: [String] = []
    private(set) var log: [String] = []

    func user() throws(PAMRefusal) -> [UInt8] {
        try userName.get()
    }

    func password(_ prompt: ByteText) throws(PAMRefusal) -> Secret {
        onTalk?()
        questions.append(prompt == "Password: " ? "password" : "password \(Fakes.text(prompt.bytes))")
        onQuestion?()
        guard let password = secret(try typedPassword.get()) else {
            throw .systemError
        }
        return password
    }

    /// PAM_AUTHTOK and PAM_OLDAUTHTOK as a later module finds them.
    private(set) var left: (password: String?, oldPassword: String?)
    /// What this machine takes for alice's password.
    var localPassword: String?

    func leave(password: borrowing Secret) {
        left.password = text(password)
    }

    private(set) var isPasswordForgotten = false

    func forgetPassword() {
        isPasswordForgotten = true
    }

    func leave(oldPassword: borrowing Secret) {
        left.oldPassword = text(oldPassword)
    }

    func isLocal(_ password: borrowing Secret, of user: [UInt8]) -> Bool {
        user == Array("alice".utf8) && text(password) == localPassword
    }

    private func text(_ secret: borrowing Secret) -> String {
        secret.withBytes { bytes in Fakes.text(bytes.copied()) }
    }

    func ask(_ text: ByteText, _ style: PromptStyle) throws(PAMRefusal) -> Secret {
        onTalk?()
        questions.append((style == .visible ? "visible " : "hidden ") + Fakes.text(text.bytes))
        onQuestion?()
        let answer = answers.isEmpty ? .failure(.conversationError) : answers.removeFirst()
        guard let given = secret(Array(try answer.get().utf8)) else {
            throw .systemError
        }
        return given
    }

    func show(_ text: ByteText) {
        onTalk?()
        shown.append(Fakes.text(text.bytes))
    }

    func delayFailure() {
        delays += 1
    }

    func log(_ severity: LogSeverity, _ line: LogLine) {
        let name =
            switch severity {
            case .error: "ERROR"
            case .warning: "WARNING"
            case .notice: "NOTICE"
            case .information: "INFO"
            }
        log.append("\(name) \(Fakes.text(line.bytes))")
    }

    func variable(_ name: StaticString) -> [UInt8]? {
        variables["\(name)"]
    }

    func setVariable(_ name: StaticString, to value: [UInt8]) throws(PAMRefusal) {
        try fail(with: setVariableError)
        variables["\(name)"] = value
    }

    func removeVariable(_ name: StaticString) {
        variables["\(name)"] = nil
    }

    /// How often it was asked to take its time with a failure.
    var delays = 0
    var openAttempt: OpenAttempt?

    func keep(_ attempt: OpenAttempt) throws(PAMRefusal) {
        try fail(with: keepError)
        openAttempt = attempt
    }

    var login: Login? { kept }

    func keep(_ login: Login) throws(PAMRefusal) {
        try fail(with: keepError)
        kept = login
    }

    func takeLog() -> [String] {
        defer { log = [] }
        return log
    }
}

/// A transaction on a machine: what a test talks to. After each hook it checks what holds always.
final class World {
    let machine: FakeMachine
    let host: FakeTransaction
    var arguments: [String] = []

    init(_ machine: FakeMachine = FakeMachine(), _ host: FakeTransaction = FakeTransaction()) {
        self.machine = machine
        self.host = host
        host.onTalk = { machine.waits(for: "the person") }
    }

    /// - Parameter scripts: What workers do, one after the other.
    convenience init(_ configuration: String = "", scripts: [Act]...) {
        self.init()
        machine.configuration = FakeMachine.configuration(configuration)
        machine.scripts = scripts
    }

    /// A world in which alice has just signed in.
    static func signedIn(_ configuration: String = "") -> World {
        let world = World(configuration, scripts: [.ask(.password), .signedIn()])
        #expect(world.authenticate() == .success)
        _ = world.host.takeLog()
        return world
    }

    /// A world in which alice's session is open.
    static func open(_ configuration: String = "") -> World {
        let world = signedIn(configuration)
        #expect(world.openSession() == .success)
        #expect(world.host.takeLog() == [])
        return world
    }

    private var hooks: Hooks<FakeTransaction, FakeMachine> {
        Hooks(host, on: machine, arguments: arguments.map { argument in Array(argument.utf8) })
    }

    private func checked(_ value: ReturnValue) -> ReturnValue {
        for line in host.log + host.shown {
            for secret in Secrets.all {
                #expect(!line.contains(secret))
            }
        }
        for line in host.log {
            #expect(line.utf8.allSatisfy { byte in (0x20...0x7e).contains(byte) }, "not printable: \(line)")
        }
        for (_, value) in host.variables {
            for secret in Secrets.all {
                #expect(!text(value).contains(secret))
            }
        }
        return value
    }

    func authenticate() -> ReturnValue { checked(hooks.authenticate()) }
    func checkAccount() -> ReturnValue { checked(hooks.checkAccount()) }
    func setCredentials(deleting: Bool = false, renewing: Bool = false) -> ReturnValue {
        checked(hooks.setCredentials(deleting: deleting, renewing: renewing))
    }
    func openSession() -> ReturnValue { checked(hooks.openSession()) }
    func closeSession() -> ReturnValue { checked(hooks.closeSession()) }
    /// pam_end(3), where nothing keeps it from being heard.
    func end() {
        if let login = host.kept {
            hooks.abandon(login)
        }
        if let attempt = host.openAttempt {
            hooks.failOpenAttempt(attempt)
        }
        _ = checked(.success)
    }

    func changePassword(_ pass: PasswordPass, onlyIfExpired: Bool = false) -> ReturnValue {
        checked(hooks.changePassword(pass, onlyIfExpired: onlyIfExpired))
    }

    func proveIdentity(for proof: ProofPurpose = .screenLock, look: (RootKey) -> Void = { _ in }) -> ReturnValue {
        checked(hooks.proveIdentity(for: proof, look: look))
    }
    func recoverPassword() -> ReturnValue { checked(hooks.recoverPassword()) }

    /// The process that another process of the same machine is: sshd's monitor beside its child.
    func otherProcess(id: Int32, sharingTransaction: Bool = false) -> World {
        let machine = machine.otherProcess(id: id)
        machine.configuration = self.machine.configuration
        let host = sharingTransaction ? host : FakeTransaction()
        host.variables = self.host.variables
        return World(machine, host)
    }
}
