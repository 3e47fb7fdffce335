import Keyring
import Testing

@Suite struct KeyDescriptionTests {
    @Test(
        "what keyctl_describe(3) says is taken apart",
        arguments: [
            ("user;0;0;003f0000;pam-cognito:s:00", 0, 0x003f_0000, "pam-cognito:s:00"),
            ("user;5001;100;3f010000;a;b;;c", 5001, 0x3f01_0000, "a;b;;c"),
            ("user;4294967295;0;ffffffff;", UInt32.max, UInt32.max, ""),
            ("user;0;not looked at;0;x", 0, 0, "x"),
        ] as [(String, UInt32, UInt32, String)]
    )
    func wellFormed(line: String, uid: UInt32, mask: UInt32, text: String) throws {
        let description = try #require(KeyDescription(parsing: Array(line.utf8)))
        #expect(description.type == Array("user".utf8))
        #expect(description.uid == uid)
        #expect(description.permissions == KeyPermissions(mask: mask))
        #expect(description.text == Array(text.utf8))
    }

    @Test(
        "what is not of that form is none",
        arguments: [
            "", ";", "user", "user;0;0;003f0000", "user;;0;003f0000;x", "user;-1;0;003f0000;x", "user;0x0;0;003f0000;x",
            "user;4294967296;0;003f0000;x", "user;99999999999;0;003f0000;x", "user;0;0;;x", "user;0;0;003F0000;x",
            "user;0;0;1003f0000;x", "user;0;0;003g0000;x", "user;a;0;003f0000;x", "user; 0;0;003f0000;x",
            "user;0;0; 3f;x",
        ]
    )
    func malformed(line: String) {
        #expect(KeyDescription(parsing: Array(line.utf8)) == nil)
    }

    @Test("random bytes never trap")
    func randomBytes() {
        let alphabet = Array(";;;;;;0123456789abcdefg\u{0}".utf8)
        for _ in 0..<5000 {
            let line = (0..<Int.random(in: 0...40)).map { _ in alphabet[Int.random(in: alphabet.indices)] }
            _ = KeyDescription(parsing: line)
        }
    }

    @Test("permissions are those of the design")
    func permissions() {
        #expect(KeyPermissions.tokenKey.mask == 0x0b3f_0000)
        #expect(KeyPermissions.rootOnly.mask == 0x003f_0000)
    }

    @Test("a token key is called after its pool and client")
    func tokenKey() {
        let description = TokenKey.description(userPoolID: Array("eu-west-1_A".utf8), clientID: Array("c".utf8))
        #expect(description == Array("cognito:eu-west-1_A:c".utf8))
    }
}
