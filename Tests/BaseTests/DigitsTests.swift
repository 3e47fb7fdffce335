import Base
import Testing

@Suite("Numbers in text")
struct DigitsTests {
    /// The text, and what it is as a decimal and as a hexadecimal number.
    struct Case: CustomTestStringConvertible {
        let text: String
        let decimal: Int64?
        let hexadecimal: Int64?
        var testDescription: String { text.debugDescription }
    }

    @Test(
        "are digits alone",
        arguments: [
            Case(text: "0", decimal: 0, hexadecimal: 0),
            Case(text: "000000000000000000042", decimal: nil, hexadecimal: nil),
            Case(text: "00000000000000000042", decimal: 42, hexadecimal: 66),
            Case(text: "1234567890", decimal: 1_234_567_890, hexadecimal: 0x12_3456_7890),
            Case(text: "9223372036854775807", decimal: .max, hexadecimal: nil),
            Case(text: "9223372036854775808", decimal: nil, hexadecimal: nil),
            Case(text: "99999999999999999999", decimal: nil, hexadecimal: nil),
            Case(text: "7fffffffffffffff", decimal: nil, hexadecimal: .max),
            Case(text: "8000000000000000", decimal: 8_000_000_000_000_000, hexadecimal: nil),
            Case(text: "abcdef", decimal: nil, hexadecimal: 0xabcdef),
            Case(text: "1f", decimal: nil, hexadecimal: 0x1f),
        ]
            + [
                "", "+1", "-1", "-0", " 1", "1 ", "1\n", "1\0", "1.0", "1e3g", "0x1", "1_000", "ABCDEF", "g", "/", ":",
                "`", "٣",
            ].map { text in Case(text: text, decimal: nil, hexadecimal: nil) })
    func numbers(_ sample: Case) {
        let digits = Array(sample.text.utf8)
        #expect(Int64(decimal: digits, atMost: 20) == sample.decimal)
        #expect(Int64(hexadecimal: digits, atMost: 20) == sample.hexadecimal)
    }

    @Test("have to fit their type", arguments: [("255", 255), ("256", nil), ("1000", nil)] as [(String, UInt8?)])
    func narrow(text: String, number: UInt8?) {
        #expect(UInt8(decimal: text.utf8, atMost: 4) == number)
        #expect(UInt32(decimal: "4294967295".utf8, atMost: 10) == .max)
        #expect(UInt32(decimal: "4294967296".utf8, atMost: 10) == nil)
        #expect(UInt64(hexadecimal: "ffffffffffffffff".utf8, atMost: 16) == .max)
        #expect(UInt64(decimal: "18446744073709551616".utf8, atMost: 20) == nil)
    }

    @Test("are written with two digits a byte")
    func written() {
        #expect(hexadecimal([]) == [])
        #expect(hexadecimal([0x00, 0x0f, 0xa9, 0xff]) == Array("000fa9ff".utf8))
    }

    @Test(
        "have the hashes of draft-eastlake-fnv, appendix C",
        arguments: [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)]
            as [(String, UInt64)])
    func hashes(text: String, hash: UInt64) {
        #expect(fnv1a(text.utf8) == hash)
    }
}
