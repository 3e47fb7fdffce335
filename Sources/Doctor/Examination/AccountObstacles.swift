internal import Base
internal import Commands
internal import Configuration
internal import Keyring
internal import LinuxHost
internal import Messages
internal import Sessions

/// What keeps one account out of this machine now, whoever asks for its password.
struct AccountObstacles {
    private let name: String
    private let examination: MachineExamination
    private let isRoot: Bool
    private let isCovered: Bool
    private let isManaged: Bool

    private var settings: Settings? { examination.configuration.settings }

    /// Of the account of that name; nil where there is none.
    ///
    /// - Parameter isManaged: Whether what is wrong with the machine concerns it: Cognito is asked about it, or would be.
    init?(_ name: String, on examination: MachineExamination, isCovered: Bool, isManaged: Bool) {
        guard let account = (try? Account.named(Array(name.utf8))) ?? nil else {
            return nil
        }
        self.name = name
        self.examination = examination
        self.isCovered = isCovered
        self.isManaged = isManaged
        isRoot = account.uid == 0
    }

    /// What was found, causes first.
    var findings: [Finding] {
        examination.obstacles(to: name, isRoot: isRoot, isManaged: isManaged) + closings + failures + lock + ssh
    }

    /// What this machine itself has against the account.
    private var closings: [Finding] {
        let found = AccountClosing.all(of: name)
        guard !found.isEmpty else {
            return []
        }
        let passesAge = isCovered && examination.stacks.passesAge
        return found.map { closing in
            // An account of the system's is closed as it should be.
            closing.finding([name], isCovered ? .broken : .warning, passingAge: passesAge)
        }
    }

    /// Failed sign-ins with Cognito, and codes that were not entered, after which pam_cognito asks no more.
    private var failures: [Finding] {
        guard isCovered, let most = settings?.maxFailures, most > 0 else {
            return []
        }
        let machine = LinuxMachine()
        guard let counts = try? machine.attemptCounts(where: { subject in subject.user == Array(name.utf8) }) else {
            return []
        }
        return Self.findings(of: counts.failures, name, most, at: machine.now, DoctorWording.tooManyFailures)
            + Self.findings(of: counts.codesSent, name, most, at: machine.now, DoctorWording.tooManyCodes)
    }

    /// Who has reached `most` of `attempts`, and so cannot try again.
    static func findings(
        of attempts: [Attempt], _ name: String, _ most: UInt32, at now: Instant,
        _ words: (_ name: String, _ most: Int64, _ seconds: Int64, _ caller: UInt32) -> (what: String, why: String)
    ) -> [Finding] {
        Set(attempts.map(\.subject.caller)).sorted().compactMap { caller in
            let own = attempts.filter { attempt in attempt.subject.caller == caller }
            guard own.count >= Int(most) else {
                return nil
            }
            let end = own.map(\.end.milliseconds).max() ?? 0
            let text = words(name, Int64(most), (end - now.milliseconds) / 1000 + 1, caller)
            // Those who came over the network or sit at the console are the person, too.
            return Finding(
                caller == 0 ? .broken : .warning, text.what, why: text.why,
                mend: "cognito-agent failures --reset \(shellWord(name))")
        }
    }

    /// pam_faillock's lock, where a service that asks Cognito goes by it.
    private var lock: [Finding] {
        let services = PAMServices.current
        let asks = services.ours.contains { service in
            service.stack(.auth).contains { line in line.moduleName == "pam_faillock" }
        }
        let text = readWhole(LockoutSettings.usualPath) ?? ""
        let settings = LockoutSettings(text, at: LockoutSettings.usualPath)
        guard asks, !isRoot || settings.locksRoot,
            let bytes = try? readFile("\(settings.folder)/\(name)")
        else {
            return []
        }
        let count = LockoutSettings.failures(bytes)
        guard settings.most > 0, count >= settings.most else {
            return []
        }
        let told = (
            what: "pam_faillock has counted \(count) failures of \(name).",
            why: "Services that go by it turn the person away, whatever password they give, until "
                + "unlock_time is over."
        )
        return [Finding(.broken, told.what, why: told.why, mend: "faillock --user \(shellWord(name)) --reset")]
    }

    private var ssh: [Finding] {
        let written = SSHConfiguration("/etc/ssh/sshd_config", files: filesMatching)
        let account = SSHAccount(name: name, groups: groupNames(of: name))
        let examination = SSHExamination(
            effectiveSSHSettings(of: SSHConnection()), asksCognito: true,
            networkTimeout: (settings ?? .defaults).networkTimeout, configuration: written, accounts: [account],
            group: settings?.unixGroup.map { group in String(decoding: group, as: UTF8.self) }
        ) { connection in effectiveSSHSettings(of: connection) }
        // How somebody is asked matters to Cognito's accounts alone.
        return examination.findings.filter { finding in
            isCovered || finding.why == DoctorWording.sshKeepsOutWhy || finding.why == DoctorWording.sshRefusedWhy
        }
    }
}
