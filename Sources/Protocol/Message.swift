/// The messages. The root side's are even, the worker's odd: neither can be taken for the other. From 64 on are those
/// of `cognito-agent` and its clients, where the client's are even and the agent's odd; `ask` and `answer` are the same
/// there.
package enum MessageKind: UInt8, Sendable {
    // From the root side: first one step, then answers.

    /// Step: ask for the password and for everything else that the pool requires, until there are tokens.
    case signIn = 2
    /// Step: new tokens for `bundle`.
    case renew = 4
    /// Step: revoke what is in `bundle`.
    case signOut = 6
    /// What the user answered to the last `ask`; to a worker with the app client's secret as it is now.
    case answer = 8
    /// The tokens are in the registry, and the root side revokes them from now on. A worker that does not get this
    /// message revokes them.
    case registered = 10
    /// Step: authenticate the user, then set a new password.
    case changePassword = 12
    /// Step: set a new password with a code that Cognito sends.
    case forgotPassword = 14
    /// Step: check whether the tokens in `bundle` are valid; with `online`, also at Cognito.
    case check = 18
    /// Step: examine the way from this machine to Cognito.
    case probe = 20
    /// Step: sign a user out everywhere with the machine's IAM identity (AdminUserGlobalSignOut).
    case adminSignOut = 22
    /// Step: list the user's sessions from the pool's list; with `poolSession`, end that session.
    case poolSessions = 24
    /// Step: list the users of `group`, page by page, with the machine's IAM identity (ListUsersInGroup).
    case listPeople = 26
    /// Step: make credentials of another system from the ID token in `bundle`.
    case makeCredential = 28

    // From the worker.

    /// A prompt for the user. The agent also sends it.
    case ask = 1
    /// Something to keep for the next time: the pool's key set, or this machine as the user's device.
    case keep = 3
    /// The tokens of a sign-in.
    case signedIn = 5
    /// The tokens of a renewal.
    case renewed = 7
    /// The result of a sign-out.
    case signedOut = 9
    /// The step failed.
    case failed = 11
    /// The new password is set.
    case passwordChanged = 13
    /// The time for the network has passed, but new tokens may still come; the result follows.
    case late = 15
    /// A user of the group.
    case person = 17
    /// The tokens are valid.
    case checked = 19
    /// The result of the examination.
    case probed = 21
    /// The sessions of the list; none if one was ended.
    case poolSessionList = 23
    /// All users of a page were sent, and there is another page.
    case page = 25
    /// All users of the group were sent.
    case listed = 27
    /// The credentials that were made.
    case credentialMade = 29
    /// Why Cognito refused something. It is for the log only, when it happens; the user does not see it.
    case withheld = 31

    // From a client of the agent: first one request, then answers.

    /// Request: put tokens that are valid for `minimumLife` into the session's key.
    case renewRequest = 66
    /// Request: end the session, or more.
    case signOutRequest = 68
    /// Request: sign the caller in; `key` is the inbox, see below.
    case signInRequest = 70
    /// The token key is in the session.
    case taken = 72
    /// Request: check whether the session's tokens are valid.
    case checkRequest = 80
    /// Request: set a new password for an account, with a code.
    case recoverRequest = 74
    /// Request: authenticate the user of that account, for a screen lock or for a program of an account that may ask.
    case unlockRequest = 76
    /// Notice: a token of the session was given to a program.
    case handOut = 82
    /// Request of root: list the registry.
    case registryRequest = 84
    /// Request: list the caller's sessions from the pool's list; with `poolSession`, end that session.
    case poolSessionsRequest = 86
    /// Request: put credentials of another system into the session's keyring. They come through an inbox, like tokens.
    case credentialRequest = 88
    /// Request: get the tokens of another session of the caller. `key` is the inbox; the client shows a code.
    case attachRequest = 90
    /// Request: share the session's tokens with another session of the caller, which shows a code.
    case giveRequest = 92

    /// Request: lock the session's tokens, so that its processes cannot read them.
    case lockRequest = 94
    /// Request: keep tokens for a job while the session's are locked. They come through an inbox.
    case keepRequest = 96
    /// Request: make a sealed export, with which another session of the same user can get the tokens once.
    case exportRequest = 98
    /// Request: get the tokens of a sealed export. `key` is the inbox.
    case importRequest = 100
    /// Notice of root: a user has signed in, and no session has begun yet. `key` is the registry's entry.
    case watchRequest = 102
    /// Request of root, for a set-uid program: ask Cognito about a session that is to replace a sign-in. Its tokens are
    /// renewed first if they have expired. `key` is the registry's entry.
    case openingRequest = 104
    /// Request of root: end a session that its PAM application has closed. The listening agent answers immediately, and
    /// ends the session together with others. `key` is the registry's entry.
    case endingRequest = 106

    // From the agent.

    /// The request was refused or failed.
    case refused = 65
    /// The result of a renewal.
    case renewal = 69
    /// The result of a sign-out.
    case ending = 71
    /// A text for the user, without an answer.
    case show = 73
    /// The token key is in the inbox.
    case inInbox = 75
    /// The request was completed.
    case complete = 77
    /// The tokens are valid.
    case tokensValid = 81
    /// A session of the registry.
    case registeredSession = 85
    /// The sessions of the pool's list; none if one was ended.
    case poolSessionsFound = 87
    /// The credentials are in the session already, from another request.
    case credential = 89
    /// The sealed export.
    case exported = 91
    /// What the tokens of the session say; with `reason`, why the session does not replace a sign-in.
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
    /// `https://host[:port]` that replaces the pool's own endpoint; or several, separated by blanks. The next one is
    /// used if no byte could be sent to the one before.
    case endpoint = 4
    /// A file of CA certificates (PEM) to trust instead of the system's.
    case caFile = 5
    /// The account being logged in (PAM_USER), exact bytes.
    case userName = 6
    /// The name or alias sent to Cognito as USERNAME.
    case loginName = 7
    /// An `IdentityRule`: which claim must equal what.
    case identityRule = 8
    /// An `AuthenticationFlow`.
    case flow = 9
    /// The time for the network in this step, in milliseconds; the time that the user needs does not count.
    case timeLimit = 10
    /// Time for one connection, in milliseconds.
    case connectTimeLimit = 11
    /// The pool's key set (RFC 7517 JSON), as kept before.
    case keySet = 12
    /// The session's token set: a JSON object that only the worker and the tool understand.
    case bundle = 13
    /// The token set that the session may see, if it is not the whole one.
    case sessionBundle = 14
    /// What a `signOut` revokes: a `Revocation`.
    case revocation = 15
    /// A `Preconnection`: what is done while the user types.
    case preconnect = 16
    /// The name of the `sign_out` mode, to show to the user.
    case signOutMode = 17
    /// 1: the refresh token does not go into the session's token set.
    case withholdRefreshToken = 18
    /// How long refresh tokens live, in seconds; Cognito does not say.
    case refreshTokenValidity = 19
    /// A `PromptStyle`.
    case promptStyle = 20
    /// Text for the user.
    case text = 21
    /// The user's answer.
    case answer = 22
    /// A member of `cognito:groups`.
    case group = 23
    /// When the access token expires, or the ID token if that expires earlier, in seconds since the epoch.
    case accessTokenExpiry = 24
    /// A `FailureReason`.
    case reason = 25
    /// One line for the log, without secrets.
    case logText = 26
    /// A `SignOutOutcome`; after a password change, that of its own tokens. Without it, they are still valid.
    case outcome = 27
    /// A `PreferredFactor`; without it, the user chooses.
    case preferredFactor = 28
    /// 1: a code may follow the password directly.
    case combinedCode = 29
    /// The user's client (PAM_RHOST): an address, or a name, which is not used.
    case clientAddress = 30
    /// PAM_SERVICE, if the pool's triggers are to get it together with this machine's name.
    case serviceName = 31
    /// A device that the pool remembers, in a form that only the worker understands. Empty in `keep`: forget the one
    /// before.
    case device = 32
    /// 1: this machine becomes a device of the user, if the pool tracks devices.
    case rememberDevice = 33
    /// How long a `signOut` is tried: a `Persistence`. Without it: `patient`.
    case persistence = 34
    /// 1: also ask Cognito.
    case online = 40
    /// 1: expired tokens are also invalid.
    case unexpired = 41
    /// When the user last authenticated (`auth_time`), in seconds since the epoch.
    case authenticatedAt = 42
    /// The result of an examination, or a session of the pool's list: a JSON object that only the worker, the doctor
    /// and the tool understand.
    case report = 43
    /// The language of texts for the user: a `Language`'s tag. Without it: English.
    case language = 44
    /// 1: translate also the prompts that programs look for.
    case translatesPrompts = 45

    /// The keys of the machine's IAM identity: a file in the format of the AWS CLI.
    case credentials = 46
    /// 1: get the keys of that identity from the instance's metadata.
    case instanceMetadata = 47
    // 48 and 49 were used before version 0.1.0.
    /// 1: the answer of version 0.1.0 has `reach` and `shortfall`. Newer ones always have them.
    case tellsReach = 50
    /// A `Reach`: which sessions a sign-out has ended.
    case reach = 51
    /// A `Shortfall`: why it has not ended more.
    case shortfall = 52

    /// 1: Cognito says that the tokens were revoked. A pool that tracks sessions also does that to the session that was
    /// not used for the longest time, if the user has too many.
    case revoked = 58
    /// 1: Cognito says that the refresh token has expired.
    case ranOut = 61
    /// 1: the peer accepts a renewal that comes too late, and waits for what follows `late`.
    case takesLateAnswer = 53
    /// In a step: when the session was last used, in seconds since the epoch; 0: the session of these tokens. In an
    /// answer: 0, the pool does not track sessions; otherwise one more than the number of the user's sessions that were
    /// used before that.
    case sessionPlace = 59

    /// The id of a session in the pool's list. In a step: the session to end; in an answer: the session that asks.
    case poolSession = 60
    /// The name that the configuration has for credentials (`aws_credentials`).
    case credentialName = 54
    /// Credentials, in the form that the program reads; only the worker and the tool understand them.
    case credential = 55
    /// When the credentials expire, in seconds since the epoch.
    case credentialExpiry = 56
    /// The user's id in the identity pool (IdentityId), as kept before.
    case identityID = 57

    /// PAM_SERVICE of the session, for the User-Agent. With it and this machine's name, users recognize their sessions
    /// in Cognito's list.
    case requestingService = 62
    /// The options of the configuration that the worker obeys: `name=value`, a line each, as `WorkerSettings` reads
    /// them.
    case options = 63

    // Between the agent and its clients.

    /// The serial number of a key: a session's token key, or an inbox. 0 in a request that is not about one session.
    case key = 64
    /// For how many seconds the access token must still be valid.
    case minimumLife = 65
    /// A `RenewalOutcome`.
    case renewalOutcome = 66
    /// An `AgentRefusal`.
    case refusal = 67
    /// How many seconds ago the user signed in.
    case signedInAgo = 68
    /// How many seconds ago the tokens were last renewed.
    case renewedAgo = 69
    /// When the refresh token expires, in seconds since the epoch.
    case refreshTokenExpiry = 70
    /// The process of the session's PAM application.
    case hostProcess = 71
    /// When a client asked (CLOCK_BOOTTIME, milliseconds).
    case askedAt = 72
    /// The user id for which polkit's helper, which is root's, asks.
    case requester = 73
    /// A `HandedToken`.
    case tokenKind = 76
    /// A `HandOutUse`.
    case handOutUse = 77
    /// The serial number of an inbox, in a request whose `key` is a token key.
    case inbox = 78
    /// What only programs of a session know: its secret. If it has none, see `sessionProof`.
    case proof = 79
    /// 1: take the credentials of another session with the same tokens.
    case sharesCredentials = 80
    /// An export that is sealed to this machine and a user, with which a session's tokens can be imported once, as
    /// systemd-creds(1) prints it.
    case sealed = 81
    /// For how many seconds the export is valid.
    case exportLife = 82
    /// A `RegisteredStatus`.
    case registeredStatus = 84
    /// How many attempts to end the session have failed.
    case attempts = 85
    /// In how many seconds it is tried again; 0: in the next cleanup run.
    case nextAttemptIn = 86
    /// PAM_TTY.
    case terminal = 87
    /// How many sessions of the user were ended on this machine.
    case sessionCount = 88
    /// How many were not.
    case sessionsLeft = 89

    // About the people of a group.

    /// `sub`: the user's id in the pool, which no other user ever gets.
    case subject = 91
    /// 1: Cognito would admit the user.
    case isEnabled = 92
    /// The user's e-mail address, if Cognito has verified it.
    case emailAddress = 93
    /// The user's full name (`name`).
    case realName = 94
    /// The value of the attribute that `publicKeyAttribute` names.
    case publicKeys = 95
    /// The value of the attribute that `uidAttribute` names.
    case uidClaim = 96
    /// NextToken: where the list continues.
    case nextToken = 97
    /// The attribute with users' public ssh keys.
    case publicKeyAttribute = 98
    /// The attribute with users' user ids.
    case uidAttribute = 99
    /// When the user was created in the pool (UserCreateDate), in seconds since the epoch.
    case createdAt = 100

    // How strongly a person has proved who they are.

    /// An accepted level, in the order of preference (TARGET_ACR_VALUES).
    case requiredACR = 101
    /// For how many seconds a sign-in's level counts (MAX_AGE).
    case maxAge = 102
    /// The level that was reached (`acr`).
    case acr = 103
    /// A method with which the user has authenticated (a member of `amr`).
    case amr = 104

    // What an answer came to.

    /// 1: the root side counts answers, and needs the result of each.
    case tellsJudgement = 110
    /// An `AnswerJudgement`.
    case judgement = 111
    /// 1: Cognito has just sent the user a code, or may have (CUSTOM_CHALLENGE), which this prompt asks for.
    case codeSent = 112
    /// 1: `keySet` is the administrator's (key_set_file), and none is fetched.
    case fixedKeySet = 113
    /// 1: the worker keeps its connection after the sign-out, and waits for another `signOut`.
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
    /// The verified `email` equals the login name byte for byte.
    case verifiedEmail = 2
    /// At the sign-in, `identity_claim` of a user of `identity_provider` equals the login name; later, the pool's user
    /// name is the same.
    case federated = 3
}

/// How to authenticate; the names are those of the API's AuthFlow.
package enum AuthenticationFlow: UInt8, Sendable {
    /// USER_SRP_AUTH: the password never leaves the machine.
    case secureRemotePassword = 1
    /// USER_PASSWORD_AUTH: the password is sent, under TLS.
    case password = 2
    /// USER_AUTH: the user chooses, unless a challenge is preferred.
    case choice = 3
    /// CUSTOM_AUTH.
    case custom = 4
    /// CUSTOM_AUTH after a proof of the password.
    case customAfterProof = 5
    /// USER_AUTH with the access token of the session in `bundle`. It asks only for the factor that a level lacks,
    /// never for a password.
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
    /// Nothing is sent before the answer.
    case nothing = 0
    /// The connection is opened.
    case connect = 1
    /// If the flow proves the password (SRP), the proof also begins (InitiateAuth with SRP_A), which needs no password.
    /// Its result is not reported. Older workers do nothing.
    case begin = 2
}

/// How a question is put.
package enum PromptStyle: UInt8, Sendable {
    /// The account's password. The PAM application may have it already (pam_get_authtok(3)).
    case password = 1
    /// Without echo.
    case hidden = 2
    /// With echo.
    case visible = 3
    /// Without echo: the new password. An older side treats it, like the next one, as `hidden`.
    case newPassword = 4
    /// Without echo: the password that is to be replaced.
    case currentPassword = 5
}

/// What Cognito has said of the user's answers since the last prompt.
package enum AnswerJudgement: UInt8, Sendable {
    /// No answer was wrong: Cognito accepted one, and checked no other.
    case notWrong = 0
    /// Cognito refused an answer.
    case wrong = 1
    /// The pool asks its next question (CUSTOM_CHALLENGE): only the end shows whether the answer was right.
    case undecided = 2
    /// Cognito has checked no answer: none was sent, or it throttled.
    case notSent = 3
}

/// How far a sign-out reaches.
package enum Revocation: UInt8, Sendable {
    /// GlobalSignOut: every session of the user, everywhere.
    case global = 1
    /// RevokeToken: this session's refresh token, and the tokens made from it.
    case session = 2
    /// RevokeToken for every session of the user on this machine. Only the agent gets this.
    case machine = 3
}

/// How long a sign-out is tried while Cognito cannot be reached.
package enum Persistence: UInt8, Sendable {
    /// Until the time has passed. A failure is reported then.
    case patient = 0
    /// Once, because the caller repeats the request.
    case once = 1
    /// Until the time has passed. The first failure is reported immediately, and nothing after it.
    case unattended = 2
}

/// What became of a sign-out; how far it has reached is told beside it, see `SignOutResult`.
package enum SignOutOutcome: UInt8, Sendable {
    /// Cognito has confirmed.
    case revoked = 1
    /// Cognito had revoked them before, or the user is gone.
    case alreadyRevoked = 2
    /// Every token has expired.
    case expired = 3
    /// The app client does not allow RevokeToken: the refresh token is valid until it expires.
    case notSupported = 4
}

/// Why a step failed. A closed set: each has exactly one PAM return value (`LoginHooks`).
package enum FailureReason: UInt8, Sendable, CaseIterable {
    /// Wrong name or password.
    case refused = 1
    /// Too many attempts: Cognito refuses every answer for some minutes.
    case lockedOut = 2
    /// The account is disabled.
    case disabled = 3
    /// The account was never confirmed.
    case notConfirmed = 4
    /// The password must be changed or was reset before anything else.
    case passwordChangeNeeded = 5
    /// Cognito asks for something that pam-cognito cannot answer.
    case challengeNotSupported = 6
    /// A rule of the pool (a Lambda trigger, the firewall) refused.
    case refusedByPool = 7
    /// The tokens are valid, and belong to another user.
    case otherIdentity = 8
    /// The tokens could not be verified.
    case invalidTokens = 9
    /// No connection, or no answer in time.
    case unreachable = 10
    /// Too many requests.
    case throttled = 11
    /// Cognito failed, or gave an invalid answer.
    case serviceFault = 12
    /// The configuration does not fit the pool: client id, secret, flow.
    case configuration = 13
    /// A fault on this machine.
    case internalFault = 14
    /// The tokens to renew or revoke are no longer valid.
    case sessionEnded = 15
    /// No acceptable new password was entered.
    case noNewPassword = 16
    /// Cognito no longer accepts the access token, for example because it has expired. A renewal shows whether the
    /// session has ended.
    case accessTokenExpired = 17
    /// Cognito has exchanged the refresh token for a newer one that never arrived. The access token is valid until it
    /// expires.
    case renewalLost = 18
    /// The pool keeps no such list of sessions or of a group, or the session is not in it.
    case notListed = 19
    /// AWS refuses these credentials to the user.
    case credentialRefused = 20
    /// Cognito does not ask for the required level, or not this user, or the result was another level.
    case levelNotReached = 21
    /// Cognito does not support this in this Region or for this pool. A secondary replica has no TOTP, and resets no
    /// passwords.
    case operationNotEnabled = 22
    /// Managed login, or the code from the browser, led to no valid tokens.
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
    /// Printed to a pipe or a file.
    case printed = 1
    /// In a descriptor or the environment of a command.
    case command = 2
    /// As kubectl's exec plugin.
    case kubectl = 3
    /// As git's credential helper.
    case git = 4
    /// As docker's credential helper.
    case docker = 5
}

/// What became of a request to renew.
package enum RenewalOutcome: UInt8, Sendable {
    /// Cognito gave new tokens. They are in the session's key.
    case renewed = 1
    /// The tokens were valid for long enough, or another process has renewed them in the meantime. No request was
    /// sent to Cognito.
    case fresh = 2
}

/// Why the agent did not do what it was asked for. A closed set, for programs to go by.
package enum AgentRefusal: UInt8, Sendable, CaseIterable {
    /// The caller has no session with that key.
    case noSession = 1
    /// Cognito no longer accepts the session's tokens; they were removed here.
    case endedElsewhere = 2
    /// Cognito could not be reached. The tokens are as before.
    case unreachable = 3
    /// Cognito throttles requests. The tokens are as before.
    case throttled = 4
    /// Cognito failed, or gave an invalid answer. The tokens are as before.
    case serviceFault = 5
    /// A fault of the configuration, for the administrator.
    case configuration = 6
    /// A fault of this machine, for the administrator.
    case internalFault = 7
    /// The user has too many requests, or another request for the session takes too long.
    case busy = 8
    /// The request is invalid.
    case malformed = 9
    /// The user was not signed in.
    case notSignedIn = 10
    /// The account is not managed, or pam-cognito is switched off on this machine.
    case notCovered = 11
    /// The session has no keyring for tokens.
    case noInbox = 12
    /// The session's tokens could not be verified.
    case invalidTokens = 13
    /// The forgotten password was not reset. The reason, if it may be shown, was shown before.
    case notRecovered = 14
    /// The user is not allowed to do this: by a rule, or on behalf of another user.
    case notPermitted = 15
    /// The session cannot be renewed any more, because the newest refresh token never arrived. The tokens are as
    /// before.
    case renewalLost = 16
    /// The pool keeps no list of sessions, or the session is not in it.
    case notListed = 17
    /// AWS refuses these credentials to the user.
    case credentialRefused = 18
    /// The configuration has no credentials of that name.
    case noSuchCredential = 19
    /// No other session of the caller is waiting for tokens.
    case noReceiver = 20
    /// No waiting session has that code.
    case wrongCode = 21
    /// The tokens did not get to the other session: the code was not typed in time, or one of the two sessions has
    /// gone.
    case notHandedOver = 22
    /// The session's tokens are locked until the user authenticates.
    case locked = 23
    /// The export was not sealed on this machine for this user, or is damaged.
    case notTheirs = 24
    /// The export was used before, has expired, or its session has ended.
    case usedUp = 25
    /// This machine cannot seal exports.
    case cannotSeal = 26
    /// The client does not prove that it is in that session.
    case notInSession = 27
}
