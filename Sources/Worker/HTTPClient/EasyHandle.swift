internal import Base
internal import CCurl
internal import Tokens

/// The owner of a libcurl easy handle and of the memory that it writes errors into.
@safe
struct EasyHandle: ~Copyable {
    let handle: UnsafeMutableRawPointer
    let errorText: UnsafeMutablePointer<CChar>

    init() throws(HTTPError) {
        guard curl_global_init(Int(CURL_GLOBAL_SSL)) == CURLE_OK, let handle = unsafe curl_easy_init() else {
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

    /// Sets what holds for every request, with HTTPS alone or HTTP alone. `response` must live as long as the handle.
    borrowing func setUp(isEncrypted: Bool, userAgent: String, response: ResponseBuffer) throws(HTTPError) {
        try check(unsafe curlAllowOnly(handle, isEncrypted ? 1 : 0))
        try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try check(unsafe curlIgnoreNetrc(handle))
        try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        try set(CURLOPT_NOSIGNAL, 1)
        try check(unsafe curlLeaveResolver(handle))
        try set(CURLOPT_TCP_KEEPALIVE, 0)
        try set(CURLOPT_MAXCONNECTS, 1)
        try set(CURLOPT_MAXAGE_CONN, HTTPClient.longestIdleTime)
        try set(CURLOPT_PROXY, "")
        try set(CURLOPT_NOPROXY, "*")
        try set(CURLOPT_USERAGENT, userAgent)
        try check(unsafe curlSetPointer(handle, CURLOPT_ERRORBUFFER, errorText))
        try receive(into: response)
    }

    /// Has what arrives gathered in `response`, and bodies read from an `Upload`.
    private borrowing func receive(into response: ResponseBuffer) throws(HTTPError) {
        try check(unsafe curlSetLargeNumber(handle, CURLOPT_MAXFILESIZE_LARGE, Int64(response.limit)))
        let receiver = unsafe Unmanaged.passUnretained(response).toOpaque()
        try check(unsafe curlSetPointer(handle, CURLOPT_WRITEDATA, receiver))
        try check(unsafe curlSetPointer(handle, CURLOPT_HEADERDATA, receiver))
        try check(
            unsafe curlSetReceiver(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, receiver in
                unsafe take(bytes, size * count, receiver) { response, bytes in unsafe response.add(bytes) }
            }
        )
        try check(
            unsafe curlSetReceiver(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, receiver in
                unsafe take(bytes, size * count, receiver) { response, bytes in unsafe response.addHeader(bytes) }
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

    /// Has `progress`, which must live as long as the handle, told when libcurl begins to send a request.
    borrowing func note(_ progress: SendingProgress) throws(HTTPError) {
        let result = unsafe curlNoteSending(
            handle,
            { progress, _, _, _, _ in
                if let progress = unsafe progress {
                    unsafe Unmanaged<SendingProgress>.fromOpaque(progress).takeUnretainedValue().hasBegun = true
                }
                return 0
            }, Unmanaged.passUnretained(progress).toOpaque())
        // Older versions do not tell: then each request may have been sent.
        progress.isTold = result == CURLE_OK
        if result != CURLE_UNKNOWN_OPTION {
            try check(result)
        }
    }

    /// Trusts `certificates`, which must live as long as the handle, and no others: of the server as of a proxy.
    borrowing func trust(_ certificates: TrustedCertificates) throws(HTTPError) {
        try check(unsafe curlTrustNoFile(handle))
        let governor = unsafe Unmanaged.passUnretained(certificates).toOpaque()
        try check(
            unsafe curlGovernTLS(
                handle,
                { _, context, certificates in
                    guard let context = unsafe context, let certificates = unsafe certificates else {
                        return CURLE_ABORTED_BY_CALLBACK
                    }
                    unsafe Unmanaged<TrustedCertificates>.fromOpaque(certificates).takeUnretainedValue()
                        .govern(OpaquePointer(context))
                    return CURLE_OK
                }, governor))
    }

    /// Has every connection go through `proxy`, by CONNECT or SOCKS: what is sent remains between this process and the
    /// server.
    borrowing func goThrough(_ proxy: String) throws(HTTPError) {
        try set(CURLOPT_PROXY, proxy)
        try set(CURLOPT_NOPROXY, "")
        try set(CURLOPT_HTTPPROXYTUNNEL, 1)
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        try set(CURLOPT_PROXY_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        try set(CURLOPT_PROXY_SSL_VERIFYPEER, 1)
        try set(CURLOPT_PROXY_SSL_VERIFYHOST, 2)
    }

    // MARK: - What libcurl says

    var status: Int {
        unsafe curlNumber(handle, CURLINFO_RESPONSE_CODE)
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

    /// How many connections were opened for the last request: none when one was used again.
    var newConnections: Int {
        unsafe curlNumber(handle, CURLINFO_NUM_CONNECTS)
    }

    /// libcurl's own words, on one line of printable ASCII.
    borrowing func detail(_ result: CURLcode) -> String {
        var text = unsafe String(cString: errorText)
        if text.isEmpty, let general = unsafe curl_easy_strerror(result) {
            text = unsafe String(cString: general)
        }
        return text.printableASCII(limit: 200)
    }

    borrowing func set(_ option: CURLoption, _ value: Int) throws(HTTPError) {
        try check(unsafe curlSetNumber(handle, option, value))
    }

    borrowing func set(_ option: CURLoption, _ text: String) throws(HTTPError) {
        try check(unsafe curlSetText(handle, option, text))
    }

    borrowing func check(_ result: CURLcode) throws(HTTPError) {
        guard result == CURLE_OK else {
            throw .unusable(detail(result))
        }
    }
}

/// How far a request has come.
final class SendingProgress {
    /// Whether libcurl tells it.
    var isTold = false
    private var wasToldSo = false

    /// Whether bytes of it may have been sent.
    var hasBegun: Bool {
        get { wasToldSo || !isTold }
        set { wasToldSo = newValue }
    }
}

/// Hands what libcurl received to `add`. The result is the byte count, or zero to stop the transfer.
private func take(
    _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ receiver: UnsafeMutableRawPointer?,
    _ add: (ResponseBuffer, UnsafeRawBufferPointer) -> Bool
) -> Int {
    guard let receiver = unsafe receiver else {
        return 0
    }
    let response = unsafe Unmanaged<ResponseBuffer>.fromOpaque(receiver).takeUnretainedValue()
    return unsafe add(response, UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
}
