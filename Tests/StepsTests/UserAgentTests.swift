import HTTPClient
import Messages
import Protocol
import Steps
import Testing

@Suite("What Cognito's list of sessions shows") struct UserAgentTests {
    private func sent(host: String?, service: [UInt8]?) -> String? {
        let step = Step()
        let root = step.run(
            [Step.signIn(agentService: service), Step.answer(), Step.registered], on: host)
        #expect(root.last?.kind == .signedIn)
        #expect(step.pool.settings.count == 1)
        return step.pool.settings.first?.userAgent
    }

    @Test("this machine, and the service of the session")
    func names() {
        #expect(sent(host: "web1", service: Array("sshd".utf8)) == "pam-cognito/\(version) (Linux; web1; sshd)")
        #expect(sent(host: "web1.example.com", service: nil) == "pam-cognito/\(version) (Linux; web1.example.com)")
        #expect(sent(host: nil, service: Array("sshd".utf8)) == "pam-cognito/\(version) (Linux; unnamed; sshd)")
    }

    @Test(
        "nothing that could end the header, or look like another part of it",
        arguments: [
            "a\r\nX-Amz-Target: GlobalSignOut", "a;b", "a)b", "(", "\u{1b}[2J", "\"", "a b", "ü", "日本", "", "\0",
            String(repeating: "x", count: 5000),
        ])
    func cleaned(name: String) {
        for text in [sent(host: name, service: Array("su".utf8)), sent(host: "h", service: Array(name.utf8))] {
            let text = text ?? ""
            #expect(text.hasPrefix("pam-cognito/\(version) (Linux; ") && text.hasSuffix(")"))
            let inner = text.utf8.drop { byte in byte != UInt8(ascii: "(") }.dropFirst().dropLast()
            #expect(
                inner.allSatisfy { byte in
                    (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                        || "-._; ".utf8.contains(byte)
                })
            #expect(inner.count { byte in byte == UInt8(ascii: ";") } <= 2)
            #expect(text.utf8.count < 180)
        }
        #expect(sent(host: "h", service: [0xff, 0xfe])?.hasSuffix("(Linux; h; __)") == true)
    }
}
