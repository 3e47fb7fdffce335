internal import Base
internal import CLinux
package import Commands
internal import Configuration
internal import Glibc
internal import LinuxHost
internal import LoginHooks
internal import MachineIdentity
internal import Messages
internal import Protocol
internal import Sessions
internal import Tokens

/// Does what `doctor` was asked for.
package func examine(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    guard geteuid() == 0, getuid() == 0 else {
        throw Refusal(.notPermitted, ToolWording.doctorNotRoot)
    }
    let path = invocation.text(.config) ?? "/etc/security/pam_cognito.conf"
    if let name = invocation.text(.explain) {
        return try explain(name, path, asJSON: invocation.has(.json))
    }
    if let name = invocation.text(.login) {
        return try trySignIn(name, path)
    }
    let examination = MachineExamination(configuration: path)
    let report = DoctorReport(examination.areas)
    if invocation.has(.json) {
        try answer(report.json)
    } else {
        try answer(report.text(.current))
    }
    return report.exitStatus
}

extension PAMServices {
    static var current: PAMServices {
        PAMServices(textFiles(in: folder), vendor: textFiles(in: vendorFolder))
    }
}

extension StackExamination {
    /// Examines those of this machine.
    init(
        ofThisMachineWith settings: Settings?, _ services: PAMServices = .current,
        _ modules: ModuleFolder = ModuleFolder()
    ) {
        let shippedFolder = installedPrefix + "/share/doc/pam-cognito/pam.d"
        let missing = Set(services.moduleNames.filter { name in !modules.has(name) })
        let paths = Set(services.ours.flatMap(\.configurationPaths))
        self.init(
            services,
            in: PAMSurroundings(
                shipped: textFiles(in: shippedFolder), shippedFolder: shippedFolder, missingModules: missing,
                refusesKeys: settings?.refusesKeyLogins ?? false,
                wrongFiles: Dictionary(
                    uniqueKeysWithValues: paths.compactMap { path in
                        ConfigurationExamination.fileFault(path).map { fault in (path, fault) }
                    }))
        ) { arguments in ConfigurationExamination.argumentFault(arguments) }
    }
}

extension Settings {
    /// The host of the pool's own endpoint.
    fileprivate var poolHost: String {
        IssuerType.original.host(in: Region(ofPool: String(decoding: userPoolID, as: UTF8.self)))
    }

    /// The same settings with one endpoint each, in their order.
    fileprivate var singleEndpoints: [Settings] {
        guard let endpoint else {
            return [self]
        }
        return endpoint.split(separator: UInt8(ascii: " ")).map { address in
            var settings = self
            settings.endpoint = Array(address)
            return settings
        }
    }

    /// Where the pool's key set is, for machines that reach it.
    fileprivate var keySetAddress: String {
        "https://\(poolHost)/\(String(decoding: userPoolID, as: UTF8.self))/.well-known/jwks.json"
    }
}

/// All of this machine that the doctor looks at.
struct MachineExamination {
    private let path: String
    let configuration: ConfigurationExamination
    private let services: PAMServices
    let stacks: StackExamination
    private let modules: ModuleFolder
    private let machine = MachineFacts.current

    init(configuration path: String) {
        self.path = path
        configuration = ConfigurationExamination(path, trustedContent(path, secret: false))
        services = .current
        modules = ModuleFolder()
        stacks = StackExamination(ofThisMachineWith: configuration.settings, services, modules)
    }

    /// Who may sign in here with Cognito; what is known of them takes long.
    private var people: PeopleFacts? {
        configuration.settings.map { settings in PeopleFacts(of: settings, passesAge: stacks.passesAge) }
    }

    var areas: [AreaReport] {
        let people = people
        return machineAreas(about: allAccountNames()) + [sshArea(people)]
            + workerAreas + [accountsArea, peopleArea(people)].compactMap(\.self)
    }

    /// What is not about single people, before what a worker finds.
    private func machineAreas(about names: @autoclosure () -> [String]) -> [AreaReport] {
        [
            machineArea, configurationArea(about: names()), filesArea, accountArea, keyringsArea, agentArea, stacksArea,
        ]
    }

    /// What keeps an account out with all others: what is broken of the machine, and of what a sign-in with Cognito takes if it is
    /// managed. What sshd and shadow(5) have against it is looked at for each by itself.
    func obstacles(to name: String, isRoot: Bool, isManaged: Bool) -> [Check] {
        var machine = machine
        if isRoot {
            machine.nologin = nil
        }
        let found = isManaged ? (machineAreas(about: [name]) + workerAreas).flatMap(\.findings) : machine.findings
        return found.filter { check in check.severity == .broken }
    }

    private var machineArea: AreaReport {
        AreaReport(.machine, "room in /run, /var and /var/log, a log, names, and open to users", machine.findings)
    }

    private var agentArea: AreaReport {
        let facts = AgentFacts.current
        return AreaReport(.agent, facts.summary, facts.findings)
    }

    private func configurationArea(about names: @autoclosure () -> [String]) -> AreaReport {
        var findings = configuration.findings
        findings += configuration.effects(on: names())
        findings += configuration.settings?.clientSecretFile.map(secretFindings) ?? []
        if let settings = configuration.settings {
            if let file = settings.keySetFile {
                findings += keySetFindings(file, address: settings.keySetAddress)
            }
            findings += IdentityFacts(of: settings, at: path).findings
            findings +=
                TokenSettings(
                    locksTokens: settings.locksTokens, knowsScreens: linuxExists("/run/systemd/sessions"),
                    exportsTokens: settings.exportsTokens
                ).findings
            findings += settings.metricsDirectory.map { folder in MetricsFacts(at: folder).findings } ?? []
        }
        let summary = configuration.settings.map { settings in
            "\(path): user pool \(String(decoding: settings.userPoolID, as: UTF8.self)), app client "
                + "\(String(decoding: settings.clientID, as: UTF8.self))"
        }
        return AreaReport(.configuration, summary ?? path, findings)
    }

    private var filesArea: AreaReport {
        let facts = FileFacts(services, modules)
        return AreaReport(.files, "module, worker, agent and folders are root's alone", facts.findings)
    }

    private var accountArea: AreaReport {
        let name = WorkerAccount.usualName
        let account = WorkerAccount(named: name)
        return AreaReport(
            .account, "\(name), uid \(account?.uid ?? 0), can sign in nowhere",
            WorkerAccount.findings(account, name: name, names: machine.names))
    }

    private var keyringsArea: AreaReport {
        let facts = KeyringFacts.current
        return AreaReport(.keyrings, facts.summary, facts.findings)
    }

    private var stacksArea: AreaReport {
        AreaReport(
            .stacks, (stacks.serviceNames.isEmpty ? "none asks Cognito" : stacks.serviceNames.joined(separator: ", ")),
            stacks.findings + services.lockoutFindings + Check.writableTallies(in: "/run/faillock")
                + (PolkitSandbox(services)?.findings(agentListens: AgentFacts.isListening) ?? []))
    }

    private func sshArea(_ people: PeopleFacts?) -> AreaReport {
        let examination = SSHExamination(
            of: (people?.covered ?? []).map(\.name), configuration.settings ?? .defaults,
            asksCognito: services.service("sshd").isOurs(.auth), group: people?.group)
        return AreaReport(.ssh, examination.summary, examination.findings)
    }

    /// The worker, and what it says of the way to Cognito; nothing while nobody knows what it should ask.
    private var workerAreas: [AreaReport] {
        guard let settings = configuration.settings else {
            return []
        }
        var areas: [AreaReport] = []
        let asksForLevels =
            !settings.requiredACR.isEmpty
            || services.ours.contains { service in
                service.stack(.auth).contains { line in
                    line.isOurs && line.arguments.contains { text in text.hasPrefix("required_acr=") }
                }
            }
        let pool = String(decoding: settings.userPoolID, as: UTF8.self)
        let examinations = settings.singleEndpoints.map { settings in
            let fact = CognitoFact(asking: settings, levels: asksForLevels) { facts in
                guard areas.isEmpty else {
                    return
                }
                let uid = existingAccount(WorkerAccount.usualName)?.uid ?? 0
                areas.append(AreaReport(.worker, WorkerFacts.summary, facts.findings(account: uid)))
            }
            let host =
                settings.endpoint.map { text in String(decoding: text.dropFirst("https://".count), as: UTF8.self) }
                ?? settings.poolHost
            return CognitoExamination(
                fact, host: host, pool: pool, path: path, connectTimeout: settings.connectTimeout,
                proxy: settings.worker.proxy.map { text in String(decoding: text, as: UTF8.self) },
                isPinned: settings.worker.pinnedPublicKeys != nil,
                hasProxy: !isUnset("https_proxy") || !isUnset("HTTPS_PROXY"),
                flow: settings.beginning(.signIn).flow.name,
                revoking: settings.signOut == .session || settings.signOut == .last
                    ? (pool, String(decoding: settings.clientID, as: UTF8.self)) : nil,
                secretFile: settings.clientSecretFile.map { path in String(decoding: path, as: UTF8.self) },
                keySetFile: settings.keySetFile.map { path in
                    (String(decoding: path, as: UTF8.self), settings.keySetAddress)
                },
                sandbox: .current)
        }
        let examination = CognitoExamination(of: examinations)
        return areas + [AreaReport(.cognito, examination.summary, examination.findings)]
    }

    private var accountsArea: AreaReport? {
        configuration.settings.flatMap { settings in AccountServiceFacts(of: settings, at: path) }.map { facts in
            AreaReport(
                .accounts, "\(facts.count) \(facts.count == 1 ? "account" : "accounts") from the pool alone",
                facts.findings)
        }
    }

    private func peopleArea(_ people: PeopleFacts?) -> AreaReport? {
        people.map { people in
            AreaReport(
                .people, list(people.covered.map(\.name)), people.findings(machine.names))
        }
    }
}
