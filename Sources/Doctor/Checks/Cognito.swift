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

    @CheckList
    private static func managedLoginFindings(_ login: ManagedLoginFact, _ host: String, _ path: String) -> [Check] {
        let why = "Users of the identity provider cannot sign in (federated)."
        switch login.answer {
        case "possible": []
        case "unreachable", "no_managed_login":
            Check(
                .managedLoginAway, .broken,
                "\(login.domain) does not answer as managed login does (managed_login_domain).", why: why,
                fix: "curl -sS -i https://\(login.domain)/oauth2/authorize   # shows what answers")
        case let error:
            Check(
                .managedLoginRefuses, .broken,
                "Managed login refuses such sign-ins (\(error)). The app client must allow the authorization code grant, "
                    + "redirect_uri, managed_login_scopes and identity_provider.", why: why, fix: edit(path))
        }
        if host.mentions(".vpce.") {
            Check(
                .managedLoginWithPrivateLink, .warning,
                "endpoint is a PrivateLink address, and Cognito does not allow PrivateLink for a pool with a domain.",
                why: why, fix: edit(path))
        }
    }

    /// What pool and app client lack that the configuration needs.
    @CheckList
    private static func poolFindings(
        _ reached: ReachedCognito, _ path: String, _ flow: String, revoking: (pool: String, client: String)?,
        secretFile: String?
    ) -> [Check] {
        let levelWhy = "Users who need a level to sign in are refused, with any password."
        let why = "Cognito refuses all users, whatever password they give."
        // Where levels are not to be had, no sign-in that asks for one is; that says more.
        switch (reached.levels, reached.signIn) {
        case ("no_plan", _):
            Check(
                .levelsNotInPlan, .broken,
                "The user pool's feature plan has no levels of authentication, and required_acr wants one: it takes "
                    + "Essentials or Plus.", why: levelWhy, fix: edit(path))
        case ("ignored", _):
            Check(
                .levelsIgnored, .broken,
                "Cognito pays no attention to levels of authentication for this user pool, and required_acr wants one.",
                why: levelWhy, fix: edit(path))
        case ("no_flow", _):
            Check(
                .levelsWithoutFlow, .broken,
                "The app client does not allow USER_AUTH, which required_acr needs: it takes ALLOW_USER_AUTH.",
                why: levelWhy, fix: edit(path))
        case (_, "no_client"):
            Check(
                .noClient, .broken,
                "Cognito knows no app client of this id (client_id), or not in this pool's region.", why: why,
                fix: edit(path))
        case (_, "no_secret"):
            Check(
                .otherSecret, .broken,
                "The app client has another secret than client_secret_file, has none, or has one that is not set here.",
                why: secretFile == nil
                    ? why
                    : "Cognito refuses all users. If this secret used to work, it was probably rotated: by default, "
                        + "app client secrets made in the AWS console rotate every seven days. Write the new secret "
                        + "into the file, or turn off its rotation.", fix: edit(secretFile ?? path))
        case (_, "no_flow"):
            Check(
                .noFlow, .broken,
                "The app client does not allow \(flow), with which sign-ins begin (auth_flow): it takes ALLOW_\(flow).",
                why: why, fix: edit(path))
        case (_, "no_plan"):
            Check(
                .noChoice, .broken,
                "The user pool's feature plan has no choice of factors (auth_flow = choice): it takes Essentials or "
                    + "Plus.", why: why, fix: edit(path))
        case (_, "not_enabled"):
            Check(
                .signInNotEnabled, .broken,
                "Cognito signs in no user at this endpoint (OperationNotEnabledException): a replica may be inactive "
                    + "(endpoint).", why: why, fix: edit(path))
        case (_, _): []
        }
        if reached.refusesRevocation, let (pool, client) = revoking {
            Check(
                .noRevocation, .warning,
                "The app client does not allow that tokens are revoked (EnableTokenRevocation).",
                why: "A session's refresh token outlives the logout: a copy of it can be used until it expires.",
                fix: "aws cognito-idp describe-user-pool-client --user-pool-id \(pool) --client-id \(client)   # and "
                    + "update-user-pool-client with all of it, and --enable-token-revocation")
        }
    }
}
