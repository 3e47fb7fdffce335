package import Base
import CLinux

/// The subject of an attempt to sign in: the account, and the user id of the caller.
///
/// Both count, since a local user who guesses the password of another user must not lock that user out of ssh.
package struct AttemptSubject: Equatable, Sendable {
    package let user: [UInt8]
    /// The real user id of the caller: 0 over the network or at the console. All user ids without an account count as
    /// one.
    package let caller: UInt32

    /// A subject by its parts.
    package init(user: [UInt8], caller: UInt32) {
        self.user = user
        self.caller = caller
    }
}

/// What a key of the keyring says of an attempt to sign in.
package enum AttemptKind: UInt8, Sendable {
    case failure = 0x61
    /// The user's answer is with Cognito, or about to be: it counts like a failure until Cognito has judged it, and is
    /// one if the process ends before.
    case reserved = 0x72
    /// It waits until there is room for one more answer.
    case waiting = 0x77
    /// Cognito has sent the user a code, which was not entered yet.
    case codeSent = 0x6d
    /// The user's answer is with Cognito: a sign-out everywhere waits for what comes of it.
    case answered = 0x6a
    /// A sign-out everywhere is with Cognito: an answer waits for it.
    case signingOut = 0x6f
    /// The sign-in was begun at Cognito before the user has answered. The subject's name is where the user came from.
    case begun = 0x62
}

/// An attempt to sign in, as long as it counts.
package struct Attempt: Equatable, Sendable {
    package let key: RootKey
    /// What the key says of it.
    package let kind: AttemptKind
    /// Who tried to be whom.
    package let subject: AttemptSubject
    /// When it ends by itself.
    package let end: Instant
    /// The process that made the key; nil where it does not matter whether it is still there.
    package let holder: Holder?

    /// A process, and where its number counts.
    package struct Holder: Equatable, Sendable {
        package let process: ProcessIdentity
        /// Where its number counts.
        package let pidNamespace: PIDNamespace

        /// A holder by its parts.
        package init(process: ProcessIdentity, pidNamespace: PIDNamespace) {
            self.process = process
            self.pidNamespace = pidNamespace
        }
    }

    /// An attempt by its parts.
    package init(key: RootKey, kind: AttemptKind, subject: AttemptSubject, end: Instant, holder: Holder?) {
        self.key = key
        self.kind = kind
        self.subject = subject
        self.end = end
        self.holder = holder
    }
}

// A keyring in root's user keyring with a key for each attempt, which expires by itself.
//
// Not files: a caller of su can prevent writing (RLIMIT_FSIZE) or opening them, /run may be full or read-only, and a
// stopped process can hold a lock. Simultaneous attempts are all counted.

extension RootKeyrings {
    /// What is noted of those subjects' attempts and has not ended.
    package func attempts(where isWanted: (AttemptSubject) -> Bool) throws(ErrorNumber) -> [Attempt] {
        try rootKeys(in: AttemptKind.reserved.ring) { key in
            Attempt(key).flatMap { attempt in isWanted(attempt.subject) ? attempt : nil }
        }
    }

    /// The sign-ins that were begun at Cognito before the user has answered.
    package func unansweredSRPStarts() throws(ErrorNumber) -> [Attempt] {
        try rootKeys(in: AttemptKind.begun.ring) { key in Attempt(key) }
    }

    /// Notes something of an attempt to sign in that this process makes, for so many seconds.
    package func noteAttempt(
        _ kind: AttemptKind, _ subject: AttemptSubject, lasting seconds: Int64
    ) throws(ErrorNumber) -> RootKey {
        let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        guard !overflow, seconds > 0 else {
            throw .invalidArgument
        }
        // The name last: it may hold anything.
        var text: ByteText = """
            \(Attempt.prefix)\([kind.rawValue]):\(try randomName()):\(linux_boottime_ms() &+ milliseconds)
            """
        if kind.hasProcess {
            let process = ProcessIdentity.current
            text = "\(text):\(max(0, process.id)):\(process.startTime):\(PIDNamespace.current.inode)"
        }
        text = "\(text):\(subject.caller):\(subject.user)"
        // A key of this type cannot be empty.
        guard let payload = unsafe Secret(copying: [UInt8(ascii: "1")].span.bytes) else {
            throw .noMemory
        }
        return try addRootKey(text.bytes, payload, to: kind.ring, lasting: seconds)
    }

    /// Forgets what `noteAttempt` has noted.
    package func forgetAttempt(_ key: RootKey) {
        try? asRoot { () throws(ErrorNumber) in
            guard let kind = key.description.dropFirst(Attempt.prefix.bytes.count).first.flatMap(AttemptKind.init),
                let ring = try rootRing(kind.ring)
            else {
                return
            }
            let serial = try checked(key.serial, type: "user", key.description)
            serial.unlink(from: ring)
            serial.invalidate()
        }
    }
}

extension Attempt {
    fileprivate static var prefix: StaticString { "pam-cognito:" }

    /// Takes `pam-cognito:KIND:RANDOM:END[:PID:STARTTIME:PIDNAMESPACE]:CALLER:NAME` apart.
    fileprivate init?(_ key: RootKey) {
        guard key.description.starts(with: Self.prefix.bytes) else {
            return nil
        }
        var rest = key.description[Self.prefix.bytes.count...]
        guard let letter = rest.popFirst(), let kind = AttemptKind(rawValue: letter),
            rest.popFirst() == UInt8(ascii: ":"), Self.field(from: &rest) != nil, let end = Self.number(from: &rest)
        else {
            return nil
        }
        var holder: Attempt.Holder?
        if kind.hasProcess {
            guard let id = Self.number(from: &rest), let startTime = Self.number(from: &rest),
                let inode = Self.number(from: &rest)
            else {
                return nil
            }
            holder = Attempt.Holder(
                process: ProcessIdentity(id: Int32(clamping: id), startTime: startTime),
                pidNamespace: PIDNamespace(inode: inode))
        }
        guard let caller = Self.number(from: &rest), !rest.isEmpty else {
            return nil
        }
        self.init(
            key: key, kind: kind, subject: AttemptSubject(user: Array(rest), caller: UInt32(clamping: caller)),
            end: Instant(milliseconds: Int64(clamping: end)), holder: holder)
    }

    /// What stands before the next colon, which is taken along.
    private static func field(from text: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else {
            return nil
        }
        let field = text[..<colon]
        text = text[(colon + 1)...]
        return field
    }

    private static func number(from text: inout ArraySlice<UInt8>) -> UInt64? {
        field(from: &text).flatMap { digits in UInt64(decimal: digits, atMost: 18) }
    }
}

extension AttemptKind {
    /// The name of the keyring. All that is about answers to Cognito is in one: a process that sees one of two keys
    /// that were added at the same time sees both.
    fileprivate var ring: [UInt8] {
        switch self {
        case .begun: Array("pam-cognito:begins".utf8)
        case .failure, .reserved, .waiting, .codeSent, .answered, .signingOut: Array("pam-cognito:attempts".utf8)
        }
    }

    /// Whether it matters if the process is still there. The others look as they did in version 0.1.0.
    package var hasProcess: Bool {
        switch self {
        case .failure, .begun: false
        case .reserved, .waiting, .codeSent, .answered, .signingOut: true
        }
    }
}
