import Base

/// The shape of a password before it is checked.
enum PasswordShape: Equatable {
    case usable
    case empty
    /// More than the 256 characters that Cognito takes.
    case tooLong
    /// What sshd sends in place of a password for an account that it refuses anyway (auth-pam.c, fake_password).
    case standIn

    init(_ password: RawSpan) {
        let standIn: [UInt8] = [0x08, 0x0a, 0x0d, 0x7f] + ("INCORRECT" as StaticString).bytes
        // Continuation bytes of UTF-8 are no characters of their own.
        var characters = 0
        var matches = password.byteCount <= standIn.count
        for offset in 0..<password.byteCount {
            let byte = password.byte(at: offset)
            characters += (byte ?? 0) & 0xc0 == 0x80 ? 0 : 1
            matches = matches && standIn.dropFirst(offset).first == byte
        }
        if password.byteCount == 0 {
            self = .empty
        } else if matches || password.byte(at: 0) == 0x08 && password.byte(at: 1) == 0x0a {
            self = .standIn
        } else if characters > 256 || password.byteCount > 1024 {
            self = .tooLong
        } else {
            self = .usable
        }
    }
}
