internal import Base
internal import Messages

/// What puts stacks right: lines as they were shipped, or a command.
struct StackRemedies {
    let services: PAMServices
    let surroundings: PAMSurroundings
    /// What would be wrong with services once files are other ones.
    let problems: (_ changed: PAMServices, _ names: [String]) -> Set<Check>

    /// What puts one problem right, and keeps what an administrator has added.
    func fix(_ problem: Check, _ affected: [Service]) -> String {
        if problem.id == .asksForNewFirst {
            return affected.map { service in askFirst(service.name) }.joined(separator: "; ")
        }
        let changed = changed(problem, affected)
        if !changed.isEmpty {
            return changed.map(fix(of:)).joined(separator: "; ")
        }
        if problem.id == .hasNoKeyring {
            return affected.map { service in
                add(
                    "session optional pam_keyinit.so force revoke", to: service.name,
                    before: ["session", "@include common-session"])
            }.joined(separator: "; ")
        }
        if usesProfile(["common-auth", "common-account", "common-session", "common-password"])
            || usesProfile(affected.flatMap(\.files).filter { file in file.hasPrefix("common-") })
        {
            return "pam-auth-update --enable cognito   # back up your changes in /etc/pam.d/common-* first"
        }
        if problem.id == .hasNoPassword, surroundings.shipped["passwd"] != nil {
            guard isDebian else {
                return copyPassword + add("password include cognito-password", to: "passwd", before: ["password"])
            }
            let isUsual = services.text(of: "passwd")?.split(separator: "\n").contains("@include common-password")
            return isUsual == true ? askFirst("passwd") : fix(of: "passwd")
        }
        return compare("\(PAMServices.folder)/\(affected.first?.name ?? "")", shipped: "cognito-auth")
    }

    /// Of a service's files those that are not as they were shipped, or that are missing: one alone where that is
    /// enough.
    private func changed(_ problem: Check, _ affected: [Service]) -> [String] {
        var changed: Set<String> = []
        for service in affected {
            // A service that uses a shipped file, or has the name of one, is meant to be as shipped. Those of services
            // are for Debian: elsewhere nothing understands their "@include".
            let family = service.files.filter { file in
                surroundings.shipped[file] != nil && (file.hasPrefix("cognito-") || isDebian)
            }
            if family.contains(where: { file in file.hasPrefix("cognito-") }) || isShippedWithoutIncludes(service) {
                changed.formUnion(
                    family.filter { file in
                        Self.words(services.text(of: file)) != Self.words(surroundings.shipped[file])
                    })
            }
        }
        if problem.id == .unreadableLine {
            changed.formUnion(
                surroundings.shipped.keys.filter { file in problem.what.mentions(UnreadableLine.noFile(file)) })
        }
        let alone = changed.sorted().first { file in
            !problems(services.with(file, surroundings.shipped[file] ?? ""), affected.map(\.name)).contains(problem)
        }
        return alone.map { file in [file] } ?? changed.sorted()
    }

    /// Whether more than half of a service's lines are those of the shipped file.
    private func isShippedWithoutIncludes(_ service: Service) -> Bool {
        guard let text = services.text(of: service.name), let original = surroundings.shipped[service.name] else {
            return false
        }
        let (wanted, had) = (Self.words(original), Self.words(text))
        return text.mentions("cognito") && wanted.filter(had.contains).count * 2 >= wanted.count
    }

    /// What a file says, spaces and comments aside.
    private static func words(_ text: String?) -> [[Substring]] { LineFix.Statement.all(text ?? "").map(\.words) }

    /// What makes one file say what the shipped one says. What belongs to a package is left alone.
    private func fix(of file: String) -> String {
        let path = "\(PAMServices.folder)/\(file)"
        guard let text = services.text(of: file), services.path(of: file) == path else {
            return copy(file)
        }
        return LineFix.between(text, and: surroundings.shipped[file] ?? "", at: path) ?? compare(path, shipped: file)
    }

    private func copy(_ file: String) -> String {
        "cp -n \(surroundings.shippedFolder)/\(file) \(PAMServices.folder)/\(file)"
    }

    private func compare(_ path: String, shipped file: String) -> String {
        "diff \(path) \(surroundings.shippedFolder)/\(file)   # apply the changes, keep your own lines, and keep a "
            + "root shell open"
    }

    private var copyPassword: String {
        services.text(of: "cognito-password") == nil ? "\(copy("cognito-password")); " : ""
    }

    private func askFirst(_ name: String) -> String {
        copyPassword + add("@include cognito-password", to: name, before: ["@include common-password", "password"])
    }

    /// Adds a line before the first that begins so.
    private func add(_ line: String, to name: String, before starts: [String]) -> String {
        let lines = LineFix.Statement.all(services.text(of: name) ?? "")
        let first = lines.first { statement in starts.contains { start in statement.text.hasPrefix(start) } }
        return LineFix.add("\(PAMServices.folder)/\(name)", before: first?.number ?? 1, line)
    }

    /// Whether the machine has the files that Debian's services share.
    private var isDebian: Bool { services.text(of: "common-auth") != nil }

    /// Whether pam-auth-update has put us into one of these files.
    private func usesProfile(_ files: [String]) -> Bool {
        files.contains { file in services.text(of: file)?.mentions("pam_cognito") == true }
    }
}
