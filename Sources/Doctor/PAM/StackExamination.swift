internal import Base
internal import Messages

/// What is known of this machine's PAM, besides the services' files.
struct PAMSurroundings: Sendable {
    /// The service files that came with this software, by name, and the directory that they are in.
    var shipped: [String: String]
    var shippedFolder: String
    var missingModules: Set<String> = []
    var refusesKeys = false
    /// What is wrong with the files that `config=` names in lines of ours, by path.
    var wrongFiles: [String: Check] = [:]
}

struct StackExamination {
    let serviceNames: [String]
    /// Whether managed accounts are admitted everywhere though this machine wants a new password of them.
    let passesAge: Bool
    let findings: [Check]

    /// Examines them; libpam says what comes of a stack.
    init(_ services: PAMServices, in surroundings: PAMSurroundings, judge: StackJudge) {
        let ours = services.ours
        serviceNames = ours.map(\.name)
        let problems = ServiceProblems(surroundings: surroundings, judge: judge)
        // Where Cognito is asked, passwd(1) is looked at, too.
        let isAsked = ours.contains { service in service.isOurs(.auth) } && services.text(of: "passwd") != nil
        let found = problems.all(of: ours, passwd: isAsked ? services.service("passwd") : nil)
        let remedies = StackRemedies(services: services, surroundings: surroundings) { changed, names in
            let passwd = isAsked ? changed.service("passwd") : nil
            return Set(problems.all(of: names.map(changed.service), passwd: passwd).map(\.0))
        }
        // What was not examined is not reported as a mistake: noJudge says so.
        passesAge = judge.fault != nil || !found.contains { problem, _ in problem.id == .keepsAgedOut }
        if let fault = judge.fault {
            // What was found without libpam's answers is about nothing.
            findings = [
                Check(
                    .noJudge, .warning, "The PAM stacks were not examined, because \(fault).",
                    why: "To detect mistakes in a stack, the doctor must run the stack in libpam, with pam_debug.so in "
                        + "place of the modules.",
                    fix: "apt install --reinstall libpam-modules")
            ]
        } else if serviceNames.isEmpty {
            findings = [
                Check(
                    .noService, .warning, "No service in /etc/pam.d uses pam_cognito.",
                    why: "No user can sign in with Cognito yet.", fix: "pam-auth-update --enable cognito")
            ]
        } else {
            findings = found.map { problem, affected in
                let isShown = problem.severity > .note || problem.id == .asksForNewFirst
                return Check(
                    problem.id, problem.severity, affected.map(\.name).joined(separator: ", ") + ": " + problem.what,
                    why: problem.why, fix: isShown ? problem.fix ?? remedies.fix(problem, affected) : nil)
            }
        }
    }
}

/// What is wrong with services, without their names.
private struct ServiceProblems {
    let surroundings: PAMSurroundings
    let judge: StackJudge

    /// Each once, with all services that have it.
    func all(of ours: [Service], passwd: Service?) -> [(Check, [Service])] {
        grouped(ours.flatMap { service in unique(rows(service)).map { row in (row, service) } } + passwordRow(passwd))
    }

    private func passwordRow(_ passwd: Service?) -> [(Check, Service)] {
        guard let passwd, !passwd.isOurs(.password) else { return [] }
        let row = Check(
            .hasNoPassword, .warning, "pam_cognito is not in the password lines.",
            why: "Users of managed accounts cannot change their passwords with passwd(1).")
        return [(row, passwd)]
    }

    @CheckList
    private func rows(_ service: Service) -> [Check] {
        // What comes of another's module that is not there is told with it, and not as a fault of the lines.
        let usual = problems(service, missing: [])
        missing(service, usual)
        usual
        for line in service.lines where line.isOurs {
            if let fault = ConfigurationExamination.argumentFault(line.arguments) {
                badArgument(line, fault)
            }
            if let path = line.configurationPath {
                if let fault = surroundings.wrongFiles[path] {
                    let words = fault.what.hasSuffix(".") ? String(fault.what.dropLast()) : fault.what
                    badArgument(
                        line, "config= specifies another file: \(words)",
                        fix: fault.fix ?? edit(line.place.path, line: line.place.line))
                } else {
                    Check(
                        .usesOtherFile, .note, "the configuration file is \(path).",
                        why: "The rest of this report does not cover this configuration file. To check the service's "
                            + "own file, run cognito-session doctor --config \(path).")
                }
            }
        }
    }

    private func problems(_ service: Service, missing: Set<String>) -> [Check] {
        StackCheck(service: service, judge: judge, missing: missing, refusesKeys: surroundings.refusesKeys).problems
    }

    /// The modules of others that are not there, with what comes of each.
    @CheckList
    private func missing(_ service: Service, _ usual: [Check]) -> [Check] {
        let lines = service.lines.filter { line in
            !line.isOurs && surroundings.missingModules.contains(line.module ?? "")
        }
        for line in lines where lines.first(where: { first in first.module == line.module }) == line {
            let module = line.module ?? ""
            let new = problems(service, missing: [module]).filter { problem in !usual.contains(problem) }
            if let worst = new.map(\.severity).max(), worst > .note {
                let file = module.split(separator: "/").last.map(String.init) ?? module
                Check(
                    .missingModule, worst, "\(module) (\(line.place.words)) is not installed.",
                    why: "libpam treats this line as a failed module, so users may be refused or admitted by mistake. "
                        + "The missing module is not part of pam-cognito.",
                    fix: "apt-file search \(shellWord("/security/\(file)"))   # install the module; if it is not "
                        + "needed, remove line \(line.place.line) of \(line.place.path)")
            }
        }
    }

    private func badArgument(_ line: StackLine, _ fault: String, fix: String? = nil) -> Check {
        // What is set on other lines is lost; users who sign in do not notice.
        let (severity, why): (Severity, String) =
            switch line.facility {
            case .auth:
                (
                    .broken,
                    "Until the mistake is corrected, users cannot sign in to managed accounts with this service, but "
                        + "can sign in to local accounts."
                )
            case .password:
                (
                    .warning,
                    "Until the mistake is corrected, users cannot change the passwords of managed accounts with this "
                        + "service."
                )
            case .account, .session:
                (
                    .note,
                    "Until the mistake is corrected, the settings of this line and its configuration file have no "
                        + "effect."
                )
            }
        return Check(.badArgument, severity, "\(line.place.words): \(fault).", why: why, fix: fix)
    }
}
