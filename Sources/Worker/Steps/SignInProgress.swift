internal import CognitoIdentityProvider
internal import Tokens

/// The state of a sign-in: the answers of the user and of the service so far.
struct SignInProgress: ~Copyable {
    /// The attributes that may be asked for.
    static let mostAttributes = 10

    // From the person.

    /// The account's password, without a code behind it.
    var password: SecretValue?
    /// The last line.
    var answer: SecretValue?
    /// The API's name of the last choice.
    var choice = ""
    var chosen: ChallengeName? { ChallengeName(rawValue: choice) }
    var newPassword: SecretValue?
    /// The code for setting a new password.
    var resetCode: SecretValue?
    /// The request whose code a browser is to bring; nil: there is none, or it was used up.
    var authorization: AuthorizationRequest?
    /// Further requirements for the tokens, if they come through a browser.
    var browserProof: BrowserProof?
    /// Attributes that the user entered.
    var attributes: [(name: String, value: SecretValue)] = []
    /// Told to the user before the next prompt.
    var notice: Notice?

    /// This host, where the pool remembers it as the person's.
    var device: RememberedDevice?
    /// The first request, if a factor was chosen before.
    private(set) var preferred: ChallengeName?
    private let flow: SignInFlow

    // From the service.

    /// The challenge that waits for an answer.
    var challenge: Challenge?
    /// The USERNAME to answer with.
    private(set) var userName: String
    /// The key for an authenticator app that is being set up.
    var token: SoftwareToken?
    /// The names of the attributes that the person was not asked for yet.
    var missing: [String] = []
    /// The factors that can be chosen.
    private(set) var choices: [String] = []
    /// Its own words for the last refusal, fit to be shown.
    var explanation = ""
    /// The destination of a code for a new password, as far as it may be shown.
    var resetDelivery: CodeDelivery?
    /// The service's last refusal, if the user has proved nothing yet and is not told; for root's log.
    var withheld: StepFailure?
    /// The user has proved nothing yet. Nothing that depends on the account may be shown, above all whether it exists.
    let isAnonymous: Bool
    /// The last refusal, and its kind.
    var failure: StepFailure?
    var refusal: ServiceErrorKind?
    /// The tokens.
    private(set) var result: AuthenticationResult?

    init(userName: String, isAnonymous: Bool, device: RememberedDevice?, flow: SignInFlow) {
        self.userName = userName
        self.isAnonymous = isAnonymous
        self.device = device
        self.flow = flow
        preferred = flow.preferred?.challenge
    }

    /// The sign-in begins, or begins anew.
    mutating func begin(as loginName: String) {
        if challenge?.knownName == .webAuthn {
            preferred = chosen
        }
        challenge = nil
        userName = loginName
    }

    /// Removes the attributes that may be aliases of another user; returns their names.
    mutating func withdrawAliases() -> [String] {
        let aliases: Set<String> = ["email", "phone_number", "preferred_username"]
        let withdrawn = attributes.map(\.name).filter(aliases.contains)
        attributes.removeAll { attribute in aliases.contains(attribute.name) }
        return withdrawn
    }

    /// The question that the challenge is.
    var question: ChallengeQuestion? { challenge?.knownName?.question }

    /// Whether one of the factors to choose from needs a browser.
    var offersPasskey: Bool {
        challenge?.knownName == .webAuthn
            || challenge?.available.contains(ChallengeName.webAuthn.rawValue) ?? false
    }

    /// Keeps the service's next step, and says what it comes to.
    mutating func take(_ step: AuthenticationStep, _ position: SignInFlow.Position) -> SignInEvent {
        switch step {
        case .tokens(let result):
            self.result = result
            return .tokens
        case .challenge(let challenge):
            self.challenge = challenge
            guard let name = challenge.knownName, flow.allows(name, position) else {
                return .challenge(.foreign)
            }
            userName = challenge.userName ?? userName
            return understand(name, challenge)
        }
    }

    private mutating func understand(_ name: ChallengeName, _ challenge: Challenge) -> SignInEvent {
        guard name.question == nil else {
            return .challenge(.code)
        }
        switch name {
        case .passwordVerifier:
            return .challenge(.proof)
        case .password, .passwordSRP:
            return .challenge(.password)
        case .selectMFAType:
            return offer(
                challenge.list("MFAS_CAN_CHOOSE"), among: ChallengeName.codeKinds,
                one: .onlyCodeKind, several: .severalCodeKinds
            )
        case .selectChallenge:
            return offerFactors(
                challenge.available, one: .onlyFirstFactor, several: .severalFirstFactors, password: .onlyPassword)
        case .webAuthn:
            // A password is what most people have; where the service says what this person has, it decides.
            let others = challenge.available.filter { name in name != ChallengeName.webAuthn.rawValue }
            return offerFactors(
                others.isEmpty ? [ChallengeName.passwordSRP.rawValue] : others,
                one: .passkeyOrFactor, several: .passkeyOrFactors, password: .passkeyOrPassword
            )
        case .deviceSRPAuth:
            return .challenge(device != nil ? .device : .unanswerable)
        case .devicePasswordVerifier:
            return .challenge(device != nil ? .deviceProof : .unanswerable)
        case .newPasswordRequired:
            missing = challenge.list("requiredAttributes").compactMap { name in
                let prefix = "userAttributes."
                let bare = name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
                return bare.isEmpty || bare.utf8.count > 64 ? nil : bare
            }
            attributes = []
            return missing.count > Self.mostAttributes
                ? .challenge(.unanswerable) : .challenge(.newPassword, missing: missing.count)
        case .mfaSetup:
            let event = offer(
                challenge.list("MFAS_CAN_SETUP"), among: ChallengeName.setups,
                one: .setupApp, several: .severalSetups
            )
            return event == .challenge(.setupApp) && chosen == .emailCode ? .challenge(.setupAddress) : event
        case .customChallenge:
            return .challenge(.custom)
        default:
            return .challenge(.foreign)
        }
    }

    /// Offers those factors that this program supports.
    private mutating func offerFactors(
        _ offered: [String], one: ChallengeKind, several: ChallengeKind, password: ChallengeKind
    ) -> SignInEvent {
        let offered = offered.compactMap(ChallengeName.init).filter { name in
            !flow.excludesPassword || !name.isPassword
        }
        // One line for the password, sent or proved: proved, where there is the choice, or must be none.
        let isProvable = offered.contains(.passwordSRP) || !flow.allows(.password, .later)
        let event = offer(
            offered.filter { name in name != .password || !isProvable }.map(\.rawValue),
            among: ChallengeName.firstFactors, one: one, several: several
        )
        return event == .challenge(one) && chosen?.isPassword == true ? .challenge(password) : event
    }

    /// Keeps what of `offered` can be done here, in the order of `known`; a single choice is made already.
    private mutating func offer(
        _ offered: [String], among known: [String], one: ChallengeKind, several: ChallengeKind
    ) -> SignInEvent {
        choices = known.filter(offered.contains)
        choice = choices.first ?? ""
        return switch choices.count {
        case 0: .challenge(.unanswerable)
        case 1: .challenge(one)
        default: .challenge(several)
        }
    }
}
