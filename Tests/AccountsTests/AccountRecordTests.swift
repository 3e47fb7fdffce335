import Accounts
import Base
import Configuration
import Testing

@testable import AccountFakes

@Suite struct AccountRecordTests {
    @Test(
        "names that are served",
        arguments: [
            ("ana", true), ("a", true), ("ana.lopez@example.com", true), ("a-b_c.9", true),
            (String(repeating: "a", count: 64), true),
            ("", false), ("Ana", false), ("aNA", false), ("1000", false), ("9a", false), (".ana", false),
            ("-ana", false), ("_ana", false),
            ("@ana", false), ("ana..lopez", false), ("..", false), ("a/b", false), ("ana ", false), ("a\u{0}", false),
            ("a\nb", false),
            ("ánna", false), ("a:b", false), ("a$", false), (String(repeating: "a", count: 65), false),
            (String(repeating: "a", count: 256), false),
        ])
    func names(name: String, isPossible: Bool) {
        #expect(AccountName.isPossible(bytes(name)) == isPossible)
    }

    @Test(
        "names that are a distribution's",
        arguments: ["sudo", "docker", "postgres", "root", "adm", "www-data", "plone", "ubuntu"])
    func distributions(name: String) {
        #expect(AccountName.isDistributions(bytes(name)))
        #expect(!AccountName.isDistributions(bytes(name + "x")))
        #expect(!AccountName.isDistributions(bytes(String(name.dropLast()) + "é")))
    }

    @Test(
        "groups that somebody may be put into",
        arguments: [
            ("sudo", true), ("Domain_Users", true), ("root", false), ("", false), ("0", false), ("a b", false),
            ("a,b", false),
        ])
    func groups(name: String, isPossible: Bool) {
        #expect(AccountName.isPossibleGroup(bytes(name)) == isPossible)
    }

    @Test("a record is read as it was written")
    func roundTrip() {
        var bare = person()
        (bare.realName, bare.groups, bare.keys) = ([], [], [])
        for state in AccountRecord.State.allCases {
            for source in AccountRecord.Source.allCases {
                for var record in [person(), bare, person("ana.lopez@example.com", uid: 2_147_483_647)] {
                    (record.state, record.source) = (state, source)
                    #expect(AccountRecord(file: record.file) == record)
                    for (changed, told) in [(1_700_000_000, 0), (1_700_000_000, 1_700_000_001)] as [(Int64, Int64)] {
                        (record.keysChanged, record.keysTold) = (changed, told)
                        #expect(AccountRecord(file: record.file) == record)
                    }
                }
            }
        }
    }

    @Test("a record of which any byte is another, more, or missing, is none")
    func damaged() {
        let file = person().file
        for position in file.indices {
            for byte in [file[position] ^ 1, 0x0a, 0x20, 0, 0xff] where byte != file[position] {
                var other = file
                other[position] = byte
                #expect(AccountRecord(file: other) == nil)
            }
            #expect(AccountRecord(file: Array(file[..<position])) == nil)
            #expect(AccountRecord(file: Array(file[..<position] + file[(position + 1)...])) == nil)
        }
        #expect(AccountRecord(file: file + bytes("key ssh-rsa AAAA\n")) == nil)
        #expect(AccountRecord(file: file + file) == nil)
        #expect(AccountRecord(file: file.filter { byte in byte != 0x0a }) == nil)
    }

    @Test("what is no record's is found by the field")
    func mistakes() {
        func changed(_ change: (inout AccountRecord) -> Void) -> String? {
            var record = person()
            change(&record)
            #expect(record.mistake == nil || AccountRecord(file: record.file) == nil)
            return record.mistake.map { field in "\(field)" }
        }
        #expect(changed { _ in } == nil)
        #expect(changed { record in record.name = bytes("Ana") } == "name")
        #expect(changed { record in record.subject = [] } == "sub")
        #expect(changed { record in record.pool = bytes("a b") } == "pool")
        #expect(changed { record in record.uid = 0 } == "uid")
        #expect(changed { record in record.uid = 999 } == "uid")
        #expect(changed { record in record.uid = 1 << 31 } == "uid")
        #expect(changed { record in record.realName = bytes("a:b") } == "real")
        #expect(changed { record in record.realName = bytes("a\nuid 0") } == "real")
        #expect(changed { record in record.realName = [0xc3] } == "real")
        #expect(changed { record in record.shell = bytes("bash") } == "shell")
        #expect(changed { record in record.home = bytes("/home/a:b") } == "home")
        #expect(changed { record in record.groups = [bytes("root")] } == "group")
        #expect(changed { record in record.groups = Array(repeating: bytes("a"), count: 65) } == "group")
        #expect(changed { record in record.keys = [bytes("command=\"sh\" ssh-rsa AAAA")] } == "key")
        #expect(changed { record in record.keys = [bytes("ssh-rsa AAAA\nssh-rsa BBBB")] } == "key")
        #expect(changed { record in record.keys = Array(repeating: bytes("ssh-rsa A"), count: 9) } == "key")
        #expect(changed { record in record.changed = -1 } == "changed")
        #expect(changed { record in record.keysChanged = -1 } == "keys_changed")
        #expect(changed { record in record.keysTold = -1 } == "keys_told")
    }

    @Test(
        """
        other ssh keys are news until their person has heard of it, for a day from the first sign-in; by a key for \
        a week
        """,
        arguments: [
            // Seconds since the change, since they were told first, and whether a sign-in and a key bring the news.
            (0, nil, true, true), (604_799, nil, true, true), (604_800, nil, true, false),
            (400_000_000, nil, true, false),
            (86_400, 86_399, true, true), (86_401, 86_400, false, false), (700_000, 86_399, true, false),
        ] as [(Int64, Int64?, Bool, Bool)])
    func keyChange(since: Int64, told: Int64?, bySignIn: Bool, byKey: Bool) {
        let now: Int64 = 1_800_000_000
        var record = person()
        #expect(!record.isKeyChangeNews(at: now, signingIn: true))
        record.keysChanged = now - since
        record.keysTold = told.map { ago in now - ago } ?? 0
        #expect(record.isKeyChangeNews(at: now, signingIn: true) == bySignIn)
        #expect(record.isKeyChangeNews(at: now, signingIn: false) == byKey)
        record.state = .locked
        #expect(!record.isKeyChangeNews(at: now, signingIn: true))
    }

    @Test("the largest record has room")
    func largest() {
        var record = person(String(repeating: "a", count: 64))
        record.subject = bytes(String(repeating: "s", count: 128))
        record.realName = bytes(String(repeating: "r", count: 256))
        record.shell = bytes("/" + String(repeating: "s", count: 254))
        record.home = bytes("/" + String(repeating: "h", count: 254))
        record.groups = Array(repeating: bytes(String(repeating: "g", count: 32)), count: AccountRecord.mostGroups)
        record.keys = Array(
            repeating: bytes("ssh-rsa " + String(repeating: "k", count: AccountRecord.longestKey - 8)),
            count: AccountRecord.mostKeys)
        #expect(record.mistake == nil)
        #expect(record.file.count <= AccountRecord.largest)
        #expect(AccountRecord(file: record.file) == record)
    }

    @Test("a user id is always the same, inside the range, and spread over it")
    func userIDs() throws {
        let pool = bytes("eu-west-1_AbCdEf123")
        // As printed by three lines of Python: these must never change.
        #expect(UserIDRange.default.userID(of: bytes("5c0a-1"), inPool: pool) == 69_260)
        let wide = try #require(UserIDRange(from: 1_879_048_192, to: 2_147_483_647))
        #expect(wide.userID(of: bytes("5c0a-1"), inPool: pool) == 1_908_056_563)
        let one = try #require(UserIDRange(from: 5000, to: 5000))
        #expect(one.userID(of: bytes("5c0a-1"), inPool: pool) == 5000)
        var quarters = [0, 0, 0, 0]
        for number in 0..<4000 {
            let uid = UserIDRange.default.userID(of: bytes("person\(number)"), inPool: pool)
            #expect(UserIDRange.default.contains(uid))
            quarters[Int((uid - 65_536) / 8616)] += 1
        }
        #expect(quarters.allSatisfy { count in (850...1150).contains(count) })
    }

    @Test(
        "subordinate ids are given where nobody has any, and no person",
        arguments: [
            ("", 1100), ("70000:1100:50\n", 1150), ("a:1100:50\nb:1160:5\n", 1150), ("a:1100:50\nb:1155:5", 1160),
            ("b:1155:5\na:1090:60\n\nbad\n:::\nc:x:1\nd:1100:0\ne:1:99999999999\n", 1160), ("a:1000:196\n", nil),
            ("a:1:4294967295\n", nil), ("a:1101:1\n", 1120), ("a:1100:41\n", 1141), ("b:4294967295:9\n", 1100),
        ] as [(String, UInt32?)])
    func subordinateIDs(text: String, first: UInt32?) throws {
        let people = try #require(UserIDRange(from: 1110, to: 1119))
        let ids = SubordinateIDs(parsing: Array(text.utf8))
        #expect(ids.room(for: 10, in: 1100...1200, besides: people) == first)
        #expect(ids.hasShare(of: 70_000) == text.hasPrefix("70000:") && !ids.hasShare(of: 0))
    }

    @Test("ranges with ids of the system's are none")
    func ranges() {
        #expect(UserIDRange(from: 999, to: 2000) == nil)
        #expect(UserIDRange(from: 2000, to: 1999) == nil)
        #expect(UserIDRange(from: 2000, to: 1 << 31) == nil)
        #expect(UserIDRange(from: 1000, to: 1000)?.contains(1000) == true)
    }
}
