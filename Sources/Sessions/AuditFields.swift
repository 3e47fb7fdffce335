import Base

/// A line of the log by the grammar of `auditLine`, taken apart: what it is about, and its fields.
///
/// What comes from outside stands in quotes, without one in it, so that nobody can write a field of their own.
package struct AuditFields {
    /// What happened: letters, blanks and hyphens.
    package let event: ArraySlice<UInt8>
    /// In their order, without quotes.
    package let fields: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)]

    /// Takes `line` apart; nil where it is of another form, as one about a fault of the machine.
    package init?(_ line: [UInt8]) {
        guard let end = line.firstIndex(of: UInt8(ascii: ";")), end > 0, line[..<end].allSatisfy(Self.isOfEvent) else {
            return nil
        }
        event = line[..<end]
        var fields: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] = []
        var rest = line[(end + 1)...]
        repeat {
            guard rest.first == UInt8(ascii: " "), let field = Self.field(at: &rest) else {
                return nil
            }
            fields.append(field)
        } while rest.first.map { byte in byte != UInt8(ascii: ":") } ?? false
        self.fields = fields
    }

    /// The value of the field of that name; nil where there is none.
    package subscript(_ name: StaticString) -> ArraySlice<UInt8>? {
        fields.first { field in name.equals(field.name) }?.value
    }

    private static func isOfEvent(_ byte: UInt8) -> Bool {
        isSmallLetter(byte) || byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-")
    }

    private static func isSmallLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    /// A blank, a name, "=" and a value, which `rest` is shortened by.
    private static func field(
        at rest: inout ArraySlice<UInt8>
    ) -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)? {
        rest = rest.dropFirst()
        let name = rest.prefix { byte in isSmallLetter(byte) || byte == UInt8(ascii: "_") }
        rest = rest.dropFirst(name.count)
        guard !name.isEmpty, rest.first == UInt8(ascii: "=") else {
            return nil
        }
        rest = rest.dropFirst()
        let quote = UInt8(ascii: "'")
        guard rest.first == quote else {
            let value = rest.prefix { byte in byte > 0x20 && byte != quote && byte != 0x3a && byte != 0x3b }
            rest = rest.dropFirst(value.count)
            return value.isEmpty ? nil : (name, value)
        }
        let value = rest.dropFirst().prefix { byte in byte != quote }
        rest = rest.dropFirst(value.count + 1)
        guard rest.first == quote else {
            return nil
        }
        rest = rest.dropFirst()
        return (name, value)
    }
}
