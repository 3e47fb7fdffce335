internal import Base
internal import CCurl
package import Configuration
internal import Tokens

/// The one place where network connections are made: HTTPS by libcurl, over one connection that is kept.
///
/// TLS 1.2 or newer with certificate and host checked; no redirects, no proxy but the one that is named, no netrc, no
/// cookies, nothing from the environment. Only the instance's metadata, which is on no network, is asked without TLS,
/// and at its own address alone, through no proxy.
package final class HTTPClient: HTTPTransport {
    /// The longest answer that is accepted, in bytes; header fields have the same limit of their own.
    package static let largestAnswer = 256 * 1024
    /// The same of the instance's metadata.
    package static let largestMetadata = 16 * 1024
    /// The address of the metadata service of an EC2 instance, over IPv4.
    package static let metadataOrigin = "http://169.254.169.254"
    /// Seconds after which an idle connection is not used again. What stands between may have dropped it without a
    /// word, and a request that must not be sent twice would be lost in it. Addresses are known to be forgotten after a
    /// minute.
    static let longestIdleTime = 30

    private let handle: EasyHandle
    private let progress = SendingProgress()
    private let response: ResponseBuffer
    private let certificates: TrustedCertificates?
    private let isOfMetadata: Bool
    private let connectTimeLimit: Int64
    private let describesConnections: Bool
    private let hasProxy: Bool
    /// How many connections were opened so far.
    package private(set) var connectionCount = 0
    /// Whether a byte of the last request may have been sent to the server.
    package var mayHaveSent: Bool { progress.hasBegun }
    /// The connection of the last request that was answered.
    package private(set) var connection: ConnectionDescription?

    /// Makes a client without connecting.
    ///
    /// - Parameters:
    ///   - caFile: PEM certificates to trust instead of the system's.
    ///   - options: what the administrator set; a proxy's certificate, too, is checked by `caFile`.
    ///   - connectTimeLimit: the longest wait for one connection with its TLS handshake, in milliseconds.
    ///   - userAgent: the User-Agent, not empty: the service's firewall refuses an empty one.
    ///   - describesConnections: whether `connection` is to be told, certificates included.
    package init(
        caFile: String?, options: WorkerSettings = WorkerSettings(), connectTimeLimit: Int64, userAgent: String,
        describesConnections: Bool = false
    ) throws(HTTPError) {
        self.connectTimeLimit = connectTimeLimit
        self.describesConnections = describesConnections
        isOfMetadata = false
        response = ResponseBuffer(limit: Self.largestAnswer)
        handle = try EasyHandle()
        let systemFile = unsafe curlDefaultCAFile().map { name in unsafe String(cString: name) }
        certificates = try (caFile ?? systemFile).map { file throws(HTTPError) in
            try TrustedCertificates(file: file)
        }
        hasProxy = options.proxy != nil
        if describesConnections || options.pinnedPublicKeys != nil {
            try handle.set(CURLOPT_CERTINFO, 1)
        }
        try handle.setUp(isEncrypted: true, userAgent: userAgent, response: response)
        try handle.note(progress)
        if let certificates {
            try handle.trust(certificates)
        }
        if let keys = options.pinnedPublicKeys {
            // Whichever authority has signed the server's certificate.
            try handle.set(CURLOPT_PINNEDPUBLICKEY, String(decoding: keys, as: UTF8.self))
        }
        if let proxy = options.proxy {
            try handle.goThrough(String(decoding: proxy, as: UTF8.self))
        }
    }

    /// Makes a client for the instance's metadata, and for nothing else.
    package init(ofMetadataWithin connectTimeLimit: Int64, userAgent: String) throws(HTTPError) {
        self.connectTimeLimit = connectTimeLimit
        describesConnections = false
        isOfMetadata = true
        certificates = nil
        hasProxy = false
        response = ResponseBuffer(limit: Self.largestMetadata)
        handle = try EasyHandle()
        try handle.setUp(isEncrypted: false, userAgent: userAgent, response: response)
        try handle.note(progress)
    }

    /// Sends `request` and waits at most `timeLimit` milliseconds for the whole answer.
    package func send(_ request: HTTPRequest, timeLimit: Int64) throws(HTTPError) -> HTTPResponse {
        progress.hasBegun = false
        guard request.url.hasPrefix(isOfMetadata ? "\(Self.metadataOrigin)/" : "https://") else {
            throw .unusable("the address of the request is not allowed")
        }
        guard timeLimit > 0 else {
            throw .timedOut
        }
        response.clear()
        defer { response.clear() }
        let overtime = request.late.map { late in
            Overtime(late, after: timeLimit, size: Int64(request.body?.count ?? 0))
        }
        let result = try handle.perform(
            request, timeLimit: timeLimit, connectTimeLimit: min(connectTimeLimit, request.connectTimeLimit ?? .max),
            overtime: overtime)
        connectionCount += handle.newConnections
        if let overtime, overtime.hasBegun || result == CURLE_ABORTED_BY_CALLBACK {
            if result == CURLE_OK, !response.overflowed {
                guard let take = overtime.late.take else {
                    return received()
                }
                take(received())
            }
            throw .timedOut
        }
        if response.overflowed {
            throw .tooLarge(limit: response.limit)
        }
        if let error = handle.shortage(result) {
            throw error
        }
        if hasProxy, let error = handle.proxyError(result) {
            throw error
        }
        if let error = handle.error(result, limit: response.limit) {
            throw error
        }
        connection = describesConnections ? handle.description : nil
        return received()
    }

    private func received() -> HTTPResponse {
        HTTPResponse(status: handle.status, headers: response.headers, body: response.takeBody())
    }
}
