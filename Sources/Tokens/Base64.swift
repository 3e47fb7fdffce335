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

    private func value(_ character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case lastTwo.0: 62
        case lastTwo.1: 63
        default: nil
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
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.byteCount / 4 * 3 + 2)
        return decode(text) { byte in bytes.append(byte) } ? bytes : nil
    }

    /// The same of ordinary text.
    package func decode(_ text: String) -> [UInt8]? {
        decode(unsafe Array(text.utf8).span.bytes)
    }

    /// The same of a secret, for bytes that are one; nil, too, when there is no memory.
    package func decode(secret text: RawSpan) -> Secret? {
        guard var bytes = Secret(capacity: text.byteCount / 4 * 3 + 2),
            decode(text, { byte in _ = bytes.append(byte) })
        else {
            return nil
        }
        return bytes
    }

    private func decode(_ text: RawSpan, _ take: (UInt8) -> Void) -> Bool {
        var count = text.byteCount
        if case .standard = self {
            guard count.isMultiple(of: 4) else {
                return false
            }
            for _ in 0..<2 where text.byte(at: count - 1) == UInt8(ascii: "=") {
                count -= 1
            }
        }
        guard count % 4 != 1 else {
            return false
        }
        var bits: UInt32 = 0
        var left: UInt32 = 0
        for offset in 0..<count {
            guard let value = text.byte(at: offset).flatMap(value) else {
                return false
            }
            bits = (bits << 6 | value) & 0xffff
            left += 6
            if left >= 8 {
                left -= 8
                take(UInt8(truncatingIfNeeded: bits >> left))
            }
        }
        // The remaining bits carry no byte, so they must be zero.
        return bits & (1 << left - 1) == 0
    }
}
