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
        if isProfile(affected) || services.isProfileEnabled {
            return "pam-auth-update --enable cognito   # it asks before it overwrites changes in "
                + "/etc/pam.d/common-*: copy them"
        }
        if problem.id == .hasNoPassword, surroundings.shipped["passwd"] != nil {
            guard services.isDebian else {
                return copyPassword + add("password include cognito-password", to: "passwd", before: ["password"])
            }
            let isUsual = services.text(of: "passwd")?.split(separator: "\n").contains("@include common-password")
            return isUsual == true ? askFirst("passwd") : fix(of: "passwd")
        }
        return Self.compare(
            "\(PAMServices.folder)/\(affected.first?.name ?? "")", "\(surroundings.shippedFolder)/cognito-auth")
    }

    /// Of a service's files those that are not as they were shipped, or that are missing: one alone where that is
    /// enough.
    private func changed(_ problem: Check, _ affected: [Service]) -> [String] {
        var changed: Set<String> = []
        for service in affected {
            // A service that uses a shipped file, or has the name of one, is meant to be as shipped. Those of services
            // are for Debian: elsewhere nothing understands their "@include".
            let family = service.files.filter { file in
                surroundings.shipped[file] != nil && (file.hasPrefix("cognito-") || services.isDebian)
            }
            let isFamily =
                family.contains { file in file.hasPrefix("cognito-") }
                || services.usesShippedFiles(service, surroundings.shipped)
            changed.formUnion(
                family.filter { file in isFamily && services.differs(file, from: surroundings.shipped[file]) })
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

    /// What makes one file say what the shipped one says. What belongs to a package is left alone.
    private func fix(of file: String) -> String {
        let (path, shipped) = ("\(PAMServices.folder)/\(file)", "\(surroundings.shippedFolder)/\(file)")
        guard let text = services.text(of: file), services.path(of: file) == path else {
            return Self.copy(shipped, to: path)
        }
        return LineFix.between(text, and: surroundings.shipped[file] ?? "", at: path)
            ?? Self.compare(path, shipped)
    }

    private static func copy(_ file: String, to path: String) -> String { "cp -n \(file) \(path)" }

    private static func compare(_ path: String, _ shipped: String) -> String {
        "diff \(path) \(shipped)   # take over the second; keep lines of your own, and a root shell open"
    }

    private var copyPassword: String {
        services.text(of: "cognito-password") == nil
            ? Self.copy(
                "\(surroundings.shippedFolder)/cognito-password", to: "\(PAMServices.folder)/cognito-password") + "; "
            : ""
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

    private func isProfile(_ affected: [Service]) -> Bool {
        affected.contains { service in
            service.files.contains { file in
                file.hasPrefix("common-") && services.text(of: file)?.mentions("pam_cognito") == true
            }
        }
    }
}
