/// Reads one JSON text (RFC 8259), and nothing that is not exactly one.
///
/// Foundation's reader would do; but with it every program starts 0.4 ms later and is 7 MB larger.
struct JSONReader {
    /// How deep arrays and objects may lie in each other: each takes some of the stack.
    private static let deepest = 128

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The whole text as one value; nil when it is none.
    mutating func text() -> JSONValue? {
        guard let value = value() else {
            return nil
        }
        skipSpace()
        return position == bytes.count ? value : nil
    }

    private var next: UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else {
            return false
        }
        position += 1
        return true
    }

    private mutating func take(_ word: StaticString) -> Bool {
        word.withUTF8Buffer { letters in
            guard unsafe bytes[position...].starts(with: letters) else {
                return false
            }
            position += letters.count
            return true
        }
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 {
            position += 1
        }
    }

    private mutating func value() -> JSONValue? {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return nested { reader in reader.object() }
        case UInt8(ascii: "["): return nested { reader in reader.array() }
        case UInt8(ascii: "\""): return string().map(JSONValue.string)
        case UInt8(ascii: "t"): return take("true") ? .boolean(true) : nil
        case UInt8(ascii: "f"): return take("false") ? .boolean(false) : nil
        case UInt8(ascii: "n"): return take("null") ? .null : nil
        default: return number()
        }
    }

    private mutating func nested(_ read: (inout JSONReader) -> JSONValue?) -> JSONValue? {
        guard depth < Self.deepest else {
            return nil
        }
        depth += 1
        position += 1
        defer { depth -= 1 }
        return read(&self)
    }

    private mutating func array() -> JSONValue? {
        var elements: [JSONValue] = []
        skipSpace()
        if take(UInt8(ascii: "]")) {
            return .array(elements)
        }
        while let element = value() {
            elements.append(element)
            skipSpace()
            if take(UInt8(ascii: "]")) {
                return .array(elements)
            }
            guard take(UInt8(ascii: ",")) else {
                return nil
            }
        }
        return nil
    }

    private mutating func object() -> JSONValue? {
        var members: [String: JSONValue] = [:]
        skipSpace()
        if take(UInt8(ascii: "}")) {
            return .object(members)
        }
        while true {
            skipSpace()
            guard let name = string() else {
                return nil
            }
            skipSpace()
            // Of two members of one name, different readers take different ones (RFC 7519 section 4: refuse).
            guard take(UInt8(ascii: ":")), let value = value(), members.updateValue(value, forKey: name) == nil else {
                return nil
            }
            skipSpace()
            if take(UInt8(ascii: "}")) {
                return .object(members)
            }
            guard take(UInt8(ascii: ",")) else {
                return nil
            }
        }
    }

    // MARK: Numbers

    private mutating func skipDigits() -> Bool {
        let start = position
        while let byte = next, (0x30...0x39).contains(byte) {
            position += 1
        }
        return position > start
    }

    private mutating func number() -> JSONValue? {
        let start = position
        var isInteger = true
        _ = take(UInt8(ascii: "-"))
        // No further digit may follow a leading zero.
        guard take(UInt8(ascii: "0")) || skipDigits() else {
            return nil
        }
        if take(UInt8(ascii: ".")) {
            isInteger = false
            guard skipDigits() else {
                return nil
            }
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isInteger = false
            _ = take(UInt8(ascii: "+")) || take(UInt8(ascii: "-"))
            guard skipDigits() else {
                return nil
            }
        }
        let digits = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, let integer = Int64(digits) {
            return .integer(integer)
        }
        return Double(digits).flatMap { number in number.isFinite ? .number(number) : nil }
    }

    // MARK: Strings

    private mutating func string() -> String? {
        guard take(UInt8(ascii: "\"")) else {
            return nil
        }
        var text: [UInt8] = []
        while true {
            // What needs no translation is taken as it stands: nearly always the whole string.
            let start = position
            while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
                position += 1
            }
            text += bytes[start..<position]
            if take(UInt8(ascii: "\"")) {
                return String(validating: text, as: UTF8.self)
            }
            guard take(UInt8(ascii: "\\")), let scalar = escape() else {
                return nil
            }
            text += Array(String(Character(scalar)).utf8)
        }
    }

    private mutating func escape() -> Unicode.Scalar? {
        guard let letter = next else {
            return nil
        }
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(letter)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return codePoint()
        default: return nil
        }
    }

    /// Four digits, or twice four that stand for one character beyond the first 65,536.
    private mutating func codePoint() -> Unicode.Scalar? {
        guard let unit = fourDigits() else {
            return nil
        }
        guard (0xd800..<0xdc00).contains(unit) else {
            return Unicode.Scalar(unit)
        }
        guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")), let low = fourDigits(),
            (0xdc00..<0xe000).contains(low)
        else {
            return nil
        }
        return Unicode.Scalar(0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00))
    }

    private mutating func fourDigits() -> UInt32? {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                return nil
            }
            position += 1
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
