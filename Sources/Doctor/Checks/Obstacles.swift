internal import Base
internal import Commands
internal import Configuration
internal import Keyring
internal import Messages
internal import Sessions

/// What keeps one account out of this machine now, in any service.
struct AccountObstacles {
    let name: String
    let examination: MachineExamination
    let isRoot: Bool
    let isCovered: Bool
    /// Whether what is wrong with the machine concerns it: Cognito is asked about it, or would be.
    let isManaged: Bool

    private var settings: Settings? { examination.configuration.settings }

    var findings: [Check] {
        examination.obstacles(to: name, isRoot: isRoot, isManaged: isManaged) + closings + failures + lock + ssh
    }

    /// What this machine itself has against the account.
    private var closings: [Check] {
        let found = AccountClosing.all(of: name)
        let passesAge = !found.isEmpty && isCovered && examination.stacks.passesAge
        return found.map { closing in
            // An account of the system's is closed as it should be.
            closing.finding([name], isCovered ? .broken : .warning, passingAge: passesAge)
        }
    }

    /// Failed sign-ins with Cognito, and codes that were not entered, after which pam_cognito asks no more.
    private var failures: [Check] {
        let machine = LinuxMachine()
        guard isCovered, let most = settings?.maxFailures, most > 0,
            let counts = try? machine.attemptCounts(where: { subject in subject.user == Array(name.utf8) })
        else {
            return []
        }
        return Self.findings(of: counts.failures, .tooManyFailures, name, most, at: machine.now)
            + Self.findings(of: counts.codesSent, .tooManyCodes, name, most, at: machine.now)
    }

    /// Which callers have reached `most` of `attempts`, and so cannot try again.
    static func findings(
        of attempts: [Attempt], _ id: CheckID, _ name: String, _ most: UInt32, at now: Instant
    ) -> [Check] {
        Set(attempts.map(\.subject.caller)).sorted().compactMap { caller in
            let own = attempts.filter { attempt in attempt.subject.caller == caller }
            guard own.count >= Int(most) else { return nil }
            let seconds = ((own.map(\.end.milliseconds).max() ?? 0) - now.milliseconds) / 1000 + 1
            let who = caller == 0 ? "over the network or at the console" : "by uid \(caller)"
            let isCodes = id == .tooManyCodes
            let effect = isCodes ? "does not request another code" : "does not contact Cognito again"
            // Those who came over the network or sit at the console are the user, too.
            return Check(
                id, caller == 0 ? .broken : .warning,
                isCodes
                    ? "\(most) or more codes for sign-ins as \(name) \(who) were sent by Cognito but not entered."
                    : "\(most) or more sign-ins as \(name) \(who) have failed.",
                why: "pam_cognito \(effect) for up to \(seconds) s (max_failures).",
                fix: "cognito-agent failures --reset \(shellWord(name))")
        }
    }

    /// pam_faillock's lock, where a service that asks Cognito goes by it (faillock.conf(5)).
    private var lock: [Check] {
        let lines = (readWhole("/etc/security/faillock.conf") ?? "").split(separator: "\n").map { line in
            line.split { letter in letter == "=" || letter.isWhitespace }
        }
        func value(_ name: String) -> Substring? {
            lines.last { words in words.first ?? "" == name }?.dropFirst().first
        }
        let most = value("deny").flatMap { text in Int(text) } ?? 3
        let isCounted = PAMServices.current.ours.contains { service in
            service.stack(.auth).contains { line in line.moduleName == "pam_faillock" }
        }
        guard isCounted, most > 0, !isRoot || lines.contains(["even_deny_root"]),
            let tally = try? readFile("\(value("dir") ?? "/run/faillock")/\(name)")
        else {
            return []
        }
        // Records of 64 bytes, with a flag of those that count behind the source and a reserved field (faillock.h).
        let count = stride(from: 0, to: tally.count - 63, by: 64).count { start in tally[start + 54] & 1 != 0 }
        return count >= most ? [Self.locked(name, count)] : []
    }

    static func locked(_ name: String, _ count: Int) -> Check {
        Check(
            .lockedByFaillock, .broken, "pam_faillock has counted \(count) failures for \(name).",
            why: "Services that use pam_faillock refuse the user, even with the correct password, until unlock_time "
                + "has passed.",
            fix: "faillock --user \(shellWord(name)) --reset")
    }

    private var ssh: [Check] {
        let examination = SSHExamination(
            of: [name], settings ?? .defaults, asksCognito: true,
            group: settings?.unixGroup.map(text))
        // How a user is asked matters to managed accounts alone.
        return examination.findings.filter { check in
            isCovered || [.sshList, .sshRefused, .sshSilent].contains(check.id)
        }
    }
}
