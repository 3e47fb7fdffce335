internal import CognitoIdentityProvider
internal import Cryptography
internal import HTTPClient
internal import Protocol
internal import Tokens

/// Looking at the way to Cognito, for whoever administers this machine: the pool's key set is fetched, which anybody may, and
/// nobody is signed in.
struct ProbeStep {
    private let conversation: Conversation
    private let client: CognitoClient
    private let transport: any HTTPTransport
    private let openLayers: () -> [String]
    /// Levels that no pool has; none: there is nothing to find out about them.
    private let levels: [String]

    init(
        _ frame: borrowing Frame, _ conversation: Conversation, _ surroundings: StepSurroundings
    ) throws(StepFailure) {
        self.conversation = conversation
        openLayers = surroundings.openLayers
        levels = frame.list(.requiredACR).compactMap { level in StepSurroundings.text(level) }
        (client, transport) = try surroundings.client(for: frame, describingConnections: true)
    }

    func run() throws(StepFailure) {
        let keys = KeySource(client: client, given: nil)
        let count = try keys.keys().count
        var report: [String: JSONValue] = ["keys": .integer(Int64(count))]
        report["clock_ahead"] = client.clockSkew.map(JSONValue.integer)
        report["levels"] = levels.isEmpty ? nil : attentionToLevels.map(JSONValue.string)
        report["open_layers"] = .array(openLayers().map(JSONValue.string))
        if let connection = transport.connection {
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
            throw StepFailure(.internalFault, "What was found out does not fit into one message.")
        }
        _ = conversation.send(message)
    }

    /// What becomes of a level that no pool has, asked for in the name of nobody; nil where that says nothing. Nobody is sent anything.
    private var attentionToLevels: String? {
        guard let publicText = try? SecureRemotePassword().publicText() else {
            return nil
        }
        let name = String(UInt64.random(in: .min ... .max), radix: 16)
        do throws(CognitoError) {
            let step = try client.beginChoice(
                userName: name, preferred: "PASSWORD_SRP",
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
