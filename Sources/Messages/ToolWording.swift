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
            // Minutes beside days say nothing to anybody.
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
    package static let refreshTokenWithheld = text("kept from this session by the configuration")
    /// Of a refresh token, by the validity that is configured: Cognito does not say.
    package static func estimated(_ life: String) -> String {
        text("\(life), by this machine's settings")
    }
    package static let unknownExpiry = text("of unknown end")
    package static let session = text("Session")
    package static let logout = text("At logout")

    package static func place(ring: Int32, name: String, key: Int32, isShared: Bool) -> String {
        isShared
            ? text(
                "keyring \(ring) (\(name)), key \(key); shared by another session of yours, and gone when that one ends"
            )
            : text("keyring \(ring) (\(name)), key \(key)")
    }

    package static let logoutGlobal = text("Cognito signs you out everywhere: all your sessions, on all machines.")
    package static let logoutLast = text(
        "Cognito signs you out everywhere, when this is your last session on this machine.")
    package static let logoutSession = text("Cognito revokes the tokens of this session; others go on.")
    package static let logoutNone = text("Nothing: the tokens stay valid until they expire.")

    /// What to do about expired tokens, the refresh token being good.
    package static let accessTokenExpired = text("The access token has expired.")
    package static let adviceRenewable = text(
        "cognito-session refresh renews it, if Cognito still accepts the refresh token.")

    /// More token keys than one.
    package static func alsoHere(_ description: String, key: Int32) -> String {
        text("This session also holds tokens of \(description) (key \(key)).")
    }

    // MARK: No tokens

    package static let noTokens = text("There are no Cognito tokens in this session.")
    package static let tokensExpired = text("The Cognito tokens of this session have expired and are gone.")

    package static let reasonRevoked = text(
        "This process has outlived its session: the session's keyring was revoked when its person logged out.")
    package static let adviceRevoked = text("Sign in again, and start this program from the new session.")
    package static let reasonTmux = text(
        "This runs inside tmux, whose server keeps the keyring of the session that it was started in.")
    package static let adviceTmux = text(
        "Have a session with tokens hand them over: cognito-session attach. Or start a new tmux server there: tmux -L other."
    )
    package static let reasonScreen = text(
        "This runs inside screen, which keeps the keyring of the session that it was started in.")
    package static let adviceScreen = text(
        "Have a session with tokens hand them over: cognito-session attach. Or start a new screen there.")
    package static let reasonUserManager = text(
        "This runs under systemd --user, which has a keyring of its own, apart from any session's.")
    package static let adviceUserManager = text("Run this from the session that you signed in to.")
    package static let reasonSudo = text("This runs under sudo, which passes nobody's tokens on.")
    package static let adviceSudo = text("Run this without sudo, as the person who signed in.")
    package static let reasonSu = text(
        "This account was taken on with su: tokens come only with the account's own Cognito sign-in.")
    package static let adviceSu = text("Sign in as this person, by ssh or at the console.")
    package static let reasonForeignRing = text(
        "This process is in another account's session keyring, as after su without pam_keyinit.")
    package static let adviceForeignRing = text(
        "Sign in as this person; and in /etc/pam.d, put pam_keyinit.so before pam_cognito.so.")
    package static let reasonDefaultRing = text(
        "This session has no keyring of its own (only the account's default one), so tokens could not be put there.")
    package static let adviceDefaultRing = text(
        "In /etc/pam.d, the service needs \"session optional pam_keyinit.so force revoke\" before pam_cognito.so.")
    package static let reasonJob = text("This is a job of cron or at: nobody signs in for it, and it has no tokens.")
    package static let adviceJob = text(
        "Nothing needs mending. A job that needs rights has to have an identity of its own.")
    package static let reasonNoSignIn = text(
        "This login did not go through Cognito (an ssh key, a local password), or it was signed out since.")
    package static let adviceNoSignIn = text(
        "If this account signs in with Cognito, run cognito-session sign-in; or cognito-session attach, if another of your sessions has tokens. Other accounts have no tokens."
    )
    package static let reasonExpired = text("Their lifetime, set by the user pool's administrator, has run out.")
    package static let adviceExpired = text("Run cognito-session sign-in; or log out, and sign in again.")

    /// The kernel does not let us look.
    package static func reasonUnreadable(_ error: Int32) -> String {
        text("The kernel does not show the session keyring (error \(error)); some containers forbid it.")
    }
    package static let adviceUnreadable = text("Ask whoever runs this machine or container to permit keyctl(2).")

    /// The key is ours, what is in it is not a token bundle.
    package static func reasonDamaged(_ why: String) -> String {
        text("The token key of this session cannot be used. \(why)")
    }
    package static let bundleNoObject = text("The token bundle is not a JSON object.")
    package static func bundleLacks(_ member: String) -> String {
        text("The token bundle has no member \"\(member)\".")
    }
    package static func bundleMember(_ member: String) -> String {
        text("The member \"\(member)\" of the token bundle has no valid value.")
    }
    package static let bundleTooLarge = text("The token bundle is larger than a key can hold.")
    package static let adviceDamaged = text("Log out, and sign in again. If it happens again, tell your administrator.")
    package static let reasonVanished = text(
        "The token key vanished while it was being read: the session is being signed out.")

    /// A key that has our name, but that anybody could have made.
    package static func ignoredKey(_ name: String, key: Int32, owner: UInt32, permissions: String) -> String {
        text(
            "Key \(key), \"\(name)\", is not ours and is ignored: it belongs to uid \(owner) with permissions "
                + "\(permissions), where pam_cognito's belong to root with 0b3f0000.")
    }

    // MARK: Usage

    package static func unknownOption(_ option: String) -> String {
        text("Unknown option '\(option)'.")
    }
    package static func unknownCommand(_ command: String) -> String {
        text("Unknown command '\(command)'.")
    }
    package static func changesNothing(_ option: String) -> String {
        text(
            "The doctor changes no files: \(option) is gone. Make the changes that it shows yourself, and keep a copy.")
    }
    package static let verifiesNothing = text(
        "--verify is gone. Run dpkg --verify pam-cognito, or rpm --verify pam-cognito.")
    package static func unexpectedArgument(_ argument: String, command: String) -> String {
        text("'\(command)' takes no argument '\(argument)'.")
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
        text("'\(value)' is no time for '\(option)': a number of seconds, or with s, m, h or d behind it, as in 5m.")
    }
    package static func notADescriptor(_ option: String, _ value: String) -> String {
        text("'\(value)' is no descriptor for '\(option)': 0, or 3 to 1023.")
    }
    package static func notAVariable(_ option: String, _ value: String) -> String {
        text("'\(value)' is no name for '\(option)': letters, digits and _, no digit first.")
    }
    package static func missingCommand(_ command: String) -> String {
        text("'\(command)' needs a command to run.")
    }
    package static func contradiction(_ one: String, _ other: String) -> String {
        text("The options '\(one)' and '\(other)' exclude each other.")
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
    package static let statusAbstract = text("Show who is signed in, and how long the tokens last (the default).")
    package static let tokenAbstract = text("Print one valid token to a pipe or a file, renewed first if need be.")
    package static let whoamiAbstract = text("Print the name under which Cognito knows the person.")
    package static let execAbstract = text("Run a command that finds a valid token in a file descriptor or a variable.")
    package static let claimsAbstract = text("Show what a token says, and whether its signature holds.")
    package static let promptAbstract = text("Print a few characters for a shell prompt; never waits for anything.")
    package static let commandLinePlaceholder = text("[--] COMMAND [ARGUMENT]...")
    package static let durationPlaceholder = text("TIME")
    package static let descriptorPlaceholder = text("N")
    package static let variablePlaceholder = text("NAME")
    package static let filePlaceholder = text("PATH")
    package static let optionOnline = text("Ask Cognito whether the session still stands.")
    package static let optionWatch = text("Show it until the session ends; renew the tokens ahead of time.")
    package static let optionNotify = text("With --watch: tell on the desktop, too, with notify-send.")
    package static let optionDescriptor = text("Where the command reads the token (3).")
    package static let optionVariable = text(
        "The variable that holds the token instead; other programs of yours can read it.")
    package static let optionCheck = text("Say nothing; only set the exit status.")
    package static let optionAccess = text(
        "The access token, with which the account at Cognito can be changed; the default of token, exec and claims.")
    package static let optionID = text("The ID token; the default of everything else, and with --header.")
    package static let optionHeader = text("The token as a line of an HTTP request: Authorization: Bearer ...")
    package static let optionHost = text(
        "Who may have it: names of hosts, with their port unless it is 443, and commas between them.")
    package static let hostPlaceholder = text("HOST")
    package static func notAHost(_ option: String, _ value: String) -> String {
        text("'\(value)' is no host for '\(option)': a name, perhaps with a port, as in git.example.com:8443.")
    }
    package static func missingOperation(_ command: String, _ operations: String) -> String {
        text("'\(command)' needs to be told what to do: \(operations).")
    }
    /// What git and docker call what they want.
    package static let gitOperations = command("get|store|erase")
    package static let dockerOperations = command("get|store|erase|list")
    package static let kubeCredentialAbstract = text("Print a credential for kubectl, as its exec plugin.")
    package static let gitCredentialAbstract = text("Answer git, as git-credential-cognito.")
    package static let dockerCredentialAbstract = text("Answer docker, as docker-credential-cognito.")
    package static let optionMinimumLife = text("How long the token must still last: 90, 5m, 1h.")
    package static let optionForce = text("Print it to a terminal, too.")
    package static let optionJSON = text("Print one JSON object.")
    package static let optionField = text("Print one value of the JSON as plain text: for sessions, a line each.")
    package static func notAField(_ option: String) -> String {
        text("'\(option)' needs the name of a value.")
    }
    package static func unknownField(_ name: String, _ command: String, _ names: String) -> String {
        text("'\(command)' has no value '\(name)'. There are: \(names).")
    }
    package static let optionDebug = text("Say on standard error what is done, and when. No secret is in it.")
    package static let optionHelp = text("Show this help; behind a command, that command's.")
    package static let optionVersion = text("Show the version.")
    package static let overview = text("Shows the Amazon Cognito sign-in of this session, and hands out its tokens.")

    // MARK: Step by step

    package static let traceNoAgent = text("cognito-agent does not answer")
    package static let traceConnected = text("connected to cognito-agent")
    package static let traceStarted = text("started a cognito-agent")
    package static func traceSent(_ message: String) -> String {
        text("said to it: \(message)")
    }
    package static func traceReceived(_ message: String) -> String {
        text("heard of it: \(message)")
    }
    package static let traceBroken = text("heard nothing of it, or nothing that makes sense")
    package static func traceWaited(_ milliseconds: Int64) -> String {
        text("waited \(milliseconds) ms, since it has too much to do")
    }
    package static func traceKeyring(_ found: String) -> String {
        text("looked into the session's keyring: \(found)")
    }
    package static func traceArea(_ area: String) -> String {
        text("looked at: \(area)")
    }
    package static func traceEnd(_ status: Int32, _ word: String) -> String {
        text("exit status \(status): \(word)")
    }

    // MARK: Exit status

    package static let statusValid = text("There are tokens that have not expired, or what was asked for is done.")
    package static let statusNone = text("There are no tokens in this session.")
    package static let statusExpired = text("The tokens have expired.")
    package static let statusRefused = text("Cognito no longer accepts this session, or did not accept the user.")
    package static let statusUnreachable = text("Cognito could not be reached, or could not do it at the moment.")
    package static let statusNoAgent = text("cognito-agent, which is needed for this, does not answer.")
    package static let statusPartly = text("sign-out: less was signed out than was asked for.")
    package static let statusUsage = text("The command line was wrong, or what another program asked for.")
    package static let statusFault = text("Something else failed on this machine.")
    package static let statusUnwritten = text("The answer could not be written to standard output.")
    package static let statusNotPermitted = text("Only root may do this.")
    package static let statusNotStarted = text("exec: there is no token, so the command was not started.")
    package static let statusNotExecutable = text("exec: the command could not be started.")
    package static let statusNotFound = text("exec: there is no such command.")

    // MARK: Asking Cognito

    package static let onlineStatus = text("At Cognito")
    package static let stands = text("accepted, asked just now")
    /// When Cognito last gave or took the tokens; it was not asked now.
    package static func accepted(_ past: String) -> String {
        text("accepted \(past); --online asks now")
    }
    package static let onlineStatusUnknown = text("not known")
    package static let onlineNoAgent = text(
        "Cognito was not asked: cognito-agent, which can, does not answer. Ask whoever runs this machine to start it.")
    package static let onlineUnknownSession = text(
        "Cognito was not asked: cognito-agent does not know this session. It may be signed out already; sign in again.")
    package static let onlineUnreachable = text(
        "Cognito could not be reached, so nobody knows whether it still accepts the session. Try again later.")
    package static let onlineThrottled = text(
        "Cognito takes no more requests at the moment, so nobody knows whether it still accepts the session. Try again in "
            + "a minute.")
    package static let onlineServiceFault = text(
        "Cognito did not say whether it still accepts the session: it failed, or what answered was not Cognito. Try again "
            + "later.")
    package static let onlineFault = text(
        "Cognito was not asked: cognito-agent failed. The system's log says why; your administrator can read it.")

    /// While somebody waits.
    package static let asking = text("Asking Cognito...")

    // MARK: Watching

    package static let watchNeedsTerminal = text(
        "--watch draws on a terminal, and this is none. Use --check or --json in scripts.")
    package static let watchedEnded = text("The session has ended: its tokens are gone. Sign in again.")
    /// The session's last minutes.
    package static func watchedEnding(_ seconds: Int64) -> String {
        text(
            "By this machine's settings the session ends in \(duration(seconds)), and cannot be renewed beyond that. Sign in again before then."
        )
    }

    // MARK: Claims

    package static func claimsHeading(_ token: String, _ user: String) -> String {
        text("The \(token) token of \(user) says:")
    }
    package static let accessTokenName = text("access")
    package static let idTokenName = text("ID")
    package static let verified = text("Its signature was verified just now with the pool's keys.")
    package static let tokenExpired = text("It has expired: it is valid no more.")
    package static let verifiedExpired = text("It has expired: it is valid no more, though its signature still holds.")
    package static let unverified = text(
        "Its signature was verified when root put it here, and not again now: cognito-agent, which can, does not answer."
    )
    package static func notVerified(_ why: String) -> String {
        text("Its signature was not verified now. \(why)")
    }
    package static let noClaims = text("A token in it is no JSON Web Token.")
    /// A claim that is a time.
    package static func moment(_ seconds: Int64, at time: String) -> String {
        text("\(seconds) (\(time))")
    }

    // MARK: The sessions of the machine

    package static let sessionsAbstract = text("List your sessions on this machine; for root, those of everybody.")
    package static let optionEnd = text(
        "For root: end the sessions of that account, or the one of that number. With --everywhere: the one of that ID.")
    package static let optionEverywhere = text(
        "Those that the user pool lists instead: all of yours, on all devices and in all applications.")
    package static let notListed = text(
        "The user pool keeps no list of your sessions: it would have to track them, which its administrators can turn on."
    )
    package static func notInList(_ name: String) -> String {
        text("The pool's list has no session '\(name)' of yours: cognito-session sessions --everywhere shows them.")
    }
    package static let endsItself = text(
        "That is the session that you are in. To end it: cognito-session sign-out")
    package static func endedElsewhere(_ device: String) -> String {
        text("Cognito has ended that session: \(device)\n")
    }
    package static let emptyList = text(
        "The user pool lists no session of yours yet: a new one appears there after some seconds.")
    package static func everywhereHeading(_ count: Int64) -> String {
        plural(
            count, one: "The user pool lists \(count) session of yours.",
            other: "The user pool lists \(count) sessions of yours.")
    }
    package static func thisSession(_ device: String) -> String {
        text("\(device) (this session)")
    }
    package static let aBrowser = text("a sign-in in a browser")
    package static let unknownDevice = text("an unknown device")
    package static let lastUsed = text("Last used")
    package static let appClient = text("App client")
    package static let sessionID = text("ID")
    package static let endNotPermitted = text(
        "Only root may end sessions of others. To end your own: cognito-session sign-out")
    package static let endUnavailable = text(
        "No session can be ended: cognito-agent cannot be started. Run 'cognito-session doctor' to see why.")
    package static func ended(_ count: Int64) -> String {
        plural(
            count,
            one: """
                \(count) session has no tokens any more, and Cognito is being told to revoke them. Its programs go on.

                """,
            other: """
                \(count) sessions have no tokens any more, and Cognito is being told to revoke them. Their programs go on.

                """
        )
    }
    package static func partlyEnded(_ ended: Int64, of all: Int64) -> String {
        text(
            "\(ended) of \(all) sessions are ended, the others not, since other requests about them take too long. "
                + "Try again in a minute."
        )
    }
    package static func nothingToEnd(_ whose: String) -> String {
        text(
            "No open session on this machine is of '\(whose)' or has that number: cognito-session sessions lists them.")
    }
    package static let sessionsAbsent =
        text(
            "Your sessions cannot be listed: cognito-agent does not answer. Ask whoever runs this machine to start it "
                + "(pam-cognito-agent.socket).")
    package static let sessionsUnavailable =
        text(
            "The sessions cannot be listed: cognito-agent cannot be started. Run 'cognito-session doctor' to see why."
        )
    package static let sessionsFault =
        text(
            "The sessions cannot be listed: root's registry in the kernel keyring cannot be read. The system's log says why."
        )
    package static let noSessionsOfYours = text("You have no session on this machine that Amazon Cognito signed in.")
    package static let noSessions = text("Nobody is signed in to Amazon Cognito on this machine.")
    package static func sessionsHeading(_ sessions: Int, _ people: Int) -> String {
        let counted = plural(Int64(sessions), one: "\(sessions) session", other: "\(sessions) sessions")
        return text("\(counted) of \(plural(Int64(people), one: "\(people) person", other: "\(people) people")).")
    }
    package static let sessionsUser = text("User")
    package static let sessionsFrom = text("From")
    package static let sessionsState = text("State")
    package static let pendingState = text("signing in")
    package static let openState = text("open")
    package static let closingState = text("signing out")
    package static let heldState = text("one step only")
    package static let abandonedState = text("left behind, ended soon")
    package static let foreignState = text("of another container")
    package static let damagedState = text("damaged, removed soon")
    package static let otherVersionState = text("of another version")
    /// An entry that says nothing about whose session it is.
    package static func unreadableSession(_ number: Int64) -> String {
        text("entry \(number)")
    }
    /// What became of the attempts to end a session at Cognito; with the time of the next one, where it has to wait.
    package static func attempts(_ count: Int64, next: String?) -> String {
        text("\(plural(count, one: "\(count) try", other: "\(count) tries")), next \(next ?? text("soon"))")
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
    package static let noSealedMemory = text("The token could not be put where a command can read it.")

    // MARK: Writing

    /// Standard output took none of it, or not all.
    package static func unwritten(_ why: String) -> String {
        text("The answer could not be written (\(why)); what is at standard output is not whole. Do not use it.")
    }
    /// The same, of a command that changes something.
    package static func unwrittenChange(_ why: String) -> String {
        text("The answer could not be written (\(why)). What was asked for is done all the same.")
    }

    // MARK: Credentials of other programs

    package static let awsCredentialsAbstract = text("Print credentials of AWS for its SDKs (credential_process).")
    package static let credentialNamePlaceholder = text("[NAME]")
    package static let optionAWS = text(
        "Credentials of AWS instead, in AWS's own variables; other programs of yours can read them.")
    package static let optionName = text("With --aws: what the administrator calls the credentials (default).")
    package static func notACredential(_ option: String, _ value: String) -> String {
        text("'\(value)' is no name of credentials for '\(option)': letters, digits, '-', '_' and '.', 64 at most.")
    }
    package static let credentialsShared = text(
        "There are no AWS credentials here: this session uses the tokens of another one, and that one has them.")
    package static let credentialsAbsent = text(
        "There are no AWS credentials yet: cognito-agent, which has them made, does not answer. Ask whoever runs this machine to "
            + "start it (pam-cognito-agent.socket).")
    package static let credentialsBroken = text(
        "There are no AWS credentials: cognito-agent failed, or they could not be put into the session. The system's log says why."
    )
    /// Credentials that AWS has given, of which nobody can take anything back.
    package static let awsLabel = text("AWS")
    package static func awsCredentials(_ names: String) -> String {
        text("\(names): whoever has a copy uses it until then, also after a sign-out")
    }
    /// What a sign-out does not end.
    package static func credentialsLiveOn(_ names: String) -> String {
        text("AWS credentials that were handed out live on at AWS: \(names).")
    }
    package static func credentialsFor(_ name: String, _ seconds: Int64) -> String {
        text("\(name) for \(duration(seconds))")
    }
    package static let noExecInfo = text(
        "What kubectl says in KUBERNETES_EXEC_INFO is no request for a credential that this program knows: "
            + "client.authentication.k8s.io/v1 or v1beta1.")
    package static let clusterNotVerified = text(
        "No token is given: the cluster's address is not https, or its certificate is not verified.")
    package static let noGitRequest = text("What git asks on standard input is no request for a credential.")
    package static func gitHostNotNamed(_ host: String, _ hosts: String) -> String {
        text("git gets no token for \(host): --host names only \(hosts).")
    }
    package static func gitOtherName(_ wanted: String, _ own: String) -> String {
        text("git gets no token: it asks for the password of \(wanted), and this session belongs to \(own).")
    }
    package static func gitNotHTTPS(_ host: String) -> String {
        text("git gets no token for \(host): only https keeps it secret.")
    }
    package static let noDockerRequest = text("What docker asks on standard input is nothing that this program knows.")
    package static func unknownOperation(_ operation: String, _ operations: String) -> String {
        text("docker asks for '\(operation)', which this program does not know: \(operations).")
    }
    package static func registryNotNamed(_ registry: String) -> String {
        text("docker gets no token for \(registry): credHelpers in docker's config.json does not name it.")
    }
    package static let nothingStored = text(
        "Nothing was stored: docker gets the session's own token, and no other password, for this registry.")
    package static let nothingErased = text(
        "Nothing was erased: docker gets the session's token until you sign out. To end that: cognito-session sign-out")
    package static let unfitToken = text("The token has characters that no token has; it is given to nobody.")

    // MARK: Handing out tokens

    /// The error line of a command that was understood.
    package static func failure(_ message: String) -> String {
        text("Error: \(message)\n")
    }
    package static let terminal = text(
        "A token on a terminal stays in its history, for whoever scrolls back. Send it to a pipe or a file, or use --force."
    )
    package static let noAgent = text(
        "The token cannot be renewed: cognito-agent does not answer. Ask whoever runs this machine to start it "
            + "(pam-cognito-agent.socket); or log in again.")
    package static let unknownSession = text(
        "The token cannot be renewed: cognito-agent does not know this session. Sign in again.")
    package static let notInSession = text(
        "This program is not in that session, so it gets nothing from it. Run it in the session itself, or run cognito-session "
            + "attach here.")
    package static let ended = text(
        "Cognito no longer accepts this session, and its tokens are gone. Run cognito-session sign-in to sign in "
            + "again.")
    package static let invalid = text(
        "The session's tokens do not stand up to verification. Log out, sign in again, and tell your administrator.")
    package static let unreachable = text(
        "The token was not renewed: Cognito could not be reached, or its answer got lost. The session has its old tokens: try "
            + "again later.")
    package static let renewalLost = text(
        "This session can no longer be renewed: Cognito's answer with its newest refresh token got lost, or a copy of the old "
            + "one was used. It ends with its access token. Run cognito-session sign-in to sign in again.")
    package static let throttled = text(
        "The token cannot be renewed: Cognito takes no more requests at the moment. The session is as it was: try again in "
            + "a minute.")
    package static let serviceFault = text(
        "The token was not renewed: Cognito failed, or what answered was not Cognito. Try again later.")
    package static let busy = text("cognito-agent has too many requests of yours. Try again in a moment.")
    package static let agentFault = text(
        "cognito-agent could not renew the token. The system's log says why; your administrator can read it.")
    /// Tokens of this pool never live that long.
    package static func tooShort(_ life: String) -> String {
        text("The token was renewed, and lasts only \(life): less than asked for with --min-life.")
    }
}

#endif
