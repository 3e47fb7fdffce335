import Base
import Sessions
import Testing

@testable import Fakes

/// The fields of an entry, read as systemd-journald reads them.
private func fields(_ line: LogLine, shown: String? = nil) -> [String: String] {
    let entry = JournalEntry(
        line, shown: shown.map { shown in ByteText(Array(shown.utf8)) } ?? line.rendered, severity: 5,
        of: Array("sshd".utf8), process: 42)
    var rest = entry.bytes[...]
    var found: [String: String] = [:]
    while let end = rest.firstIndex(of: 0x0a) {
        let name = text(Array(rest[..<end]))
        rest = rest[(end + 1)...]
        let size = rest.prefix(8).reversed().reduce(0) { size, byte in size << 8 | Int(byte) }
        rest = rest.dropFirst(8)
        #expect(found.updateValue(text(Array(rest.prefix(size))), forKey: name) == nil)
        rest = rest.dropFirst(size)
        #expect(rest.first == 0x0a)
        rest = rest.dropFirst()
    }
    #expect(rest.isEmpty)
    return found
}

private let usual = [
    "PRIORITY": "5", "SYSLOG_FACILITY": "10", "SYSLOG_IDENTIFIER": "sshd", "SYSLOG_PID": "42",
]

@Suite struct JournalEntryTests {
    @Test(
        "fields of a line",
        arguments: [
            (
                .event(
                    .signedIn,
                    [
                        "user": .outside(Array("ana".utf8)), "session": "7", "service": .outside(Array("sshd".utf8)),
                        "rhost": .outside([]), "pool": "p",
                    ]), "signed in; user='ana' session=7 service='sshd' rhost='' pool=p",
                [
                    "MESSAGE_ID": "781453df0251f12d0ffd85293afe0100", "COGNITO_EVENT": "signed in",
                    "COGNITO_USER": "ana",
                    "COGNITO_SESSION": "7", "COGNITO_SERVICE": "sshd", "COGNITO_RHOST": "", "COGNITO_POOL": "p",
                ]
            ),
            (
                .event(
                    .authenticationFailure, ["user": .outside(Array("a".utf8))], reason: "unreachable",
                    text: "no reason=group"), "authentication failure; user='a' reason=unreachable: no reason=group",
                [
                    "MESSAGE_ID": "781453df0251f12d0ffd85293afe0006", "COGNITO_EVENT": "authentication failure",
                    "COGNITO_USER": "a", "COGNITO_REASON": "unreachable",
                ]
            ),
            (
                .event(.requestRefused, ["uid": "7"], reason: "made_up", text: "x"),
                "request refused; uid=7 reason=made_up: x",
                ["COGNITO_EVENT": "request refused", "COGNITO_UID": "7", "COGNITO_REASON": "made_up"]
            ),
            (
                .event(.renewed, ["user": .outside(Array("x' reason=y\n".utf8))]), "renewed; user='x? reason=y?'",
                ["COGNITO_EVENT": "renewed", "COGNITO_USER": "x? reason=y?"]
            ),
            ("/etc/x: line 3 has\nPRIORITY=0", "/etc/x: line 3 has\nPRIORITY=0", [:]),
            ("signed in; user='ana'", "signed in; user='ana'", [:]), ("", "", [:]),
        ] as [(LogLine, String, [String: String])]
    )
    func fieldsOfALine(line: LogLine, shown: String, expected: [String: String]) {
        let all = expected.merging(usual) { own, _ in own }.merging(["MESSAGE": shown]) { own, _ in own }
        #expect(fields(line) == all)
    }

    @Test("what is shown may be anything")
    func shown() {
        let wild = "pam_cognito(x\nPRIORITY=0\n:auth): " + String(repeating: "\u{0}\n=", count: 400)
        #expect(fields(.event(.renewed, ["user": "a"]), shown: wild)["MESSAGE"] == wild)
    }
}
