import Accounts
import Base
import Configuration
import Glibc
import Testing

@testable import AccountFakes

/// A record with a fault, and how it is refused.
private struct Left: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let change: @Sendable (String) -> Void
    let fault: AccountFault?

    static let all = [
        Left(testDescription: "as it was", change: { _ in }, fault: nil),
        Left(testDescription: "somebody's", change: { path in chown(path, 5001, 0) }, fault: .file(.wrongOwner)),
        Left(
            testDescription: "writable by a group", change: { path in chmod(path, 0o664) },
            fault: .file(.writableByOthers)),
        Left(testDescription: "cut off", change: { path in truncate(path, 100) }, fault: .damaged),
        Left(testDescription: "empty", change: { path in truncate(path, 0) }, fault: .damaged),
        Left(testDescription: "huge", change: { path in truncate(path, 1 << 30) }, fault: .file(.tooLarge)),
        Left(
            testDescription: "edited",
            change: { path in
                let file = open(path, O_WRONLY)
                _ = pwrite(file, "x", 1, 25)
                close(file)
            }, fault: .damaged),
        Left(testDescription: "another's", change: { path in rename(path + "x", path) }, fault: .damaged),
        Left(
            testDescription: "a symbolic link",
            change: { path in
                rename(path, path + "y")
                symlink("anay", path)
            }, fault: .file(.notRegular)),
        Left(
            testDescription: "a FIFO",
            change: { path in
                unlink(path)
                mkfifo(path, 0o644)
            }, fault: .file(.notRegular)),
    ]
}

@Suite(.needsRoot) struct AccountStoreTests {
    private let folder = Folder()
    private let machine = Folder()
    private var rules: AccountRules { AccountRules(local: localNames(in: machine)) }

    /// Why something cannot be read; nil: it can.
    private func fault<Found>(_ body: () throws(AccountFault) -> Found) -> AccountFault? {
        do throws(AccountFault) {
            _ = try body()
            return nil
        } catch {
            return error
        }
    }

    @discardableResult
    private func enter(
        _ record: AccountRecord, by rules: AccountRules? = nil, at time: Int64 = 1
    ) throws(AccountRefusal) -> AccountChange {
        try AccountWriter(at: folder.path).enter(record, by: rules ?? self.rules, at: time)
    }

    @Test("who was entered is found by name and by user id, and nobody else")
    func lookUps() throws {
        #expect(try enter(person()) == .entered)
        #expect(try enter(person("eva", subject: "2", uid: 70_001)) == .entered)
        let store = try AccountStore(at: folder.path)
        #expect(try store.record(named: bytes("ana"))?.uid == 70_000)
        #expect(try store.record(uid: 70_001)?.name == bytes("eva"))
        #expect(try store.record(uid: 70_002) == nil)
        for name in ["ev", "evaa", "70000", ".lock", "..", "", "ana/../eva", "\u{0}"] {
            #expect(try store.record(named: bytes(name)) == nil)
        }
        let names = try store.names()
        var all: [[UInt8]] = []
        while let name = try names.next() {
            all.append(name)
        }
        #expect(Set(all) == [bytes("ana"), bytes("eva")])
        #expect(all.count == 2)
    }

    @Test("when an account's keys change is noted, and that its person was told, until they change again")
    func keyChanges() throws {
        func noted() throws -> [Int64] {
            let record = try AccountStore(at: folder.path).record(named: bytes("ana"))
            return record.map { record in [record.keysChanged, record.keysTold] } ?? []
        }
        var ana = person()
        try enter(ana, at: 1)
        #expect(try noted() == [0, 0])
        ana.realName = bytes("Ana L.")
        try enter(ana, at: 2)
        #expect(try noted() == [0, 0])
        ana.keys.append(bytes("ssh-ed25519 AAAAC4"))
        try enter(ana, at: 3)
        #expect(try noted() == [3, 0])
        try AccountWriter(at: folder.path).noteKeysTold(bytes("ana"), at: 4)
        #expect(try noted() == [3, 4])
        #expect(try enter(ana, at: 5) == .unchanged)
        try AccountWriter(at: folder.path).setGroups([], of: bytes("ana"), at: 6)
        #expect(try noted() == [3, 4])
        ana.keys = []
        try enter(ana, at: 7)
        #expect(try noted() == [7, 0])
        _ = try AccountWriter(at: folder.path).set(.forgotten, of: bytes("ana"), at: 8)
        ana.keys = [bytes("ssh-ed25519 AAAAC5")]
        try enter(ana, at: 9)
        #expect(try noted() == [0, 0])
    }

    @Test("all names are gone through, however many")
    func manyNames() throws {
        for number in 0..<2000 {
            folder.put("person\(number)", [])
        }
        let names = try AccountStore(at: folder.path).names()
        var all: Set<[UInt8]> = []
        while let name = try names.next() {
            all.insert(name)
        }
        #expect(all.count == 2000)
    }

    @Test("a record that is not as root has left it is none", arguments: Left.all)
    private func left(left: Left) throws {
        try enter(person("anax", subject: "2", uid: 70_001))
        try enter(person())
        left.change(folder.path + "/ana")
        let store = try AccountStore(at: folder.path)
        #expect(fault { () throws(AccountFault) in try store.record(named: bytes("ana")) } == left.fault)
        #expect(fault { () throws(AccountFault) in try store.record(uid: 70_000) } == left.fault)
        // Who would enter them anew does not go over it.
        let entering = refusal { try enter(person(subject: "other")) }
        let expected: AccountRefusal = left.fault.map { fault in .fault(fault) } ?? .otherPerson(person())
        #expect(entering == expected)
    }

    @Test("a folder that others can write to, or no folder, is no store")
    func folders() throws {
        func opening(_ path: String) -> AccountFault? {
            fault { () throws(AccountFault) in _ = try AccountStore(at: path) }
        }
        #expect(opening(folder.path) == nil)
        #expect(opening(folder.path + "/none") == .directory(.noSuchFileOrDirectory))
        folder.put("file", [])
        #expect(opening(folder.path + "/file") == .directory(.notPermitted))
        symlink(folder.path, machine.path + "/link")
        #expect(opening(machine.path + "/link") == .directory(.notPermitted))
        chmod(folder.path, 0o775)
        #expect(opening(folder.path) == .directory(.notPermitted))
        chmod(folder.path, 0o755)
        chown(folder.path, 5001, 0)
        #expect(opening(folder.path) == .directory(.notPermitted))
    }

    @Test("an account keeps its user id, and is written only when something has changed")
    func changes() throws {
        try enter(person(), at: 10)
        #expect(try enter(person(), at: 20) == .unchanged)
        var other = person(uid: 80_000)
        other.groups = []
        guard case .replaced(let before) = try enter(other, at: 30) else {
            Issue.record("it was not replaced")
            return
        }
        #expect(before.groups == person().groups && before.changed == 10)
        let record = try #require(try AccountStore(at: folder.path).record(named: bytes("ana")))
        #expect(record.uid == 70_000 && record.groups.isEmpty && record.changed == 30)
        #expect(try AccountStore(at: folder.path).holder(of: 80_000) == nil)
        #expect(folder.names == [".lock", "70000", "ana"])
    }

    @Test("of a million people as many collide as chance has it, and the second one is refused and both are named")
    func million() throws {
        let range = try #require(UserIDRange(from: 1_879_048_192, to: 2_147_483_647))
        let rules = AccountRules(range: range, local: localNames(in: machine))
        let pool = bytes("eu-west-1_AbCdEf123")
        var holders: [UInt32: Int] = [:]
        holders.reserveCapacity(1 << 20)
        var pairs: [(first: Int, second: Int, uid: UInt32)] = []
        for number in 0..<1_000_000 {
            let uid = range.userID(of: Array("\(number)-sub".utf8), inPool: pool)
            if let first = holders.updateValue(number, forKey: uid) {
                pairs.append((first, number, uid))
            }
        }
        // n^2 / 2m is 1863, with a deviation of 43.
        #expect((1650...2080).contains(pairs.count) && holders.keys.allSatisfy(range.contains))
        func one(_ number: Int, _ uid: UInt32) -> AccountRecord {
            person("p\(number)", subject: "\(number)-sub", uid: uid)
        }
        for pair in pairs.prefix(20) {
            try enter(one(pair.first, pair.uid), by: rules)
            #expect(
                refusal { try enter(one(pair.second, pair.uid), by: rules) }
                    == .taken(pair.uid, by: bytes("p\(pair.first)")))
            // A claim that is their own is all that it takes.
            try enter(one(pair.second, range.lowest + UInt32(pair.second)), by: rules)
        }
    }

    @Test("a name is another person's only after the first one was forgotten, and the user id never")
    func forgotten() throws {
        try enter(person())
        let anew = person(subject: "6-other", uid: 70_001)
        #expect(refusal { try enter(anew) } == .otherPerson(try #require(try stored("ana"))))
        _ = try AccountWriter(at: folder.path).set(.forgotten, of: bytes("ana"), at: 5)
        #expect(try stored("ana")?.state == .forgotten)
        #expect(try stored("ana")?.currentKeys == [])
        #expect(
            refusal { try enter(person(subject: "6-other")) }
                == .taken(70_000, by: bytes("ana")))
        #expect(try enter(anew) != .unchanged)
        #expect(try stored("ana")?.uid == 70_001)
        #expect(try AccountStore(at: folder.path).record(uid: 70_000) == nil)
        #expect(
            refusal { try enter(person("eva", subject: "7")) }
                == .taken(70_000, by: bytes("ana")))
        #expect(try stored("eva") == nil)
        // The same person comes back to the same user id.
        _ = try AccountWriter(at: folder.path).set(.forgotten, of: bytes("ana"), at: 6)
        #expect(try enter(person(subject: "6-other", uid: 90_000)) != .unchanged)
        #expect(try stored("ana")?.uid == 70_001)
        #expect(try stored("ana")?.state == .enabled)
    }

    @Test(
        "what this machine's files give to a name goes to nobody else of that name",
        arguments: [
            ("video:x:44:ana\n", "", true), ("video:x:44:leo,ana,eva\n", "", true), ("video:x:44:leo,ana", "", true),
            ("", "leo:1:1\nana:100000:65536\n", true),
            ("anab:x:44:an,anab,bana,,\nother:x:45\nana", "70000:100000:65536\nanab:1:1\n", false),
        ])
    func grants(group: String, subordinate: String, isGiven: Bool) throws {
        try enter(person())
        _ = try AccountWriter(at: folder.path).set(.forgotten, of: bytes("ana"), at: 5)
        let local = localNames(in: machine, group: group, subordinate: subordinate)
        let files = isGiven ? [bytes("\(machine.path)/\(subordinate.isEmpty ? "group" : "subuid")")] : []
        #expect(try local.grants(to: bytes("ana")) == files)
        let given = AccountRules(local: local)
        let anew = person(subject: "6-other", uid: 70_001)
        #expect(refusal { try enter(anew, by: given) } == (isGiven ? .granted(in: files) : nil))
        if isGiven {
            // Whose it is, gets it back; and who is a user here already has it.
            try enter(person(), by: given)
            _ = try AccountWriter(at: folder.path).set(.forgotten, of: bytes("ana"), at: 6)
            try enter(anew, by: AccountRules(local: local, replacingLocalUser: true))
        }
    }

    private func stored(_ name: String) throws -> AccountRecord? {
        try AccountStore(at: folder.path).record(named: bytes(name))
    }

    @Test("whom root has barred, nobody but root lets in again")
    func barred() throws {
        try enter(person())
        _ = try AccountWriter(at: folder.path).set(.barred, of: bytes("ana"), at: 5)
        try enter(person(), at: 6)
        let record = try #require(try stored("ana"))
        #expect(record.state == .barred && record.currentGroups.isEmpty && record.currentKeys.isEmpty)
        _ = try AccountWriter(at: folder.path).set(.enabled, of: bytes("ana"), at: 7)
        #expect(try stored("ana")?.currentGroups.count == 2)
        #expect(
            refusal {
                _ = try AccountWriter(at: folder.path).set(.locked, of: bytes("nobody-here"), at: 7)
            } == .unknown)
    }

    @Test("somebody is put into other groups, and is in them while the account is open")
    func groups() throws {
        try enter(person())
        try AccountWriter(at: folder.path).setGroups([bytes("sudo")], of: bytes("ana"), at: 5)
        let record = try #require(try stored("ana"))
        #expect(record.groups == [bytes("sudo")] && record.uid == person().uid && record.changed == 5)
        #expect(
            refusal {
                try AccountWriter(at: folder.path).setGroups([bytes("no group")], of: bytes("ana"), at: 6)
            } == .mistake("group"))
        _ = try AccountWriter(at: folder.path).set(.forgotten, of: bytes("ana"), at: 7)
        #expect(
            refusal {
                try AccountWriter(at: folder.path).setGroups([bytes("sudo")], of: bytes("ana"), at: 8)
            } == .unknown)
        #expect(try stored("ana")?.groups == [])
    }

    @Test("this machine's users and groups win, by name and by number")
    func local() throws {
        let local = localNames(
            in: machine, passwd: "eva:x:1001:1001::/home/eva:/bin/sh\nleo:x:70005:1::/:/bin/sh",
            group: "dev:x:1002:eva,ana\nlab:x:70006:\nwheelie:x:0:")
        let rules = AccountRules(groups: [bytes("mapped")], local: local)
        let cases: [(AccountRecord, AccountRefusal?)] = [
            (person(), nil),
            (person("eva", subject: "e"), .local(.user, 70_000)),
            (person("dev", subject: "e"), .local(.group, 70_000)),
            (person("max", subject: "e", uid: 70_005), .local(.userID(of: bytes("leo")), 70_005)),
            (person("max", subject: "e", uid: 70_006), .local(.groupID(of: bytes("lab")), 70_006)),
            (person("docker", subject: "e"), .distributions),
            (person("mapped", subject: "e"), .configuredGroup),
            (person("max", subject: "e", uid: 100_000), .outOfRange(100_000)),
            (person("max", subject: "e", uid: 0), .mistake("uid")),
            (person("Max", subject: "e"), .mistake("name")),
        ]
        for (record, expected) in cases {
            #expect(rules.objection(to: record) == expected)
            #expect(refusal { try enter(record, by: rules) } == expected)
        }
        #expect(folder.names == [".lock", "70000", "ana"])
        var adopted = person("max", subject: "e", uid: 1005)
        adopted.source = .adopted
        #expect(rules.objection(to: adopted) == nil)
        #expect(try local.isRootsGroup(bytes("wheelie")))
        #expect(try local.isRootsGroup(bytes("root")))
        #expect(try !local.isRootsGroup(bytes("dev")))
        #expect(try !local.isRootsGroup(bytes("nothing")))
        let missing = AccountRules(local: LocalNames(passwd: "/nonexistent/passwd"))
        #expect(missing.objection(to: person()) == .unreadable(.noSuchFileOrDirectory))
    }

    @Test("a damaged record is removed by root alone, and its user id stays with the name")
    func removal() throws {
        try enter(person())
        truncate(folder.path + "/ana", 10)
        try AccountWriter(at: folder.path).removeDamaged(bytes("ana"))
        #expect(try stored("ana") == nil)
        #expect(
            refusal { try enter(person("eva", subject: "2")) }
                == .taken(70_000, by: bytes("ana")))
        #expect(try enter(person()) == .entered)
        #expect(
            refusal {
                try AccountWriter(at: folder.path).removeDamaged(bytes("../passwd"))
            } == .unknown)
    }

    @Test("one writes at a time")
    func writers() throws {
        let first = try AccountWriter(at: folder.path)
        #expect(refusal { _ = try AccountWriter(at: folder.path, within: 0) } == .busy)
        _ = try first.enter(person(), by: rules, at: 1)
    }

    @Test("each reason is one line with the name in it")
    func reasons() {
        let faults: [AccountFault] = [
            .directory(.noSuchFileOrDirectory), .directory(.notPermitted), .directory(.ioError), .file(.notRegular),
            .file(.wrongOwner),
            .file(.writableByOthers), .file(.tooLarge), .damaged,
        ]
        let refusals: [AccountRefusal] =
            [
                .mistake("uid"), .distributions, .configuredGroup, .local(.user, 1), .local(.group, 1),
                .local(.userID(of: bytes("leo")), 1), .local(.groupID(of: bytes("leo")), 1), .outOfRange(1),
                .otherPerson(person()),
                .elsewhere(KnownElsewhere(source: bytes("ldap"), .user, uid: 1), 1),
                .elsewhere(KnownElsewhere(source: bytes("ldap"), .group, uid: 0), 1),
                .elsewhere(KnownElsewhere(source: bytes("ldap"), .userID(of: bytes("leo")), uid: 0), 1),
                .elsewhere(KnownElsewhere(source: bytes("ldap"), .groupID(of: bytes("leo")), uid: 0), 1),
                .silent(bytes("ldap")), .silent([]), .subordinate(1, of: bytes("leo"), in: bytes("/etc/subuid")),
                .granted(in: [bytes("/etc/group")]), .taken(1, by: bytes("leo")), .unknown, .busy,
                .unreadable(.ioError), .notWritten(.ioError),
            ] + faults.map(AccountRefusal.fault)
        var all: Set<String> = []
        for refusal in refusals {
            let line = String(decoding: refusal.reason(for: bytes("eva")).bytes, as: UTF8.self)
            #expect(!line.contains("\n") && line.count > 30)
            #expect(
                line.contains("eva")
                    || line.contains(
                        """
                        not trusted: the directory must belong
                        """)
                    || line.contains("cannot be read"))
            all.insert(line)
        }
        #expect(all.count == refusals.count)
    }
}

/// What a name gets whose person comes in for the first time, and why not.
@Suite(.needsRoot) struct NewcomerTests {
    private let folder = Folder()
    private let machine = Folder()
    private let settings: Settings

    init() throws {
        settings = try Settings(
            parsing: bytes(
                """
                user_pool_id = a_b
                client_id = c
                allowed_groups = *
                accounts = sign-in
                account_names = *@example.com ?im sudo leo
                account_uids = 70000-70999
                """))
    }

    private var rules: AccountRules {
        AccountRules(
            settings,
            local: localNames(in: machine, passwd: "leo:x:1001:1001::/:/bin/sh\n", group: "wheelie:x:0:\n"))
    }

    private func newcomer(_ name: String) throws -> AccountRecord? {
        try AccountStore(at: folder.path).newcomer(named: bytes(name), settings, by: rules)
    }

    private func refusal(_ name: String) -> String {
        do {
            return "\(try newcomer(name) == nil ? "none" : "an account")"
        } catch {
            return ((error as? AccountRefusal)?.reason(for: bytes(name))).map { text in
                String(decoding: text.bytes, as: UTF8.self)
            } ?? "\(error)"
        }
    }

    @Test("a name that fits gets the same user id whenever it is asked for, and leaves nothing behind")
    func names() throws {
        _ = try AccountWriter(at: folder.path)
        let before = folder.names
        for name in ["ana@example.com", "tim"] {
            let first = try #require(try newcomer(name))
            #expect(first == (try newcomer(name)))
            #expect(first.uid == settings.accountUIDs.userID(of: bytes(name), inPool: bytes("a_b")))
        }
        for name in ["ana@example.org", "time", "im", "Tim", "@example.com", "a b@example.com", "", "a..b@example.com"]
        {
            #expect(try newcomer(name) == nil, "\(name)")
        }
        #expect(refusal("sudo").contains("distributions") && refusal("leo").contains("/etc/passwd"))
        #expect(folder.names == before)
    }

    @Test("a user id that is somebody else's is a refusal that names both; a name's next person gets another one")
    func taken() throws {
        let uid = settings.accountUIDs.userID(of: bytes("tim"), inPool: bytes("a_b"))
        let writer = try AccountWriter(at: folder.path)
        _ = try writer.enter(person("eva", subject: "2", uid: uid), by: rules, at: 1)
        #expect(refusal("tim").contains("is reserved for 'eva'"))
        let first = try #require(try newcomer("jim"))
        var entered = first
        entered.subject = bytes("3")
        _ = try writer.enter(entered, by: rules, at: 1)
        #expect(try newcomer("jim") == nil)
        _ = try writer.set(.forgotten, of: bytes("jim"), at: 2)
        let second = try #require(try newcomer("jim"))
        #expect(second.uid != first.uid)
    }

    @Test("an account that was being made when its machine went off gets its user id all the same")
    func interrupted() throws {
        let first = try #require(try newcomer("tim"))
        _ = try AccountWriter(at: folder.path)
        symlink("tim", "\(folder.path)/\(first.uid)")
        #expect(try newcomer("tim") == first)
    }
}
