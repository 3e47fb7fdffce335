#if !hasFeature(Embedded)

internal import Base

/// A text of `cognito-session` in its language. Its translations are found under the English form, with `{0}`, `{1}` in
/// place of what is filled in.
func text(_ sentence: Sentence) -> String {
    sentence.said(in: .current)
}

/// A text for so many of something: `one` of them, or `other` than one. English and Spanish agree in that.
func plural(_ count: Int64, one: Sentence, other: Sentence) -> String {
    text(count == 1 ? one : other)
}

/// A command to type, which is the same in every language.
func command(_ line: String) -> String {
    line
}

/// A word of a command for the shell, whatever is in it.
package func shellWord(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in byte.isAlphanumericASCII(or: "/._-+@:,") }
    return isPlain && !word.isEmpty
        ? word : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
}

/// A text by its English form, with what is filled in.
struct Sentence: ExpressibleByStringInterpolation {
    private var pieces: [String]
    private var inserts: [String]

    init(stringLiteral value: String) {
        pieces = [value]
        inserts = []
    }

    init(stringInterpolation: SentenceInterpolation) {
        pieces = stringInterpolation.pieces
        inserts = stringInterpolation.inserts
    }

    /// Collects a literal's pieces, and what stands between them.
    struct SentenceInterpolation: StringInterpolationProtocol {
        fileprivate var pieces = [""]
        fileprivate var inserts: [String] = []

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) {
            pieces[pieces.count - 1] += literal
        }

        mutating func appendInterpolation(_ insert: some CustomStringConvertible) {
            inserts.append(insert.description)
            pieces.append("")
        }
    }

    /// One text from two literals: a line is only so long.
    static func + (start: Sentence, end: Sentence) -> Sentence {
        var whole = start
        whole.pieces[whole.pieces.count - 1] += end.pieces.first ?? ""
        whole.pieces += end.pieces.dropFirst()
        whole.inserts += end.inserts
        return whole
    }

    /// The text in `language`; in English where it is not translated.
    func said(in language: Language) -> String {
        let key = pieces.dropFirst().enumerated().reduce(pieces.first ?? "") { text, piece in
            "\(text){\(piece.offset)}\(piece.element)"
        }
        let own = Array(key.utf8)
        let said = filled(translation(of: own, into: language) ?? own, inserts.map { insert in Array(insert.utf8) })
        return String(decoding: said, as: UTF8.self)
    }
}

#endif
