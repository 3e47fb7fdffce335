internal import Base
internal import CLinux
internal import Commands
internal import Configuration
internal import LinuxHost
internal import LoginHooks
internal import Messages
internal import Protocol
internal import Sessions
internal import Tokens

/// One certificate of a server's.
struct CertificateFact: Equatable, Sendable {
    var subject: String
    var issuer: String
    /// When it ends, in the TLS library's words.
    var expires: String
}

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
    /// The server's own first.
    var certificates: [CertificateFact]
    /// The server's public key, as it is pinned.
    var publicKey: String?
    /// The layers of the worker's sandbox that let pass what they should forbid, by its own trial.
    var openLayers: [String] = []
    /// What Cognito has against any sign-in of this configuration's kind, or that it has nothing; nil where that is not known.
    var signIn: String?
    /// Whether the app client has no refresh token revoked, as far as that shows.
    var refusesRevocation = false
    /// What Cognito makes of levels of authentication there, if that was asked and is known.
    var levels: String?
    /// How `key_set_file` differs from the key set that is shown there; nil: there is none, or none is shown.
    var keySetFile: String?
    /// The type of the pool's issuer, by the newest tokens that this machine has verified; nil: there were none.
    var issuerType: IssuerType?
}

/// What came of asking Cognito for what anybody may ask: the pool's keys.
enum CognitoFact: Equatable, Sendable {
    case reached(ReachedCognito)
    /// The worker's words, and its reason; nil: it had none within the time.
    case failed(String, FailureReason?)
    /// The worker could not do its work; why, and where that lies.
    case noWorker(String, Fault.Cause)
}

/// The way to Cognito.
struct CognitoExamination {
    /// One line for when all is well.
    let summary: String
    /// What was found.
    let findings: [Finding]
    /// Whether no answer came from there.
    private let isUnreachable: Bool

    /// Proofs of passwords are refused when the clocks differ by about that much, in seconds; no document of Amazon's says so.
    private static let largestOffset: Int64 = 300
    private static let worryingOffset: Int64 = 20

    /// Examines it.
    ///
    /// - Parameters:
    ///   - host: Whom the worker asks.
    ///   - pool: The user pool's id.
    ///   - proxy: What workers go through; nil: nothing.
    ///   - isPinned: Whether the server's public key had to be one of those that are set.
    ///   - flow: With what sign-ins begin, by its name at the API.
    ///   - revoking: Pool and app client, where a logout has refresh tokens revoked (`sign_out`).
    ///   - secretFile: `client_secret_file`.
    ///   - keySetFile: `key_set_file`, and where the pool's key set is.
    ///   - hasProxy: Whether the environment names a proxy, which workers do not use.
    ///   - sandbox: Why layers of the worker's sandbox may be missing.
    init(
        _ fact: CognitoFact, host: String, pool: String, path: String, connectTimeout: Int64, proxy: String? = nil,
        isPinned: Bool = false, hasProxy: Bool, flow: String = "USER_SRP_AUTH",
        revoking: (pool: String, client: String)? = nil, secretFile: String? = nil,
        keySetFile: (path: String, address: String)? = nil,
        sandbox: SandboxSupport
    ) {
        if case .failed = fact {
            isUnreachable = true
        } else {
            isUnreachable = false
        }
        switch fact {
        case .noWorker(let why, let cause):
            summary = ""
            let mend: String? =
                switch cause {
                case .installation: DoctorWording.reinstall
                case .keyrings: DoctorWording.allowKeyrings
                // The words say what to do, and there is no one command.
                case .scarcity, .configuration, .other: nil
                }
            findings = [Finding(.broken, "No worker: \(why).", why: DoctorWording.workerWhy, mend: mend)]
        case .failed(let why, let reason):
            summary = ""
            let words =
                hasProxy && proxy == nil
                ? "\(why) \("There is a proxy in this environment: workers use only the one that the option proxy names.")"
                : why
            findings = [
                Finding(
                    .broken, "\(host): \(words)",
                    why:
                        "Cognito's accounts cannot sign in; sessions end when it is back. Local accounts do not notice.",
                    mend: Self.mend(why, reason, host: host, path: path, proxy: proxy))
            ]
        case .reached(let reached):
            summary = DoctorWording.cognitoSummary(
                host, reached.address, milliseconds: reached.answerTime,
                parts: (reached.nameTime, reached.connectTime, reached.tlsTime),
                issuer: reached.certificates.last?.issuer ?? "", expires: reached.certificates.first?.expires ?? "",
                clockAhead: reached.clockAhead, keys: reached.keys,
                proxy: proxy, publicKey: reached.publicKey, isPinned: isPinned,
                isAccepted: reached.signIn == "possible",
                tokenIssuer: reached.issuerType.map { type in
                    (type.rawValue, type.issuer(ofPool: pool, in: Region(ofPool: pool)))
                })
            findings =
                Self.findings(reached, host, connectTimeout) + sandbox.findings(open: reached.openLayers)
                + Self.poolFindings(reached, path, flow, revoking: revoking, secretFile: secretFile)
                + (keySetFile.map { file in Self.keySetFindings(reached, file) } ?? [])
        }
    }

    /// Those of several endpoints, as one. Sign-ins go past an endpoint that cannot be reached. One that does not sign in hurts only
    /// where it is first. Everything else that is broken at one of them is broken.
    init(of endpoints: [CognitoExamination]) {
        let works = endpoints.contains { endpoint in
            !endpoint.findings.contains { finding in finding.severity == .broken }
        }
        var findings: [Finding] = []
        for (place, endpoint) in endpoints.enumerated() {
            for var finding in endpoint.findings {
                let isAway =
                    endpoint.isUnreachable
                    || place > 0 && finding.what.hasPrefix("Cognito signs in no user at this endpoint")
                if works, isAway, finding.severity == .broken {
                    finding.severity = .warning
                    finding.why =
                        place == 0
                        ? "Sign-ins go to the next endpoint meanwhile. Sign-outs wait: a session is over only when "
                            + "the first endpoint agrees."
                        : "Sign-ins use the other endpoints. If those fail, this one cannot take their place."
                }
                if !findings.contains(finding) {
                    findings.append(finding)
                }
            }
        }
        isUnreachable = endpoints.allSatisfy(\.isUnreachable)
        summary = endpoints.map(\.summary).filter { summary in !summary.isEmpty }.joined(separator: "; ")
        self.findings = findings
    }

    /// What is done about a way to Cognito that a worker did not get through, by its reason and what it says of it.
    private static func mend(
        _ why: String, _ reason: FailureReason?, host: String, path: String, proxy: String?
    ) -> String {
        switch reason {
        case .configuration: DoctorWording.edit(path, line: nil)
        case .throttled:
            "sleep 60; cognito-session doctor   # if it stays so: raise the user pool's request rate "
                + "quotas (AWS Service Quotas)"
        // libcrypto's words for a time that is not the certificate's.
        case .unreachable where why.mentions("is not yet valid") || why.mentions("has expired"):
            "date; timedatectl set-ntp true   # needs systemd-timesyncd, chrony or another such service"
        case .serviceFault, .refusedByPool:
            "curl -sS -i \(proxy.map { proxy in "--proxy \(proxy) " } ?? "")https://\(host)/   # "
                + "shows what answers: a firewall or a proxy in front of Cognito?"
        default: DoctorWording.tryReaching(host, proxy: proxy)
        }
    }

    private static func findings(
        _ reached: ReachedCognito, _ host: String, _ connectTimeout: Int64
    ) -> [Finding] {
        var found: [Finding] = []
        if let ahead = reached.clockAhead, abs(ahead) > worryingOffset {
            found.append(
                Finding(
                    abs(ahead) > largestOffset ? .broken : .warning,
                    (ahead > 0
                        ? "This machine's clock is \(ahead) s ahead of Cognito's."
                        : "This machine's clock is \(ahead.magnitude) s behind Cognito's."),
                    why: "Beyond five minutes Cognito takes a right password for a wrong one, and programs take "
                        + "its tokens for expired.", mend: DoctorWording.setClock))
        }
        if reached.tlsTime > connectTimeout / 2 {
            found.append(
                Finding(
                    .warning,
                    "\(host) took \(reached.tlsTime) ms to connect; connect_timeout is \(connectTimeout / 1000) s.",
                    why: "A little more, and sign-ins fail as if Cognito were not there.",
                    mend: DoctorWording.setOption(
                        "connect_timeout", "\(max(5, min(60, reached.tlsTime * 4 / 1000 + 1)))s")))
        }
        return found
    }

    /// What is wrong with the keys of `key_set_file`.
    private static func keySetFindings(
        _ reached: ReachedCognito, _ file: (path: String, address: String)
    ) -> [Finding] {
        let mend = DoctorWording.fetchKeySet(file.address, to: file.path)
        return switch reached.keySetFile {
        case "other":
            [
                Finding(
                    .broken,
                    "key_set_file has none of the keys that Cognito shows for this pool: it is another "
                        + "pool's, or far too old.", why: DoctorWording.keySetWhy, mend: mend)
            ]
        case "older":
            [
                Finding(
                    .warning, "key_set_file lacks a key that Cognito shows for this pool.",
                    why: DoctorWording.keySetWhy, mend: mend)
            ]
        default: []
        }
    }

    /// What pool and app client lack that the configuration needs.
    private static func poolFindings(
        _ reached: ReachedCognito, _ path: String, _ flow: String, revoking: (pool: String, client: String)?,
        secretFile: String?
    ) -> [Finding] {
        let obstacles = [
            (
                "no_client", "Cognito knows no app client of this id (client_id), or not in this pool's region.",
                DoctorWording.noSignInWhy, path
            ),
            (
                "no_secret",
                "The app client has another secret than client_secret_file, has none, or has one that is "
                    + "not set here.",
                secretFile == nil
                    ? DoctorWording.noSignInWhy
                    : "Cognito refuses all users. If this secret used to work, it was probably rotated: by "
                        + "default, app client secrets made in the AWS console rotate every seven days. Write the "
                        + "new secret into the file, or turn off its rotation.", secretFile ?? path
            ),
            (
                "no_flow",
                "The app client does not allow \(flow), with which sign-ins begin (auth_flow): it takes "
                    + "ALLOW_\(flow).", DoctorWording.noSignInWhy, path
            ),
            (
                "no_plan",
                "The user pool's feature plan has no choice of factors (auth_flow = choice): it takes "
                    + "Essentials or Plus.", DoctorWording.noSignInWhy, path
            ),
            (
                "not_enabled",
                "Cognito signs in no user at this endpoint (OperationNotEnabledException): a replica may "
                    + "be inactive (endpoint).", DoctorWording.noSignInWhy, path
            ),
        ]
        var found: [Finding] = []
        let levels = [
            (
                "no_plan",
                "The user pool's feature plan has no levels of authentication, and required_acr wants "
                    + "one: it takes Essentials or Plus."
            ),
            (
                "ignored",
                "Cognito pays no attention to levels of authentication for this user pool, and "
                    + "required_acr wants one."
            ),
            ("no_flow", "The app client does not allow USER_AUTH, which required_acr needs: it takes ALLOW_USER_AUTH."),
        ]
        for (name, what) in levels where reached.levels == name {
            found.append(
                Finding(
                    .broken, what, why: "Whoever needs a level to sign in is refused, with any password.",
                    mend: DoctorWording.edit(path, line: nil)))
        }
        // Where levels are not to be had, no sign-in that asks for one is; that says more.
        let obstacle = obstacles.first { name, _, _, _ in name == reached.signIn }
        if found.isEmpty, let (_, what, why, file) = obstacle {
            found.append(Finding(.broken, what, why: why, mend: DoctorWording.edit(file, line: nil)))
        }
        if reached.refusesRevocation, let (pool, client) = revoking {
            found.append(
                Finding(
                    .warning, "The app client does not allow that tokens are revoked (EnableTokenRevocation).",
                    why: "A session's refresh token outlives the logout: whoever has a copy of it can use it "
                        + "until it runs out.",
                    mend: "aws cognito-idp describe-user-pool-client --user-pool-id \(pool) --client-id \(client)  "
                        + " # and update-user-pool-client with all of it, and --enable-token-revocation"))
        }
        return found
    }
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

/// What keeps a worker in, as the kernel shows it (/proc/PID/status).
struct WorkerFacts: Equatable, Sendable {
    /// The fields of its status, by name.
    private let fields: [String: [String]]

    init(status: String) {
        var fields: [String: [String]] = [:]
        for line in status.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 {
                fields[String(parts[0])] = parts[1].split(whereSeparator: \.isWhitespace).map(String.init)
            }
        }
        self.fields = fields
    }

    /// Whether the process sleeps: it is past all preparations, and waits to be told what to do.
    var isWaiting: Bool {
        fields["State"]?.first == "S"
    }

    /// Whether it is in a filter of system calls.
    var isFiltered: Bool {
        fields["Seccomp"] == ["2"]
    }

    /// What is missing of it.
    func findings(account uid: UInt32) -> [Finding] {
        var missing: [String] = []
        if fields["Uid"] != Array(repeating: "\(uid)", count: 4) || uid == 0 {
            missing.append("The worker does not run as its own account.")
        }
        if fields["Groups"]?.isEmpty != true {
            missing.append("The worker has supplementary groups.")
        }
        if fields["NoNewPrivs"] != ["1"] {
            missing.append("The worker may gain rights by running set-uid programs.")
        }
        let capabilities = ["CapInh", "CapPrm", "CapEff", "CapAmb"]
        if capabilities.contains(where: { name in
            fields[name].map { value in value.joined().contains { $0 != "0" } } ?? true
        }) {
            missing.append("The worker has capabilities.")
        }
        return missing.map { layer in
            Finding(.broken, layer, why: DoctorWording.layerWhy, mend: DoctorWording.reinstall)
        }
    }

    /// One line for when all is well.
    var summary: String {
        "an account of its own, no groups, no capabilities, no way to get any"
    }
}

extension CognitoFact {
    /// What a worker says; `observe` gets what keeps it in, while it waits.
    ///
    /// - Parameter asksForLevels: Whether a level of authentication is required of somebody.
    init(asking settings: Settings, levels asksForLevels: Bool, observe: (WorkerFacts) -> Void) {
        let sign = ProgressSign()
        defer { sign.end() }
        do throws(Fault) {
            let outcome = try LinuxMachine().probe(
                settings, flow: settings.beginning(.signIn).flow, levels: asksForLevels
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
                self =
                    reached.map(CognitoFact.reached)
                    ?? .noWorker("it said nothing understandable", .installation)
            case .failed(let reason, let text):
                self = .failed(String(decoding: text, as: UTF8.self), reason)
            case .outOfTime:
                self = .failed("there was no answer within network_timeout.", nil)
            }
        } catch {
            self = .noWorker(String(decoding: error.line.bytes, as: UTF8.self), error.cause)
        }
    }
}

extension ReachedCognito {
    init(_ report: JSONValue) {
        func milliseconds(_ name: String) -> Int64 {
            (report[name]?.seconds ?? 0) / 1000
        }
        self.init(
            address: report["address"]?.text ?? "", nameTime: milliseconds("name_us"),
            connectTime: milliseconds("connect_us"), tlsTime: milliseconds("tls_us"),
            answerTime: milliseconds("answer_us"), clockAhead: report["clock_ahead"]?.seconds,
            keys: report["keys"]?.seconds ?? 0,
            certificates: (report["certificates"]?.elements ?? []).map { entry in
                CertificateFact(
                    subject: entry["subject"]?.text ?? "", issuer: entry["issuer"]?.text ?? "",
                    expires: entry["expires"]?.text ?? "")
            }, publicKey: report["public_key"]?.text,
            openLayers: (report["open_layers"]?.elements ?? []).compactMap(\.text), signIn: report["sign_in"]?.text,
            refusesRevocation: report["revocation"]?.text == "off", levels: report["levels"]?.text,
            keySetFile: report["key_set_file"]?.text,
            issuerType: report["issuer_type"]?.text.flatMap(IssuerType.init))
    }
}

extension WorkerFacts {
    /// A worker that has just been started; nil where /proc does not show it.
    init?(of worker: LinuxMachine.Worker) {
        let descriptor = readWhole("/proc/self/fdinfo/\(worker.processDescriptor)") ?? ""
        guard let line = descriptor.split(separator: "\n").first(where: { line in line.hasPrefix("Pid:") }),
            let process = line.split(whereSeparator: \.isWhitespace).last
        else {
            return nil
        }
        // It is past all preparations when it sleeps.
        for _ in 0..<100 {
            guard let status = readWhole("/proc/\(process)/status") else {
                return nil
            }
            self.init(status: status)
            if isWaiting {
                return
            }
            linux_sleep_ms(5)
        }
        return nil
    }
}
