import Base
import CLinux
import CPAM
import Messages
import Protocol
import Sessions

/// Calls `body` with the hooks for this call of libpam's.
func withHooks(
    _ pamh: OpaquePointer?,
    _ flags: CInt,
    _ hook: StaticString,
    _ argc: CInt,
    _ argv: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
    _ body: (Hooks<LibPAMTransaction, LinuxMachine>) -> ReturnValue
) -> CInt {
    guard let pamh = unsafe pamh else {
        return ReturnValue.systemError.rawValue
    }
    var arguments: [[UInt8]] = []
    if let argv = unsafe argv, argc > 0, argc < 256 {
        for index in 0..<Int(argc) {
            unsafe arguments.append(StaticBytes(argv[index]).bytes)
        }
    }
    return withRaisedLimits { limits in
        let transaction = unsafe LibPAMTransaction(pamh, flags, hook, limits)
        return body(Hooks(transaction, on: LinuxMachine(), arguments: arguments))
    }.rawValue
}

/// Calls `body` without the limits that the caller of su has set, who would decide by them what can be asked and
/// counted; afterwards they are as before. Not in root's own processes: what root has set is root's, and all threads'.
///
/// - Parameter body: Is given what they were, if they are raised.
private func withRaisedLimits(_ body: (linux_limits?) -> ReturnValue) -> ReturnValue {
    guard linux_effective_user_id() == 0, linux_user_id() != 0 else {
        return body(nil)
    }
    var before = linux_limits()
    unsafe linux_raise_limits(&before)
    defer { unsafe linux_restore_limits(&before) }
    return body(before)
}

/// Calls `body` when libpam releases what the hooks have kept: they are not called again. pam_end(3) runs in forked
/// copies, too, even as another user: what there is to do in which process, `Hooks` knows.
private func atEnd<Kept: AnyObject>(
    _ pamh: OpaquePointer?, _ data: UnsafeMutableRawPointer?, _ status: CInt, of _: Kept.Type,
    _ body: (Hooks<LibPAMTransaction, LinuxMachine>, Kept) -> Void
) {
    guard let data = unsafe data else {
        return
    }
    let kept = unsafe Unmanaged<Kept>.fromOpaque(data).takeRetainedValue()
    guard let pamh = unsafe pamh, status & CInt(PAM_DATA_SILENT) == 0 else {
        return
    }
    _ = withRaisedLimits { limits in
        let transaction = unsafe LibPAMTransaction(pamh, 0, "end", limits)
        body(Hooks(transaction, on: LinuxMachine(), arguments: []), kept)
        return .success
    }
}

/// A transaction of libpam's.
@safe
struct LibPAMTransaction: Transaction {
    private let pamh: OpaquePointer
    private let flags: CInt
    /// What libpam calls the hook in the log.
    private let hook: StaticString
    /// The caller's limits, where they are raised.
    private let limits: linux_limits?

    /// The name under which the hooks of one process keep their login.
    private static let dataName = "pam_cognito_login"
    private static let attemptName = "pam_cognito_attempt"
    /// PAM_MAX_RESP_SIZE is 512: longer answers are none that a person gave.
    private static let longestAnswer = 4096

    init(_ pamh: OpaquePointer, _ flags: CInt, _ hook: StaticString, _ limits: linux_limits?) {
        unsafe self.pamh = pamh
        self.flags = flags
        self.hook = hook
        self.limits = limits
    }

    /// Calls `converse` with the caller's limits: the conversation is the host's, and sudo -A starts the caller's own
    /// program there.
    private func withLimits<Result>(_ converse: () -> Result) -> Result {
        guard var limits else {
            return converse()
        }
        unsafe linux_restore_limits(&limits)
        defer { unsafe linux_raise_limits(&limits) }
        return converse()
    }

    private func item(_ kind: CInt) -> [UInt8] {
        var value: UnsafeRawPointer?
        guard unsafe pam_get_item(pamh, kind, &value) == PAM_SUCCESS, let found = unsafe value else {
            return []
        }
        return unsafe StaticBytes(found.assumingMemoryBound(to: CChar.self)).bytes
    }

    var service: [UInt8] { item(PAM_SERVICE) }
    var remoteHost: [UInt8] { item(PAM_RHOST) }
    var terminal: [UInt8] { item(PAM_TTY) }

    func user() throws(PAMRefusal) -> [UInt8] {
        var name: UnsafePointer<CChar>?
        let result = withLimits { unsafe pam_get_user(pamh, &name, nil) }
        guard result == PAM_SUCCESS, unsafe name != nil else {
            throw PAMRefusal(rawValue: result) ?? (result == PAM_SUCCESS ? .systemError : .userUnknown)
        }
        return unsafe StaticBytes(name).bytes
    }

    var language: Language? { unsafe Language(locale: StaticBytes(linux_message_locale()).bytes) }

    func password(_ prompt: ByteText) throws(PAMRefusal) -> Secret {
        var token: UnsafePointer<CChar>?
        let result = withLimits { unsafe cpam_get_password(pamh, &token, prompt.bytes + [0]) }
        guard result == PAM_SUCCESS, let token = unsafe token else {
            // Whatever it is, the person said nothing that could be right: never "unavailable".
            throw PAMRefusal(rawValue: result) ?? .authenticationError
        }
        return try unsafe secret(copying: token)
    }

    func ask(_ text: ByteText, _ style: PromptStyle) throws(PAMRefusal) -> Secret {
        var answer: UnsafeMutablePointer<CChar>?
        let result = withLimits {
            unsafe cpam_prompt(
                pamh, style == .visible ? PAM_PROMPT_ECHO_ON : PAM_PROMPT_ECHO_OFF, text.bytes + [0], &answer)
        }
        guard result == PAM_SUCCESS, let given = unsafe answer else {
            throw PAMRefusal(rawValue: result) ?? .conversationError
        }
        defer { unsafe cpam_free_answer(given) }
        return try unsafe secret(copying: given)
    }

    private func secret(copying answer: UnsafePointer<CChar>) throws(PAMRefusal) -> Secret {
        guard let secret = unsafe Secret(copyingCString: answer, atMost: Self.longestAnswer) else {
            log(
                .notice,
                """
                an answer is longer than \(Self.longestAnswer) bytes, or there is not enough memory. The answer is \
                not used
                """)
            throw .systemError
        }
        return secret
    }

    func leave(password: borrowing Secret) {
        setItem(PAM_AUTHTOK, to: password)
    }

    func forgetPassword() {
        _ = unsafe pam_set_item(pamh, PAM_AUTHTOK, nil)
    }

    func leave(oldPassword: borrowing Secret) {
        setItem(PAM_OLDAUTHTOK, to: oldPassword)
    }

    func isLocal(_ password: borrowing Secret, of user: [UInt8]) -> Bool {
        unsafe withCString(password) { text in unsafe cpam_is_local_password(user + [0], text) == 1 } ?? false
    }

    /// Where there is no memory, the item is as it was: what others do without the password is theirs to say.
    private func setItem(_ kind: CInt, to secret: borrowing Secret) {
        _ = unsafe withCString(secret) { text in unsafe pam_set_item(pamh, kind, text) }
    }

    private func withCString<R>(_ secret: borrowing Secret, _ body: (UnsafePointer<CChar>) -> R) -> R? {
        guard var text = Secret(capacity: secret.count + 1), secret.withBytes({ bytes in text.append(bytes) }),
            text.append(0)
        else {
            return nil
        }
        return text.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { buffer in
                unsafe buffer.baseAddress.map { start in unsafe body(start.assumingMemoryBound(to: CChar.self)) }
            }
        }
    }

    func show(_ text: ByteText) {
        guard flags & CInt(truncatingIfNeeded: PAM_SILENT) == 0 else {
            return
        }
        withLimits { unsafe cpam_info(pamh, text.bytes + [0]) }
    }

    func delayFailure() {
        _ = unsafe pam_fail_delay(pamh, UInt32(failureDelay * 1000))
    }

    func log(_ severity: LogSeverity, _ line: LogLine) {
        // As pam_syslog(3) has it.
        let shown: ByteText = "pam_cognito(\(printable(service)):\(hook)): \(line.rendered)"
        guard !SystemLog.write(severity, line, shown: shown) else {
            return
        }
        unsafe cpam_syslog(pamh, severity.rawValue, line.bytes + [0])
    }

    func variable(_ name: StaticString) -> [UInt8]? {
        let value = name.withUTF8Buffer { text in unsafe StaticBytes(cpam_getenv(pamh, text.baseAddress)).bytes }
        return value.isEmpty ? nil : value
    }

    func setVariable(_ name: StaticString, to value: [UInt8]) throws(PAMRefusal) {
        let assignment = name.bytes + [UInt8(ascii: "=")] + value + [0]
        guard unsafe cpam_putenv(pamh, assignment) == PAM_SUCCESS else {
            throw .systemError
        }
    }

    func removeVariable(_ name: StaticString) {
        // Removing what is not there would be an error line in the log.
        guard variable(name) != nil else {
            return
        }
        _ = unsafe cpam_putenv(pamh, name.bytes + [0])
    }

    var login: Login? { kept(Self.dataName) }

    func keep(_ login: Login) throws(PAMRefusal) {
        try unsafe keep(login, Self.dataName) { pamh, data, status in
            unsafe atEnd(pamh, data, status, of: Login.self) { hooks, login in hooks.abandon(login) }
        }
    }

    var openAttempt: OpenAttempt? { kept(Self.attemptName) }

    func keep(_ attempt: OpenAttempt) throws(PAMRefusal) {
        try unsafe keep(attempt, Self.attemptName) { pamh, data, status in
            unsafe atEnd(pamh, data, status, of: OpenAttempt.self) { hooks, attempt in hooks.failOpenAttempt(attempt) }
        }
    }

    private func kept<Kept: AnyObject>(_ name: String) -> Kept? {
        var data: UnsafeRawPointer?
        guard unsafe pam_get_data(pamh, name, &data) == PAM_SUCCESS, let found = unsafe data else {
            return nil
        }
        return unsafe Unmanaged<Kept>.fromOpaque(found).takeUnretainedValue()
    }

    private func keep<Kept: AnyObject>(
        _ kept: Kept, _ name: String,
        _ cleanup: @escaping @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, CInt) -> Void
    ) throws(PAMRefusal) {
        let retained = unsafe Unmanaged.passRetained(kept).toOpaque()
        guard unsafe pam_set_data(pamh, name, retained, cleanup) == PAM_SUCCESS else {
            unsafe Unmanaged<Kept>.fromOpaque(retained).release()
            throw .systemError
        }
    }
}

extension Secret {
    /// Copies a C string; nil when it is longer than `limit` or there is no memory.
    fileprivate init?(copyingCString text: UnsafePointer<CChar>, atMost limit: Int) {
        let length = unsafe cpam_length(text, limit + 1)
        guard length <= limit else {
            return nil
        }
        unsafe self.init(capacity: length) { memory, capacity in
            unsafe memory.copyMemory(from: text, byteCount: capacity)
            return capacity
        }
    }
}
