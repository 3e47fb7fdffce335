internal import ByteText
internal import Encodings
internal import Glibc
internal import SessionTool
internal import Wording

/// Writes all of `text`; a reader that has gone away is no reason to complain.
func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let written = unsafe bytes.withUnsafeBytes { buffer in
            unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count)
        }
        if written < 0, errno != EINTR {
            return
        }
        bytes = bytes.dropFirst(max(0, written))
    }
}

/// Writes one JSON object and a new line.
func write(_ object: JSONValue, to descriptor: Int32 = STDOUT_FILENO) {
    write(String(decoding: object.serialized ?? [], as: UTF8.self) + "\n", to: descriptor)
}

extension Appearance {
    /// What standard output can show, and the person wants.
    static var current: Appearance {
        guard isatty(STDOUT_FILENO) == 1 else {
            return Appearance(hasUnicode: isUnicode)
        }
        var size = winsize()
        let columns = unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 ? Int(size.ws_col) : 0
        return Appearance(
            isColored: isUnset("NO_COLOR") && !isDumb,
            // Longer lines are hard to read; and a terminal that does not say has 80.
            columns: columns == 0 ? 80 : max(20, min(100, columns)),
            hasUnicode: isUnicode
        )
    }

    /// Whether the locale is one of UTF-8: the first of these that is set decides (locale(7)).
    private static var isUnicode: Bool {
        for name in ["LC_ALL", "LC_CTYPE", "LANG"] where !isUnset(name) {
            let value = unsafe getenv(name).map { text in unsafe String(cString: text) } ?? ""
            return value.lowercased().mentions("utf-8") || value.lowercased().mentions("utf8")
        }
        return false
    }
}

/// A line on the terminal while Cognito is asked, gone afterwards.
struct ProgressSign {
    private let isShown: Bool

    /// Shows it, where standard error is a terminal that can take it back.
    init() {
        isShown = isatty(STDERR_FILENO) == 1 && !isDumb
        if isShown {
            write(ToolWording.asking, to: STDERR_FILENO)
        }
    }

    /// Takes it back.
    func end() {
        if isShown {
            write("\r\u{1B}[K", to: STDERR_FILENO)
        }
    }
}
