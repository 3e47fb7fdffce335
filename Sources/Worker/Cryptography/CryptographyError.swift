internal import CCrypto

/// libcrypto, or the memory that it needs, failed. Says which operation, never with what.
package struct CryptographyError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The operation that failed, as an infinitive.
    package let operation: String

    /// Notes the failed operation and empties libcrypto's list of errors: TLS would take them for its own.
    package init(_ operation: String) {
        self.operation = operation
        ERR_clear_error()
    }

    /// A sentence for the log.
    package var description: String {
        "The cryptographic library failed to \(operation)."
    }
}

/// Throws unless `result` is libcrypto's word for success.
func check(_ result: CInt, _ operation: String) throws(CryptographyError) {
    guard result == 1 else {
        throw CryptographyError(operation)
    }
}
