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
    /// The configuration file.
    package var configuration: [UInt8]
    /// The boot id as whoever wrote this saw it, 32 hexadecimal digits. In a container of systemd-nspawn it is not the one that a
    /// service sees, so that nothing is found by it: it only tells apart what the registry does not know.
    package var boot: [UInt8]
    /// The process that hosts it, and whose process id that is.
    package var host: ProcessIdentity
    package var pidNamespace: PIDNamespace
    /// When the refresh token ends by itself, in seconds since the epoch.
    package var expires: Int64
    /// Whether the log has said that a crash left it.
    package var isReported = false
    /// How often Cognito was asked in vain to end it, and before when it need not be tried again, in seconds since the epoch.
    package var attempts: UInt8 = 0
    package var nextAttempt: Int64 = 0
}

extension JournalRecord {
    private static var header: StaticString { "pam-cognito journal 1" }

    private enum Field: CaseIterable {
        case user, loginName, service, remoteHost, userPoolID, clientID, endpoint, caFile, configuration, boot
        case process, startTime, pidNamespace, expires, reported, attempts, nextAttempt

        var name: StaticString {
            switch self {
            case .user: "user"
            case .loginName: "login_name"
            case .service: "service"
            case .remoteHost: "rhost"
            case .userPoolID: "user_pool_id"
            case .clientID: "client_id"
            case .endpoint: "endpoint"
            case .caFile: "ca_file"
            case .configuration: "configuration"
            case .boot: "boot"
            case .process: "process"
            case .startTime: "start_time"
            case .pidNamespace: "pid_namespace"
            case .expires: "expires"
            case .reported: "reported"
            case .attempts: "attempts"
            case .nextAttempt: "next_attempt"
            }
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
        var text = Self.header.bytes + [0x0a]
        for field in Field.allCases {
            let value = value(of: field)
            guard !value.contains(0x0a) else {
                return nil
            }
            text += field.name.bytes + [0x20] + value + [0x0a]
        }
        return text
    }

    private func value(of field: Field) -> [UInt8] {
        func decimal(_ number: some BinaryInteger) -> [UInt8] {
            ByteText("\(number)").bytes
        }
        return switch field {
        case .user: user
        case .loginName: loginName
        case .service: service
        case .remoteHost: remoteHost
        case .userPoolID: userPoolID
        case .clientID: clientID
        case .endpoint: endpoint
        case .caFile: caFile
        case .configuration: configuration
        case .boot: boot
        case .process: decimal(host.id)
        case .startTime: decimal(host.startTime)
        case .pidNamespace: decimal(pidNamespace.inode)
        case .expires: decimal(expires)
        case .reported: decimal(isReported ? 1 : 0)
        case .attempts: decimal(attempts)
        case .nextAttempt: decimal(nextAttempt)
        }
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
        func value(_ field: Field) -> [UInt8]? {
            let begin = field.name.bytes + [0x20]
            return lines.first { line in line.starts(with: begin) }.map { line in Array(line.dropFirst(begin.count)) }
        }
        func number(_ field: Field) -> Int64? {
            guard let digits = value(field), (1...18).contains(digits.count),
                digits.allSatisfy({ digit in (48...57).contains(digit) })
            else {
                return nil
            }
            return digits.reduce(0) { sum, digit in sum * 10 + Int64(digit - 48) }
        }
        guard let user = value(.user), !user.isEmpty, let loginName = value(.loginName), !loginName.isEmpty,
            let service = value(.service), let remoteHost = value(.remoteHost), let userPoolID = value(.userPoolID),
            let clientID = value(.clientID), let endpoint = value(.endpoint), let caFile = value(.caFile),
            let configuration = value(.configuration), let boot = value(.boot),
            let process = number(.process).flatMap({ Int32(exactly: $0) }),
            let startTime = number(.startTime), let pidNamespace = number(.pidNamespace),
            let expires = number(.expires), let reported = number(.reported),
            let attempts = number(.attempts).flatMap({ number in UInt8(exactly: number) }),
            let nextAttempt = number(.nextAttempt)
        else {
            return nil
        }
        return JournalRecord(
            user: user, loginName: loginName, service: service, remoteHost: remoteHost, userPoolID: userPoolID,
            clientID: clientID, endpoint: endpoint, caFile: caFile, configuration: configuration,
            boot: boot, host: ProcessIdentity(id: process, startTime: UInt64(startTime)),
            pidNamespace: PIDNamespace(inode: UInt64(pidNamespace)), expires: expires, isReported: reported == 1,
            attempts: attempts,
            nextAttempt: nextAttempt)
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
        session = Array(key.description.dropFirst(RootKeyring.entryPrefix.count))
        number = key.serial.number
    }

    /// The name that a file has; nil when it is none of the journal's.
    package init?(_ name: [UInt8]) {
        let parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, let session = parts.first, let digits = parts.last, (1...32).contains(session.count),
            session.allSatisfy({ byte in
                (48...57).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            }), (1...10).contains(digits.count), digits.allSatisfy({ digit in (48...57).contains(digit) }),
            let number = Int32(exactly: digits.reduce(Int64(0)) { sum, digit in sum * 10 + Int64(digit - 48) })
        else {
            return nil
        }
        self.session = Array(session)
        self.number = number
    }

    /// The file's name.
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
    package func strikeOut(_ key: RootKey) {
        dropJournalRecord(named: JournalName(key).bytes)
    }
}
