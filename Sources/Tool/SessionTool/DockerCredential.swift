internal import Base
package import Commands
internal import Messages
internal import Tokens

/// The registries that docker's configuration (`credHelpers`) gives to this helper.
package struct DockerRegistries: Equatable, Sendable {
    /// The answer that docker understands as "not here" and continues without (docker-credential-helpers,
    /// credentials/error.go).
    package static let notFound = "credentials not found in native keychain\n"

    private let names: [String]

    /// Reads docker's `config.json`; nil where there is none.
    package init(configuration: [UInt8]?) {
        let helpers = configuration.flatMap(JSONValue.init(parsing:))?["credHelpers"]?.members ?? [:]
        names = helpers.filter { _, helper in helper.text == "cognito" }.keys.sorted()
    }

    /// The registry that docker means, if it is named; it may say how it is reached.
    ///
    /// - Parameter address: what docker wrote: `registry.example.com`, or `https://registry.example.com`.
    package func registry(_ address: [UInt8]) throws(Refusal) -> String {
        let asked = address.last == UInt8(ascii: "\n") ? Array(address.dropLast()) : address
        guard
            let name = names.first(where: { name in
                ServerName(address: name.utf8) == ServerName(address: asked)
            }), !name.utf8.startsIgnoringCase(with: "http://".utf8)
        else {
            throw Refusal(.usage, ToolWording.registryNotNamed(printable(asked)))
        }
        return String(decoding: asked, as: UTF8.self)
    }

    package func answer(_ registry: String, _ token: GrantedToken) -> String {
        line(
            .object([
                "ServerURL": .string(registry), "Username": .string(token.userName), "Secret": .string(token.text),
            ]))
    }

    /// The answer to `list`: whose name is used where.
    package func list(_ userName: String) -> String {
        line(.object(Dictionary(uniqueKeysWithValues: names.map { name in (name, .string(userName)) })))
    }

    /// Answers `store`: docker also stores what it got here, and then there is nothing to do.
    package func store(_ request: [UInt8], _ status: SessionStatus) throws(Refusal) {
        guard let wanted = JSONValue(parsing: request), let address = wanted["ServerURL"]?.text,
            let secret = wanted["Secret"]?.text
        else {
            throw Refusal(.usage, ToolWording.noDockerRequest)
        }
        _ = try registry(Array(address.utf8))
        let (session, _) = try TokenRequest.session(status)
        guard unsafe session.idToken == SecretValue(copying: Array(secret.utf8).span.bytes) else {
            throw Refusal(.fault, ToolWording.nothingStored)
        }
    }
}
