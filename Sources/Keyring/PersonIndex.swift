import Base

/// A number made of an account's name, by which entries of the registry are found.
///
/// Two accounts may have the same one, and a name may be chosen for that: it selects, and the entry decides. Nothing
/// may be locked or counted by it. Other versions find entries by it, too.
package struct PersonIndex: Hashable, Sendable {
    /// FNV-1a, 64 bits.
    let number: UInt64

    package init(of user: [UInt8]) {
        number = fnv1a(user)
    }

    init?(text: ArraySlice<UInt8>) {
        guard text.count == 16, let number = UInt64(hexadecimal: text, atMost: 16) else {
            return nil
        }
        self.number = number
    }

    /// Sixteen digits.
    var text: [UInt8] {
        hexadecimal((0..<8).map { index in UInt8(truncatingIfNeeded: number >> (56 - 8 * index)) })
    }
}
