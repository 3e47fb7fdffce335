internal import Protocol

/// With what a sign-in begins.
struct SignInFlow {
    let kind: AuthenticationFlow
    let preferred: PreferredFactor?
    let combinesCode: Bool
    var target: TargetLevel?
    /// The way through a browser; nil where there is none.
    var browser: BrowserSignIn?

    /// Whether the proof of a password can be begun without the password, and the service sends no message because of
    /// that.
    var canBeginUnasked: Bool {
        browser?.isOnly != true && isProof
    }

    private var isProof: Bool {
        kind == .secureRemotePassword || kind == .choice && preferred == .proof
    }

    /// Whether the password was proved before, and may not be asked for.
    var excludesPassword: Bool { kind == .stepUp }

    /// With what the dialogue begins.
    var beginning: SignInEvent {
        browser?.isOnly == true ? .beginInBrowser : .begin(withPassword: beginsWithPassword)
    }

    /// Whether the password is asked for before anything else. With Enter alone at its prompt the user chooses a
    /// browser.
    private var beginsWithPassword: Bool {
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
