import Accounts
import Base
import Glibc
import Protocol
import Sessions
import Testing

@testable import AccountFakes
@testable import Fakes

private let key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ83bGGjSTLGN1zBXTJsYwXrsTNVBfJmMrk1Rdh1o0Yd"
private let map = "group_map = linux-admins:sudo linux-dev:docker,www-data"

/// One round after the other, and what there is in the end.
private struct Case: CustomTestStringConvertible, Sendable {
    struct Round: Sendable {
        var staff: [Person]
        /// Those of linux-admins and linux-dev, where there is a group_map; of guests, where they are denied.
        var admins: [Person] = []
        var developers: [Person] = []
        var removing: Int?
        var isDone = true
    }

    let testDescription: String
    var options = ""
    let rounds: [Round]
    let accounts: [String]
    var said: [String] = []
    /// Whose processes were ended.
    var ended: [String] = []

    static let ana = Person("ana")
    static let bob = Person("bob")
    static let crowd = (0..<40).map { number in Person("p\(number)") }

    static func crowd(without count: Int) -> [String] {
        (0..<40).map { number in "p\(number) \(number < count ? "locked" : "enabled")" }.sorted()
    }

    static let all = changes + removals + groups + names
}

extension Case {
    static let changes = [
        Case(
            testDescription: "new people", rounds: [Round(staff: [ana, bob])],
            accounts: ["ana enabled", "bob enabled"], said: ["account entered; user='ana'", "entered=2 changed=0"]),
        Case(
            testDescription: "nothing new", rounds: [Round(staff: [ana]), Round(staff: [ana])],
            accounts: ["ana enabled"], said: ["entered=0 changed=0 locked=0"]),
        Case(
            testDescription: "somebody is taken out", rounds: [Round(staff: [ana, bob]), Round(staff: [bob])],
            accounts: ["ana locked", "bob enabled"], said: ["account locked; user='ana'"], ended: ["ana"]),
        Case(
            testDescription: "somebody is disabled",
            rounds: [Round(staff: [ana, bob]), Round(staff: [Person("ana", isEnabled: false), bob])],
            accounts: ["ana locked", "bob enabled"], ended: ["ana"]),
        Case(
            testDescription: "somebody comes back",
            rounds: [Round(staff: [ana, bob]), Round(staff: [bob]), Round(staff: [ana, bob])],
            accounts: ["ana enabled", "bob enabled"], said: ["account opened again; user='ana'"], ended: ["ana"]),
        Case(
            testDescription: "somebody is denied", options: "denied_groups = guests",
            rounds: [Round(staff: [ana, bob], admins: [ana])], accounts: ["bob enabled"]),
        Case(
            testDescription: "somebody registered anew under an old name",
            rounds: [Round(staff: [ana, bob]), Round(staff: [Person("ana", "another"), bob])],
            accounts: ["ana locked", "bob enabled"], said: ["the account 'ana' belongs to another user"],
            ended: ["ana"]),
        Case(
            testDescription: "keys", options: "account_ssh_key_attribute = custom:sshPublicKey",
            rounds: [
                Round(staff: [Person("ana", keys: key)]),
                Round(staff: [Person("ana", keys: "\(key) a@b\ncommand=\"x\" \(key)\n\(key)")]),
                Round(staff: [ana]),
            ],
            accounts: ["ana enabled"], said: ["ssh keys changed; user='ana'", "before=1 now=0"]),
    ]

    static let removals = [
        Case(
            testDescription: "the last one goes", rounds: [Round(staff: [ana]), Round(staff: [])],
            accounts: ["ana locked"], ended: ["ana"]),
        Case(
            testDescription: "everybody goes, few as they are",
            rounds: [Round(staff: [ana, bob]), Round(staff: [], isDone: false)],
            accounts: ["ana enabled", "bob enabled"],
            said: ["of 2 users, 2 would lose their accounts", "cognito-agent accounts sync --removals 2"]),
        Case(
            testDescription: "five may always go",
            rounds: [Round(staff: crowd), Round(staff: Array(crowd.dropFirst(5)))],
            accounts: crowd(without: 5), ended: (0..<5).map { number in "p\(number)" }),
        Case(
            testDescription: "six of forty are too many, and a new one comes in all the same",
            rounds: [Round(staff: crowd), Round(staff: Array(crowd.dropFirst(6)) + [ana], isDone: false)],
            accounts: ["ana enabled"] + crowd(without: 0),
            said: ["changes held back: of 40 users, 6 would lose", "entered=1 changed=0 locked=0 held_back=6"]),
        Case(
            testDescription: "six of forty, as the administrator wants", options: "account_removal_limit = 15%",
            rounds: [Round(staff: crowd), Round(staff: Array(crowd.dropFirst(6)))],
            accounts: crowd(without: 6), ended: (0..<6).map { number in "p\(number)" }),
        Case(
            testDescription: "two where one may", options: "account_removal_limit = 1",
            rounds: [Round(staff: [ana, bob, Person("eve")]), Round(staff: [ana], isDone: false)],
            accounts: ["ana enabled", "bob enabled", "eve enabled"], said: ["--removals 2"]),
        Case(
            testDescription: "everybody, by the command",
            rounds: [Round(staff: [ana, bob]), Round(staff: [], removing: 2)],
            accounts: ["ana locked", "bob locked"], ended: ["ana", "bob"]),
        Case(
            testDescription: "one more than the command says",
            rounds: [Round(staff: [ana, bob]), Round(staff: [], removing: 1, isDone: false)],
            accounts: ["ana enabled", "bob enabled"]),
    ]

    static let groups = [
        Case(
            testDescription: "groups", options: map,
            rounds: [Round(staff: [ana, bob], admins: [ana, Person("eve")], developers: [ana, bob])],
            accounts: ["ana enabled sudo docker www-data", "bob enabled docker www-data"]),
        Case(
            testDescription: "a group is lost", options: map,
            rounds: [
                Round(staff: [ana, bob], admins: [ana], developers: [bob]),
                Round(staff: [ana, bob], developers: [bob]),
            ],
            accounts: ["ana enabled", "bob enabled docker www-data"],
            said: ["groups changed; user='ana'", "removed from the group sudo"], ended: ["ana"]),
        Case(
            testDescription: "a group is gained", options: map,
            rounds: [Round(staff: [ana]), Round(staff: [ana], admins: [ana])],
            accounts: ["ana enabled sudo"], said: ["before=- now=sudo"]),
        Case(
            testDescription: "many lose a group at once", options: map,
            rounds: [Round(staff: crowd, admins: crowd), Round(staff: crowd, isDone: false)],
            accounts: crowd(without: 0).map { account in account + " sudo" },
            said: ["and 40 would lose a group listed in group_map, which is more than"]),
        Case(
            testDescription: "groups that are none, and root's",
            options: "group_map = linux-admins:wheels linux-dev:toor,docker",
            rounds: [Round(staff: [ana], admins: [ana], developers: [ana], isDone: false)],
            accounts: ["ana enabled docker"],
            said: ["'wheels' is not a group on this machine", "'toor' is root's group (gid 0)"]),
        Case(
            testDescription: "people called like a group of the configuration", options: "\(map) other:people2",
            rounds: [Round(staff: [Person("people2"), Person("people")], isDone: false)], accounts: [],
            said: [
                "'people2' is the name of a group in unix_group or group_map",
                "'people' is the name of a group in unix_group or group_map",
            ]),
    ]

    static let names = [
        Case(
            testDescription: "names that no account can have",
            rounds: [
                Round(
                    staff: [
                        Person("Ana"), Person("a..b"), Person("1000"), Person("sudo"), Person("josé"), Person("a b"),
                        Person("../x"), Person("x\n"), Person(String(repeating: "a", count: 65)), bob,
                        Person("c0ffee00-1111-2222-3333-444455556666", "c0ffee00-1111-2222-3333-444455556666"),
                    ])
            ],
            accounts: ["bob enabled"],
            said: [
                "no account: 'Ana' is not a valid account name", "no account: 'a..b'", "no account: '1000'",
                "'sudo' is a name that distributions use", "no account: 'jos??'", "no account: 'a b'",
                "no account: "
                    + "'../x'",
                "no account: 'x?'", "Set username_template", "refused=10",
            ]),
        Case(
            testDescription: "addresses", options: "username_template = {user}@example.com",
            rounds: [
                Round(
                    staff: [
                        Person("1", address: "ana@example.com"), Person("2", address: "bob@example.org"), Person("3"),
                        Person("4", address: "@example.com"), Person("5", address: "Eve@example.com"),
                        Person("6", address: "eve@EXAMPLE.com"),
                    ])
            ],
            accounts: ["ana enabled", "eve enabled"],
            said: [
                "'2' has the verified e-mail address 'bob@example.org', but username_template requires",
                "username_template requires an address that ends in '@example.com'",
                "'3' has no verified e-mail address", "'Eve' is not a valid account name", "refused=4",
            ]),
        Case(
            testDescription: "two of one name", options: "username_template = {user}@example.com",
            rounds: [
                Round(
                    staff: [
                        Person("2", createdAt: 1_700_000_001, address: "ana@example.com"),
                        Person("1", address: "ana@example.com"),
                    ])
            ],
            accounts: ["ana enabled"],
            said: ["no account: 'ana' is already the account name of an earlier user of the pool"]),
        Case(
            testDescription: "user ids by a claim", options: "account_uid_claim = custom:uid",
            rounds: [
                Round(
                    staff: [
                        Person("ana", uid: "70001"), Person("bob", createdAt: 1_700_000_001, uid: "70001"),
                        Person("a", uid: "0"), Person("b", uid: "-1"), Person("c", uid: "x"), Person("d"),
                        Person("e", uid: "4294967296"), Person("f", uid: "1000"), Person("g", uid: " 70002"),
                    ])
            ],
            accounts: ["ana enabled"],
            said: ["user id 70001 of 'bob' is reserved for 'ana'", "'d' has no number", "refused=8"]),
        Case(
            testDescription: "a claim that changes", options: "account_uid_claim = custom:uid",
            rounds: [
                Round(staff: [Person("ana", uid: "70001")]),
                Round(staff: [Person("ana", uid: "70002")], isDone: false),
            ],
            accounts: ["ana enabled"], said: ["'ana' has the user id 70001 on this machine and 70002 in the pool"]),
    ]
}

@Suite(.needsRoot) struct SyncTests {
    @Test("what rounds make of what the directory says", arguments: Case.all)
    private func rounds(one: Case) throws {
        let world = World()
        for round in one.rounds {
            world.control.running = Set(world.records.map(\.uid))
            var workers: [[Act]] = [.group(round.staff)]
            if one.options.contains("denied_groups") {
                workers += [.group(round.admins)]
            }
            if one.options.contains("group_map") {
                workers += [.group(round.admins), .group(round.developers)]
            }
            if one.options.contains("other:") {
                workers += [.group([])]
            }
            #expect(try world.sync(workers, one.options, removing: round.removing) == round.isDone, "\(world.lines)")
        }
        #expect(world.accounts == one.accounts)
        for text in one.said {
            #expect(world.said(text), "\(text): \(world.lines)")
        }
        #expect(Set(world.control.ended) == Set(one.ended.compactMap { name in world.record(name)?.uid }))
        #expect(world.machine.workers.allSatisfy { worker in worker.kinds == [.listPeople] })
    }

    @Test("a round of which only is said what it would do changes nothing", arguments: Case.all)
    private func dryRun(one: Case) throws {
        let world = World()
        let first = one.rounds[0]
        let workers: [[Act]] = [.group(first.staff), .group(first.admins), .group(first.developers), .group([])]
        try world.sync(workers, one.options, dryRun: true)
        #expect(world.accounts.isEmpty && world.said("accounts would be synchronised"))
    }

    @Test("before a migration everybody is shown, with the user id, and whose files would keep them out")
    func beforeMigration() throws {
        let world = World()
        let people = (0..<30).map { number in Person("p\(number)", uid: "\(70_000 + number)") }
        let options = "account_uid_claim = custom:uid\naccount_home = \(world.folder)/{user}"
        mkdir("\(world.folder)/p7", 0o755)
        mkdir("\(world.folder)/p8", 0o755)
        chown("\(world.folder)/p8", 70_008, 70_008)
        #expect(try world.sync([.group(people)], options, dryRun: true))
        #expect(world.lines.filter { line in line.hasPrefix("account would be entered; user='p") }.count == 30)
        #expect(world.said("user='p29' uid=70029 home='\(world.folder)/p29' groups=-"))
        let foreign = world.lines.filter { line in line.contains("does not belong to the user id") }
        #expect(
            foreign == [
                """
                '\(world.folder)/p7' does not belong to the user id 70007, so the user could not access it
                """
            ])
    }

    @Test("a record has what the directory has of somebody")
    func record() throws {
        let world = World()
        let person = Person("ana", realName: "Ana López", keys: "\(key) ana@laptop\n\n\(key)")
        try world.sync([.group([person, Person("bob", realName: "a:b")])], "account_ssh_key_attribute = custom:k")
        let ana = try #require(world.record("ana"))
        #expect(ana.uid == world.uid(of: "sub-ana") && text(ana.realName) == "Ana López")
        #expect(ana.keys.map(text) == [key] && text(ana.home) == "/home/ana" && text(ana.shell) == "/bin/bash")
        #expect(world.record("bob")?.realName == [])
        #expect(world.machine.workers.map { worker in worker.field(.publicKeyAttribute).map(text) } == ["custom:k"])
    }

    @Test("who collides with whom: the later one waits, and the line names both")
    func collision() throws {
        let world = World()
        let first = world.uid(of: "sub-ana")
        let other = try #require((0...).first { number in world.uid(of: "x\(number)") == first })
        let later = Person("zoe", "x\(other)", createdAt: 1_700_000_001)
        try world.sync([.group([later, Person("ana")])])
        #expect(world.accounts == ["ana enabled"])
        #expect(world.said("the user id \(first) of 'zoe' is reserved for 'ana'"))
        // One who is locked keeps it, and this machine's own users win.
        try world.sync([.group([later])])
        #expect(world.accounts == ["ana locked"] && world.control.ended.isEmpty)
        let local = World()
        local.passwd += "eve:x:\(first):100::/:/bin/sh\n"
        try local.sync([.group([Person("ana"), Person("eve")])])
        #expect(local.accounts.isEmpty)
        #expect(local.said("belongs to the local user 'eve'") && local.said("'eve' is a local user (/etc/passwd)"))
    }

    @Test("sessions, jobs and linger of who is out end, also after a round that was broken off")
    func ending() throws {
        let world = World()
        try world.sync([.group([Person("alice"), Person("bob")])])
        let uid = try #require(world.record("alice")?.uid)
        _ = Sample(user: "alice").add(to: world.machine)
        _ = Sample(user: "bob").add(to: world.machine)
        world.control.running = [uid]
        world.control.lingering = ["alice", "bob"]
        world.control.isStubborn = true
        #expect(try !world.sync([.group([Person("bob")]), [.signedOut()]]))
        #expect(world.said("processes not ended; user='alice'") && world.said("linger forbidden; user='alice'"))
        #expect(world.machine.registry.sessions.map(\.user) == ["bob"] && world.control.lingering == ["bob"])
        world.control.isStubborn = false
        #expect(try world.sync([.group([Person("bob")])]))
        #expect(world.said("processes ended; user='alice'") && world.control.running.isEmpty)
    }

    @Test("an end that is owed to somebody who is out goes as far as it was meant to")
    func owed() throws {
        for state in [SessionState.open, .closing] {
            let world = World()
            try world.sync([.group([Person("alice"), Person("bob")])])
            _ = Sample(state: state, user: "alice").add(to: world.machine)
            #expect(try world.sync([.group([Person("bob")]), [.signedOut()]]))
            let meant = state == .open ? Revocation.session : .global
            #expect(world.machine.workers.last?.field(.revocation) == [meant.rawValue])
        }
    }

    @Test("what runs on with a group that was taken away ends in a later round, unless root has given it otherwise")
    func leftBehind() throws {
        let world = World()
        let (alice, bob) = (Person("alice"), Person("bob"))
        try world.sync([.group([alice, bob]), .group([alice, bob]), .group([alice])], map)
        let uid = try #require(world.record("alice")?.uid)
        let other = try #require(world.record("bob")?.uid)
        world.control.isStubborn = true
        world.control.running = [uid, other]
        world.control.groups = [uid: [uid, 27, 998, 33], other: [other, 27]]
        #expect(try !world.sync([.group([alice, bob]), .group([bob]), .group([alice])], map))
        #expect(world.said("processes not ended; user='alice'") && world.said("removed from the group sudo"))
        #expect(world.control.ended == [uid])
        world.control.isStubborn = false
        _ = Sample(user: "alice").add(to: world.machine)
        _ = Sample(user: "bob").add(to: world.machine)
        world.control.logins = ["alice": [27]]
        #expect(try world.sync([.group([alice, bob]), .group([bob]), .group([alice])], map))
        #expect(world.control.ended == [uid])
        world.control.logins = [:]
        #expect(try world.sync([.group([alice, bob]), .group([bob]), .group([alice]), [.signedOut()]], map))
        #expect(world.said("processes ended; user='alice'") && world.said("removed from a Unix group before this run"))
        #expect(world.said("outcome=revoked: the user was removed from a Unix group before this run"), "\(world.lines)")
        #expect(world.machine.hooked == ["alice: group-lost"])
        #expect(world.control.running == [other] && world.machine.registry.sessions.map(\.user) == ["bob"])
    }

    @Test("where sign-ins say who is in which group, what still has a lost one is ended, and nothing else")
    func lostAtSignIn() throws {
        let world = World()
        let (alice, bob, eve) = (Person("alice"), Person("bob"), Person("eve"))
        let map = "group_map = admins:sudo dev:docker"
        let signIn = "accounts = sign-in\naccount_names = *\n"
        #expect(try world.endLostGroups(signIn + map))
        try world.sync([.group([alice, bob, eve]), .group([alice, bob]), .group([])], map)
        let uids = try ["alice", "bob", "eve"].map { name in try #require(world.record(name)?.uid) }
        try AccountWriter(at: "\(world.folder)/store").setGroups([], of: Array("alice".utf8), at: 1)
        world.control.running = Set(uids + [66_000])
        // bob has the group, eve has it by root, and no account has that number.
        world.control.groups = [uids[0]: [27], uids[1]: [27, 33], uids[2]: [27], 66_000: [27]]
        world.control.logins = ["eve": [27]]
        _ = Sample(user: "alice").add(to: world.machine)
        _ = Sample(user: "bob").add(to: world.machine)
        for options in ["", map, signIn] {
            #expect(try world.endLostGroups(options) && world.control.ended.isEmpty)
        }
        world.control.isStubborn = true
        world.machine.scripts = [[.signedOut()]]
        #expect(try !world.endLostGroups(signIn + map) && world.said("processes not ended; user='alice'"))
        world.control.isStubborn = false
        #expect(try world.endLostGroups(signIn + map) && world.said("removed from a Unix group before this run"))
        #expect(world.control.ended == [uids[0], uids[0]])
        #expect(world.machine.registry.sessions.map(\.user) == ["bob"])
        _ = try AccountWriter(at: "\(world.folder)/store").set(.barred, of: Array("bob".utf8), at: 1)
        world.machine.scripts = [[.signedOut()]]
        #expect(try world.endLostGroups(signIn + map))
        #expect(world.control.running == [uids[2], 66_000])
    }

    @Test("who has a session gets subordinate ids once, behind what is there")
    func subordinateIDs() throws {
        let world = World()
        let (alice, bob) = (Person("alice", uid: "70001"), Person("bob", uid: "70002"))
        try world.sync([.group([alice, bob])], "account_uid_claim = custom:uid")
        for name in ["alice", "alice", "nobody"] {
            _ = Sample(user: name).add(to: world.machine)
        }
        let wanted = "account_subids = yes"
        #expect(try world.giveSubordinateIDs("") && world.lines.isEmpty)
        #expect(try !world.giveSubordinateIDs(wanted) && world.said("/subuid cannot be written (errno 2)"))
        world.put("login.defs", "SUB_UID_MIN\t100000\nSUB_UID_MAX 231071\nSUB_GID_MIN 300000\n")
        world.put("subuid", "eve:100000:65536")
        world.put("subgid", "")
        #expect(try world.giveSubordinateIDs(wanted))
        #expect(world.said("user='alice' uid=70001 file=\(world.folder)/subuid ids=165536-231071"))
        #expect(world.content("subuid") == "eve:100000:65536\n70001:165536:65536\n")
        #expect(world.content("subgid") == "70001:300000:65536\n")
        #expect(try world.giveSubordinateIDs(wanted) && world.lines.isEmpty)
        _ = Sample(user: "bob").add(to: world.machine)
        #expect(try !world.giveSubordinateIDs(wanted))
        #expect(world.said("has no free range of 65536 ids for 'bob' between 100000 and 231071"))
        #expect(world.content("subuid") == "eve:100000:65536\n70001:165536:65536\n")
    }

    @Test("a group that the pool does not have has nobody in it, and is said; the others count")
    func missingGroup() throws {
        let world = World()
        let (alice, bob) = (Person("alice"), Person("bob"))
        let options = "allowed_groups = staff interns"
        try world.sync([.group([alice]), .group([bob])], options)
        #expect(try !world.sync([.group([alice]), [.failed(.notListed)]], options))
        #expect(world.accounts == ["alice enabled", "bob locked"])
        #expect(world.said("the pool does not have the group 'interns'"))
    }

    @Test("who has the name by this machine's own files by now is somebody else, and is left alone")
    func localByNow() throws {
        let world = World()
        try world.sync([.group([Person("alice"), Person("bob")])])
        try world.sync([.group([Person("bob")])])
        let uid = try #require(world.record("alice")?.uid)
        world.passwd += "alice:x:1001:1001::/home/alice:/bin/bash\n"
        _ = Sample(user: "alice").add(to: world.machine)
        world.control.running = [uid]
        world.control.lingering = ["alice"]
        #expect(try world.sync([.group([Person("bob")])]))
        #expect(world.machine.registry.sessions.map(\.user) == ["alice"] && world.control.lingering == ["alice"])
        #expect(world.control.running == [uid])
    }
}

/// What becomes of a list that takes more than one worker, or comes to nothing.
private struct Listing: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let workers: [[Act]]
    var accounts = ["ana enabled"]
    var said = "The accounts are unchanged"

    static let ana = Person("ana")
    static let bob = Person("bob")

    static let all = [
        Listing(
            testDescription: "it goes on after an outage",
            workers: [
                .page([bob], next: "t") + [Person("eve").act, .failed(.unreachable)], [.failed(.throttled)],
                .group([Person("eve"), ana]),
            ], accounts: ["ana enabled", "bob enabled", "eve enabled"], said: "entered=2"),
        Listing(
            testDescription: "an outage",
            workers: [.page([bob], next: "t") + [.failed(.unreachable)]]
                + Array(repeating: [.failed(.unreachable)], count: 3)),
        Listing(testDescription: "silence", workers: Array(repeating: [.silence], count: 4)),
        Listing(testDescription: "no right", workers: [[.failed(.configuration)]], said: "told by Cognito"),
        Listing(testDescription: "garbage", workers: [[.failed(.serviceFault)]]),
        Listing(testDescription: "a worker that dies", workers: [.page([], next: "t") + [.end]]),
        Listing(testDescription: "a worker that cannot be started", workers: []),
        Listing(testDescription: "what no list has", workers: [[.signedIn()]]),
        Listing(
            testDescription: "a page twice", workers: [.page([bob], next: "t") + .page([bob], next: "u")],
            said: "does not end"),
        Listing(
            testDescription: "tokens in turn over several workers",
            workers: [
                .page([], next: "t") + [.failed(.unreachable)], .page([], next: "u") + [.failed(.unreachable)],
                .page([], next: "t"),
            ], said: "does not end"),
        Listing(
            testDescription: "somebody twice, as the group changes",
            workers: [.page([ana, bob], next: "t") + .group([bob, Person("eve")])],
            accounts: ["ana enabled", "bob enabled", "eve enabled"], said: "entered=2"),
    ]
}

@Suite(.needsRoot) struct ListingTests {
    @Test("a list is followed to its end, or nothing of it counts", arguments: Listing.all)
    private func lists(one: Listing) throws {
        let world = World()
        try world.sync([.group([Listing.ana])])
        let isDone = try world.sync(one.workers)
        #expect(world.accounts == one.accounts && world.said(one.said), "\(world.lines)")
        #expect(isDone == (one.accounts.count > 1))
        #expect(world.machine.scripts.isEmpty)
    }

    @Test("a worker goes on where the last one was, and pauses grow")
    func resuming() throws {
        let world = World()
        let outage: [Act] = [.failed(.unreachable)]
        try world.sync([
            .page([Person("ana")], next: "t1") + outage, outage, .page([], next: "t2") + outage, .group([]),
        ])
        #expect(world.machine.workers.map { worker in worker.field(.nextToken).map(text) } == [nil, "t1", "t1", "t2"])
        #expect(world.machine.workers.allSatisfy { worker in worker.field(.group).map(text) == "staff" })
        #expect(world.machine.paused == 1000 + 2000 + 1000)
    }

    @Test("everybody in the pool is nobody who could be listed")
    func everybody() throws {
        let world = World()
        #expect(try !world.sync([], "allowed_groups = *") && world.said("needs group names in allowed_groups"))
        #expect(world.machine.workers.isEmpty)
    }
}

@Suite(.needsRoot) struct OtherSourcesTests {
    private let ana = Array("ana".utf8)

    @Test(
        "an account that another source knows is locked until none does; a source without an answer changes nothing"
    )
    func knownElsewhere() throws {
        let world = World()
        let people = [Person("ana"), Person("bob")]
        let known = SourceAnswer.SourceVerdict.known(KnownElsewhere(source: Array("ldap".utf8), .user, uid: 7))
        try world.sync([.group(people)])
        world.machine.verdicts[ana] = .silent(Array("ldap".utf8))
        try world.sync([.group(people + [Person("eva")])])
        #expect(world.accounts == ["ana enabled", "bob enabled", "eva enabled"])
        for (verdict, state) in [(known, "locked"), (.silent([]), "locked"), (.nobody, "enabled")] {
            world.machine.verdicts[ana] = verdict
            for dryRun in [true, false] {
                try world.sync([.group(people)], removing: 2, dryRun: dryRun)
                let isRefused = world.lines.contains { line in line.contains("no account: ") && line.contains("'ana'") }
                #expect(isRefused == (state == "locked"), "\(world.lines)")
            }
            #expect(world.accounts[0] == "ana \(state)")
        }
        for verdict in [known, .silent([])] {
            world.machine.verdicts[Array("max".utf8)] = verdict
            try world.sync([.group(people + [Person("max")])])
            #expect(!world.accounts.contains { account in account.contains("max") })
            #expect(world.lines.contains { line in line.contains("no account: ") && line.contains("'max'") })
        }
    }
}
