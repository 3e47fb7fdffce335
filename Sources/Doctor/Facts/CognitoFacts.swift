internal import Base
internal import Commands
internal import Configuration
internal import Protocol
internal import Sessions
internal import Tokens

/// What a look at the way to Cognito found: the worker's report (ProbeStep).
struct ReachedCognito: Equatable, Sendable {
    var report: JSONValue
    /// The type of the pool's issuer, by the newest tokens that this machine has verified; nil: there were none.
    var issuerType: IssuerType?

    init(_ report: JSONValue) {
        self.report = report
        issuerType = self["issuer_type"].flatMap(IssuerType.init)
    }

    subscript(name: String) -> String? { report[name]?.text }

    /// How long a part took, in milliseconds: the name, the connection, TLS, the answer.
    func milliseconds(_ name: String) -> Int64 { (report["\(name)_us"]?.seconds ?? 0) / 1000 }

    /// By how many seconds this machine's clock is ahead; nil where the answer had no date.
    var clockAhead: Int64? { report["clock_ahead"]?.seconds }
    /// The layers of the worker's sandbox that let pass what they should forbid, by its own trial.
    var openLayers: [String] { report["open_layers"]?.elements?.compactMap(\.text) ?? [] }
    /// What Cognito has against any sign-in of this configuration's kind, or that it has nothing; nil where that is not
    /// known.
    var signIn: String? { self["sign_in"] }
    /// What Cognito makes of levels of authentication there, if that was asked and is known.
    var levels: String? { self["levels"] }
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
                self = reached.map(CognitoFact.reached) ?? .noWorker("the worker's report was not valid", .installation)
            case .failed(let reason, let words):
                self = .failed(text(words), reason)
            case .outOfTime:
                self = .failed("no response arrived within network_timeout.", nil)
            }
        } catch {
            self = .noWorker(text(error.line.bytes), error.cause)
        }
    }
}

extension ReachedCognito {
    func summary(_ settings: Settings, proxy: String?) -> String {
        let pool = text(settings.userPoolID)
        let pinned = settings.worker.pinnedPublicKeys == nil ? "" : ", which is pinned"
        let key = self["public_key"].map { key in ", public key \(key)\(pinned)" } ?? ""
        let clock = clockAhead.map { seconds in ", clock \(seconds) s ahead" } ?? ""
        let issuer =
            issuerType.map { type in
                "issuer type \(type.rawValue): \(type.issuer(ofPool: pool, in: Region(ofPool: pool)))"
            } ?? "the issuer type is known only after a sign-in"
        let times = ["name", "connect", "tls", "answer"].map(milliseconds)
        let certificates = report["certificates"]?.elements ?? []
        return "\(settings.host) answered in \(times[3]) ms (name \(times[0]), connection \(times[1]), TLS \(times[2]))"
            + " at \(self["address"] ?? "")" + (proxy.map { proxy in " through the proxy \(proxy)" } ?? "")
            + ", certificate from \(certificates.last?["issuer"]?.text ?? ""), valid until "
            + "\(certificates.first?["expires"]?.text ?? "")\(key)\(clock), "
            + "\(report["keys"]?.seconds ?? 0) keys; client id, secret and flow "
            + (signIn == "possible" ? "are accepted" : "are checked only by a sign-in") + "; \(issuer)"
    }
}
