internal import Base
package import Tokens

/// Signs requests by AWS Signature Version 4 (CURLOPT_AWS_SIGV4): for operations that an IAM identity may use.
package final class RequestSigner {
    /// `aws:amz:REGION:SERVICE`, as libcurl wants it.
    let provider: String
    /// As C strings.
    let accessKeyID: Secret
    let secretAccessKey: Secret
    /// X-Amz-Security-Token, for keys that are lent for a while.
    let sessionToken: SecretValue?

    /// Makes a signer; nil when there is no memory, or what is given cannot stand in a header: it is printable ASCII
    /// without blanks.
    ///
    /// - Parameters:
    ///   - service: The service's name in signatures, such as `cognito-idp`.
    ///   - region: The region that the request goes to.
    package init?(
        accessKeyID: SecretValue, secretAccessKey: SecretValue, sessionToken: SecretValue?, service: String,
        region: String
    ) {
        guard Self.isFit(accessKeyID), Self.isFit(secretAccessKey), sessionToken.map(Self.isFit) ?? true,
            let accessKeyID = Self.terminated(accessKeyID), let secretAccessKey = Self.terminated(secretAccessKey)
        else {
            return nil
        }
        provider = "aws:amz:\(region):\(service)"
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
    }

    private static func isFit(_ secret: SecretValue) -> Bool {
        secret.count > 0 && secret.allSatisfy(\.isVisibleASCII)
    }

    /// The same as a C string.
    private static func terminated(_ secret: SecretValue) -> Secret? {
        guard var text = Secret(capacity: secret.count + 1), secret.withBytes({ bytes in text.append(bytes) }),
            text.append(0)
        else {
            return nil
        }
        return text
    }
}
