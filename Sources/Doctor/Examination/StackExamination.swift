internal import Base
internal import Messages

/// What is known of this machine's PAM, besides the services' files.
struct PAMSurroundings: Sendable {
    /// The service files that came with this software, by name.
    var shipped: [String: String]
    /// The folder that they are in.
    var shippedFolder: String
    /// Modules that stacks name and that are not on this machine.
    var missingModules: Set<String> = []
    /// Whether pam_cognito.conf says `key_logins = refuse`.
    var refusesKeys = false
}

/// All stacks that ask Cognito, and what is wrong with them.
struct StackExamination {
    /// The services, by name.
    let serviceNames: [String]
    /// What was found.
    let findings: [Finding]

    private let services: PAMServices
    private let surroundings: PAMSurroundings

    /// Examines them.
    ///
    /// - Parameter argumentFault: Says what is wrong with the arguments of a line of ours; nil when nothing is.
    init(
        _ services: PAMServices, in surroundings: PAMSurroundings,
        argumentFault: @escaping (_ arguments: [String]) -> String?
    ) {
        self.services = services
        self.surroundings = surroundings
        let ours = services.ours
        serviceNames = ours.map(\.name)
        var found: [(problem: StackProblem, services: [Service])] = []
        func note(_ problem: StackProblem, _ service: Service) {
            if let index = found.firstIndex(where: { entry in entry.problem == problem }) {
                if !found[index].services.contains(where: { known in known.name == service.name }) {
                    found[index].services.append(service)
                }
            } else {
                found.append((problem, [service]))
            }
        }
        for service in ours {
            func problems(_ missing: Set<String>) -> [StackProblem] {
                StackCheck(
                    service, missing: missing, refusesKeys: surroundings.refusesKeys, argumentFault: argumentFault
                ).problems
            }
            // What comes of another's module that is not there is told with it, and not as a fault of the lines.
            let usual = problems([])
            for problem in Self.missing(service, surroundings.missingModules, usual, problems) + usual {
                note(problem, service)
            }
            for facility in Facility.allCases {
                for line in service.stack(facility) where line.isOurs {
                    if let fault = argumentFault(line.arguments) {
                        note(.badArgument(line.place, facility, fault), service)
                    }
                    if let path = line.arguments.last(where: { text in text.hasPrefix("config=") }) {
                        note(.usesOtherFile(String(path.dropFirst(7))), service)
                    }
                }
            }
        }
        if ours.contains(where: { service in service.isOurs(.auth) }), services.text(of: "passwd") != nil {
            let passwd = services.service("passwd")
            if !passwd.isOurs(.password) {
                note(.hasNoPassword, passwd)
            }
        }
        var findings: [Finding] = []
        if ours.isEmpty {
            findings.append(
                Finding(
                    .warning, DoctorWording.notEnabled, why: DoctorWording.notEnabledWhy,
                    mend: DoctorWording.enableProfile))
        }
        for (problem, affected) in found {
            let text = problem.text(affected.map(\.name).joined(separator: ", "))
            let mend =
                problem.severity == .note && !problem.isMendable
                ? nil : Self.remedy(problem, affected, services, surroundings)
            findings.append(Finding(problem.severity, text.what, why: text.why, mend: mend))
        }
        self.findings = findings
    }

    /// The modules of others that are not there, with what comes of each.
    private static func missing(
        _ service: Service, _ names: Set<String>, _ usual: [StackProblem], _ problems: (Set<String>) -> [StackProblem]
    ) -> [StackProblem] {
        var found: [StackProblem] = []
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

    /// The command that puts the stacks right: those files that are not as they were shipped are put back; where they are
    /// pam-auth-update's, it makes them anew.
    private static func remedy(
        _ problem: StackProblem, _ affected: [Service], _ services: PAMServices, _ surroundings: PAMSurroundings
    ) -> String {
        if case .missesModule(let place, let module, _) = problem {
            return DoctorWording.findModule(module, place.path, place.line)
        }
        var changed: [String] = []
        var isProfile = false
        for service in affected {
            // Whoever uses one of our files, or has one of that name, means it to be as shipped. Those of services are for
            // Debian: elsewhere nothing understands their "@include".
            let family = service.files.filter { file in
                surroundings.shipped[file] != nil && (file.hasPrefix("cognito-") || services.isDebian)
            }
            let isFamily =
                family.contains { file in file.hasPrefix("cognito-") }
                || services.usesShippedFiles(service, surroundings.shipped)
            for file in family where isFamily && !changed.contains(file) {
                if services.differs(file, from: surroundings.shipped[file]) {
                    changed.append(file)
                }
            }
            for file in missingIncludes(problem, surroundings) where !changed.contains(file) {
                changed.append(file)
            }
            isProfile =
                isProfile
                || service.files.contains { file in
                    file.hasPrefix("common-") && services.text(of: file)?.mentions("pam_cognito") == true
                }
        }
        if !changed.isEmpty {
            let files = changed.sorted().map { file in "\(surroundings.shippedFolder)/\(file)" }
            return DoctorWording.copy(files)
        }
        if problem.isMendable {
            return DoctorWording.askFirst(surroundings.shippedFolder, affected.map(\.name))
        }
        if problem == .hasNoKeyring {
            return DoctorWording.addKeyring(affected.map(\.name))
        }
        if isProfile || services.isProfileEnabled {
            return DoctorWording.renewProfile
        }
        if problem == .hasNoPassword, surroundings.shipped["passwd"] != nil {
            guard services.isDebian else {
                return DoctorWording.includePassword("\(surroundings.shippedFolder)/cognito-password")
            }
            return DoctorWording.copy(
                ["cognito-password", "passwd"].map { file in "\(surroundings.shippedFolder)/\(file)" })
        }
        return DoctorWording.compare(affected.first?.name ?? "", surroundings.shippedFolder)
    }

    private static func missingIncludes(_ problem: StackProblem, _ surroundings: PAMSurroundings) -> [String] {
        guard case .unreadable(_, let words) = problem else {
            return []
        }
        return surroundings.shipped.keys.filter { file in words == DoctorWording.unreadableInclude(file) }
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
        return Self.statements(text(of: file) ?? "") != Self.statements(shipped)
    }

    /// Whether a service is one of ours whose includes were taken out: more than half of what it says is what we shipped.
    func usesShippedFiles(_ service: Service, _ shipped: [String: String]) -> Bool {
        guard let text = text(of: service.name), let original = shipped[service.name] else {
            return false
        }
        let wanted = Self.statements(original)
        let had = Self.statements(text)
        return text.mentions("cognito") && wanted.filter(had.contains).count * 2 >= wanted.count
    }

    private static func statements(_ text: String) -> [[Substring]] {
        text.split(separator: "\n").map { line in
            line.prefix { letter in letter != "#" }.split(whereSeparator: \.isWhitespace)
        }.filter { words in !words.isEmpty }
    }
}
