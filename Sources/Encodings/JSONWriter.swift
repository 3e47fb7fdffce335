/// Writes JSON in its shortest form, members sorted by name.
struct JSONWriter {
    /// What has been written.
    private(set) var bytes: [UInt8] = []

    /// Adds a value; false when it holds a number that JSON cannot express.
    mutating func add(_ value: JSONValue) -> Bool {
        switch value {
        case .null:
            bytes += Array("null".utf8)
        case .boolean(let flag):
            bytes += Array((flag ? "true" : "false").utf8)
        case .integer(let number):
            bytes += Array(String(number).utf8)
        case .number(let number):
            guard number.isFinite else {
                return false
            }
            bytes += Array(number.description.utf8)
        case .string(let text):
            add(text)
        case .array(let elements):
            return addList("[", elements, "]") { writer, element in writer.add(element) }
        case .object(let members):
            let sorted = members.sorted { left, right in left.key.utf8.lexicographicallyPrecedes(right.key.utf8) }
            return addList("{", sorted, "}") { writer, member in
                writer.add(member.key)
                writer.bytes.append(UInt8(ascii: ":"))
                return writer.add(member.value)
            }
        }
        return true
    }

    private mutating func addList<Item>(
        _ opening: Unicode.Scalar, _ items: [Item], _ closing: Unicode.Scalar,
        _ add: (inout JSONWriter, Item) -> Bool
    ) -> Bool {
        bytes.append(UInt8(ascii: opening))
        for (index, item) in items.enumerated() {
            if index > 0 {
                bytes.append(UInt8(ascii: ","))
            }
            guard add(&self, item) else {
                return false
            }
        }
        bytes.append(UInt8(ascii: closing))
        return true
    }

    private mutating func add(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x08: bytes += Array("\\b".utf8)
            case 0x09: bytes += Array("\\t".utf8)
            case 0x0a: bytes += Array("\\n".utf8)
            case 0x0c: bytes += Array("\\f".utf8)
            case 0x0d: bytes += Array("\\r".utf8)
            case 0..<0x20: bytes += Array("\\u00\(Hexadecimal.encode([byte]))".utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
