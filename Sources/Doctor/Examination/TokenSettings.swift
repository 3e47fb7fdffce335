internal import CLinux
internal import Configuration
internal import Messages

/// What follows from what is set about sessions' tokens, in words for who set it.
struct TokenSettings: Sendable {
    /// `lock_tokens`, and whether somebody says that screens are locked.
    var locksTokens: Bool
    var knowsScreens: Bool
    /// `export_tokens`.
    var exportsTokens: Bool

    /// What to know about it.
    var findings: [Finding] {
        var found: [Finding] = []
        if locksTokens, !knowsScreens {
            found.append(
                Finding(
                    .note, "lock_tokens = yes, and systemd-logind does not run here.",
                    why: "Nothing says that a session's screen is locked: only cognito-session lock locks its tokens."))
        }
        if exportsTokens {
            found.append(
                Finding(
                    .note, "export_tokens = yes: people may seal their sessions' tokens into files.",
                    why: "It is the one exception to tokens being in the kernel alone; whoever has such a file "
                        + "and runs as its person here gets them, once."))
        }
        return found
    }
}

extension TokenSettings {
    /// What is set, on this machine.
    init(of settings: Settings) {
        self.init(
            locksTokens: settings.locksTokens, knowsScreens: linuxExists("/run/systemd/sessions"),
            exportsTokens: settings.exportsTokens)
    }
}
