/// The messages. The root side's are even, the worker's odd: neither can be taken for the other. From 64 on are those
/// of `cognito-agent` and its clients, where the client's are even and the agent's odd; `ask` and `answer` are the same
/// there.
package enum MessageKind: UInt8, Sendable {
    // From the root side: first one step, then answers.

    /// Step: sign the user in. The worker requests the password and all other input that the pool requires.
    case signIn = 2
    /// Step: renew the tokens in `bundle`.
    case renew = 4
    /// Step: revoke the tokens in `bundle`.
    case signOut = 6
    /// The user's answer to the last `ask`. If the app client has a secret, an `answer` to a worker also contains the
    /// current secret.
    case answer = 8
    /// The tokens are stored in the registry, and the root side is now responsible for revoking them. If this message
    /// does not arrive after a sign-in, the worker revokes the tokens.
    case registered = 10
    /// Step: authenticate the user and set a new password.
    case changePassword = 12
    /// Step: reset a forgotten password with a code that Cognito sends.
    case forgotPassword = 14
    /// Step: verify the tokens in `bundle`. If `online` is 1, the worker also checks the tokens with Cognito.
    case check = 18
    /// Step: test the connection to Cognito and the settings of the pool and the app client.
    case probe = 20
    /// Step: sign a user out everywhere with the machine's IAM identity (AdminUserGlobalSignOut).
    case adminSignOut = 22
    /// Step: list the user's sessions in the pool, or end the session that `poolSession` specifies.
    case poolSessions = 24
    /// Step: list the users of `group` page by page, with the machine's IAM identity (ListUsersInGroup).
    case listPeople = 26
    /// Step: use the ID token in `bundle` to obtain credentials for another system.
    case makeCredential = 28

    // From the worker.

    /// A prompt for the user. The agent also sends this message to clients.
    case ask = 1
    /// Data that the root side stores for later steps: the pool's key set, or this machine's registration as the user's
    /// device.
    case keep = 3
    /// The tokens from a sign-in.
    case signedIn = 5
    /// The tokens from a renewal.
    case renewed = 7
    /// The result of a sign-out.
    case signedOut = 9
    /// The step failed.
    case failed = 11
    /// The new password is set.
    case passwordChanged = 13
    /// The time limit for network requests has passed, but new tokens may still arrive. The result of the renewal
    /// follows.
    case late = 15
    /// A user in the group.
    case person = 17
    /// The tokens are valid.
    case checked = 19
    /// The results of `probe`.
    case probed = 21
    /// The user's sessions in the pool. After a session has been ended with `poolSession`, the list is empty.
    case poolSessionList = 23
    /// The worker has sent one page of the list of users. Another page follows.
    case page = 25
    /// The worker has sent all users in the group.
    case listed = 27
    /// The new credentials.
    case credentialMade = 29
    /// Cognito refused a request. The reason is only for the log and is not shown to the user.
    case withheld = 31

    // From a client of the agent: first one request, then answers.

    /// Request: renew the session's tokens, unless they stay valid for at least `minimumLife` seconds.
    case renewRequest = 66
    /// Request: end the sessions that `revocation` selects.
    case signOutRequest = 68
    /// Request: sign the caller in. The `key` field contains the serial number of the inbox.
    case signInRequest = 70
    /// The client has linked the key into the session keyring.
    case taken = 72
    /// Request: check whether the session's tokens are valid.
    case checkRequest = 80
    /// Request: reset an account's password with a code that Cognito sends.
    case recoverRequest = 74
    /// Request: authenticate the user that `userName` specifies. This request is sent by screen lockers, and by
    /// programs that run under an account listed in `authenticating_users`.
    case unlockRequest = 76
    /// Notice: a program has received one of the session's tokens.
    case handOut = 82
    /// Request from root: list the registry entries.
    case registryRequest = 84
    /// Request: list the caller's sessions in the pool, or end the session that `poolSession` specifies.
    case poolSessionsRequest = 86
    /// Request: put credentials for another system into the session's keyring. The credentials are delivered through an
    /// inbox.
    case credentialRequest = 88
    /// Request: get the tokens from another of the caller's sessions. The `key` field contains the serial number of the
    /// inbox. The client shows the code that the user must enter in the other session.
    case attachRequest = 90
    /// Request: share the session's tokens with another of the caller's sessions. The user enters the code that the
    /// other session shows.
    case giveRequest = 92

    /// Request: lock the session's tokens so that the session's processes cannot read them.
    case lockRequest = 94
    /// Request: keep a copy of the tokens for a job that runs while the session's tokens are locked. The copy is
    /// delivered through an inbox.
    case keepRequest = 96
    /// Request: create a sealed export that another session of the same user can use once to import the tokens.
    case exportRequest = 98
    /// Request: use a sealed export to import tokens. The `key` field contains the serial number of the inbox.
    case importRequest = 100
    /// Notice from root: a user has signed in, but no session has been opened yet. The `key` field contains the serial
    /// number of the registry entry.
    case watchRequest = 102
    /// Request from root, for a set-uid program: check with Cognito whether a session can be accepted instead of a new
    /// sign-in. If the tokens have expired, the agent renews them before the check. The `key` field contains the serial
    /// number of the registry entry.
    case openingRequest = 104
    /// Request from root: end a session that the PAM application has closed. The agent's listener replies immediately.
    /// The agent may end this session together with other sessions. The `key` field contains the registry entry's
    /// serial number.
    case endingRequest = 106

    // From the agent.

    /// The request was refused or failed.
    case refused = 65
    /// The result of a renewal.
    case renewal = 69
    /// The result of a sign-out.
    case ending = 71
    /// Text to show to the user. No answer is needed.
    case show = 73
    /// The agent has linked a key into the inbox.
    case inInbox = 75
    /// The request was completed.
    case complete = 77
    /// The session's tokens are valid.
    case tokensValid = 81
    /// A session in the registry.
    case registeredSession = 85
    /// The user's sessions in the pool. After a session has been ended with `poolSession`, the list is empty.
    case poolSessionsFound = 87
    /// The credentials are already in the session, because an earlier request put them there.
    case credential = 89
    /// The sealed export.
    case exported = 91
    /// The claims in the session's tokens. If `reason` is present, it shows why the session cannot be accepted instead
    /// of a new sign-in.
    case sessionChecked = 93
}

/// The parts of messages. Text is UTF-8, names and tokens are bytes as they came.
package enum Field: UInt8, Sendable {
    /// The user pool's id, for example `eu-west-1_AbCdEf123`.
    case userPoolID = 1
    /// The app client's id.
    case clientID = 2
    /// The app client's secret, if it has one.
    case clientSecret = 3
    /// The endpoint to use instead of the pool's own endpoint, in the form `https://host[:port]`. Several endpoints are
    /// separated by spaces. The next endpoint is used only if nothing could be sent to the previous one.
    case endpoint = 4
    /// The path of a file with CA certificates (PEM), used instead of the system's CA certificates.
    case caFile = 5
    /// The account that the user logs in to (PAM_USER), byte for byte. In `signedIn`, `renewed` and `person`: the
    /// user's name in the pool.
    case userName = 6
    /// The name or alias that is sent to Cognito as USERNAME.
    case loginName = 7
    /// An `IdentityRule`, which selects the claim that must match the account.
    case identityRule = 8
    /// An `AuthenticationFlow`.
    case flow = 9
    /// The time limit, in milliseconds, for all network requests of this step, including the pauses between retries.
    /// The time for user input is not counted.
    case timeLimit = 10
    /// The time limit for establishing one connection in milliseconds.
    case connectTimeLimit = 11
    /// The pool's key set (JSON, RFC 7517). In a message that starts a step: the key set from an earlier `keep`,
    /// or the administrator's key set.
    case keySet = 12
    /// The session's token set. Only the worker and cognito-session interpret this JSON object.
    case bundle = 13
    /// The part of the token set that the session may read, if it must not read the whole set.
    case sessionBundle = 14
    /// A `Revocation`, which selects the tokens to revoke.
    case revocation = 15
    /// A `Preconnection`, which defines what the worker sends while the user is typing.
    case preconnect = 16
    /// The name of the `sign_out` mode, to show to the user.
    case signOutMode = 17
    /// 1: the session must not receive the refresh token.
    case withholdRefreshToken = 18
    /// The configured lifetime of refresh tokens in seconds. Cognito does not report this lifetime.
    case refreshTokenValidity = 19
    /// A `PromptStyle`.
    case promptStyle = 20
    /// Text to show to the user.
    case text = 21
    /// The user's answer.
    case answer = 22
    /// The name of a Cognito group, for example from the `cognito:groups` claim.
    case group = 23
    /// The time when the access token or the ID token expires, whichever is earlier, in seconds since the epoch.
    case accessTokenExpiry = 24
    /// A `FailureReason`.
    case reason = 25
    /// A line for the log, without secrets.
    case logText = 26
    /// A `SignOutOutcome`. After a password change: the result of revoking the tokens that were used in this step. If
    /// the field is missing, the tokens from this step are still valid.
    case outcome = 27
    /// A `PreferredFactor`. If the field is missing, the user chooses the first factor.
    case preferredFactor = 28
    /// 1: the user may type a code after the password, at the same prompt.
    case combinedCode = 29
    /// The address or host name of the user's client (PAM_RHOST). The worker uses only addresses and ignores host
    /// names.
    case clientAddress = 30
    /// PAM_SERVICE. In a message that starts a step, the field is present only if `send_client_metadata` is `yes`.
    case serviceName = 31
    /// A device that the pool remembers, in a format that only the worker reads. An empty value in `keep` deletes the
    /// previous device.
    case device = 32
    /// 1: register this machine as one of the user's devices, if the pool tracks devices.
    case rememberDevice = 33
    /// A `Persistence`, which defines how long a `signOut` is retried. The default is `patient`.
    case persistence = 34
    /// 1: also check the tokens with Cognito.
    case online = 40
    /// 1: expired tokens are treated as invalid.
    case unexpired = 41
    /// The time of the user's last authentication (`auth_time`), in seconds since the epoch.
    case authenticatedAt = 42
    /// The results of `probe`, or a session in the pool's list. Only the worker, the doctor and cognito-session
    /// interpret this JSON object.
    case report = 43
    /// The language tag for text shown to the user: `en` or `es`. The default is English.
    case language = 44
    /// 1: also translate the prompts that some programs recognize by their English text.
    case translatesPrompts = 45

    /// The access keys of the machine's IAM identity, in the format of an AWS CLI credentials file.
    case credentials = 46
    /// 1: get the access keys of the machine's IAM identity from the instance metadata.
    case instanceMetadata = 47
    // 48 and 49 were used before version 0.1.0.
    /// 1: asks a peer of version 0.1.0 to include `reach` and `shortfall` in its reply. Newer versions always send both
    /// fields.
    case tellsReach = 50
    /// A `Reach`, which shows the sessions that a sign-out has ended.
    case reach = 51
    /// A `Shortfall`, which explains why some of the requested sessions were not ended.
    case shortfall = 52

    /// 1: Cognito reports that the tokens were revoked. If a user has too many sessions, a pool that tracks sessions
    /// revokes the tokens of the least recently used session.
    case revoked = 58
    /// 1: Cognito reports that the refresh token has expired.
    case ranOut = 61
    /// 1: if the renewal exceeds its time limit, the worker sends `late`, and the root side waits for the result.
    case takesLateAnswer = 53
    /// In a message that starts a step: selects a session by its time of last use, in seconds since the epoch; 0
    /// selects the session to which the tokens belong. In a reply: the session's position among the user's sessions,
    /// where 1 is the least recently used; 0 if the pool does not track sessions.
    case sessionPlace = 59

    /// The id of a session in the pool's list. In a message that starts a step: the session to end. In a reply: the
    /// session to which the tokens belong.
    case poolSession = 60
    /// The name of the credentials in the configuration (`aws_credentials`).
    case credentialName = 54
    /// Credentials, in the format that the requesting program reads. Only the worker and cognito-session interpret the
    /// credentials.
    case credential = 55
    /// The time when the credentials expire, in seconds since the epoch.
    case credentialExpiry = 56
    /// The user's id in the identity pool (IdentityId). In a message that starts a step: the id from an earlier
    /// `credentialMade`.
    case identityID = 57

    /// The session's PAM_SERVICE, for the User-Agent header. The service and this machine's name help users recognize
    /// their sessions in Cognito's list.
    case requestingService = 62
    /// The configuration options for the worker, one `name=value` per line, as in `WorkerSettings`.
    case options = 63

    // Between the agent and its clients.

    /// The serial number of a token key, an inbox or a registry entry. The value is 0 if the request is not about one
    /// particular session.
    case key = 64
    /// The number of seconds for which the access token must remain valid.
    case minimumLife = 65
    /// A `RenewalOutcome`.
    case renewalOutcome = 66
    /// An `AgentRefusal`.
    case refusal = 67
    /// The number of seconds since the user signed in.
    case signedInAgo = 68
    /// The number of seconds since the tokens were last renewed.
    case renewedAgo = 69
    /// The time when the refresh token expires, in seconds since the epoch.
    case refreshTokenExpiry = 70
    /// The process id of the session's PAM application.
    case hostProcess = 71
    /// The time of the client's request in milliseconds (CLOCK_BOOTTIME).
    case askedAt = 72
    /// The user id for which polkit's helper (running as root) sends the request.
    case requester = 73
    /// A `HandedToken`.
    case tokenKind = 76
    /// A `HandOutUse`.
    case handOutUse = 77
    /// The serial number of an inbox, in requests that have the serial number of a token key in the `key` field.
    case inbox = 78
    /// The session secret, which only programs in the session know. For sessions without a secret, the
    /// `sessionProof` function computes the value.
    case proof = 79
    /// 1: use the credentials of another session that has the same tokens.
    case sharesCredentials = 80
    /// An export in the format of systemd-creds(1), sealed to this machine and one user. The export can be used once to
    /// import a session's tokens.
    case sealed = 81
    /// The lifetime of the export in seconds.
    case exportLife = 82
    /// A `RegisteredStatus`.
    case registeredStatus = 84
    /// The number of failed attempts to end the session.
    case attempts = 85
    /// The number of seconds until the next attempt to end the session; 0 means the next cleanup run.
    case nextAttemptIn = 86
    /// The session's PAM_TTY.
    case terminal = 87
    /// The number of the user's sessions on this machine that were ended.
    case sessionCount = 88
    /// The number of the user's sessions on this machine that were not ended.
    case sessionsLeft = 89

    // About the people of a group.

    /// `sub`: the user's id in the pool, which is never assigned to another user.
    case subject = 91
    /// 1: the user is enabled and can sign in to Cognito.
    case isEnabled = 92
    /// The user's e-mail address, if the address is verified in the pool.
    case emailAddress = 93
    /// The user's full name (`name`).
    case realName = 94
    /// The value of the attribute that `publicKeyAttribute` specifies.
    case publicKeys = 95
    /// The value of the attribute that `uidAttribute` specifies.
    case uidClaim = 96
    /// NextToken, the position at which the list continues.
    case nextToken = 97
    /// The name of the attribute that contains the users' public ssh keys.
    case publicKeyAttribute = 98
    /// The name of the attribute that contains the users' Unix user ids.
    case uidAttribute = 99
    /// The time when the user was created in the pool (UserCreateDate), in seconds since the epoch.
    case createdAt = 100

    // How strongly a person has proved who they are.

    /// An accepted authentication level. Several levels are listed in order of preference (the Cognito parameter
    /// TARGET_ACR_VALUES).
    case requiredACR = 101
    /// The maximum number of seconds since the user authenticated at an accepted level (the Cognito parameter MAX_AGE).
    case maxAge = 102
    /// The authentication level (`acr`).
    case acr = 103
    /// A method with which the user has authenticated (an element of `amr`).
    case amr = 104

    // What an answer came to.

    /// 1: the worker must send the `judgement` field, because the root side counts wrong answers.
    case tellsJudgement = 110
    /// An `AnswerJudgement`.
    case judgement = 111
    /// 1: this prompt asks for a code that Cognito has just sent to the user, or may have sent (CUSTOM_CHALLENGE).
    case codeSent = 112
    /// 1: `keySet` comes from the administrator (key_set_file), and the worker does not download a key set.
    case fixedKeySet = 113
    /// 1: after the sign-out, the worker keeps the connection to Cognito open and waits for another `signOut`.
    case keepsConnection = 114

    /// How many bytes a value may have.
    package var lengths: ClosedRange<Int> {
        switch self {
        case .timeLimit, .connectTimeLimit, .refreshTokenValidity, .accessTokenExpiry, .key, .minimumLife, .signedInAgo,
            .renewedAgo, .refreshTokenExpiry, .hostProcess, .askedAt, .authenticatedAt, .attempts, .nextAttemptIn,
            .sessionCount, .sessionsLeft, .sessionPlace, .createdAt, .credentialExpiry, .inbox, .maxAge, .exportLife,
            .requester:
            8...8
        case .identityRule, .flow, .revocation, .preconnect, .withholdRefreshToken, .promptStyle, .reason, .outcome,
            .preferredFactor, .combinedCode, .rememberDevice, .persistence, .instanceMetadata, .renewalOutcome,
            .refusal, .online, .sharesCredentials, .tellsReach, .reach, .shortfall, .takesLateAnswer, .revoked,
            .ranOut, .unexpired, .tellsJudgement, .judgement, .codeSent, .fixedKeySet, .translatesPrompts, .tokenKind,
            .handOutUse, .registeredStatus, .isEnabled, .keepsConnection:
            1...1
        case .userPoolID, .clientID, .clientSecret, .userName, .loginName, .signOutMode, .clientAddress, .serviceName,
            .terminal, .requestingService, .subject, .emailAddress, .realName:
            1...256
        case .poolSession, .requiredACR, .acr, .amr, .credentialName: 1...64
        case .publicKeyAttribute, .uidAttribute, .uidClaim: 1...32
        case .language: 2...8
        case .identityID: 1...128
        case .endpoint, .caFile, .logText, .group, .answer: 0...4096
        case .device: 0...1024
        case .publicKeys: 1...8192
        case .sealed: 1...7168
        // A QR code in block characters takes 4 to 9 kB.
        case .text, .report, .options: 0...16_384
        case .credentials: 1...16_384
        case .nextToken: 1...32_767
        case .keySet, .bundle, .sessionBundle, .credential: 0...32_767
        case .proof: secretLength...foldedLength
        }
    }
}

/// How the token's user is recognised as the account being logged in.
package enum IdentityRule: UInt8, Sendable {
    /// `cognito:username` equals PAM_USER byte for byte.
    case userName = 1
    /// The verified `email` equals the login name. The comparison is case-sensitive, except in the domain.
    case verifiedEmail = 2
    /// At sign-in, the user comes from the provider that `identity_provider` specifies, and the claim that
    /// `identity_claim` specifies equals the login name. After the sign-in, the user name in the pool must not change.
    case federated = 3
}

/// How to authenticate; the names are those of the API's AuthFlow.
package enum AuthenticationFlow: UInt8, Sendable {
    /// USER_SRP_AUTH: the password is never sent.
    case secureRemotePassword = 1
    /// USER_PASSWORD_AUTH: the password is sent over TLS.
    case password = 2
    /// USER_AUTH: the user chooses the first challenge, unless `preferredFactor` is present.
    case choice = 3
    /// CUSTOM_AUTH.
    case custom = 4
    /// CUSTOM_AUTH, after the password has been verified with SRP.
    case customAfterProof = 5
    /// USER_AUTH with the session's access token, which `bundle` contains. Cognito requests only the factor that is
    /// still missing for the required authentication level, never the password.
    case stepUp = 6
}

/// What USER_AUTH begins with; the names are those of the API's PREFERRED_CHALLENGE.
package enum PreferredFactor: UInt8, Sendable {
    /// PASSWORD_SRP.
    case proof = 1
    /// PASSWORD.
    case password = 2
    /// EMAIL_OTP.
    case emailCode = 3
    /// SMS_OTP.
    case messageCode = 4
}

/// How far a step goes ahead of the person, who is typing the password.
package enum Preconnection: UInt8, Sendable {
    /// The worker sends nothing before the user answers.
    case nothing = 0
    /// The worker opens the connection to Cognito.
    case connect = 1
    /// With SRP, the worker also sends the first request (InitiateAuth with SRP_A), which does not need the password.
    /// The worker does not report the result of this request. Older workers send nothing before the user answers.
    case begin = 2
}

/// How a question is put.
package enum PromptStyle: UInt8, Sendable {
    /// The account's password, which the PAM application may already have (pam_get_authtok(3)).
    case password = 1
    /// Input without echo.
    case hidden = 2
    /// Input with echo.
    case visible = 3
    /// The new password, without echo. Older peers treat `newPassword` and `currentPassword` as `hidden`.
    case newPassword = 4
    /// The password to be replaced, without echo.
    case currentPassword = 5
}

/// What Cognito has said of the user's answers since the last prompt.
package enum AnswerJudgement: UInt8, Sendable {
    /// Cognito accepted the answer, or the refused answer was a new password or an attribute value.
    case notWrong = 0
    /// Cognito refused an answer.
    case wrong = 1
    /// The pool sends its next challenge (CUSTOM_CHALLENGE). Only the end of the sign-in shows whether the answer was
    /// correct.
    case undecided = 2
    /// Cognito has not checked any answer, because none was sent or Cognito throttled the request.
    case notSent = 3
}

/// How far a sign-out reaches.
package enum Revocation: UInt8, Sendable {
    /// GlobalSignOut: all sessions of the user, on all machines and in all applications.
    case global = 1
    /// RevokeToken: this session's refresh token and the tokens issued with it.
    case session = 2
    /// RevokeToken for each of the user's sessions on this machine. This value is sent only to the agent.
    case machine = 3
}

/// How long a sign-out is tried while Cognito cannot be reached.
package enum Persistence: UInt8, Sendable {
    /// Retry until the time limit is reached, and report a failure only then.
    case patient = 0
    /// Try once, because the caller repeats the request.
    case once = 1
    /// Retry until the time limit is reached. Report the first failure immediately, and do not
    /// report later failures.
    case unattended = 2
}

/// What became of a sign-out; how far it has reached is told beside it, see `SignOutResult`.
package enum SignOutOutcome: UInt8, Sendable {
    /// Cognito confirmed the sign-out.
    case revoked = 1
    /// Cognito had already revoked the tokens, or the user no longer exists.
    case alreadyRevoked = 2
    /// All tokens have expired.
    case expired = 3
    /// The app client does not allow RevokeToken. The refresh token stays valid until it expires.
    case notSupported = 4
}

/// Why a step failed. A closed set: each has exactly one PAM return value (`Sessions`).
package enum FailureReason: UInt8, Sendable, CaseIterable {
    /// The user name, password or code is wrong.
    case refused = 1
    /// After too many attempts, Cognito refuses all answers for a few minutes.
    case lockedOut = 2
    /// The user is disabled in the pool.
    case disabled = 3
    /// The user was never confirmed in the pool.
    case notConfirmed = 4
    /// The user's password must be changed first, for example after a reset.
    case passwordChangeNeeded = 5
    /// Cognito sent a challenge that pam-cognito does not support.
    case challengeNotSupported = 6
    /// A rule of the pool, such as a Lambda trigger or the firewall, refused the request.
    case refusedByPool = 7
    /// The tokens are valid but belong to another user.
    case otherIdentity = 8
    /// The tokens could not be verified.
    case invalidTokens = 9
    /// The connection failed, or no response arrived in time.
    case unreachable = 10
    /// Cognito is throttling requests.
    case throttled = 11
    /// Cognito failed or sent an invalid response.
    case serviceFault = 12
    /// The configuration (for example, the client id, secret or flow) does not match the pool.
    case configuration = 13
    /// A fault on this machine.
    case internalFault = 14
    /// The tokens that were to be renewed or revoked are no longer valid.
    case sessionEnded = 15
    /// No acceptable new password was entered.
    case noNewPassword = 16
    /// Cognito no longer accepts the access token, for example because the token has expired. A renewal shows whether
    /// the session has ended.
    case accessTokenExpired = 17
    /// Cognito has replaced the refresh token, but the new refresh token did not reach this machine. The access token
    /// stays valid until it expires.
    case renewalLost = 18
    /// The pool does not track sessions, the group does not exist, or the session is not in the list.
    case notListed = 19
    /// AWS refuses to issue these credentials to the user.
    case credentialRefused = 20
    /// Cognito did not offer the user a sign-in with the required authentication level, or the sign-in reached a
    /// different level.
    case levelNotReached = 21
    /// Cognito does not support this operation in this Region or for this pool. A secondary replica supports neither
    /// TOTP nor password resets.
    case operationNotEnabled = 22
    /// The sign-in through managed login, or the code from the browser, did not result in valid tokens.
    case managedLogin = 23
}

/// Which token a program was given.
package enum HandedToken: UInt8, Sendable {
    /// The access token.
    case access = 1
    /// The ID token.
    case identity = 2
}

/// How a program was given a token.
package enum HandOutUse: UInt8, Sendable {
    /// The token was printed to a pipe or a file.
    case printed = 1
    /// The token was passed to a command on a file descriptor or in the environment.
    case command = 2
    /// The token was passed to kubectl by the exec plugin.
    case kubectl = 3
    /// The token was passed to git by the credential helper.
    case git = 4
    /// The token was passed to docker by the credential helper.
    case docker = 5
}

/// What became of a request to renew.
package enum RenewalOutcome: UInt8, Sendable {
    /// Cognito issued new tokens, which are in the session's key.
    case renewed = 1
    /// The tokens were still valid for long enough, or another process had already renewed them. No request was sent to
    /// Cognito.
    case fresh = 2
}

/// Why the agent did not do what it was asked for. A closed set, for programs to go by.
package enum AgentRefusal: UInt8, Sendable, CaseIterable {
    /// The caller has no session with this key.
    case noSession = 1
    /// Cognito no longer accepts the session's tokens. The tokens were removed from this machine.
    case endedElsewhere = 2
    /// Cognito could not be reached. The tokens are unchanged.
    case unreachable = 3
    /// Cognito is throttling requests. The tokens are unchanged.
    case throttled = 4
    /// Cognito failed or sent an invalid response. The tokens are unchanged.
    case serviceFault = 5
    /// A mistake in the configuration, which the administrator must fix.
    case configuration = 6
    /// A fault on this machine, which the administrator must fix.
    case internalFault = 7
    /// The user has sent too many requests, or another request for the session is taking too long.
    case busy = 8
    /// The request is invalid.
    case malformed = 9
    /// The sign-in failed.
    case notSignedIn = 10
    /// The account is not managed, or pam-cognito is switched off on this machine.
    case notCovered = 11
    /// The session has no inbox, or the client did not take the key from the inbox.
    case noInbox = 12
    /// The session's tokens could not be verified.
    case invalidTokens = 13
    /// The forgotten password was not reset. If the user may know the reason, it was shown earlier.
    case notRecovered = 14
    /// A rule or the configuration does not permit the caller to send this request.
    case notPermitted = 15
    /// The session can no longer be renewed, because the newest refresh token was lost. The tokens are unchanged.
    case renewalLost = 16
    /// The pool has no list of sessions, or the session is not in the list.
    case notListed = 17
    /// AWS refuses to issue these credentials to the user.
    case credentialRefused = 18
    /// The configuration has no credentials with this name.
    case noSuchCredential = 19
    /// No other session of the caller is waiting for tokens.
    case noReceiver = 20
    /// None of the sessions that are waiting for tokens shows this code.
    case wrongCode = 21
    /// The tokens were not shared. The code was not entered in time, a session has ended, or the receiving session did
    /// not take the tokens.
    case notHandedOver = 22
    /// The session's tokens are locked until the user authenticates.
    case locked = 23
    /// The export is damaged, or was not sealed on this machine for this user.
    case notTheirs = 24
    /// The export was already used or has expired, or the session that created the export has ended.
    case usedUp = 25
    /// This machine cannot seal exports.
    case cannotSeal = 26
    /// The client did not prove that it belongs to the session.
    case notInSession = 27
}
