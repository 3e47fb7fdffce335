internal import Protocol

/// The challenges that there are (ChallengeName of the API).
package enum ChallengeName: String, CaseIterable, Sendable {
    case passwordVerifier = "PASSWORD_VERIFIER"
    case password = "PASSWORD"
    case passwordSRP = "PASSWORD_SRP"
    case selectChallenge = "SELECT_CHALLENGE"
    case webAuthn = "WEB_AUTHN"
    case emailCode = "EMAIL_OTP"
    case messageCode = "SMS_OTP"
    case customChallenge = "CUSTOM_CHALLENGE"
    case newPasswordRequired = "NEW_PASSWORD_REQUIRED"
    case selectMFAType = "SELECT_MFA_TYPE"
    case mfaSetup = "MFA_SETUP"
    case softwareTokenMFA = "SOFTWARE_TOKEN_MFA"
    case messageMFA = "SMS_MFA"
    case deviceSRPAuth = "DEVICE_SRP_AUTH"
    case devicePasswordVerifier = "DEVICE_PASSWORD_VERIFIER"
    /// Of AdminInitiateAuth, which this program never calls.
    case adminNoSRPAuth = "ADMIN_NO_SRP_AUTH"
}

extension SignInFlow {
    /// Where in a sign-in a challenge comes.
    enum Place {
        /// In answer to InitiateAuth.
        case first
        /// In answer to an answer.
        case later
    }

    /// The challenges that may come at `place`. Which of them does is for the service to say, and no other: else an endpoint
    /// that is not Cognito's would only have to ask for the password in the clear.
    func challenges(_ place: Place) -> Set<ChallengeName> {
        switch (kind, place) {
        case (.secureRemotePassword, .first), (.customAfterProof, .first): [.passwordVerifier]
        case (.secureRemotePassword, .later), (.password, _): Self.afterFirstFactor
        case (.custom, _), (.customAfterProof, .later): Self.afterFirstFactor.union([.customChallenge])
        // A password that the administrator wants proved is not sent because nothing else is offered.
        case (.choice, _): preferred == .proof ? Self.chosen.subtracting([.password]) : Self.chosen
        }
    }

    /// What can follow any first factor.
    private static let afterFirstFactor: Set<ChallengeName> = [
        .newPasswordRequired, .selectMFAType, .mfaSetup, .softwareTokenMFA, .messageMFA, .emailCode, .deviceSRPAuth,
        .devicePasswordVerifier,
    ]

    /// What there can be where the person chooses.
    private static let chosen = afterFirstFactor.union([
        .selectChallenge, .password, .passwordSRP, .passwordVerifier, .messageCode, .webAuthn,
    ])
}
