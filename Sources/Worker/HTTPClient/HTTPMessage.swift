package import Tokens

package struct HTTPRequest {
    /// `https://host[:port]/path`; to the instance's metadata `http://address/path`.
    package var url: String
    /// Names and values, beside those that the client adds itself.
    package var headers: [Header]
    /// The same where the value is a secret.
    package var secretHeaders: [SecretHeader] = []
    /// The posted body; nil for GET, and for PUT without a body.
    package var body: SecretValue?
    /// Whether a request without a body is a PUT.
    package var isPut: Bool
    /// Whether the request may be sent a second time by itself, over a new connection, when a kept one turns out to be
    /// closed. Not for requests that use something up.
    package var isRepeatable: Bool
    /// Signs the request; nil for an unsigned request. Signing must be repeatable.
    package var signer: RequestSigner?

    /// The longest wait for a new connection, in milliseconds, where that is less than the client's own.
    package var connectTimeLimit: Int64?

    /// Handles an answer that arrives after its caller stopped waiting; nil: such an answer is not read.
    package var late: LateAnswer?

    package struct Header: Sendable, Equatable {
        package var name: String
        /// The field's value, on one line.
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// One header field whose value is a secret.
    package struct SecretHeader: Sendable, Equatable {
        package var name: String
        /// The field's value, on one line.
        package var value: SecretValue

        package init(_ name: String, _ value: SecretValue) {
            self.name = name
            self.value = value
        }
    }

    /// Makes a request: POST with a body, GET without.
    package init(
        url: String, headers: [Header] = [], body: SecretValue? = nil, isPut: Bool = false, isRepeatable: Bool = true,
        signer: RequestSigner? = nil
    ) {
        self.url = url
        self.headers = headers
        self.body = body
        self.isPut = isPut
        self.isRepeatable = isRepeatable
        self.signer = signer
    }
}

/// One answer, whatever its status.
package struct HTTPResponse: Sendable, Equatable {
    package var status: Int
    /// Values by name in lower case, the last of each name.
    package var headers: [String: String]
    /// The body, within the client's limit; nil where there is none.
    package var body: SecretValue?

    package init(status: Int, headers: [String: String] = [:], body: SecretValue?) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// Sends requests: libcurl, or a test's script.
package protocol HTTPTransport: AnyObject {
    /// Sends `request` and waits at most `timeLimit` milliseconds for the whole answer.
    func send(_ request: HTTPRequest, timeLimit: Int64) throws(HTTPError) -> HTTPResponse
    /// The connection of the last request that was answered, where that was asked for.
    var connection: ConnectionDescription? { get }
    /// Whether a byte of the last request may have been sent to the server.
    var mayHaveSent: Bool { get }
}

extension HTTPTransport {
    package var connection: ConnectionDescription? { nil }
    package var mayHaveSent: Bool { true }
}
