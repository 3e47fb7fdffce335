internal import Base

/// A code of an authenticator app that is typed right behind the password (`combined_code`): the worker and the root
/// side, which do not tell each other, split it off in the same way.
package enum CombinedCode {
    /// How many digits it has.
    package static let length = 6

    /// How many bytes of what was typed are the password; nil: all of them, there is no code behind it.
    package static func passwordLength(in typed: RawSpan) -> Int? {
        let start = typed.byteCount - length
        guard start > 0 else {
            return nil
        }
        for offset in start..<typed.byteCount {
            guard let byte = typed.byte(at: offset), byte.isDecimalDigit else {
                return nil
            }
        }
        return start
    }
}
