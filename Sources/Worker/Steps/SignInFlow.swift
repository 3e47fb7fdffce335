internal import Protocol

/// With what a sign-in begins.
struct SignInFlow {
    let kind: AuthenticationFlow
    let preferred: PreferredFactor?
    let combinesCode: Bool
    var target: TargetLevel?

    /// Whether the proof of a password can be begun without it, and the service sends nobody anything for that.
    var canBeginUnasked: Bool {
        kind == .secureRemotePassword || kind == .choice && preferred == .proof
    }

    /// Whether the password was proved before, and may not be asked for.
    var excludesPassword: Bool { kind == .stepUp }

    /// Whether the password is asked for before anything else.
    var beginsWithPassword: Bool {
        switch kind {
        case .secureRemotePassword, .password, .customAfterProof: true
        case .custom, .stepUp: false
        case .choice: preferred == .proof || preferred == .password
        }
    }
}

extension PreferredFactor {
    var challenge: ChallengeName {
        switch self {
        case .proof: .passwordSRP
        case .password: .password
        case .emailCode: .emailCode
        case .messageCode: .messageCode
        }
    }
}
