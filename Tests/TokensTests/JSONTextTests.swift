import Testing
import Tokens

@Suite("JSON is read and written as RFC 8259 has it")
struct JSONTextTests {
    private static func read(_ text: String) -> JSONValue? {
        JSONValue(parsing: Array(text.utf8))
    }

    @Test(
        "numbers",
        arguments: [
            ("0", .integer(0)), ("-0", .integer(0)), ("-12", .integer(-12)), ("9223372036854775807", .integer(.max)),
            ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .number(9_223_372_036_854_775_808)),
            ("1.5", .number(1.5)), ("-1.5e-3", .number(-0.0015)), ("2E+2", .number(200)), ("1.0", .number(1)),
            ("00", nil), ("-", nil), ("+1", nil), (".5", nil), ("1.", nil), ("1e", nil), ("1e+", nil), ("0x1", nil),
            ("1e999", nil), ("NaN", nil), ("Infinity", nil), ("1 2", nil), ("1_000", nil),
        ] as [(String, JSONValue?)])
    func numbers(text: String, expected: JSONValue?) {
        #expect(Self.read(text) == expected)
    }

    @Test(
        "strings",
        arguments: [
            (#""""#, ""), (#""a\"\\\/\b\f\n\r\t""#, "a\"\\/\u{8}\u{c}\n\r\t"), (#""\u00e1\u00C1\u0000""#, "áÁ\0"),
            (#""\ud83d\ude00""#, "😀"), (#""ñ😀""#, "ñ😀"), (#""\ud83d""#, nil), (#""\ude00""#, nil),
            (#""\ud83dx""#, nil), (#""\ud83d\u0041""#, nil), (#""\u12""#, nil), (#""\u12g4""#, nil), (#""\x""#, nil),
            (#""\"#, nil), ("\"\n\"", nil), ("\"\u{7f}\"", "\u{7f}"), ("\"", nil), (#""\u１２３４""#, nil),
        ] as [(String, String?)])
    func strings(text: String, expected: String?) {
        #expect(Self.read(text)?.text.map { text in Array(text.utf8) } == expected.map { text in Array(text.utf8) })
    }

    @Test(
        "arrays and objects",
        arguments: [
            ("[]", .array([])), (" [ 1 , 2 ] ", .array([.integer(1), .integer(2)])), ("[1,]", nil), ("[,1]", nil),
            ("[1 2]", nil), ("[1", nil), ("]", nil), ("{}", .object([:])),
            ("{ \"a\" : [ ] }", .object(["a": .array([])])), ("{\"a\":1,}", nil), ("{\"a\" 1}", nil), ("{a:1}", nil),
            ("{1:1}", nil), ("{\"a\":}", nil), ("{\"a\":1", nil), ("{\"a\":1,\"a\":1}", nil), ("{}{}", nil),
            ("\u{feff}{}", nil), ("{}\0", nil), ("\u{b}1", nil),
        ] as [(String, JSONValue?)])
    func structures(text: String, expected: JSONValue?) {
        #expect(Self.read(text) == expected)
    }

    @Test("a text that is nested too deep is refused, and the stack holds")
    func depth() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(Self.read(nested(2000)) != nil)
        #expect(Self.read(nested(1_000_000)) == nil)
    }

    @Test("what is written is read back as the same, in the shortest form, with members in order")
    func writing() throws {
        let value = JSONValue.object([
            "b": .array([.integer(.min), .number(0.1), .number(1e300), .boolean(true), .boolean(false), .null]),
            "a/b": .string("\u{0}\u{1f}\u{7f}\"\\/\n\r\t\u{8}\u{c}ñ😀"), "Z": .object([:]), "á": .array([]),
        ])
        let written = try #require(value.serialized)
        #expect(JSONValue(parsing: written) == value)
        #expect(
            String(decoding: written, as: UTF8.self).hasPrefix(
                #"{"Z":{},"a/b":"\u0000\u001F\#u{7f}\"\\/\n\r\t\b\fñ😀","b":[-9223372036854775808,0.10000000000000001,"#
            )
        )
        #expect(JSONValue.array([.number(.infinity)]).serialized == nil)
    }
}
