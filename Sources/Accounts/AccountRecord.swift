import Base
import Configuration

/// The record of a user who has an account here.
package struct AccountRecord: Equatable, Sendable {
    /// Whether they may come in.
    package enum State: CaseIterable, Sendable {
        case enabled
        /// The account is not admitted, and its Unix groups are gone; the owner of its files is still shown.
        case locked
        /// The same by root's word on this machine, which stands whatever the directory says.
        case barred
        /// The account was removed. Its user id is not given to another one.
        case forgotten

        package var word: StaticString {
            switch self {
            case .enabled: "enabled"
            case .locked: "locked"
            case .barred: "barred"
            case .forgotten: "forgotten"
            }
        }
    }

    /// The origin of an account.
    package enum Source: CaseIterable, Sendable {
        /// The pool's directory, by the machine's IAM identity.
        case directory
        /// Their first sign-in here.
        case signIn
        /// An account of this machine's that root has handed over.
        case adopted

        package var word: StaticString {
            switch self {
            case .directory: "directory"
            case .signIn: "sign-in"
            case .adopted: "adopted"
            }
        }
    }

    /// The login name, and the primary group's.
    package var name: [UInt8]
    /// `sub`: who it is at Cognito, whatever they are called.
    package var subject: [UInt8]
    package var pool: [UInt8]
    /// User id, and the primary group's id.
    package var uid: UInt32
    /// The user's name in the pool; may be empty.
    package var realName: [UInt8] = []
    package var shell: [UInt8]
    package var home: [UInt8]
    package var state = State.enabled
    /// Unix groups, by name.
    package var groups: [[UInt8]] = []
    /// ssh keys, each a line of authorized_keys(5).
    package var keys: [[UInt8]] = []
    /// When other keys came to open it than before, in seconds since the epoch; 0: never since it was made.
    package var keysChanged: Int64 = 0
    /// When the person was told of that for the first time, at a sign-in; 0: not yet.
    package var keysTold: Int64 = 0
    /// When this was written last, in seconds since the epoch.
    package var changed: Int64 = 0
    package var source: Source

    /// A record of a person who may come in.
    package init(
        name: [UInt8], subject: [UInt8], pool: [UInt8], uid: UInt32, shell: [UInt8], home: [UInt8], source: Source
    ) {
        self.name = name
        self.subject = subject
        self.pool = pool
        self.uid = uid
        self.shell = shell
        self.home = home
        self.source = source
    }

    /// The Unix groups that they are in now.
    package var currentGroups: [[UInt8]] { state == .enabled ? groups : [] }
    /// The ssh keys that open the account now.
    package var currentKeys: [[UInt8]] { state == .enabled ? keys : [] }

    /// Whether the user must be told at `time` that other ssh keys open the account than before. A login by key may be
    /// a thief's, so telling that login does not count.
    ///
    /// - Parameter isSignIn: Whether the user has just signed in with Cognito. They are told at each sign-in for a day,
    ///   since programs do not show everything; and for a week at logins by key.
    package func isKeyChangeNews(at time: Int64, signingIn isSignIn: Bool) -> Bool {
        guard state == .enabled, keysChanged > 0 else {
            return false
        }
        return (keysTold == 0 || time < keysTold.addingReportingOverflow(86_400).partialValue)
            && (isSignIn || time < keysChanged.addingReportingOverflow(7 * 86_400).partialValue)
    }

    /// The identity of a user at Cognito, whatever the name.
    package struct Owner: Equatable, Sendable {
        /// `sub`.
        package let subject: [UInt8]
        package let pool: [UInt8]

        /// The person of a pool with that `sub`.
        package init(subject: [UInt8], pool: [UInt8]) {
            self.subject = subject
            self.pool = pool
        }
    }

    package var owner: Owner { Owner(subject: subject, pool: pool) }

    /// Whether the two are of the same person at Cognito.
    package func isSamePerson(as other: AccountRecord) -> Bool {
        owner == other.owner
    }

    /// Returns the part of a real name that passwd(5) can hold.
    package static func presentable(realName: [UInt8]) -> [UInt8] {
        let isFit = isPrintableUTF8(realName[...]) && !realName.contains(UInt8(ascii: ":"))
        return isFit && realName.count <= 256 ? realName : []
    }

    /// The name of the first invalid field; nil: there is none.
    package var mistake: StaticString? {
        if !AccountName.isPossible(name) { return "name" }
        if !isWord(subject, atMost: 128) { return "sub" }
        if !isWord(pool, atMost: 55) { return "pool" }
        if uid < 1000 || uid >= 1 << 31 { return "uid" }
        if realName.count > 256 || !isPrintableUTF8(realName[...]) || realName.contains(UInt8(ascii: ":")) {
            return "real"
        }
        if !isPath(shell) { return "shell" }
        if !isPath(home) { return "home" }
        if groups.count > Self.mostGroups || !groups.allSatisfy(AccountName.isPossibleGroup) { return "group" }
        if keys.count > Self.mostKeys || !keys.allSatisfy(isKey) { return "key" }
        if keysChanged < 0 { return "keys_changed" }
        if keysTold < 0 { return "keys_told" }
        return changed < 0 ? "changed" : nil
    }

    package static let mostGroups = 64
    package static let mostKeys = 8
    /// An attribute of Cognito's has no more.
    package static let longestKey = 2048
    /// The most bytes that a record has.
    package static let largest = 24_576
}

private func isWord(_ text: [UInt8], atMost length: Int) -> Bool {
    !text.isEmpty && text.count <= length && text.allSatisfy { byte in (0x21...0x7e).contains(byte) }
}

private func isPath(_ text: [UInt8]) -> Bool {
    text.first == UInt8(ascii: "/") && isWord(text, atMost: 255) && !text.contains(UInt8(ascii: ":"))
}

/// One line that has the form of a public key: nothing that an option or another line could be in.
private func isKey(_ text: [UInt8]) -> Bool {
    let words = text.split(separator: 0x20, omittingEmptySubsequences: false)
    guard text.count <= AccountRecord.longestKey, words.count >= 2, let kind = words.first,
        [("ssh-" as StaticString), "ecdsa-", "sk-"].contains(where: { prefix in kind.starts(with: prefix.bytes) })
    else {
        return false
    }
    return text.allSatisfy { byte in (0x20...0x7e).contains(byte) }
}

// As a file: lines of text, in one order, and a sum over them. It is not meant to be edited, and what was is not
// believed.

extension AccountRecord {
    private static let heading: StaticString = "pam-cognito account 1"

    package var file: [UInt8] {
        var text: ByteText =
            "\(Self.heading)\nname \(name)\nsub \(subject)\npool \(pool)\nuid \(uid)\nreal \(realName)\n"
        text.bytes += ("shell \(shell)\nhome \(home)\nstate \(state.word)\n" as ByteText).bytes
        for group in groups {
            text.bytes += ("group \(group)\n" as ByteText).bytes
        }
        for key in keys {
            text.bytes += ("key \(key)\n" as ByteText).bytes
        }
        if keysChanged != 0 {
            text.bytes += ("keys_changed \(keysChanged)\n" as ByteText).bytes
        }
        if keysTold != 0 {
            text.bytes += ("keys_told \(keysTold)\n" as ByteText).bytes
        }
        text.bytes += ("changed \(changed)\nsource \(source.word)\n" as ByteText).bytes
        // Not 64 bits, since interpolated numbers are signed.
        return text.bytes + ("sum \(mixed(fnv1a(text.bytes)) >> 1)\n" as ByteText).bytes
    }

    /// Reads a file; nil when it is not exactly what this version writes.
    package init?(file: [UInt8]) {
        self.init(name: [], subject: [], pool: [], uid: 0, shell: [], home: [], source: .directory)
        for line in file.split(separator: 0x0a).dropFirst() {
            guard let blank = line.firstIndex(of: 0x20), take(line[..<blank], Array(line[(blank + 1)...])) else {
                return nil
            }
        }
        // Order, heading, sum and all else.
        guard mistake == nil, self.file == file else {
            return nil
        }
    }

    /// Takes a line over; false when no record has such.
    private mutating func take(_ key: ArraySlice<UInt8>, _ value: [UInt8]) -> Bool {
        func isAbout(_ name: StaticString) -> Bool { name.equals(key) }
        if isAbout("name") {
            name = value
        } else if isAbout("sub") {
            subject = value
        } else if isAbout("pool") {
            pool = value
        } else if isAbout("uid") {
            uid = UInt32(decimal: value, atMost: 12) ?? 0
        } else if isAbout("real") {
            realName = value
        } else if isAbout("shell") {
            shell = value
        } else if isAbout("home") {
            home = value
        } else if isAbout("group") {
            groups.append(value)
        } else if isAbout("key") {
            keys.append(value)
        } else if isAbout("keys_changed") {
            keysChanged = Int64(decimal: value, atMost: 12) ?? -1
        } else if isAbout("keys_told") {
            keysTold = Int64(decimal: value, atMost: 12) ?? -1
        } else if isAbout("changed") {
            changed = Int64(decimal: value, atMost: 12) ?? -1
        } else {
            return takeWord(key, value)
        }
        return true
    }

    private mutating func takeWord(_ key: ArraySlice<UInt8>, _ value: [UInt8]) -> Bool {
        if ("state" as StaticString).equals(key),
            let known = State.allCases.first(where: { one in one.word.equals(value) })
        {
            state = known
        } else if ("source" as StaticString).equals(key),
            let known = Source.allCases.first(where: { one in one.word.equals(value) })
        {
            source = known
        } else {
            return ("sum" as StaticString).equals(key)
        }
        return true
    }
}
