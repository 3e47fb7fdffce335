internal import Base
internal import Commands
internal import Configuration
internal import LoginHooks
internal import Protocol
internal import Sessions
internal import Tokens

/// What a look at the way to Cognito found.
struct ReachedCognito: Equatable, Sendable {
    var address: String
    /// How long each part took, in milliseconds: the name, the connection, TLS, the answer.
    var nameTime: Int64
    var connectTime: Int64
    var tlsTime: Int64
    var answerTime: Int64
    /// By how many seconds this machine's clock is ahead; nil where the answer had no date.
    var clockAhead: Int64?
    /// How many keys the pool signs tokens with.
    var keys: Int64
    /// Who issued the last certificate that the server showed, and when its own expires, in the TLS library's words.
    var issuer: String
    var expires: String
    /// The server's public key, as it is pinned.
    var publicKey: String?
    /// The layers of the worker's sandbox that let pass what they should forbid, by its own trial.
    var openLayers: [String] = []
    /// What Cognito has against any sign-in of this configuration's kind, or that it has nothing; nil where that is not
    /// known.
    var signIn: String?
    /// Whether the app client has no refresh token revoked, as far as that shows.
    var refusesRevocation = false
    /// What Cognito makes of levels of authentication there, if that was asked and is known.
    var levels: String?
    /// How `key_set_file` differs from the key set that is shown there; nil: there is none, or none is shown.
    var keySetFile: String?
    /// The type of the pool's issuer, by the newest tokens that this machine has verified; nil: there were none.
    var issuerType: IssuerType?
    /// Managed login, where users of an identity provider sign in.
    var managedLogin: ManagedLoginFact?
}

/// The domain of managed login, and what it said to a request such as a sign-in's.
struct ManagedLoginFact: Equatable, Sendable {
    var domain: String
    /// `possible`, `unreachable`, `no_managed_login`, or the name of an error.
    var answer: String
}

/// What came of asking Cognito for the pool's public keys.
enum CognitoFact: Equatable, Sendable {
    case reached(ReachedCognito)
    /// The worker's words, and its reason; nil: it had none within the time.
    case failed(String, FailureReason?)
    /// The worker could not do its work; why, and where that lies.
    case noWorker(String, Fault.Cause)
}

extension AuthenticationFlow {
    /// Its name at the API.
    var name: String {
        switch self {
        case .secureRemotePassword: "USER_SRP_AUTH"
        case .password: "USER_PASSWORD_AUTH"
        case .choice, .stepUp: "USER_AUTH"
        case .custom, .customAfterProof: "CUSTOM_AUTH"
        }
    }
}

extension CognitoFact {
    /// What a worker says; `observe` gets what keeps it in, while it waits.
    ///
    /// - Parameter asksForLevels: Whether a level of authentication is required of any user.
    init(asking settings: Settings, levels asksForLevels: Bool, observe: (WorkerFacts) -> Void) {
        let sign = ProgressSign()
        defer { sign.end() }
        do throws(Fault) {
            let outcome = try LinuxMachine().probe(
                settings, flow: settings.worker.federated == .only ? nil : settings.beginning(.signIn).flow,
                levels: asksForLevels
            ) { worker in
                if let facts = WorkerFacts(of: worker) {
                    observe(facts)
                }
            }
            switch outcome {
            case .reached(let report):
                var reached = JSONValue(parsing: report).map(ReachedCognito.init)
                if settings.keySetFile != nil {
                    // The worker was given the administrator's keys, not what was kept.
                    let kept = LinuxMachine().keySet(ofPool: settings.userPoolID)
                    reached?.issuerType = kept.flatMap(KeptKeySet.init(parsing:))?.issuerType
                }
                if let answer = JSONValue(parsing: report)?["managed_login"]?.text {
                    reached?.managedLogin = ManagedLoginFact(
                        domain: text(settings.worker.managedLoginDomain ?? []), answer: answer)
                }
                self = reached.map(CognitoFact.reached) ?? .noWorker("it said nothing understandable", .installation)
            case .failed(let reason, let words):
                self = .failed(text(words), reason)
            case .outOfTime:
                self = .failed("there was no answer within network_timeout.", nil)
            }
        } catch {
            self = .noWorker(text(error.line.bytes), error.cause)
        }
    }
}

extension ReachedCognito {
    init(_ report: JSONValue) {
        func milliseconds(_ name: String) -> Int64 { (report[name]?.seconds ?? 0) / 1000 }
        let certificates = report["certificates"]?.elements ?? []
        self.init(
            address: report["address"]?.text ?? "", nameTime: milliseconds("name_us"),
            connectTime: milliseconds("connect_us"), tlsTime: milliseconds("tls_us"),
            answerTime: milliseconds("answer_us"), clockAhead: report["clock_ahead"]?.seconds,
            keys: report["keys"]?.seconds ?? 0, issuer: certificates.last?["issuer"]?.text ?? "",
            expires: certificates.first?["expires"]?.text ?? "", publicKey: report["public_key"]?.text,
            openLayers: (report["open_layers"]?.elements ?? []).compactMap(\.text), signIn: report["sign_in"]?.text,
            refusesRevocation: report["revocation"]?.text == "off", levels: report["levels"]?.text,
            keySetFile: report["key_set_file"]?.text,
            issuerType: report["issuer_type"]?.text.flatMap(IssuerType.init))
    }

    /// One line for when all is well.
    func summary(_ settings: Settings, proxy: String?) -> String {
        let pool = text(settings.userPoolID)
        let pinned = settings.worker.pinnedPublicKeys == nil ? "" : ", which is pinned"
        let key = publicKey.map { key in ", public key \(key)\(pinned)" } ?? ""
        let clock = clockAhead.map { seconds in ", clock \(seconds) s ahead" } ?? ""
        let issuerText =
            issuerType.map { type in
                "issuer type \(type.rawValue): \(type.issuer(ofPool: pool, in: Region(ofPool: pool)))"
            } ?? "the issuer type shows in a sign-in only"
        let times = "name \(nameTime), connection \(connectTime), TLS \(tlsTime)"
        return "\(settings.host) answered in \(answerTime) ms (\(times)) at \(address)"
            + (proxy.map { proxy in " through the proxy \(proxy)" } ?? "")
            + ", certificate by \(issuer) until \(expires)"
            + "\(key)\(clock), \(keys) keys; client id, secret and flow "
            + (signIn == "possible" ? "are accepted" : "show in a sign-in only") + "; \(issuerText)"
    }
}
