internal import CognitoIdentityProvider
internal import Messages
internal import Protocol

/// The challenges that there are (ChallengeName of the API).
///
/// One that is a single question needs nothing but its rows here, and its words: see `question`. What else there is, is
/// decided in `SignInProgress.understand`.
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
    /// Of AdminInitiateAuth, which this program does not call.
    case adminNoSRPAuth = "ADMIN_NO_SRP_AUTH"
}

extension Challenge {
    /// Nil for one that this program does not know.
    var knownName: ChallengeName? { ChallengeName(rawValue: name) }
}

extension ChallengeName {
    /// Whether it is about the password, sent or proved.
    var isPassword: Bool { self == .password || self == .passwordSRP }

    /// The stages of a sign-in in which a challenge belongs.
    enum Stage {
        /// The proof of the password.
        case proof
        /// Can follow any first factor.
        case afterFirstFactor
        /// Asks the user to choose a first factor.
        case choice
        /// The pool's own questions.
        case custom
        case never
    }

    var stage: Stage {
        switch self {
        case .passwordVerifier: .proof
        case .newPasswordRequired, .selectMFAType, .mfaSetup, .softwareTokenMFA, .messageMFA, .emailCode,
            .deviceSRPAuth, .devicePasswordVerifier:
            .afterFirstFactor
        case .selectChallenge, .password, .passwordSRP, .messageCode, .webAuthn: .choice
        case .customChallenge: .custom
        case .adminNoSRPAuth: .never
        }
    }

    /// The prompt of a challenge that is one prompt for a code; nil for every other challenge.
    var question: ChallengeQuestion? {
        switch self {
        case .softwareTokenMFA:
            ChallengeQuestion("SOFTWARE_TOKEN_MFA_CODE", .app, label: ChallengeWording.app)
        case .messageMFA:
            ChallengeQuestion("SMS_MFA_CODE", .sent(ChallengeWording.messageCode), label: ChallengeWording.message)
        case .messageCode:
            ChallengeQuestion("SMS_OTP_CODE", .sent(ChallengeWording.messageCode), label: ChallengeWording.message)
        case .emailCode:
            ChallengeQuestion("EMAIL_OTP_CODE", .sent(ChallengeWording.mailCode), label: ChallengeWording.mail)
        case .passwordVerifier, .password, .passwordSRP, .selectChallenge, .webAuthn, .customChallenge,
            .newPasswordRequired, .selectMFAType, .mfaSetup, .deviceSRPAuth, .devicePasswordVerifier, .adminNoSRPAuth:
            nil
        }
    }

    /// The names in SELECT_MFA_TYPE for kinds of codes, in the order of the menu.
    static let codeKinds = [
        softwareTokenMFA.rawValue, emailCode.rawValue, otherEmailCode, messageMFA.rawValue,
    ]
    /// The same of first factors (SELECT_CHALLENGE).
    static let firstFactors = [passwordSRP, password, emailCode, messageCode].map(\.rawValue)
    /// The same of what can be set up (MFA_SETUP).
    static let setups = [softwareTokenMFA, emailCode].map(\.rawValue)
    /// EMAIL_OTP, as SELECT_MFA_TYPE may call it.
    private static let otherEmailCode = "EMAIL_MFA"

    /// The line in a menu for something that can be chosen.
    static func label(_ choice: String) -> Phrase {
        let name = ChallengeName(rawValue: choice == otherEmailCode ? emailCode.rawValue : choice)
        return name?.question?.label ?? ChallengeWording.password
    }
}

/// A challenge that is one question.
struct ChallengeQuestion {
    /// How the question is put.
    enum Prompt {
        /// For an authenticator app, which may have a name.
        case app
        /// With where the code was sent.
        case sent(Phrase)
    }

    /// The member of ChallengeResponses that the answer is sent as.
    let response: String
    let prompt: Prompt
    /// Its line in a menu.
    let label: Phrase

    init(_ response: String, _ prompt: Prompt, label: Phrase) {
        self.response = response
        self.prompt = prompt
        self.label = label
    }
}

extension SignInFlow {
    /// The position of a challenge in a sign-in.
    enum Position {
        /// In answer to InitiateAuth.
        case first
        /// In answer to an answer.
        case later
    }

    private static var furtherFactors: Set<ChallengeName> {
        [.selectMFAType, .selectChallenge, .softwareTokenMFA, .messageMFA, .messageCode, .emailCode]
    }

    /// Whether a challenge may come there. Which of them does is for the service to say, and no other: else an endpoint
    /// that is not Cognito's would only have to ask for the password in the clear.
    func allows(_ name: ChallengeName, _ position: Position) -> Bool {
        switch (kind, position, name.stage) {
        case (_, _, .never): false
        case (.secureRemotePassword, .first, let stage), (.customAfterProof, .first, let stage):
            stage == .proof
        case (.secureRemotePassword, .later, let stage), (.password, _, let stage):
            stage == .afterFirstFactor
        case (.custom, _, let stage), (.customAfterProof, .later, let stage):
            stage == .afterFirstFactor || stage == .custom
        // A missing factor, but never the password, which was proved before.
        case (.stepUp, _, _): Self.furtherFactors.contains(name)
        // A password that the administrator wants proved is not sent because nothing else is offered.
        case (.choice, _, let stage): stage != .custom && (name != .password || preferred != .proof)
        }
    }
}
