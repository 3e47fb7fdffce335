internal import Base
package import Commands
internal import Glibc
internal import Messages
internal import Tokens

/// The credential that kubectl and other programs made with client-go expect from their exec plugin: an ExecCredential
/// (https://kubernetes.io/docs/reference/config-api/client-authentication.v1/).
package struct KubernetesCredential: Equatable, Sendable {
    /// The form that was asked for.
    package let apiVersion: String

    private static let known = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"]

    /// Understands what was asked.
    ///
    /// - Parameter request: `$KUBERNETES_EXEC_INFO`; nil where it is not set.
    package init(askedBy request: [UInt8]?) throws(Refusal) {
        guard let request else {
            apiVersion = Self.known[0]
            return
        }
        guard let asked = JSONValue(parsing: request), asked["kind"]?.text == "ExecCredential",
            let version = asked["apiVersion"]?.text, Self.known.contains(version)
        else {
            throw Refusal(.usage, ToolWording.noExecInfo)
        }
        // It is there where the kubeconfig says provideClusterInfo.
        if let cluster = asked["spec"]?["cluster"] {
            guard cluster["server"]?.text?.utf8.startsIgnoringCase(with: "https://".utf8) == true,
                cluster["insecure-skip-tls-verify"]?.flag != true
            else {
                throw Refusal(.usage, ToolWording.clusterNotVerified)
            }
        }
        apiVersion = version
    }

    package func text(_ token: GrantedToken) -> String {
        line(
            .object([
                "apiVersion": .string(apiVersion), "kind": .string("ExecCredential"),
                "status": .object([
                    "token": .string(token.text), "expirationTimestamp": .string(timestamp(token.expiry)),
                ]),
            ]))
    }
}

/// A time in seconds since the epoch, in UTC (RFC 3339).
func timestamp(_ seconds: Int64) -> String {
    var moment = time_t(seconds)
    var parts = unsafe tm()
    var buffer = [CChar](repeating: 0, count: 32)
    guard unsafe gmtime_r(&moment, &parts) != nil else {
        return ""
    }
    let length = unsafe strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
    return String(decoding: buffer.prefix(length).map { letter in UInt8(truncatingIfNeeded: letter) }, as: UTF8.self)
}
