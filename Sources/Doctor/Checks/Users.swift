internal import Commands
internal import Messages

/// An account of this machine, and whether it is managed.
struct PersonFact: Equatable, Sendable {
    var name: String
    var uid: UInt32
    /// Whether `users` names it.
    var isNamed: Bool
    /// Whether it is in `unix_group`.
    var isMember: Bool
    var hasUsablePassword: Bool
    /// Whether its local password is locked (passwd -l).
    var hasLockedPassword = false
    var closings: [AccountClosing] = []
}

struct PeopleFacts: Sendable {
    /// Who is named in `users` or in `unix_group`.
    var people: [PersonFact]
    /// Names in `users` that are no accounts.
    var unknown: [String]
    /// `unix_group`.
    var group: String?
    var hasGroup: Bool
    var minimumUID: UInt32
    /// Whether a local password of theirs counts while Cognito is away.
    var allowsLocalPasswords = false
    /// Whether the account lines of all services ignore the age of a password that is not there.
    var passesAge = true
    var mapped: [MappedGroup] = []
    /// Whether others have accounts from the pool alone.
    var hasOthers = false
    /// Whether an account that is not managed can become root: root, or another with a local password.
    var hasRepairer = true

    private func isReachable(_ person: PersonFact) -> Bool { person.uid != 0 && person.uid >= minimumUID }

    /// Whose sign-in is Cognito's, by the same rules as at a login.
    var covered: [PersonFact] {
        people.filter { person in
            isReachable(person)
                && (person.isNamed || (person.isMember && !person.hasUsablePassword && !person.hasLockedPassword))
        }
    }

    static func noGroup(_ group: String) -> String { "unix_group names \(group), but this machine has no such group." }
    static let noGroupWhy =
        "While this group is missing, only accounts that are listed in the users option can sign in with Cognito."
    static func create(_ name: String) -> String { "useradd --create-home -K PASS_MAX_DAYS=-1 \(name)" }

    /// What there is to say of them.
    ///
    /// - Parameter names: Where names come from: who may be there all the same, or belongs elsewhere, is not made here.
    @CheckList
    func findings(_ names: NameServices = NameServices()) -> [Check] {
        let isElsewhere = names.isBlind || !names.directories.isEmpty
        if let group, !hasGroup {
            Check(
                .noGroup, .broken, Self.noGroup(group), why: Self.noGroupWhy,
                fix: isElsewhere ? lookUp("group", group) : MappedGroup.create(group))
        }
        for name in unknown {
            Check(
                .unknownUser, .warning, "The users option lists \(name), but this machine has no such account.",
                why: "A Cognito user also needs an account on this machine. sshd refuses users without an account.",
                fix: isElsewhere ? lookUp("passwd", name) : Self.create(shellWord(name)))
        }
        closingFindings
        mapped.compactMap(\.finding)
        for person in people where !isReachable(person) {
            Check(
                .lowUserID, .warning,
                "\(person.name) has uid \(person.uid), which is below minimum_uid \(minimumUID).",
                why: "System accounts never sign in with Cognito, even if they are listed in the users option.",
                fix: person.uid == 0
                    ? "# root never signs in with Cognito: remove root from users and from the group"
                    : "/etc/security/pam_cognito.conf: minimum_uid = \(person.uid)   # if this is a user's account")
        }
        for person in people where isReachable(person) {
            let words = "\(person.name) is in the group \(group ?? "") and has a local password"
            let lock = "usermod --password '!' \(shellWord(person.name))"
            if person.hasUsablePassword, !person.isNamed {
                Check(
                    .staysLocal, .warning, "\(words).",
                    why: "An account with a local password is a managed account only if it is listed in the users "
                        + "option.",
                    fix: lock)
            } else if person.hasLockedPassword, !person.isNamed {
                Check(
                    .lockedPassword, .note, "\(words) that is locked.",
                    why: "A locked password is never accepted. Users can sign in to the account with Cognito only if "
                        + "the users option lists the account.", fix: lock)
            }
        }
        if covered.isEmpty, !hasOthers, hasGroup || group == nil {
            Check(
                .noManagedAccount, .warning, "This machine has no managed accounts.",
                why: "No user can sign in with Cognito on this machine.",
                fix: Self.create("\(group.map { name in "--groups \(shellWord(name)) " } ?? "")ana"))
        }
        if !allowsLocalPasswords, !hasRepairer {
            Check(
                .noRepairer, .warning, "No user can become root on this machine without Cognito.",
                why: "Neither root nor any unmanaged account with sudo rights has a password or an ssh key. While "
                    + "Cognito is unreachable, no user can sign in to repair this machine.",
                fix: "passwd root")
        }
    }

    /// What keeps managed accounts out, each once with all whom it is about.
    private var closingFindings: [Check] {
        let found = covered.flatMap { person in person.closings.map { closing in (closing, person.name) } }
        let areAllClosed = covered.allSatisfy { person in
            person.closings.contains { closing in closing.closes(passingAge: passesAge) }
        }
        // Some may be closed on purpose. Where all are, no user signs in here with Cognito.
        return grouped(found).map { closing, names in
            closing.finding(names, areAllClosed && !hasOthers ? .broken : .warning, passingAge: passesAge)
        }
    }
}

/// A Unix group that `group_map` adds users to.
struct MappedGroup: Equatable, Sendable {
    var name: String
    /// nil: there is no such group here.
    var gid: UInt32?

    static func create(_ group: String) -> String {
        "groupadd \(shellWord(group))   # or correct the name in /etc/security/pam_cognito.conf"
    }

    var finding: Check? {
        guard gid ?? 0 == 0 else { return nil }
        let fault = gid == nil ? "but this machine has no such group" : "which is root's own group (gid 0)"
        return Check(
            .mappedGroup, .warning, "group_map names \(name), \(fault).", why: "No user is added to this group.",
            fix: gid == nil ? Self.create(name) : edit("/etc/security/pam_cognito.conf"))
    }
}
