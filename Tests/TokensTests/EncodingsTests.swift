import Testing
import Tokens

@Suite struct Base64Tests {
    @Test(
        "the vectors of RFC 4648 section 10",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ]
    )
    func vectors(plain: String, text: String) {
        #expect(Base64.standard.encode(Array(plain.utf8)) == text)
        #expect(Base64.standard.decode(text) == Array(plain.utf8))
        let unpadded = String(text.prefix { character in character != "=" })
        #expect(Base64.url.encode(Array(plain.utf8)) == unpadded)
        #expect(Base64.url.decode(unpadded) == Array(plain.utf8))
    }

    @Test("the last two characters differ")
    func alphabets() {
        #expect(Base64.standard.encode([0xfb, 0xff]) == "+/8=")
        #expect(Base64.url.encode([0xfb, 0xff]) == "-_8")
        #expect(Base64.url.decode("+/8") == nil)
        #expect(Base64.standard.decode("-_8=") == nil)
    }

    @Test(
        "one spelling only",
        arguments: [
            "Zg=", "Zm9vZg=", "é===", "Zm9vé=", "\u{ff}9vZ", "Z\u{ff}vZ", "Zg", "Zg===", "Zh==", "Zm9=", "Z===", "=",
            "====", "Zm9v\n", "Z m9v",
        ])
    func strict(text: String) {
        #expect(Base64.standard.decode(text) == nil)
    }

    @Test("no padding and no loose bits in the URL form", arguments: ["Zg==", "Zh", "Z", "Zm9v=", "Zm8."])
    func strictURL(text: String) {
        #expect(Base64.url.decode(text) == nil)
    }
}

@Suite struct HexadecimalTests {
    @Test("digits of either case, odd counts as if padded")
    func decode() {
        #expect(Hexadecimal.decode("0aFf") == [0x0a, 0xff])
        #expect(Hexadecimal.decode("abc") == [0x0a, 0xbc])
        #expect(Hexadecimal.decode("") == nil)
        #expect(Hexadecimal.decode("0x10") == nil)
        #expect(Hexadecimal.encode([0, 0x9a]) == "009a")
    }
}

@Suite struct JSONValueTests {
    @Test("values are read by their kind")
    func kinds() throws {
        let value = try #require(
            JSONValue(parsing: Array(#"{"a":1,"b":1.5,"c":true,"d":null,"e":["x"],"f":{"g":"h"},"n":0}"#.utf8))
        )
        #expect(value["a"]?.seconds == 1)
        #expect(value["b"]?.seconds == 1)
        #expect(value["c"]?.flag == true)
        #expect(value["d"] == .null)
        #expect(value["e"]?.texts == ["x"])
        #expect(value["f"]?["g"]?.text == "h")
        #expect(value["n"]?.flag == nil)
    }

    @Test(
        "what is not JSON is nothing",
        arguments: ["", " ", "<html>", "{", "{\"a\"}", "nul", "{\"a\":1}x", "\"\u{1}\"", "01", "'a'"]
    )
    func malformed(text: String) {
        #expect(JSONValue(parsing: Array(text.utf8)) == nil)
    }

    @Test("deep nesting, broken UTF-8 and huge numbers do no harm")
    func hostile() {
        #expect(JSONValue(parsing: [UInt8](repeating: UInt8(ascii: "["), count: 100_000)) == nil)
        #expect(JSONValue(parsing: [0x22, 0xff, 0xfe, 0x22]) == nil)
        #expect(JSONValue(parsing: Array("1e30".utf8))?.seconds == nil)
        #expect(JSONValue(parsing: Array("-1e5".utf8))?.seconds == -100_000)
    }
}
