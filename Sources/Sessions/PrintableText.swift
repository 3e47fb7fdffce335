package import Base
import Configuration

/// Returns a text for the user's terminal: UTF-8 without control characters other than line ends. Otherwise the author
/// of a word in it could control the terminal.
package func presentable(_ text: [UInt8]) -> ByteText {
    var lines: [UInt8] = []
    for line in text.split(separator: 0x0a, omittingEmptySubsequences: false) {
        if !lines.isEmpty {
            lines.append(0x0a)
        }
        lines += isPrintableUTF8(line) ? Array(line) : printable(Array(line))
    }
    return ByteText(lines)
}

/// Bytes for a log line: printable ASCII only, at most 400 of them.
package func printable(_ text: [UInt8]) -> [UInt8] {
    text.prefix(400).map { byte in (0x20...0x7e).contains(byte) ? byte : UInt8(ascii: "?") }
}
