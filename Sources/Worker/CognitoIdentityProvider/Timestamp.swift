internal import Glibc

/// TIMESTAMP as the service signs it: `Tue Sep 5 14:03:07 UTC 2023`.
///
/// English names, UTC, the day without a zero or a space in front: the service parses other spellings and then reports
/// a wrong password, since it signs this one.
package enum Timestamp {
    /// The text for a time in seconds since the epoch; nil when it has none.
    package static func text(_ seconds: Int64) -> String? {
        spelled(seconds, "%a %b %-d %H:%M:%S UTC %Y")
    }

    /// A time as `2023-09-05T14:03:07Z` (RFC 3339); nil when it has none.
    static func standard(_ seconds: Int64) -> String? {
        spelled(seconds, "%Y-%m-%dT%H:%M:%SZ")
    }

    /// strftime(3). The names are those of the C locale: no program of ours chooses another (setlocale(3)).
    private static func spelled(_ seconds: Int64, _ form: String) -> String? {
        var time = time_t(seconds)
        var fields = unsafe tm()
        var text = [CChar](repeating: 0, count: 64)
        guard unsafe gmtime_r(&time, &fields) != nil else {
            return nil
        }
        let length = unsafe strftime(&text, text.count, form, &fields)
        return String(decoding: text.prefix(length).map(UInt8.init(truncatingIfNeeded:)), as: UTF8.self)
    }

    /// Reads such a time, perhaps with a fraction, which is dropped; nil for everything else.
    static func seconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        let form = Array("dddd-dd-ddTdd:dd:dd".utf8)
        guard (form.count + 1...40).contains(bytes.count), bytes.last == UInt8(ascii: "Z"),
            zip(form, bytes).allSatisfy({ sign, byte in
                sign == UInt8(ascii: "d") ? (0x30...0x39).contains(byte) : sign == byte
            })
        else {
            return nil
        }
        let fraction = bytes.dropFirst(form.count).dropLast()
        guard
            fraction.isEmpty
                || fraction.first == UInt8(ascii: ".")
                    && fraction.dropFirst().allSatisfy({ byte in (0x30...0x39).contains(byte) })
        else {
            return nil
        }
        func number(_ range: Range<Int>) -> CInt {
            bytes[range].reduce(0) { number, digit in number * 10 + CInt(digit - 0x30) }
        }
        var fields = unsafe tm()
        unsafe fields.tm_year = number(0..<4) - 1900
        unsafe fields.tm_mon = number(5..<7) - 1
        unsafe fields.tm_mday = number(8..<10)
        unsafe fields.tm_hour = number(11..<13)
        unsafe fields.tm_min = number(14..<16)
        unsafe fields.tm_sec = number(17..<19)
        return Int64(unsafe timegm(&fields))
    }
}
