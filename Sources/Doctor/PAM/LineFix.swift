/// A change of one line: the file, the line's number in the present file, and the line before and after.
enum LineFix {
    static func replace(_ path: String, _ line: Int, _ before: String, _ after: String) -> String {
        "\(path), line \(line): \(before.trimmed) -> \(after.trimmed)"
    }

    static func remove(_ path: String, _ line: Int, _ text: String) -> String {
        "\(path), line \(line): remove \(text.trimmed)"
    }

    static func add(_ path: String, before line: Int, _ text: String) -> String {
        "\(path), before line \(line): add \(text.trimmed)"
    }

    /// What makes `text` say what `wanted` says, where one line does; nil where it takes more. Lines of which `wanted`
    /// has no such kind are an administrator's own: they stay.
    static func between(_ text: String, and wanted: String, at path: String) -> String? {
        let have = Statement.all(text)
        let want = Statement.all(wanted)
        let difference = want.map(\.words).difference(from: have.map(\.words))
        guard difference.insertions.count == 1, case .insert(let place, _, _) = difference.insertions[0] else {
            return nil
        }
        let new = want[place]
        var kept: [Statement] = []
        var old: [Statement] = []
        for (index, statement) in have.enumerated() {
            let isRemoved = difference.removals.contains { change in
                if case .remove(index, _, _) = change { true } else { false }
            }
            if !isRemoved {
                kept.append(statement)
            } else if statement.subject == new.subject {
                old.append(statement)
            }
        }
        // The first one may jump over the next: an administrator's own line must not come between them.
        let number = place == 0 ? kept.first?.number ?? 1 : kept[place - 1].number + 1
        let addition = add(path, before: number, new.text)
        switch old.count {
        case 0: return addition
        // It stands elsewhere.
        case 1 where old[0].words == new.words: return "\(remove(path, old[0].number, old[0].text)); \(addition)"
        case 1: return replace(path, old[0].number, old[0].text, new.text)
        default: return nil
        }
    }

    struct Statement {
        let number: Int
        let text: String
        let words: [Substring]

        /// What it is about: its type and the module, or the file that is included.
        fileprivate var subject: [Substring] {
            guard let first = words.first, first != "@include" else {
                return words
            }
            let module = words.first { word in word.hasSuffix(".so") } ?? words.last ?? ""
            return [first.hasPrefix("-") ? first.dropFirst() : first, module]
        }

        static func all(_ text: String) -> [Statement] {
            text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
                let words = line.prefix { letter in letter != "#" }.split(whereSeparator: \.isWhitespace)
                return words.isEmpty ? nil : Statement(number: index + 1, text: String(line), words: words)
            }
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
