import Base
import CLinux

// The knowledge of every other source of the passwd and group lines of nsswitch.conf(5), such as LDAP. An account from
// the pool never gets its names and numbers. A separate process asks the sources, since their libraries can do anything
// and take any time.

/// Something of another source's in an account's way.
package struct KnownElsewhere: Equatable, Sendable {
    /// The source, as nsswitch.conf(5) calls it.
    package let source: [UInt8]
    package let conflict: LocalNames.Conflict
    /// The user id that the user of that name has there, where the name is a user's.
    package let uid: UInt32

    /// A conflict by its parts.
    package init(source: [UInt8], _ conflict: LocalNames.Conflict, uid: UInt32) {
        (self.source, self.conflict, self.uid) = (source, conflict, uid)
    }
}

/// The answer of the other sources about exactly that name and that number.
package struct SourceAnswer: Equatable, Sendable {
    /// The verdict of the other sources.
    package enum SourceVerdict: Equatable, Sendable {
        /// No user or group of that name, user id or group id.
        case nobody
        case known(KnownElsewhere)
        /// That source did not answer, and no other knows the name or number.
        case silent([UInt8])
    }

    package let name: [UInt8]
    package let uid: UInt32
    package let verdict: SourceVerdict

    /// An answer by its parts.
    package init(of name: [UInt8], _ uid: UInt32, _ verdict: SourceVerdict) {
        (self.name, self.uid, self.verdict) = (name, uid, verdict)
    }

    /// The reason why the name and number belong to another account; nil: no other is known to have them.
    package var objection: AccountRefusal? {
        switch verdict {
        case .nobody, .silent: nil
        case .known(let known): .elsewhere(known, uid)
        }
    }

    /// Returns the objection to entering the record.
    ///
    /// - Parameter isOpen: Whether the account exists and is enabled. A source that does not answer does not remove it.
    func objection(to record: AccountRecord, isOpen: Bool) -> AccountRefusal? {
        guard record.name == name, record.uid == uid else {
            return isOpen ? nil : .silent([])
        }
        switch verdict {
        case .nobody: return nil
        case .known(let known): return .elsewhere(known, uid)
        case .silent(let source): return isOpen ? nil : .silent(source)
        }
    }
}

/// A packet from the process that asks the sources: the source that it asks next, and at last the verdict.
package enum SourceReport: Equatable, Sendable {
    case asking([UInt8])
    case verdict(SourceAnswer.SourceVerdict)

    /// The most bytes of a packet: a name of NSS's has at most 255.
    package static let largest = 600

    /// Reads a packet; nil: it is none.
    package init?(decoding packet: [UInt8]) {
        guard packet.count >= 7, packet.count <= Self.largest, packet.count >= 7 + Int(packet[6]) else {
            return nil
        }
        let end = 7 + Int(packet[6])
        let (source, owner) = (Array(packet[7..<end]), Array(packet[end...]))
        let uid = number(packet[2..<6])
        let conflict: LocalNames.Conflict
        switch (packet[0], packet[1]) {
        case (0, 0):
            self = .asking(source)
            return
        case (1, 0):
            self = .verdict(.nobody)
            return
        case (2, 0):
            self = .verdict(.silent(source))
            return
        case (3, 0): conflict = .user
        case (3, 1): conflict = .group
        case (3, 2): conflict = .userID(of: owner)
        case (3, 3): conflict = .groupID(of: owner)
        default: return nil
        }
        self = .verdict(.known(KnownElsewhere(source: source, conflict, uid: uid)))
    }

    package var packet: [UInt8] {
        switch self {
        case .asking(let source): Self.packet(0, 0, 0, source, [])
        case .verdict(.nobody): Self.packet(1, 0, 0, [], [])
        case .verdict(.silent(let source)): Self.packet(2, 0, 0, source, [])
        case .verdict(.known(let known)):
            switch known.conflict {
            case .user: Self.packet(3, 0, known.uid, known.source, [])
            case .group: Self.packet(3, 1, known.uid, known.source, [])
            case .userID(let owner): Self.packet(3, 2, known.uid, known.source, owner)
            case .groupID(let owner): Self.packet(3, 3, known.uid, known.source, owner)
            }
        }
    }

    private static func packet(
        _ kind: UInt8, _ conflict: UInt8, _ uid: UInt32, _ source: [UInt8], _ owner: [UInt8]
    ) -> [UInt8] {
        let source = source.prefix(255)
        return [kind, conflict] + octets(of: uid) + [UInt8(source.count)] + source + owner.prefix(255)
    }
}

/// A name and a number to ask the sources about, as a packet.
package struct SourceQuestion: Equatable, Sendable {
    package static let largest = 4 + AccountName.longest

    package let name: [UInt8]
    package let uid: UInt32

    /// About an account that is so.
    package init(_ name: [UInt8], _ uid: UInt32) {
        (self.name, self.uid) = (name, uid)
    }

    /// Reads a packet; nil: it is none.
    package init?(decoding packet: [UInt8]) {
        guard packet.count > 4, packet.count <= Self.largest, AccountName.isPossible(Array(packet[4...])) else {
            return nil
        }
        self.init(Array(packet[4...]), number(packet[..<4]))
    }

    package var packet: [UInt8] { octets(of: uid) + name }
}

private func octets(of number: UInt32) -> [UInt8] {
    [0, 8, 16, 24].map { shift in UInt8(truncatingIfNeeded: number >> shift) }
}

private func number(_ octets: ArraySlice<UInt8>) -> UInt32 {
    octets.reversed().reduce(0) { number, octet in number << 8 | UInt32(octet) }
}

/// Asks all other sources about each of `people`, by a child of root's for all of them, which gets so many milliseconds
/// for one. Once it is late, or has ended, the rest has no answer.
package func askOtherSources(about people: [SourceQuestion], within milliseconds: Int32) -> [SourceAnswer] {
    guard !people.isEmpty, let process = try? ChildProcess(startingNameSources: ()) else {
        return people.map { one in SourceAnswer(of: one.name, one.uid, .silent([])) }
    }
    var late: [UInt8]?
    return people.map { one in
        if let late {
            return SourceAnswer(of: one.name, one.uid, .silent(late))
        }
        var asked: [UInt8] = []
        let verdict = ask(one, process, within: milliseconds, asking: &asked)
        if verdict == nil {
            process.kill()
            late = asked
        }
        return SourceAnswer(of: one.name, one.uid, verdict ?? .silent(asked))
    }
}

/// What the process says of a question, and which source it asks last; nil: it is too late, or it has ended.
private func ask(
    _ question: SourceQuestion, _ process: borrowing ChildProcess, within milliseconds: Int32,
    asking source: inout [UInt8]
) -> SourceAnswer.SourceVerdict? {
    let end = Instant.now.milliseconds + Int64(milliseconds)
    do throws(ErrorNumber) {
        try process.channel.send(unsafe question.packet.span.bytes, timeout: milliseconds)
    } catch {
        return nil
    }
    while true {
        let left = Int32(clamping: max(0, end - Instant.now.milliseconds))
        guard let packet = try? process.channel.receive(atMost: SourceReport.largest, timeout: left) else {
            return nil
        }
        switch SourceReport(decoding: packet.withBytes { bytes in bytes.copied() }) {
        case .asking(let next)?: source = next
        case .verdict(let verdict)?: return verdict
        case nil: return nil
        }
    }
}

// MARK: nsswitch.conf(5)

/// The services that a database is looked up in, in their order, each once; of several lines all. What has no line is
/// in files.
package func nameServices(of database: [UInt8], in text: [UInt8]) -> [[UInt8]] {
    var services: [[UInt8]] = []
    var hasLine = false
    for line in text.split(separator: 0x0a) {
        let content = line.prefix { byte in byte != UInt8(ascii: "#") }
        guard let colon = content.firstIndex(of: UInt8(ascii: ":")),
            database == content[..<colon].filter({ byte in !isBlank(byte) })
        else {
            continue
        }
        hasLine = true
        var isAction = false
        var service: [UInt8] = []
        for byte in content[(colon + 1)...] + [0x20] {
            if !isAction, !isBlank(byte), byte != UInt8(ascii: "[") {
                service.append(byte)
                continue
            }
            if !service.isEmpty, !services.contains(service) {
                services.append(service)
            }
            service = []
            isAction = isAction ? byte != UInt8(ascii: "]") : byte == UInt8(ascii: "[")
        }
    }
    return hasLine ? services : [("files" as StaticString).bytes]
}

private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

/// The first source of accounts that stands behind systemd's, from which ours come; nil: there is none.
package func sourceBehindOurs(in text: [UInt8]) -> [UInt8]? {
    let services = nameServices(of: ("passwd" as StaticString).bytes, in: text)
    return services.drop { service in !("systemd" as StaticString).equals(service) }.dropFirst().first { service in
        !("files" as StaticString).equals(service)
    }
}
