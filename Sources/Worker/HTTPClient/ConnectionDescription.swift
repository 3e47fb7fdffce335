internal import Cryptography

/// How a connection came about. Times are counted from the request's beginning.
package struct ConnectionDescription: Sendable, Equatable {
    /// The destination, as a literal address.
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
