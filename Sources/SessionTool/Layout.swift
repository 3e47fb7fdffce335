func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
}

/// `text` in lines of at most `width` columns, broken at spaces; a longer word stands alone.
func wrapped(_ text: String, to width: Int) -> [String] {
    wrapped(text.split(separator: " ").map(String.init), to: width)
}

/// `words`, which stay whole, in lines of at most `width` columns.
func wrapped(_ words: [String], to width: Int) -> [String] {
    var lines: [String] = []
    for word in words {
        if let line = lines.last, line.count + 1 + word.count <= width {
            lines[lines.count - 1] = "\(line) \(word)"
        } else {
            lines.append(word)
        }
    }
    return lines
}
