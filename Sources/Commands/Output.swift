package import Base
internal import Glibc
internal import Messages
package import Tokens

/// Writes all of `text`; why not.
package func write(_ text: String, to descriptor: Int32) throws(ErrorNumber) {
    try writeAll(Array(text.utf8), to: descriptor)
}

/// Writes to standard error, where there is nothing else that could be told if that fails.
package func complain(_ text: String) {
    try? write(text, to: STDERR_FILENO)
}

/// Writes sentences to standard error; a terminal gets lines of its width, broken at spaces.
package func complain(sentence text: String) {
    let isTerminal = isatty(STDERR_FILENO) == 1
    complain(isTerminal ? hanging(text, to: terminalColumns(STDERR_FILENO)) : text)
}

/// Writes what a command has to say to standard output. Whatever cannot be written there makes the command fail.
///
/// - Parameter hasChanged: Whether it has done something that stays done, too.
package func answer(_ text: String, afterChange hasChanged: Bool = false) throws(Refusal) {
    do throws(ErrorNumber) {
        try write(text, to: STDOUT_FILENO)
    } catch {
        throw Refusal(unwritten: error, afterChange: hasChanged)
    }
}

/// Writes a credential to standard output: what is there is whole, or nothing.
package func answer(credential text: String) throws(Refusal) {
    let start = lseek(STDOUT_FILENO, 0, SEEK_CUR)
    do throws(Refusal) {
        try answer(text)
    } catch {
        // A file system that became full has taken a part. A file that others write, too, has more behind it, and is
        // left alone.
        var file = stat()
        if start >= 0, unsafe fstat(STDOUT_FILENO, &file) == 0, file.st_size == lseek(STDOUT_FILENO, 0, SEEK_CUR) {
            _ = ftruncate(STDOUT_FILENO, start)
        }
        throw error
    }
}

/// Writes what a command has to say to a program.
package func answer(_ object: JSONValue, afterChange hasChanged: Bool = false) throws(Refusal) {
    try answer(line(object, indented: isatty(STDOUT_FILENO) == 1), afterChange: hasChanged)
}

extension Invocation {
    /// Writes the answer in the form that the user wants.
    package func answer(
        _ json: @autoclosure () throws(Refusal) -> JSONValue, _ text: @autoclosure () -> String,
        afterChange hasChanged: Bool = false
    ) throws(Refusal) {
        if has(.json) {
            try Commands.answer(json(), afterChange: hasChanged)
        } else {
            try Commands.answer(text(), afterChange: hasChanged)
        }
    }
}

/// A JSON object and a new line.
///
/// - Parameter isIndented: Whether it is for a person to read.
package func line(_ object: JSONValue, indented isIndented: Bool = false) -> String {
    String(decoding: object.serialized(indented: isIndented) ?? [], as: UTF8.self) + "\n"
}

/// There is nothing more to be written: what a file system tells only now has failed, too.
package func endAnswer(afterChange hasChanged: Bool) throws(Refusal) {
    guard close(STDOUT_FILENO) == 0 || errno == EINTR else {
        throw Refusal(unwritten: ErrorNumber(errno), afterChange: hasChanged)
    }
}

extension Refusal {
    fileprivate init(unwritten error: ErrorNumber, afterChange hasChanged: Bool) {
        let why = reason(error.code)
        self.init(.unwritten, hasChanged ? ToolWording.unwrittenChange(why) : ToolWording.unwritten(why))
    }
}

/// An error of the C library's in words, as strerror(3) has them.
package func reason(_ error: Int32) -> String {
    unsafe strerror(error).map { text in unsafe String(cString: text) } ?? "\(error)"
}

extension Appearance {
    /// The appearance that standard output supports and the user wants.
    package static var current: Appearance {
        guard isatty(STDOUT_FILENO) == 1 else {
            return Appearance(hasUnicode: isUnicode)
        }
        return Appearance(
            isColored: isUnset("NO_COLOR") && !isDumb,
            columns: terminalColumns(STDOUT_FILENO),
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

/// How many columns a terminal has: longer lines are hard to read; and one that does not say has 80.
func terminalColumns(_ descriptor: Int32) -> Int {
    var size = winsize()
    let columns = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 ? Int(size.ws_col) : 0
    return columns == 0 ? 80 : max(20, min(100, columns))
}

/// A line on the terminal while Cognito is asked, gone afterwards.
package struct ProgressSign {
    private let isShown: Bool

    /// Shows it, where standard error is a terminal that can take it back.
    package init() {
        isShown = isatty(STDERR_FILENO) == 1 && !isDumb
        if isShown {
            complain(ToolWording.asking)
        }
    }

    package func end() {
        if isShown {
            complain("\r\u{1B}[K")
        }
    }
}

/// The time of day, with the date when it was another day's.
package func localTime(_ seconds: Int64) -> String {
    let written = { (seconds: time_t, format: String) -> String in
        var moment = seconds
        var parts = unsafe tm()
        guard unsafe localtime_r(&moment, &parts) != nil else {
            return ""
        }
        var buffer = [CChar](repeating: 0, count: 64)
        let length = unsafe strftime(&buffer, buffer.count, format, &parts)
        return String(
            decoding: buffer.prefix(length).map { letter in UInt8(truncatingIfNeeded: letter) }, as: UTF8.self)
    }
    let isToday = written(time_t(seconds), "%F") == written(time(nil), "%F")
    return written(time_t(seconds), isToday ? "%H:%M" : "%F %H:%M")
}
