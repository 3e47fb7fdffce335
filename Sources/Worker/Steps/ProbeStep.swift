internal import CognitoIdentityProvider
internal import Cryptography
internal import HTTPClient
internal import Protocol
internal import Tokens

/// Tests the connection to Cognito for the administrator of this machine. It fetches the pool's key set, which is
/// public, and begins a sign-in with a name that no user has, to find refusals that concern every user. No user is
/// signed in, and no message is sent.
struct ProbeStep {
    private let conversation: Conversation
    private let client: CognitoClient
    private let keys: KeySource
    private let openLayers: () -> [String]
    /// With what sign-ins begin; nil: none is begun.
    private let flow: AuthenticationFlow?
    /// Levels that no pool has; none: there is nothing to find out about them.
    private let levels: [String]
    /// The way through a browser, where the administrator wants one.
    private let browser: BrowserSignIn?

    init(
        _ frame: borrowing Frame, _ conversation: Conversation, _ surroundings: StepSurroundings
    ) throws(StepFailure) {
        self.conversation = conversation
        openLayers = surroundings.openLayers
        flow = frame.code(.flow, AuthenticationFlow.self)
        levels = frame.list(.requiredACR).compactMap { level in StepSurroundings.text(level) }
        client = try surroundings.client(for: frame)
        browser = try surroundings.browserSignIn(frame, loginName: "")
        keys = KeySource(frame, client: client, conversation, surroundings.clock)
    }

    func run() throws(StepFailure) {
        let keySet = try keys.isFixed ? keys.keys() : keys.fetchAnywhere()
        let comparison = keys.isFixed ? try compare(keySet) : nil
        // From the first request. Later requests use the same connection.
        let connection = client.connection
        var report: [String: JSONValue] = ["keys": .integer(Int64(keySet.count))]
        report["key_set_file"] = comparison.map(JSONValue.string)
        report["issuer_type"] = keys.issuerType.map { type in .string(type.rawValue) }
        report["clock_ahead"] = client.clockSkew.map(JSONValue.integer)
        if let flow {
            report["sign_in"] = obstacle(to: flow).map(JSONValue.string)
            report["revocation"] = refusesRevocation ? .string("off") : nil
        }
        if let browser {
            report["managed_login"] = .string(try browser.answer(by: client))
        }
        report["levels"] = levels.isEmpty ? nil : attentionToLevels.map(JSONValue.string)
        report["open_layers"] = .array(openLayers().map(JSONValue.string))
        if let connection {
            report["address"] = .string(connection.address)
            report["name_us"] = .integer(connection.nameMicroseconds)
            report["connect_us"] = .integer(connection.connectMicroseconds)
            report["tls_us"] = .integer(connection.tlsMicroseconds)
            report["answer_us"] = .integer(connection.answerMicroseconds)
            report["public_key"] = connection.publicKeyPin.map(JSONValue.string)
            report["certificates"] = .array(
                connection.certificates.prefix(8).map { fields in
                    .object([
                        "subject": .string(PromptText.cleaned(fields["Subject"] ?? "", limit: 200)),
                        "issuer": .string(PromptText.cleaned(fields["Issuer"] ?? "", limit: 200)),
                        "expires": .string(PromptText.cleaned(fields["Expire date"] ?? "", limit: 60)),
                    ])
                })
        }
        var writer = FrameWriter(.probed)
        writer.add(.report, JSONValue.object(report).serialized ?? [])
        guard let message = try? writer.finish() else {
            throw StepFailure(.internalFault, "The result does not fit into one message.")
        }
        _ = conversation.send(message)
    }

    /// How the administrator's key set differs from the one that Cognito shows; nil where it shows none, as at a
    /// private endpoint.
    private func compare(_ fixed: KeySet) throws(StepFailure) -> String? {
        let bytes: [UInt8]
        do {
            bytes = try client.keySet()
        } catch {
            switch error {
            // Something has answered.
            case .service, .malformed: return nil
            case .transport, .outOfTime, .challenge, .local: throw StepFailure(signIn: error)
            }
        }
        guard let shown = KeySet(parsing: bytes) else {
            return nil
        }
        let missing = shown.count(where: { identifier in !fixed.has(identifier) })
        return missing == 0 ? "same" : missing == shown.count ? "other" : "older"
    }

    /// A name that no user has.
    private var nobody: String {
        String(UInt64.random(in: .min ... .max), radix: 16)
    }

    /// A password, or a token, that no user has; nil without memory.
    private var nobodysSecret: SecretValue? {
        let text = Array(nobody.utf8)
        return SecretValue(copying: unsafe text.span.bytes)
    }

    /// Returns Cognito's objection to beginning any sign-in with this flow; nil if there was none.
    private func obstacle(to flow: AuthenticationFlow) -> String? {
        guard let publicText = try? SecureRemotePassword().publicText(), let password = nobodysSecret else {
            return nil
        }
        let name = nobody
        do throws(CognitoError) {
            // A third of the time, since the others' answers are worth having without this one.
            let step = try client.once(within: client.timeLeft / 3) { () throws(CognitoError) in
                switch flow {
                case .secureRemotePassword: try client.beginSRP(userName: name, publicText: publicText, .never)
                case .password: try client.begin(userName: name, password: password)
                case .choice, .stepUp:
                    try client.beginChoice(
                        userName: name, preferred: ChallengeName.passwordSRP.rawValue,
                        parameters: ["SRP_A": .string(publicText)], .never)
                case .custom: try client.beginCustom(userName: name, publicText: nil)
                case .customAfterProof: try client.beginCustom(userName: name, publicText: publicText)
                }
            }
            if case .tokens(let result) = step, let token = result.refreshToken {
                try? client.revoke(refreshToken: token)
            }
            return "possible"
        } catch {
            guard case .service(let refusal) = error else {
                return nil
            }
            return switch refusal.kind {
            case .refused, .userNotFound: "possible"
            case .clientNotFound: "no_client"
            case .clientSecret: "no_secret"
            case .flowNotEnabled: "no_flow"
            case .operationNotSupported where flow == .choice: "no_plan"
            case .operationNotEnabled: "not_enabled"
            default: nil
            }
        }
    }

    /// Whether the app client has no refresh token revoked, by its answer to one that there is not. Where it does not
    /// show, it does.
    private var refusesRevocation: Bool {
        guard let token = nobodysSecret else {
            return false
        }
        do throws(CognitoError) {
            try client.once(within: client.timeLeft / 3) { () throws(CognitoError) in
                try client.revoke(refreshToken: token)
            }
            return false
        } catch {
            return error.saysUnsupported
        }
    }

    /// Asks for a level that no pool has, with a name that no user has, and returns the result; nil if it is not
    /// conclusive.
    private var attentionToLevels: String? {
        guard let publicText = try? SecureRemotePassword().publicText() else {
            return nil
        }
        do throws(CognitoError) {
            let step = try client.beginChoice(
                userName: nobody, preferred: ChallengeName.passwordSRP.rawValue,
                parameters: [
                    "SRP_A": .string(publicText), "TARGET_ACR_VALUES": .string(levels.joined(separator: " ")),
                ], .never)
            if case .challenge = step {
                return "ignored"
            }
            return nil
        } catch {
            guard case .service(let refusal) = error else {
                return nil
            }
            return switch refusal.kind {
            case .invalidRequest: "offered"
            case .flowNotEnabled: "no_flow"
            case .operationNotSupported: "no_plan"
            default: nil
            }
        }
    }
}
