internal import Base
internal import Commands
internal import Configuration
internal import Protocol
internal import Sessions
internal import Tokens

struct CognitoExamination {
    let summary: String
    let findings: [Check]
    /// Whether no answer came from there.
    private let isUnreachable: Bool

    static let noWorkerWhy =
        "Without a worker, users of managed accounts cannot sign in, because only workers connect to Cognito."
    /// Proofs of passwords are refused when the clocks differ by about that much, in seconds; no document of Amazon's
    /// says so.
    private static let largestOffset: UInt64 = 300
    private static let worryingOffset: UInt64 = 20

    /// - Parameters:
    ///   - settings: What the file at `path` says, with at most one endpoint.
    ///   - hasProxy: Whether the environment names a proxy, which workers do not use.
    init(_ fact: CognitoFact, _ settings: Settings, at path: String, hasProxy: Bool) {
        let proxy = settings.worker.proxy.map(text)
        isUnreachable = if case .failed = fact { true } else { false }
        switch fact {
        case .noWorker(let why, let cause):
            let fix: String? =
                switch cause {
                case .installation: reinstall
                case .keyrings: KeyringFacts.forbiddenFix
                // The words say what to do, and there is no one command.
                case .resourceExhaustion, .configuration, .other: nil
                }
            summary = ""
            findings = [Check(.noWorker, .broken, "No worker is available: \(why).", why: Self.noWorkerWhy, fix: fix)]
        case .failed(let why, let reason):
            let hint =
                hasProxy && proxy == nil
                ? " Workers ignore the proxy that is set in the environment, and use only the proxy option." : ""
            summary = ""
            findings = [
                Check(
                    .cognitoFailed, .broken, "\(settings.host): \(why)\(hint)",
                    why:
                        "Users of managed accounts cannot sign in. Unfinished sign-outs are completed when Cognito "
                        + "can be reached again. Local accounts are unaffected.",
                    fix: Self.fix(why, reason, host: settings.host, path: path, proxy: proxy))
            ]
        case .reached(let reached):
            summary = reached.summary(settings, proxy: proxy)
            findings =
                Self.findings(reached, settings) + sandboxFindings(open: reached.openLayers)
                + Self.poolFindings(reached, settings, path)
                + [settings.keySetFile.flatMap { file in keySetFinding(text(file), reached, settings) }].compactMap(
                    \.self)
                + (reached["managed_login"].map { answer in Self.managedLoginFindings(answer, settings, path) } ?? [])
        }
    }

    /// Those of several endpoints, as one. Sign-ins go past an endpoint that cannot be reached. One that does not sign
    /// in hurts only where it is first. Everything else that is broken at one of them is broken.
    init(of endpoints: [CognitoExamination]) {
        let works = endpoints.contains { endpoint in
            !endpoint.findings.contains { check in check.severity == .broken }
        }
        let all = endpoints.enumerated().flatMap { place, endpoint in
            endpoint.findings.map { found in
                var check = found
                let isAway = endpoint.isUnreachable || place > 0 && check.id == .signInNotEnabled
                if works, isAway, check.severity == .broken {
                    check.severity = .warning
                    check.why =
                        place == 0
                        ? "Sign-ins use the next endpoint in the list. Sign-outs are completed only when the first "
                            + "endpoint is available."
                        : "Sign-ins use the remaining endpoints in the list. If the remaining endpoints fail, this "
                            + "endpoint cannot replace them."
                }
                return check
            }
        }
        isUnreachable = endpoints.allSatisfy(\.isUnreachable)
        summary = endpoints.map(\.summary).filter { summary in !summary.isEmpty }.joined(separator: "; ")
        findings = unique(all)
    }

    /// What is done about a way to Cognito that a worker did not get through, by its reason and what it says of it.
    private static func fix(
        _ why: String, _ reason: FailureReason?, host: String, path: String, proxy: String?
    ) -> String {
        switch reason {
        case .configuration: edit(path)
        case .throttled:
            "sleep 60; cognito-session doctor   # if this persists, raise the user pool's request rate quotas (AWS "
                + "Service Quotas)"
        // libcrypto's words for a time that is not the certificate's.
        case .unreachable where why.mentions("is not yet valid") || why.mentions("has expired"): "date; \(setClock)"
        case .serviceFault, .refusedByPool:
            "curl -sS -i \(proxy.map { proxy in "--proxy \(proxy) " } ?? "")https://\(host)/   # shows which server "
                + "answers, for example a firewall or a proxy"
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
    private static func findings(_ reached: ReachedCognito, _ settings: Settings) -> [Check] {
        let (time, limit) = (reached.milliseconds("tls"), settings.connectTimeout)
        if let ahead = reached.clockAhead, ahead.magnitude > worryingOffset {
            Check(
                .clockOff, ahead.magnitude > largestOffset ? .broken : .warning,
                "This machine's clock is \(ahead.magnitude) s \(ahead > 0 ? "ahead of" : "behind") Cognito's.",
                why: "If the clock is off by more than five minutes, Cognito rejects correct passwords, and programs "
                    + "treat valid tokens as expired.", fix: setClock)
        }
        if time > limit / 2 {
            Check(
                .slow, .warning,
                "Connecting to \(settings.host) took \(time) ms; connect_timeout is \(limit / 1000) s.",
                why: "If connecting takes longer than connect_timeout, sign-ins fail as if Cognito were unreachable.",
                fix: "/etc/security/pam_cognito.conf: connect_timeout = \(max(5, min(60, time * 4 / 1000 + 1)))s")
        }
    }
}

extension Settings {
    private var poolHost: String { IssuerType.original.host(in: Region(ofPool: text(userPoolID))) }

    /// The host, and a port if there is one, that is connected to.
    var host: String { endpoint.map { address in String(text(address).dropFirst("https://".count)) } ?? poolHost }

    var singleEndpoints: [Settings] {
        guard let endpoint else { return [self] }
        return endpoint.split(separator: UInt8(ascii: " ")).map { address in
            var settings = self
            settings.endpoint = Array(address)
            return settings
        }
    }

    /// Where the pool's key set is, for machines that reach it.
    var keySetAddress: String { "https://\(poolHost)/\(text(userPoolID))/.well-known/jwks.json" }
}
