internal import Messages

/// An account of this machine, and whether it is Cognito's.
package struct PersonFact: Equatable, Sendable {
    package var name: String
    package var uid: UInt32
    /// Whether `users` names it.
    package var isNamed: Bool
    /// Whether it is in `unix_group`.
    package var isMember: Bool
    package var hasUsablePassword: Bool
    /// Whether a password of this machine is locked (passwd -l).
    package var hasLockedPassword: Bool

    /// A fact from its parts.
    package init(
        name: String, uid: UInt32, isNamed: Bool, isMember: Bool, hasUsablePassword: Bool,
        hasLockedPassword: Bool = false
    ) {
        self.name = name
        self.uid = uid
        self.isNamed = isNamed
        self.isMember = isMember
        self.hasUsablePassword = hasUsablePassword
        self.hasLockedPassword = hasLockedPassword
    }
}

/// Who may sign in here with Cognito.
package struct PeopleFacts: Sendable {
    /// Who is named in `users` or in `unix_group`.
    package var people: [PersonFact]
    /// Names in `users` that are no accounts.
    package var unknown: [String]
    /// `unix_group`.
    package var group: String?
    /// Whether there is such a group.
    package var hasGroup: Bool
    package var minimumUID: UInt32
    /// Whether a local password of theirs counts while Cognito is away.
    package var allowsLocalPasswords: Bool
    /// Whether somebody can become root who is not Cognito's: root, or another with a password of this machine.
    package var hasRepairer: Bool

    /// Facts from their parts.
    package init(
        people: [PersonFact], unknown: [String], group: String?, hasGroup: Bool, minimumUID: UInt32,
        allowsLocalPasswords: Bool = false, hasRepairer: Bool = true
    ) {
        self.allowsLocalPasswords = allowsLocalPasswords
        self.hasRepairer = hasRepairer
        self.people = people
        self.unknown = unknown
        self.group = group
        self.hasGroup = hasGroup
        self.minimumUID = minimumUID
    }

    private func isReachable(_ person: PersonFact) -> Bool {
        person.uid != 0 && person.uid >= minimumUID
    }

    /// Whose sign-in is Cognito's, by the same rules as at a login.
    package var covered: [PersonFact] {
        people.filter { person in
            isReachable(person)
                && (person.isNamed || (person.isMember && !person.hasUsablePassword && !person.hasLockedPassword))
        }
    }

    /// What there is to say of them.
    package var findings: [Finding] {
        var found: [Finding] = []
        if let group, !hasGroup {
            found.append(
                Finding(
                    .broken, DoctorWording.noGroup(group), why: DoctorWording.noGroupWhy,
                    mend: DoctorWording.makeGroup(group)))
        }
        for name in unknown {
            found.append(
                Finding(
                    .warning, DoctorWording.unknownUser(name), why: DoctorWording.unknownUserWhy,
                    mend: DoctorWording.makeUser(name)))
        }
        for person in people where !isReachable(person) {
            found.append(
                Finding(
                    .warning, DoctorWording.lowUser(person.name, person.uid, minimumUID),
                    why: DoctorWording.lowUserWhy, mend: DoctorWording.lowerMinimum(person.uid)))
        }
        for person in people where isReachable(person) && person.hasUsablePassword {
            if person.isNamed {
                guard allowsLocalPasswords else {
                    continue
                }
                found.append(
                    Finding(
                        .note, DoctorWording.namedWithPassword(person.name), why: DoctorWording.namedWithPasswordWhy))
            } else {
                found.append(
                    Finding(
                        .warning, DoctorWording.memberWithPassword(person.name, group ?? ""),
                        why: DoctorWording.memberWithPasswordWhy, mend: DoctorWording.lockPassword(person.name)))
            }
        }
        for person in people where isReachable(person) && !person.isNamed && person.hasLockedPassword {
            found.append(
                Finding(
                    .note, DoctorWording.memberWithLockedPassword(person.name, group ?? ""),
                    why: DoctorWording.memberWithLockedPasswordWhy, mend: DoctorWording.lockPassword(person.name)))
        }
        if covered.isEmpty, hasGroup || group == nil {
            found.append(
                Finding(
                    .warning, DoctorWording.nobodyCovered, why: DoctorWording.nobodyCoveredWhy,
                    mend: DoctorWording.addSomebody(group)))
        }
        if !allowsLocalPasswords, !hasRepairer {
            found.append(
                Finding(
                    .warning, DoctorWording.noRepairer, why: DoctorWording.noRepairerWhy,
                    mend: DoctorWording.makeRepairer))
        }
        return found
    }
}
