internal import Base
internal import CognitoIdentityProvider
internal import Cryptography
internal import HTTPClient
package import Messages
package import Protocol

/// How a step ended without what was asked for.
package struct StepFailure: Error, Equatable, Sendable {
    /// Decides the PAM return value.
    package let reason: FailureReason
    /// One line for the log: what happened, what it means, what to do. Without secrets.
    package private(set) var logText: String
    /// A line for the person, where one helps and tells a stranger nothing.
    package private(set) var text: Phrase?
    /// The result of revoking the step's own tokens; nil if there were none, or they are still valid.
    var outcome: SignOutOutcome?
    /// Whether Cognito says that the session's tokens were revoked.
    var wasRevoked = false
    /// Whether it says that the refresh token has run out by itself.
    var ranOut = false

    init(_ reason: FailureReason, _ logText: String, text: Phrase? = nil) {
        self.reason = reason
        self.logText = logText
        self.text = text
    }

    /// The same failure with a further sentence for the log, where there is one.
    func adding(_ sentence: String?) -> StepFailure {
        guard let sentence else {
            return self
        }
        var failure = self
        failure.logText = "\(logText) \(sentence)"
        return failure
    }

    /// The same failure with another line for the person, or none.
    func saying(_ text: Phrase?) -> StepFailure {
        var failure = self
        failure.text = text
        return failure
    }

    /// Translates an operation's failure during a sign-in.
    init(signIn error: CognitoError) {
        self =
            switch error {
            case .service(let error): Self.refusal(error)
            case .transport(let error): Self.noAnswer(error)
            case .malformed(let status):
                StepFailure(
                    .serviceFault,
                    "Cognito returned an invalid response (HTTP status \(status)). Another server may have answered "
                        + "in Cognito's place: check \"endpoint\"."
                )
            case .outOfTime:
                StepFailure(
                    .unreachable,
                    "Cognito did not answer within the time limit. Check the network, or increase the time limit."
                )
            case .challenge(let sentence): StepFailure(.serviceFault, sentence)
            case .local(let sentence): StepFailure(.internalFault, sentence)
            }
    }

    /// Translates an operation's failure for tokens of an open session: a refusal ends the session.
    init(session error: CognitoError) {
        let failure = StepFailure(signIn: error)
        switch error.kind {
        case .refused, .userNotFound, .userDeleted, .passwordResetRequired, .notConfirmed, .disabled:
            self.init(.sessionEnded, "Cognito no longer accepts the session's tokens. \(failure.logText)")
        default:
            self = failure
            wasRevoked = error.kind == .refreshTokenRevoked
            ranOut = error.kind == .refreshTokenExpired
        }
    }

    private static func noAnswer(_ error: HTTPError) -> StepFailure {
        switch error {
        case .unresolvable, .unreachable, .timedOut:
            StepFailure(
                .unreachable,
                "Cognito could not be reached: \(error). Check the network, the name servers and \"endpoint\"."
            )
        case .certificate:
            StepFailure(
                .unreachable,
                "Cognito's server is not trusted: \(error). Check this machine's CA certificates, the clock "
                    + "and \"ca_file\"; if they are correct, the connection may be intercepted."
            )
        case .publicKey:
            StepFailure(
                .configuration,
                "Cognito's server is not trusted: \(error), which is not listed in \"pinned_public_keys\". "
                    + "The connection may be intercepted. Add the key only after you have verified independently "
                    + "that it is Cognito's new key."
            )
        case .proxy:
            StepFailure(
                .unreachable,
                "Cognito could not be reached: \(error). Check \"proxy\", and whether the proxy allows "
                    + "connections to Cognito."
            )
        case .tlsTooOld, .tls:
            StepFailure(
                .unreachable,
                "Could not establish a secure connection to Cognito: \(error). Check \"endpoint\", and "
                    + "any firewalls or proxies between this machine and Cognito."
            )
        case .caFile:
            StepFailure(.configuration, "Cognito was not contacted: \(error). Check \"ca_file\".")
        case .tooLarge, .malformed:
            StepFailure(.serviceFault, "Cognito's response was rejected: \(error). Check \"endpoint\".")
        case .shortage:
            StepFailure(
                .internalFault,
                "Cognito could not be contacted: \(error). See errno(3), and check which programs use up this "
                    + "machine's ports, file descriptors or memory."
            )
        case .unusable:
            StepFailure(.internalFault, "Cognito could not be contacted: \(error).")
        }
    }

    private static func refusal(_ error: ServiceError) -> StepFailure {
        switch error.kind {
        case .refused, .codeMismatch, .codeExpired, .codeUsed:
            StepFailure(.refused, "Cognito refused the user name or the password.")
        case .userNotFound, .userDeleted:
            StepFailure(.refused, "The pool has no user with this name.")
        case .lockedOut, .limitExceeded:
            StepFailure(
                .lockedOut,
                "After too many failed attempts, Cognito rejects all sign-ins by this user for a few minutes, even "
                    + "with the correct password.",
                text: WorkerWording.lockedOut
            )
        case .disabled:
            StepFailure(.disabled, "The user is disabled in the pool.")
        case .notConfirmed:
            StepFailure(.notConfirmed, "The user is not confirmed in the pool.")
        case .codeNotDelivered, .messageLimit:
            StepFailure(
                .refusedByPool, "No sign-in code was sent to the user. \(delivery(error))",
                text: WorkerWording.signInCodeNotSent)
        case .passwordResetRequired, .passwordNotAcceptable, .passwordNotResettable, .noVerifiedContact:
            StepFailure(
                .passwordChangeNeeded, "The password was reset: the user must first set a new password.",
                text: WorkerWording.passwordChangeNeeded
            )
        case .temporaryPasswordExpired:
            StepFailure(
                .passwordChangeNeeded,
                "The user's temporary password has expired: an administrator of the pool must set a new password.",
                text: WorkerWording.temporaryPasswordExpired
            )
        case .aliasTaken:
            StepFailure(
                .refusedByPool,
                "The e-mail address, phone number or user name that the user entered is already an alias of "
                    + "another user in the pool. The user must enter a different e-mail address or phone number.",
                text: WorkerWording.aliasTaken)
        case .userNameTaken:
            StepFailure(.refusedByPool, "The pool already has another user with that name.")
        case .deviceKeyTaken:
            StepFailure(
                .refusedByPool,
                "The pool already has a device with this key. The next sign-in uses a different device key.")
        case .challengeExpired:
            StepFailure(.serviceFault, "The challenge from Cognito expired before the answer was sent. Try again.")

        // No fault of the person's: about tokens, the configuration, the pool's own rules, or the service.
        case .accessTokenScope:
            configuration(
                "The session's access token lacks the aws.cognito.signin.user.admin scope: make sure that no "
                    + "Lambda trigger of the pool removes this scope.", error)
        case .refreshTokenExpired:
            StepFailure(.sessionEnded, "The session's refresh token has expired: sign in again.")
        case .accessTokenExpired, .accessTokenRevoked, .accessTokenInvalid, .refreshTokenRevoked, .refreshTokenInvalid,
            .tokenTypeNotSupported, .deviceNotFound:
            StepFailure(.sessionEnded, "The session's tokens are no longer valid (\(error.name)): sign in again.")
        case .refreshTokenReused:
            StepFailure(
                .renewalLost,
                "Cognito has replaced the session's refresh token, and this machine does not have the new one "
                    + "(\(error.name)): a response was lost, or a copy of the token was used. The session cannot "
                    + "be renewed: sign in again. To tolerate lost responses, set a grace period for refresh "
                    + "token rotation in the app client."
            )
        case .clientSecret:
            configuration(
                "The app client's secret is missing or wrong: check \"client_secret_file\"." + rotation(error), error)
        case .clientNotFound:
            configuration("The app client does not exist: check \"client_id\" and \"user_pool_id\".", error)
        case .flowNotEnabled:
            configuration(
                "The app client does not allow this authentication flow: enable ALLOW_USER_SRP_AUTH or "
                    + "ALLOW_USER_PASSWORD_AUTH in the app client, or check \"auth_flow\".", error
            )
        case .poolConfiguration:
            configuration("The pool's settings do not allow this sign-in: correct the pool's settings.", error)
        case .operationNotSupported:
            configuration(
                "Cognito does not offer this operation for the pool: check \"user_pool_id\", which contains "
                    + "the region, and \"endpoint\".",
                error)
        case .operationNotEnabled:
            StepFailure(
                .operationNotEnabled,
                quoting(
                    error,
                    after:
                        "Cognito does not support this operation in this Region or for this pool "
                        + "(\(error.name)). A secondary replica cannot check TOTP codes or change passwords: "
                        + "check that the first \"endpoint\" belongs to the primary Region and answers."
                ),
                text: WorkerWording.operationNotEnabled)
        case .invalidRequest:
            configuration("Cognito did not accept the request: check the configuration.", error)
        case .refusedByTrigger:
            StepFailure(.refusedByPool, "A Lambda trigger of the pool refused the sign-in: see the pool's logs.")
        case .refusedByFirewall:
            StepFailure(
                .refusedByPool,
                "The pool's web application firewall refused the request: see the firewall's rules.")
        case .triggerFault:
            StepFailure(.serviceFault, "A Lambda trigger of the pool failed (\(error.name)): see the pool's logs.")
        case .throttled:
            StepFailure(.throttled, "Cognito is throttling requests (\(error.name)). Try again later.")
        case .concurrentModification:
            StepFailure(
                .serviceFault,
                "Another program was changing the same user in the pool at that moment (\(error.name)). Try again.")
        case .serviceFault:
            StepFailure(.serviceFault, "Cognito reported an internal error (\(error.name)). Try again later.")
        case .groupNotFound, .unknown:
            StepFailure(.serviceFault, "Cognito answered with an unknown error: \(error.name).")
        }
    }

    /// Returns another possible cause of a wrong secret, unless it is missing or superfluous.
    private static func rotation(_ error: ServiceError) -> String {
        error.message.lowercased().mentions("received")
            ? ""
            : """
             If this secret used to work, it has probably been rotated: by default, app client secrets created \
            in the AWS console rotate every seven days. Write the new secret into \
            "client_secret_file", or turn off rotation.
            """
    }

    private static func configuration(_ sentence: String, _ error: ServiceError) -> StepFailure {
        StepFailure(.configuration, quoting(error, after: sentence))
    }

    /// Explains why no code was sent.
    static func delivery(_ error: ServiceError) -> String {
        quoting(
            error,
            after: error.kind == .messageLimit
                ? """
                Cognito cannot send codes at the moment: the user pool or the AWS account has reached its limit \
                for e-mail or SMS. Configure the pool to send e-mail with Amazon SES, or increase the limit.
                """
                : "Cognito could not deliver the code: check the pool's settings for e-mail and SMS.")
    }

    private static func quoting(_ error: ServiceError, after sentence: String) -> String {
        let said = error.cleanedMessage
        return said.isEmpty ? sentence : "\(sentence) Cognito said: \(said)"
    }

    /// A failure to check a token.
    init(_ error: TokenError, token: String) {
        var sentence = "The \(token) token from Cognito was rejected: it \(error)."
        switch error {
        case .expired, .early:
            sentence += " If the token is new, this machine's clock is wrong."
        case .claim("iss"):
            sentence +=
                " Check \"user_pool_id\". If a replica of the pool has answered, \"endpoint\" must contain "
                + "the host of the replica's Region."
        case .claim("client_id"), .claim("aud"):
            sentence += " Check \"client_id\"."
        default:
            break
        }
        self.init(error == .cryptography ? .internalFault : .invalidTokens, sentence)
    }
}

extension FailureReason {
    /// Whether it is about the user or the pool's rules for users, and not about Cognito, the configuration or this
    /// machine.
    var concernsUser: Bool {
        switch self {
        case .refused, .lockedOut, .disabled, .notConfirmed, .passwordChangeNeeded, .challengeNotSupported,
            .refusedByPool, .otherIdentity, .noNewPassword, .levelNotReached, .operationNotEnabled, .managedLogin:
            true
        case .invalidTokens, .unreachable, .throttled, .serviceFault, .configuration, .internalFault, .sessionEnded,
            .accessTokenExpired, .renewalLost, .notListed, .credentialRefused:
            false
        }
    }
}
