package import Base
internal import Tokens

/// Signs requests by AWS Signature Version 4 (CURLOPT_AWS_SIGV4): for operations that an IAM identity may use.
package final class RequestSigner {
    /// `aws:amz:REGION:SERVICE`, as libcurl wants it.
    let provider: String
    let accessKeyID: Secret
    let secretAccessKey: Secret
    /// X-Amz-Security-Token, for keys that are lent for a while.
    let sessionToken: Secret?

    /// Makes a signer; nil when there is no memory, or what is given cannot stand in a header: it is printable ASCII without blanks.
    ///
    /// - Parameters:
    ///   - service: The service's name in signatures, such as `cognito-idp`.
    ///   - region: The region that the request goes to.
    package init?(
        accessKeyID: borrowing Secret, secretAccessKey: borrowing Secret, sessionToken: consuming Secret?,
        service: String, region: String
    ) {
        guard let accessKeyID = Self.terminated(accessKeyID), let secretAccessKey = Self.terminated(secretAccessKey)
        else {
            return nil
        }
        switch consume sessionToken {
        case .some(let token):
            guard let token = Self.terminated(token) else {
                return nil
            }
            self.sessionToken = consume token
        case .none:
            self.sessionToken = nil
        }
        provider = "aws:amz:\(region):\(service)"
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
    }

    /// The same as a C string.
    private static func terminated(_ secret: borrowing Secret) -> Secret? {
        guard var text = Secret(capacity: secret.count + 1), secret.count > 0,
            secret.withBytes({ bytes in
                (0..<bytes.byteCount).allSatisfy { offset in bytes.byte(at: offset)?.isVisibleASCII == true }
                    && text.append(bytes)
            }), text.append(0)
        else {
            return nil
        }
        return text
    }
}
