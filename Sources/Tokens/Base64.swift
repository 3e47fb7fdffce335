package import Base

/// Base64 (RFC 4648), strictly: exactly one spelling of every byte sequence is accepted.
package enum Base64: Sendable {
    /// With `+`, `/` and padding: section 4.
    case standard
    /// With `-`, `_` and no padding: section 5 as RFC 7515 uses it.
    case url

    private var lastTwo: (UInt8, UInt8) {
        switch self {
        case .standard: (UInt8(ascii: "+"), UInt8(ascii: "/"))
        case .url: (UInt8(ascii: "-"), UInt8(ascii: "_"))
        }
    }

    private func character(_ value: UInt8) -> UInt8 {
        switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + (value - 26)
        case 52..<62: UInt8(ascii: "0") + (value - 52)
        case 62: lastTwo.0
        default: lastTwo.1
        }
    }

    package func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        encode(unsafe bytes.span.bytes) { character in text.append(character) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The text for the bytes of a secret; nil when there is no memory.
    package func encode(secret bytes: RawSpan) -> Secret? {
        guard var text = Secret(capacity: (bytes.byteCount + 2) / 3 * 4) else {
            return nil
        }
        encode(bytes) { character in _ = text.append(character) }
        return text
    }

    private func encode(_ bytes: RawSpan, _ take: (UInt8) -> Void) {
        for position in stride(from: 0, to: bytes.byteCount, by: 3) {
            let count = min(3, bytes.byteCount - position)
            var bits: UInt32 = 0
            for offset in 0..<3 {
                bits = bits << 8 | UInt32(bytes.byte(at: position + offset) ?? 0)
            }
            for index in 0...count {
                take(character(UInt8(bits >> UInt32(18 - 6 * index) & 63)))
            }
            if case .standard = self {
                for _ in count..<3 {
                    take(UInt8(ascii: "="))
                }
            }
        }
    }

    /// The bytes that `text` stands for; nil when it is anything but their one right spelling.
    package func decode(_ text: RawSpan) -> [UInt8]? {
        guard let count = characterCount(text) else {
            return nil
        }
        let size = count / 4 * 3 + max(0, count % 4 - 1)
        var isRight = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { bytes, written in
            isRight = unsafe decode(text, count, into: UnsafeMutableBufferPointer(rebasing: bytes[..<size]))
            written = isRight ? size : 0
        }
        return isRight ? bytes : nil
    }

    /// The same of ordinary text.
    package func decode(_ text: String) -> [UInt8]? {
        decode(unsafe Array(text.utf8).span.bytes)
    }

    /// The same of a secret, for bytes that are one; nil, too, when there is no memory. The values of characters are
    /// looked up in a table, so that whoever measures the cache may learn of them.
    package func decode(secret text: RawSpan) -> Secret? {
        guard let count = characterCount(text) else {
            return nil
        }
        return unsafe Secret(capacity: count / 4 * 3 + max(0, count % 4 - 1)) { memory, size in
            let bytes = unsafe UnsafeMutableBufferPointer(
                start: memory.assumingMemoryBound(to: UInt8.self), count: size)
            return unsafe decode(text, count, into: bytes) ? size : -1
        }
    }

    /// Decodes the first `count` characters into `bytes`, which has room for what they stand for and no more.
    private func decode(_ text: RawSpan, _ count: Int, into bytes: UnsafeMutableBufferPointer<UInt8>) -> Bool {
        unsafe text.withUnsafeBytes { text in
            unsafe decode(text, count, into: bytes)
        }
    }

    private func decode(
        _ text: UnsafeRawBufferPointer, _ count: Int, into bytes: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        unsafe values.withUnsafeBufferPointer { values in
            let whole = count & ~3
            var offset = 0
            for start in stride(from: 0, to: whole, by: 4) {
                let group =
                    unsafe values[Int(text[start])] << 18 | values[Int(text[start + 1])] << 12
                    | values[Int(text[start + 2])] << 6 | values[Int(text[start + 3])]
                guard group < 1 << 24 else {
                    return false
                }
                unsafe bytes[offset] = UInt8(group >> 16)
                unsafe bytes[offset + 1] = UInt8(truncatingIfNeeded: group >> 8)
                unsafe bytes[offset + 2] = UInt8(truncatingIfNeeded: group)
                offset += 3
            }
            guard whole < count else {
                return true
            }
            let third = unsafe whole + 2 < count ? values[Int(text[whole + 2])] : 0
            let group = unsafe values[Int(text[whole])] << 18 | values[Int(text[whole + 1])] << 12 | third << 6
            // The bits that carry no byte must be zero.
            guard group < 1 << 24, group & (bytes.count == offset + 1 ? 0xffff : 0xff) == 0 else {
                return false
            }
            unsafe bytes[offset] = UInt8(group >> 16)
            if bytes.count > offset + 1 {
                unsafe bytes[offset + 1] = UInt8(truncatingIfNeeded: group >> 8)
            }
            return true
        }
    }

    /// The value of each byte as a character, and all bits for one that is none.
    private var values: [UInt32] {
        switch self {
        case .standard: Self.standardValues
        case .url: Self.urlValues
        }
    }

    private static let standardValues = Base64.standard.makeValues()
    private static let urlValues = Base64.url.makeValues()

    private func makeValues() -> [UInt32] {
        var values = [UInt32](repeating: .max, count: 256)
        for value in 0..<UInt8(64) {
            values[Int(character(value))] = UInt32(value)
        }
        return values
    }

    /// How many characters of `text` stand for bytes; nil when no bytes are spelled in so many.
    private func characterCount(_ text: RawSpan) -> Int? {
        var count = text.byteCount
        if case .standard = self {
            guard count.isMultiple(of: 4) else {
                return nil
            }
            for _ in 0..<2 where text.byte(at: count - 1) == UInt8(ascii: "=") {
                count -= 1
            }
        }
        return count % 4 == 1 ? nil : count
    }
}
