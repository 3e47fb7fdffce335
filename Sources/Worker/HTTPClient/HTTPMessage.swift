internal import Cryptography

/// One request. All requests go to the one host that a client was made for.
package struct HTTPRequest {
    /// `https://host[:port]/path`; to the instance's metadata `http://address/path`.
    package var url: String
    /// Names and values, beside those that the client adds itself.
    package var headers: [Header]
    /// What is posted; nil for GET, and for PUT without a body.
    package var body: [UInt8]?
    /// Whether a request without a body is a PUT.
    package var isPut: Bool
    /// Whether the request may be sent a second time by itself, over a new connection, when a kept one turns out to be
    /// closed. Not for requests that use something up.
    package var isRepeatable: Bool
    /// Who signs the request; nil where nobody does. It must be repeatable.
    package var signer: RequestSigner?

    /// What becomes of an answer that comes when nobody waits for it any more; nil: it is not heard.
    package var late: LateAnswer?

    /// One header field.
    package struct Header: Sendable, Equatable {
        /// The field's name.
        package var name: String
        /// The field's value, on one line.
        package var value: String

        /// Makes a header field.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Makes a request: POST with a body, GET without.
    package init(
        url: String, headers: [Header] = [], body: [UInt8]? = nil, isPut: Bool = false, isRepeatable: Bool = true,
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

/// An answer that is heard out, since the other side may have done something for it that must be undone.
package struct LateAnswer {
    /// How much longer than its time limit a request is waited for that has been sent, in milliseconds.
    package var patience: Int64
    /// Is called, once, when the time limit is reached without an answer.
    package var onLimit: () -> Void
    /// Gets what comes after it. The request has failed all the same.
    package var take: (HTTPResponse) -> Void

    /// Makes one of its parts.
    package init(patience: Int64, onLimit: @escaping () -> Void, take: @escaping (HTTPResponse) -> Void) {
        self.patience = patience
        self.onLimit = onLimit
        self.take = take
    }
}

/// One answer, whatever its status.
package struct HTTPResponse: Sendable, Equatable {
    /// The status code.
    package var status: Int
    /// Values by name in lower case, the last of each name.
    package var headers: [String: String]
    /// The body, within the client's limit.
    package var body: [UInt8]

    /// Makes an answer.
    package init(status: Int, headers: [String: String] = [:], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// How a connection came about. Times are counted from the request's beginning.
package struct ConnectionDescription: Sendable, Equatable {
    /// Where to, as a literal address.
    package var address: String
    /// When the name was resolved.
    package var nameMicroseconds: Int64
    /// When there was a connection.
    package var connectMicroseconds: Int64
    /// When TLS was agreed on.
    package var tlsMicroseconds: Int64
    /// When the answer began.
    package var answerMicroseconds: Int64
    /// The server's certificates, its own first, with the fields that the TLS library names: `Subject`, `Issuer`,
    /// `Expire date`.
    package var certificates: [[String: String]]

    /// The server's public key in the form of CURLOPT_PINNEDPUBLICKEY(3); nil where it is not known.
    package var publicKeyPin: String? {
        certificates.first?["Cert"].flatMap(PublicKeyPin.make(certificate:))
    }

    /// A description from its parts.
    package init(
        address: String, nameMicroseconds: Int64, connectMicroseconds: Int64, tlsMicroseconds: Int64,
        answerMicroseconds: Int64, certificates: [[String: String]]
    ) {
        self.address = address
        self.nameMicroseconds = nameMicroseconds
        self.connectMicroseconds = connectMicroseconds
        self.tlsMicroseconds = tlsMicroseconds
        self.answerMicroseconds = answerMicroseconds
        self.certificates = certificates
    }
}

/// Why there is no answer.
package enum HTTPError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The host's name has no address.
    case unresolvable
    /// No connection, or one that broke.
    case unreachable(String)
    /// Not in time.
    case timedOut
    /// The certificate is not that of the host, or nobody we trust signed it.
    case certificate(String)
    /// The server has none of the public keys that were demanded; which it has, where that is known.
    case publicKey(String?)
    /// The proxy made no connection.
    case proxy(String)
    /// The other end speaks no TLS 1.2 or newer.
    case tlsTooOld
    /// TLS failed in another way.
    case tls(String)
    /// More than the client's limit, in bytes.
    case tooLarge(limit: Int)
    /// Not HTTP.
    case malformed(String)
    /// The CA file cannot be used.
    case caFile(String)
    /// The client cannot work at all: memory, an option that libcurl does not know.
    case unusable(String)

    /// The end of a sentence that begins with what was tried, without a full stop.
    package var description: String {
        switch self {
        case .unresolvable: "the host name could not be resolved"
        case .unreachable(let detail): "no connection: \(detail)"
        case .timedOut: "no answer in time"
        case .certificate(let detail): "the server's certificate was not accepted: \(detail)"
        case .publicKey(let seen): "the server's public key is \(seen ?? "another one")"
        case .proxy(let detail): "the proxy made no connection: \(detail)"
        case .tlsTooOld: "the server does not speak TLS 1.2 or newer"
        case .tls(let detail): "TLS failed: \(detail)"
        case .tooLarge(let limit): "the answer was larger than \(limit) bytes"
        case .malformed(let detail): "the answer was not HTTP: \(detail)"
        case .caFile(let detail): "the file of CA certificates could not be used: \(detail)"
        case .unusable(let detail): "the HTTP library failed: \(detail)"
        }
    }
}

/// What sends requests: libcurl, or a test's script.
package protocol HTTPTransport: AnyObject {
    /// Sends `request` and waits at most `timeLimit` milliseconds for the whole answer.
    func send(_ request: HTTPRequest, timeLimit: Int64) throws(HTTPError) -> HTTPResponse
    /// The connection of the last request that was answered, where that was asked for.
    var connection: ConnectionDescription? { get }
}

extension HTTPTransport {
    package var connection: ConnectionDescription? { nil }
}
