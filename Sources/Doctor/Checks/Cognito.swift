internal import Base
internal import Commands
internal import Configuration
internal import Protocol
internal import Sessions

/// The way to Cognito.
struct CognitoExamination {
    /// One line for when all is well.
    let summary: String
    let findings: [Check]
    /// Whether no answer came from there.
    private let isUnreachable: Bool

    static let noWorkerWhy = "Only workers connect to Cognito: no managed account can sign in."
    /// Proofs of passwords are refused when the clocks differ by about that much, in seconds; no document of Amazon's
    /// says so.
    private static let largestOffset: Int64 = 300
    private static let worryingOffset: Int64 = 20

    /// Examines it.
    ///
    /// - Parameters:
    ///   - flow: With what sign-ins begin, by its name at the API.
    ///   - revoking: Pool and app client, where a logout has refresh tokens revoked (`sign_out`).
    ///   - keySetFile: `key_set_file`, and where the pool's key set is.
    ///   - hasProxy: Whether the environment names a proxy, which workers do not use.
    init(
        _ fact: CognitoFact, host: String, pool: String, path: String, connectTimeout: Int64, proxy: String? = nil,
        isPinned: Bool = false, hasProxy: Bool, flow: String = "USER_SRP_AUTH",
        revoking: (pool: String, client: String)? = nil, secretFile: String? = nil,
        keySetFile: (path: String, address: String)? = nil, sandbox: SandboxSupport
    ) {
        switch fact {
        case .noWorker(let why, let cause):
            (summary, isUnreachable) = ("", false)
            let fix: String? =
                switch cause {
                case .installation: reinstall
                case .keyrings: KeyringFacts.forbiddenFix
                // The words say what to do, and there is no one command.
                case .scarcity, .configuration, .other: nil
                }
            findings = [Check(.noWorker, .broken, "No worker: \(why).", why: Self.noWorkerWhy, fix: fix)]
        case .failed(let why, let reason):
            (summary, isUnreachable) = ("", true)
            let hint =
                hasProxy && proxy == nil
                ? " There is a proxy in this environment: workers use only the one that the option proxy names." : ""
            findings = [
                Check(
                    .cognitoFailed, .broken, "\(host): \(why)\(hint)",
                    why:
                        "Managed accounts cannot sign in; sessions end when it is back. Local accounts are unaffected.",
                    fix: Self.fix(why, reason, host: host, path: path, proxy: proxy))
            ]
        case .reached(let reached):
            isUnreachable = false
            summary = reached.summary(host, pool, proxy: proxy, isPinned: isPinned)
            findings =
                Self.findings(reached, host, connectTimeout) + sandbox.findings(open: reached.openLayers)
                + Self.poolFindings(reached, path, flow, revoking: revoking, secretFile: secretFile)
                + (keySetFile.map { file in KeySetFacts.findings(reached, file) } ?? [])
                + (reached.managedLogin.map { login in Self.managedLoginFindings(login, host, path) } ?? [])
        }
    }

    /// Those of several endpoints, as one. Sign-ins go past an endpoint that cannot be reached. One that does not sign
    /// in hurts only where it is first. Everything else that is broken at one of them is broken.
    init(of endpoints: [CognitoExamination]) {
        let works = endpoints.contains { endpoint in
            !endpoint.findings.contains { check in check.severity == .broken }
        }
        var findings: [Check] = []
        for (place, endpoint) in endpoints.enumerated() {
            for var check in endpoint.findings {
                let isAway = endpoint.isUnreachable || place > 0 && check.id == .signInNotEnabled
                if works, isAway, check.severity == .broken {
                    check.severity = .warning
                    check.why =
                        place == 0
                        ? "Sign-ins go to the next endpoint meanwhile. Sign-outs wait: a session is over only when "
                            + "the first endpoint agrees."
                        : "Sign-ins use the other endpoints. If those fail, this one cannot take their place."
                }
                if !findings.contains(check) {
                    findings.append(check)
                }
            }
        }
        isUnreachable = endpoints.allSatisfy(\.isUnreachable)
        summary = endpoints.map(\.summary).filter { summary in !summary.isEmpty }.joined(separator: "; ")
        self.findings = findings
    }

    /// What is done about a way to Cognito that a worker did not get through, by its reason and what it says of it.
    private static func fix(
        _ why: String, _ reason: FailureReason?, host: String, path: String, proxy: String?
    ) -> String {
        switch reason {
        case .configuration: edit(path)
        case .throttled:
            "sleep 60; cognito-session doctor   # if it stays so: raise the user pool's request rate quotas (AWS "
                + "Service Quotas)"
        // libcrypto's words for a time that is not the certificate's.
        case .unreachable where why.mentions("is not yet valid") || why.mentions("has expired"): "date; \(setClock)"
        case .serviceFault, .refusedByPool:
            "curl -sS -i \(proxy.map { proxy in "--proxy \(proxy) " } ?? "")https://\(host)/   # shows what answers: a "
                + "firewall or a proxy in front of Cognito?"
        // With what is on every machine that has CA certificates; only curl, which need not be there, knows all kinds
        // of proxies.
        default:
            proxy.map { proxy in "curl -v --proxy \(proxy) https://\(host)/" }
                ?? "openssl s_client -connect \(host.contains(":") ? host : "\(host):443") </dev/null"
        }
    }

    private static let setClock =
        "timedatectl set-ntp true   # needs systemd-timesyncd, chrony or another such service"

    @CheckList
    private static func findings(_ reached: ReachedCognito, _ host: String, _ connectTimeout: Int64) -> [Check] {
        if let ahead = reached.clockAhead, abs(ahead) > worryingOffset {
            Check(
                .clockOff, abs(ahead) > largestOffset ? .broken : .warning,
                "This machine's clock is \(ahead.magnitude) s \(ahead > 0 ? "ahead of" : "behind") Cognito's.",
                why: "Beyond five minutes Cognito takes a right password for a wrong one, and programs take its "
                    + "tokens for expired.", fix: setClock)
        }
        if reached.tlsTime > connectTimeout / 2 {
            Check(
                .slow, .warning,
                "\(host) took \(reached.tlsTime) ms to connect; connect_timeout is \(connectTimeout / 1000) s.",
                why: "A little more, and sign-ins fail as if Cognito were not there.",
                fix: "/etc/security/pam_cognito.conf: connect_timeout = "
                    + "\(max(5, min(60, reached.tlsTime * 4 / 1000 + 1)))s")
        }
    }
}
