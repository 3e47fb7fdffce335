internal import Tokens

/// How texts for a person are to look.
package struct Appearance: Equatable, Sendable {
    package var isColored = false
    /// How many columns there are; nil where lines may be of any length, as in a file.
    package var columns: Int?
    /// Whether more than ASCII can be shown.
    package var hasUnicode = true

    package func strong(_ text: String) -> String { emphasized(text, "1") }
    package func good(_ text: String) -> String { emphasized(text, "32") }
    package func warning(_ text: String) -> String { emphasized(text, "33") }
    package func bad(_ text: String) -> String { emphasized(text, "31") }

    private func emphasized(_ text: String, _ code: String) -> String {
        isColored ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }

    /// A sentence in lines.
    package func paragraph(_ text: String) -> [String] {
        guard let columns else {
            return [text]
        }
        return wrapped(text, to: columns)
    }

    /// A label and what stands behind it; where there is little room, below it.
    package func row(_ label: String, _ value: String, labels: Int) -> [String] {
        let line = "  \(padded(label, to: labels))\(value)"
        guard let columns, visibleWidth(line) > columns else {
            return [line]
        }
        if columns < 60 {
            return ["  \(label)"] + wrapped(value, to: columns - 4).map { part in "    \(part)" }
        }
        return wrapped(value, to: columns - labels - 2).enumerated().map { index, part in
            "  \(padded(index == 0 ? label : "", to: labels))\(part)"
        }
    }

    /// Labels and what stands behind them, in one column; those with nothing behind them are left out.
    package func rows(_ rows: [(label: String, value: String?)]) -> [String] {
        let width = widest(rows.map(\.label)) + 2
        return rows.flatMap { label, value in value.map { value in row(label, value, labels: width) } ?? [] }
    }

    /// Columns, each as wide as the widest of its cells, below their headings.
    package func table(_ headings: [String], _ rows: [[String]]) -> [String] {
        let all = [headings] + rows
        let widths = headings.indices.map { column in widest(all.map { cells in cells[column] }) }
        return all.enumerated().map { index, cells in
            let line = zip(cells, widths).dropLast().map { cell, width in
                cell + String(repeating: " ", count: width - visibleWidth(cell) + 2)
            }
            let whole = "  " + line.joined() + (cells.last ?? "")
            return index == 0 ? strong(whole) : whole
        }
    }

    /// How much is left of a whole, in ten signs.
    package func bar(_ left: Int64, of whole: Int64) -> String {
        let share = left <= 0 || whole <= 0 ? 0 : min(10, max(1, (left / max(1, whole / 100) + 5) / 10))
        let (full, empty) = hasUnicode ? ("█", "░") : ("#", ".")
        return String(repeating: full, count: Int(share)) + String(repeating: empty, count: 10 - Int(share))
    }
}

/// `text` with spaces behind it: one at least, and as many as `width` columns need.
package func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
}

/// How many columns the longest of `texts` takes.
private func widest(_ texts: [String]) -> Int {
    texts.map(visibleWidth).max() ?? 0
}

/// How many columns `text` takes: our own colours take none, and text from outside has none.
package func visibleWidth(_ text: String) -> Int {
    var width = 0
    var isInEscape = false
    for character in text {
        if isInEscape {
            isInEscape = character != "m"
        } else if character == "\u{1B}" {
            isInEscape = true
        } else {
            width += 1
        }
    }
    return width
}

/// `text` in lines of at most `width` columns, broken at spaces; a longer word stands alone.
package func wrapped(_ text: String, to width: Int) -> [String] {
    wrapped(text.split(separator: " ").map(String.init), to: width)
}

/// The lines of `text`, each broken at spaces where it is wider than `width`; what follows stands below its first word,
/// behind the number of an entry.
package func hanging(_ text: String, to width: Int) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
        let start = line.prefix { letter in letter == " " || letter.isNumber }
        return wrapped(String(line.dropFirst(start.count)), to: max(10, width - start.count)).enumerated()
            .map { index, part in (index == 0 ? String(start) : String(repeating: " ", count: start.count)) + part }
            .joined(separator: "\n")
    }.joined(separator: "\n")
}

/// `words`, which stay whole, in lines of at most `width` columns.
package func wrapped(_ words: [String], to width: Int) -> [String] {
    var lines: [String] = []
    for word in words {
        if let line = lines.last, visibleWidth(line) + 1 + visibleWidth(word) <= width {
            lines[lines.count - 1] = "\(line) \(word)"
        } else {
            lines.append(word)
        }
    }
    return lines
}

/// Text from outside as it may go to a terminal.
package func printable(_ text: String) -> String {
    UnverifiedClaims.withoutControlCharacters(text)
}

/// Bytes from outside as they may go to a terminal.
package func printable(_ bytes: [UInt8]) -> String {
    printable(String(decoding: bytes, as: UTF8.self))
}
