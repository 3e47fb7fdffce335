package import Base
internal import CLinux
internal import Glibc

/// The terminal that the person sits at, wherever input and output go.
package final class Terminal {
    private let descriptor: CInt

    /// The controlling terminal; nil without one, and where neither input nor output is on a terminal: in a script.
    package init?() {
        guard isatty(STDIN_FILENO) == 1 || isatty(STDERR_FILENO) == 1 else {
            return nil
        }
        descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            return nil
        }
    }

    deinit {
        close(descriptor)
    }

    /// Asks, with or without showing what is typed; nil without an answer.
    package func ask(_ text: String, echo: Bool) -> Secret? {
        // What is no answer at all is a negative length, and none of that is a secret.
        unsafe Secret(capacity: 4096) { memory, capacity in
            Int(unsafe linux_ask(descriptor, text, echo ? 1 : 0, memory, capacity))
        }
    }

    /// Shows a text.
    package func show(_ text: String) {
        // Whoever does not see a question gives no answer to it.
        try? write(text.hasSuffix("\n") ? text : text + "\n", to: descriptor)
    }

    /// Asks for something that is no secret.
    package func choice(_ text: String) -> String? {
        guard let answer = ask(text, echo: true) else {
            return nil
        }
        return answer.withBytes { bytes in String(decoding: bytes.copied(), as: UTF8.self) }
    }
}
