package import Commands
internal import Messages
package import Tokens

/// A few characters for a shell's prompt: who, and how long yet. Nothing where there is no session.
package struct ShellPrompt: Sendable {
    /// The text in the prompt.
    package let text: String
    /// For scripts.
    package let exitCode: ExitCode
    private let left: Int64?
    private let acceptedAt: Int64?
    private let complaint: String?

    /// The prompt for a status; `now` in seconds since the epoch.
    package init(_ status: SessionStatus, at now: Int64) {
        exitCode = status.exitCode(at: now)
        complaint = status.complaint(at: now)
        guard case .session(let session, _) = status.finding else {
            left = nil
            acceptedAt = nil
            text = ""
            return
        }
        let name = Self.harmless(session.userName)
        let left = session.accessTokenExpiry - now
        self.left = left
        acceptedAt = session.renewedAt
        text =
            left <= 0
            ? "\(name) \(ToolWording.promptExpired)"
            : "\(name) \(Self.short(left))" + (left < Report.soon ? "!" : "")
    }

    /// The prompt as one JSON object.
    package var json: JSONValue {
        answerObject(
            exitCode, complaint,
            [
                "text": .string(text), "expires_in": left.map { left in .integer(max(0, left)) } ?? .null,
                "accepted_at": acceptedAt.map(JSONValue.integer) ?? .null,
            ])
    }

    /// Shells give meaning to some signs of a prompt, zsh also to those of a command's output in it.
    private static func harmless(_ name: String) -> String {
        let shown = printable(name).prefix(32).map { character -> Character in
            switch character {
            case "%", "\\", "$", "`", "!", "\"", "'": "_"
            default: character
            }
        }
        return String(shown)
    }

    private static func short(_ seconds: Int64) -> String {
        switch seconds {
        case ..<60: "\(seconds)s"
        case ..<3600: "\(seconds / 60)m"
        case ..<86_400: "\(seconds / 3600)h"
        default: "\(seconds / 86_400)d"
        }
    }
}
