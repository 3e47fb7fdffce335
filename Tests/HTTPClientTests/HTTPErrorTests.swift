import CCurl
import Glibc
import Testing

@testable import HTTPClient

@Suite struct HTTPErrorTests {
    @Test("what libcurl's results mean")
    func results() {
        let table: [(CURLcode, String, HTTPError?)] = [
            (CURLE_OK, "", nil), (CURLE_COULDNT_RESOLVE_HOST, "d", .unresolvable),
            (CURLE_OPERATION_TIMEDOUT, "d", .timedOut),
            (CURLE_PEER_FAILED_VERIFICATION, "d", .certificate("d")), (CURLE_SSL_ISSUER_ERROR, "d", .certificate("d")),
            (CURLE_SSL_PINNEDPUBKEYNOTMATCH, "d", .publicKey("pin")), (CURLE_SSL_CACERT_BADFILE, "d", .caFile("d")),
            (CURLE_SSL_CONNECT_ERROR, "error: unsupported protocol", .tlsTooOld),
            (CURLE_SSL_CONNECT_ERROR, "alert protocol version", .tlsTooOld), (CURLE_SSL_CONNECT_ERROR, "d", .tls("d")),
            (CURLE_SSL_CIPHER, "d", .tls("d")), (CURLE_FILESIZE_EXCEEDED, "d", .tooLarge(limit: 7)),
            (CURLE_WEIRD_SERVER_REPLY, "d", .malformed("d")), (CURLE_OUT_OF_MEMORY, "d", .unusable("d")),
            (CURLcode(rawValue: 100), "d", .malformed("d")),
            (CURLE_RECV_ERROR, "d", .unreachable("d")), (CURLE_COULDNT_CONNECT, "d", .unreachable("d")),
        ]
        for (result, detail, error) in table {
            #expect(HTTPError(result, limit: 7, publicKey: "pin", detail: detail) == error, "\(result)")
        }
    }

    @Test("what is no word of the network's, but this machine's own want")
    func shortage() {
        for number in [EADDRNOTAVAIL, EADDRINUSE, ENOBUFS, EMFILE, ENFILE, ENOMEM, EAGAIN, EACCES, EPERM] {
            #expect(HTTPError(ofShortage: number) == .shortage("errno \(number)"))
        }
        for number in [0, ECONNREFUSED, ENETUNREACH, EHOSTUNREACH, ENETDOWN, ETIMEDOUT, ECONNRESET] {
            #expect(HTTPError(ofShortage: number) == nil)
        }
    }

    @Test("what is the proxy's doing, and what that of the server behind it")
    func proxy() {
        let table: [(CURLcode, status: Int, hasReachedServer: Bool, HTTPError?)] = [
            (CURLE_OK, 0, false, nil), (CURLE_OK, 407, true, nil),
            (CURLE_RECV_ERROR, 407, false, .proxy("the proxy requires a user name and a password (HTTP status 407)")),
            (CURLE_RECV_ERROR, 502, false, .proxy("the proxy answered with HTTP status 502")),
            (CURLE_COULDNT_RESOLVE_PROXY, 0, false, .proxy("the name of the proxy could not be resolved")),
            (CURLE_COULDNT_CONNECT, 0, false, .proxy("d")), (CURLE_PROXY, 0, true, .proxy("d")),
            (CURLE_OPERATION_TIMEDOUT, 0, false, .proxy("the connection timed out")),
            (CURLE_OPERATION_TIMEDOUT, 200, false, .proxy("the connection timed out")),
            (CURLE_OPERATION_TIMEDOUT, 200, true, nil), (CURLE_SSL_CONNECT_ERROR, 0, false, .proxy("d")),
            (CURLE_SSL_CONNECT_ERROR, 200, false, nil), (CURLE_RECV_ERROR, 0, true, nil),
            (CURLE_FILESIZE_EXCEEDED, 0, false, nil),
        ]
        for (result, status, hasReachedServer, error) in table {
            #expect(
                HTTPError(ofProxy: result, status: status, hasReachedServer: hasReachedServer, detail: "d") == error,
                "\(result), \(status), \(hasReachedServer)")
        }
    }
}
