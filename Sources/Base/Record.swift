// A record, as frames on the wire and the registry's entries have it: fields of tag (1 byte), length (4 bytes,
// big-endian) and bytes.

extension RawSpan {
    /// The number in the `count` bytes at `offset`, the most significant first; nil when one of them is missing.
    package func number(at offset: Int, of count: Int = 8) -> UInt64? {
        var value: UInt64 = 0
        for position in 0..<count {
            guard let byte = byte(at: offset + position) else {
                return nil
            }
            value = value << 8 | UInt64(byte)
        }
        return value
    }

    /// The field that begins at `offset`: its tag, and where its bytes are; nil when it is not whole.
    package func field(at offset: Int) -> (tag: UInt8, value: Range<Int>)? {
        guard let tag = byte(at: offset), let length = number(at: offset + 1, of: 4) else {
            return nil
        }
        let start = offset + 5
        guard length <= UInt64(byteCount - start) else {
            return nil
        }
        return (tag, start..<(start + Int(length)))
    }
}

extension Secret {
    /// Adds a field; false when it does not fit.
    package mutating func append(_ tag: UInt8, _ value: RawSpan) -> Bool {
        append(header(tag, value.byteCount)) && append(value)
    }
}

private func header(_ tag: UInt8, _ length: Int) -> [UInt8] {
    [tag] + bigEndian(UInt64(UInt32(truncatingIfNeeded: length))).suffix(4)
}

/// A number in 8 bytes, the most significant first.
package func bigEndian(_ number: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    for shift in stride(from: UInt64(56), through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: number >> shift))
    }
    return bytes
}

/// Goes through the fields of a record and writes them, or reads them: a record shows them to it in the order in which
/// they are written, in one function.
package protocol RecordCoder<Key> {
    /// Identifies a field.
    associatedtype Key
    /// A field of bytes. A writer gets its argument back, and writes nothing for nil; a reader gets the field's
    /// content.
    mutating func bytes(_ key: Key, _ value: [UInt8]?) -> [UInt8]?
    mutating func number(_ key: Key, _ value: UInt64?) -> UInt64?
    /// A one-byte code.
    mutating func code(_ key: Key, _ value: UInt8?) -> UInt8?
    /// The text, or the record to be written, is invalid.
    mutating func fail()
}

extension RecordCoder {
    /// Bytes that must be there.
    package mutating func require(_ key: Key, _ value: inout [UInt8]) {
        guard let found = bytes(key, value) else {
            return fail()
        }
        value = found
    }

    /// A number that must be there.
    package mutating func require(_ key: Key, _ value: inout UInt64) {
        guard let found = number(key, value) else {
            return fail()
        }
        value = found
    }

    /// A code that must be there, and one of those that are known.
    package mutating func require<Code: RawRepresentable<UInt8>>(_ key: Key, _ value: inout Code) {
        guard let found = code(key, value.rawValue).flatMap({ code in Code(rawValue: code) }) else {
            return fail()
        }
        value = found
    }

    /// A code that must be there.
    package mutating func require(_ key: Key, _ value: inout UInt8) {
        guard let found = code(key, value) else {
            return fail()
        }
        value = found
    }

    /// Yes or no, which must be there.
    package mutating func require(_ key: Key, _ value: inout Bool) {
        guard let found = code(key, value ? 1 : 0) else {
            return fail()
        }
        value = found == 1
    }
}

/// Writes fields of tag, length and bytes. Nothing in them may be secret.
package struct RecordWriter<Tag: RawRepresentable<UInt8>>: RecordCoder {
    package private(set) var bytes: [UInt8] = []
    /// Whether all of it could be.
    package private(set) var isWhole = true

    package init() {}

    package mutating func bytes(_ tag: Tag, _ value: [UInt8]?) -> [UInt8]? {
        if let value {
            bytes += header(tag.rawValue, value.count) + value
        }
        return value
    }

    package mutating func number(_ tag: Tag, _ value: UInt64?) -> UInt64? {
        _ = bytes(tag, value.map(bigEndian))
        return value
    }

    package mutating func code(_ tag: Tag, _ value: UInt8?) -> UInt8? {
        _ = bytes(tag, value.map { code in [code] })
        return value
    }

    package mutating func fail() {
        isWhole = false
    }
}

/// Reads what `RecordWriter` writes, once all fields were added.
package struct RecordReader<Tag: RawRepresentable<UInt8>>: RecordCoder {
    // By their tags' numbers, of which any has its place: the reaper reads thousands of entries.
    private var values = [[UInt8]?](repeating: nil, count: Int(UInt8.max) + 1)
    /// Whether all that must be there is.
    package private(set) var isWhole = true

    package init() {}

    /// Reads the fields of a record from `start` on. Those of unknown tags are passed over.
    package init(_ bytes: RawSpan, from start: Int) {
        var offset = start
        while offset < bytes.byteCount {
            guard let field = bytes.field(at: offset) else {
                fail()
                return
            }
            if let tag = Tag(rawValue: field.tag) {
                add(tag, bytes.extracting(field.value))
            }
            offset = field.value.upperBound
        }
    }

    /// Adds a field, unless there is one with that tag.
    package mutating func add(_ tag: Tag, _ value: RawSpan) {
        let index = Int(tag.rawValue)
        values[index] = values[index] ?? value.copied()
    }

    package mutating func bytes(_ tag: Tag, _ value: [UInt8]?) -> [UInt8]? {
        values[Int(tag.rawValue)]
    }

    package mutating func number(_ tag: Tag, _ value: UInt64?) -> UInt64? {
        guard let bytes = values[Int(tag.rawValue)], bytes.count == 8 else {
            return nil
        }
        return unsafe bytes.span.bytes.number(at: 0)
    }

    package mutating func code(_ tag: Tag, _ value: UInt8?) -> UInt8? {
        values[Int(tag.rawValue)]?.first
    }

    package mutating func fail() {
        isWhole = false
    }
}
