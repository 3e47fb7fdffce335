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
    private let settings: Settings?
    private let isRoot: Bool
    private let isCovered: Bool

    /// Of the account of that name; nil where there is none.
    init?(_ name: String, _ settings: Settings?, isCovered: Bool) {
        guard let account = (try? Account.named(Array(name.utf8))) ?? nil else {
            return nil
        }
        self.name = name
        self.settings = settings
        self.isCovered = isCovered
        isRoot = account.uid == 0
    }

    /// What was found, causes first.
    var findings: [Finding] {
        var machine = MachineFacts.current
        if isRoot {
            machine.nologin = nil
        }
        return machine.findings.filter { finding in finding.severity == .broken }
            + closings + failures + lock + ssh
    }

    /// What this machine itself has against the account.
    private var closings: [Finding] {
        let found = AccountClosing.all(of: name)
        guard !found.isEmpty else {
            return []
        }
        let passesAge = isCovered && StackExamination(ofThisMachineWith: settings).passesAge
        return found.map { closing in
            // An account of the system's is closed as it should be.
            closing.finding([name], isCovered ? .broken : .warning, passingAge: passesAge)
        }
    }

    /// Failed sign-ins with Cognito, by whom pam_cognito lets nobody try again.
    private var failures: [Finding] {
        guard isCovered, let most = settings?.maxFailures, most > 0 else {
            return []
        }
        let machine = LinuxMachine()
        let own = (try? machine.attemptCounts { subject in subject.user == Array(name.utf8) })?.failures ?? []
        let callers = Set(own.map(\.subject.caller)).sorted().filter { caller in
            own.filter { attempt in attempt.subject.caller == caller }.count >= Int(most)
        }
        return callers.map { caller in
            let end = own.map(\.end.milliseconds).max() ?? 0
            let text = DoctorWording.tooManyFailures(
                name, Int64(most), (end - machine.now.milliseconds) / 1000 + 1, caller)
            // Those who came over the network or sit at the console are the person, too.
            return Finding(
                caller == 0 ? .broken : .warning, text.what, why: text.why, mend: DoctorWording.forgetFailures(name))
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
        let told = DoctorWording.locked(name, count)
        return [Finding(.broken, told.what, why: told.why, mend: DoctorWording.unlock(name))]
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
