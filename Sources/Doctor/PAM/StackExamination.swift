internal import Base

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
    /// What was found.
    let findings: [Check]

    /// Examines them.
    ///
    /// - Parameter argumentFault: Says what is wrong with the arguments of a line of ours; nil when nothing is.
    init(
        _ services: PAMServices, in surroundings: PAMSurroundings,
        argumentFault: @escaping (_ arguments: [String]) -> String?
    ) {
        let ours = services.ours
        serviceNames = ours.map(\.name)
        let asksCognito = ours.contains { service in service.isOurs(.auth) }
        let found = Self.problems(services, ours, asksCognito, surroundings, argumentFault)
        let remedies = StackRemedies(services: services, surroundings: surroundings) { changed, names in
            Set(
                Self.problems(changed, names.map(changed.service), asksCognito, surroundings, argumentFault)
                    .map(\.problem))
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
        self.findings = findings
        passesAge = !found.contains { entry in entry.problem.id == .keepsAgedOut }
    }

    /// What is wrong, each once with all services that have it.
    private static func problems(
        _ services: PAMServices, _ ours: [Service], _ asksCognito: Bool, _ surroundings: PAMSurroundings,
        _ argumentFault: @escaping (_ arguments: [String]) -> String?
    ) -> [(problem: Check, services: [Service])] {
        var found: [(problem: Check, services: [Service])] = []
        func note(_ problem: Check, _ service: Service) {
            if let index = found.firstIndex(where: { entry in entry.problem == problem }) {
                if !found[index].services.contains(where: { known in known.name == service.name }) {
                    found[index].services.append(service)
                }
            } else {
                found.append((problem, [service]))
            }
        }
        for service in ours {
            func problems(_ missing: Set<String>) -> [Check] {
                StackCheck(
                    service, missing: missing, refusesKeys: surroundings.refusesKeys, argumentFault: argumentFault
                ).problems
            }
            // What comes of another's module that is not there is told with it, and not as a fault of the lines.
            let usual = problems([])
            for problem in missing(service, surroundings.missingModules, usual, problems) + usual {
                note(problem, service)
            }
            for facility in Facility.allCases {
                for line in service.stack(facility) where line.isOurs {
                    if let fault = argumentFault(line.arguments) {
                        note(.badArgument(line.place, facility, fault), service)
                    }
                    if let path = line.configurationPath {
                        if let fault = surroundings.wrongFiles[path] {
                            note(.badFile(line.place, facility, fault), service)
                        } else {
                            note(.usesOtherFile(path), service)
                        }
                    }
                }
            }
        }
        if asksCognito, services.text(of: "passwd") != nil {
            let passwd = services.service("passwd")
            if !passwd.isOurs(.password) {
                note(.hasNoPassword, passwd)
            }
        }
        return found
    }

    /// The modules of others that are not there, with what comes of each.
    private static func missing(
        _ service: Service, _ names: Set<String>, _ usual: [Check], _ problems: (Set<String>) -> [Check]
    ) -> [Check] {
        var found: [Check] = []
        var seen: Set<String> = []
        for facility in Facility.allCases {
            for line in service.stack(facility) where !line.isOurs {
                guard let module = line.module, names.contains(module), seen.insert(module).inserted else {
                    continue
                }
                let worst = problems([module]).filter { problem in !usual.contains(problem) }.map(\.severity).max()
                if worst ?? .note > .note || !line.expectsNoModule {
                    found.append(.missesModule(line.place, module, worst ?? .note))
                }
            }
        }
        return found
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
