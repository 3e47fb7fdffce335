internal import Encodings
internal import Glibc

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

/// Writes one JSON object and a new line to standard output.
func write(_ object: JSONValue) {
    write(String(decoding: object.serialized ?? [], as: UTF8.self) + "\n", to: STDOUT_FILENO)
}

/// Whether standard output shows colours and the person wants them.
var isColored: Bool {
    isatty(STDOUT_FILENO) == 1 && isUnset("NO_COLOR") && !isDumb
}
