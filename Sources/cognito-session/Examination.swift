internal import ByteText
internal import CLinux
internal import Configuration
internal import Doctor
internal import Glibc
internal import LinuxProcess
internal import LoginSystem
internal import SessionTool
internal import Wording

/// `doctor`.
func examine(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    guard geteuid() == 0, getuid() == 0 else {
        throw Refusal(.usage, DoctorWording.notRoot)
    }
    let examination = MachineExamination(configuration: invocation.text(.config) ?? "/etc/security/pam_cognito.conf")
    let report = DoctorReport(examination.areas)
    if invocation.has(.json) {
        write(report.json)
    } else {
        write(report.text(.current), to: STDOUT_FILENO)
    }
    return report.exitStatus
}

/// All of this machine that the doctor looks at.
private struct MachineExamination {
    private let path: String
    private let configuration: ConfigurationExamination
    private let services: PAMServices
    private let stacks: StackExamination
    private let modules: ModuleFolder

    init(configuration path: String) {
        self.path = path
        configuration = ConfigurationExamination(path, trustedContent(path, secret: false))
        services = PAMServices(textFiles(in: "/etc/pam.d"))
        modules = ModuleFolder()
        let shippedFolder = installedPrefix + "/share/doc/pam-cognito/pam.d"
        let modules = modules
        let missing = Set(services.moduleNames.filter { name in !modules.has(name) })
        stacks = StackExamination(
            services,
            in: PAMSurroundings(
                shipped: textFiles(in: shippedFolder), shippedFolder: shippedFolder, missingModules: missing,
                refusesKeys: configuration.settings?.refusesKeyLogins ?? false)
        ) { line in
            ConfigurationExamination.argumentFault(line.arguments)
        }
    }

    var areas: [AreaReport] {
        [configurationArea, filesArea, accountArea, keyringsArea, stacksArea, sshArea, peopleArea].compactMap(\.self)
    }

    private var configurationArea: AreaReport {
        var findings = configuration.findings
        if let secret = configuration.settings?.clientSecretFile {
            let path = String(decoding: secret, as: UTF8.self)
            switch trustedContent(path, secret: true, limit: 256) {
            case .failure(let fault): findings += secretFindings(path, fault, isEmpty: false)
            case .success(let text):
                findings += secretFindings(
                    path, nil, isEmpty: text.allSatisfy { byte in [0x0a, 0x0d, 0x20].contains(byte) })
            }
        }
        let summary = configuration.settings.map { settings in
            DoctorWording.configurationSummary(
                path, String(decoding: settings.userPoolID, as: UTF8.self),
                String(decoding: settings.clientID, as: UTF8.self))
        }
        return AreaReport(.configuration, summary ?? path, findings)
    }

    private var filesArea: AreaReport {
        let state = "/var/lib/pam-cognito"
        let asking = services.ours.flatMap(\.files)
        let trusted = Set(asking).sorted().map { name in "/etc/pam.d/\(name)" } + ["/etc/pam.d", "/etc/security"]
        let facts = FileFacts(
            module: FileFact(at: modules.path(of: "pam_cognito.so")),
            worker: FileFact(at: programFolder + "/cognito-worker"),
            agent: FileFact(at: programFolder + "/cognito-agent"),
            runFolder: FileFact(at: "/run/pam-cognito"),
            stateFolders: [FileFact(at: state), FileFact(at: state + "/devices")],
            trusted: trusted.map(FileFact.init(at:)),
            isSwitchedOff: LinuxMachine().isDisabled
        )
        return AreaReport(.files, DoctorWording.filesSummary, facts.findings)
    }

    private var accountArea: AreaReport {
        let name = String(decoding: LinuxMachine.workerAccount.bytes, as: UTF8.self)
        var account: WorkerAccount?
        if let entry = unsafe getpwnam(name) {
            let found = try? Account.named(Array(name.utf8))
            account = WorkerAccount(
                name: name, uid: unsafe entry.pointee.pw_uid, gid: unsafe entry.pointee.pw_gid,
                shell: unsafe entry.pointee.pw_shell.map { text in unsafe String(cString: text) } ?? "",
                hasUsablePassword: found?.hasUsablePassword ?? false)
        }
        return AreaReport(
            .account, DoctorWording.accountSummary(name, account?.uid ?? 0), WorkerAccount.findings(account, name: name)
        )
    }

    private var keyringsArea: AreaReport {
        let usage = rootKeyUsage(readWhole("/proc/key-users") ?? "") ?? (0, 0)
        let facts = KeyringFacts(
            error: keyctlError(), mostKeys: kernelNumber("root_maxkeys"), mostBytes: kernelNumber("root_maxbytes"),
            keys: usage.keys, bytes: usage.bytes)
        return AreaReport(.keyrings, DoctorWording.keyringsSummary(facts.sessionsLeft), facts.findings)
    }

    private var stacksArea: AreaReport {
        AreaReport(.stacks, DoctorWording.services(stacks.serviceNames), stacks.findings)
    }

    private var sshArea: AreaReport {
        let examination = SSHExamination(
            effectiveSSHSettings(), asksCognito: services.service("sshd").isOurs(.auth),
            networkTimeout: configuration.settings?.networkTimeout ?? 15_000)
        return AreaReport(.ssh, examination.summary, examination.findings)
    }

    private var peopleArea: AreaReport? {
        guard let settings = configuration.settings else {
            return nil
        }
        let facts = PeopleFacts(of: settings)
        return AreaReport(
            .people, DoctorWording.peopleSummary(facts.covered.map(\.name)), facts.findings)
    }
}

extension PeopleFacts {
    /// Who is named by `settings`, as this machine's accounts and groups have them.
    fileprivate init(of settings: Settings) {
        let group = settings.unixGroup.map { name in String(decoding: name, as: UTF8.self) }
        var members: [String] = []
        var hasGroup = false
        if let group, let entry = unsafe getgrnam(group) {
            hasGroup = true
            let gid = unsafe entry.pointee.gr_gid
            members = unsafe strings(entry.pointee.gr_mem) + accountNames(withGroup: gid)
        }
        let named = settings.users.map { name in String(decoding: name, as: UTF8.self) }
        var people: [PersonFact] = []
        var unknown: [String] = []
        for name in named + members where !people.contains(where: { person in person.name == name }) {
            if let account = (try? Account.named(Array(name.utf8))) ?? nil {
                people.append(
                    PersonFact(
                        name: name, uid: account.uid, isNamed: named.contains(name), isMember: members.contains(name),
                        hasUsablePassword: account.hasUsablePassword))
            } else if named.contains(name) {
                unknown.append(name)
            }
        }
        self.init(
            people: people, unknown: unknown, group: group, hasGroup: hasGroup, minimumUID: settings.minimumUID)
    }
}
