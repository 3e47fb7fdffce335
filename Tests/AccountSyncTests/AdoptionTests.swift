import Accounts
import Agent
import Configuration
import Glibc
import Testing

@testable import AccountFakes
@testable import Fakes
@testable import Sessions

private let alice = "alice:x:1001:1001:Alice Lopez,room 1,,:/srv/alice:/bin/zsh"
private let bob = "bob:x:1002:1002::/home/bob:"
private let own = "alice:x:1001:\nbob:x:1002:\nsudo:x:27:root,alice\n"

/// Users of passwd(5), and what comes of them.
private struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var users = [alice]
    var groups = own
    var people = [Person("alice")]
    var names: [String] = []
    var options = ""
    var adopted: [String] = []
    let said: String
    var isDone = true

    static let all = [
        Case(
            testDescription: "a user", people: [Person("alice", realName: "Alicia")], adopted: ["alice"],
            said: """
                user adopted; user='alice' uid=1001 sub='sub-alice' name='Alice Lopez' pool_name='Alicia' groups=sudo: \
                the user's lines in
                """),
        Case(
            testDescription: "users, and people who are none", users: [bob, "eve:x:1003:1003::/:/bin/sh", alice],
            people: [Person("alice"), Person("bob"), Person("kim")], adopted: ["alice", "bob"],
            said: "users adopted; people=3 adopted=2 left=0"),
        Case(
            testDescription: "one of two", users: [alice, bob], people: [Person("alice"), Person("bob")],
            names: ["bob"], adopted: ["bob"], said: "adopted=1 left=0"),
        Case(
            testDescription: "nobody of the directory", names: ["root"],
            said: "user='root': the pool's directory lists no admitted user",
            isDone: false),
        Case(
            testDescription: "somebody who is disabled", people: [Person("alice", isEnabled: false)],
            said: "people=0 adopted=0 left=0"),
        Case(
            testDescription: "a person who is no user", users: [], names: ["alice"], said: "the user is not in",
            isDone: false),
        Case(
            testDescription: "another group", users: ["alice:x:1001:100::/home/alice:/bin/sh"],
            said: "groupadd -g 1001 alice, then usermod -g alice alice", isDone: false),
        Case(
            testDescription: "one number for two", users: [alice, "toor:x:1001:1001::/:/bin/sh"],
            said: "shares the user id 1001 with 'toor'", isDone: false),
        Case(
            testDescription: "another's group of that number", groups: "alice:x:1001:\nwheel:x:1001:\n",
            said: "which belongs to the group 'wheel'", isDone: false),
        Case(
            testDescription: "a group of their own with others in it", groups: "alice:x:1001:bob,alice\n",
            said: "gpasswd -d 'bob' alice", isDone: false),
        Case(
            testDescription: "a number of the system's", users: ["alice:x:999:999::/:/bin/sh"],
            said: "the 'uid' field of the account 'alice'", isDone: false),
        Case(
            testDescription: "root's number", users: ["alice:x:0:0::/:/bin/sh"],
            said: "shares the user id 0 with 'root'", isDone: false),
        Case(
            testDescription: "two lines", users: [alice, alice], said: "does not have exactly one line", isDone: false),
        Case(
            testDescription: "a line cut off", users: ["alice:x:1001"],
            said: """
                does not have exactly one line
                """, isDone: false),
        Case(
            testDescription: "a claim with another number", people: [Person("alice", uid: "70001")],
            options: "account_uid_claim = custom:uid",
            said: """
                has the user id 1001 on this machine, but not in the pool
                """,
            isDone: false),
        Case(
            testDescription: "a claim with the same number", people: [Person("alice", uid: "1001")],
            options: "account_uid_claim = custom:uid", adopted: ["alice"], said: "adopted=1"),
        Case(
            testDescription: "two of one name", users: [alice],
            people: [
                Person("2", createdAt: 1_700_000_001, address: "alice@example.com"),
                Person("1", address: "alice@example.com"),
            ], options: "username_template = {user}@example.com", adopted: ["alice"], said: "sub='sub-1'"),
        Case(
            testDescription: "a group of the configuration", options: "group_map = linux-admins:alice",
            said: "'alice' is the name of a group in unix_group or group_map", isDone: false),
    ]
}

@Suite(.needsRoot) struct AdoptionTests {
    /// What the four files are before.
    private static func files(_ one: Case) -> [String: String] {
        let shadow = one.users.map { user in "\(user.prefix { letter in letter != ":" }):$y$secret:19000:0:99999:7:::\n"
        }
        return [
            "passwd": "root:x:0:0:root:/root:/bin/bash\n" + one.users.map { user in user + "\n" }.joined(),
            "group": "root:x:0:\n" + one.groups,
            "shadow": "root:*:19000:0:99999:7:::\n" + shadow.joined(),
            "gshadow": "root:*::\nalice:!::\nbob:!::\nsudo:*::alice\n",
        ]
    }

    @Test("users become accounts with the numbers that they have, or stay, and why", arguments: Case.all)
    private func adoption(one: Case) throws {
        let world = World()
        var files = Self.files(one)
        world.put(files)
        #expect(try world.adopt(one.people, one.options, one.names, applying: false) == one.isDone)
        #expect(world.records.isEmpty && world.lines.last?.contains("Nothing was changed") == true)
        for (name, text) in files {
            #expect(world.content(name) == text && world.content(name + "-") == nil)
        }
        #expect(try world.adopt(one.people, one.options, one.names, applying: true) == one.isDone)
        #expect(world.said(one.said), "\(world.lines)")
        #expect(world.accounts == one.adopted.map { name in "\(name) enabled" })
        for name in one.adopted {
            for (file, text) in files {
                files[file] = text.split(separator: "\n").filter { line in !line.hasPrefix(name + ":") }.map { line in
                    line + "\n"
                }.joined()
            }
        }
        for (name, text) in files {
            #expect(world.content(name) == text, "\(name)")
        }
    }

    @Test("the account is what the user was, and the directory's next round leaves it so")
    func sameAsBefore() throws {
        let world = World()
        let one = Case(testDescription: "", said: "")
        world.put(Self.files(one))
        chmod("\(world.folder)/shadow", 0o640)
        #expect(try world.adopt([Person("alice")], "", [], applying: true))
        for (name, text) in Self.files(one) {
            #expect(world.content(name + "-") == text)
        }
        var status = stat()
        #expect(stat("\(world.folder)/shadow", &status) == 0 && status.st_mode & 0o7777 == 0o640)
        #expect(stat("\(world.folder)/shadow-", &status) == 0 && status.st_mode & 0o7777 == 0o640)
        let record = try #require(world.record("alice"))
        #expect(record.uid == 1001 && text(record.home) == "/srv/alice" && text(record.shell) == "/bin/zsh")
        #expect(text(record.realName) == "Alice Lopez" && record.source == .adopted)
        world.passwd = world.content("passwd") ?? ""
        world.group = world.content("group") ?? ""
        #expect(try world.sync([.group([Person("alice")])]))
        #expect(world.record("alice")?.uid == 1001 && world.record("alice")?.source == .adopted)
        #expect(try world.adopt([Person("alice")], "", [], applying: true) && world.said("adopted=0 left=0"))
    }

    @Test("an account that was forgotten comes back with the user id of the files, not with the one it had")
    func forgotten() throws {
        let world = World()
        try world.sync([.group([Person("alice")])])
        let before = try #require(world.record("alice")).uid
        world.put(Self.files(Case(testDescription: "", said: "")))
        #expect(
            try !world.adopt([Person("alice")], "", [], applying: true)
                && world.said("run 'cognito-session accounts --forget alice'"))
        _ = try AccountWriter(at: "\(world.folder)/store").set(.forgotten, of: Array("alice".utf8), at: 1)
        #expect(try world.adopt([Person("alice")], "", [], applying: true))
        #expect(world.record("alice")?.uid == 1001 && world.accounts == ["alice enabled"])
        #expect(try AccountStore(at: "\(world.folder)/store").holder(of: before) == Array("alice".utf8))
    }

    @Test(
        "a run that could not write one of the files leaves a user, whom the next run adopts",
        arguments: ["shadow", "gshadow", "group", "passwd"])
    func brokenOff(at file: String) throws {
        let world = World()
        world.put(Self.files(Case(testDescription: "", said: "")))
        let obstacle = "\(world.folder)/\(file)-"
        mkdir(obstacle, 0o755)
        #expect(try !world.adopt([Person("alice")], "", [], applying: true))
        #expect(world.said("not adopted; user='alice'") && world.content("passwd")?.contains("alice:") == true)
        rmdir(obstacle)
        #expect(try world.adopt([Person("alice")], "", [], applying: true) && world.said("adopted=1 left=0"))
        for name in ["passwd", "shadow", "group", "gshadow"] {
            #expect(world.content(name)?.contains("\nalice:") == false, "\(name)")
        }
    }

    @Test("what cannot be written leaves everybody who they were", arguments: ["store", "link", "writable", "other"])
    func unwritable(how: String) throws {
        let world = World()
        let files = Self.files(Case(testDescription: "", said: ""))
        world.put(files)
        switch how {
        case "store": world.put("store", "no directory\n")
        case "link":
            rename("\(world.folder)/passwd", "\(world.folder)/else")
            symlink("else", "\(world.folder)/passwd")
        case "writable": chmod("\(world.folder)/group", 0o666)
        default:
            world.passwd = ""
            try world.sync([.group([Person("alice", "another")])])
            world.put(files)
        }
        #expect(try !world.adopt([Person("alice")], "", [], applying: true), "\(world.lines)")
        for (name, text) in files {
            #expect(world.content(name) == text, "\(name)")
        }
    }
}
