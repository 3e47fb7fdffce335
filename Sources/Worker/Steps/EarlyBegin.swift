internal import CognitoIdentityProvider
internal import Protocol
internal import Tokens

/// Prepares a sign-in while the user types the first answer: the connection, and the beginning of a proof if the flow
/// has one.
///
/// Its result is not reported. It is ready when the password is entered; or it is too old or was refused, and then the
/// sign-in begins after the answer as usual.
final class EarlyBegin {
    /// Milliseconds after which a challenge is too old for a proof. Amazon's documents want the proof within a few
    /// seconds, and Cognito may call a later one a wrong password.
    static let longestLife: Int64 = 3_000

    private let preconnection: Preconnection
    private let flow: SignInFlow
    private let loginName: String
    private let client: CognitoClient
    private let keys: KeySource
    private let clock: any Clock
    private var begun: BegunProof?
    private var isOver = false

    init(
        _ preconnection: Preconnection, _ flow: SignInFlow, loginName: String, client: CognitoClient, keys: KeySource,
        clock: any Clock
    ) {
        self.preconnection = preconnection
        self.flow = flow
        self.loginName = loginName
        self.client = client
        self.keys = keys
        self.clock = clock
    }

    /// Whether there is something to do while the person is typing.
    var isDue: Bool {
        preconnection != .nothing && !isOver
    }

    func run() {
        guard preconnection == .begin, flow.canBeginUnasked else {
            return keys.preload()
        }
        // Tokens wait for no keys, and a proof for no tokens: without keys it would grow old.
        if !keys.isKnown {
            keys.preload()
        }
        if keys.isKnown {
            begin()
        }
    }

    /// The proof that was begun, once; nil where there is none that can still be given. The sign-in begins with this:
    /// from here on there is nothing to go ahead of.
    func take() -> BegunProof? {
        isOver = true
        guard let begun = begun.take(), clock.milliseconds() - begun.begunAt < Self.longestLife else {
            return nil
        }
        return begun
    }

    private func begin() {
        guard let exchange = try? SecureRemotePassword(), let publicText = try? exchange.publicText() else {
            return
        }
        let begunAt = clock.milliseconds()
        // The user who has answered waits for it, and needs the rest of the step's time; what comes later is too old.
        let limit = min(Self.longestLife, client.timeLeft / 3)
        let answer = try? client.once(within: limit) { () throws(CognitoError) in
            try flow.kind == .choice
                ? client.beginChoice(
                    userName: loginName, preferred: flow.preferred?.challenge.rawValue,
                    parameters: ["SRP_A": .string(publicText)].merging(flow.target?.parameters ?? [:]) { _, new in new
                    },
                    .never)
                : client.beginSRP(userName: loginName, publicText: publicText, .never)
        }
        switch answer {
        case .challenge(let challenge) where challenge.knownName == .passwordVerifier:
            begun = BegunProof(exchange: exchange, begunAt: begunAt, challenge: challenge)
        case .tokens(let result):
            // These tokens were obtained without a password, so they belong to no user.
            if let token = result.refreshToken {
                try? client.revoke(refreshToken: token)
            }
        case .challenge, nil:
            break
        }
    }
}

/// A proof of a password that was begun without it.
struct BegunProof: ~Copyable {
    let exchange: SecureRemotePassword
    /// When InitiateAuth was sent: Cognito's challenge is no older.
    let begunAt: Int64
    let challenge: Challenge
}
