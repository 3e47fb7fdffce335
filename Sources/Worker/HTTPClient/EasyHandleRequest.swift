internal import Base
internal import CCurl
internal import Tokens

extension EasyHandle {
    /// Sends one request. The result is libcurl's: see `error`.
    borrowing func perform(
        _ request: HTTPRequest, timeLimit: Int64, connectTimeLimit: Int64, overtime: Overtime?
    ) throws(HTTPError) -> CURLcode {
        unsafe errorText.pointee = 0
        try set(CURLOPT_URL, request.url)
        try set(CURLOPT_TIMEOUT_MS, Int(timeLimit) + Int(overtime?.late.patience ?? 0))
        try set(CURLOPT_CONNECTTIMEOUT_MS, Int(max(1, min(timeLimit, connectTimeLimit))))
        if let overtime {
            try watch(overtime)
        }
        defer {
            _ = unsafe curlWatch(handle, nil, nil)
            withExtendedLifetime(overtime) {}
        }
        var headers = HeaderList()
        // Without a value a field is left out: no waiting for "100 Continue". Some versions of libcurl would sign it
        // all the same; and what is signed is too short for that field.
        if request.signer == nil {
            try headers.add("Expect:")
        }
        for header in request.headers {
            try headers.add("\(header.name): \(header.value)")
        }
        for header in request.secretHeaders {
            try headers.add(header)
        }
        if let signer = request.signer {
            try sign(by: signer, &headers)
        }
        defer { unsafe curlStopSigning(handle) }
        try check(unsafe curlSetPointer(handle, CURLOPT_HTTPHEADER, headers.list))
        defer { _ = unsafe curlSetPointer(handle, CURLOPT_HTTPHEADER, nil) }
        guard let body = request.body else {
            return try perform(isPut: request.isPut)
        }
        try set(CURLOPT_POST, 1)
        try check(unsafe curlSetLargeNumber(handle, CURLOPT_POSTFIELDSIZE_LARGE, Int64(body.count)))
        return try request.isRepeatable ? post(body) : postOnce(body)
    }

    private borrowing func perform(isPut: Bool) throws(HTTPError) -> CURLcode {
        try set(CURLOPT_HTTPGET, 1)
        try check(unsafe curlSetText(handle, CURLOPT_CUSTOMREQUEST, isPut ? "PUT" : nil))
        defer { _ = unsafe curlSetText(handle, CURLOPT_CUSTOMREQUEST, nil) }
        return unsafe curl_easy_perform(handle)
    }

    private borrowing func post(_ body: SecretValue) throws(HTTPError) -> CURLcode {
        try body.withBytes { bytes throws(HTTPError) in
            try unsafe bytes.withUnsafeBytes { (bytes) throws(HTTPError) in
                // Not copied: libcurl reads it during this call only.
                try check(unsafe curlSetText(handle, CURLOPT_POSTFIELDS, bytes.bindMemory(to: CChar.self).baseAddress))
                defer { _ = unsafe curlSetText(handle, CURLOPT_POSTFIELDS, nil) }
                return unsafe curl_easy_perform(handle)
            }
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

    /// Has libcurl sign the next request, and adds what belongs to that to its header.
    private borrowing func sign(by signer: RequestSigner, _ headers: inout HeaderList) throws(HTTPError) {
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
        if let token = signer.sessionToken {
            try headers.add(.init("X-Amz-Security-Token", token))
        }
    }

    /// Posts `body` in a way that libcurl cannot do twice: a body that it reads from a function it cannot rewind. It
    /// would otherwise send the request again, untold, when a kept connection ends without an answer.
    private borrowing func postOnce(_ body: SecretValue) throws(HTTPError) -> CURLcode {
        let upload = Upload(body)
        try check(unsafe curlSetPointer(handle, CURLOPT_READDATA, Unmanaged.passUnretained(upload).toOpaque()))
        defer { _ = unsafe curlSetPointer(handle, CURLOPT_READDATA, nil) }
        return withExtendedLifetime(upload) { unsafe curl_easy_perform(handle) }
    }
}

/// A body on its way out.
final class Upload {
    private let body: SecretValue
    private var offset = 0

    init(_ body: SecretValue) {
        self.body = body
    }

    /// Writes the next bytes into `room`; the result is how many, zero at the end.
    func fill(_ room: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(room.count, body.count - offset)
        body.withBytes { bytes in
            unsafe bytes.extracting(offset..<(offset + count)).withUnsafeBytes { next in
                unsafe room.copyMemory(from: next)
            }
        }
        offset += count
        return count
    }
}

/// The lines of a request's header, in libcurl's memory.
@safe
private struct HeaderList: ~Copyable {
    private(set) var list: UnsafeMutablePointer<curl_slist>?

    deinit {
        unsafe curl_slist_free_all(list)
    }

    mutating func add(_ line: String) throws(HTTPError) {
        try unsafe take(curl_slist_append(list, line))
    }

    mutating func add(_ header: HTTPRequest.SecretHeader) throws(HTTPError) {
        let name = Array("\(header.name): ".utf8)
        guard var line = Secret(capacity: name.count + header.value.count + 1), line.append(name),
            header.value.withBytes({ bytes in line.append(bytes) }), line.append(0)
        else {
            throw Self.outOfMemory
        }
        let longer = unsafe line.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe curl_slist_append(list, bytes.bindMemory(to: CChar.self).baseAddress)
            }
        }
        try unsafe take(longer)
    }

    private mutating func take(_ longer: UnsafeMutablePointer<curl_slist>?) throws(HTTPError) {
        guard let longer = unsafe longer else {
            throw Self.outOfMemory
        }
        unsafe list = longer
    }

    private static var outOfMemory: HTTPError { .unusable("out of memory") }
}
