import AccountKeeping
import Accounts
import Base
import FoundationEssentials
import Glibc
import Testing
import Tokens

@testable import AccountFakes
@testable import Commands

@Suite(.needsRoot) struct KeptAccountsTests {
    private let folder = Folder()
    private let machine = Folder()
    private var accounts: KeptAccounts {
        KeptAccounts(at: folder.path, local: localNames(in: machine, group: "video:x:44:eva\n"))
    }

    private func enter(_ record: AccountRecord) throws {
        _ = try AccountWriter(at: folder.path).enter(record, by: AccountRules(local: localNames(in: machine)), at: 1)
    }

    private func refusal(_ body: () throws(Refusal) -> Void) -> ExitCode? {
        do throws(Refusal) {
            try body()
            return nil
        } catch {
            return error.exitStatus
        }
    }

    private func table() throws -> [String] {
        try KeptAccountsReport(accounts.all()).table(Appearance(), localTime: { time in "at \(time)" })
            .split(separator: "\n").map(String.init)
    }

    @Test("all are listed by name, the damaged ones, too")
    func list() throws {
        #expect(try accounts.all() == [])
        #expect(try table().count == 1)
        try enter(person("max", subject: "2", uid: 70_002))
        try enter(person())
        folder.put("eva", [])
        let lines = try table()
        #expect(lines.map { line in line.split(separator: " ").first } == ["User", "ana", "eva", "max"])
        #expect(lines[1].contains("70000") && lines[1].contains("www-data dialout") && lines[1].contains("at 1"))
        #expect(try KeptAccounts(at: folder.path + "/none").all() == [])
    }

    @Test("one is shown with all that is kept of it")
    func details() throws {
        try enter(person())
        let entry = try accounts.entry(named: "ana")
        let text = KeptAccountsReport([entry]).details(Appearance(), localTime: { time in "at \(time)" })
        for word in [
            "70000", "Ana López", "5c0a-1", "eu-west-1_AbCdEf123", "/home/ana", "/bin/bash", "directory", "at 1",
        ] {
            #expect(text.contains(word), "\(word)")
        }
        let json = KeptAccountsReport([entry]).json["accounts"]?.elements?.first
        #expect(json?["uid"] == .integer(70_000) && json?["state"]?.text == "enabled")
        #expect(json?["ssh_keys"]?.texts == ["ssh-ed25519 AAAAC3Nz ana@laptop"])
    }

    @Test("an account is locked, opened and forgotten, and what stays is said")
    func changes() throws {
        try enter(person())
        func state() throws -> AccountRecord.State? {
            try AccountStore(at: folder.path).record(named: bytes("ana"))?.state
        }
        #expect(try accounts.set(.barred, of: "ana", at: 2).contains("cognito-session sessions --end ana"))
        #expect(try state() == .barred)
        // Whether the directory still lets her in, its next round knows.
        for time in 3...4 as ClosedRange<Int64> {
            #expect(try accounts.set(.enabled, of: "ana", at: time).contains("cognito-agent accounts sync"))
            #expect(try state() == .locked)
        }
        try enter(person())
        #expect(try !accounts.set(.enabled, of: "ana", at: 5).contains("sync") && state() == .enabled)
        var kim = person("kim", subject: "2", uid: 70_001)
        kim.source = .signIn
        try enter(kim)
        _ = try accounts.set(.barred, of: "kim", at: 5)
        #expect(try !accounts.set(.enabled, of: "kim", at: 6).contains("sync"))
        #expect(try AccountStore(at: folder.path).record(named: bytes("kim"))?.state == .enabled)
        let text = try accounts.set(.forgotten, of: "ana", at: 4)
        #expect(text.contains("70000") && text.contains("/home/ana") && !text.contains("useradd"))
        #expect(try state() == .forgotten)
        for state in [AccountRecord.State.barred, .enabled, .forgotten] {
            #expect(refusal { () throws(Refusal) in _ = try accounts.set(state, of: "ana", at: 5) } == ExitCode.none)
        }
    }

    @Test(
        "what this machine's own files give to the name is said when it is locked or forgotten",
        arguments: ["ana", "eva"])
    func grants(name: String) throws {
        try enter(person(name))
        for state in [AccountRecord.State.barred, .forgotten] {
            #expect(try accounts.set(state, of: name, at: 2).contains("\(machine.path)/group") == (name == "eva"))
        }
    }

    @Test("that useradd may give away the user id of an adopted account is said when it is forgotten")
    func adopted() throws {
        var ana = person(uid: 1001)
        ana.source = .adopted
        try enter(ana)
        #expect(try accounts.set(.forgotten, of: "ana", at: 2).contains("find / -xdev -uid 1001"))
    }

    /// Something that has a user id, and what says so.
    struct UserIDUse: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var files: [(path: String, uid: UInt32, gid: UInt32)] = []
        var group = ""
        var subordinate = ""
        var state: AccountRecord.State? = .forgotten
        /// nil: it is given back.
        var refusal: String?

        static let all = [
            UserIDUse(testDescription: "nothing has it"),
            UserIDUse(testDescription: "nothing has it, and no record", state: nil),
            UserIDUse(testDescription: "others have files", files: [("home/ana", 70_001, 70_001)]),
            UserIDUse(testDescription: "a record", state: .enabled, refusal: "--forget ana"),
            UserIDUse(testDescription: "a locked record", state: .barred, refusal: "--forget ana"),
            UserIDUse(testDescription: "home", files: [("home/ana", 70_000, 0)], refusal: "/home/ana "),
            UserIDUse(
                testDescription: "home, without a record", files: [("home/ana", 70_000, 0)], state: nil,
                refusal: "/home/ana "),
            UserIDUse(
                testDescription: "a file in home", files: [("home/ana", 0, 0), ("home/ana/x", 70_000, 0)],
                refusal: "/home/ana/x "),
            UserIDUse(
                testDescription: "a file of the group in home", files: [("home/ana", 0, 0), ("home/ana/x", 0, 70_000)],
                refusal: "/home/ana/x "),
            UserIDUse(testDescription: "mail", files: [("var/mail/anna", 70_000, 8)], refusal: "/var/mail/anna "),
            UserIDUse(
                testDescription: "cron",
                files: [("var/spool/cron/crontabs", 0, 0), ("var/spool/cron/crontabs/a", 70_000, 0)],
                refusal: "/var/spool/cron/crontabs/a "),
            UserIDUse(testDescription: "subordinate ids", subordinate: "70000:100000:65536\n", refusal: "/subuid "),
            UserIDUse(testDescription: "those of its name", subordinate: "ana:100000:65536\n", refusal: "/subuid"),
            UserIDUse(testDescription: "those of another", subordinate: "bob:65536:65536\n", refusal: "/subuid "),
            UserIDUse(testDescription: "a group names it", group: "video:x:44:ana\n", refusal: "/group"),
        ]
    }

    @Test("a user id is given back if nothing has it, and what has it is said", arguments: UserIDUse.all)
    func release(use: UserIDUse) throws {
        let root = Folder()
        defer {
            for folder in ["home", "var"] {
                try? FileManager.default.removeItem(atPath: "\(root.path)/\(folder)")
            }
        }
        for folder in ["home", "var", "var/mail", "var/spool", "var/spool/cron"] {
            mkdir("\(root.path)/\(folder)", 0o755)
        }
        for file in use.files {
            mkdir("\(root.path)/\(file.path)", 0o755)
            chown("\(root.path)/\(file.path)", file.uid, file.gid)
        }
        try enter(person())
        let names = localNames(in: machine, group: use.group, subordinate: use.subordinate)
        switch use.state {
        case let state?:
            _ = try AccountWriter(at: folder.path).set(state, of: bytes("ana"), at: 2)
        case nil: unlink("\(folder.path)/ana")
        }
        let accounts = KeptAccounts(at: folder.path, local: names, root: root.path)
        let before = folder.names
        var (said, refused) = ("", "")
        do throws(Refusal) {
            said = try accounts.releaseUserIDs(of: "ana")
        } catch {
            refused = error.message
        }
        #expect(refused.contains("Nothing was changed") == (use.refusal != nil), "\(refused)")
        #expect(use.refusal.map { refusal in refused.contains(refusal) } ?? said.contains("70000"), "\(refused)")
        #expect(folder.names == (use.refusal == nil ? [".lock", ".released"] : before))
        guard use.refusal == nil else {
            return
        }
        #expect(refusal { () throws(Refusal) in _ = try accounts.releaseUserIDs(of: "ana") } == ExitCode.none)
        // Another user gets it now.
        var bob = person("bob", subject: "2")
        bob.source = .signIn
        try enter(bob)
        #expect(try AccountStore(at: folder.path).record(uid: 70_000)?.name == bytes("bob"))
    }

    @Test("who is not there is told so, and what is damaged can only be removed")
    func others() throws {
        try enter(person())
        for name in ["eva", "", "../passwd", "70000", ".lock"] {
            #expect(
                refusal { () throws(Refusal) in _ = try accounts.set(.forgotten, of: name, at: 1) } == ExitCode.none)
            #expect(refusal { () throws(Refusal) in _ = try accounts.entry(named: name) } == ExitCode.none)
        }
        truncate(folder.path + "/ana", 20)
        #expect(try accounts.entry(named: "ana") == .damaged(bytes("ana")))
        #expect(refusal { () throws(Refusal) in _ = try accounts.set(.enabled, of: "ana", at: 1) } == ExitCode.none)
        _ = try accounts.set(.forgotten, of: "ana", at: 1)
        #expect(!folder.names.contains("ana") && folder.names.contains("70000"))
        chmod(folder.path, 0o777)
        #expect(refusal { () throws(Refusal) in _ = try accounts.all() } == .fault)
        #expect(refusal { () throws(Refusal) in _ = try accounts.entry(named: "ana") } == .fault)
    }
}
