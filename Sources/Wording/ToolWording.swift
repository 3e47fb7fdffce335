// The tool's texts are put together with what the ordinary build's String can do; the module needs none of them.
#if !hasFeature(Embedded)

/// Every text of `cognito-session` that a person can see, in one place.
package enum ToolWording {
    /// The program's name, as it is typed.
    package static let program = "cognito-session"

    // MARK: Time

    /// A length of time in words, its two largest parts, rounded down.
    package static func duration(_ seconds: Int64) -> String {
        let parts: [(length: Int64, name: String)] = [(86_400, "day"), (3600, "hour"), (60, "minute")]
        var left = max(0, seconds)
        var words: [String] = []
        for part in parts {
            let count = left / part.length
            left %= part.length
            if count > 0 {
                words.append("\(count) \(part.name)\(count == 1 ? "" : "s")")
            }
            // Minutes beside days say nothing to anybody.
            if words.count == 2 || (words.count == 1 && count == 0) {
                break
            }
        }
        return words.isEmpty ? "less than a minute" : words.joined(separator: " ")
    }

    /// How long something still lasts.
    package static func remaining(_ seconds: Int64) -> String {
        "\(duration(seconds)) left"
    }

    /// How long ago something ended.
    package static func expired(_ seconds: Int64) -> String {
        "expired \(duration(seconds)) ago"
    }

    /// How long ago something happened, and when.
    package static func past(_ seconds: Int64, at time: String) -> String {
        "\(duration(seconds)) ago, at \(time)"
    }

    // MARK: Status

    /// The first line, with the name set off.
    package static func signedIn(_ user: String, details: String) -> String {
        "Signed in to Amazon Cognito as \(user)\(details)."
    }
    /// The first line when the access token has ended.
    package static func signInExpired(_ user: String, details: String) -> String {
        "Signed in to Amazon Cognito as \(user)\(details), but the access token has expired."
    }
    package static let pool = "User pool"
    package static let client = "App client"
    package static let groups = "Groups"
    package static let noGroups = "none"
    package static let signedInAt = "Signed in"
    package static let renewedAt = "Renewed"
    package static let neverRenewed = "not yet"
    package static let accessToken = "Access token"
    package static let idToken = "ID token"
    package static let refreshToken = "Refresh token"
    package static let refreshTokenWithheld = "kept from this session by the configuration"
    package static let unknownExpiry = "of unknown end"
    package static let session = "Session"
    package static let logout = "At logout"

    /// Where the tokens are.
    package static func place(ring: Int32, name: String, key: Int32, isShared: Bool) -> String {
        "keyring \(ring) (\(name)), key \(key)"
            + (isShared ? "; shared by another session of yours, and gone when that one ends" : "")
    }

    package static let logoutGlobal = "Cognito signs you out everywhere: all your sessions, on all machines."
    package static let logoutLast = "Cognito signs you out everywhere, when this is your last session on this machine."
    package static let logoutSession = "Cognito revokes the tokens of this session; others go on."
    package static let logoutNone = "Nothing: the tokens stay valid until they expire."

    /// What to do about expired tokens, the refresh token being good.
    package static let adviceRenewable = "The refresh token is still good: cognito-session refresh renews it."
    /// What to do about expired tokens.
    package static let adviceSignInAgain = "Sign out and sign in again to get new ones."

    /// More token keys than one.
    package static func alsoHere(_ description: String, key: Int32) -> String {
        "This session also holds tokens of \(description) (key \(key))."
    }

    // MARK: No tokens

    package static let noTokens = "There are no Cognito tokens in this session."
    package static let tokensExpired = "The Cognito tokens of this session have expired and are gone."

    package static let reasonRevoked =
        "This process has outlived its session: the session's keyring was revoked when its person logged out."
    package static let adviceRevoked = "Sign in again, and start this program from the new session."
    package static let reasonTmux =
        "This runs inside tmux, whose server keeps the keyring of the session that it was started in."
    package static let adviceTmux =
        "Start a new tmux server from a session with tokens: tmux -L other. Or work outside tmux."
    package static let reasonScreen =
        "This runs inside screen, which keeps the keyring of the session that it was started in."
    package static let adviceScreen = "Start a new screen from a session with tokens. Or work outside screen."
    package static let reasonUserManager =
        "This runs under systemd --user, which has a keyring of its own, apart from any session's."
    package static let adviceUserManager = "Run this from the session that you signed in to."
    package static let reasonSudo = "This runs under sudo, which passes nobody's tokens on."
    package static let adviceSudo = "Run this without sudo, as the person who signed in."
    package static let reasonSu =
        "This account was taken on with su: tokens come only with the account's own Cognito sign-in."
    package static let adviceSu = "Sign in as this person, by ssh or at the console."
    package static let reasonForeignRing =
        "This process is in another account's session keyring, as after su without pam_keyinit."
    package static let adviceForeignRing =
        "Sign in as this person; and in /etc/pam.d, put pam_keyinit.so before pam_cognito.so."
    package static let reasonDefaultRing =
        "This session has no keyring of its own (only the account's default one), so tokens could not be put there."
    package static let adviceDefaultRing =
        "In /etc/pam.d, the service needs \"session optional pam_keyinit.so force revoke\" before pam_cognito.so."
    package static let reasonNoSignIn =
        "Either this sign-in did not go through Cognito (an ssh key, a local password), or it was signed out since."
    package static let adviceNoSignIn =
        "Run cognito-session sign-in; or log out, and sign in with your Cognito password."
    package static let reasonExpired = "Their lifetime, set by the user pool's administrator, has run out."
    package static let adviceExpired = "Run cognito-session sign-in; or log out, and sign in again."

    /// The kernel does not let us look.
    package static func reasonUnreadable(_ error: Int32) -> String {
        "The kernel does not show the session keyring (error \(error)); some containers forbid it."
    }
    package static let adviceUnreadable = "Ask whoever runs this machine or container to permit keyctl(2)."

    /// The key is ours, what is in it is not a token bundle.
    package static func reasonDamaged(_ why: String) -> String {
        "The token key of this session cannot be used. \(why)"
    }
    package static let adviceDamaged = "Log out, and sign in again. If it happens again, tell your administrator."
    package static let reasonVanished =
        "The token key vanished while it was being read: the session is being signed out."

    /// A key that has our name, but that anybody could have made.
    package static func ignoredKey(_ name: String, key: Int32, owner: UInt32, permissions: String) -> String {
        "Key \(key), \"\(name)\", is not ours and is ignored: it belongs to uid \(owner) with permissions "
            + "\(permissions), where pam_cognito's belong to root with 0b3f0000."
    }

    // MARK: Usage

    package static func unknownOption(_ option: String) -> String {
        "Unknown option '\(option)'."
    }
    package static func unknownCommand(_ command: String) -> String {
        "Unknown command '\(command)'."
    }
    package static func unexpectedArgument(_ argument: String, command: String) -> String {
        "'\(command)' takes no argument '\(argument)'."
    }
    package static func unexpectedValue(_ option: String) -> String {
        "The option '\(option)' takes no value."
    }
    package static func suggestion(_ name: String) -> String {
        " Did you mean '\(name)'?"
    }
    package static func missingValue(_ option: String) -> String {
        "The option '\(option)' needs a value."
    }
    package static func notADuration(_ option: String, _ value: String) -> String {
        "'\(value)' is no time for '\(option)': a number of seconds, or with s, m, h or d behind it, as in 5m."
    }
    package static func notADescriptor(_ option: String, _ value: String) -> String {
        "'\(value)' is no descriptor for '\(option)': 0, or 3 to 1023."
    }
    package static func notAVariable(_ option: String, _ value: String) -> String {
        "'\(value)' is no name for '\(option)': letters, digits and _, no digit first."
    }
    package static func missingCommand(_ command: String) -> String {
        "'\(command)' needs a command to run."
    }
    package static func contradiction(_ one: String, _ other: String) -> String {
        "The options '\(one)' and '\(other)' exclude each other."
    }
    /// The three parts of a complaint about the command line.
    package static func error(_ message: String, usage: String, command: String?) -> String {
        """
        Error: \(message)
        Usage: \(usage)
          See '\(program)\(command ?? "") --help' for more information.

        """
    }
    package static let usageOperands = "[COMMAND] [OPTION]..."
    package static let usageHeading = "Usage:"
    package static let commandsHeading = "Commands:"
    package static let optionsHeading = "Options:"
    package static let exitStatusHeading = "Exit status:"
    package static let statusAbstract = "Show who is signed in, and how long the tokens last (the default)."
    package static let tokenAbstract = "Print one valid token to a pipe or a file, renewed first if need be."
    package static let whoamiAbstract = "Print the name under which Cognito knows the person."
    package static let execAbstract = "Run a command that finds a valid token in a file descriptor or a variable."
    package static let claimsAbstract = "Show what a token says, and whether its signature holds."
    package static let promptAbstract = "Print a few characters for a shell prompt; never waits for anything."
    package static let commandLinePlaceholder = "[--] COMMAND [ARGUMENT]..."
    package static let optionOnline = "Ask Cognito whether the session still stands."
    package static let optionWatch = "Show it until the session ends; renew the tokens ahead of time."
    package static let optionNotify = "With --watch: tell on the desktop, too, with notify-send."
    package static let optionDescriptor = "Where the command reads the token (3)."
    package static let optionVariable =
        "The variable that holds the token instead; other programs of yours can read it."
    package static let optionCheck = "Say nothing; only set the exit status."
    package static let optionAccess = "The access token (the default)."
    package static let optionID = "The ID token."
    package static let optionMinimumLife = "How long the token must still last: 90, 5m, 1h."
    package static let optionForce = "Print it to a terminal, too."
    package static let optionJSON = "Print one JSON object."
    package static let optionHelp = "Show this help; behind a command, that command's."
    package static let optionVersion = "Show the version."
    package static let overview =
        "Shows the Amazon Cognito sign-in of this session, and hands out its tokens."

    // MARK: Exit status

    package static let statusValid = "There is a valid session, or what was asked for is done."
    package static let statusNone = "There are no tokens in this session."
    package static let statusExpired = "The tokens have expired."
    package static let statusRefused = "Cognito no longer accepts this session."
    package static let statusUnreachable = "Cognito could not be reached."
    package static let statusNoAgent = "cognito-agent, which is needed for this, does not answer."
    package static let statusUsage = "The command line was wrong."
    package static let statusFault = "Something else failed on this machine."
    package static let statusNotPermitted = "Only root may do this."
    package static let statusNotStarted = "exec: there is no token, so the command was not started."
    package static let statusNotExecutable = "exec: the command could not be started."
    package static let statusNotFound = "exec: there is no such command."

    // MARK: Asking Cognito

    package static let standing = "At Cognito"
    package static let stands = "accepted, asked just now"
    package static let standingUnknown = "not known"
    package static let onlineNoAgent =
        "Cognito was not asked: cognito-agent, which can, does not answer. Ask whoever runs this machine to start it."
    package static let onlineUnknownSession =
        "Cognito was not asked: cognito-agent does not know this session. It may be signed out already; sign in again."
    package static let onlineUnreachable =
        "Cognito could not be reached, so nobody knows whether it still accepts the session. Try again later."
    package static let onlineFault =
        "Cognito was not asked: cognito-agent failed. The system's log says why; your administrator can read it."

    /// While somebody waits.
    package static let asking = "Asking Cognito..."

    // MARK: Watching

    package static let watchNeedsTerminal =
        "--watch draws on a terminal, and this is none. Use --check or --json in scripts."
    package static let watchedEnded = "The session has ended: its tokens are gone. Sign in again."
    /// The session's last minutes.
    package static func watchedEnding(_ seconds: Int64) -> String {
        seconds > 0
            ? "The session ends in \(duration(seconds)), and cannot be renewed beyond that. Sign in again before then."
            : "The session can no longer be renewed. Sign in again."
    }

    // MARK: Claims

    package static func claimsHeading(_ token: String, _ user: String) -> String {
        "The \(token) token of \(user) says:"
    }
    package static let accessTokenName = "access"
    package static let idTokenName = "ID"
    package static let verified = "Its signature was verified just now with the pool's keys."
    package static let unverified =
        "Its signature was verified when root put it here, and not again now: cognito-agent, which can, does not answer."
    package static func notVerified(_ why: String) -> String {
        "Its signature was not verified now. \(why)"
    }
    package static let noClaims = "A token in it is no JSON Web Token."
    /// A claim that is a time.
    package static func moment(_ seconds: Int64, at time: String) -> String {
        "\(seconds) (\(time))"
    }

    // MARK: The sessions of the machine

    package static let sessionsAbstract = "For root: list the sessions of everybody on this machine."
    package static let sessionsNotPermitted =
        "Only root may see the sessions of everybody. Run it as root; cognito-session status shows your own."
    package static let sessionsUnavailable =
        "The sessions cannot be listed: cognito-agent cannot be started. Reinstall pam-cognito, or check its mount options."
    package static let sessionsFault =
        "The sessions cannot be listed: root's registry in the kernel keyring cannot be read. The system's log says why."
    package static let noSessions = "Nobody is signed in to Amazon Cognito on this machine."
    package static func sessionsHeading(_ sessions: Int, _ people: Int) -> String {
        "\(sessions) \(sessions == 1 ? "session" : "sessions") of \(people) \(people == 1 ? "person" : "people")."
    }
    package static let sessionsUser = "User"
    package static let sessionsFrom = "From"
    package static let sessionsState = "State"
    package static let pendingState = "signing in"
    package static let openState = "open"
    package static let closingState = "signing out"
    package static let heldState = "one step only"
    package static let abandonedState = "left behind, ended soon"
    package static let foreignState = "of another container"
    package static let damagedState = "damaged, removed soon"
    package static let otherVersionState = "of another version"
    /// An entry that says nothing about whose session it is.
    package static func unreadableSession(_ number: Int64) -> String {
        "entry \(number)"
    }
    /// What became of the attempts to end a session at Cognito; with the time of the next one, where it has to wait.
    package static func attempts(_ count: Int64, next: String?) -> String {
        "\(count) \(count == 1 ? "try" : "tries"), next \(next ?? "soon")"
    }
    /// A time that is not relative.
    package static func until(_ time: String) -> String {
        "until \(time)"
    }

    // MARK: The shell's prompt

    package static let promptExpired = "expired"

    // MARK: Running a command

    package static func notStarted(_ command: String, _ why: String) -> String {
        "The command '\(command)' could not be started: \(why)."
    }
    package static let noSealedMemory = "The token could not be put where a command can read it."

    // MARK: Handing out tokens

    /// The error line of a command that was understood.
    package static func failure(_ text: String) -> String {
        "Error: \(text)\n"
    }
    package static let terminal =
        "A token on a terminal stays in its history, for whoever scrolls back. Send it to a pipe or a file, or use --force."
    package static let expiredForGood = "The session's tokens have expired, and so has what renews them. Sign in again."
    package static let noAgent =
        "The token cannot be renewed: cognito-agent does not answer. Ask whoever runs this machine to start it "
        + "(pam-cognito-agent.socket); or log in again."
    package static let unknownSession =
        "The token cannot be renewed: cognito-agent does not know this session. Sign in again."
    package static let ended = "You were signed out elsewhere: Cognito no longer accepts this session. Sign in again."
    package static let invalid =
        "The session's tokens do not stand up to verification. Log out, sign in again, and tell your administrator."
    package static let unreachable =
        "The token cannot be renewed: Cognito could not be reached. The session is as it was: try again later."
    package static let busy = "cognito-agent has too many requests of yours. Try again in a moment."
    package static let agentFault =
        "cognito-agent could not renew the token. The system's log says why; your administrator can read it."
    /// Tokens of this pool never live that long.
    package static func tooShort(_ life: String) -> String {
        "The token was renewed, and lasts only \(life): less than asked for with --min-life."
    }
}

#endif
