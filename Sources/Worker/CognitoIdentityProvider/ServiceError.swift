internal import Base
package import HTTPClient
internal import Tokens

/// The meaning of a refusal by the service.
package enum ServiceErrorKind: Sendable, Equatable, CaseIterable {
    // About the person.
    /// Wrong name, password or code, and whatever else the service does not tell apart.
    case refused
    /// Too many wrong tries: refused for a while whatever is sent.
    case lockedOut
    case disabled
    /// The account was never confirmed.
    case notConfirmed
    case userNotFound
    /// The person no longer exists, said of a token.
    case userDeleted
    /// The password was reset, or must be set anew, before anything else.
    case passwordResetRequired
    /// The first password was not used in time.
    case temporaryPasswordExpired
    case codeMismatch
    /// A one-time code that is too old.
    case codeExpired
    /// The code of an authenticator app is right, and another sign-in has used it.
    case codeUsed
    /// The challenge was not answered in time, or twice.
    case challengeExpired
    /// A new password against the pool's rules.
    case passwordNotAcceptable
    /// Too many codes or changes: try later.
    case limitExceeded
    /// A password that cannot be reset with a code: a first one, which was never changed.
    case passwordNotResettable
    /// There is no verified address to send a code to.
    case noVerifiedContact
    /// A code could not be sent.
    case codeNotDelivered
    /// The pool, or its AWS account, may send no more e-mail or SMS for now: no limit of the person's.
    case messageLimit
    /// An address, number or name that is another person's alias.
    case aliasTaken
    /// There is another person of that name.
    case userNameTaken
    /// There is a device of that key.
    case deviceKeyTaken

    // About tokens.
    case accessTokenExpired
    case accessTokenRevoked
    case accessTokenInvalid
    /// An access token that may not be used for the person's own operations.
    case accessTokenScope
    case refreshTokenExpired
    case refreshTokenRevoked
    case refreshTokenInvalid
    /// A refresh token that was exchanged for a newer one before.
    case refreshTokenReused
    /// RevokeToken got something that is not a refresh token.
    case tokenTypeNotSupported
    /// The device that belongs to the tokens is gone.
    case deviceNotFound

    /// No such group in the pool.
    case groupNotFound

    // About the configuration.
    /// The app client has a secret and ours is wrong or missing, or it has none.
    case clientSecret
    /// No such app client, or no such pool.
    case clientNotFound
    /// The app client does not allow this flow.
    case flowNotEnabled
    /// The pool's settings contradict themselves.
    case poolConfiguration
    /// The service does not know this operation, or not for this client.
    case operationNotSupported
    /// Not available in this Region or for this pool, as much of what a secondary replica does not do.
    case operationNotEnabled
    /// A request that the service does not understand.
    case invalidRequest

    // About the pool's own rules.
    /// A Lambda trigger said no.
    case refusedByTrigger
    case triggerFault
    case refusedByFirewall

    // About the service.
    /// Not carried out, for its rate.
    case throttled
    /// Not carried out, since something else was changing the same person at that moment.
    case concurrentModification
    case serviceFault
    /// Names of later versions.
    case unknown

    /// Whether the device may be gone that the request spoke for. Without that device it can be asked again: if it was
    /// the app client that is not there, the answer is the same.
    package var mayConcernDevice: Bool { self == .deviceNotFound || self == .clientNotFound }
}

/// A refusal as the service said it.
package struct ServiceError: Error, Equatable, Sendable {
    package let kind: ServiceErrorKind
    package let name: String
    /// The service's words. May hold the client's id, a user's name or text of a Lambda trigger.
    package let message: String

    /// Makes a refusal, its meaning looked up in the table.
    package init(name: String, message: String) {
        self.name = name
        self.message = message
        kind = Self.kind(name: name, message: message)
    }

    /// The message on one line of printable ASCII, at most 200 bytes.
    package var cleanedMessage: String {
        message.printableASCII(limit: 200)
    }

    /// The error of an answer that is not a success.
    ///
    /// The name is in `__type`, else in the header `x-amzn-ErrorType`, else in `code`, behind a namespace and before a
    /// colon: the forms of Smithy's protocol tests (awsJson1_1). An answer without one is judged by its status alone:
    /// it comes from a proxy, a firewall or a broken server.
    package init?(_ response: HTTPResponse) {
        let body = response.body?.withBytes { bytes in JSONValue(parsing: bytes) }
        let names = [body?["__type"]?.text, response.headers["x-amzn-errortype"], body?["code"]?.text]
        let name = names.lazy.compactMap(Self.bareName).first
        let message = body?["message"]?.text ?? body?["Message"]?.text ?? ""
        switch (name, response.status) {
        case (let name?, _):
            self.init(name: name, message: message)
        case (nil, 403), (nil, 405):
            self.init(name: "ForbiddenException", message: "")
        case (nil, 429):
            self.init(name: "TooManyRequestsException", message: "")
        case (nil, 500...599):
            self.init(name: "InternalErrorException", message: "")
        default:
            return nil
        }
    }

    private static func bareName(_ text: String?) -> String? {
        guard let text else {
            return nil
        }
        let afterNamespace = text.split(separator: "#", omittingEmptySubsequences: false).last ?? ""
        let name = afterNamespace.split(separator: ":", omittingEmptySubsequences: false).first ?? ""
        return (1...128).contains(name.utf8.count) && name.utf8.allSatisfy(\.isVisibleASCII) ? String(name) : nil
    }

    private static func kind(name: String, message: String) -> ServiceErrorKind {
        let message = message.lowercased()
        for entry in table where entry.name == name && entry.message.matches(message) {
            return entry.kind
        }
        return .unknown
    }
}

// MARK: - The table

extension ServiceError {
    /// A pattern for messages. Names decide; messages only if one name has several meanings.
    package enum Pattern: Sendable {
        case any
        /// Begins so, in any case of letters.
        case begins(String)
        /// Has this somewhere, in any case of letters: for messages that begin with a client's id.
        case contains(String)

        func matches(_ lowercased: String) -> Bool {
            switch self {
            case .any: true
            case .begins(let text): lowercased.hasPrefix(text.lowercased())
            case .contains(let text): lowercased.mentions(text.lowercased())
            }
        }
    }

    /// One line of the table.
    package struct Entry: Sendable {
        package let name: String
        /// The pattern of its message.
        package let message: Pattern
        package let kind: ServiceErrorKind

        init(_ name: String, _ message: Pattern, _ kind: ServiceErrorKind) {
            self.name = name
            self.message = message
            self.kind = kind
        }
    }

    /// Every refusal that means something to us; the first line that fits decides.
    package static let table: [Entry] = [
        // The text after this is the trigger's own.
        Entry("NotAuthorizedException", .contains(" failed with error "), .refusedByTrigger),
        Entry("NotAuthorizedException", .begins("Password attempts exceeded"), .lockedOut),
        Entry("NotAuthorizedException", .begins("User is disabled"), .disabled),
        Entry("NotAuthorizedException", .begins("User is not confirmed"), .notConfirmed),
        Entry("NotAuthorizedException", .begins("Temporary password has expired"), .temporaryPasswordExpired),
        Entry("NotAuthorizedException", .begins("User password cannot be reset"), .passwordNotResettable),
        Entry("NotAuthorizedException", .begins("Invalid session"), .challengeExpired),
        // In several words, by operation. Taken for a refusal of the refresh token, one would end the session.
        Entry("NotAuthorizedException", .contains("secret"), .clientSecret),
        Entry("NotAuthorizedException", .begins("Access Token has expired"), .accessTokenExpired),
        Entry("NotAuthorizedException", .begins("Access Token has been revoked"), .accessTokenRevoked),
        Entry("NotAuthorizedException", .begins("Invalid Access Token"), .accessTokenInvalid),
        Entry("NotAuthorizedException", .begins("Could not verify signature for Access Token"), .accessTokenInvalid),
        Entry("NotAuthorizedException", .begins("Access Token does not have required scopes"), .accessTokenScope),
        Entry("NotAuthorizedException", .begins("Refresh Token has expired"), .refreshTokenExpired),
        Entry("NotAuthorizedException", .begins("Refresh Token has been revoked"), .refreshTokenRevoked),
        Entry("NotAuthorizedException", .begins("Invalid Refresh Token"), .refreshTokenInvalid),
        Entry("NotAuthorizedException", .begins("Refresh Token has different Client"), .refreshTokenInvalid),
        Entry("NotAuthorizedException", .begins("The user has been deleted"), .userDeleted),
        Entry("NotAuthorizedException", .any, .refused),
        Entry("UserNotFoundException", .any, .userNotFound),
        Entry("UserNotConfirmedException", .any, .notConfirmed),
        Entry("PasswordResetRequiredException", .any, .passwordResetRequired),
        Entry("CodeMismatchException", .any, .codeMismatch),
        Entry("EnableSoftwareTokenMFAException", .any, .codeMismatch),
        Entry("ExpiredCodeException", .begins("Your software token has already been used"), .codeUsed),
        Entry("ExpiredCodeException", .any, .codeExpired),
        Entry("InvalidPasswordException", .any, .passwordNotAcceptable),
        Entry("PasswordHistoryPolicyViolationException", .any, .passwordNotAcceptable),
        Entry("LimitExceededException", .begins("Exceeded daily"), .messageLimit),
        Entry("LimitExceededException", .any, .limitExceeded),
        Entry("CodeDeliveryFailureException", .contains("limit"), .messageLimit),
        Entry("CodeDeliveryFailureException", .contains("quota"), .messageLimit),
        Entry("CodeDeliveryFailureException", .any, .codeNotDelivered),
        Entry("TooManyFailedAttemptsException", .any, .lockedOut),
        Entry("AliasExistsException", .any, .aliasTaken),
        Entry("UsernameExistsException", .any, .userNameTaken),
        Entry("DeviceKeyExistsException", .any, .deviceKeyTaken),

        Entry("RefreshTokenReuseException", .any, .refreshTokenReused),
        Entry("TokenRevokedException", .any, .refreshTokenRevoked),
        Entry("UnsupportedTokenTypeException", .any, .tokenTypeNotSupported),

        Entry("ResourceNotFoundException", .begins("Device does not exist"), .deviceNotFound),
        Entry("ResourceNotFoundException", .begins("Group not found"), .groupNotFound),
        Entry("ResourceNotFoundException", .any, .clientNotFound),
        Entry("UnauthorizedException", .any, .clientSecret),
        Entry("InvalidParameterException", .contains("not enabled for th"), .flowNotEnabled),
        Entry("InvalidParameterException", .contains("not configured for secret"), .clientSecret),
        Entry("InvalidParameterException", .contains("no registered/verified"), .noVerifiedContact),
        Entry("InvalidParameterException", .any, .invalidRequest),
        Entry("SerializationException", .any, .invalidRequest),
        Entry("InvalidUserPoolConfigurationException", .any, .poolConfiguration),
        Entry("SoftwareTokenMFANotFoundException", .any, .poolConfiguration),
        Entry("MFAMethodNotFoundException", .any, .poolConfiguration),
        Entry("InvalidSmsRoleAccessPolicyException", .any, .poolConfiguration),
        Entry("InvalidSmsRoleTrustRelationshipException", .any, .poolConfiguration),
        Entry("InvalidEmailRoleAccessPolicyException", .any, .poolConfiguration),
        Entry("UnrecognizedClientException", .any, .poolConfiguration),
        Entry("UnknownOperationException", .any, .operationNotSupported),
        Entry("InvalidAction", .any, .operationNotSupported),
        Entry("MissingAuthenticationTokenException", .any, .operationNotSupported),
        Entry("OperationNotEnabledException", .any, .operationNotEnabled),
        Entry("UnsupportedOperationException", .any, .operationNotSupported),
        Entry("FeatureUnavailableInTierException", .any, .operationNotSupported),

        Entry("UserLambdaValidationException", .any, .refusedByTrigger),
        Entry("UnexpectedLambdaException", .any, .triggerFault),
        Entry("InvalidLambdaResponseException", .any, .triggerFault),
        Entry("ForbiddenException", .any, .refusedByFirewall),

        // From the token endpoint (RFC 6749, section 5.2).
        Entry("invalid_grant", .any, .codeMismatch),
        Entry("invalid_client", .any, .clientSecret),
        Entry("unauthorized_client", .any, .flowNotEnabled),
        Entry("unsupported_grant_type", .any, .flowNotEnabled),
        Entry("invalid_scope", .any, .flowNotEnabled),
        Entry("invalid_request", .any, .invalidRequest),

        Entry("TooManyRequestsException", .any, .throttled),
        Entry("ThrottlingException", .any, .throttled),
        Entry("ConcurrentModificationException", .any, .concurrentModification),
        Entry("InternalErrorException", .any, .serviceFault),
        Entry("InternalFailure", .any, .serviceFault),
        Entry("ServiceUnavailableException", .any, .serviceFault),
    ]
}
