package import Tokens

/// The one JSON object that a command prints: three members whatever is asked for and whatever becomes of it, and
/// beside them those of the command.
///
/// - Parameters:
///   - error: The word for what went wrong, where there is a better one than the exit status has.
///   - message: What happened, for a person; whatever goes wrong has one.
package func answerObject(
    _ exitStatus: ExitCode, error: String? = nil, _ message: String? = nil, _ members: [String: JSONValue] = [:]
) -> JSONValue {
    let isGood = exitStatus == .valid
    let sentence = message ?? (isGood ? nil : exitStatus.meaning)
    var all = members
    all["exit_status"] = .integer(Int64(exitStatus.rawValue))
    all["error"] = isGood ? .null : .string(error ?? exitStatus.name)
    all["message"] = sentence.map { text in .string(oneLine(text)) } ?? .null
    return .object(all)
}

/// How long a token lasts, `now` in seconds since the epoch.
///
/// - Parameter isEstimated: It is the configured validity: Cognito does not say of a refresh token.
package func lifetime(until expiry: Int64, at now: Int64, isEstimated: Bool = false) -> JSONValue {
    var members: [String: JSONValue] = [
        "expires_at": .integer(expiry), "expires_in": .integer(max(0, expiry - now)),
    ]
    if isEstimated {
        members["estimated"] = .boolean(true)
    }
    return .object(members)
}

/// `text` without its line ends.
private func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).joined(separator: " ")
}
