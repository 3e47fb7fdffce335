internal import Base
internal import Messages

/// The commands that put stacks right.
struct StackRemedies {
    private let services: PAMServices
    private let surroundings: PAMSurroundings
    /// What puts lines right that are not as they were shipped.
    private let mend: ServiceMend?
    /// The same for the profile's.
    private let profileMend: ServiceMend?
    /// What has lines of ours hold where the module is not loaded, if nothing else is wrong.
    private let loadMend: ServiceMend?

    /// Finds them.
    ///
    /// - Parameters:
    ///   - found: What is wrong, and with which services.
    ///   - told: What would be wrong with others, of the services that are made of certain files.
    init(
        _ services: PAMServices, _ surroundings: PAMSurroundings,
        _ found: [(problem: StackProblem, services: [Service])],
        _ told: (PAMServices, Set<String>) -> Set<ServiceProblem>
    ) {
        self.services = services
        self.surroundings = surroundings
        let mendable = found.filter { problem, _ in problem.severity > .note && !problem.isOfOthers }
        let changed = Set(
            mendable.flatMap { problem, affected in Self.changed(problem, affected, services, surroundings) })
        mend =
            changed.isEmpty
            ? nil
            : ServiceMend(
                services, shipped: surroundings.shipped.filter { name, _ in changed.contains(name) }
            ) { services in told(services, changed) }
        loadMend = Self.loadMend(mendable, services, told)
        profileMend = changed.isEmpty ? Self.profileMend(mendable.flatMap(\.services), services, told) : nil
    }

    /// Of a service's files those that are not as they were shipped, or that are missing.
    private static func changed(
        _ problem: StackProblem, _ affected: [Service], _ services: PAMServices, _ surroundings: PAMSurroundings
    ) -> [String] {
        var changed: [String] = []
        for service in affected {
            // Whoever uses one of our files, or has one of that name, means it to be as shipped. Those of services are for
            // Debian: elsewhere nothing understands their "@include".
            let family = service.files.filter { file in
                surroundings.shipped[file] != nil && (file.hasPrefix("cognito-") || services.isDebian)
            }
            let isFamily =
                family.contains { file in file.hasPrefix("cognito-") }
                || services.usesShippedFiles(service, surroundings.shipped)
            changed += family.filter { file in
                isFamily && services.differs(file, from: surroundings.shipped[file])
            }
        }
        return changed + missingIncludes(problem, surroundings)
    }

    private static func missingIncludes(_ problem: StackProblem, _ surroundings: PAMSurroundings) -> [String] {
        guard case .unreadable(_, let words) = problem else {
            return []
        }
        return surroundings.shipped.keys.filter { file in words == DoctorWording.unreadableInclude(file) }
    }

    /// What puts one problem right: it changes the lines at fault, and keeps what was there.
    func remedy(_ problem: StackProblem, _ affected: [Service]) -> Remedy {
        if case .badFile(let place, _, let fault) = problem {
            return Remedy(fault.mend ?? DoctorWording.edit(place.path, line: place.line))
        }
        let changed = Set(Self.changed(problem, affected, services, surroundings))
        if case .missesModule = problem {
            // Whoever installs it has nothing to change.
        } else if case .opensUnloaded = problem, let loadMend {
            return Remedy(loadMend.changes)
        } else if !changed.isEmpty, let mend {
            return Remedy(mend.changes)
        } else if changed.isEmpty, !problem.isMendable, problem != .hasNoKeyring, let profileMend,
            isProfile(affected) || services.isProfileEnabled
        {
            return Remedy(profileMend.changes)
        }
        return Remedy(command(problem, affected, changed))
    }

    private func command(_ problem: StackProblem, _ affected: [Service], _ changed: Set<String>) -> String {
        if case .missesModule(let place, let module, _) = problem {
            return DoctorWording.findModule(module, place.path, place.line)
        }
        if !changed.isEmpty {
            return DoctorWording.copy(changed.sorted().map { file in "\(surroundings.shippedFolder)/\(file)" })
        }
        if problem.isMendable {
            return DoctorWording.askFirst(surroundings.shippedFolder, affected.map(\.name))
        }
        if problem == .hasNoKeyring {
            return DoctorWording.addKeyring(affected.map(\.name))
        }
        if isProfile(affected) || services.isProfileEnabled {
            return DoctorWording.renewProfile
        }
        if problem == .hasNoPassword, surroundings.shipped["passwd"] != nil {
            guard services.isDebian else {
                return DoctorWording.includePassword("\(surroundings.shippedFolder)/cognito-password")
            }
            if services.text(of: "passwd")?.split(separator: "\n").contains("@include common-password") == true {
                return DoctorWording.askFirst(surroundings.shippedFolder, ["passwd"])
            }
            return DoctorWording.copy(
                ["cognito-password", "passwd"].map { file in "\(surroundings.shippedFolder)/\(file)" })
        }
        return DoctorWording.compare(affected.first?.name ?? "", surroundings.shippedFolder)
    }

    private func isProfile(_ affected: [Service]) -> Bool {
        affected.contains { service in
            service.files.contains { file in
                file.hasPrefix("common-") && services.text(of: file)?.mentions("pam_cognito") == true
            }
        }
    }

    /// The controls of our lines in the profile, but for the length of the jump.
    private static let controls: [Facility: [String]] = [
        .auth: [
            "[success=3 ignore=1 user_unknown=1 authinfo_unavail=1 module_unknown=ignore default=2]"
        ],
        .account: [
            "[authtok_disable_aging=1 success=2 ignore=2 user_unknown=2 authinfo_unavail=2 module_unknown=ignore "
                + "default=die]"
        ],
        .session: ["[success=ok ignore=ignore module_unknown=ignore default=bad]"],
        .password: [
            "[success=done ignore=ignore user_unknown=ignore try_again=ignore module_unknown=ignore default=die]"
        ],
    ]

    /// What has the lines at fault hold where the module is not loaded; nil where something else is wrong, too.
    private static func loadMend(
        _ found: [(problem: StackProblem, services: [Service])], _ services: PAMServices,
        _ told: (PAMServices, Set<String>) -> Set<ServiceProblem>
    ) -> ServiceMend? {
        var lines: [Place: StackLine] = [:]
        for (problem, affected) in found {
            guard case .opensUnloaded(let facility) = problem else {
                return nil
            }
            for line in affected.flatMap({ service in service.stack(facility) }) where line.isOurs {
                lines[line.place] = line
            }
        }
        let files = Set(lines.keys.map(\.file))
        // pam-auth-update would take another line in its files for a change by hand, and leave them alone from then on.
        guard !files.contains(where: { file in file.hasPrefix("common-") }) else {
            return nil
        }
        return ServiceMend(services, holdingUnloaded: Array(lines.values)) { services in told(services, files) }
    }

    /// What puts our line in a file of pam-auth-update's right.
    private static func profileMend(
        _ affected: [Service], _ services: PAMServices, _ told: (PAMServices, Set<String>) -> Set<ServiceProblem>
    ) -> ServiceMend? {
        var tried: Set<Place> = []
        for line in affected.flatMap({ service in Facility.allCases.flatMap(service.stack) })
        where line.isOurs && line.place.file.hasPrefix("common-") && tried.insert(line.place).inserted {
            let mend = ServiceMend(services, line: line, controls: controls[line.facility] ?? []) { services in
                told(services, [line.place.file])
            }
            if let mend {
                return mend
            }
        }
        return nil
    }
}
