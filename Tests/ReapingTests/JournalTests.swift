import Agent
import Base
import Configuration
import Glibc
import Keyring
import Protocol
import Testing

@testable import Fakes
@testable import Sessions

private let name = "0123456789abcdef0123456789abcdef.4711"
private let otherBoot = String(repeating: "a", count: 32)
private let about = "session left over; user='alice' session=4711 service='sshd' rhost='203.0.113.7'"

private let givenUp =
    about.replacing("session left over", with: "given up")
    + " outcome=unknown: the session was left over after a crash. The tokens have probably expired, but Cognito "
    + "never confirmed the revocation"

/// A file of the journal as a session leaves it, with single values in place of its own.
private func file(_ changes: [String: String] = [:], version: String = "1") -> String {
    let fields = [
        ("user", "alice"), ("login_name", "alice@example.com"), ("service", "sshd"), ("rhost", "203.0.113.7"),
        ("user_pool_id", "eu-west-1_AbCdEf123"), ("client_id", "1example23456789"), ("endpoint", ""), ("ca_file", ""),
        ("configuration", "/etc/security/pam_cognito.conf"), ("boot", otherBoot), ("process", "300"),
        ("start_time", "7"), ("pid_namespace", "4026531836"), ("expires", "1800100000"), ("reported", "0"),
        ("attempts", "0"), ("next_attempt", "0"),
    ]
    return fields.reduce("pam-cognito journal \(version)\n") { text, field in
        text + "\(field.0) \(changes[field.0] ?? field.1)\n"
    }
}

/// What comes of one file that the registry knows nothing of.
private struct Left: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var content = file()
    var named = name
    var prepare: @Sendable (FakeMachine) -> Void = { _ in }
    var report: [String] = []
    /// The file as it is afterwards; nil: it is gone.
    var after: String?
    var left = 0

    private static let told = toldOf("expire in 2 days")
    private static let toldLate = toldOf("have expired")
    private static func toldOf(_ end: String) -> String {
        "\(about): the session ended in a crash, and its tokens were not revoked. According to this "
            + "machine's configuration and clock, the tokens \(end). To revoke them: "
            + "aws cognito-idp admin-user-global-sign-out --user-pool-id "
            + "eu-west-1_AbCdEf123 "
            + "--username 'alice@example.com'"
    }
    private static let thisBoot = String(repeating: "b", count: 32)
    private static let removed = ["! a damaged journal file was removed: \(name)"]

    static let all = [
        Left(testDescription: "of another boot", report: ["! \(told)"], after: file(["reported": "1"])),
        Left(
            testDescription: "of a name that a command could not have as it is",
            content: file(["login_name": "o'neill@example.com"]),
            report: [
                "! \(about): the session ended in a crash, and its tokens were not revoked. According to this "
                    + "machine's configuration and clock, the tokens expire in 2 days. To revoke them: "
                    + "AdminUserGlobalSignOut for this user"
            ], after: file(["login_name": "o'neill@example.com", "reported": "1"])),
        Left(
            testDescription: "said before", content: file(["reported": "1"]), after: file(["reported": "1"])),
        Left(
            testDescription: "its tokens should have ended, by a clock that may be wrong",
            content: file(["expires": "1799000000"]), report: ["! \(toldLate)"],
            after: file(["expires": "1799000000", "reported": "1"])),
        Left(
            testDescription: "said before, and its tokens should have ended",
            content: file(["expires": "1799400000", "reported": "1"]),
            after: file(["expires": "1799400000", "reported": "1"])),
        Left(
            testDescription: "said before, and its tokens should have ended a week ago",
            content: file(["expires": "1799000000", "reported": "1"]), report: ["! \(givenUp)"]),
        Left(
            testDescription: "given up, and it cannot go",
            content: file(["expires": "1799000000", "reported": "1"]),
            prepare: { machine in machine.canDropJournal = false }, report: ["! \(givenUp)"],
            after: file(["expires": "1799000000", "reported": "1"]), left: 1),
        Left(
            testDescription:
                "of this boot, the PAM application is still running, though its tokens should have ended a week ago",
            content: file(["boot": thisBoot, "expires": "1799000000"]),
            after: file(["boot": thisBoot, "expires": "1799000000"])),
        Left(
            testDescription: "of this boot, the PAM application is still running", content: file(["boot": thisBoot]),
            after: file(["boot": thisBoot])),
        Left(
            testDescription: "of this boot, the PAM application has ended", content: file(["boot": thisBoot]),
            prepare: { machine in machine.dead = [300] }, report: ["! \(told)"],
            after: file(["boot": thisBoot, "reported": "1"])),
        Left(
            testDescription: "of this boot, its host cannot be looked at", content: file(["boot": thisBoot]),
            prepare: { machine in machine.unseen = [300] }, after: file(["boot": thisBoot])),
        Left(
            testDescription: "of another container of this boot",
            content: file(["boot": thisBoot, "pid_namespace": "77"]),
            prepare: { machine in machine.dead = [300] }, after: file(["boot": thisBoot, "pid_namespace": "77"])),
        Left(
            testDescription: "the boot is not known", prepare: { machine in machine.bootID = nil }, after: file()),
        Left(testDescription: "garbage", content: "\u{1}\n", report: removed),
        Left(testDescription: "empty", content: "", report: removed),
        Left(testDescription: "cut short", content: String(file().dropLast(12)), report: removed),
        Left(testDescription: "a number that is none", content: file(["expires": "never"]), report: removed),
        Left(
            testDescription: "a number too large", content: file(["expires": String(repeating: "9", count: 19)]),
            report: removed),
        Left(testDescription: "nobody's", content: file(["user": ""]), report: removed),
        Left(
            testDescription: "of another version", content: file(version: "2"), after: file(version: "2")),
        Left(testDescription: "another name", named: "README", after: file()),
        Left(testDescription: "a name with a path", named: "../0123.1", after: file()),
        Left(
            testDescription: "a link", prepare: { machine in machine.journalFault = .notRegular }, report: removed),
        Left(
            testDescription: "somebody else's", prepare: { machine in machine.journalFault = .wrongOwner },
            report: removed),
        Left(testDescription: "huge", prepare: { machine in machine.journalFault = .tooLarge }, report: removed),
        Left(
            testDescription: "a folder",
            prepare: { machine in
                machine.journalFault = .notRegular
                machine.canDropJournal = false
            },
            report: [
                """
                ! \(name) in the journal does not belong to pam-cognito and cannot be removed. Remove the entry \
                manually
                """
            ],
            after: file(),
            left: 1),
        Left(
            testDescription: "on a disk that fails",
            prepare: { machine in machine.journalFault = .unreadable(.ioError) },
            report: ["! the journal file \(name) cannot be read; check the disk"], after: file(), left: 1),
        Left(
            testDescription: "gone while it is looked at", prepare: { machine in machine.journalFault = .missing },
            after: file()),
        Left(
            testDescription: "the folder is somebody else's",
            prepare: { machine in machine.journalError = .notPermitted },
            report: [
                "! the journal /var/lib/pam-cognito/journal cannot be read (errno 1); root must own its directory"
            ], after: file(), left: 1),
    ]
}

/// What comes of a session that a crash left where the machine has an IAM identity.
private struct SignOut: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var content = file()
    var scope = ReaperScope.due
    var script: [Act]? = [.signedOut()]
    var prepare: @Sendable (FakeMachine) -> Void = { _ in }
    var report: [String] = []
    var isAsked = false
    /// The file as it is afterwards; nil: it is gone.
    var after: String?

    private static let who = about.replacing("session left over", with: "signed out")
    private static let done = ["  \(who) outcome=revoked_everywhere: the session ended in a crash"]
    private static let failed = about.replacing("session left over", with: "sign-out not finished")

    static let all = [
        SignOut(testDescription: "signed out", report: done, isAsked: true),
        SignOut(
            testDescription: "no such user any more", script: [.signedOut(.onlySession(.userGone))],
            report: ["  \(who) outcome=user_gone: the session ended in a crash"], isAsked: true),
        SignOut(
            testDescription: "said before there were keys", content: file(["reported": "1"]), report: done,
            isAsked: true),
        SignOut(
            testDescription: "keys without the right", script: [.failed(.configuration, log: "AWS refused")],
            report: ["! \(failed): the session ended in a crash: AWS refused"], isAsked: true,
            after: file(["attempts": "1", "next_attempt": "1800000000"])),
        SignOut(
            testDescription: "a third time", content: file(["attempts": "2"]),
            script: [.failed(.unreachable, log: "no way")],
            report: ["! \(failed): the session ended in a crash: no way"], isAsked: true,
            after: file(["attempts": "3", "next_attempt": "1800000060"])),
        SignOut(
            testDescription: "too early", content: file(["attempts": "3", "next_attempt": "1800000060"]),
            after: file(["attempts": "3", "next_attempt": "1800000060"])),
        SignOut(
            testDescription: "too early, but wanted", content: file(["attempts": "3", "next_attempt": "1800000060"]),
            scope: .now, report: done, isAsked: true),
        SignOut(
            testDescription: "the clock was set back", content: file(["attempts": "3", "next_attempt": "1800000901"]),
            report: done, isAsked: true),
        SignOut(
            testDescription: "its tokens should have ended long ago, by a clock that may be wrong",
            content: file(["expires": "1000"]), report: done, isAsked: true),
        SignOut(
            testDescription: "in vain for a day, and its tokens should have ended",
            content: file(["attempts": "100", "expires": "1799400000"]), report: done, isAsked: true),
        SignOut(
            testDescription: "given up", content: file(["attempts": "100", "expires": "1799000000"]),
            report: ["! \(givenUp)"]),
        SignOut(
            testDescription: "its person is here again", prepare: { machine in _ = Sample().add(to: machine) },
            after: file()),
        SignOut(
            testDescription: "its person signs in at this moment",
            prepare: { machine in machine.isCounting = true }, after: file()),
        SignOut(
            testDescription: "its person is here again, in another pool",
            prepare: { machine in _ = Sample(pool: "eu-west-1_Another").add(to: machine) },
            report: done, isAsked: true),
        SignOut(
            testDescription: "somebody else is here", prepare: { machine in _ = Sample(user: "bob").add(to: machine) },
            report: done, isAsked: true),
        SignOut(
            testDescription: "the keys cannot be read",
            prepare: { machine in machine.iamFault = Fault("/keys: iam_credentials_file is empty") },
            report: ["! \(failed): the session ended in a crash: /keys: iam_credentials_file is empty"],
            after: file(["attempts": "1", "next_attempt": "1800000000"])),
        SignOut(
            testDescription: "no answer", script: [.wait(20_000), .signedOut()],
            report: ["! \(failed): the session ended in a crash: Cognito did not answer in time"], isAsked: true,
            after: file(["attempts": "1", "next_attempt": "1800000000"])),
        SignOut(
            testDescription: "no worker", script: nil,
            report: ["! \(failed): the session ended in a crash: the worker cannot be started"],
            after: file(["attempts": "1", "next_attempt": "1800000000"])),
    ]
}

@Suite struct JournalTests {
    @Test(
        "an open session is in the journal, and no secret of it; its end strikes it out before the registry forgets it")
    func session() throws {
        let world = World.open("journal = yes")
        let machine = world.machine
        let written = try #require(machine.journal["1001.1001"])
        #expect(Set(machine.journal.keys) == ["1001.1001"])
        let record = try #require(JournalRecord.decode(Array(written.utf8)))
        #expect(text(record.user) == "alice" && record.host == machine.process && record.boot == machine.bootID)
        #expect(text(record.userPoolID) == "eu-west-1_AbCdEf123" && record.pidNamespace == machine.pidNamespace)
        #expect(record.expires == machine.registry.sessions.first?.expires && !record.isReported)
        for secret in Secrets.all {
            #expect(!written.contains(secret))
        }
        #expect(machine.reap().report == [] && machine.journal.count == 1, "what the registry knows is not left over")
        machine.scripts = [[.signedOut()]]
        #expect(world.closeSession() == .success)
        #expect(machine.journal.isEmpty && machine.registry.entries.isEmpty && machine.struckOutWhileKnown)
    }

    @Test(
        "nothing is written unless it is wanted, and where tokens may live on",
        arguments: ["", "journal = no", "journal = yes\nsign_out = none"])
    func nothing(configuration: String) {
        #expect(World.open(configuration).machine.journal.isEmpty)
    }

    @Test("what is known to be dead is in the journal no longer either")
    func forgotten() throws {
        let world = World.open("journal = yes")
        let key = try #require(world.machine.entry(at: KeySerial(1001)))
        SessionEnding(machine: world.machine).forget(key)
        #expect(world.machine.journal.isEmpty && world.machine.registry.entries.isEmpty)
        #expect(world.machine.struckOutWhileKnown)
    }

    @Test("a sign-out that is not finished stays in the journal")
    func unfinished() {
        let world = World.open("journal = yes")
        world.machine.scripts = [[.failed(.unreachable)]]
        #expect(world.closeSession() == .success)
        #expect(world.machine.journal.count == 1)
    }

    @Test("a disk that is full keeps nobody out, and the log says what follows")
    func full() {
        let world = World.signedIn("journal = yes")
        world.machine.journalError = ErrorNumber(ENOSPC)
        #expect(world.openSession() == .success)
        #expect(
            world.host.takeLog() == [
                "WARNING the session of 'alice' cannot be written to /var/lib/pam-cognito/journal (errno 28). "
                    + "After a power cut, the session's tokens would stay valid, and no log line would mention them. "
                    + "Check the disk, and check that root owns the directory"
            ])
    }

    @Test(
        "what a crash left is told once, and dropped when its tokens should have ended a week ago", arguments: Left.all)
    private func left(left: Left) {
        let machine = FakeMachine()
        machine.journal = [left.named: left.content]
        left.prepare(machine)
        let round = machine.reap()
        #expect(round.report == left.report)
        #expect(round.left == left.left)
        #expect(machine.journal[left.named] == left.after)
    }

    @Test("with an IAM identity, whose session a crash left is signed out", arguments: SignOut.all)
    private func signOut(one: SignOut) {
        let machine = FakeMachine()
        machine.configuration = FakeMachine.configuration("check_interval = 0\niam_credentials_file = /keys")
        machine.journal = [name: one.content]
        machine.scripts = one.script.map { script in [script] } ?? []
        one.prepare(machine)
        let round = machine.reap(one.scope)
        #expect(round.report == one.report)
        #expect((round.left == 0) == (one.after == nil || one.testDescription.contains("here again")))
        #expect(machine.workers.flatMap(\.kinds) == (one.isAsked ? [.adminSignOut] : []))
        #expect(machine.journal[name] == one.after)
    }

    @Test("an identity of the instance's metadata is asked for by the worker; of a file, it is given its bytes")
    func identity() {
        for (option, field) in [
            ("iam_instance_metadata = yes", Field.instanceMetadata), ("iam_credentials_file = /keys", .credentials),
        ] {
            let machine = FakeMachine()
            machine.configuration = FakeMachine.configuration(option)
            machine.journal = [name: file()]
            machine.scripts = [[.signedOut()]]
            #expect(machine.reap().left == 0 && machine.journal.isEmpty)
            let worker = machine.workers.last
            #expect([Field.instanceMetadata, .credentials].filter { one in worker?.field(one) != nil } == [field])
            #expect(worker?.field(.tellsReach) == [1])
        }
    }

    @Test("a person is asked about once for all of their sessions, and a pool that fails once for all")
    func once() {
        let machine = FakeMachine()
        machine.configuration = FakeMachine.configuration("iam_credentials_file = /keys")
        machine.journal = ["ab.1": file(), "ab.2": file(), "ab.3": file(["login_name": "bob@example.com"])]
        machine.scripts = [[.signedOut()], [.failed(.configuration, log: "no right")]]
        #expect(machine.reap().left == 1)
        #expect(machine.workers.count == 2 && Set(machine.journal.keys) == ["ab.3"])
        machine.journal["ab.4"] = file(["login_name": "carol@example.com"])
        machine.scripts = [[.failed(.unreachable, log: "no way")]]
        #expect(machine.reap().left == 2)
        #expect(machine.workers.count == 3 && machine.journal["ab.4"] == file(["login_name": "carol@example.com"]))
    }

    @Test("--dry-run changes nothing, and says what is left alone")
    func dryRun() {
        let machine = FakeMachine()
        machine.journal = [name: file(), "ab.1": file(["boot": String(repeating: "b", count: 32)]), "cd.2": "?"]
        let before = machine.journal
        let report = machine.reap(dryRun: true).report
        #expect(machine.journal == before && report.count == 3 && machine.cleared == 0)
        #expect(report.contains { line in line.hasPrefix("  \(about): the session ended in a crash") })
        #expect(report.contains { line in line.hasSuffix(": no change: the PAM application is still running") })
        #expect(report.contains("! a damaged journal file would be removed: cd.2"))
    }

    @Test("nothing is taken for left over while the registry cannot be read, nor while the machine stops")
    func notNow() {
        let machine = FakeMachine()
        machine.journal = [name: file()]
        #expect(machine.reap(.everything).report == [])
        machine.entriesError = .permissionDenied
        #expect(machine.reap().left == 1)
        #expect(machine.journal == [name: file()])
    }

    @Test("a record that could not be read again is not written", arguments: ["alice\n", ""])
    func lines(user: String) throws {
        var record = try #require(JournalRecord.decode(Array(file().utf8)))
        #expect(record.encode().map(text) == file())
        record.user = Array(user.utf8)
        #expect(record.encode() == nil)
    }
}
