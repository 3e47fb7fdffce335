/// The messages. The root side's are even, the worker's odd: neither can be taken for the other. From 64 on are those of
/// `cognito-agent` and its clients, where the client's are even and the agent's odd; `ask` and `answer` are the same there.
package enum MessageKind: UInt8, Sendable {
    // From the root side: first one step, then answers.

    /// Step: ask for a password and whatever else the pool wants, until there are tokens.
    case signIn = 2
    /// Step: new tokens for `bundle`.
    case renew = 4
    /// Step: revoke what is in `bundle`.
    case signOut = 6
    /// What the user answered to the last `ask`; to a worker with the app client's secret as it is now.
    case answer = 8
    /// The tokens are in the registry: from here on the root side ends them. Whoever does not hear it revokes them.
    case registered = 10
    /// Step: prove who it is, then set a new password.
    case changePassword = 12
    /// Step: set a new password with a code that Cognito sends.
    case forgotPassword = 14
    /// Step: whether the tokens in `bundle` are good, with `online` at Cognito, too.
    case check = 18
    /// Step: how Cognito can be reached from here.
    case probe = 20
    /// Step: sign a person out everywhere by the machine's own IAM identity (AdminUserGlobalSignOut).
    case adminSignOut = 22
    /// Step: the person's sessions by the pool's own list; with `poolSession`, the end of that one of them.
    case poolSessions = 24
    /// Step: the people of `group`, page by page, by the machine's own IAM identity (ListUsersInGroup).
    case listPeople = 26
    /// Step: credentials of another system, made of the ID token in `bundle`.
    case makeCredential = 28

    // From the worker.

    /// A question for the person. Of the agent, too.
    case ask = 1
    /// Something for the next time, to be kept: the pool's key set, or this machine as the person's device.
    case keep = 3
    /// The tokens of a sign-in.
    case signedIn = 5
    /// The tokens of a renewal.
    case renewed = 7
    /// What a sign-out reached.
    case signedOut = 9
    /// The step came to nothing.
    case failed = 11
    /// The new password counts.
    case passwordChanged = 13
    /// The time for the network is over, and new tokens may come all the same: what becomes of it follows.
    case late = 15
    /// Somebody of the group.
    case person = 17
    /// The tokens are good.
    case checked = 19
    /// What was found on the way to Cognito.
    case probed = 21
    /// The sessions of the list; none, where one was ended.
    case poolSessionList = 23
    /// Everybody of a page was told, and there is another one.
    case page = 25
    /// Everybody of the group was told.
    case listed = 27
    /// The credentials that were made.
    case credentialMade = 29
    /// Why Cognito refused something, which the person is not told: for root's log, when it happens.
    case withheld = 31

    // From a client of the agent: first one request, then answers.

    /// Request: tokens that are good for `minimumLife`, in the session's key.
    case renewRequest = 66
    /// Request: end the session, or more.
    case signOutRequest = 68
    /// Request: sign the caller in; `key` is the inbox, see below.
    case signInRequest = 70
    /// The token key is in the session.
    case taken = 72
    /// Request: whether the session's tokens are good.
    case checkRequest = 80
    /// Request: set a new password for an account, with a code.
    case recoverRequest = 74
    /// Request: whether whoever is there is that account's person, for a screen lock, or a program of somebody who may ask.
    case unlockRequest = 76
    /// To note: a token of the session was given to a program.
    case handOut = 82
    /// Request of root's: the registry.
    case registryRequest = 84
    /// Request: the caller's sessions by the pool's own list; with `poolSession`, the end of that one of them.
    case poolSessionsRequest = 86
    /// Request: credentials of another system, in the session's keyring; they come through an inbox, as tokens do.
    case credentialRequest = 88
    /// Request: the tokens of another session of the caller's; `key` is the inbox, and a code is shown.
    case attachRequest = 90
    /// Request: the session's tokens for another session of the caller's, which shows a code.
    case giveRequest = 92

    /// Request: the session's tokens out of reach of its processes.
    case lockRequest = 94
    /// Request: tokens for a job that are in reach while the session's are not; they come through an inbox.
    case keepRequest = 96
    /// Request: something sealed, by which the session's tokens can be had once in another session of the same person's.
    case exportRequest = 98
    /// Request: the tokens that something sealed leads to; `key` is the inbox.
    case importRequest = 100
    /// To note, of root's: somebody has signed in, and no session has begun yet; `key` is the registry's entry.
    case watchRequest = 102
    /// Request of root's, for a set-uid program: what Cognito says of a session that its person is to be let in by; its tokens are renewed
    /// before that, where need be. `key` is the registry's entry.
    case openingRequest = 104
    /// Request of root's, for a set-uid program: end the session whose host has closed it; `key` is the registry's entry.
    case endingRequest = 106

    // From the agent.

    /// The request came to nothing.
    case refused = 65
    /// What became of the tokens.
    case renewal = 69
    /// What a sign-out reached.
    case ending = 71
    /// A text for the person, to which there is no answer.
    case show = 73
    /// The token key is in the inbox.
    case inInbox = 75
    /// It is done.
    case complete = 77
    /// The tokens are good.
    case tokensValid = 81
    /// A session of the registry.
    case registeredSession = 85
    /// The sessions of the pool's list; none, where one was ended.
    case poolSessionsFound = 87
    /// The credentials are in the session already: another request had them made.
    case credential = 89
    /// What was sealed.
    case exported = 91
    /// What the tokens of the session say; with `reason`, why nobody is let in by it.
    case sessionChecked = 93
}

/// The parts of messages. Text is UTF-8, names and tokens are bytes as they came.
package enum Field: UInt8, Sendable {
    /// The user pool's id, for example `eu-west-1_AbCdEf123`.
    case userPoolID = 1
    /// The app client's id.
    case clientID = 2
    /// The app client's secret, where it has one.
    case clientSecret = 3
    /// `https://host[:port]` where requests go instead of the pool's own endpoint; or several, separated by blanks: the next one is for
    /// requests of which the one before could not be sent a byte.
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
    /// Time for all of the network in this step, in milliseconds; the person's own time does not count.
    case timeLimit = 10
    /// Time for one connection, in milliseconds.
    case connectTimeLimit = 11
    /// The pool's key set (RFC 7517 JSON), from the last time.
    case keySet = 12
    /// The session's token bundle: a JSON object that only the worker and the tool understand.
    case bundle = 13
    /// The bundle that the session may see, where it is not the whole one.
    case sessionBundle = 14
    /// What a `signOut` shall do: a `Revocation`.
    case revocation = 15
    /// A `Preconnection`: how far to go ahead while the person is typing.
    case preconnect = 16
    /// The sign-out mode's name, to be noted in the bundle for the person to see.
    case signOutMode = 17
    /// 1: the refresh token does not go into the session's bundle.
    case withholdRefreshToken = 18
    /// How long refresh tokens live, in seconds: the service does not say.
    case refreshTokenValidity = 19
    /// A `PromptStyle`.
    case promptStyle = 20
    /// Text for the person.
    case text = 21
    /// The person's answer.
    case answer = 22
    /// A member of `cognito:groups`.
    case group = 23
    /// When the access token ends, or the ID token where that ends sooner, in seconds since the epoch.
    case accessTokenExpiry = 24
    /// A `FailureReason`.
    case reason = 25
    /// One line for the log, without secrets.
    case logText = 26
    /// A `SignOutOutcome`; of a password change, what became of the tokens that it took. Without it they live.
    case outcome = 27
    /// A `PreferredFactor`; without it the person chooses.
    case preferredFactor = 28
    /// 1: a password may have a code behind it.
    case combinedCode = 29
    /// Where the person's client is (PAM_RHOST): an address, or a name that is of no use.
    case clientAddress = 30
    /// PAM_SERVICE, where the pool's triggers shall know it, and this machine's name with it.
    case serviceName = 31
    /// A device that the pool remembers, in a form that only the worker understands. Empty in `keep`: what there was is of
    /// no use any more.
    case device = 32
    /// 1: this host is to become a device of the person's, where the pool tracks devices.
    case rememberDevice = 33
    /// How long a `signOut` is tried: a `Persistence`. Without it, `patient`.
    case persistence = 34
    /// 1: ask Cognito, too.
    case online = 40
    /// 1: tokens that have ended are not good, either.
    case unexpired = 41
    /// When the person last proved who they are (`auth_time`), in seconds since the epoch.
    case authenticatedAt = 42
    /// What was found on the way to Cognito, or a session of the pool's list: a JSON object that only the worker, the doctor and the
    /// tool understand.
    case report = 43
    /// The language in which the person is spoken to: a `Language`'s tag. Without it, English.
    case language = 44
    /// 1: the prompts that programs look for are in it, too.
    case translatesPrompts = 45

    /// The keys of the machine's IAM identity: a file of the form that the AWS command line shares.
    case credentials = 46
    /// 1: the keys of that identity are asked of the instance's metadata.
    case instanceMetadata = 47
    // 48 and 49 were used before version 0.1.0.
    /// 1: the answer of version 0.1.0 has `reach` and `shortfall`. Newer ones always have them.
    case tellsReach = 50
    /// A `Reach`: how far a sign-out has reached.
    case reach = 51
    /// A `Shortfall`: why it has not reached further.
    case shortfall = 52

    /// 1: Cognito says that the tokens were revoked, which a pool that tracks sessions also does to the one that was used least
    /// lately, when its person has too many.
    case revoked = 58
    /// 1: Cognito says that the refresh token has run out by itself.
    case ranOut = 61
    /// 1: whoever asks for a renewal takes an answer that comes after the time, and waits for what follows `late`.
    case takesLateAnswer = 53
    /// Asked: when the session, whose place among the person's others is wanted, was last used, in seconds since the epoch; 0: the
    /// very session. Answered: 0, the pool tracks no sessions; else one more than how many of the others were used before that.
    case sessionPlace = 59

    /// The id of a session in the pool's list: the one that is to be ended; answered, the one that asks.
    case poolSession = 60
    /// The name that the configuration has for credentials (`aws_credentials`).
    case credentialName = 54
    /// Credentials, as the program reads them that they are for: only the worker and the tool understand them.
    case credential = 55
    /// When credentials end, in seconds since the epoch.
    case credentialExpiry = 56
    /// Whom an identity pool takes the person for (IdentityId), from the last time.
    case identityID = 57

    /// PAM_SERVICE of the session that requests are about, for the User-Agent: by it, and this machine's name, people tell their
    /// sessions apart in Cognito's list.
    case requestingService = 62
    /// The options of the configuration that the worker obeys: `name=value`, a line each, as `WorkerSettings` reads them.
    case options = 63

    // Between the agent and its clients.

    /// The serial number of a key: a session's token key, or an inbox; 0 in a request that is about no single session.
    case key = 64
    /// For how many seconds the access token must still be good.
    case minimumLife = 65
    /// A `RenewalOutcome`.
    case renewalOutcome = 66
    /// An `AgentRefusal`.
    case refusal = 67
    /// How many seconds ago the tokens came to be.
    case signedInAgo = 68
    /// How many seconds ago the tokens were last renewed.
    case renewedAgo = 69
    /// When the refresh token ends by itself, in seconds since the epoch.
    case refreshTokenExpiry = 70
    /// The process that hosts the session.
    case hostProcess = 71
    /// When a client asked (CLOCK_BOOTTIME, milliseconds).
    case askedAt = 72
    /// The user id for which polkit's helper asks, which is root's.
    case requester = 73
    /// A `HandedToken`.
    case tokenKind = 76
    /// A `HandOutUse`.
    case handOutUse = 77
    /// The serial number of an inbox, in a request whose `key` is a token key.
    case inbox = 78
    /// What only the programs of a session know: its secret; where it has none, see `sessionProof`.
    case proof = 79
    /// 1: credentials that another session has, with the same tokens, are to be in this one, too.
    case sharesCredentials = 80
    /// Something sealed to this machine and a person, by which a session's tokens can be had once: what systemd-creds(1) prints.
    case sealed = 81
    /// For how many seconds that is good.
    case exportLife = 82
    /// A `RegisteredStatus`.
    case registeredStatus = 84
    /// How often the end of a session was tried in vain.
    case attempts = 85
    /// In how many seconds it is tried again; 0: as soon as somebody comes by.
    case nextAttemptIn = 86
    /// PAM_TTY.
    case terminal = 87
    /// How many sessions of the person were ended on this machine.
    case sessionCount = 88
    /// How many were not.
    case sessionsLeft = 89

    // About the people of a group.

    /// `sub`: the person's id in the pool, which nobody else ever gets.
    case subject = 91
    /// 1: Cognito would let the person in.
    case isEnabled = 92
    /// The person's e-mail address, where Cognito has verified it.
    case emailAddress = 93
    /// The person's name, as `name` has it.
    case realName = 94
    /// The value of the attribute that was named by `publicKeyAttribute`.
    case publicKeys = 95
    /// The value of the attribute that was named by `uidAttribute`.
    case uidClaim = 96
    /// NextToken: where the list goes on.
    case nextToken = 97
    /// The attribute that has people's public ssh keys.
    case publicKeyAttribute = 98
    /// The attribute that has people's user ids.
    case uidAttribute = 99
    /// When the person came into the pool (UserCreateDate), in seconds since the epoch.
    case createdAt = 100

    // How strongly a person has proved who they are.

    /// A level, one of which is asked for, the first one first (TARGET_ACR_VALUES).
    case requiredACR = 101
    /// For how many seconds after a sign-in what was proved in it counts (MAX_AGE).
    case maxAge = 102
    /// The level that was reached (`acr`).
    case acr = 103
    /// A method by which the person has proved who they are (a member of `amr`).
    case amr = 104

    // What an answer came to.

    /// 1: the root side counts answers, and wants to know what each came to.
    case tellsJudgement = 110
    /// An `AnswerJudgement`.
    case judgement = 111
    /// 1: Cognito has just sent the user a code, or may have (CUSTOM_CHALLENGE), which this prompt asks for.
    case codeSent = 112
    /// 1: `keySet` is the administrator's (key_set_file), and no other is fetched.
    case fixedKeySet = 113

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
            .handOutUse, .registeredStatus, .isEnabled:
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
    /// At the sign-in, `identity_claim` of a user of `identity_provider` equals the login name; later, the pool's user name is the same.
    case federated = 3
}

/// How to authenticate; the names are those of the API's AuthFlow.
package enum AuthenticationFlow: UInt8, Sendable {
    /// USER_SRP_AUTH: the password never leaves the machine.
    case secureRemotePassword = 1
    /// USER_PASSWORD_AUTH: the password is sent, under TLS.
    case password = 2
    /// USER_AUTH: the person chooses, unless a challenge is preferred.
    case choice = 3
    /// CUSTOM_AUTH.
    case custom = 4
    /// CUSTOM_AUTH after a proof of the password.
    case customAfterProof = 5
    /// USER_AUTH with the access token of the session in `bundle`: only what is missing of a level is asked for, and never a password.
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
    /// The proof of the password is begun, too, which needs none (InitiateAuth with SRP_A), where the flow is one of such proofs. Nothing
    /// is said of what comes of it; older workers do nothing.
    case begin = 2
}

/// How a question is put.
package enum PromptStyle: UInt8, Sendable {
    /// The account's password: the host may have it already (pam_get_authtok(3)).
    case password = 1
    /// Without echo.
    case hidden = 2
    /// With echo.
    case visible = 3
    /// Without echo: the password that is to count from now on. An older side takes it, as the next one, for `hidden`.
    case newPassword = 4
    /// Without echo: the password that a new one is to take the place of.
    case currentPassword = 5
}

/// What Cognito has said of the user's answers since the last prompt.
package enum AnswerJudgement: UInt8, Sendable {
    /// None was a wrong guess: Cognito accepted one, and looked at no other.
    case notWrong = 0
    /// One was refused.
    case wrong = 1
    /// The pool asks its own next question (CUSTOM_CHALLENGE): only the end shows whether the answer was right.
    case undecided = 2
    /// Cognito has looked at none: none was sent, or it had too many requests.
    case notSent = 3
}

/// How far a sign-out reaches.
package enum Revocation: UInt8, Sendable {
    /// GlobalSignOut: every session of the person, everywhere.
    case global = 1
    /// RevokeToken: this session's refresh token and what was made from it.
    case session = 2
    /// RevokeToken for every session of the person on this machine. Asked of the agent alone.
    case machine = 3
}

/// How long a sign-out is tried where Cognito cannot be asked.
package enum Persistence: UInt8, Sendable {
    /// Until the time is up, which is when a failure is told.
    case patient = 0
    /// Once, since whoever asks comes back by themselves.
    case once = 1
    /// Until the time is up; but the first failure is told at once, and nothing more: nobody waits any longer.
    case unattended = 2
}

/// What became of a sign-out; how far it has reached is told beside it, see `SignOutResult`.
package enum SignOutOutcome: UInt8, Sendable {
    /// Cognito said yes.
    case revoked = 1
    /// Cognito had revoked them before, or the user is gone.
    case alreadyRevoked = 2
    /// Every token has run out by itself.
    case expired = 3
    /// The app client does not allow RevokeToken: the refresh token lives until it expires.
    case notSupported = 4
}

/// Why a step failed. A closed set: each has exactly one PAM return value (`LoginHooks`).
package enum FailureReason: UInt8, Sendable, CaseIterable {
    /// Wrong name or password.
    case refused = 1
    /// Too many attempts: Cognito refuses for a while whatever is typed.
    case lockedOut = 2
    /// The account is disabled.
    case disabled = 3
    /// The account was never confirmed.
    case notConfirmed = 4
    /// The password must be changed or was reset before anything else.
    case passwordChangeNeeded = 5
    /// Cognito asks for something that cannot be answered here.
    case challengeNotSupported = 6
    /// The pool's own rules (a Lambda trigger, the firewall) refused.
    case refusedByPool = 7
    /// Valid tokens, but of somebody else.
    case otherIdentity = 8
    /// Tokens that do not stand up to verification.
    case invalidTokens = 9
    /// No connection, or none in time.
    case unreachable = 10
    /// Too many requests.
    case throttled = 11
    /// The service failed or answered nonsense.
    case serviceFault = 12
    /// Our configuration does not fit the pool: client id, secret, flow.
    case configuration = 13
    /// A fault on this machine.
    case internalFault = 14
    /// The tokens to renew or revoke are no longer valid.
    case sessionEnded = 15
    /// No acceptable new password was entered.
    case noNewPassword = 16
    /// Cognito no longer accepts the access token, as where it has run out: a renewal shows whether the session is over.
    case accessTokenExpired = 17
    /// Cognito has exchanged the refresh token for a newer one that never came here. The access token goes on until it ends.
    case renewalLost = 18
    /// The pool keeps no such list, be it of sessions or of a group, or not the one that was meant.
    case notListed = 19
    /// AWS gives this person no such credentials.
    case credentialRefused = 20
    /// Cognito asks nobody, or not this person, for the level that is required, or another level came of it.
    case levelNotReached = 21
    /// Cognito does not do this in this Region, or for this pool: a secondary replica has no TOTP and resets no passwords.
    case operationNotEnabled = 22
    /// The pool's managed login, or the code that a browser has brought from there, came to no tokens that count.
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
    /// Cognito gave new tokens, and they are in the session's key.
    case renewed = 1
    /// The tokens were good for long enough, or another process has renewed them meanwhile. Cognito was not asked.
    case fresh = 2
}

/// Why the agent did not do what it was asked for. A closed set, for programs to go by.
package enum AgentRefusal: UInt8, Sendable, CaseIterable {
    /// There is no session of the caller's with that key.
    case noSession = 1
    /// Cognito no longer accepts the session's tokens; what there was of it here is gone.
    case endedElsewhere = 2
    /// Cognito could not be asked. The tokens are as before.
    case unreachable = 3
    /// Cognito answers no more requests for the moment. The tokens are as before.
    case throttled = 4
    /// Cognito failed, or answered nonsense. The tokens are as before.
    case serviceFault = 5
    /// A fault of the configuration, for the administrator.
    case configuration = 6
    /// A fault of this machine, for the administrator.
    case internalFault = 7
    /// Too many requests of this person, or another request for the session takes too long.
    case busy = 8
    /// The request makes no sense.
    case malformed = 9
    /// The person was not signed in.
    case notSignedIn = 10
    /// The account is not Cognito's, or Cognito is switched off on this machine.
    case notCovered = 11
    /// The session has no keyring that tokens could go into.
    case noInbox = 12
    /// The session's tokens do not stand up to verification.
    case invalidTokens = 13
    /// No forgotten password was set anew; why, as far as that may be said, was shown before.
    case notRecovered = 14
    /// The person is who they say, or perhaps not, and may not: by a rule, or as somebody else.
    case notPermitted = 15
    /// The session cannot be renewed any more, since the newest refresh token never came here. The tokens are as before.
    case renewalLost = 16
    /// The pool keeps no list of sessions, or not the one that was meant.
    case notListed = 17
    /// AWS gives this person no such credentials.
    case credentialRefused = 18
    /// The configuration has no credentials of that name.
    case noSuchCredential = 19
    /// No other session of the caller's waits for tokens.
    case noReceiver = 20
    /// No session that waits has that code.
    case wrongCode = 21
    /// The tokens of one session did not get to the other: nobody typed the code in time, or one of the two has gone.
    case notHandedOver = 22
    /// The session's tokens are locked until the person proves who they are.
    case locked = 23
    /// What was sealed was not sealed here for this person, or is damaged.
    case notTheirs = 24
    /// What was sealed is of no use any more: it was used, its time is over, or its session is.
    case usedUp = 25
    /// This machine cannot seal anything.
    case cannotSeal = 26
    /// The client does not prove that it is in that session of its user's.
    case notInSession = 27
}
