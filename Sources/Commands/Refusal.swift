package import Tokens

/// Why a command came to nothing.
package struct Refusal: Error, Equatable, Sendable {
    /// The program's exit status.
    package var exitStatus: ExitCode
    /// The word for it in JSON.
    package var name: String
    /// What happened, what it means, and what to do.
    package var message: String

    /// Makes a refusal from its parts, with a word of its own where it has one.
    package init(_ exitStatus: ExitCode, _ message: String, name: String? = nil) {
        self.exitStatus = exitStatus
        self.name = name ?? exitStatus.name
        self.message = message
    }

    /// The refusal as one JSON object.
    package var json: JSONValue {
        answerObject(exitStatus, error: name, message)
    }
}
