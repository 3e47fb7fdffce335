package import Base
import CLinux

/// What attempts to sign in are counted by: whom somebody wants to be, and who that somebody is.
///
/// Both, since a person with a shell here who guesses as somebody else must not be able to keep them out of ssh.
package struct AttemptSubject: Equatable, Sendable {
    /// The account.
    package let user: [UInt8]
    /// The real user id of whoever tries: 0 for those who come over the network or to the console. All that no account has are one.
    package let caller: UInt32

    /// A subject by its parts.
    package init(user: [UInt8], caller: UInt32) {
        self.user = user
        self.caller = caller
    }
}

/// An attempt to sign in that counts as a failure as long as it is there.
package struct Attempt: Equatable, Sendable {
    /// Its key.
    package let key: RootKey
    /// Who tried to be whom.
    package let subject: AttemptSubject
    /// When it ends by itself.
    package let end: Instant

    /// An attempt by its parts.
    package init(key: RootKey, subject: AttemptSubject, end: Instant) {
        self.key = key
        self.subject = subject
        self.end = end
    }
}

/// A keyring in root's user keyring with a key for each attempt, which ends by itself.
///
/// Not files: a caller of su can have none written (RLIMIT_FSIZE) or opened, /run may be full or read-only, and a lock on one
/// can be held by whoever is stopped. Many who add at once are all counted.
package struct AttemptKeyring: Sendable {
    private let name: StaticString
    private let prefix: StaticString

    /// Attempts to sign in that count as failures.
    package static var attempts: AttemptKeyring {
        AttemptKeyring(name: "pam-cognito:attempts", prefix: "pam-cognito:a:")
    }
    /// Sign-ins that were begun at Cognito, and that nobody has answered. Their subject's name is where somebody came from.
    package static var begins: AttemptKeyring { AttemptKeyring(name: "pam-cognito:begins", prefix: "pam-cognito:b:") }

    /// Adds an attempt that ends after `seconds`.
    package func add(_ subject: AttemptSubject, lasting seconds: Int64) throws(ErrorNumber) -> RootKey {
        let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        guard !overflow, seconds > 0 else {
            throw .invalidArgument
        }
        // The name last: it may hold anything.
        let end = linux_boottime_ms() &+ milliseconds
        let description =
            prefix.bytes + (try randomName()) + Self.field(UInt64(clamping: end)) + Self.field(UInt64(subject.caller))
            + [UInt8(ascii: ":")] + subject.user
        // A key of this type cannot be empty.
        guard let payload = unsafe Secret(copying: [UInt8(ascii: "1")].span.bytes) else {
            throw .noMemory
        }
        return try addRootKey(description, payload, to: name.bytes, lasting: seconds)
    }

    /// The attempts of those subjects that have not ended.
    package func attempts(where isWanted: (AttemptSubject) -> Bool) throws(ErrorNumber) -> [Attempt] {
        try rootKeys(in: name.bytes) { key in
            guard let (subject, end) = parse(key.description), isWanted(subject) else {
                return nil
            }
            return Attempt(key: key, subject: subject, end: end)
        }
    }

    /// Takes an attempt back.
    package func remove(_ key: RootKey) {
        try? asRoot { () throws(ErrorNumber) in
            guard let ring = try rootRing(name.bytes, create: false) else {
                return
            }
            let serial = try checked(key.serial, type: "user", key.description)
            serial.unlink(from: ring)
            serial.invalidate()
        }
    }

    private static func field(_ number: UInt64) -> [UInt8] {
        var digits: [UInt8] = []
        var rest = number
        repeat {
            digits.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        return [UInt8(ascii: ":")] + digits.reversed()
    }

    /// Takes `pam-cognito:a:RANDOM:END:CALLER:NAME` apart, or what has another prefix in that place.
    private func parse(_ text: [UInt8]) -> (AttemptSubject, Instant)? {
        guard text.starts(with: prefix.bytes) else {
            return nil
        }
        let parts = text.dropFirst(prefix.bytes.count).split(
            separator: UInt8(ascii: ":"), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, let end = Self.number(parts[1]), let caller = Self.number(parts[2]), !parts[3].isEmpty
        else {
            return nil
        }
        return (
            AttemptSubject(user: Array(parts[3]), caller: UInt32(clamping: caller)),
            Instant(milliseconds: Int64(clamping: end))
        )
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        guard !digits.isEmpty, digits.count <= 18 else {
            return nil
        }
        var value: UInt64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else {
                return nil
            }
            value = value * 10 + UInt64(digit - 48)
        }
        return value
    }
}
