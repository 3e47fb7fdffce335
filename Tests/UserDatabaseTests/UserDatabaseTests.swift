import Accounts
import Base
import Configuration
import Glibc
import Testing

@testable import AccountFakes
@testable import struct Fakes.Seeded
@testable import UserDatabase

private let service = "\(userDatabaseService)"

/// A call as a client writes it, without the NUL.
private func message(_ method: String, _ parameters: String, more: Bool = false) -> [UInt8] {
    bytes(
        #"{"method":"io.systemd.UserDatabase.\#(method)","parameters":{\#(parameters)"service":"\#(service)"}"#
            + (more ? #","more":true}"# : "}"))
}

/// What is read of a message, or its error.
private func read(_ message: [UInt8]) -> Result<UserDatabaseCall, UserDatabaseError> {
    do throws(UserDatabaseError) {
        return .success(try UserDatabaseCall(reading: message))
    } catch {
        return .failure(error)
    }
}

private func call(
    _ method: UserDatabaseCall.Method, _ change: (inout UserDatabaseCall) -> Void = { _ in }
) -> UserDatabaseCall {
    var call = UserDatabaseCall(method)
    change(&call)
    return call
}

@Suite struct UserDatabaseCallTests {
    @Test("calls as systemd and others write them")
    func calls() {
        let cases: [([UInt8], Result<UserDatabaseCall, UserDatabaseError>)] = [
            (
                message("GetUserRecord", #""userName":"ana","#),
                .success(call(.user) { call in call.user = bytes("ana") })
            ),
            (message("GetUserRecord", #""uid":70000,"#), .success(call(.user) { call in call.number = 70_000 })),
            (
                message("GetUserRecord", #""uid":null,"userName":"ana","fuzzyNames":["a"],"uidMin":1,"#),
                .success(call(.user) { call in call.user = bytes("ana") })
            ),
            (message("GetUserRecord", "", more: true), .success(call(.user) { call in call.wantsMore = true })),
            (
                message("GetGroupRecord", #""groupName":"é\u0041","#),
                .success(call(.group) { call in call.group = bytes("éA") })
            ),
            (message("GetGroupRecord", #""gid":4294967295,"#), .success(call(.group) { call in call.number = .max })),
            (
                message("GetMemberships", #""userName":"ana","groupName":"adm","#),
                .success(call(.memberships) { call in (call.user, call.group) = (bytes("ana"), bytes("adm")) })
            ),
            (message("GetUserRecord", #""uid":-1,"#), .failure(.invalidParameter("uid"))),
            (message("GetUserRecord", #""uid":4294967296,"#), .failure(.invalidParameter("uid"))),
            (message("GetUserRecord", #""uid":1.5,"#), .failure(.invalidParameter("uid"))),
            (message("GetUserRecord", #""uid":"70000","#), .failure(.invalidParameter("uid"))),
            (message("GetUserRecord", #""userName":7,"#), .failure(.invalidParameter("userName"))),
            (message("GetUserRecord", #""uid":99999999999999999999,"#), .failure(.notUnderstood)),
            (message("GetUserRecord", #""uid":1,"uid":2,"#), .failure(.notUnderstood)),
            (message("GetUserRecord", #""userName":"a\u0000b","#), .failure(.notUnderstood)),
            (message("Elsewhere", ""), .failure(.methodNotFound([]))),
            (bytes(#"{"method":"org.varlink.service.GetInfo","parameters":{}}"#), .failure(.methodNotFound([]))),
            (
                bytes(#"{"method":"io.systemd.UserDatabase.GetUserRecord","parameters":{"service":"other"}}"#),
                .failure(.badService)
            ),
            (bytes(#"{"method":"io.systemd.UserDatabase.GetUserRecord","parameters":{}}"#), .failure(.badService)),
            (bytes(#"{"method":"io.systemd.UserDatabase.GetUserRecord"}"#), .failure(.badService)),
            (bytes(#"{"method":7,"parameters":{}}"#), .failure(.notUnderstood)),
            (bytes("[]"), .failure(.notUnderstood)), (bytes("{"), .failure(.notUnderstood)),
            ([], .failure(.notUnderstood)),
            (bytes("{}"), .failure(.notUnderstood)), ([0xff, 0xfe], .failure(.notUnderstood)),
            (bytes(String(repeating: "[", count: 4000)), .failure(.notUnderstood)),
            (bytes(String(repeating: #"{"method":"#, count: 400)), .failure(.notUnderstood)),
        ]
        for (message, expected) in cases {
            #expect(read(message) == expected, "\(String(decoding: message, as: UTF8.self))")
        }
    }

    @Test("whatever bytes come, there is a call or an error")
    func garbled() {
        var generator = Seeded(state: 16)
        let whole = [
            message("GetUserRecord", #""userName":"ana","uid":70000,"#, more: true),
            message("GetMemberships", #""groupName":"adm","#),
        ]
        var understood = 0
        for _ in 0..<6_000 {
            var bytes = whole[Int(generator.next() % 2)]
            for _ in 0...generator.next() % 4 {
                let place = Int(generator.next() % UInt64(bytes.count))
                switch generator.next() % 3 {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: generator.next())
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8(truncatingIfNeeded: generator.next()), at: place)
                }
            }
            if case .success(let call) = read(bytes) {
                understood += 1
                // What was read is answered, whatever is in it.
                let answer = UserDatabaseAnswer(to: call, of: 0, in: nil, by: AccountRules())
                #expect(answer.next(in: nil) != .end)
            }
        }
        #expect(understood > 30)
    }
}

@Suite(.needsRoot) struct UserDatabaseAnswerTests {
    private let folder = Folder()
    private let machine = Folder()
    private let earlier = Folder()
    private let rules: AccountRules

    init() throws {
        rules = AccountRules(
            groups: [bytes("sudo"), bytes("wheelie"), bytes("dialout"), bytes("www-data")],
            local: localNames(in: machine, passwd: "leo:x:1001:1001::/:/bin/sh\n", group: "wheelie:x:0:\n"))
        let writer = try AccountWriter(at: folder.path)
        var ana = person()
        ana.groups = [bytes("sudo"), bytes("wheelie"), bytes("dialout")]
        _ = try writer.enter(ana, by: rules, at: 1)
        var eva = person("eva", subject: "2", uid: 70_001)
        (eva.realName, eva.keys, eva.groups) = (bytes(#"E "x\y"#), [], [bytes("dialout")])
        _ = try writer.enter(eva, by: rules, at: 1)
        _ = try writer.enter(person("max", subject: "3", uid: 70_002), by: rules, at: 1)
        _ = try writer.set(.locked, of: bytes("max"), at: 2)
        _ = try writer.enter(person("tim", subject: "4", uid: 70_003), by: rules, at: 1)
        _ = try writer.set(.forgotten, of: bytes("tim"), at: 2)
        // Came to be a local user since.
        let before = AccountRules(local: localNames(in: earlier))
        _ = try writer.enter(person("leo", subject: "5", uid: 70_004), by: before, at: 1)
        _ = try writer.enter(person("kim", subject: "6", uid: 70_005), by: rules, at: 1)
        truncate(folder.path + "/kim", 50)
    }

    /// All replies to a call, without their NULs.
    private func replies(
        _ call: UserDatabaseCall, of caller: UInt32 = 70_100, by given: AccountRules?? = nil
    ) throws -> [String] {
        let store: AccountStore? = try AccountStore(at: folder.path)
        let answer = UserDatabaseAnswer(to: call, of: caller, in: store, by: given ?? rules)
        var all: [String] = []
        while true {
            switch answer.next(in: store) {
            case .reply(let bytes):
                #expect(bytes.last == 0 && !bytes.dropLast().contains(0))
                all.append(String(decoding: bytes.dropLast(), as: UTF8.self))
            case .later: continue
            case .end: return all
            }
        }
    }

    private func named(_ name: String) -> UserDatabaseCall { call(.user) { call in call.user = bytes(name) } }

    private static func error(_ name: String) -> [String] {
        [#"{"error":"io.systemd.UserDatabase.\#(name)","parameters":{}}"#]
    }

    @Test("a person is answered for by name and by number, with what whoever asks may know")
    func users() throws {
        let all = #"""
            {"parameters":{"record":{"userName":"ana","uid":70000,"gid":70000,"realName":"Ana López","homeDirectory":"/home/ana",\#
            "shell":"/bin/bash","disposition":"regular",\#

            """#
        let keys = #""privileged":{"sshAuthorizedKeys":["ssh-ed25519 AAAAC3Nz ana@laptop"]},"#
        let end = #""service":"org.pam_cognito.Accounts"},"incomplete":"#
        for caller: UInt32 in [0, 70_000] {
            #expect(try replies(named("ana"), of: caller) == [all + keys + end + "false}}"])
        }
        #expect(try replies(named("ana")) == [all + end + "true}}"])
        #expect(try replies(call(.user) { call in call.number = 70_000 }) == [all + end + "true}}"])
        #expect(
            try replies(call(.user) { call in (call.user, call.number) = (bytes("ana"), 70_000) }) == [
                all + end + "true}}"
            ])
        #expect(
            try replies(call(.user) { call in (call.user, call.number) = (bytes("ana"), 70_001) })
                == Self.error("ConflictingRecordFound"))
        #expect(try replies(named("eva"))[0].contains(#""realName":"E \"x\\y","#))
        let locked = try replies(named("max"), of: 0)[0]
        #expect(locked.contains(#""locked":true"#) && locked.contains("/usr/sbin/nologin") && !locked.contains("ssh-"))
    }

    @Test("nobody else is")
    func nobody() throws {
        for name in ["root", "ann", "Ana", "tim", "leo", "", "70000", String(repeating: "a", count: 256), "\u{7f}\"\\"]
        {
            #expect(try replies(named(name)) == Self.error("NoRecordFound"))
        }
        for number: UInt32 in [0, 1, 999, 70_003, 70_004, 70_099, .max] {
            #expect(try replies(call(.user) { call in call.number = number }) == Self.error("NoRecordFound"))
            #expect(try replies(call(.group) { call in call.number = number }) == Self.error("NoRecordFound"))
        }
        #expect(try replies(named("kim")) == Self.error("ServiceNotAvailable"))
        #expect(try replies(named("ana"), by: .some(nil)) == Self.error("NoRecordFound"))
        let narrow = AccountRules(range: try #require(UserIDRange(from: 70_001, to: 70_001)), local: rules.local)
        #expect(try replies(named("ana"), by: narrow) == Self.error("NoRecordFound"))
        let groups = AccountRules(groups: [bytes("ana")], local: rules.local)
        #expect(try replies(named("ana"), by: groups) == Self.error("NoRecordFound"))
        let nothing: AccountStore? = nil
        let answer = UserDatabaseAnswer(to: named("ana"), of: 0, in: nothing, by: rules)
        #expect(answer.next(in: nothing) != .end)
        #expect(answer.next(in: nothing) == .end)
    }

    @Test("a person's group has their number, and nobody else's is answered for")
    func groups() throws {
        let group = #"""
            {"parameters":{"record":{"groupName":"ana","gid":70000,"disposition":"regular","service":"org.pam_cognito.Accounts"},\#
            "incomplete":false}}
            """#
        #expect(try replies(call(.group) { call in call.group = bytes("ana") }) == [group])
        #expect(try replies(call(.group) { call in call.number = 70_000 }) == [group])
        #expect(try replies(call(.group) { call in call.group = bytes("sudo") }) == Self.error("NoRecordFound"))
    }

    @Test("group(5) is read as often for a person of many groups as for one of few")
    func reads() throws {
        let many = (0..<AccountRecord.mostGroups).map { number in bytes("g\(number)") }
        var zoe = person("zoe", subject: "9", uid: 70_009)
        zoe.groups = many
        try AccountWriter(at: folder.path).enter(zoe, by: rules, at: 1)
        let watch = inotify_init1(Int32(IN_NONBLOCK))
        defer { close(watch) }
        inotify_add_watch(watch, machine.path + "/group", UInt32(IN_OPEN | IN_CLOSE_NOWRITE))
        func opened(_ name: String) throws -> Int {
            let call = call(.memberships) { call in (call.user, call.wantsMore) = (bytes(name), true) }
            let given = AccountRules(groups: rules.groups + many, local: rules.local)
            #expect(try replies(call, by: given).count == (name == "zoe" ? many.count : 1))
            var count = 0
            var event = [UInt8](repeating: 0, count: 16)
            // With the closes between them: what is the same is told once.
            while Glibc.read(watch, &event, event.count) > 0 {
                count += 1
            }
            return count
        }
        #expect(try opened("zoe") == opened("eva"))
    }

    @Test("somebody is in the groups of their record that group_map names, in none of root's, and in none when locked")
    func memberships() throws {
        func of(_ user: String?, in group: String? = nil, more: Bool = true) -> UserDatabaseCall {
            call(.memberships) { call in
                (call.user, call.group, call.wantsMore) = (user.map(bytes), group.map(bytes), more)
            }
        }
        func membership(_ user: String, _ group: String, _ end: String = "}") -> String {
            #"{"parameters":{"userName":"\#(user)","groupName":"\#(group)"}\#(end)"#
        }
        let continues = #","continues":true}"#
        #expect(try replies(of("ana")) == [membership("ana", "sudo", continues), membership("ana", "dialout")])
        #expect(
            try replies(of("ana", more: false)) == [#"{"error":"org.varlink.service.ExpectedMore","parameters":{}}"#])
        #expect(try replies(of("eva", more: false)) == [membership("eva", "dialout")])
        #expect(try replies(of("ana", in: "sudo")) == [membership("ana", "sudo")])
        let fewer = AccountRules(groups: [bytes("dialout")], local: rules.local)
        #expect(try replies(of("ana"), by: fewer) == [membership("ana", "dialout")])
        for (user, group) in [
            ("ana", "wheelie"), ("ana", "adm"), ("max", nil), ("tim", nil), ("root", nil), ("daemon", nil),
        ] {
            #expect(try replies(of(user, in: group)) == Self.error("NoRecordFound"))
        }
        #expect(try replies(of(nil, in: "dialout")) == Self.error("NoRecordFound"))
        #expect(try replies(of(nil)) == Self.error("EnumerationNotSupported"))
        let dialout = try replies(of(nil, in: "dialout"), of: 0)
        #expect(dialout.count == 2 && dialout[0].hasSuffix(continues) && !dialout[1].hasSuffix(continues))
        #expect(try replies(of(nil, in: "wheelie"), of: 0) == Self.error("NoRecordFound"))
        #expect(try replies(of(nil), of: 0).count == 3)
    }

    @Test("everybody is told to root alone")
    func enumeration() throws {
        for method in [UserDatabaseCall.Method.user, .group] {
            let all = call(method) { call in call.wantsMore = true }
            #expect(try replies(all) == Self.error("EnumerationNotSupported"))
            #expect(
                try replies(call(method), of: 0) == [#"{"error":"org.varlink.service.ExpectedMore","parameters":{}}"#])
            let found = try replies(all, of: 0)
            #expect(found.count == 3)
            #expect(found.filter { reply in reply.hasSuffix(#","continues":true}"#) }.count == 2)
            #expect(found.last?.hasSuffix("}}") == true)
        }
    }

    @Test("whoever is to mend something is told by one line")
    func complaints() throws {
        let store: AccountStore? = try AccountStore(at: folder.path)
        for (name, word) in [("kim", "edited"), ("leo", "/etc/passwd")] {
            let complaint = UserDatabaseAnswer(to: named(name), of: 0, in: store, by: rules).complaint
            #expect(complaint.map { line in String(decoding: line.bytes, as: UTF8.self) }?.contains(word) == true)
        }
        for name in ["ana", "nobody-here"] {
            #expect(UserDatabaseAnswer(to: named(name), of: 0, in: store, by: rules).complaint == nil)
        }
    }
}

@Suite struct NameAllowanceTests {
    @Test("names that were let in stay so for a while, and no more of them come in a minute than there may")
    func allowance() {
        var allowance = NameAllowance()
        let most = NameAllowance.most
        let admitted = (0..<1000).filter { number in
            allowance.admits(bytes("n\(number)"), at: Instant(milliseconds: Int64(number)))
        }
        #expect(admitted == Array(0..<most))
        for (name, moment, isAdmitted) in [
            ("n0", 59_000, true), ("late", 59_000, false), ("late", 61_000, true), ("n1", 299_000, true),
        ] as [(String, Int64, Bool)] {
            let found = allowance.admits(bytes(name), at: Instant(milliseconds: moment))
            #expect(found == isAdmitted, "\(name) at \(moment)")
        }
    }
}
