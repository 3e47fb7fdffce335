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
        throw Refusal(.notPermitted, DoctorWording.notRoot)
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
        ) { arguments in ConfigurationExamination.argumentFault(arguments) }
    }

    var areas: [AreaReport] {
        [configurationArea, filesArea, accountArea, keyringsArea, stacksArea, sshArea].compactMap(\.self)
            + workerAreas + [peopleArea].compactMap(\.self)
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
        if let settings = configuration.settings {
            findings += IdentityFacts(of: settings, at: path).findings
        }
        if let text = readWhole(OldSetUp.path) {
            findings.append(OldSetUp(text).finding(path: path, isReplaced: configuration.settings != nil))
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
            doctor: FileFact(at: programFolder + "/cognito-doctor"),
            runFolder: FileFact(at: "/run/pam-cognito"),
            stateFolders: [FileFact(at: state), FileFact(at: state + "/devices")],
            journalFolder: FileFact(at: state + "/journal"),
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
        let tallies = "/run/faillock"
        let writable = fileNames(in: tallies).map { name in FileFact(at: "\(tallies)/\(name)") }.filter(\.isGroupsOwn)
        return AreaReport(
            .stacks, DoctorWording.services(stacks.serviceNames),
            stacks.findings + Finding.writableTallies(writable, in: tallies))
    }

    private var sshArea: AreaReport {
        let written = SSHConfiguration("/etc/ssh/sshd_config", files: filesMatching)
        let people = configuration.settings.map { settings in PeopleFacts(of: settings).covered } ?? []
        let examination = SSHExamination(
            effectiveSSHSettings(of: SSHConnection()), asksCognito: services.service("sshd").isOurs(.auth),
            networkTimeout: configuration.settings?.networkTimeout ?? 15_000, configuration: written,
            accounts: people.map { person in
                SSHAccount(name: person.name, groups: written.asksForGroups ? groupNames(of: person.name) : [])
            }
        ) { connection in effectiveSSHSettings(of: connection) }
        return AreaReport(.ssh, examination.summary, examination.findings)
    }

    /// The worker, and what it says of the way to Cognito; nothing while nobody knows what it should ask.
    private var workerAreas: [AreaReport] {
        guard let settings = configuration.settings else {
            return []
        }
        var areas: [AreaReport] = []
        let fact = CognitoFact(asking: settings) { facts in
            let uid = ((try? Account.named(LinuxMachine.workerAccount.bytes)) ?? nil)?.uid ?? 0
            areas.append(AreaReport(.worker, facts.summary, facts.findings(account: uid)))
        }
        let pool = String(decoding: settings.userPoolID, as: UTF8.self)
        let region = pool.prefix { letter in letter != "_" }
        let standard = "cognito-idp.\(region).\(region.hasPrefix("eusc-") ? "amazonaws.eu" : "amazonaws.com")"
        let host =
            settings.endpoint.map { text in String(decoding: text.dropFirst("https://".count), as: UTF8.self) }
            ?? standard
        let examination = CognitoExamination(
            fact, host: host, path: path, connectTimeout: settings.connectTimeout,
            proxy: settings.proxy.map { text in String(decoding: text, as: UTF8.self) },
            isPinned: settings.pinnedPublicKeys != nil, hasProxy: !isUnset("https_proxy") || !isUnset("HTTPS_PROXY"))
        return areas + [AreaReport(.cognito, examination.summary, examination.findings)]
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

extension CognitoFact {
    /// What a worker says; `observe` gets what keeps it in, while it waits.
    fileprivate init(asking settings: Settings, observe: (WorkerFacts) -> Void) {
        let sign = ProgressSign()
        defer { sign.end() }
        do throws(Fault) {
            let outcome = try LinuxMachine().probe(settings) { worker in
                if let facts = WorkerFacts(of: worker) {
                    observe(facts)
                }
            }
            switch outcome {
            case .reached(let report):
                self =
                    JSONValue(parsing: report).map(ReachedCognito.init).map(CognitoFact.reached)
                    ?? .noWorker(DoctorWording.workerNonsense)
            case .failed(let reason, let text):
                self = .failed(String(decoding: text, as: UTF8.self), isConfiguration: reason == .configuration)
            case .outOfTime:
                self = .failed(DoctorWording.workerLate, isConfiguration: false)
            }
        } catch {
            self = .noWorker(String(decoding: error.line.bytes, as: UTF8.self))
        }
    }
}

extension ReachedCognito {
    fileprivate init(_ report: JSONValue) {
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
            }, publicKey: report["public_key"]?.text)
    }
}

extension IdentityFacts {
    /// Addresses of the metadata of an instance of EC2.
    private static let addresses = ["169.254.169.254", "fd00:ec2::254"]
    /// The kernel's "overflow" account, which owns nothing.
    private static let nobody: UInt32 = 65_534

    /// What is set in the file at `path`, tried out.
    fileprivate init(of settings: Settings, at path: String) {
        let file = settings.iamCredentialsFile.map { bytes in
            let path = String(decoding: bytes, as: UTF8.self)
            switch trustedContent(path, secret: true, limit: 16_384) {
            case .failure(let fault): return KeyFile(path, fault: fault, hasKeys: false)
            case .success(let text):
                var hasKeys = false
                if let content = unsafe Secret(copying: text.span.bytes), IAMCredentials(file: content) != nil {
                    hasKeys = true
                }
                return KeyFile(path, fault: nil, hasKeys: hasKeys)
            }
        }
        var reach: Reach?
        if settings.iamInstanceMetadata {
            let worker = (try? Account.named(LinuxMachine.workerAccount.bytes)) ?? nil
            reach = Reach(
                byAnybody: Self.addresses.first { address in
                    Self.reaches(address, as: Self.nobody, Self.nobody)
                },
                byWorkers: worker.map { account in Self.reaches(Self.addresses[0], as: account.uid, account.gid) }
                    ?? false)
        }
        self.init(configuration: path, keepsJournal: settings.journal, file: file, metadata: reach)
    }

    private static func reaches(_ address: String, as uid: UInt32, _ gid: UInt32) -> Bool {
        unsafe linux_reaches_as(uid, gid, address, 80, 1500) == 1
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
                        hasUsablePassword: account.hasUsablePassword, hasLockedPassword: account.hasLockedPassword))
            } else if named.contains(name) {
                unknown.append(name)
            }
        }
        self.init(
            people: people, unknown: unknown, group: group, hasGroup: hasGroup, minimumUID: settings.minimumUID,
            allowsLocalPasswords: settings.allowsLocalPasswords)
        let own = Set(covered.map(\.name))
        hasRepairer = Self.administrators.contains { name in !own.contains(name) && Self.canSignIn(name) }
    }

    /// Who may become root: root, and the members of the groups that sudo is set up for.
    private static var administrators: [String] {
        ["root"]
            + ["sudo", "wheel", "admin"].flatMap { group in
                guard let entry = unsafe getgrnam(group) else {
                    return [String]()
                }
                let gid = unsafe entry.pointee.gr_gid
                return unsafe strings(entry.pointee.gr_mem) + accountNames(withGroup: gid)
            }
    }

    /// Whether somebody has a password of this machine, or an ssh key.
    private static func canSignIn(_ name: String) -> Bool {
        guard let account = (try? Account.named(Array(name.utf8))) ?? nil else {
            return false
        }
        guard !account.hasUsablePassword else {
            return true
        }
        guard let entry = unsafe getpwnam(name), let home = unsafe entry.pointee.pw_dir else {
            return false
        }
        let keys = readWhole(unsafe String(cString: home) + "/.ssh/authorized_keys") ?? ""
        return keys.split(separator: "\n").contains { line in !line.hasPrefix("#") }
    }
}
