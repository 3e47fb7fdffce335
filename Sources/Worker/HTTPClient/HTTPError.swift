/// Why there is no answer.
package enum HTTPError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The host's name has no address.
    case unresolvable
    /// No connection, or one that broke.
    case unreachable(String)
    /// There was no connection because this machine had no port, descriptor, thread or memory for one, or forbids it.
    /// The network is not the cause, and a user with a shell on this machine may have caused it.
    case shortage(String)
    case timedOut
    /// The certificate does not belong to the host, or no trusted authority signed it.
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
        case .shortage(let detail): "this machine cannot connect: \(detail)"
        case .timedOut: "no answer in time"
        case .certificate(let detail): "the server's certificate was not accepted: \(detail)"
        case .publicKey(let seen): "the server's public key is \(seen ?? "another one")"
        case .proxy(let detail): "no connection through the proxy: \(detail)"
        case .tlsTooOld: "the server does not support TLS 1.2 or newer"
        case .tls(let detail): "TLS failed: \(detail)"
        case .tooLarge(let limit): "the response was larger than \(limit) bytes"
        case .malformed(let detail): "the response was not HTTP: \(detail)"
        case .caFile(let detail): "the CA certificate file could not be used: \(detail)"
        case .unusable(let detail): "the HTTP library failed: \(detail)"
        }
    }
}
