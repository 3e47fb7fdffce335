package import Commands
internal import Messages
package import Tokens

/// One value of a command's JSON, for scripts that have nothing to read JSON with.
package struct FieldRequest: Sendable {
    private let path: [String]

    /// The value of an object as plain text, and a line's end: nothing but that where there is none.
    package func text(in object: JSONValue?) -> String {
        Self.plain(path.reduce(object) { value, name in value?[name] }) + "\n"
    }

    /// The value of each object in a list, on a line each.
    package func texts(in list: JSONValue?) -> String {
        (list?.elements ?? []).map { object in text(in: object) }.joined()
    }

    private static func plain(_ value: JSONValue?) -> String {
        switch value {
        case .string(let text)?: text
        case .array(let values)?: values.map(plain).joined(separator: " ")
        case .null?, nil: ""
        case let value?: String(decoding: value.serialized ?? [], as: UTF8.self)
        }
    }

    fileprivate init(_ name: String) {
        path = name.split(separator: ".").map(String.init)
    }
}

extension Invocation {
    /// The value that is asked for with `--field`; nil where none is. It must be one of `names`.
    package func field(of command: Command, _ names: [String]) throws(Refusal) -> FieldRequest? {
        guard let name = text(.field) else {
            return nil
        }
        guard names.contains(name) else {
            throw Refusal(
                .usage,
                ToolWording.unknownField(printable(name), command.rawValue, names.joined(separator: ", ")))
        }
        return FieldRequest(name)
    }
}

/// The two parts of each of these members.
private func lifetimes(_ names: String...) -> [String] {
    names.flatMap { name in ["\(name).expires_at", "\(name).expires_in"] }
}

extension Report {
    /// The names for `--field`.
    package static let fields =
        [
            "state", "reason", "username", "name", "email", "subject", "groups", "user_pool_id", "client_id", "region",
            "signed_in_at", "renewed_at", "accepted_at", "sign_out", "keyring", "key", "shared", "attached", "online",
        ] + lifetimes("access_token", "id_token", "refresh_token")
}

extension SessionsReport {
    /// The names for `--field`.
    package static let fields =
        [
            "session", "state", "user", "service", "remote_host", "terminal", "process", "user_pool_id", "client_id",
            "sign_out", "signed_in_at", "renewed_at", "attempts", "next_attempt_at",
        ] + lifetimes("access_token", "refresh_token")
}

extension PoolSessionsReport {
    /// The names for `--field`.
    package static let fields = [
        "session", "current", "type", "client_id", "created_at", "used_at", "device", "from",
    ]
}
