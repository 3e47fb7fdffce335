import Testing
import TokenSigning
import Tokens

@Suite struct SecretValueTests {
    @Test("secrets are equal by their bytes")
    func equality() {
        let pairs: [(SecretValue, SecretValue, Bool)] = [
            ("abc", "abc", true), ("abc", "abd", false), ("abc", "ab", false), ("", "", true),
            ("\u{e9}", "e\u{301}", false),
        ]
        for (left, right, areEqual) in pairs {
            #expect((left == right) == areEqual)
        }
    }

    @Test("a secret in JSON is written as it is, and read as a secret only where that is said")
    func json() throws {
        let written = try #require(JSONValue.object(["a": .secret("x\"ñ"), "b": .string("y")]).serialized)
        #expect(String(decoding: written, as: UTF8.self) == #"{"a":"x\"ñ","b":"y"}"#)
        let read = JSONValue(parsing: written.span.bytes, secrets: ["a"])
        #expect(read?["a"]?.secret == "x\"ñ" && read?["a"]?.text == nil)
        #expect(read?["b"]?.text == "y" && read?["b"]?.secret == nil)
        #expect(JSONValue(parsing: written)?["a"]?.text == "x\"ñ")
    }

    @Test(
        "what is said of a secret does not show it",
        arguments: ["\(SecretValue("pass"))", "\(JSONValue.secret("pass"))"])
    func description(text: String) {
        #expect(!text.contains("pass"))
    }
}
