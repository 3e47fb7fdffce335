// The tool's texts are put together with what the ordinary build's String can do; the module needs none of them.
#if !hasFeature(Embedded)

/// Every text of `cognito-session` that a person can see, in one place.
package enum ToolWording {
    /// The program's name, as it is typed.
    package static let program = "cognito-session"

    // MARK: Time

    /// A length of time in words, its two largest parts, rounded down.
    package static func duration(_ seconds: Int64) -> String {
        let parts: [(length: Int64, words: (Int64) -> String)] = [(86_400, days), (3600, hours), (60, minutes)]
        var left = max(0, seconds)
        var words: [String] = []
        for part in parts {
            let count = left / part.length
            left %= part.length
            if count > 0 {
                words.append(part.words(count))
            }
            // Minutes add nothing to days.
            if words.count == 2 || (words.count == 1 && count == 0) {
                break
            }
        }
        return words.isEmpty ? text("less than a minute") : words.joined(separator: " ")
    }
    private static func days(_ count: Int64) -> String {
        plural(count, one: "\(count) day", other: "\(count) days")
    }
    private static func hours(_ count: Int64) -> String {
        plural(count, one: "\(count) hour", other: "\(count) hours")
    }
    private static func minutes(_ count: Int64) -> String {
        plural(count, one: "\(count) minute", other: "\(count) minutes")
    }

    /// How long something still lasts.
    package static func remaining(_ seconds: Int64) -> String {
        text("\(duration(seconds)) left")
    }

    /// How long ago something ended.
    package static func expired(_ seconds: Int64) -> String {
        text("expired \(duration(seconds)) ago")
    }

    /// How long ago something happened, and when.
    package static func past(_ seconds: Int64, at time: String) -> String {
        text("\(duration(seconds)) ago, at \(time)")
    }

    // MARK: Status

    /// The first line, with the name set off.
    package static func signedIn(_ user: String, details: String) -> String {
        text("Signed in to Amazon Cognito as \(user)\(details).")
    }
    /// The first line when the access token has ended.
    package static func signInExpired(_ user: String, details: String) -> String {
        text("Signed in to Amazon Cognito as \(user)\(details), but the access token has expired.")
    }
    package static let pool = text("User pool")
    package static let client = text("App client")
    package static let groups = text("Groups")
    package static let noGroups = text("none")
    package static let signedInAt = text("Signed in")
    package static let renewedAt = text("Renewed")
    package static let neverRenewed = text("not yet")
    package static let accessToken = text("Access token")
    package static let idToken = text("ID token")
    package static let refreshToken = text("Refresh token")
    package static let refreshTokenWithheld = text("withheld from this session by this machine's settings")
    /// The validity of a refresh token by the configuration: Cognito does not report it.
    package static func estimated(_ life: String) -> String {
        text("\(life) (estimated from settings)")
    }
    package static let unknownExpiry = text("expiry unknown")
    package static let session = text("Session")
    package static let logout = text("At logout")

    package static func place(ring: Int32, name: String, key: Int32, isShared: Bool) -> String {
        isShared
            ? text(
                "keyring \(ring) (\(name)), key \(key); borrowed from another of your sessions, and removed when "
                    + "that session ends"
            )
            : text("keyring \(ring) (\(name)), key \(key)")
    }

    package static let logoutGlobal = text(
        "Cognito signs you out of all sessions, on all machines and in all applications.")
    package static let logoutLast = text(
        "If this is your last session on this machine, Cognito signs you out everywhere.")
    package static let logoutSession = text(
        "Cognito revokes this session's tokens. Your other sessions stay signed in.")
    package static let logoutNone = text("Nothing is revoked: the tokens stay valid until they expire.")

    /// The advice about expired tokens while the refresh token is valid.
    package static let accessTokenExpired = text("The access token has expired.")
    package static let adviceRenewable = text(
        "To renew the access token, run 'cognito-session refresh'. The renewal succeeds only if Cognito still "
            + "accepts the refresh token.")

    /// More token keys than one.
    package static func alsoHere(_ description: String, key: Int32) -> String {
        text("This session also contains tokens of \(description) (key \(key)).")
    }

    // MARK: No tokens

    package static let noTokens = text("There are no Cognito tokens in this session.")
    package static let tokensExpired = text("This session's Cognito tokens have expired and have been removed.")

    package static let reasonRevoked = text(
        "This program is still running, but its session has ended: the session's keyring was revoked at logout.")
    package static let adviceRevoked = text("Sign in again, and start the program from the new session.")
    package static let reasonTmux = text(
        "This program is running in tmux. The tmux server keeps the keyring of the session that started it.")
    package static let adviceTmux = text(
        "Run 'cognito-session sign-in' in this pane. To use another session's tokens instead, run 'cognito-session "
            + "attach' here, and 'cognito-session attach --give' in that session."
    )
    package static let reasonScreen = text(
        "This program is running in screen, which keeps the keyring of the session that started screen.")
    package static let adviceScreen = text(
        "Run 'cognito-session attach' here, and 'cognito-session attach --give' in a session that has tokens. "
            + "Alternatively, start a new instance of screen from a session that has tokens.")
    package static let reasonUserManager = text(
        "This program is running under systemd --user, which has its own keyring and does not share the keyring "
            + "of a session.")
    package static let adviceUserManager = text("Run the program in the session in which you signed in.")
    package static let reasonSudo = text("This program is running under sudo, which does not pass on tokens.")
    package static let adviceSudo = text("Run the program without sudo, as the user who signed in.")
    package static let reasonSu = text(
        "You switched to this account with su. The account gets tokens only when its user signs in with Cognito.")
    package static let adviceSu = text(
        "To get tokens, sign in to this account directly, with ssh or at the console.")
    package static let reasonForeignRing = text(
        "This program uses the session keyring of another account, as happens after su if pam_keyinit is not "
            + "configured.")
    package static let adviceForeignRing = text(
        "Sign in directly to the account that this program runs as. To give su sessions their own keyring, put "
            + "pam_keyinit.so before pam_cognito.so in su's PAM files.")
    package static let reasonDefaultRing = text(
        "This session does not have its own keyring, only the account's default keyring. Tokens cannot be stored "
            + "in the default keyring.")
    package static let adviceDefaultRing = text(
        "In the service's file in /etc/pam.d, put the line \"session optional pam_keyinit.so force revoke\" "
            + "before the pam_cognito.so line.")
    package static let reasonJob = text(
        "This program is a cron or at job. Jobs do not sign in and therefore have no tokens.")
    package static let adviceJob = text(
        "This is expected. A job that needs access must have its own credentials.")
    package static let reasonNoSignIn = text(
        "You logged in to this session without Cognito (for example, with an ssh key or a local password), or the "
            + "session has been signed out since then.")
    package static let adviceNoSignIn = text(
        "If this account signs in with Cognito, run 'cognito-session sign-in'. If another of your sessions has "
            + "tokens, run 'cognito-session attach'. Accounts that do not sign in with Cognito have no tokens."
    )
    package static let reasonExpired = text("The administrator of the user pool determines how long tokens stay valid.")
    package static let adviceExpired = text("Run 'cognito-session sign-in', or log out and sign in again.")

    /// The kernel does not let us look.
    package static func reasonUnreadable(_ error: Int32) -> String {
        text(
            "The kernel does not permit access to the session keyring (error \(error)). Some containers do not permit "
                + "access to keyrings.")
    }
    package static let adviceUnreadable = text(
        "Ask the administrator of this machine or container to allow keyctl(2).")

    /// The key is ours, what is in it is not a token bundle.
    package static func reasonDamaged(_ why: String) -> String {
        text("The token key of this session cannot be used. \(why)")
    }
    package static let bundleNoObject = text("The token set is not a JSON object.")
    package static func bundleLacks(_ member: String) -> String {
        text("The token set has no \"\(member)\" member.")
    }
    package static func bundleMember(_ member: String) -> String {
        text("The \"\(member)\" member of the token set is invalid.")
    }
    package static let bundleTooLarge = text("The token set is too large for a kernel key.")
    package static let adviceDamaged = text(
        "Log out and sign in again. If this happens again, tell your administrator.")
    package static let reasonVanished = text(
        "The token key was removed while it was being read, because the session is being signed out.")

    /// A key with the name of pam-cognito's keys that any program could have made.
    package static func ignoredKey(_ name: String, key: Int32, owner: UInt32, permissions: String) -> String {
        text(
            "Ignoring key \(key), \"\(name)\": it is owned by uid \(owner) and has permissions \(permissions). "
                + "Keys made by pam_cognito are owned by root and have permissions 0b3f0000.")
    }

    // MARK: Usage

    package static func unknownOption(_ option: String) -> String {
        text("Unknown option '\(option)'.")
    }
    package static func unknownCommand(_ command: String) -> String {
        text("Unknown command '\(command)'.")
    }
    package static let doctorAbstract = text("Root only: check this machine's configuration and report problems.")
    package static let optionConfig = text("Use a configuration file other than /etc/security/pam_cognito.conf.")
    package static func notAFile(_ option: String, _ value: String) -> String {
        text("Invalid path '\(value)' for '\(option)'.")
    }
    package static let statusWarnings = text("doctor: sign-ins work, but a problem should be fixed.")
    package static let statusBroken = text(
        "doctor: a legitimate user cannot sign in, or a user who must be refused can sign in.")
    package static let doctorNotRoot =
        text(
            "The doctor reads files and keys that only root may read. Run the doctor as root: sudo "
                + "cognito-session doctor.")
    package static let accountPlaceholder = text("USER")
    package static let optionExplain = text(
        "Show whether and why an account is managed, and everything that prevents sign-ins to the account.")
    package static let optionLogin = text(
        "Test a sign-in as this user without PAM. The tokens from the test are revoked immediately.")
    package static func notAUser(_ option: String, _ value: String) -> String {
        text("Invalid name '\(value)' for '\(option)'.")
    }
    package static func changesNothing(_ option: String) -> String {
        text(
            "The \(option) option has been removed: the doctor does not change files. Make the changes "
                + "yourself, and keep a copy of each file.")
    }
    package static let verifiesNothing = text(
        "The --verify option has been removed. Run dpkg --verify pam-cognito, or rpm --verify pam-cognito.")
    package static func unexpectedArgument(_ argument: String, command: String) -> String {
        text("'\(argument)' is not a valid argument for '\(command)'.")
    }
    package static func unexpectedValue(_ option: String) -> String {
        text("The option '\(option)' takes no value.")
    }
    package static func suggestion(_ name: String) -> String {
        text(" Did you mean '\(name)'?")
    }
    package static func missingValue(_ option: String) -> String {
        text("The option '\(option)' needs a value.")
    }
    package static func notADuration(_ option: String, _ value: String) -> String {
        text(
            "Invalid duration '\(value)' for '\(option)': use seconds, or a number followed by s, m, h or d, "
                + "such as 5m.")
    }
    package static func notADescriptor(_ option: String, _ value: String) -> String {
        text("Invalid file descriptor '\(value)' for '\(option)': use 0, or 3 to 1023.")
    }
    package static func notAVariable(_ option: String, _ value: String) -> String {
        text(
            "Invalid variable name '\(value)' for '\(option)': use letters, digits and _, and do not begin with "
                + "a digit.")
    }
    package static func missingCommand(_ command: String) -> String {
        text("'\(command)' needs a command to run.")
    }
    package static func contradiction(_ one: String, _ other: String) -> String {
        text("The options '\(one)' and '\(other)' cannot be used together.")
    }
    /// The three parts of a complaint about the command line.
    package static func error(_ message: String, usage: String, command: String?) -> String {
        text(
            """
            Error: \(message)
            Usage: \(usage)
              See '\(program)\(command ?? "") --help' for more information.

            """)
    }
    package static let usageOperands = text("[COMMAND] [OPTION]...")
    package static let usageHeading = text("Usage:")
    package static let commandsHeading = text("Commands:")
    package static let optionsHeading = text("Options:")
    package static let exitStatusHeading = text("Exit status:")
    package static let statusAbstract = text("Show who is signed in, and how long the tokens stay valid (default).")
    package static let tokenAbstract = text(
        "Print a valid token to a pipe or a file, after renewing it if necessary.")
    package static let whoamiAbstract = text("Print the Cognito user name of this session.")
    package static let execAbstract = text(
        "Run a command that reads a valid token from a file descriptor or a variable.")
    package static let claimsAbstract = text("Show the claims of a token, and whether its signature is valid.")
    package static let promptAbstract = text("Print short status text for a shell prompt, and return immediately.")
    package static let commandLinePlaceholder = text("[--] COMMAND [ARGUMENT]...")
    package static let durationPlaceholder = text("TIME")
    package static let descriptorPlaceholder = text("N")
    package static let variablePlaceholder = text("NAME")
    package static let filePlaceholder = text("PATH")
    package static let optionOnline = text("Ask Cognito whether the session is still valid.")
    package static let optionWatch = text(
        "Display the status continuously until the session ends, and renew the tokens before they expire.")
    package static let optionNotify = text("With --watch: also show desktop notifications (notify-send).")
    package static let optionDescriptor = text(
        "File descriptor from which the command reads the token (default 3).")
    package static let optionVariable = text(
        "Pass the token in this environment variable instead of through a file descriptor. Your other programs can "
            + "read the variable.")
    package static let optionCheck = text("Do not print anything; only set the exit status.")
    package static let optionAccess = text(
        "Use the access token, which permits changes to your Cognito account (default for token, exec, claims).")
    package static let optionID = text(
        "Use the ID token (default with --header, and for kube-credential and git-credential).")
    package static let optionHeader = text("Write the token as an HTTP header: Authorization: Bearer ...")
    package static let optionHost = text(
        "Hosts that may receive the token: comma-separated, with :PORT if the port is not 443.")
    package static let hostPlaceholder = text("HOST")
    package static func notAHost(_ option: String, _ value: String) -> String {
        text(
            "Invalid host '\(value)' for '\(option)': use a name, and a port if needed, such as "
                + "git.example.com:8443.")
    }
    package static func missingOperation(_ command: String, _ operations: String) -> String {
        text("'\(command)' needs one of these operations: \(operations).")
    }
    /// The operations of git and docker.
    package static let gitOperations = command("get|store|erase")
    package static let dockerOperations = command("get|store|erase|list")
    package static let kubeCredentialAbstract = text("Act as an exec credential plugin for kubectl.")
    package static let gitCredentialAbstract = text("Act as a credential helper for git (git-credential-cognito).")
    package static let dockerCredentialAbstract = text(
        "Act as a credential helper for docker (docker-credential-cognito).")
    package static let optionMinimumLife = text(
        "How long the token must stay valid, for example 90 (seconds), 5m or 1h.")
    package static let optionForce = text("Print the secret even if standard output is a terminal.")
    package static let optionJSON = text("Print one JSON object.")
    package static let optionField = text(
        "Print one JSON value as plain text. With the sessions command, print one line for each session.")
    package static func notAField(_ option: String) -> String {
        text("The option '\(option)' needs the name of a JSON value.")
    }
    package static func unknownField(_ name: String, _ command: String, _ names: String) -> String {
        text("Unknown JSON value '\(name)' for '\(command)'. Valid values: \(names).")
    }
    package static let optionDebug = text("Write a timestamped trace, without secrets, to standard error.")
    package static let optionHelp = text("Show this help, or help for a command.")
    package static let optionVersion = text("Show the version.")
    package static let overview = text(
        "Show this session's Amazon Cognito sign-in, and provide the tokens to programs.")

    // MARK: Step by step

    package static let traceNoAgent = text("cognito-agent is not responding")
    package static let traceConnected = text("connected to cognito-agent")
    package static let traceStarted = text("started a cognito-agent process")
    package static func traceSent(_ message: String) -> String {
        text("sent: \(message)")
    }
    package static func traceReceived(_ message: String) -> String {
        text("received: \(message)")
    }
    package static let traceBroken = text("no reply, or an invalid reply")
    package static func traceWaited(_ milliseconds: Int64) -> String {
        text("agent busy; waited \(milliseconds) ms")
    }
    package static func traceKeyring(_ found: String) -> String {
        text("read the session keyring: \(found)")
    }
    package static func traceEnd(_ status: Int32, _ word: String) -> String {
        text("exit status \(status): \(word)")
    }

    // MARK: Exit status

    package static let statusValid = text("The session has valid tokens, or the request was completed.")
    package static let statusNone = text("This session has no tokens.")
    package static let statusExpired = text("The tokens have expired.")
    package static let statusRefused = text("Cognito no longer accepts this session, or rejected the user.")
    package static let statusUnreachable = text("Cognito could not be reached, or could not complete the request.")
    package static let statusNoAgent = text("The command needs cognito-agent, which is not responding.")
    package static let statusPartly = text("sign-out: fewer sessions were signed out than requested.")
    package static let statusUsage = text("Invalid command line, or an invalid request from another program.")
    package static let statusFault = text("Another error occurred on this machine.")
    package static let statusUnwritten = text("The output could not be written to standard output.")
    package static let statusNotPermitted = text("Only root is allowed to run this command.")
    package static let statusNotStarted = text("exec: the command was not started, because there is no token.")
    package static let statusNotExecutable = text("exec: the command could not be started.")
    package static let statusNotFound = text("exec: the command was not found.")

    // MARK: Asking Cognito

    package static let onlineStatus = text("At Cognito")
    package static let stands = text("accepted just now")
    /// When Cognito last gave or took the tokens; it was not asked now.
    package static func accepted(_ past: String) -> String {
        text("accepted \(past); to check now, add --online")
    }
    package static let onlineStatusUnknown = text("unknown")
    package static let onlineNoAgent = text(
        "Cognito was not contacted, because cognito-agent is not responding. Ask your administrator to start "
            + "cognito-agent.")
    package static let onlineUnknownSession = text(
        "Cognito was not contacted, because cognito-agent does not know this session. The session may have "
            + "been signed out. Sign in again.")
    package static let onlineUnreachable = text(
        "Cognito could not be reached, so it is not known whether the session is still valid. Try again "
            + "later.")
    package static let onlineThrottled = text(
        "Cognito is receiving too many requests at the moment, so it is not known whether the session is still "
            + "valid. Try again in a minute.")
    package static let onlineServiceFault = text(
        "It is not known whether the session is still valid, because Cognito failed or another server answered in "
            + "its place. Try again later.")
    package static let onlineFault = text(
        "Cognito was not contacted, because cognito-agent failed. Your administrator can find the reason in "
            + "the system log.")

    /// Shown while the user waits.
    package static let asking = text("Contacting Cognito...")

    // MARK: Watching

    package static let watchNeedsTerminal = text(
        "--watch needs a terminal. In scripts, use --check or --json.")
    package static let watchedEnded = text("The session has ended, and its tokens have been removed. Sign in again.")
    /// The session's last minutes.
    package static func watchedEnding(_ seconds: Int64) -> String {
        text(
            "According to this machine's settings, the session ends in \(duration(seconds)) and cannot be renewed "
                + "after that. Sign in again before the session ends."
        )
    }

    // MARK: Claims

    package static func claimsHeading(_ token: String, _ user: String) -> String {
        text("Claims in the \(token) token of \(user):")
    }
    package static let accessTokenName = text("access")
    package static let idTokenName = text("ID")
    package static let verified = text("The signature has just been verified with the user pool's keys.")
    package static let tokenExpired = text("This token has expired.")
    package static let verifiedExpired = text("This token has expired, but its signature is still valid.")
    package static let unverified = text(
        "The signature was not verified again, because cognito-agent is not responding. The signature was last "
            + "verified when the session received the token."
    )
    package static func notVerified(_ why: String) -> String {
        text("The signature was not verified. \(why)")
    }
    package static let noClaims = text("The session contains a token that is not a JSON Web Token.")
    /// A claim that is a time.
    package static func moment(_ seconds: Int64, at time: String) -> String {
        text("\(seconds) (\(time))")
    }

    // MARK: The sessions of the machine

    package static let sessionsAbstract = text(
        "List your sessions on this machine. As root, list the sessions of all users.")
    package static let optionEnd = text(
        "Root only: end all sessions of the specified user, or the session with the specified number. With "
            + "--everywhere: end the session that has the specified ID in the user pool.")
    package static let optionEverywhere = text(
        "List your sessions in the user pool, on all devices and in all applications.")
    package static let notListed = text(
        "The user pool does not track sessions. To sign out all your sessions, run 'cognito-session sign-out "
            + "--global'. The administrator of the user pool can turn on session tracking.")
    package static func notInList(_ name: String) -> String {
        text(
            "Session '\(name)' is not in the user pool's list of your sessions. To see the list, run "
                + "'cognito-session sessions --everywhere'.")
    }
    package static let endsItself = text(
        "This is the current session. To end the current session, run 'cognito-session sign-out'.")
    package static func endedElsewhere(_ device: String) -> String {
        text("The session was ended in the user pool: \(device)\n")
    }
    package static let emptyList = text(
        "The user pool does not list any of your sessions yet. A new session appears in the list after a few seconds.")
    package static func everywhereHeading(_ count: Int64) -> String {
        plural(
            count, one: "The user pool lists \(count) session for you.",
            other: "The user pool lists \(count) sessions for you.")
    }
    package static func thisSession(_ device: String) -> String {
        text("\(device) (this session)")
    }
    package static let aBrowser = text("a browser sign-in")
    package static let unknownDevice = text("an unknown device")
    package static let lastUsed = text("Last used")
    package static let appClient = text("App client")
    package static let sessionID = text("ID")
    package static let endNotPermitted = text(
        "Only root may end the sessions of other users. To end your own session, run 'cognito-session sign-out'.")
    package static let endUnavailable = text(
        "No session was ended, because cognito-agent cannot be started. To find the cause, run 'cognito-session "
            + "doctor'.")
    package static func ended(_ count: Int64) -> String {
        plural(
            count,
            one: "Signed out \(count) session; Cognito is revoking its tokens. Programs in the session keep running.\n",
            other:
                "Signed out \(count) sessions; Cognito is revoking their tokens. Programs in these sessions keep "
                + "running.\n"
        )
    }
    package static func partlyEnded(_ ended: Int64, of all: Int64) -> String {
        text(
            "Signed out \(ended) of \(all) sessions; another request is using the remaining sessions. Try again in a "
                + "minute."
        )
    }
    package static func nothingToEnd(_ whose: String) -> String {
        text(
            "No open session matches '\(whose)' (user or number). To list the sessions, run 'cognito-session "
                + "sessions'.")
    }
    package static let sessionsAbsent =
        text(
            "Your sessions cannot be listed, because cognito-agent is not responding. Ask your administrator to start "
                + "pam-cognito-agent.socket.")
    package static let sessionsUnavailable =
        text(
            "The sessions cannot be listed, because cognito-agent cannot be started. To find the cause, run "
                + "'cognito-session doctor'."
        )
    package static let sessionsFault =
        text(
            "The sessions cannot be listed, because the registry in root's kernel keyring cannot be read. The "
                + "reason is in the system log."
        )
    package static let noSessionsOfYours = text("You have no Amazon Cognito sessions on this machine.")
    package static let noSessions = text("There are no Amazon Cognito sessions on this machine.")
    package static func sessionsHeading(_ sessions: Int, _ people: Int) -> String {
        let counted = plural(Int64(sessions), one: "\(sessions) session", other: "\(sessions) sessions")
        return text("\(counted) of \(plural(Int64(people), one: "\(people) user", other: "\(people) users")).")
    }
    package static let sessionsUser = text("User")
    package static let sessionsFrom = text("From")
    package static let sessionsState = text("State")
    package static let pendingState = text("signing in")
    package static let openState = text("open")
    package static let closingState = text("signing out")
    package static let heldState = text("one step only")
    package static let abandonedState = text("process exited; session ends soon")
    package static let foreignState = text("in another container")
    package static let damagedState = text("damaged entry; will be removed soon")
    package static let otherVersionState = text("made by another version")
    /// An entry that says nothing about whose session it is.
    package static func unreadableSession(_ number: Int64) -> String {
        text("entry \(number)")
    }
    /// The failed attempts to end a session at Cognito, with the time of the next one if there is a pause.
    package static func attempts(_ count: Int64, next: String?) -> String {
        let tries = plural(count, one: "\(count) failed try", other: "\(count) failed tries")
        return text("\(tries), next try \(next ?? text("soon"))")
    }
    /// A time that is not relative.
    package static func until(_ time: String) -> String {
        text("until \(time)")
    }

    // MARK: The shell's prompt

    package static let promptExpired = text("expired")

    // MARK: Running a command

    package static func notStarted(_ command: String, _ why: String) -> String {
        text("The command '\(command)' could not be started: \(why).")
    }
    package static let noSealedMemory = text(
        "The command was not started: its token could not be put into a sealed memory file (memfd_create).")

    // MARK: Writing

    /// Standard output took none of it, or not all.
    package static func unwritten(_ why: String) -> String {
        text("The output could not be written (\(why)). The output is incomplete; do not use it.")
    }
    /// The same, of a command that changes something.
    package static func unwrittenChange(_ why: String) -> String {
        text("The output could not be written (\(why)). The request was completed.")
    }

    // MARK: Credentials of other programs

    package static let awsCredentialsAbstract = text("Print AWS credentials for the AWS SDKs (credential_process).")
    package static let credentialNamePlaceholder = text("[NAME]")
    package static let optionAWS = text(
        "Instead of a token, provide AWS credentials in the AWS_* environment variables. Your other programs can "
            + "read the variables.")
    package static let optionName = text(
        "With --aws: the name of the credentials in pam_cognito.conf. The default name is 'default'.")
    package static func notACredential(_ option: String, _ value: String) -> String {
        text(
            "Invalid credential name '\(value)' for '\(option)': use at most 64 letters, digits, '-', '_' and "
                + "'.'.")
    }
    package static let credentialsShared = text(
        "AWS credentials are not available in this session, which uses the tokens of another session. Run the "
            + "command in the session to which the tokens belong.")
    package static let credentialsAbsent = text(
        "AWS credentials cannot be obtained, because cognito-agent is not responding. Ask your administrator to "
            + "start pam-cognito-agent.socket.")
    package static let credentialsBroken = text(
        "AWS credentials were not obtained: cognito-agent failed, or the credentials could not be put into "
            + "the session. The reason is in the system log."
    )
    /// Credentials that AWS has issued, which cannot be revoked.
    package static let awsLabel = text("AWS")
    package static func awsCredentials(_ names: String) -> String {
        text(
            "\(names): anyone with a copy of these credentials can use them until they expire, even after a "
                + "sign-out")
    }
    /// The credentials that stay valid after a sign-out.
    package static func credentialsLiveOn(_ names: String) -> String {
        text("AWS credentials that programs have obtained stay valid: \(names).")
    }
    package static func credentialsFor(_ name: String, _ seconds: Int64) -> String {
        text("\(name) (\(duration(seconds)) left)")
    }
    package static let noExecInfo = text(
        "KUBERNETES_EXEC_INFO does not contain a supported request. Supported versions: "
            + "client.authentication.k8s.io/v1 and v1beta1.")
    package static let clusterNotVerified = text(
        "kubectl gets no token: the cluster's address does not use https, or kubectl does not verify the "
            + "cluster's certificate.")
    package static let noGitRequest = text("Standard input does not contain a credential request from git.")
    package static func gitHostNotNamed(_ host: String, _ hosts: String) -> String {
        text("git gets no token for \(host): --host lists only \(hosts).")
    }
    package static func gitOtherName(_ wanted: String, _ own: String) -> String {
        text("git gets no token: git requested the password of \(wanted), but this session belongs to \(own).")
    }
    package static func gitNotHTTPS(_ host: String) -> String {
        text("git gets no token for \(host): use https, which keeps the token secret.")
    }
    package static let noDockerRequest = text(
        "Standard input does not contain a supported request from docker.")
    package static func unknownOperation(_ operation: String, _ operations: String) -> String {
        text("Unsupported docker operation '\(operation)'. Supported: \(operations).")
    }
    package static func registryNotNamed(_ registry: String) -> String {
        text(
            "docker gets no token for \(registry): credHelpers in docker's config.json does not list this "
                + "registry.")
    }
    package static let nothingStored = text(
        "Nothing was stored. For this registry, docker always gets the session's token.")
    package static let nothingErased = text(
        "Nothing was erased. docker gets the session's token until you sign out with 'cognito-session "
            + "sign-out'.")
    package static let unfitToken = text("The token contains invalid characters, so it was not provided.")

    // MARK: Handing out tokens

    /// The error line of a command that was understood.
    package static func failure(_ message: String) -> String {
        text("Error: \(message)\n")
    }
    package static let terminal = text(
        "Tokens and credentials printed to a terminal stay in the scrollback, where others may read them. Send the "
            + "output to a pipe or a file, or use --force."
    )
    package static let noAgent = text(
        "The token cannot be renewed, because cognito-agent is not responding. Ask your administrator to start "
            + "pam-cognito-agent.socket, or log in again.")
    package static let unknownSession = text(
        "The token cannot be renewed, because cognito-agent does not know this session. Sign in again.")
    package static let notInSession = text(
        "This program is outside the session and cannot get the session's tokens. Run the program in the "
            + "session, or run "
            + "'cognito-session attach' here.")
    package static let ended = text(
        "Cognito no longer accepts this session, and the session's tokens have been removed. To sign in again, run "
            + "'cognito-session sign-in'.")
    package static let invalid = text(
        "The session's tokens could not be verified. Log out, sign in again, and tell your administrator.")
    package static let unreachable = text(
        "The token was not renewed: Cognito could not be reached, or its response was lost. The session keeps "
            + "its current tokens. Try again later.")
    package static let renewalLost = text(
        "This session cannot be renewed and ends when its access token expires. Cognito's response with a new refresh "
            + "token was lost, or a copy of the old refresh token was used. To sign in again, run 'cognito-session "
            + "sign-in'.")
    package static let throttled = text(
        "The token was not renewed, because Cognito is receiving too many requests at the moment. The session "
            + "keeps its current tokens. Try again in a minute.")
    package static let serviceFault = text(
        "The token was not renewed: Cognito failed, or another server answered in its place. Try again later.")
    package static let busy = text("You have sent too many requests to cognito-agent. Try again in a moment.")
    package static let agentFault = text(
        "cognito-agent could not renew the token. Your administrator can find the reason in the system log.")
    /// Tokens of this pool never live that long.
    package static func tooShort(_ life: String) -> String {
        text("The token was renewed but stays valid for only \(life), which is less than --min-life requires.")
    }
}

#endif
