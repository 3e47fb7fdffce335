import Base
import Glibc
import Testing

@testable import Agent

/// One process of a table.
private func process(
    _ id: Int32, under parent: Int32, session: Int32, user: UInt32?, at terminal: UInt32? = nil
) -> ProcessView {
    ProcessView(
        identity: ProcessIdentity(id: id, startTime: 7), parent: parent, session: session, user: user,
        terminal: terminal.map { minor in TerminalDevice(major: 136, minor: minor) })
}

private let person: UInt32 = 5001

/// A session that a process hosts, and what is found of it.
private struct Sitting: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var host = ProcessIdentity(id: 100, startTime: 7)
    let processes: [ProcessView]
    var terminals: [UInt32]
    var leaders: [Int32]

    static let all = [
        Sitting(
            testDescription: "sshd: its part for the person, and the shell",
            processes: [
                process(1, under: 0, session: 1, user: 0), process(100, under: 1, session: 100, user: 0),
                process(103, under: 102, session: 102, user: person, at: 3),
                process(101, under: 100, session: 100, user: person),
                process(102, under: 101, session: 102, user: person, at: 3),
                process(900, under: 1, session: 900, user: person, at: 9),
            ], terminals: [3], leaders: [101, 102]),
        Sitting(
            testDescription: "su: the shell is no leader, and the caller's shell is not meant",
            processes: [
                process(90, under: 1, session: 90, user: 5002, at: 4),
                process(100, under: 90, session: 90, user: nil, at: 4),
                process(101, under: 100, session: 90, user: person, at: 4),
                process(102, under: 101, session: 90, user: person, at: 4),
            ], terminals: [4], leaders: [101]),
        Sitting(
            testDescription: "the person's own shell hosts it",
            processes: [
                process(100, under: 1, session: 100, user: person, at: 5),
                process(101, under: 100, session: 100, user: person, at: 5),
                process(102, under: 101, session: 102, user: person, at: 6),
            ], terminals: [5, 6], leaders: [100, 102]),
        Sitting(
            testDescription: "no terminal, and somebody else's processes",
            processes: [
                process(100, under: 1, session: 100, user: 0), process(101, under: 100, session: 101, user: 0, at: 1),
                process(102, under: 101, session: 102, user: 5002, at: 2),
                process(103, under: 102, session: 103, user: person),
            ], terminals: [], leaders: [103]),
        Sitting(
            testDescription: "the host's number is another process's by now",
            host: ProcessIdentity(id: 100, startTime: 8),
            processes: [process(100, under: 1, session: 100, user: person, at: 5)], terminals: [], leaders: []),
        Sitting(
            testDescription: "a circle", processes: [process(100, under: 100, session: 1, user: person)],
            terminals: [], leaders: []),
    ]
}

@Suite struct ProcessTableTests {
    @Test("who sits where in a session that a process hosts", arguments: Sitting.all)
    private func sitting(sitting: Sitting) {
        let table = ProcessTable(sitting.processes)
        #expect(table.terminals(of: sitting.host, person).map(\.minor).sorted() == sitting.terminals)
        #expect(table.leaders(of: sitting.host, person).map(\.id).sorted() == sitting.leaders)
    }

    @Test("this process is in the table of all processes")
    func current() {
        let own = ProcessTable.current.leaders(of: .current, getuid())
        #expect(own.contains { leader in leader == .current } || getsid(0) != getpid())
    }

    @Test(
        "the login session that control groups name",
        arguments: [
            ("0::/user.slice/user-1000.slice/session-5.scope\n", "5"),
            ("1:name=systemd:/user.slice/user-1000.slice/session-c12.scope\n0::/\n", "c12"),
            ("0::/user.slice/user-1000.slice/session-5.scope/sub/group\n", "5"),
            ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/x.scope\n", nil),
            ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/session-5.scope\n", nil),
            ("0::/user.slice/user-1000.slice/session-5.scope/session-6.scope\n", "5"),
            ("0::/system.slice/sshd.service\n", nil), ("0::/session-.scope", nil), ("0::/session-5 --help.scope", nil),
            ("0::/session-../x.scope", nil), ("", nil), ("session-5.scope", nil), ("0::/session-5.scope", "5"),
        ] as [(String, String?)])
    func loginSessions(text: String, expected: String?) {
        #expect(loginSession(inControlGroups: Array(text.utf8)) == expected.map { id in Array(id.utf8) })
    }

    @Test("a signal reaches that very process, and no other of its number")
    func signal() throws {
        var child: pid_t = 0
        let name = strdup("sleep")
        let time = strdup("60")
        defer {
            free(name)
            free(time)
        }
        var arguments = [name, time, nil]
        try #require(posix_spawn(&child, "/bin/sleep", nil, nil, &arguments, nil) == 0)
        let process = ProcessIdentity(now: child)
        let another = ProcessIdentity(id: child, startTime: process.startTime + 1)
        #expect(throws: ErrorNumber.noSuchProcess) { try another.signal(SIGKILL) }
        try process.signal(SIGKILL)
        var status: CInt = 0
        #expect(waitpid(child, &status, 0) == child)
        #expect(status & 0x7f == SIGKILL)
        #expect(throws: ErrorNumber.noSuchProcess) { try process.signal(SIGKILL) }
    }
}
