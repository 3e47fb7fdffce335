import CognitoIdentityProvider
import HTTPClient
import Testing
import TokenSigning
import Tokens

@Suite struct ServiceErrorTests {
    /// Texts as the service says them, beside what they must mean.
    static let said: [(name: String, message: String, kind: ServiceErrorKind)] = [
        ("NotAuthorizedException", "Incorrect username or password.", .refused),
        ("NotAuthorizedException", "Password attempts exceeded", .lockedOut),
        ("NotAuthorizedException", "User is disabled.", .disabled),
        (
            "NotAuthorizedException", "Temporary password has expired and must be reset by an administrator.",
            .temporaryPasswordExpired
        ),
        ("NotAuthorizedException", "Invalid session for the user, session is expired.", .challengeExpired),
        ("NotAuthorizedException", "Invalid session for the user, session can only be used once.", .challengeExpired),
        ("NotAuthorizedException", "Unable to verify secret hash for client 1abc", .clientSecret),
        ("NotAuthorizedException", "Unable to verify secret for client 1abc", .clientSecret),
        ("NotAuthorizedException", "SecretHash does not match for the client: 1abc", .clientSecret),
        (
            "NotAuthorizedException", "Client 1abc is configured with secret but SECRET_HASH was not received",
            .clientSecret
        ),
        ("NotAuthorizedException", "Client 1abc is configured for secret but secret was not received", .clientSecret),
        ("NotAuthorizedException", "Access Token has expired", .accessTokenExpired),
        ("NotAuthorizedException", "Access Token has been revoked", .accessTokenRevoked),
        ("NotAuthorizedException", "Invalid Access Token", .accessTokenInvalid),
        ("NotAuthorizedException", "Could not verify signature for Access Token", .accessTokenInvalid),
        ("NotAuthorizedException", "Access Token does not have required scopes", .accessTokenScope),
        ("NotAuthorizedException", "Refresh Token has been revoked", .refreshTokenRevoked),
        ("NotAuthorizedException", "Refresh Token has expired", .refreshTokenExpired),
        ("NotAuthorizedException", "Invalid Refresh Token", .refreshTokenInvalid),
        ("NotAuthorizedException", "Invalid Refresh Token.", .refreshTokenInvalid),
        ("NotAuthorizedException", "Refresh Token has different Client", .refreshTokenInvalid),
        ("NotAuthorizedException", "The user has been deleted for the associated refresh token", .userDeleted),
        ("NotAuthorizedException", "", .refused),
        ("NotAuthorizedException", "PASSWORD ATTEMPTS EXCEEDED", .lockedOut),
        ("UserNotFoundException", "User does not exist.", .userNotFound),
        ("UserNotFoundException", "Username/client id combination not found.", .userNotFound),
        (
            "NotAuthorizedException", "User password cannot be reset in the current state.", .passwordNotResettable
        ),
        (
            "InvalidParameterException",
            "Cannot reset password for the user as there is no registered/verified email or phone_number",
            .noVerifiedContact
        ),
        ("CodeDeliveryFailureException", "", .codeNotDelivered),
        ("CodeDeliveryFailureException", "Daily message quota exceeded.", .messageLimit),
        ("CodeDeliveryFailureException", "Exceeded daily email limit for the operation or the account.", .messageLimit),
        (
            "LimitExceededException",
            "Exceeded daily email limit for the operation or the account. If a higher limit is required, please "
                + "configure your user pool to use your own Amazon SES configuration for sending email.", .messageLimit
        ),
        ("UserNotConfirmedException", "User is not confirmed.", .notConfirmed),
        ("PasswordResetRequiredException", "Password reset required for the user", .passwordResetRequired),
        ("CodeMismatchException", "Invalid code received for user", .codeMismatch),
        ("ExpiredCodeException", "Invalid code provided, please request a code again.", .codeExpired),
        ("ExpiredCodeException", "Your software token has already been used once.", .codeUsed),
        ("EnableSoftwareTokenMFAException", "Code mismatch", .codeMismatch),
        (
            "SoftwareTokenMFANotFoundException", "Software Token MFA has not been enabled by the userPool",
            .poolConfiguration
        ),
        ("InvalidParameterException", "USER_PASSWORD_AUTH flow not enabled for this client", .flowNotEnabled),
        ("InvalidParameterException", "USER_SRP_AUTH is not enabled for the client.", .flowNotEnabled),
        ("InvalidParameterException", "Auth flow not enabled for this client", .flowNotEnabled),
        (
            "InvalidParameterException", "App client 1abc is not configured for secret but secret hash was received",
            .clientSecret
        ),
        (
            "InvalidParameterException", "TIMESTAMP format should be EEE MMM d HH:mm:ss z yyyy in english.",
            .invalidRequest
        ),
        ("ResourceNotFoundException", "User pool client 1abc does not exist.", .clientNotFound),
        ("ResourceNotFoundException", "Device does not exist.", .deviceNotFound),
        ("ResourceNotFoundException", "Group not found.", .groupNotFound),
        ("NotAuthorizedException", "PreAuthentication failed with error User is disabled.", .refusedByTrigger),
        (
            "InvalidPasswordException", "Password did not conform with policy: Password not long enough",
            .passwordNotAcceptable
        ),
        ("LimitExceededException", "Attempt limit exceeded, please try after some time.", .limitExceeded),
        ("TooManyRequestsException", "Rate exceeded", .throttled),
        ("RefreshTokenReuseException", "", .refreshTokenReused),
        ("UnsupportedTokenTypeException", "", .tokenTypeNotSupported),
        ("UnsupportedOperationException", "", .operationNotSupported),
        ("OperationNotEnabledException", "", .operationNotEnabled),
        ("UnauthorizedException", "", .clientSecret),
        ("UserLambdaValidationException", "PreAuthentication failed with error no.", .refusedByTrigger),
        ("UnexpectedLambdaException", "", .triggerFault),
        ("InternalErrorException", "", .serviceFault),
        ("ForbiddenException", "Request not allowed due to WAF block.", .refusedByFirewall),
        ("AliasExistsException", "An account with the email already exists.", .aliasTaken),
        ("UsernameExistsException", "User already exists", .userNameTaken),
        ("DeviceKeyExistsException", "Device key already exists", .deviceKeyTaken),
        ("ConcurrentModificationException", "", .concurrentModification),
        ("SomethingNewException", "?", .unknown),
    ]

    @Test("what the service says means what it must", arguments: said)
    func meaning(name: String, message: String, kind: ServiceErrorKind) {
        #expect(ServiceError(name: name, message: message).kind == kind)
    }

    @Test("every line of the table can be reached, and every meaning occurs")
    func table() {
        for entry in ServiceError.table {
            let message =
                switch entry.message {
                case .any: "?"
                case .begins(let text): text + " and more"
                case .contains(let text): "before \(text) after"
                }
            #expect(ServiceError(name: entry.name, message: message).kind == entry.kind)
        }
        let kinds = ServiceError.table.map(\.kind)
        for kind in ServiceErrorKind.allCases where kind != .unknown {
            #expect(kinds.contains(kind), "\(kind)")
        }
    }

    @Test(
        "the name is found wherever it stands",
        arguments: [
            (#"{"__type":"NotAuthorizedException"}"#, nil),
            (#"{"__type":"com.amazonaws.cognito#NotAuthorizedException"}"#, nil),
            (#"{"__type":"NotAuthorizedException:http://internal"}"#, nil), ("{}", "NotAuthorizedException:"),
            ("", "NotAuthorizedException"), ("<html>", "a#NotAuthorizedException:b"),
            (#"{"code":"NotAuthorizedException"}"#, nil), (#"{"code":"a.b#NotAuthorizedException:http://c/d"}"#, nil),
            (#"{"__type":"a#NotAuthorizedException","ErrorDetails":[{"__type":"b#Other","code":"Other"}]}"#, "Other"),
            (#"{"__type":"a b","code":"Other"}"#, "NotAuthorizedException"),
            (#"{"__type":7,"code":"NotAuthorizedException"}"#, nil),
            (#"{"__type":"Other","__type":"Another"}"#, "NotAuthorizedException"),
        ] as [(String, String?)]
    )
    func name(body: String, header: String?) {
        let response = HTTPResponse(
            status: 400, headers: header.map { text in ["x-amzn-errortype": text] } ?? [:], body: SecretValue(body)
        )
        #expect(ServiceError(response)?.name == "NotAuthorizedException")
    }

    @Test(
        "an answer without a name is judged by its status",
        arguments: [
            (500, "<html>", ServiceErrorKind.serviceFault), (502, "", .serviceFault), (503, "\u{0}", .serviceFault),
            (403, "<html>", .refusedByFirewall), (405, "{}", .refusedByFirewall), (429, "", .throttled),
        ]
    )
    func status(status: Int, body: String, kind: ServiceErrorKind) {
        #expect(ServiceError(HTTPResponse(status: status, body: SecretValue(body)))?.kind == kind)
    }

    @Test(
        "a strange answer is no refusal of the service",
        arguments: [
            "", "<html>", "[]", #"{"__type":7}"#, #"{"__type":""}"#, #"{"__type":"a b"}"#, #"{"code":403}"#,
            #"{"Error":{"code":"NotAuthorizedException"}}"#, #"{"__type":"UserNotFoundException""#,
            // A parser that uses the first of two members and one that uses the last have different answers.
            #"{"__type":"UserNotFoundException","__type":"NotAuthorizedException"}"#,
            #"{"__type":"UserNotFoundException","message":"a","message":"b"}"#,
        ])
    func noName(body: String) {
        #expect(ServiceError(HTTPResponse(status: 400, body: SecretValue(body))) == nil)
    }

    @Test("a message is cleaned before it goes anywhere")
    func cleaned() {
        let error = ServiceError(name: "X", message: "a\n\u{1b}[2J\u{e9}" + String(repeating: "b", count: 500))
        #expect(error.cleanedMessage.hasPrefix("a??[2J??b"))
        #expect(error.cleanedMessage.utf8.count == 200)
    }
}
