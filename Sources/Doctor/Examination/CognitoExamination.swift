internal import Messages

/// One certificate of a server's.
package struct CertificateFact: Equatable, Sendable {
    package var subject: String
    package var issuer: String
    /// When it ends, in the TLS library's words.
    package var expires: String

    /// A fact from its parts.
    package init(subject: String, issuer: String, expires: String) {
        self.subject = subject
        self.issuer = issuer
        self.expires = expires
    }
}

/// What a look at the way to Cognito found.
package struct ReachedCognito: Equatable, Sendable {
    package var address: String
    /// How long each part took, in milliseconds: the name, the connection, TLS, the answer.
    package var nameTime: Int64
    package var connectTime: Int64
    package var tlsTime: Int64
    package var answerTime: Int64
    /// By how many seconds this machine's clock is ahead; nil where the answer had no date.
    package var clockAhead: Int64?
    /// How many keys the pool signs tokens with.
    package var keys: Int64
    /// The server's own first.
    package var certificates: [CertificateFact]
    /// The server's public key, as it is pinned.
    package var publicKey: String?

    /// Facts from their parts.
    package init(
        address: String, nameTime: Int64, connectTime: Int64, tlsTime: Int64, answerTime: Int64, clockAhead: Int64?,
        keys: Int64, certificates: [CertificateFact], publicKey: String? = nil
    ) {
        self.address = address
        self.nameTime = nameTime
        self.connectTime = connectTime
        self.tlsTime = tlsTime
        self.answerTime = answerTime
        self.clockAhead = clockAhead
        self.keys = keys
        self.certificates = certificates
        self.publicKey = publicKey
    }
}

/// What came of asking Cognito for what anybody may ask: the pool's keys.
package enum CognitoFact: Equatable, Sendable {
    case reached(ReachedCognito)
    /// The worker's reason, and whether it lies in the configuration.
    case failed(String, isConfiguration: Bool)
    /// The worker could not do its work; why.
    case noWorker(String)
}

/// The way to Cognito.
package struct CognitoExamination {
    /// One line for when all is well.
    package let summary: String
    /// What was found.
    package let findings: [Finding]

    /// Proofs of passwords are refused when the clocks differ by about that much, in seconds; no document of Amazon's says so.
    private static let largestOffset: Int64 = 300
    private static let worryingOffset: Int64 = 20

    /// Examines it.
    ///
    /// - Parameters:
    ///   - host: Whom the worker asks.
    ///   - proxy: What workers go through; nil: nothing.
    ///   - isPinned: Whether the server's public key had to be one of those that are set.
    ///   - hasProxy: Whether the environment names a proxy, which workers do not use.
    package init(
        _ fact: CognitoFact, host: String, path: String, connectTimeout: Int64, proxy: String? = nil,
        isPinned: Bool = false, hasProxy: Bool
    ) {
        switch fact {
        case .noWorker(let why):
            summary = ""
            findings = [
                Finding(
                    .broken, DoctorWording.noWorker(why), why: DoctorWording.workerWhy, mend: DoctorWording.reinstall)
            ]
        case .failed(let why, let isConfiguration):
            summary = ""
            let words = hasProxy && proxy == nil ? "\(why) \(DoctorWording.proxyUnused)" : why
            findings = [
                Finding(
                    .broken, DoctorWording.unreachable(host, words), why: DoctorWording.unreachableWhy,
                    mend: isConfiguration
                        ? DoctorWording.edit(path, line: nil) : DoctorWording.tryReaching(host, proxy: proxy))
            ]
        case .reached(let reached):
            summary = DoctorWording.cognitoSummary(
                host, reached.address, milliseconds: reached.answerTime,
                parts: (reached.nameTime, reached.connectTime, reached.tlsTime),
                issuer: reached.certificates.last?.issuer ?? "", expires: reached.certificates.first?.expires ?? "",
                clockAhead: reached.clockAhead, keys: reached.keys,
                proxy: proxy, publicKey: reached.publicKey, isPinned: isPinned)
            findings = Self.findings(reached, host, connectTimeout)
        }
    }

    private static func findings(_ reached: ReachedCognito, _ host: String, _ connectTimeout: Int64) -> [Finding] {
        var found: [Finding] = []
        if let ahead = reached.clockAhead, abs(ahead) > worryingOffset {
            found.append(
                Finding(
                    abs(ahead) > largestOffset ? .broken : .warning, DoctorWording.clockOff(ahead),
                    why: DoctorWording.clockOffWhy, mend: DoctorWording.setClock))
        }
        if reached.tlsTime > connectTimeout / 2 {
            found.append(
                Finding(
                    .warning, DoctorWording.slow(host, reached.tlsTime, connectTimeout), why: DoctorWording.slowWhy,
                    mend: DoctorWording.moreTime(max(5, min(60, reached.tlsTime * 4 / 1000 + 1)))))
        }
        return found
    }
}

/// What keeps a worker in, as the kernel shows it (/proc/PID/status).
package struct WorkerFacts: Equatable, Sendable {
    /// The fields of its status, by name.
    private let fields: [String: [String]]

    /// Reads a status.
    package init(status: String) {
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
    package var isWaiting: Bool {
        fields["State"]?.first == "S"
    }

    /// What is missing of it.
    package func findings(account uid: UInt32) -> [Finding] {
        var missing: [String] = []
        if fields["Uid"] != Array(repeating: "\(uid)", count: 4) || uid == 0 {
            missing.append(DoctorWording.layerAccount)
        }
        if fields["Groups"]?.isEmpty != true {
            missing.append(DoctorWording.layerGroups)
        }
        if fields["NoNewPrivs"] != ["1"] {
            missing.append(DoctorWording.layerPrivileges)
        }
        let capabilities = ["CapInh", "CapPrm", "CapEff", "CapAmb"]
        if capabilities.contains(where: { name in
            fields[name].map { value in value.joined().contains { $0 != "0" } } ?? true
        }) {
            missing.append(DoctorWording.layerCapabilities)
        }
        return missing.map { layer in
            Finding(.broken, layer, why: DoctorWording.layerWhy, mend: DoctorWording.reinstall)
        }
    }

    /// One line for when all is well.
    package var summary: String {
        DoctorWording.workerSummary(hasFilter: fields["Seccomp"].map { value in value != ["0"] } ?? false)
    }
}
