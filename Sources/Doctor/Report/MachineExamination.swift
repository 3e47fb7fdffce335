internal import Base
internal import CLinux
package import Commands
internal import Configuration
internal import Glibc
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
                    })),
            judge: StackJudge(modules.path(of: "pam_debug.so"))
        ) { arguments in ConfigurationExamination.argumentFault(arguments) }
    }
}

extension Settings {
    /// The host of the pool's own endpoint.
    fileprivate var poolHost: String {
        IssuerType.original.host(in: Region(ofPool: text(userPoolID)))
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
        "https://\(poolHost)/\(text(userPoolID))/.well-known/jwks.json"
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

    var areas: [AreaReport] {
        let people = configuration.settings.map { settings in PeopleFacts(of: settings, passesAge: stacks.passesAge) }
        return reports(on: Area.allCases, people, about: allAccountNames())
    }

    /// What keeps an account out with all others: what is broken of the machine, and of what a sign-in with Cognito
    /// takes if it is managed. What sshd and shadow(5) have against it is looked at for each by itself.
    func obstacles(to name: String, isRoot: Bool, isManaged: Bool) -> [Check] {
        var machine = machine
        if isRoot {
            machine.nologin = nil
        }
        let shared = Area.allCases.filter { area in ![.ssh, .accounts, .people].contains(area) }
        let found =
            isManaged ? reports(on: shared, nil, about: [name]).flatMap(\.findings) : machine.findings
        return found.filter { check in check.severity == .broken }
    }

    /// - Parameter names: Accounts that a mistake in the configuration may be about.
    private func reports(
        on areas: [Area], _ people: PeopleFacts?, about names: @autoclosure () -> [String]
    ) -> [AreaReport] {
        lazy var worker = workerAreas
        return areas.compactMap { area in
            switch area {
            case .machine:
                return AreaReport(
                    area, "room in /run, /var and /var/log, a log, names, and open to users", machine.findings)
            case .configuration:
                return AreaReport(area, configurationSummary, configurationFindings(about: names()))
            case .files:
                return AreaReport(
                    area, "module, worker, agent and directories are root's alone",
                    FileFacts(services, modules).findings)
            case .account:
                let name = WorkerAccount.usualName
                let account = WorkerAccount(named: name)
                return AreaReport(
                    area, "\(name), uid \(account?.uid ?? 0), can sign in nowhere",
                    WorkerAccount.findings(account, name: name, names: machine.names))
            case .keyrings:
                let facts = KeyringFacts.current
                return AreaReport(area, facts.summary, facts.findings)
            case .agent:
                let facts = AgentFacts.current
                return AreaReport(area, facts.summary, facts.findings)
            case .stacks:
                let names = stacks.serviceNames
                return AreaReport(
                    area, names.isEmpty ? "none asks Cognito" : names.joined(separator: ", "),
                    stacks.findings + services.lockoutFindings + Check.writableTallies(in: "/run/faillock")
                        + (PolkitSandbox(services)?.findings(agentListens: AgentFacts.isListening) ?? []))
            case .ssh:
                let examination = SSHExamination(
                    of: (people?.covered ?? []).map(\.name), configuration.settings ?? .defaults,
                    asksCognito: services.service("sshd").isOurs(.auth), group: people?.group)
                return AreaReport(area, examination.summary, examination.findings)
            case .worker, .cognito:
                return worker.first { report in report.area == area }
            case .accounts:
                let facts = configuration.settings.flatMap { settings in AccountServiceFacts(of: settings, at: path) }
                return facts.map { facts in
                    let accounts = facts.count == 1 ? "account" : "accounts"
                    return AreaReport(area, "\(facts.count) \(accounts) from the pool alone", facts.findings)
                }
            case .people:
                return people.map { people in
                    AreaReport(area, list(people.covered.map(\.name)), people.findings(machine.names))
                }
            }
        }
    }

    private var configurationSummary: String {
        guard let settings = configuration.settings else {
            return path
        }
        return "\(path): user pool \(text(settings.userPoolID)), app client \(text(settings.clientID))"
    }

    @CheckList
    private func configurationFindings(about names: @autoclosure () -> [String]) -> [Check] {
        configuration.findings
        configuration.effects(on: names())
        if let settings = configuration.settings {
            settings.clientSecretFile.map(secretFindings) ?? []
            settings.keySetFile.map { file in keySetFindings(file, address: settings.keySetAddress) } ?? []
            IdentityFacts(of: settings, at: path).findings
            TokenSettings(
                locksTokens: settings.locksTokens, knowsScreens: linuxExists("/run/systemd/sessions"),
                exportsTokens: settings.exportsTokens
            ).findings
            settings.metricsDirectory.map { folder in MetricsFacts(at: folder).findings } ?? []
        }
    }

    /// The worker, and what it says of the way to Cognito; nothing while the configuration has a mistake.
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
        let pool = text(settings.userPoolID)
        let examinations = settings.singleEndpoints.map { settings in
            let fact = CognitoFact(asking: settings, levels: asksForLevels) { facts in
                guard areas.isEmpty else {
                    return
                }
                let uid = existingAccount(WorkerAccount.usualName)?.uid ?? 0
                areas.append(AreaReport(.worker, WorkerFacts.summary, facts.findings(account: uid)))
            }
            let host = settings.endpoint.map { address in String(text(address).dropFirst("https://".count)) }
            return CognitoExamination(
                fact, host: host ?? settings.poolHost, pool: pool, path: path, connectTimeout: settings.connectTimeout,
                proxy: settings.worker.proxy.map(text),
                isPinned: settings.worker.pinnedPublicKeys != nil,
                hasProxy: !isUnset("https_proxy") || !isUnset("HTTPS_PROXY"),
                flow: settings.beginning(.signIn).flow.name,
                revoking: settings.signOut == .session || settings.signOut == .last
                    ? (pool, text(settings.clientID)) : nil,
                secretFile: settings.clientSecretFile.map(text),
                keySetFile: settings.keySetFile.map { path in (text(path), settings.keySetAddress) },
                sandbox: .current)
        }
        let examination = CognitoExamination(of: examinations)
        return areas + [AreaReport(.cognito, examination.summary, examination.findings)]
    }
}
