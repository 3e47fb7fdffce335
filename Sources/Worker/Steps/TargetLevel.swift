internal import CognitoIdentityProvider
internal import Messages
internal import Protocol
internal import Tokens

/// The level that a sign-in must come to, where one is required.
struct TargetLevel {
    /// One of these, the first one first.
    let levels: [String]
    /// The session to begin from; nil: from nothing.
    let held: HeldSession?

    /// A session from which only what is missing is asked for.
    struct HeldSession {
        let session: Session
        /// For how many seconds after its sign-in what was proved then counts.
        let maxAge: Int64
    }

    /// Reads the required level from `frame`; nil if none is required.
    init?(_ frame: borrowing Frame, _ flow: AuthenticationFlow, of pool: UserPool) throws(StepFailure) {
        let levels = frame.list(.requiredACR).compactMap { level in StepSurroundings.text(level) }
        switch (flow, frame.number(.maxAge)) {
        case (.stepUp, let maxAge?) where !levels.isEmpty:
            held = HeldSession(session: try Session(from: frame, of: pool), maxAge: maxAge)
        case (.stepUp, _):
            throw StepFailure(.internalFault, "The calling program sent a step-up request without a required value.")
        default:
            guard !levels.isEmpty else {
                return nil
            }
            held = nil
        }
        self.levels = levels
    }

    /// The parameters for InitiateAuth.
    var parameters: [String: JSONValue] {
        var parameters = ["TARGET_ACR_VALUES": JSONValue.string(levels.joined(separator: " "))]
        if let held {
            parameters["ACCESS_TOKEN"] = .secret(held.session.accessToken)
            parameters["MAX_AGE"] = .string("\(held.maxAge)")
        }
        return parameters
    }

    /// How far clocks may differ, in seconds.
    private static var clockTolerance: Int64 { 60 }

    /// Whether `new`, asked for at `begin`, answer that request: the root side judges the level.
    func check(_ new: VerifiedTokens, since begin: Int64, heldBy subject: String?) throws(StepFailure) {
        guard let issuedAt = new.issuedAt, issuedAt >= begin - Self.clockTolerance else {
            throw StepFailure(
                .levelNotReached,
                "The tokens are older than the request according to this machine's clock: check the clock. If "
                    + "the clock is correct, another server may be answering in Cognito's place.")
        }
        guard held == nil || subject.map({ subject in Array(subject.utf8) }) == Array(new.subject.utf8) else {
            throw StepFailure(
                .otherIdentity, "The new tokens belong to a different user (sub) than the session's tokens.")
        }
    }
}

extension StepFailure {
    /// Why Cognito does not begin a sign-in that must come to a level.
    init(_ error: CognitoError, beginning target: TargetLevel) {
        self.init(signIn: error)
        guard case .service(let refusal) = error else {
            return
        }
        let sentence: String
        switch refusal.kind {
        case .operationNotSupported:
            sentence =
                "The user pool does not support authentication levels (required_acr), which need the "
                + "Essentials or Plus feature plan. "
                + "Change the plan, or remove required_acr."
        case .flowNotEnabled:
            sentence =
                "The app client does not allow USER_AUTH, which required_acr needs: enable ALLOW_USER_AUTH in "
                + "the app client."
        case .invalidRequest where target.held != nil:
            sentence =
                "Cognito refused the step-up: the user has not set up a factor for the levels in required_acr, "
                + "the pool does not offer these levels, or the session already has a higher level. If the session "
                + "has a higher level, add that level to required_acr."
        case .invalidRequest:
            sentence =
                "Cognito refused a sign-in with the levels in required_acr: the user has not set up a factor for these "
                + "levels, or the pool offers none of these levels."
        default:
            return
        }
        // A stranger must not learn whether the user has a further factor.
        self.init(
            .levelNotReached, "\(sentence) Cognito said: \(refusal.name): \(refusal.cleanedMessage)",
            text: target.held == nil ? nil : WorkerWording.levelNotReached)
    }
}
