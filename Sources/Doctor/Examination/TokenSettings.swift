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
            found.append(Finding(.note, DoctorWording.noScreens, why: DoctorWording.noScreensWhy))
        }
        if exportsTokens {
            found.append(Finding(.note, DoctorWording.exportsAreOn, why: DoctorWording.exportsAreOnWhy))
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
