import Keyring
import Testing

@Suite("What a key with credentials is called") struct CredentialLabelTests {
    private static func label(_ line: String) -> CredentialLabel? {
        KeyDescription(parsing: Array(line.utf8)).flatMap { description in CredentialLabel(description) }
    }

    @Test("is read as it is written", arguments: ["default", "a.b-c_D9", "a:b"])
    func roundTrip(name: String) {
        let label = CredentialLabel(name: Array(name.utf8), freshUntil: 1_800_000_000, end: 1_800_000_900)
        let text = String(decoding: label.description, as: UTF8.self)
        #expect(text == "cognito-aws:1800000000:1800000900:\(name)")
        #expect(Self.label("user;0;0;0b3f0000;\(text)") == label)
    }

    @Test(
        "is nothing else, and of nobody but root",
        arguments: [
            "user;1000;0;0b3f0000;cognito-aws:1:2:n", "user;0;0;3f3f0000;cognito-aws:1:2:n",
            "user;0;0;0b3f0001;cognito-aws:1:2:n", "logon;0;0;0b3f0000;cognito-aws:1:2:n",
            "user;0;0;0b3f0000;cognito-aws:1:2", "user;0;0;0b3f0000;cognito-aws:-1:2:n",
            "user;0;0;0b3f0000;cognito-aws::2:n", "user;0;0;0b3f0000;cognito-aws:1:9999999999999999:n",
            "user;0;0;0b3f0000;cognito:1:2:n", "user;0;0;0b3f0000;cognito-aws",
        ])
    func others(line: String) {
        #expect(Self.label(line) == nil)
    }
}
