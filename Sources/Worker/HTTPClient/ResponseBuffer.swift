/// What arrives, gathered up to the limit.
final class ResponseBuffer {
    let limit: Int
    private(set) var body: [UInt8] = []
    private(set) var headers: [String: String] = [:]
    private(set) var overflowed = false
    private var headerSize = 0

    init(limit: Int) {
        self.limit = limit
    }

    func clear() {
        body = []
        headers = [:]
        overflowed = false
        headerSize = 0
    }

    /// Adds to the body; false when it does not fit.
    func add(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= limit - body.count else {
            overflowed = true
            return false
        }
        unsafe body.append(contentsOf: bytes)
        return true
    }

    /// Takes one line of the header; false when there are too many.
    func addHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headerSize += bytes.count
        guard headerSize <= limit else {
            overflowed = true
            return false
        }
        let line = unsafe String(decoding: bytes, as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            headers = [:]
        } else if let colon = line.firstIndex(of: ":") {
            headers[line[..<colon].lowercased()] = Self.trimmed(line[line.index(after: colon)...])
        }
        return true
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while let first = text.first, first.isWhitespace {
            text.removeFirst()
        }
        while let last = text.last, last.isWhitespace {
            text.removeLast()
        }
        return String(text)
    }
}
