package import Base
package import Keyring

/// A field's value, as the log has it.
package enum AuditValue: ExpressibleByStringInterpolation, Equatable {
    /// A fixed word or a number.
    case word(ByteText)
    /// What comes from outside. It is in quotes, and no quote is in it.
    case outside([UInt8])

    package init(stringLiteral value: StaticString) {
        self = .word(ByteText(stringLiteral: value))
    }

    package init(stringInterpolation: ByteText.Interpolation) {
        self = .word(ByteText(stringInterpolation: stringInterpolation))
    }

    var shown: ByteText {
        switch self {
        case .word(let word): word
        case .outside(let bytes): "\(quoting: bytes)"
        }
    }

    /// Without the quotes.
    package var bytes: ArraySlice<UInt8> {
        switch self {
        case .word(let word): word.bytes[...]
        case .outside: shown.bytes.dropFirst().dropLast()
        }
    }
}

/// Fields of an event, in their order.
package struct AuditFields: ExpressibleByDictionaryLiteral, Equatable {
    package private(set) var list: [AuditField]

    package init(dictionaryLiteral elements: (StaticString, AuditValue)...) {
        list = elements.map { name, value in AuditField(name: name, value: value) }
    }

    package static func + (first: Self, second: Self) -> Self {
        var sum = first
        sum.list += second.list
        return sum
    }

    /// As a line has them, each behind a blank.
    package var rendered: ByteText {
        list.reduce(into: "") { line, field in line = "\(line) \(field.name)=\(field.value.shown)" }
    }

    /// The value of the first field of that name.
    package subscript(_ name: StaticString) -> AuditValue? {
        list.first { field in field.name.equals(name.bytes) }?.value
    }
}

package struct AuditField: Equatable {
    /// Small letters and underscores.
    package let name: StaticString
    package let value: AuditValue

    package static func == (first: Self, second: Self) -> Bool {
        first.name.equals(second.name.bytes) && first.value == second.value
    }
}

/// Something that happened, as cognito-agent(8) documents it. It is rendered once, as `event; name=value name=value`,
/// then perhaps a colon and a text; counters and the journal's fields are made of the value.
package struct AuditEvent: Equatable {
    package let name: AuditEventName
    package let fields: AuditFields
    private let text: ByteText?

    /// - Parameters:
    ///   - reason: One of `logReasons`. It is the last field.
    ///   - text: For people alone.
    package init(
        _ name: AuditEventName, _ fields: AuditFields, reason: StaticString? = nil, text: ByteText? = nil
    ) {
        self.name = name
        self.fields = reason.map { reason in fields + ["reason": "\(reason)"] } ?? fields
        self.text = text
    }

    package var rendered: ByteText {
        let line: ByteText = "\(name.rawValue);\(fields.rendered)"
        return text.map { text in "\(line): \(text)" } ?? line
    }
}

/// A line of the log.
package enum LogLine: ExpressibleByStringInterpolation, Equatable {
    case audit(AuditEvent)
    /// Anything else, such as a fault of the machine.
    case text(ByteText)

    package init(stringLiteral value: StaticString) {
        self = .text(ByteText(stringLiteral: value))
    }

    package init(stringInterpolation: ByteText.Interpolation) {
        self = .text(ByteText(stringInterpolation: stringInterpolation))
    }

    /// An event of no session. The parameters are those of `AuditEvent`.
    package static func event(
        _ name: AuditEventName, _ fields: AuditFields, reason: StaticString? = nil, text: ByteText? = nil
    ) -> Self {
        .audit(AuditEvent(name, fields, reason: reason, text: text))
    }

    package var rendered: ByteText {
        switch self {
        case .audit(let event): event.rendered
        case .text(let text): text
        }
    }

    package var bytes: [UInt8] { rendered.bytes }
}

/// The reason of a refusal, for the log.
package struct AuditReason {
    /// One of `logReasons`.
    package let word: StaticString
    package let text: ByteText

    package init(_ word: StaticString, _ text: ByteText) {
        self.word = word
        self.text = text
    }
}

/// What events of one session have in common. No secret is in it.
package struct AuditSubject {
    private let fields: AuditFields

    /// - Parameters:
    ///   - session: The number of the registry's entry, the same from sign-in to the end; 0 where there is no session.
    ///   - service: PAM_SERVICE.
    ///   - remoteHost: PAM_RHOST, empty where the person is here.
    ///   - rest: Further fields that all of them have.
    package init(
        user: [UInt8], session: Int32 = 0, service: [UInt8], remoteHost: [UInt8], _ rest: AuditFields = [:]
    ) {
        fields =
            [
                "user": .outside(user), "session": "\(session)", "service": .outside(service),
                "rhost": .outside(remoteHost),
            ] + rest
    }

    /// The session of the registry's entry `key`.
    package init(_ key: RootKey, _ entry: borrowing RegistryEntry, _ rest: AuditFields) {
        self.init(
            user: entry.user, session: key.serial.number, service: entry.service, remoteHost: entry.remoteHost, rest)
    }

    /// A line about it. The parameters are those of `AuditEvent`.
    package func line(
        _ name: AuditEventName, _ fields: AuditFields = [:], reason: StaticString? = nil, text: ByteText? = nil
    ) -> LogLine {
        .event(name, self.fields + fields, reason: reason, text: text)
    }
}
