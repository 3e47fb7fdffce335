internal import Base
package import Tokens

extension SecretValue: ExpressibleByStringLiteral {
    /// The bytes of `text`.
    package convenience init(_ text: String) {
        guard let secret = Secret(copying: unsafe Array(text.utf8).span.bytes) else {
            fatalError("no memory")
        }
        self.init(secret)
    }

    package convenience init(stringLiteral text: String) {
        self.init(text)
    }
}

extension Session {
    /// Reads a bundle in ordinary memory.
    package init(decoding bytes: [UInt8]) throws(SessionError) {
        try self.init(decoding: unsafe bytes.span.bytes)
    }

    /// The bundle in ordinary memory.
    package func bundle() throws(SessionError) -> [UInt8] {
        Array(try encoded().withBytes { bytes in bytes.copied() })
    }
}
