import Base
import Sessions
import Testing

@testable import Fakes

/// The fields of an entry, read as systemd-journald reads them.
private func fields(_ line: String, shown: String? = nil) -> [String: String] {
    let entry = JournalEntry(
        ByteText(Array(line.utf8)), shown: ByteText(Array((shown ?? line).utf8)), severity: 5, of: Array("sshd".utf8),
        process: 42)
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
                "signed in; user='ana' session=7 service='sshd' rhost='' pool=p",
                [
                    "MESSAGE_ID": "781453df0251f12d0ffd85293afe0100", "COGNITO_EVENT": "signed in",
                    "COGNITO_USER": "ana",
                    "COGNITO_SESSION": "7", "COGNITO_SERVICE": "sshd", "COGNITO_RHOST": "", "COGNITO_POOL": "p",
                ]
            ),
            (
                "authentication failure; user='a' reason=unreachable: no reason=group",
                [
                    "MESSAGE_ID": "781453df0251f12d0ffd85293afe0006", "COGNITO_EVENT": "authentication failure",
                    "COGNITO_USER": "a", "COGNITO_REASON": "unreachable",
                ]
            ),
            (
                "request refused; uid=7 reason=made_up: x",
                ["COGNITO_EVENT": "request refused", "COGNITO_UID": "7", "COGNITO_REASON": "made_up"]
            ),
            ("/etc/x: line 3 has\nPRIORITY=0", [:]), ("; user='ana'", [:]), ("", [:]),
        ] as [(String, [String: String])]
    )
    func fieldsOfALine(line: String, expected: [String: String]) {
        #expect(fields(line) == expected.merging(usual) { own, _ in own }.merging(["MESSAGE": line]) { own, _ in own })
    }

    @Test("what is shown may be anything")
    func shown() {
        let wild = "pam_cognito(x\nPRIORITY=0\n:auth): " + String(repeating: "\u{0}\n=", count: 400)
        #expect(fields("renewed; user='a'", shown: wild)["MESSAGE"] == wild)
    }
}
