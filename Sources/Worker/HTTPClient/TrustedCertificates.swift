internal import CCrypto
internal import CCurl
internal import Glibc

/// The certificates of a PEM file that a server's certificate may be traced back to, of which only those that are
/// needed are decoded.
///
/// For each connection libcurl has OpenSSL decode every certificate of its file, where one is needed: of Debian's 139
/// that is three quarters of the processor time of a sign-in. Nothing is trusted that does not stand in the file, and
/// nothing else is read: a folder of hashed certificates is as quick, but holds whatever was put there, and not every
/// system has one.
final class TrustedCertificates {
    /// Certificates one behind the other, as DER.
    private(set) var encoded: [UInt8] = []
    private(set) var ranges: [Range<Int>] = []

    /// Reads a file; its certificates are found, but not decoded.
    convenience init(file: String) throws(HTTPError) {
        try self.init(file: file, asRead: PlainCertificates(file: file))
    }

    /// Takes what has been read of a file; where nothing has, OpenSSL reads it.
    init(file: String, asRead plain: PlainCertificates?) throws(HTTPError) {
        if let plain {
            (encoded, ranges) = (plain.encoded, plain.ranges)
        } else {
            try readAny(file)
        }
    }

    private func readAny(_ file: String) throws(HTTPError) {
        guard let source = unsafe BIO_new_file(file, "r") else {
            let reason = unsafe String(cString: strerror(errno))
            ERR_clear_error()
            throw .caFile("\(file): \(reason)")
        }
        defer {
            unsafe BIO_free(source)
            ERR_clear_error()
        }
        while unsafe try readBlock(of: file, from: source) {}
        guard !ranges.isEmpty else {
            throw .caFile("\(file) contains no certificate")
        }
    }

    /// Reads one block of PEM; false at the end of the file.
    private func readBlock(of file: String, from source: OpaquePointer) throws(HTTPError) -> Bool {
        var name: UnsafeMutablePointer<CChar>?
        var header: UnsafeMutablePointer<CChar>?
        var bytes: UnsafeMutablePointer<UInt8>?
        var count = 0
        guard unsafe PEM_read_bio(source, &name, &header, &bytes, &count) == 1 else {
            guard cryptoIsEndOfPEM() == 1 else {
                throw .caFile("\(file) is damaged")
            }
            return false
        }
        defer {
            unsafe cryptoFree(name)
            unsafe cryptoFree(header)
            unsafe cryptoFree(bytes)
        }
        if let name = unsafe name, Self.blockNames.contains(unsafe String(cString: name)), let bytes = unsafe bytes {
            let start = encoded.count
            unsafe encoded.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
            ranges.append(start..<encoded.count)
        }
        return true
    }

    /// PEM_read_bio_X509(3).
    private static let blockNames = [PEM_STRING_X509, PEM_STRING_X509_OLD, PEM_STRING_X509_TRUSTED]

    // MARK: - In a connection

    /// Has the connections of a TLS context go by these certificates; for CURLOPT_SSL_CTX_FUNCTION(3).
    func govern(_ context: OpaquePointer) {
        let certificates = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe SSL_CTX_set_cert_verify_callback(
            context,
            { verification, certificates in
                guard let verification = unsafe verification, let certificates = unsafe certificates else {
                    return 0
                }
                unsafe Unmanaged<TrustedCertificates>.fromOpaque(certificates).takeUnretainedValue()
                    .enter(into: verification)
                return unsafe X509_verify_cert(verification)
            },
            certificates)
    }

    /// Enters what a server's chain may lead to into the store that it will be verified by: the certificates that have
    /// the name of one of the chain or of its issuer, and those that have the names of their issuers.
    private func enter(into verification: OpaquePointer) {
        guard let store = unsafe X509_STORE_CTX_get0_store(verification) else {
            return
        }
        var isEntered = [Bool](repeating: false, count: ranges.count)
        var names = unsafe [OpaquePointer]()
        let sent = unsafe X509_STORE_CTX_get0_untrusted(verification)
        let count = unsafe OPENSSL_sk_num(sent)
        for index in 0..<max(0, count) {
            guard let certificate = unsafe OPENSSL_sk_value(sent, index) else {
                continue
            }
            unsafe names.append(X509_get_subject_name(OpaquePointer(certificate)))
            unsafe names.append(X509_get_issuer_name(OpaquePointer(certificate)))
        }
        // Their names are needed to the end. The store keeps none of which it has a copy, and libcurl gives all
        // connections of a handle the same store (CURLOPT_CA_CACHE_TIMEOUT).
        var decoded = unsafe [OpaquePointer]()
        defer {
            while let certificate = unsafe decoded.popLast() {
                unsafe X509_free(certificate)
            }
        }
        while let name = unsafe names.popLast() {
            for index in ranges.indices where unsafe !isEntered[index] && holds(name, index) {
                guard let certificate = unsafe decode(index) else {
                    continue
                }
                unsafe decoded.append(certificate)
                if unsafe X509_NAME_cmp(X509_get_subject_name(certificate), name) == 0,
                    unsafe X509_STORE_add_cert(store, certificate) == 1
                {
                    isEntered[index] = true
                    unsafe names.append(X509_get_issuer_name(certificate))
                }
            }
        }
        // One name can be encoded in several ways (RFC 5280, section 7.1): where none was found, all are looked at.
        if !isEntered.contains(true) {
            for index in ranges.indices {
                let certificate = unsafe decode(index)
                unsafe X509_STORE_add_cert(store, certificate)
                unsafe X509_free(certificate)
            }
        }
        ERR_clear_error()
    }

    /// Whether a certificate has a name in it, as its subject's or as its issuer's.
    private func holds(_ name: OpaquePointer, _ index: Int) -> Bool {
        var wanted: UnsafePointer<UInt8>?
        var count = 0
        guard unsafe X509_NAME_get0_der(name, &wanted, &count) == 1, let wanted = unsafe wanted else {
            return false
        }
        return unsafe encoded[ranges[index]].withUnsafeBytes { bytes in
            guard let encoding = bytes.baseAddress else {
                return false
            }
            return unsafe memmem(encoding, bytes.count, wanted, count) != nil
        }
    }

    private func decode(_ index: Int) -> OpaquePointer? {
        unsafe encoded[ranges[index]].withUnsafeBytes { bytes in
            var next = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return unsafe d2i_X509_AUX(nil, &next, bytes.count)
        }
    }
}
