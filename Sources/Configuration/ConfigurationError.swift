package import Base

/// A mistake in the configuration, with everything that is needed to fix it.
package struct ConfigurationError: Error, Equatable, Sendable {
    /// Line number from 1; nil when it is about the file as a whole.
    package let line: Int?
    /// Whether it is about an argument of pam_cognito.so in the PAM stack, and not about the file.
    let isArgument: Bool
    /// The mistake and its fix: one line of printable text, without secrets.
    package let finding: ByteText

    init(line: Int? = nil, isArgument: Bool = false, _ finding: ByteText) {
        self.line = line
        self.isArgument = isArgument
        self.finding = finding
    }

    /// The whole message, `FILE:LINE: finding`.
    package func message(file: [UInt8]) -> ByteText {
        guard !isArgument else {
            return "in this service's pam_cognito.so lines: \(finding)"
        }
        guard let line else {
            return "\(file): \(finding)"
        }
        return "\(file):\(line): \(finding)"
    }
}
