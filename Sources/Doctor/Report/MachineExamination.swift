internal import Base
internal import CLinux
package import Commands
internal import Configuration
internal import Glibc
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
    let report = DoctorReport(areas: examination.areas)
    try invocation.answer(report.json, report.text(.current))
    return report.exitStatus
}

extension PAMServices {
    static var current: PAMServices {
        PAMServices(textFiles(in: folder), vendor: textFiles(in: vendorFolder))
    }
}

extension StackExamination {
    fileprivate init(_ services: PAMServices, with settings: Settings?, _ modules: ModuleFolder) {
        let shippedFolder = installedPrefix + "/share/doc/pam-cognito/pam.d"
        let paths = Set(services.ours.flatMap { service in service.lines.compactMap(\.configurationPath) })
        let wrongFiles = paths.compactMap { path in
            ConfigurationExamination.fileFault(path).map { fault in (path, fault) }
        }
        self.init(
            services,
            in: PAMSurroundings(
                shipped: textFiles(in: shippedFolder), shippedFolder: shippedFolder,
                missingModules: services.moduleNames.filter { name in !modules.has(name) },
                refusesKeys: settings?.refusesKeyLogins ?? false,
                wrongFiles: Dictionary(uniqueKeysWithValues: wrongFiles)),
            judge: StackJudge(modules.path(of: "pam_debug.so")))
    }
}

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
        stacks = StackExamination(services, with: configuration.settings, modules)
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
        let found = isManaged ? reports(on: shared, nil, about: [name]).flatMap(\.findings) : machine.findings
        return found.filter { check in check.severity == .broken }
    }

    /// - Parameter names: Accounts that a mistake in the configuration may be about.
    private func reports(
        on areas: [Area], _ people: PeopleFacts?, about names: @autoclosure () -> [String]
    ) -> [AreaReport] {
        lazy var cognito = cognitoReports
        return areas.compactMap { area in
            let found: Findings?
            switch area {
            case .machine:
                found = (
                    "directories are writable, a log service and all name services are available, and logins "
                        + "are allowed", machine.findings
                )
            case .configuration: found = (configurationSummary, configurationFindings(about: names()))
            case .files:
                let files = FileFacts(services, modules)
                found = ("only root can change the module, the programs and their directories", files.findings)
            case .account:
                let name = WorkerAccount.usualName
                let account = WorkerAccount(named: name)
                found = (
                    "no user can sign in as \(name), uid \(account?.uid ?? 0)",
                    WorkerAccount.findings(account, name: name, names: machine.names)
                )
            case .keyrings:
                let facts = KeyringFacts.current
                found = (facts.summary, facts.findings)
            case .agent:
                let facts = AgentFacts.current
                found = (facts.summary, facts.findings)
            case .stacks: found = stackFindings
            case .ssh:
                let examination = SSHExamination(
                    of: (people?.covered ?? []).map(\.name), configuration.settings ?? .defaults,
                    asksCognito: services.service("sshd").isOurs(.auth), group: people?.group)
                found = (examination.summary, examination.findings)
            case .worker, .cognito: found = cognito[area]
            case .accounts:
                let facts = configuration.settings.flatMap { settings in AccountServiceFacts(of: settings, at: path) }
                found = facts.map { facts in
                    let accounts = facts.count == 1 ? "account" : "accounts"
                    return ("\(facts.count) \(accounts) from the pool", facts.findings)
                }
            case .people:
                found = people.map { people in (list(people.covered.map(\.name)), people.findings(machine.names)) }
            }
            return found.map { summary, findings in AreaReport(area, summary, findings) }
        }
    }

    private typealias Findings = (summary: String, findings: [Check])

    private var stackFindings: Findings {
        let names = stacks.serviceNames
        return (
            names.isEmpty ? "no service uses pam_cognito" : names.joined(separator: ", "),
            stacks.findings + (PolkitSandbox(services)?.findings(agentListens: AgentFacts.isListening) ?? [])
        )
    }

    private var configurationSummary: String {
        guard let settings = configuration.settings else { return path }
        return "\(path): user pool \(text(settings.userPoolID)), app client \(text(settings.clientID))"
    }

    @CheckList
    private func configurationFindings(about names: @autoclosure () -> [String]) -> [Check] {
        configuration.findings
        configuration.effects(on: names())
        if let settings = configuration.settings {
            if let file = settings.clientSecretFile.map(text) {
                secretFindings(file, trustedContent(file, secret: true, limit: 256))
            }
            if let file = settings.keySetFile {
                keySetFinding(text(file), keySet(in: file), address: settings.keySetAddress)
            }
            IdentityFacts(of: settings, at: path).findings
            if let folder = settings.metricsDirectory {
                metricsFindings(text(folder), error: metricsError(folder))
            }
        }
    }

    /// The worker, and what it says of the way to Cognito; nothing while the configuration has a mistake.
    private var cognitoReports: [Area: Findings] {
        guard let settings = configuration.settings else { return [:] }
        var found: [Area: Findings] = [:]
        let asksForLevels =
            !settings.requiredACR.isEmpty
            || services.ours.flatMap({ service in service.stack(.auth) }).contains { line in
                line.isOurs && line.arguments.contains { text in text.hasPrefix("required_acr=") }
            }
        let examinations = settings.singleEndpoints.map { settings in
            let fact = CognitoFact(asking: settings, levels: asksForLevels) { facts in
                if found.isEmpty {
                    let uid = existingAccount(WorkerAccount.usualName)?.uid ?? 0
                    found[.worker] = (WorkerFacts.summary, facts.findings(account: uid))
                }
            }
            return CognitoExamination(
                fact, settings, at: path, hasProxy: !isUnset("https_proxy") || !isUnset("HTTPS_PROXY"))
        }
        let examination = CognitoExamination(of: examinations)
        found[.cognito] = (examination.summary, examination.findings)
        return found
    }
}
