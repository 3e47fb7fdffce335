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
    package let logText: String
    /// A line for the person, where one helps and tells a stranger nothing.
    package let text: Phrase?
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
        var failure = StepFailure(reason: reason, logText: "\(logText) \(sentence)", text: text, outcome: outcome)
        failure.wasRevoked = wasRevoked
        failure.ranOut = ranOut
        return failure
    }

    /// The same failure with another line for the person.
    func saying(_ text: Phrase) -> StepFailure {
        StepFailure(reason: reason, logText: logText, text: text, outcome: outcome)
    }

    /// The same failure, of which the person is told nothing.
    var unsaid: StepFailure {
        StepFailure(reason: reason, logText: logText, text: nil, outcome: outcome)
    }

    private init(reason: FailureReason, logText: String, text: Phrase?, outcome: SignOutOutcome?) {
        self.reason = reason
        self.logText = logText
        self.text = text
        self.outcome = outcome
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
                    "Cognito's answer (HTTP status \(status)) is not one that this program understands. Something "
                        + "between this machine and Cognito may have answered in its place: check \"endpoint\"."
                )
            case .outOfTime:
                StepFailure(
                    .unreachable,
                    "Cognito did not answer within the time limit. Check the network, or raise the time limit."
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
                "Cognito was not trusted: \(error). Check this machine's CA certificates, its clock and \"ca_file\"; "
                    + "if they are right, the connection may be intercepted."
            )
        case .publicKey:
            StepFailure(
                .configuration,
                "Cognito was not trusted: \(error), and none of \"pinned_public_keys\". The connection may be "
                    + "intercepted; add that key only after you have verified in another way that it is Cognito's "
                    + "new key."
            )
        case .proxy:
            StepFailure(
                .unreachable,
                "Cognito could not be reached: \(error). Check \"proxy\", and that it lets this machine connect to "
                    + "Cognito."
            )
        case .tlsTooOld, .tls:
            StepFailure(
                .unreachable,
                "No secure connection to Cognito: \(error). Check \"endpoint\" and the devices in between."
            )
        case .caFile:
            StepFailure(.configuration, "Cognito was not asked: \(error). Check \"ca_file\".")
        case .tooLarge, .malformed:
            StepFailure(.serviceFault, "Cognito's answer was refused: \(error). Check \"endpoint\".")
        case .shortage:
            StepFailure(
                .internalFault,
                "Cognito could not be asked: \(error). See errno(3): which programs use up this machine's ports, "
                    + "descriptors or memory?"
            )
        case .unusable:
            StepFailure(.internalFault, "Cognito could not be asked: \(error).")
        }
    }

    private static func refusal(_ error: ServiceError) -> StepFailure {
        switch error.kind {
        case .refused, .codeMismatch, .codeExpired, .codeUsed:
            StepFailure(.refused, "Cognito refused the name or the password.")
        case .userNotFound, .userDeleted:
            StepFailure(.refused, "The pool has no user of this name.")
        case .lockedOut, .limitExceeded:
            StepFailure(
                .lockedOut,
                "After too many wrong attempts, Cognito refuses this user for some minutes, even with the right "
                    + "password.",
                text: WorkerWording.lockedOut
            )
        case .disabled:
            StepFailure(.disabled, "The user is disabled in the pool.")
        case .notConfirmed:
            StepFailure(.notConfirmed, "The user was never confirmed in the pool.")
        case .codeNotDelivered, .messageLimit:
            StepFailure(
                .refusedByPool, "The user got no code to sign in with. \(delivery(error))",
                text: WorkerWording.signInCodeNotSent)
        case .passwordResetRequired, .passwordNotAcceptable, .passwordNotResettable, .noVerifiedContact:
            StepFailure(
                .passwordChangeNeeded, "The password was reset: the user must set a new one first.",
                text: WorkerWording.passwordChangeNeeded
            )
        case .temporaryPasswordExpired:
            StepFailure(
                .passwordChangeNeeded,
                "The user's temporary password has expired: an administrator of the pool must set a new one.",
                text: WorkerWording.temporaryPasswordExpired
            )
        case .aliasTaken:
            StepFailure(
                .refusedByPool,
                "An address, number or name that the user entered is another user's alias in the pool: the user must "
                    + "enter one of their own.", text: WorkerWording.aliasTaken
            )
        case .userNameTaken:
            StepFailure(.refusedByPool, "The pool already has another user with that name.")
        case .deviceKeyTaken:
            StepFailure(
                .refusedByPool, "The pool has a device of that key already. The next sign-in is given another key.")
        case .challengeExpired:
            StepFailure(.serviceFault, "Cognito's challenge had expired before it was answered. Try again.")
        case .accessTokenExpired, .accessTokenRevoked, .accessTokenInvalid, .accessTokenScope, .refreshTokenExpired,
            .refreshTokenRevoked, .refreshTokenInvalid, .refreshTokenReused, .tokenTypeNotSupported, .deviceNotFound,
            .groupNotFound, .clientSecret, .clientNotFound, .flowNotEnabled, .poolConfiguration, .operationNotSupported,
            .operationNotEnabled,
            .invalidRequest, .refusedByTrigger, .refusedByFirewall, .triggerFault, .throttled, .concurrentModification,
            .serviceFault, .unknown:
            fault(error)
        }
    }

    /// The same where it is no fault of the person's: about tokens, the configuration, the pool's own rules, or the
    /// service.
    private static func fault(_ error: ServiceError) -> StepFailure {
        switch error.kind {
        case .accessTokenScope:
            configuration(
                "Cognito does not allow this with the session's access token, which lacks the scope "
                    + "aws.cognito.signin.user.admin: make sure that no Lambda trigger of the pool removes it.", error)
        case .refreshTokenExpired:
            StepFailure(.sessionEnded, "The session's refresh token has expired: sign in again.")
        case .accessTokenExpired, .accessTokenRevoked, .accessTokenInvalid, .refreshTokenRevoked, .refreshTokenInvalid,
            .tokenTypeNotSupported, .deviceNotFound:
            StepFailure(.sessionEnded, "The session's tokens are no longer valid (\(error.name)): sign in again.")
        case .refreshTokenReused:
            StepFailure(
                .renewalLost,
                "Cognito has exchanged the session's refresh token for a newer one that never arrived here "
                    + "(\(error.name)): an answer was lost, or a copy of the token was used. The session cannot be "
                    + "renewed: sign in again. A grace period for rotation, set at the app client, prevents this "
                    + "when an answer is lost."
            )
        case .clientSecret:
            configuration(
                "The app client's secret is missing or wrong: check \"client_secret_file\"." + rotation(error), error)
        case .clientNotFound:
            configuration("There is no such app client: check \"client_id\" and \"user_pool_id\".", error)
        case .flowNotEnabled:
            configuration(
                "The app client does not allow this sign-in: enable it there (ALLOW_USER_SRP_AUTH, "
                    + "ALLOW_USER_PASSWORD_AUTH) or check \"auth_flow\".", error
            )
        case .poolConfiguration:
            configuration("The pool's settings do not allow this sign-in: correct them there.", error)
        case .operationNotSupported:
            configuration(
                "The service does not offer this operation for the pool: check \"user_pool_id\", which names the "
                    + "region, and \"endpoint\".",
                error)
        case .operationNotEnabled:
            StepFailure(
                .operationNotEnabled,
                quoting(
                    error,
                    after:
                        "Cognito does not support this in this Region, or for this pool (\(error.name)). A secondary "
                        + "replica cannot check TOTP codes or change passwords: check that the first "
                        + "\"endpoint\" is the primary's, and that it answers."
                ),
                text: WorkerWording.operationNotEnabled)
        case .invalidRequest:
            configuration("Cognito did not accept the request: check the configuration.", error)
        case .refusedByTrigger:
            StepFailure(.refusedByPool, "A Lambda trigger of the pool refused the sign-in: see the pool's logs.")
        case .refusedByFirewall:
            StepFailure(.refusedByPool, "The pool's web application firewall refused the request: see its rules.")
        case .triggerFault:
            StepFailure(.serviceFault, "A Lambda trigger of the pool failed (\(error.name)): see the pool's logs.")
        case .throttled:
            StepFailure(.throttled, "Cognito accepts no more requests at the moment (\(error.name)). Try again later.")
        case .concurrentModification:
            StepFailure(
                .serviceFault,
                "Something else was changing the same user in the pool at that moment (\(error.name)). Try again.")
        case .serviceFault:
            StepFailure(.serviceFault, "Cognito reported a fault of its own (\(error.name)). Try again later.")
        default:
            StepFailure(.serviceFault, "Cognito answered with an error that this program does not know: \(error.name).")
        }
    }

    /// Returns another possible cause of a wrong secret, unless it is missing or superfluous.
    private static func rotation(_ error: ServiceError) -> String {
        error.message.lowercased().mentions("received")
            ? ""
            : " If this secret used to work, it was probably rotated: by default, app client secrets made in the AWS "
                + "console rotate every seven days. Write the new secret into the file, or turn off its rotation."
    }

    private static func configuration(_ sentence: String, _ error: ServiceError) -> StepFailure {
        StepFailure(.configuration, quoting(error, after: sentence))
    }

    /// Explains why no code was sent.
    static func delivery(_ error: ServiceError) -> String {
        quoting(
            error,
            after: error.kind == .messageLimit
                ? "Cognito sends no more codes at the moment: the user pool or its AWS account has reached its limit "
                    + "for e-mail or SMS. Configure the pool to send e-mail with Amazon SES, or raise the limit."
                : "Cognito could not deliver the code: check the pool's settings for e-mail and SMS.")
    }

    private static func quoting(_ error: ServiceError, after sentence: String) -> String {
        let said = error.cleanedMessage
        return said.isEmpty ? sentence : "\(sentence) Cognito said: \(said)"
    }

    /// A failure to check a token.
    init(_ error: TokenError, token: String) {
        var sentence = "The \(token) token from Cognito was not accepted: it \(error)."
        switch error {
        case .expired, .early:
            sentence += " If it is new, this machine's clock is wrong."
        case .claim("iss"):
            sentence +=
                " Check \"user_pool_id\". If a replica of the pool has answered, \"endpoint\" must name its Region's "
                + "own host."
        case .claim("client_id"), .claim("aud"):
            sentence += " Check \"client_id\"."
        default:
            break
        }
        self.init(error == .cryptography ? .internalFault : .invalidTokens, sentence)
    }
}
