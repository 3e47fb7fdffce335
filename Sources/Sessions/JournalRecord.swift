package import Base
import Configuration
package import Keyring

/// What is kept on disk of an open session: who has it, and where its tokens come from. No secret is in it.
package struct JournalRecord: Equatable {
    /// The account, and the name that Cognito knows the person by.
    package var user: [UInt8]
    package var loginName: [UInt8]
    /// PAM_SERVICE and PAM_RHOST.
    package var service: [UInt8]
    package var remoteHost: [UInt8]
    /// Where the tokens come from.
    package var userPoolID: [UInt8]
    package var clientID: [UInt8]
    /// Another address than the pool's own, and other certificates than the system's; empty where there are none.
    package var endpoint: [UInt8]
    package var caFile: [UInt8]
    package var configuration: [UInt8]
    /// The boot id that the writer saw, 32 hexadecimal digits. In a container of systemd-nspawn, it differs from the
    /// one that a service sees. So it is not used to find anything: it only tells apart records that the registry does
    /// not know.
    package var boot: [UInt8]
    /// The process that hosts it, and whose process id that is.
    package var host: ProcessIdentity
    package var pidNamespace: PIDNamespace
    /// When the refresh token ends by itself, in seconds since the epoch.
    package var expires: Int64
    /// Whether the log has said that a crash left it.
    package var isReported = false
    /// How often Cognito was asked in vain to end it, and before when it need not be tried again, in seconds since the
    /// epoch.
    package var attempts: UInt8 = 0
    package var nextAttempt: Int64 = 0
}

extension JournalRecord {
    private static var header: StaticString { "pam-cognito journal 1" }

    private mutating func code(_ coder: inout some RecordCoder<StaticString>) {
        coder.require("user", &user)
        coder.require("login_name", &loginName)
        coder.require("service", &service)
        coder.require("rhost", &remoteHost)
        coder.require("user_pool_id", &userPoolID)
        coder.require("client_id", &clientID)
        coder.require("endpoint", &endpoint)
        coder.require("ca_file", &caFile)
        coder.require("configuration", &configuration)
        coder.require("boot", &boot)
        var process = Int64(host.id)
        var startTime = Int64(clamping: host.startTime)
        coder.require("process", &process)
        coder.require("start_time", &startTime)
        host = ProcessIdentity(id: Int32(truncatingIfNeeded: process), startTime: UInt64(clamping: startTime))
        var inode = pidNamespace.inode
        coder.require("pid_namespace", &inode)
        pidNamespace = PIDNamespace(inode: inode)
        coder.require("expires", &expires)
        coder.require("reported", &isReported)
        coder.require("attempts", &attempts)
        coder.require("next_attempt", &nextAttempt)
        if process != Int64(host.id) || user.isEmpty || loginName.isEmpty {
            coder.fail()
        }
    }

    /// The record of a session of the registry.
    init(_ entry: borrowing RegistryEntry, boot: [UInt8]) {
        self.init(
            user: entry.user, loginName: entry.loginName, service: entry.service, remoteHost: entry.remoteHost,
            userPoolID: entry.userPoolID, clientID: entry.clientID, endpoint: entry.endpoint ?? [],
            caFile: entry.caFile ?? [], configuration: entry.configuration, boot: boot, host: entry.host,
            pidNamespace: entry.pidNamespace, expires: entry.expires)
    }

    /// The record as a file: a line for each field, readable by people, too. Nil when a value would break its line.
    package func encode() -> [UInt8]? {
        var record = self
        var writer = LineWriter(text: Self.header.bytes + [0x0a])
        record.code(&writer)
        return writer.isWhole ? writer.text : nil
    }

    /// Whether a file was written in a form that a later version of this software has.
    package static func isOfAnotherVersion(_ text: [UInt8]) -> Bool {
        let name = ("pam-cognito journal " as StaticString).bytes
        return text.starts(with: name) && !text.starts(with: header.bytes + [0x0a])
    }

    /// Reads a file; nil for anything that is not exactly one. Lines that are unknown are passed over.
    package static func decode(_ text: [UInt8]) -> JournalRecord? {
        var lines = text.split(separator: 0x0a, omittingEmptySubsequences: false)
        // A whole file ends with its last line.
        guard lines.popLast()?.isEmpty ?? false, let first = lines.first, first.elementsEqual(header.bytes) else {
            return nil
        }
        var reader = LineReader(lines: lines)
        var record = JournalRecord(
            user: [], loginName: [], service: [], remoteHost: [], userPoolID: [], clientID: [], endpoint: [],
            caFile: [], configuration: [], boot: [], host: ProcessIdentity(id: 0, startTime: 0),
            pidNamespace: PIDNamespace(inode: 0), expires: 0)
        record.code(&reader)
        return reader.isWhole ? record : nil
    }
}

extension RecordCoder {
    fileprivate mutating func require(_ key: Key, _ value: inout Int64) {
        var number = UInt64(clamping: value)
        require(key, &number)
        value = Int64(clamping: number)
    }
}

/// Writes a record in lines of name and value.
private struct LineWriter: RecordCoder {
    var text: [UInt8]
    var isWhole = true

    mutating func bytes(_ name: StaticString, _ value: [UInt8]?) -> [UInt8]? {
        let line = value ?? []
        isWhole = isWhole && !line.contains(0x0a)
        text += name.bytes + [0x20] + line + [0x0a]
        return value
    }

    mutating func number(_ name: StaticString, _ value: UInt64?) -> UInt64? {
        _ = bytes(name, value.map { number in ByteText("\(number)").bytes })
        return value
    }

    mutating func code(_ name: StaticString, _ value: UInt8?) -> UInt8? {
        _ = number(name, value.map { code in UInt64(code) })
        return value
    }

    mutating func fail() {
        isWhole = false
    }
}

/// Reads what `LineWriter` writes.
private struct LineReader: RecordCoder {
    let lines: [ArraySlice<UInt8>]
    var isWhole = true

    mutating func bytes(_ name: StaticString, _ value: [UInt8]?) -> [UInt8]? {
        let begin = name.bytes + [0x20]
        return lines.first { line in line.starts(with: begin) }.map { line in Array(line.dropFirst(begin.count)) }
    }

    mutating func number(_ name: StaticString, _ value: UInt64?) -> UInt64? {
        bytes(name, nil).flatMap { digits in UInt64(decimal: digits, atMost: 18) }
    }

    mutating func code(_ name: StaticString, _ value: UInt8?) -> UInt8? {
        number(name, nil).flatMap { number in UInt8(exactly: number) }
    }

    mutating func fail() {
        isWhole = false
    }
}

/// The name of a file of the journal: `SESSION.NUMBER`, by which the registry is asked whether it knows the session.
package struct JournalName: Equatable {
    /// The random part of the entry's description.
    package let session: [UInt8]
    /// The entry's number, the session's in the log.
    package let number: Int32

    /// The name for an entry of the registry.
    package init(_ key: RootKey) {
        session = key.name
        number = key.serial.number
    }

    /// The name that a file has; nil when it is none of the journal's.
    package init?(_ name: [UInt8]) {
        let parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, let session = parts.first, let digits = parts.last, (1...32).contains(session.count),
            session.allSatisfy({ byte in byte.digitValue != nil }), let number = Int32(decimal: digits, atMost: 10)
        else {
            return nil
        }
        self.session = Array(session)
        self.number = number
    }

    package var bytes: [UInt8] {
        ByteText("\(session).\(number)").bytes
    }
}

extension Machine {
    /// Enters an open session into the journal.
    package func enterIntoJournal(_ key: RootKey, _ entry: borrowing RegistryEntry) throws(ErrorNumber) {
        guard let bootID, let record = JournalRecord(entry, boot: bootID).encode() else {
            throw .noData
        }
        try keepJournalRecord(record, named: JournalName(key).bytes)
    }

    /// Takes a session off the journal, if it is in it: its tokens are of no use any more, or may live.
    package func removeFromJournal(_ key: RootKey) {
        dropJournalRecord(named: JournalName(key).bytes)
    }
}
