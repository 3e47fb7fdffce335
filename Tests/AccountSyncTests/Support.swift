import Accounts
import Agent
import Base
import Configuration
import Glibc
import Protocol
import Testing

@testable import AccountFakes
@testable import Fakes
@testable import Sessions

/// A user in the pool.
struct Person: Sendable {
    var name: String
    var subject: String
    var isEnabled: Bool
    var createdAt: Int64
    var address: String?
    var realName: String?
    var keys: String?
    var uid: String?

    init(
        _ name: String, _ subject: String? = nil, isEnabled: Bool = true, createdAt: Int64 = 1_700_000_000,
        address: String? = nil, realName: String? = nil, keys: String? = nil, uid: String? = nil
    ) {
        self.name = name
        self.subject = subject ?? "sub-\(name.prefix(20))"
        self.isEnabled = isEnabled
        self.createdAt = createdAt
        self.address = address
        self.realName = realName
        self.keys = keys
        self.uid = uid
    }

    /// As the worker tells of them.
    var act: Act {
        let optional: [(Field, String?)] = [
            (.emailAddress, address), (.realName, realName), (.publicKeys, keys), (.uidClaim, uid),
        ]
        return .send(
            packet(
                .person,
                [
                    (.userName, Array(name.utf8)), (.subject, Array(subject.utf8)), (.isEnabled, [isEnabled ? 1 : 0]),
                    (.createdAt, Fakes.bytes(createdAt)),
                ] + optional.compactMap { field, value in value.map { value in (field, Array(value.utf8)) } }))
    }
}

extension [Act] {
    /// A whole group.
    static func group(_ people: [Person]) -> [Act] {
        people.map(\.act) + [.send(packet(.listed, []))]
    }

    /// A page, with another behind it.
    static func page(_ people: [Person], next: String) -> [Act] {
        people.map(\.act) + [.send(packet(.page, [(.nextToken, [UInt8](next.utf8))]))]
    }
}

/// A machine's processes of people.
final class FakeControl: AccountControl {
    var running: Set<UInt32> = []
    var lingering: Set<String> = []
    var isStubborn = false
    private(set) var ended: [UInt32] = []

    /// The groups that processes are in, and those of a new login.
    var groups: [UInt32: Set<UInt32>] = [:]
    var logins: [String: Set<UInt32>] = [:]

    func processGroups(from lowest: UInt32, to highest: UInt32) -> [UInt32: Set<UInt32>] {
        let some = running.filter { uid in lowest <= uid && uid <= highest }
        return Dictionary(uniqueKeysWithValues: some.map { uid in (uid, groups[uid] ?? []) })
    }

    func groupID(of name: [UInt8]) -> UInt32? {
        ["sudo": 27, "docker": 998, "www-data": 33][text(name)]
    }

    func loginGroups(of name: [UInt8], uid: UInt32) -> Set<UInt32> {
        logins[text(name), default: []].union([uid])
    }

    func endProcesses(of uid: UInt32) -> Bool {
        ended.append(uid)
        if !isStubborn {
            running.remove(uid)
        }
        return !isStubborn
    }

    func forbidLinger(of name: [UInt8]) -> Bool {
        lingering.remove(text(name)) != nil
    }
}

/// A machine whose accounts come from a directory.
final class World {
    static let pool = "eu-west-1_AbCdEf123"
    let machine = FakeMachine()
    let control = FakeControl()
    private let place = Folder()
    var folder: String { place.path }
    private(set) var lines: [String] = []
    var group = "root:x:0:\nsudo:x:27:\ndocker:x:998:\nwww-data:x:33:\ntoor:x:0:\n"
    var passwd = "root:x:0:0:root:/root:/bin/bash\n"

    @discardableResult
    func put(_ name: String, _ content: String) -> String {
        place.put(name, Array(content.utf8))
    }

    func put(_ files: [String: String]) {
        for (name, content) in files {
            put(name, content)
        }
    }

    func content(_ name: String) -> String? {
        let descriptor = open("\(folder)/\(name)", O_RDONLY)
        guard descriptor >= 0 else {
            return nil
        }
        defer { close(descriptor) }
        return (try? readRest(descriptor)).map(text)
    }

    /// What comes of the users in the folder's files, while the directory has these people.
    func adopt(_ people: [Person], _ options: String, _ names: [String], applying: Bool) throws -> Bool {
        machine.scripts = [.group(people)] + (options.contains("group_map") ? [.group([])] : [])
        lines = []
        return AccountAdoption(
            machine: machine, settings: try settings(options), files: folder, store: "\(folder)/store"
        ).run(of: names.map { name in Array(name.utf8) }, applying: applying) { line, _ in
            lines.append(text(line.bytes))
        }
    }

    private func settings(_ options: String) throws -> Settings {
        try Settings(
            parsing: Array(
                """
                user_pool_id = \(Self.pool)
                client_id = 1example23456789
                unix_group = people
                \(options.contains("accounts =") ? "" : "accounts = directory")
                iam_credentials_file = /etc/security/keys
                \(options.contains("allowed_groups") ? "" : "allowed_groups = staff")
                \(options)

                """.utf8))
    }

    /// Gives subordinate ids; returns whether every user with a session has some then.
    func giveSubordinateIDs(_ options: String) throws -> Bool {
        lines = []
        return AccountSync(
            machine: machine, control: control, settings: try settings(options), store: "\(folder)/store", files: folder
        ).giveSubordinateIDs { line, _ in lines.append(text(line.bytes)) }
    }

    private func accountSync(_ options: String) throws -> AccountSync<FakeMachine, FakeControl> {
        let local = LocalNames(passwd: put("passwd", passwd), group: put("group", group), subordinate: [])
        return AccountSync(
            machine: machine, control: control, settings: try settings(options), local: local, store: "\(folder)/store")
    }

    /// A run in which only sign-ins say which groups the users are in; returns whether it finished everything.
    func endLostGroups(_ options: String) throws -> Bool {
        lines = []
        return try accountSync(options).endLostGroups { line, _ in lines.append(text(line.bytes)) }
    }

    /// A round in which workers tell these, one after another; whether nothing was left undone.
    @discardableResult
    func sync(
        _ workers: [[Act]], _ options: String = "", removing allowed: Int? = nil, dryRun: Bool = false
    ) throws -> Bool {
        machine.scripts = workers
        lines = []
        return try accountSync(options).run(removing: allowed, dryRun: dryRun) { line, _ in
            lines.append(text(line.bytes))
        }
    }

    var records: [AccountRecord] {
        guard let store = try? AccountStore(at: "\(folder)/store"), let names = try? store.names() else {
            return []
        }
        var found: [AccountRecord] = []
        while let name = try? names.next() {
            if let record = try? store.record(named: name) {
                found.append(record)
            }
        }
        return found.sorted { left, right in text(left.name) < text(right.name) }
    }

    /// What there is, in short.
    var accounts: [String] {
        records.map { record in
            ([text(record.name), "\(record.state.word)"] + record.groups.map(text)).joined(separator: " ")
        }
    }

    func record(_ name: String) -> AccountRecord? {
        records.first { record in record.name == Array(name.utf8) }
    }

    func uid(of subject: String) -> UInt32 {
        UserIDRange.default.userID(of: Array(subject.utf8), inPool: Array(Self.pool.utf8))
    }

    func said(_ text: String) -> Bool { lines.contains { line in line.contains(text) } }
}
