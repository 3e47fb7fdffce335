/// Whose sessions entries of the registry may be about: a number made of an account's name, which is not in it.
///
/// Two people may have the same one, and somebody may choose a name for that: it selects, and what an entry says decides. Nothing may be
/// locked or counted by it. Other versions find entries by it, too.
package struct PersonIndex: Hashable, Sendable {
    /// FNV-1a, 64 bits.
    let number: UInt64

    /// That of an account.
    package init(of user: [UInt8]) {
        number = user.reduce(0xcbf2_9ce4_8422_2325) { hash, byte in (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    /// Reads what `text` is.
    init?(text: ArraySlice<UInt8>) {
        guard text.count == 16 else {
            return nil
        }
        var number: UInt64 = 0
        for digit in text {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - 48)
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - 87)
            default: return nil
            }
        }
        self.number = number
    }

    /// Sixteen digits.
    var text: [UInt8] {
        hexadecimal((0..<8).map { index in UInt8(truncatingIfNeeded: number >> (56 - 8 * index)) })
    }
}
