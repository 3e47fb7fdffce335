import Base

private let anything = UInt8(ascii: "*")
private let anyByte = UInt8(ascii: "?")

/// Whether that is a pattern of names: small letters, digits and `._@-`, with `*` for any of them and `?` for one.
func isNamePattern(_ text: [UInt8]) -> Bool {
    text.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte.isDecimalDigit
            || ("._@-*?" as StaticString).bytes.contains(byte)
    }
}

/// Whether a name fits a pattern as a whole. Takes no longer than the product of their lengths.
package func fits(_ name: [UInt8], _ pattern: [UInt8]) -> Bool {
    var (place, position) = (0, 0)
    // Behind the last `*`, and where it ends for now.
    var again: (place: Int, position: Int)?
    while position < name.count {
        if place < pattern.count, pattern[place] == anything {
            place += 1
            again = (place, position)
        } else if place < pattern.count, pattern[place] == anyByte || pattern[place] == name[position] {
            place += 1
            position += 1
        } else if let last = again {
            again = (last.place, last.position + 1)
            (place, position) = (last.place, last.position + 1)
        } else {
            return false
        }
    }
    return pattern[place...].allSatisfy { byte in byte == anything }
}
