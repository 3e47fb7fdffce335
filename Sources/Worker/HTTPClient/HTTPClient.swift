internal import Base
internal import CCurl
internal import Glibc

/// The one place where network connections are made: HTTPS by libcurl, over one connection that is kept.
///
/// TLS 1.2 or newer with certificate and host checked; no redirects, no proxy but the one that is named, no netrc, no cookies,
/// nothing from the environment. Only the instance's metadata, which is on no network, is asked without TLS, and at its own address
/// alone, through no proxy.
package final class HTTPClient: HTTPTransport {
    /// The longest answer that is accepted, in bytes; header fields have the same limit of their own.
    package static let largestAnswer = 256 * 1024
    /// The same of the instance's metadata.
    package static let largestMetadata = 16 * 1024
    /// Where an instance of EC2 finds its metadata, over IPv4.
    package static let metadataOrigin = "http://169.254.169.254"
    /// Seconds after which an idle connection is not used again. What stands between may have dropped it without a word, and
    /// a request that must not be sent twice would be lost in it. Addresses are known to be forgotten after a minute.
    static let longestIdleTime = 30

    private let handle: EasyHandle
    private let answer: Answer
    private let isOfMetadata: Bool
    private let connectTimeLimit: Int64
    private let describesConnections: Bool
    private let hasProxy: Bool
    /// How many connections were opened so far.
    package private(set) var connectionCount = 0
    /// The connection of the last request that was answered.
    package private(set) var connection: ConnectionDescription?

    /// Makes a client without connecting.
    ///
    /// - Parameters:
    ///   - caFile: PEM certificates to trust instead of the system's.
    ///   - pinnedPublicKeys: the server's public key must be one of these (CURLOPT_PINNEDPUBLICKEY(3)).
    ///   - proxy: what requests go through (CURLOPT_PROXY(3)): its certificate, too, is checked by `caFile`.
    ///   - connectTimeLimit: the longest wait for one connection with its TLS handshake, in milliseconds.
    ///   - userAgent: the User-Agent, not empty: the service's firewall refuses an empty one.
    ///   - describesConnections: whether `connection` is to be told, certificates included.
    package init(
        caFile: String?, pinnedPublicKeys: String? = nil, proxy: String? = nil, connectTimeLimit: Int64,
        userAgent: String, describesConnections: Bool = false
    ) throws(HTTPError) {
        self.connectTimeLimit = connectTimeLimit
        self.describesConnections = describesConnections
        isOfMetadata = false
        answer = Answer(limit: Self.largestAnswer)
        handle = try EasyHandle()
        hasProxy = proxy != nil
        if describesConnections || pinnedPublicKeys != nil {
            try handle.keepCertificates()
        }
        try handle.setUp(caFile: caFile, userAgent: userAgent, answer: answer)
        if let pinnedPublicKeys {
            try handle.pin(pinnedPublicKeys)
        }
        if let proxy {
            try handle.goThrough(proxy, caFile: caFile)
        }
    }

    /// Makes a client for the instance's metadata, and for nothing else.
    package init(ofMetadataWithin connectTimeLimit: Int64, userAgent: String) throws(HTTPError) {
        self.connectTimeLimit = connectTimeLimit
        describesConnections = false
        isOfMetadata = true
        hasProxy = false
        answer = Answer(limit: Self.largestMetadata)
        handle = try EasyHandle()
        try handle.setUp(caFile: nil, userAgent: userAgent, answer: answer)
        try handle.allowOnlyHTTP()
    }

    /// Sends `request` and waits at most `timeLimit` milliseconds for the whole answer.
    package func send(_ request: HTTPRequest, timeLimit: Int64) throws(HTTPError) -> HTTPResponse {
        guard request.url.hasPrefix(isOfMetadata ? "\(Self.metadataOrigin)/" : "https://") else {
            throw .unusable("this client does not go there")
        }
        guard timeLimit > 0 else {
            throw .timedOut
        }
        answer.clear()
        defer { answer.clear() }
        let overtime = request.late.map { late in
            Overtime(late, after: timeLimit, size: Int64(request.body?.count ?? 0))
        }
        let result = try handle.perform(
            request, timeLimit: timeLimit, connectTimeLimit: connectTimeLimit, overtime: overtime)
        connectionCount += handle.newConnections
        if let overtime, overtime.hasBegun || result == CURLE_ABORTED_BY_CALLBACK {
            if result == CURLE_OK, !answer.overflowed {
                let response = HTTPResponse(status: handle.status, headers: answer.headers, body: answer.body)
                overtime.late.take(response)
            }
            throw .timedOut
        }
        if answer.overflowed {
            throw .tooLarge(limit: answer.limit)
        }
        if result != CURLE_OK, hasProxy, let error = handle.proxyError(result) {
            throw error
        }
        if let error = handle.error(result, limit: answer.limit) {
            throw error
        }
        connection = describesConnections ? handle.description : nil
        return HTTPResponse(status: handle.status, headers: answer.headers, body: answer.body)
    }
}

/// What arrives, gathered up to the limit.
private final class Answer {
    let limit: Int
    private(set) var body: [UInt8] = []
    private(set) var headers: [String: String] = [:]
    private(set) var overflowed = false
    private var headerSize = 0

    init(limit: Int) {
        self.limit = limit
    }

    func clear() {
        body = []
        headers = [:]
        overflowed = false
        headerSize = 0
    }

    /// Adds to the body; false when it does not fit.
    func add(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= limit - body.count else {
            overflowed = true
            return false
        }
        unsafe body.append(contentsOf: bytes)
        return true
    }

    /// Takes one line of the header; false when there are too many.
    func addHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headerSize += bytes.count
        guard headerSize <= limit else {
            overflowed = true
            return false
        }
        let line = unsafe String(decoding: bytes, as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            headers = [:]
        } else if let colon = line.firstIndex(of: ":") {
            headers[line[..<colon].lowercased()] = Self.trimmed(line[line.index(after: colon)...])
        }
        return true
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while let first = text.first, first.isWhitespace {
            text.removeFirst()
        }
        while let last = text.last, last.isWhitespace {
            text.removeLast()
        }
        return String(text)
    }
}

/// The time after a request's limit.
private final class Overtime {
    let late: LateAnswer
    private let end: Int64
    private let size: Int64
    private(set) var hasBegun = false

    init(_ late: LateAnswer, after timeLimit: Int64, size: Int64) {
        self.late = late
        self.size = size
        end = Self.now + timeLimit
    }

    /// Whether the request goes on, `sent` bytes of it being on their way: not after its limit when it is not whole.
    func goesOn(sent: Int64) -> Bool {
        guard !hasBegun, Self.now >= end else {
            return true
        }
        guard sent >= size else {
            return false
        }
        hasBegun = true
        late.onLimit()
        return true
    }

    /// Milliseconds that only ever go forward.
    private static var now: Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// A body on its way out.
private final class Upload {
    private let body: [UInt8]
    private var offset = 0

    init(_ body: [UInt8]) {
        self.body = body
    }

    /// Writes the next bytes into `room`; the result is how many, zero at the end.
    func fill(_ room: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(room.count, body.count - offset)
        unsafe room.copyBytes(from: body[offset..<(offset + count)])
        offset += count
        return count
    }
}

/// The owner of a libcurl easy handle and of the memory that it writes errors into.
@safe
private struct EasyHandle: ~Copyable {
    private let handle: UnsafeMutableRawPointer
    private let errorText: UnsafeMutablePointer<CChar>

    init() throws(HTTPError) {
        guard curlGlobalStart() == CURLE_OK, let handle = unsafe curl_easy_init() else {
            throw .unusable("it could not be started")
        }
        unsafe self.handle = handle
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        unsafe curl_easy_cleanup(handle)
        unsafe errorText.deallocate()
    }

    /// Sets what holds for every request. `answer` must live as long as the handle.
    borrowing func setUp(caFile: String?, userAgent: String, answer: Answer) throws(HTTPError) {
        try check(unsafe curlAllowOnlyHTTPS(handle))
        try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try check(unsafe curlIgnoreNetrc(handle))
        try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_TCP_KEEPALIVE, 0)
        try set(CURLOPT_MAXCONNECTS, 1)
        try set(CURLOPT_MAXAGE_CONN, HTTPClient.longestIdleTime)
        try set(CURLOPT_PROXY, "")
        try set(CURLOPT_NOPROXY, "*")
        try set(CURLOPT_USERAGENT, userAgent)
        try check(unsafe curlSetLargeNumber(handle, CURLOPT_MAXFILESIZE_LARGE, Int64(answer.limit)))
        if let caFile {
            try set(CURLOPT_CAINFO, caFile)
            // The system's folder of certificates would be trusted as well otherwise.
            try check(unsafe curlSetText(handle, CURLOPT_CAPATH, nil))
        }
        try check(unsafe curlSetPointer(handle, CURLOPT_ERRORBUFFER, errorText))
        let receiver = unsafe Unmanaged.passUnretained(answer).toOpaque()
        try check(unsafe curlSetPointer(handle, CURLOPT_WRITEDATA, receiver))
        try check(unsafe curlSetPointer(handle, CURLOPT_HEADERDATA, receiver))
        try check(
            unsafe curlSetReceiver(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, receiver in
                unsafe receive(bytes, size * count, receiver) { answer, bytes in unsafe answer.add(bytes) }
            }
        )
        try check(
            unsafe curlSetReceiver(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, receiver in
                unsafe receive(bytes, size * count, receiver) { answer, bytes in unsafe answer.addHeader(bytes) }
            }
        )
        try check(
            unsafe curlSetReceiver(handle, CURLOPT_READFUNCTION) { buffer, size, count, upload in
                guard let buffer = unsafe buffer, let upload = unsafe upload else {
                    return 0
                }
                let room = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: size * count)
                return unsafe Unmanaged<Upload>.fromOpaque(upload).takeUnretainedValue().fill(room)
            }
        )
    }

    /// HTTP instead of HTTPS.
    borrowing func allowOnlyHTTP() throws(HTTPError) {
        try check(unsafe curlAllowOnlyHTTP(handle))
    }

    /// Only a server with one of these public keys will do, whoever signed its certificate.
    borrowing func pin(_ publicKeys: String) throws(HTTPError) {
        try set(CURLOPT_PINNEDPUBLICKEY, publicKeys)
    }

    /// Has every connection go through `proxy`, by CONNECT or SOCKS: what is sent remains between this process and the server.
    borrowing func goThrough(_ proxy: String, caFile: String?) throws(HTTPError) {
        try set(CURLOPT_PROXY, proxy)
        try set(CURLOPT_NOPROXY, "")
        try set(CURLOPT_HTTPPROXYTUNNEL, 1)
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        try set(CURLOPT_PROXY_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        try set(CURLOPT_PROXY_SSL_VERIFYPEER, 1)
        try set(CURLOPT_PROXY_SSL_VERIFYHOST, 2)
        if let caFile {
            try set(CURLOPT_PROXY_CAINFO, caFile)
            try check(unsafe curlSetText(handle, CURLOPT_PROXY_CAPATH, nil))
        }
    }

    // MARK: - Requests

    /// Sends one request. The result is libcurl's: see `error`.
    borrowing func perform(
        _ request: HTTPRequest, timeLimit: Int64, connectTimeLimit: Int64, overtime: Overtime?
    ) throws(HTTPError) -> CURLcode {
        unsafe errorText.pointee = 0
        try set(CURLOPT_URL, request.url)
        try set(CURLOPT_TIMEOUT_MS, Int(timeLimit) + Int(overtime?.late.patience ?? 0))
        if let overtime {
            try watch(overtime)
        }
        defer {
            _ = unsafe curlWatch(handle, nil, nil)
            withExtendedLifetime(overtime) {}
        }
        try set(CURLOPT_CONNECTTIMEOUT_MS, Int(max(1, min(timeLimit, connectTimeLimit))))
        var list: UnsafeMutablePointer<curl_slist>?
        defer { unsafe curl_slist_free_all(list) }
        // Without a value a field is left out: no waiting for "100 Continue". Some versions of libcurl would sign it all the same;
        // and what is signed is too short for that field.
        if request.signer == nil {
            unsafe list = curl_slist_append(nil, "Expect:")
        }
        for header in request.headers {
            guard let longer = unsafe curl_slist_append(list, "\(header.name): \(header.value)") else {
                throw .unusable("out of memory")
            }
            unsafe list = longer
        }
        if let signer = request.signer {
            unsafe list = try sign(by: signer, list)
        }
        defer { unsafe curlStopSigning(handle) }
        try check(unsafe curlSetHeaders(handle, list))
        defer { _ = unsafe curlSetHeaders(handle, nil) }
        guard let body = request.body else {
            try set(CURLOPT_HTTPGET, 1)
            try check(unsafe curlSetText(handle, CURLOPT_CUSTOMREQUEST, request.isPut ? "PUT" : nil))
            defer { _ = unsafe curlSetText(handle, CURLOPT_CUSTOMREQUEST, nil) }
            return unsafe curl_easy_perform(handle)
        }
        try set(CURLOPT_POST, 1)
        try check(unsafe curlSetLargeNumber(handle, CURLOPT_POSTFIELDSIZE_LARGE, Int64(body.count)))
        guard request.isRepeatable else {
            return try performOnce(body)
        }
        return try unsafe body.span.bytes.withUnsafeBytes { (bytes) throws(HTTPError) in
            // Not copied: libcurl reads it during this call only.
            try check(unsafe curlSetText(handle, CURLOPT_POSTFIELDS, bytes.bindMemory(to: CChar.self).baseAddress))
            defer { _ = unsafe curlSetText(handle, CURLOPT_POSTFIELDS, nil) }
            return unsafe curl_easy_perform(handle)
        }
    }

    /// Has `overtime`, which must live as long as the request, asked whether that goes on.
    private borrowing func watch(_ overtime: Overtime) throws(HTTPError) {
        let result = unsafe curlWatch(
            handle,
            { watcher, _, _, _, sent in
                guard let watcher = unsafe watcher else {
                    return 0
                }
                return unsafe Unmanaged<Overtime>.fromOpaque(watcher).takeUnretainedValue().goesOn(sent: Int64(sent))
                    ? 0 : 1
            }, Unmanaged.passUnretained(overtime).toOpaque())
        try check(result)
    }

    /// Has libcurl sign the next request; the result is the list of headers with what belongs to it.
    private borrowing func sign(
        by signer: RequestSigner, _ list: UnsafeMutablePointer<curl_slist>?
    ) throws(HTTPError) -> UnsafeMutablePointer<curl_slist>? {
        let result = signer.accessKeyID.withBytes { identifier in
            signer.secretAccessKey.withBytes { key in
                unsafe identifier.withUnsafeBytes { identifier in
                    unsafe key.withUnsafeBytes { key in
                        unsafe curlSign(
                            handle, signer.provider, identifier.bindMemory(to: CChar.self).baseAddress,
                            key.bindMemory(to: CChar.self).baseAddress)
                    }
                }
            }
        }
        try check(result)
        guard let token = signer.sessionToken?.duplicate() else {
            return unsafe list
        }
        guard var header = Secret(capacity: token.count + 32), header.append(Array("X-Amz-Security-Token: ".utf8)),
            token.withBytes({ bytes in header.append(bytes) }),
            let longer = unsafe header.withBytes({ bytes in
                unsafe bytes.withUnsafeBytes { bytes in
                    unsafe curl_slist_append(list, bytes.bindMemory(to: CChar.self).baseAddress)
                }
            })
        else {
            throw .unusable("out of memory")
        }
        return unsafe longer
    }

    /// Posts `body` in a way that libcurl cannot do twice: a body that it reads from a function it cannot rewind. It
    /// would otherwise send the request again, untold, when a kept connection ends without an answer.
    private borrowing func performOnce(_ body: [UInt8]) throws(HTTPError) -> CURLcode {
        let upload = Upload(body)
        try check(unsafe curlSetPointer(handle, CURLOPT_READDATA, Unmanaged.passUnretained(upload).toOpaque()))
        defer { _ = unsafe curlSetPointer(handle, CURLOPT_READDATA, nil) }
        return withExtendedLifetime(upload) { unsafe curl_easy_perform(handle) }
    }

    var status: Int {
        unsafe curlStatus(handle)
    }

    /// Has libcurl remember the certificates of a connection.
    borrowing func keepCertificates() throws(HTTPError) {
        try set(CURLOPT_CERTINFO, 1)
    }

    /// The connection of the last request.
    var description: ConnectionDescription {
        var certificates: [[String: String]] = []
        if let found = unsafe curlCertificates(handle)?.pointee, let lists = unsafe found.certinfo {
            let count = unsafe Int(found.num_of_certs)
            for index in 0..<max(0, count) {
                var fields: [String: String] = [:]
                var entry = unsafe lists[index]
                while let node = unsafe entry {
                    if let text = unsafe node.pointee.data.map({ data in unsafe String(cString: data) }),
                        let colon = text.firstIndex(of: ":")
                    {
                        fields[String(text[..<colon])] = String(text[text.index(after: colon)...])
                    }
                    unsafe entry = node.pointee.next
                }
                certificates.append(fields)
            }
        }
        return ConnectionDescription(
            address: unsafe curlAddress(handle).map { text in unsafe String(cString: text) } ?? "",
            nameMicroseconds: unsafe curlTime(handle, CURLINFO_NAMELOOKUP_TIME_T),
            connectMicroseconds: unsafe curlTime(handle, CURLINFO_CONNECT_TIME_T),
            tlsMicroseconds: unsafe curlTime(handle, CURLINFO_APPCONNECT_TIME_T),
            answerMicroseconds: unsafe curlTime(handle, CURLINFO_STARTTRANSFER_TIME_T),
            certificates: certificates)
    }

    var newConnections: Int {
        unsafe curlNewConnections(handle)
    }

    /// What `result` means where it is the proxy's doing, rather than that of the server behind it; nil where it is not.
    borrowing func proxyError(_ result: CURLcode) -> HTTPError? {
        let status = unsafe curlProxyStatus(handle)
        // Without TLS on a new connection, the server has not been reached yet.
        let tlsTime = unsafe curlTime(handle, CURLINFO_APPCONNECT_TIME_T)
        let isOnTheWay = newConnections > 0 && tlsTime == 0 && status == 0
        switch result {
        case _ where status == 407:
            return .proxy("it asks for a name and a password (HTTP status 407)")
        case _ where status >= 300:
            return .proxy("it answered with HTTP status \(status)")
        case CURLE_COULDNT_RESOLVE_PROXY:
            return .proxy("its name could not be resolved")
        case CURLE_COULDNT_CONNECT, CURLE_PROXY:
            return .proxy(detail(result))
        case CURLE_OPERATION_TIMEDOUT where newConnections > 0 && tlsTime == 0:
            return .proxy("there was no connection through it in time")
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_SSL_CONNECT_ERROR,
            CURLE_PEER_FAILED_VERIFICATION:
            return isOnTheWay ? .proxy(detail(result)) : nil
        default:
            return nil
        }
    }

    /// What libcurl's result means; nil for success.
    borrowing func error(_ result: CURLcode, limit: Int) -> HTTPError? {
        let detail = detail(result)
        switch result {
        case CURLE_OK:
            return nil
        case CURLE_COULDNT_RESOLVE_HOST:
            return .unresolvable
        case CURLE_OPERATION_TIMEDOUT:
            return .timedOut
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR:
            return .certificate(detail)
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            return .publicKey(description.publicKeyPin)
        case CURLE_SSL_CACERT_BADFILE:
            return .caFile(detail)
        case CURLE_SSL_CONNECT_ERROR:
            // "unsupported protocol" is ours to say, "alert protocol version" the server's.
            let tooOld = detail.mentions("unsupported protocol") || detail.mentions("protocol version")
            return tooOld ? .tlsTooOld : .tls(detail)
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_SHUTDOWN_FAILED:
            return .tls(detail)
        case CURLE_FILESIZE_EXCEEDED:
            return .tooLarge(limit: limit)
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING:
            return .malformed(detail)
        case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT, CURLE_UNKNOWN_OPTION, CURLE_NOT_BUILT_IN,
            CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT:
            return .unusable(detail)
        default:
            return .unreachable(detail)
        }
    }

    /// libcurl's own words, on one line of printable ASCII.
    private borrowing func detail(_ result: CURLcode) -> String {
        var text = unsafe String(cString: errorText)
        if text.isEmpty, let general = unsafe curl_easy_strerror(result) {
            text = unsafe String(cString: general)
        }
        let printable = text.utf8.map { byte in (0x20..<0x7f).contains(byte) ? byte : UInt8(ascii: "?") }
        return String(decoding: printable.prefix(200), as: UTF8.self)
    }

    private borrowing func set(_ option: CURLoption, _ value: Int) throws(HTTPError) {
        try check(unsafe curlSetNumber(handle, option, value))
    }

    private borrowing func set(_ option: CURLoption, _ text: String) throws(HTTPError) {
        try check(unsafe curlSetText(handle, option, text))
    }

    private borrowing func check(_ result: CURLcode) throws(HTTPError) {
        guard result == CURLE_OK else {
            throw .unusable(detail(result))
        }
    }
}

/// Hands what libcurl received to `take`. The result is the byte count, or zero to stop the transfer.
private func receive(
    _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ receiver: UnsafeMutableRawPointer?,
    _ take: (Answer, UnsafeRawBufferPointer) -> Bool
) -> Int {
    guard let receiver = unsafe receiver else {
        return 0
    }
    let answer = unsafe Unmanaged<Answer>.fromOpaque(receiver).takeUnretainedValue()
    return unsafe take(answer, UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
}
