import Base

/// A text for a person, by its English form, under which its translations are found. `{0}` stands for what is filled
/// in.
package struct Phrase: ExpressibleByStringLiteral, Equatable, Sendable {
    private let english: StaticString

    package init(stringLiteral english: StaticString) {
        self.english = english
    }

    package static func == (one: Phrase, other: Phrase) -> Bool {
        one.english.withUTF8Buffer { bytes in unsafe other.english.equals(bytes) }
    }

    /// The text in `language`, with `insert` where there is a place for it. Bytes, as names are.
    package func said(in language: Language, filling insert: [UInt8] = []) -> [UInt8] {
        said(in: language, filling: [insert])
    }

    /// The same with several of them.
    package func said(in language: Language, filling inserts: [[UInt8]]) -> [UInt8] {
        let own = english.withUTF8Buffer { bytes in unsafe Array(bytes) }
        return filled(translation(of: own, into: language) ?? own, inserts)
    }
}

/// The way to address a user.
package struct Manner: Equatable, Sendable {
    /// The language of everything but the prompts that programs look for.
    package let language: Language
    /// Whether these are translated, too.
    package let translatesPrompts: Bool

    /// A manner; by itself English.
    package init(_ language: Language = .english, translatesPrompts: Bool = false) {
        self.language = language
        self.translatesPrompts = translatesPrompts
    }

    /// A text as it is said, with `insert` where there is a place for it.
    package func say(_ phrase: Phrase, filling insert: [UInt8] = []) -> [UInt8] {
        phrase.said(in: language, filling: insert)
    }

    /// A prompt that programs look for.
    package func prompt(_ phrase: Phrase) -> [UInt8] {
        phrase.said(in: translatesPrompts ? language : .english)
    }
}

/// Returns the translation of `english` into `language`; nil if there is none.
func translation(of english: [UInt8], into language: Language) -> [UInt8]? {
    switch language {
    case .english: nil
    // packaging/po/catalogue sees to it that no two texts have the same hash.
    case .spanish: spanishText(fnv1a(english))?.withUTF8Buffer { bytes in unsafe Array(bytes) }
    }
}

/// `text` with `inserts` in place of `{0}`, `{1}` and so on. In one go: what is filled in may itself look like a place.
func filled(_ text: [UInt8], _ inserts: [[UInt8]]) -> [UInt8] {
    var filled: [UInt8] = []
    filled.reserveCapacity(inserts.reduce(text.count) { count, insert in count + insert.count })
    var rest = text[...]
    while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "{"), let digit = rest.first, rest.dropFirst().first == UInt8(ascii: "}"),
            digit >= 0x30, Int(digit - 0x30) < inserts.count
        {
            filled += inserts[Int(digit - 0x30)]
            rest = rest.dropFirst(2)
        } else {
            filled.append(byte)
        }
    }
    return filled
}

#if !hasFeature(Embedded)

extension Manner {
    /// A text as it is said, with `insert` where there is a place for it.
    package func say(_ phrase: Phrase, filling insert: String = "") -> String {
        String(decoding: say(phrase, filling: Array(insert.utf8)), as: UTF8.self)
    }

    /// A prompt that programs look for.
    package func prompt(_ phrase: Phrase) -> String {
        String(decoding: prompt(phrase), as: UTF8.self)
    }
}

#endif
