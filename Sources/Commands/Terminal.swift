package import Base
internal import Glibc

/// The signal that arrived during a prompt; 0: none.
private nonisolated(unsafe) var interruption: sig_atomic_t = 0

/// The terminal that the person sits at, wherever output goes.
package final class Terminal {
    private let descriptor: CInt

    /// The controlling terminal; nil without one, and where standard input is something else: a script's answers are
    /// not behind its back.
    package init?() {
        guard isatty(STDIN_FILENO) == 1 else {
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
        // A negative length means that there is no answer; it is not a secret.
        unsafe Secret(capacity: 4096) { memory, capacity in
            unsafe read(text, echo: echo, UnsafeMutableRawBufferPointer(start: memory, count: capacity)) ?? -1
        }
    }

    /// Asks, with or without showing what is typed: the answer's length without the line's end; nil also when a signal
    /// came that would have ended the process.
    private func read(_ prompt: String, echo: Bool, _ answer: UnsafeMutableRawBufferPointer) -> Int? {
        var usual = termios()
        guard unsafe tcgetattr(descriptor, &usual) == 0 else {
            return nil
        }
        unsafe interruption = 0
        // Without SA_RESTART: they end the read.
        var noting = sigaction()
        unsafe noting.__sigaction_handler.sa_handler = { number in unsafe interruption = number }
        // A stop would leave the terminal as it must not be.
        var ignoring = sigaction()
        unsafe ignoring.__sigaction_handler.sa_handler = SIG_IGN
        let before = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP].map { number in
            var before = sigaction()
            _ = unsafe number == SIGTSTP ? sigaction(number, &ignoring, &before) : sigaction(number, &noting, &before)
            return (number, before)
        }
        var silent = usual
        silent.c_lflag |= tcflag_t(ICANON | ISIG | (echo ? ECHO | ECHOE : ECHONL))
        silent.c_lflag &= ~tcflag_t(echo ? 0 : ECHO)
        _ = unsafe tcsetattr(descriptor, TCSAFLUSH, &silent)
        try? write(prompt, to: descriptor)
        var length = 0
        var isWhole = false
        while !isWhole, unsafe interruption == 0, length < answer.count,
            unsafe Glibc.read(descriptor, answer.baseAddress.map { start in unsafe start + length }, 1) == 1
        {
            isWhole = unsafe answer[length] == UInt8(ascii: "\n")
            length += isWhole ? 0 : 1
        }
        // Input that was typed ahead is left for the next reader.
        _ = unsafe tcsetattr(descriptor, TCSADRAIN, &usual)
        for (number, action) in before {
            var action = action
            _ = unsafe sigaction(number, &action, nil)
        }
        guard unsafe interruption == 0 else {
            try? write("\n", to: descriptor)
            return nil
        }
        return isWhole ? length : nil
    }

    /// How many columns it has.
    package var columns: Int { terminalColumns(descriptor) }

    package func show(_ text: String) {
        // A prompt that the user cannot see gets no answer.
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
