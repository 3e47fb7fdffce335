import Accounts
import Base
import Testing

@testable import AccountFakes

/// An answer of other sources, the existing record, and the result of entering the account.
private struct Entering: CustomTestStringConvertible, Sendable {
    enum Before: Sendable {
        case nobody
        case the(AccountRecord.State)
    }

    let testDescription: String
    let verdict: SourceAnswer.SourceVerdict
    var uid: UInt32 = 70_000
    let before: Before
    let refusal: AccountRefusal?

    private static let known = KnownElsewhere(source: bytes("ldap"), .userID(of: bytes("lea")), uid: 0)
    private static let silent = SourceAnswer.SourceVerdict.silent(bytes("ldap"))

    static let all = [
        Entering(testDescription: "known to nobody", verdict: .nobody, before: .nobody, refusal: nil),
        Entering(
            testDescription: "known, somebody new", verdict: .known(known), before: .nobody,
            refusal: .elsewhere(known, 70_000)),
        Entering(
            testDescription: "known, entered before", verdict: .known(known), before: .the(.enabled),
            refusal: .elsewhere(known, 70_000)),
        Entering(
            testDescription: "no answer, somebody new", verdict: silent, before: .nobody,
            refusal: .silent(bytes("ldap"))),
        Entering(testDescription: "no answer, entered before", verdict: silent, before: .the(.enabled), refusal: nil),
        Entering(testDescription: "no answer, barred", verdict: silent, before: .the(.barred), refusal: nil),
        Entering(
            testDescription: "no answer, locked", verdict: silent, before: .the(.locked),
            refusal: .silent(bytes("ldap"))),
        Entering(
            testDescription: "no answer, forgotten", verdict: silent, before: .the(.forgotten),
            refusal: .silent(bytes("ldap"))),
        Entering(
            testDescription: "asked about another number", verdict: .nobody, uid: 70_001, before: .nobody,
            refusal: .silent([])),
    ]
}

@Suite(.needsRoot) struct OtherSourcesTests {
    private let folder = Folder()
    private let machine = Folder()

    @Test(
        "nobody new is entered without an answer, and nobody at all whom another source knows", arguments: Entering.all)
    private func entering(entering: Entering) throws {
        let rules = AccountRules(local: localNames(in: machine))
        let writer = try AccountWriter(at: folder.path)
        if case .the(let state) = entering.before {
            try writer.enter(person(), by: rules, at: 1)
            _ = try writer.set(state, of: bytes("ana"), at: 2)
        }
        var changed = person()
        changed.realName = bytes("Ana L.")
        let answer = SourceAnswer(of: bytes("ana"), entering.uid, entering.verdict)
        let refusal = refusal { _ = try writer.enter(changed, by: rules, answer, at: 3) }
        #expect(refusal == entering.refusal)
        #expect((try writer.store.record(named: bytes("ana"))?.realName == changed.realName) == (refusal == nil))
    }

    @Test(
        "nobody new gets a user id that is among somebody's subordinate ones; who has one keeps it",
        arguments: [
            ("", nil), ("leo:70000:1\n", "leo"), ("leo:69990:11\n", "leo"), ("leo:69990:10\n", nil),
            ("leo:70001:5\n", nil),
            ("# x\n1:2\nleo:100000:65536\n1000:65536:34464", "1000"), ("leo:70000:0\n", nil), ("leo:-1:99999\n", nil),
            ("leo:70000:1:9\n", nil), ("leo:69999:4294967295\n", "leo"), ("leo:70000:99999999999999999999\n", nil),
        ])
    func subordinateIDs(file: String, owner: String?) throws {
        let local = localNames(in: machine, subordinate: file)
        #expect(try local.subordinateOwner(of: 70_000)?.owner == owner.map(bytes))
        let writer = try AccountWriter(at: folder.path)
        #expect(
            refusal { try writer.enter(person(), by: AccountRules(local: local), at: 1) }
                == owner.map { owner in .subordinate(70_000, of: bytes(owner), in: bytes(machine.path + "/subuid")) })
        try writer.enter(person(), by: AccountRules(local: localNames(in: machine)), at: 2)
        _ = localNames(in: machine, subordinate: file)
        var changed = person()
        changed.groups = []
        try writer.enter(changed, by: AccountRules(local: local), at: 3)
        // A forgotten account starts as a new one.
        _ = try writer.set(.forgotten, of: bytes("ana"), at: 4)
        let again = refusal { try writer.enter(changed, by: AccountRules(local: local), at: 5) }
        #expect((again == nil) == (owner == nil))
    }
}

@Suite struct NameServiceTests {
    @Test(
        "the sources of nsswitch.conf are found as the C library finds them",
        arguments: [
            ("", ["files"]), ("group: ldap\n", ["files"]), ("passwd: files systemd", ["files", "systemd"]),
            ("  passwd :\tfiles  sss # ldap\n", ["files", "sss"]), ("#passwd: ldap\npasswd:\n", []),
            ("passwd: files [NOTFOUND=return] ldap\n", ["files", "ldap"]),
            ("passwd: files[!UNAVAIL=return  SUCCESS=merge]ldap[x=y]\n", ["files", "ldap"]),
            ("passwd: files\npasswd: ldap files\n", ["files", "ldap"]), ("passwd_compat: nis\n", ["files"]),
        ])
    func services(text: String, expected: [String]) {
        let found = nameServices(of: bytes("passwd"), in: bytes(text))
        #expect(found.map { name in String(decoding: name, as: UTF8.self) } == expected)
    }

    @Test(
        "a source behind ours is found",
        arguments: [
            ("passwd: files systemd", nil), ("passwd: files ldap systemd", nil), ("passwd: systemd files", nil),
            ("passwd: files systemd [NOTFOUND=return] sss", "sss"), ("passwd: systemd\npasswd: ldap\n", "ldap"),
            ("passwd: ldap\n", nil),
        ])
    func behind(text: String, expected: String?) {
        #expect(sourceBehindOurs(in: bytes(text)) == expected.map(bytes))
    }

    @Test("packets are read as they were written, and what is none is not")
    func packets() {
        let (ldap, lea) = (bytes("ldap"), bytes("lea"))
        let conflicts: [LocalNames.Conflict] = [.user, .group, .userID(of: lea), .groupID(of: lea)]
        let reports: [SourceReport] =
            [.asking(ldap), .verdict(.nobody), .verdict(.silent(ldap)), .verdict(.silent([]))]
            + conflicts.map { conflict in .verdict(.known(KnownElsewhere(source: ldap, conflict, uid: 4_000_000_000))) }
        for report in reports {
            #expect(SourceReport(decoding: report.packet) == report)
            #expect(SourceReport(decoding: [9] + report.packet) == nil)
            #expect(SourceReport(decoding: Array(report.packet.prefix(6))) == nil)
        }
        let question = SourceQuestion(bytes("ana"), 70_000)
        #expect(SourceQuestion(decoding: question.packet) == question)
        for packet in [[], [0, 0, 0, 0], question.packet + [0], question.packet + [UInt8](repeating: 0x61, count: 64)] {
            #expect(SourceQuestion(decoding: packet) == nil)
        }
    }
}
