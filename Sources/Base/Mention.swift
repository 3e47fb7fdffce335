#if !hasFeature(Embedded)

extension String {
    /// Whether `word` stands anywhere in it. The standard library's own way of saying so is part of its regular
    /// expressions, which are not linked: they would make every program half as large again.
    package func mentions(_ word: String) -> Bool {
        let text = Array(utf8)
        return text.indices.contains { start in text[start...].starts(with: word.utf8) }
    }
}

#endif
