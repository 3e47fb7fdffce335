internal import Base
internal import Messages

/// What is known of this machine's PAM, besides the services' files.
struct PAMSurroundings: Sendable {
    /// The service files that came with this software, by name.
    var shipped: [String: String]
    /// The directory that they are in.
    var shippedFolder: String
    /// Modules that stacks name and that are not on this machine.
    var missingModules: Set<String> = []
    /// Whether pam_cognito.conf says `key_logins = refuse`.
    var refusesKeys = false
    /// What is wrong with the files that `config=` names in lines of ours, by path.
    var wrongFiles: [String: Check] = [:]
}

/// All stacks that ask Cognito, and what is wrong with them.
struct StackExamination {
    let serviceNames: [String]
    /// Whether managed accounts are admitted everywhere though this machine wants a new password of them.
    let passesAge: Bool
    let findings: [Check]

    /// Examines them.
    ///
    /// - Parameters:
    ///   - judge: libpam, which says what comes of a stack.
    ///   - argumentFault: Says what is wrong with the arguments of a line of ours; nil when nothing is.
    init(
        _ services: PAMServices, in surroundings: PAMSurroundings, judge: StackJudge,
        argumentFault: @escaping (_ arguments: [String]) -> String?
    ) {
        let ours = services.ours
        serviceNames = ours.map(\.name)
        let problems = ServiceProblems(
            surroundings: surroundings, judge: judge, asksCognito: ours.contains { service in service.isOurs(.auth) },
            argumentFault: argumentFault)
        let found = problems.all(of: ours, services)
        let remedies = StackRemedies(services: services, surroundings: surroundings) { changed, names in
            Set(problems.all(of: names.map(changed.service), changed).map(\.problem))
        }
        var findings = found.map { problem, affected in
            let isShown = problem.severity > .note || problem.id == .asksForNewFirst
            return Check(
                problem.id, problem.severity, affected.map(\.name).joined(separator: ", ") + ": " + problem.what,
                why: problem.why, fix: isShown ? problem.fix ?? remedies.fix(problem, affected) : nil)
        }
        if serviceNames.isEmpty {
            findings.append(
                Check(
                    .noService, .warning, "No service in /etc/pam.d asks Cognito.",
                    why: "No user can sign in with Cognito yet.", fix: "pam-auth-update --enable cognito"))
        }
        if let fault = judge.fault {
            // What was found without libpam's answers is about nothing.
            findings = [
                Check(
                    .noJudge, .warning, "The PAM stacks were not examined: \(fault).",
                    why: "libpam itself says what a stack does, with pam_debug.so in place of the modules. Mistakes in "
                        + "the stacks go unnoticed.", fix: "apt install --reinstall libpam-modules")
            ]
        }
        self.findings = findings
        // What was not examined is not reported as a mistake: noJudge says so.
        passesAge = judge.fault != nil || !found.contains { entry in entry.problem.id == .keepsAgedOut }
    }
}

/// What is wrong with services, without their names.
private struct ServiceProblems {
    let surroundings: PAMSurroundings
    let judge: StackJudge
    let asksCognito: Bool
    let argumentFault: (_ arguments: [String]) -> String?

    /// Each once, with all services that have it.
    func all(of ours: [Service], _ services: PAMServices) -> [(problem: Check, services: [Service])] {
        let passwd = asksCognito && services.text(of: "passwd") != nil ? [services.service("passwd")] : []
        var found: [(problem: Check, services: [Service])] = []
        for (service, problem) in ours.flatMap({ service in rows(service).map { row in (service, row) } })
            + passwd.flatMap({ service in passwordRow(service).map { row in (service, row) } })
        {
            if let index = found.firstIndex(where: { entry in entry.problem == problem }) {
                if !found[index].services.contains(where: { known in known.name == service.name }) {
                    found[index].services.append(service)
                }
            } else {
                found.append((problem, [service]))
            }
        }
        return found
    }

    @CheckList
    private func passwordRow(_ passwd: Service) -> [Check] {
        if !passwd.isOurs(.password) {
            Check(
                .hasNoPassword, .warning, "pam_cognito is not in the password lines.",
                why: "Managed accounts cannot change their password with passwd(1).")
        }
    }

    @CheckList
    private func rows(_ service: Service) -> [Check] {
        // What comes of another's module that is not there is told with it, and not as a fault of the lines.
        let usual = problems(service, missing: [])
        missing(service, usual)
        usual
        for line in Facility.allCases.flatMap(service.stack) where line.isOurs {
            if let fault = argumentFault(line.arguments) {
                badArgument(line, fault)
            }
            if let path = line.configurationPath {
                if let fault = surroundings.wrongFiles[path] {
                    let words = fault.what.hasSuffix(".") ? String(fault.what.dropLast()) : fault.what
                    badArgument(
                        line, "config= names another file: \(words)",
                        fix: fault.fix ?? edit(line.place.path, line: line.place.line))
                } else {
                    Check(
                        .usesOtherFile, .note, "the configuration is \(path).",
                        why: "It is another one than the rest of this report is about: cognito-session doctor "
                            + "--config \(path).")
                }
            }
        }
    }

    private func problems(_ service: Service, missing: Set<String>) -> [Check] {
        StackCheck(
            service: service, judge: judge, missing: missing, refusesKeys: surroundings.refusesKeys,
            argumentFault: argumentFault
        ).problems
    }

    /// The modules of others that are not there, with what comes of each.
    private func missing(_ service: Service, _ usual: [Check]) -> [Check] {
        var found: [Check] = []
        var seen: Set<String> = []
        for line in Facility.allCases.flatMap(service.stack) where !line.isOurs {
            guard let module = line.module, surroundings.missingModules.contains(module), seen.insert(module).inserted
            else {
                continue
            }
            let new = problems(service, missing: [module]).filter { problem in !usual.contains(problem) }
            let worst = new.map(\.severity).max() ?? .note
            if worst > .note || !line.expectsNoModule {
                let file = module.split(separator: "/").last.map(String.init) ?? module
                found.append(
                    Check(
                        .missingModule, worst, "\(module) (\(line.place.words)) is not on this machine.",
                        why: worst == .note
                            ? "libpam passes over it, and logs that at every sign-in."
                            : "libpam treats this line as a failed module: this alone may lock users out or admit them. The "
                                + "module is not part of pam-cognito.",
                        fix: "apt-file search \(shellWord("/security/\(file)"))   # install it; if it is not needed, "
                            + "remove line \(line.place.line) of \(line.place.path)"))
            }
        }
        return found
    }

    private func badArgument(_ line: StackLine, _ fault: String, fix: String? = nil) -> Check {
        // What is set on other lines is lost; users who sign in do not notice.
        let (severity, why): (Severity, String) =
            switch line.facility {
            case .auth: (.broken, "Managed accounts cannot sign in there until it is corrected; local ones can.")
            case .password: (.warning, "Managed accounts cannot change their password there until it is corrected.")
            case .account, .session:
                (.note, "Nothing that is set on this line or in the file holds there until it is corrected.")
            }
        return Check(.badArgument, severity, "\(line.place.words): \(fault).", why: why, fix: fix)
    }
}

extension PAMServices {
    /// Whether the machine has the files that Debian's services share.
    var isDebian: Bool {
        text(of: "common-auth") != nil
    }

    /// Whether pam-auth-update has put us into the common files.
    var isProfileEnabled: Bool {
        ["common-auth", "common-account", "common-session", "common-password"].contains { file in
            text(of: file)?.mentions("pam_cognito") == true
        }
    }

    /// Whether the file says something else than `shipped`, spaces and comments aside.
    func differs(_ file: String, from shipped: String?) -> Bool {
        guard let shipped else {
            return false
        }
        return LineFix.Statement.all(text(of: file) ?? "").map(\.words) != LineFix.Statement.all(shipped).map(\.words)
    }

    /// Whether a service is a shipped one without its includes: more than half of its lines are those of the shipped
    /// file.
    func usesShippedFiles(_ service: Service, _ shipped: [String: String]) -> Bool {
        guard let text = text(of: service.name), let original = shipped[service.name] else {
            return false
        }
        let wanted = LineFix.Statement.all(original).map(\.words)
        let had = LineFix.Statement.all(text).map(\.words)
        return text.mentions("cognito") && wanted.filter(had.contains).count * 2 >= wanted.count
    }
}
