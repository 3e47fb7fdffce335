package import Base

/// What is wrong with a frame. Never says what was in it.
package enum FrameError: Error, Equatable {
    case tooLarge
    case truncated
    case unknownVersion(UInt8)
    case unknownKind(UInt8)
    case unknownField(UInt8)
    case fieldNotAllowed(Field)
    case fieldRepeated(Field)
    case fieldMissing(Field)
    case fieldMalformed(Field)
    case outOfMemory

    /// What to say of it in a log, and the number of the field, kind or version that it is about.
    package var finding: (what: StaticString, number: UInt8) {
        switch self {
        case .tooLarge: ("the message exceeds the size limit (in KiB):", 96)
        case .truncated: ("the message is truncated", 0)
        case .unknownVersion(let version): ("unknown version", version)
        case .unknownKind(let kind): ("unknown kind", kind)
        case .unknownField(let field): ("unknown field", field)
        case .fieldNotAllowed(let field): ("a field is not allowed in this message:", field.rawValue)
        case .fieldRepeated(let field): ("a field occurs twice:", field.rawValue)
        case .fieldMissing(let field): ("a field is missing:", field.rawValue)
        case .fieldMalformed(let field): ("a field has an invalid length:", field.rawValue)
        case .outOfMemory: ("not enough memory", 0)
        }
    }
}

/// One message between the root side and the worker, or a client and the agent, checked completely: a `Frame` always
/// has the fields that `MessageKind.rule` requires.
///
/// On the wire a frame is one packet: version, kind, then the fields of a record.
package struct Frame: ~Copyable {
    /// The version that this side writes.
    package static let version: UInt8 = 1
    /// The largest packet either side accepts. A key of type `user` holds at most 32,767 bytes, a key set rarely 2,000.
    package static let largestSize = 96 * 1024

    /// What the message is.
    package let kind: MessageKind
    private let packet: Secret

    /// Checks `packet` from the first byte to the last.
    package init(decoding packet: consuming Secret) throws(FrameError) {
        kind = try packet.withBytes { bytes throws(FrameError) in try Self.check(bytes) }
        self.packet = packet
    }

    private static func check(_ bytes: RawSpan) throws(FrameError) -> MessageKind {
        guard bytes.byteCount <= largestSize else {
            throw .tooLarge
        }
        guard let version = bytes.byte(at: 0), let code = bytes.byte(at: 1) else {
            throw .truncated
        }
        guard version == Self.version else {
            throw .unknownVersion(version)
        }
        guard let kind = MessageKind(rawValue: code) else {
            throw .unknownKind(code)
        }
        let rules = kind.rule
        var seen: [Field] = []
        var offset = 2
        while offset < bytes.byteCount {
            let (field, value) = try self.field(bytes, at: offset)
            guard let rule = rules.rule(for: field) else {
                throw .fieldNotAllowed(field)
            }
            if seen.contains(field), rule != .repeated {
                throw .fieldRepeated(field)
            }
            guard field.lengths.contains(value.count) else {
                throw .fieldMalformed(field)
            }
            seen.append(field)
            offset = value.upperBound
        }
        for (field, rule) in rules.fields where rule == .required {
            guard seen.contains(field) else {
                throw .fieldMissing(field)
            }
        }
        return kind
    }

    /// The field that begins at `offset`, which lies within `bytes` as a whole.
    private static func field(_ bytes: RawSpan, at offset: Int) throws(FrameError) -> (Field, Range<Int>) {
        guard let tag = bytes.byte(at: offset) else {
            throw .truncated
        }
        guard let field = Field(rawValue: tag) else {
            throw .unknownField(tag)
        }
        guard let value = bytes.field(at: offset)?.value else {
            throw .truncated
        }
        return (field, value)
    }

    private static func find(_ wanted: Field, in bytes: RawSpan, after start: Int) -> Range<Int>? {
        var offset = start
        while let field = bytes.field(at: offset) {
            if field.tag == wanted.rawValue {
                return field.value
            }
            offset = field.value.upperBound
        }
        return nil
    }

    /// Lends a field's bytes to `body`; nil when the frame does not have it.
    package borrowing func withField<R: ~Copyable>(_ field: Field, _ body: (RawSpan) -> R) -> R? {
        packet.withBytes { bytes in
            guard let value = Self.find(field, in: bytes, after: 2) else {
                return nil
            }
            return body(bytes.extracting(value))
        }
    }

    /// A field's bytes as a secret of their own.
    package borrowing func secret(_ field: Field) -> Secret? {
        let copy: Secret?? = withField(field) { bytes in Secret(copying: bytes) }
        switch consume copy {
        case .some(let found): return found
        case .none: return nil
        }
    }

    /// A field's bytes in ordinary memory, for what is not secret.
    package borrowing func bytes(_ field: Field) -> [UInt8]? {
        withField(field) { bytes in bytes.copied() }
    }

    /// A number (8 bytes, big-endian).
    package borrowing func number(_ field: Field) -> Int64? {
        let value: UInt64?? = withField(field) { bytes in bytes.number(at: 0) }
        return (value ?? nil).map { number in Int64(bitPattern: number) }
    }

    /// A one-byte code.
    package borrowing func code(_ field: Field) -> UInt8? {
        let value: UInt8?? = withField(field) { bytes in bytes.byte(at: 0) }
        return value ?? nil
    }

    /// A code of a closed set; nil for one that this version does not know, too.
    package borrowing func code<Code: RawRepresentable<UInt8>>(_ field: Field, _: Code.Type) -> Code? {
        code(field).flatMap { code in Code(rawValue: code) }
    }

    /// A flag.
    package borrowing func flag(_ field: Field) -> Bool {
        code(field) == 1
    }

    /// The serial number of a key; nil for a number that is none, too.
    package borrowing func serial(_ field: Field) -> Int32? {
        number(field).flatMap { number in Int32(exactly: number) }
    }

    /// All values of a field that may be repeated, in order.
    package borrowing func list(_ field: Field) -> [[UInt8]] {
        packet.withBytes { bytes in
            var values: [[UInt8]] = []
            var start = 2
            while let value = Self.find(field, in: bytes, after: start) {
                values.append(bytes.extracting(value).copied())
                start = value.upperBound
            }
            return values
        }
    }

    /// Reads all fields, of a message without secrets.
    borrowing func reader() -> RecordReader<Field> {
        packet.withBytes { bytes in RecordReader(bytes, from: 2) }
    }

    /// Lends the whole packet, to send it.
    package borrowing func withPacket<R: ~Copyable, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try packet.withBytes(body)
    }
}

/// Builds a frame field by field. A field that does not fit, or does not belong, shows in `finish()`.
package struct FrameWriter: ~Copyable {
    private var packet: Secret?
    private var fits = true

    /// Begins a message of `kind`.
    package init(_ kind: MessageKind) {
        packet = Secret(capacity: Frame.largestSize)
        fits = packet?.append([Frame.version, kind.rawValue]) ?? false
    }

    /// Adds bytes.
    package mutating func add(_ field: Field, _ bytes: RawSpan) {
        let isAdded = packet?.append(field.rawValue, bytes) ?? false
        fits = fits && isAdded
    }

    /// Adds bytes.
    package mutating func add(_ field: Field, _ bytes: [UInt8]) {
        add(field, unsafe bytes.span.bytes)
    }

    /// Adds bytes unless there are none to add.
    package mutating func add(_ field: Field, ifPresent bytes: [UInt8]?) {
        if let bytes {
            add(field, bytes)
        }
    }

    /// Adds each of these, for a field that may be repeated.
    package mutating func add(_ field: Field, all values: [[UInt8]]) {
        for value in values {
            add(field, value)
        }
    }

    /// Adds what was written without secrets.
    mutating func add(_ fields: RecordWriter<Field>) {
        fits = packet?.append(fields.bytes) ?? false && fits
    }

    /// Adds a secret's bytes.
    package mutating func add(_ field: Field, _ secret: borrowing Secret) {
        secret.withBytes { bytes in add(field, bytes) }
    }

    /// Adds a secret's bytes unless there is none.
    package mutating func add(_ field: Field, ifPresent secret: borrowing Secret?) {
        switch secret {
        case .some(let secret): add(field, secret)
        case .none: break
        }
    }

    /// Adds a number as 8 bytes, big-endian.
    package mutating func add(_ field: Field, _ number: Int64) {
        add(field, bigEndian(UInt64(bitPattern: number)))
    }

    /// Adds a number unless there is none.
    package mutating func add(_ field: Field, ifPresent number: Int64?) {
        add(field, ifPresent: number.map { number in bigEndian(UInt64(bitPattern: number)) })
    }

    /// Adds a one-byte code.
    package mutating func add(_ field: Field, code: UInt8) {
        add(field, [code])
    }

    /// Adds a code unless there is none.
    package mutating func add<Code: RawRepresentable<UInt8>>(_ field: Field, _ code: Code?) {
        add(field, ifPresent: code.map { code in [code.rawValue] })
    }

    /// Adds a flag.
    package mutating func add(_ field: Field, _ flag: Bool) {
        add(field, code: flag ? 1 : 0)
    }

    /// The finished frame, checked like one that was received.
    package consuming func finish() throws(FrameError) -> Frame {
        guard fits else {
            throw .tooLarge
        }
        guard let packet else {
            throw .outOfMemory
        }
        return try Frame(decoding: packet)
    }
}
