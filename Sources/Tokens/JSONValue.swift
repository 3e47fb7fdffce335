package import Base

/// Any JSON text (RFC 8259), for reading answers whose members come and go with the service's versions.
///
/// Strings are compared by their UTF-8 bytes wherever it matters: Swift's `==` follows Unicode equivalence.
package enum JSONValue: Sendable, Equatable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    /// A string that must not be shown.
    case secret(SecretValue)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Reads one JSON text in UTF-8; nil when `bytes` are not exactly that, or an object has two members of one name.
    ///
    /// - Parameter secrets: the members whose texts are secrets.
    package init?(parsing bytes: RawSpan, secrets: Set<String> = []) {
        guard let text = JSONText(parsing: bytes) else {
            return nil
        }
        self = text.value(secrets)
    }

    /// The same of bytes in ordinary memory.
    package init?(parsing bytes: [UInt8]) {
        self.init(parsing: unsafe bytes.span.bytes)
    }

    /// The text in its shortest form, members sorted by name; nil when a number has no JSON form.
    package var serialized: [UInt8]? { serialized(indented: false) }

    /// The text, members sorted by name, in its shortest form or with a line for each member.
    package func serialized(indented isIndented: Bool) -> [UInt8]? {
        JSONText(self)?.text(indented: isIndented)?.withBytes { bytes in bytes.copied() }
    }

    /// The same where a secret is in it.
    package var serializedSecret: Secret? {
        guard let text = JSONText(self) else {
            return nil
        }
        return text.text(indented: false)
    }

    /// The member `name` of an object.
    package subscript(_ name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// The text of a string that is no secret.
    package var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The text of a string that is a secret.
    package var secret: SecretValue? {
        if case .secret(let secret) = self { secret } else { nil }
    }

    /// The same of one that is not empty.
    package var filledSecret: SecretValue? {
        secret.flatMap { secret in secret.count > 0 ? secret : nil }
    }

    /// The value of a boolean.
    package var flag: Bool? {
        if case .boolean(let flag) = self { flag } else { nil }
    }

    /// The elements of an array.
    package var elements: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members of an object.
    package var members: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// Seconds since the epoch: an integer, or a number with its fraction dropped (RFC 7519 NumericDate).
    package var seconds: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int64(exactly: value.rounded(.down))
        default: nil
        }
    }

    /// The texts of an array that holds nothing else.
    package var texts: [String]? {
        guard let elements else {
            return nil
        }
        let texts = elements.compactMap(\.text)
        return texts.count == elements.count ? texts : nil
    }
}
