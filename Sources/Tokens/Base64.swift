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

    /// The text for `bytes`.
    package func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var position = 0
        while position < bytes.count {
            let group = bytes[position..<min(position + 3, bytes.count)]
            var bits: UInt32 = 0
            for byte in group {
                bits = bits << 8 | UInt32(byte)
            }
            bits <<= UInt32(8 * (3 - group.count))
            for index in 0...group.count {
                text.append(character(UInt8(bits >> UInt32(18 - 6 * index) & 63)))
            }
            if case .standard = self {
                text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: 3 - group.count))
            }
            position += 3
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that `text` stands for; nil when it is anything but their one right spelling.
    package func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var characters = [UInt8](text)
        if case .standard = self {
            guard characters.count.isMultiple(of: 4) else {
                return nil
            }
            for _ in 0..<2 where characters.last == UInt8(ascii: "=") {
                characters.removeLast()
            }
        }
        guard characters.count % 4 != 1 else {
            return nil
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        var held: UInt32 = 0
        for character in characters {
            guard let value = value(character) else {
                return nil
            }
            bits = (bits << 6 | value) & 0xffff
            held += 6
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> held))
            }
        }
        // What is left over carries no byte, so it must be zero.
        guard bits & (1 << held - 1) == 0 else {
            return nil
        }
        return bytes
    }

    /// The bytes that `text` stands for; nil when it is anything but their one right spelling.
    package func decode(_ text: String) -> [UInt8]? {
        decode(text.utf8)
    }
}
