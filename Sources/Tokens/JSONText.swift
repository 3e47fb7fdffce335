internal import Base
internal import CJansson

/// JSON in Jansson's memory, which goes with this.
///
/// Jansson rather than Foundation: each program starts 0.4 ms earlier with it and is 7 MB smaller.
@safe struct JSONText: ~Copyable {
    private let root: UnsafeMutablePointer<json_t>

    deinit {
        unsafe json_decref(root)
    }

    /// Jansson erases what it gives back: a token may have been in it.
    private static let erasing: Void = janssonEraseWhenFreed()

    /// Reads one JSON text (RFC 8259), and nothing that is not exactly one. Of two members of one name, different
    /// readers take different ones: such a text is refused (RFC 7519 section 4).
    init?(parsing bytes: RawSpan) {
        Self.erasing
        let flags = Int(JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL)
        let root = unsafe bytes.withUnsafeBytes { buffer in
            let read = { (flags: Int) in
                unsafe json_loadb(
                    buffer.baseAddress?.assumingMemoryBound(to: CChar.self) ?? nil, buffer.count, flags, nil)
            }
            // An integer of more than 64 bits is refused in the first form.
            return unsafe read(flags) ?? read(flags | Int(JSON_DECODE_INT_AS_REAL))
        }
        guard let root = unsafe root else {
            return nil
        }
        unsafe self.root = root
    }

    /// `value` in Jansson's form; nil when it holds a number that JSON cannot express.
    init?(_ value: JSONValue) {
        Self.erasing
        guard let root = unsafe Self.made(value) else {
            return nil
        }
        unsafe self.root = root
    }

    /// The same as a value of its own.
    ///
    /// - Parameter secrets: the members whose texts are secrets.
    func value(_ secrets: Set<String>) -> JSONValue {
        unsafe Self.value(root, secrets)
    }

    /// The text, members sorted by name, in its shortest form or indented by two blanks.
    func text(indented isIndented: Bool) -> Secret? {
        let flags = Int(JSON_SORT_KEYS | JSON_ENCODE_ANY) | (isIndented ? 2 : Int(JSON_COMPACT))
        let length = unsafe json_dumpb(root, nil, 0, flags)
        guard length > 0 else {
            return nil
        }
        return unsafe Secret(capacity: length) { memory, capacity in
            unsafe min(json_dumpb(root, memory.assumingMemoryBound(to: CChar.self), capacity, flags), capacity)
        }
    }

    private static func value(_ json: UnsafeMutablePointer<json_t>, _ secrets: Set<String>) -> JSONValue {
        switch unsafe json.pointee.type {
        case JSON_TRUE: return .boolean(true)
        case JSON_FALSE: return .boolean(false)
        case JSON_INTEGER: return unsafe .integer(json_integer_value(json))
        case JSON_REAL: return unsafe .number(json_real_value(json))
        case JSON_STRING: return unsafe .string(text(json_string_value(json), json_string_length(json)))
        case JSON_ARRAY:
            return .array(
                unsafe (0..<json_array_size(json)).compactMap { index in
                    unsafe json_array_get(json, index).map { element in unsafe value(element, secrets) }
                }
            )
        case JSON_OBJECT:
            var members: [String: JSONValue] = [:]
            var next = unsafe json_object_iter(json)
            while let member = unsafe next {
                if let name = unsafe json_object_iter_key(member), let content = unsafe json_object_iter_value(member) {
                    let name = unsafe String(cString: name)
                    unsafe members[name] =
                        secrets.contains(name) && content.pointee.type == JSON_STRING
                        ? secret(json_string_value(content), json_string_length(content)) : value(content, secrets)
                }
                unsafe next = json_object_iter_next(json, member)
            }
            return .object(members)
        default: return .null
        }
    }

    private static func secret(_ start: UnsafePointer<CChar>?, _ length: Int) -> JSONValue {
        let bytes = unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : length))
        return SecretValue(copying: bytes).map(JSONValue.secret) ?? .null
    }

    private static func text(_ start: UnsafePointer<CChar>?, _ length: Int) -> String {
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : length)
        return unsafe String(decoding: bytes, as: UTF8.self)
    }

    /// A new reference, which is the caller's.
    private static func made(_ value: JSONValue) -> UnsafeMutablePointer<json_t>? {
        switch value {
        case .null: return unsafe json_null()
        case .boolean(let flag): return unsafe flag ? json_true() : json_false()
        case .integer(let number): return unsafe json_integer(number)
        case .number(let number): return unsafe json_real(number)
        case .string(let text):
            return unsafe text.utf8CString.withUnsafeBufferPointer { buffer in
                unsafe json_stringn(buffer.baseAddress, buffer.count - 1)
            }
        case .secret(let secret):
            return unsafe secret.withBytes { bytes in
                unsafe bytes.withUnsafeBytes { buffer in
                    unsafe json_stringn(buffer.bindMemory(to: CChar.self).baseAddress, buffer.count)
                }
            }
        case .array(let elements):
            let array = unsafe json_array()
            for element in elements {
                // A null pointer is refused, and so is the whole.
                guard unsafe json_array_append_new(array, made(element)) == 0 else {
                    unsafe json_decref(array)
                    return nil
                }
            }
            return unsafe array
        case .object(let members):
            let object = unsafe json_object()
            for (name, content) in members {
                guard unsafe json_object_setn_new(object, name, name.utf8.count, made(content)) == 0 else {
                    unsafe json_decref(object)
                    return nil
                }
            }
            return unsafe object
        }
    }
}
