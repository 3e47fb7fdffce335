internal import Base
internal import CCurl
internal import Glibc

/// A header's line is longer than libcurl has them. Headers before 8.6 have no name for it; the library may be newer.
private let tooLargeHeader = CURLcode(rawValue: 100)

extension EasyHandle {
    /// Returns the error if this machine was unable to make a connection; otherwise nil.
    borrowing func shortage(_ result: CURLcode) -> HTTPError? {
        switch result {
        case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_OPERATION_TIMEDOUT:
            let told = result == CURLE_COULDNT_CONNECT ? unsafe curlNumber(handle, CURLINFO_OS_ERRNO) : 0
            return HTTPError(ofShortage: CInt(truncatingIfNeeded: told)) ?? HTTPError(ofShortage: curlMissing())
        default:
            return nil
        }
    }

    /// Returns the error if the proxy caused it and not the server; otherwise nil.
    borrowing func proxyError(_ result: CURLcode) -> HTTPError? {
        // Without TLS on a new connection, the server has not been reached yet.
        let tlsTime = unsafe curlTime(handle, CURLINFO_APPCONNECT_TIME_T)
        let hasReachedServer = newConnections == 0 || tlsTime != 0
        return HTTPError(
            ofProxy: result, status: unsafe curlNumber(handle, CURLINFO_HTTP_CONNECTCODE),
            hasReachedServer: hasReachedServer, detail: detail(result))
    }

    /// Translates libcurl's result; nil for success.
    borrowing func error(_ result: CURLcode, limit: Int) -> HTTPError? {
        // A line of the head that is larger than it takes is memory that it does not have, to libcurl.
        if result == CURLE_OUT_OF_MEMORY, status != 0 {
            return .malformed("a header line is longer than 100 kB, or there was not enough memory")
        }
        let publicKey = result == CURLE_SSL_PINNEDPUBKEYNOTMATCH ? description.publicKeyPin : nil
        return HTTPError(result, limit: limit, publicKey: publicKey, detail: detail(result))
    }
}

extension HTTPError {
    /// Translates an `errno` that means a shortage on this machine; nil for errors of the network, and for 0.
    init?(ofShortage errno: CInt) {
        switch errno {
        case EADDRNOTAVAIL, EADDRINUSE, ENOBUFS, EMFILE, ENFILE, ENOMEM, EAGAIN, EACCES, EPERM:
            self = .shortage("errno \(errno)")
        default:
            return nil
        }
    }

    /// Translates a result of libcurl that the proxy caused; nil for others.
    ///
    /// - Parameters:
    ///   - status: the proxy's answer to CONNECT; 0 without an answer.
    ///   - hasReachedServer: TLS with the server was established.
    ///   - detail: libcurl's text.
    init?(ofProxy result: CURLcode, status: Int, hasReachedServer: Bool, detail: String) {
        switch result {
        case CURLE_OK:
            return nil
        case _ where status == 407:
            self = .proxy("the proxy requires a user name and a password (HTTP status 407)")
        case _ where status >= 300:
            self = .proxy("the proxy answered with HTTP status \(status)")
        case CURLE_COULDNT_RESOLVE_PROXY:
            self = .proxy("the name of the proxy could not be resolved")
        case CURLE_COULDNT_CONNECT, CURLE_PROXY:
            self = .proxy(detail)
        case CURLE_OPERATION_TIMEDOUT where !hasReachedServer:
            self = .proxy("the connection timed out")
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_SSL_CONNECT_ERROR,
            CURLE_PEER_FAILED_VERIFICATION:
            guard !hasReachedServer, status == 0 else {
                return nil
            }
            self = .proxy(detail)
        default:
            return nil
        }
    }

    /// Translates a result of libcurl; nil for success.
    ///
    /// - Parameters:
    ///   - limit: the size of the largest permitted answer.
    ///   - publicKey: the server's key, if known.
    ///   - detail: libcurl's text.
    init?(_ result: CURLcode, limit: Int, publicKey: String?, detail: String) {
        switch result {
        case CURLE_OK:
            return nil
        case CURLE_COULDNT_RESOLVE_HOST:
            self = .unresolvable
        case CURLE_OPERATION_TIMEDOUT:
            self = .timedOut
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR:
            self = .certificate(detail)
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            self = .publicKey(publicKey)
        case CURLE_SSL_CACERT_BADFILE:
            self = .caFile(detail)
        case CURLE_SSL_CONNECT_ERROR:
            // "unsupported protocol" is ours to say, "alert protocol version" the server's.
            let tooOld = detail.mentions("unsupported protocol") || detail.mentions("protocol version")
            self = tooOld ? .tlsTooOld : .tls(detail)
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_SHUTDOWN_FAILED:
            self = .tls(detail)
        case CURLE_FILESIZE_EXCEEDED:
            self = .tooLarge(limit: limit)
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING, tooLargeHeader:
            self = .malformed(detail)
        case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT, CURLE_UNKNOWN_OPTION, CURLE_NOT_BUILT_IN,
            CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT:
            self = .unusable(detail)
        default:
            self = .unreachable(detail)
        }
    }
}
