import Accounts
import Base
import Configuration
import Sessions

/// A user who may have an account here, with those of their Cognito groups that the configuration names.
struct DirectoryMember: Equatable {
    var person: ListedPerson
    var groups: [[UInt8]]
    var account: [UInt8]
}

/// Whom the pool's directory lets in on this machine.
struct DirectoryPeople {
    /// They, who was in the pool first in front: on every machine in the same order.
    private(set) var members: [DirectoryMember] = []
    /// Who would be let in, and cannot have an account, each with the reason.
    private(set) var refused: [ByteText] = []
    /// What the configuration names and the pool does not have.
    private(set) var missing: [[UInt8]] = []
    /// How many groups were asked about.
    let groupCount: Int

    /// Asks the directory. Nothing is known before all of it is.
    init(by settings: Settings, on machine: some Machine) throws(Fault) {
        guard settings.hasIAMIdentity else {
            throw Fault(
                """
                this machine needs an IAM identity to read the pool's directory: set iam_credentials_file or \
                iam_instance_metadata
                """
            )
        }
        guard case .these(let allowed) = settings.allowedGroups else {
            throw Fault(
                """
                accounts = directory needs group names in allowed_groups, because the pool's users are listed group by \
                group
                """
            )
        }
        var people: [[UInt8]: (person: ListedPerson, groups: [[UInt8]])] = [:]
        let groups = Self.groups(allowed, settings)
        for group in groups {
            guard let listed = try GroupListing.people(of: group, settings, on: machine) else {
                missing.append(group)
                continue
            }
            for person in listed {
                people[person.subject, default: (person, [])].groups.append(group)
                people[person.subject]?.person = person
            }
        }
        groupCount = groups.count
        let admitted = people.values.filter { one in
            guard case .allowed = settings.decide(one.groups) else {
                return false
            }
            return one.person.isEnabled
        }
        for one in admitted.sorted(by: { left, right in Self.isEarlier(left.person, right.person) }) {
            enter(one.person, one.groups, settings.aliasDomain)
        }
    }

    /// The groups that decide about anything, each once.
    private static func groups(_ allowed: [[UInt8]], _ settings: Settings) -> [[UInt8]] {
        var groups: [[UInt8]] = []
        for group in allowed + settings.deniedGroups + settings.groupMap.map(\.cognito) where !groups.contains(group) {
            groups.append(group)
        }
        return groups
    }

    private static func isEarlier(_ left: ListedPerson, _ right: ListedPerson) -> Bool {
        left.createdAt != right.createdAt
            ? left.createdAt < right.createdAt : left.subject.lexicographicallyPrecedes(right.subject)
    }

    private mutating func enter(_ person: ListedPerson, _ groups: [[UInt8]], _ domain: [UInt8]) {
        guard let account = Self.account(person, domain) else {
            if let address = person.emailAddress {
                refused.append(
                    """
                    \(quoting: person.name) has the verified e-mail address \(quoting: address), but \
                    username_template requires an address that ends in \(quoting: domain)
                    """)
            } else {
                refused.append(
                    """
                    \(quoting: person.name) has no verified e-mail address that ends in \(quoting: domain), as \
                    username_template requires
                    """)
            }
            return
        }
        guard account != person.subject else {
            refused.append(
                """
                \(quoting: account) is an id that the pool generated, as in pools where users sign in with an e-mail \
                address. Set username_template
                """
            )
            return
        }
        guard AccountName.isPossible(account) else {
            refused.append(
                """
                \(quoting: account) is not a valid account name. Allowed: a-z, then a-z 0-9 . _ @ -, at most \
                \(AccountName.longest) characters
                """
            )
            return
        }
        members.append(DirectoryMember(person: person, groups: groups, account: account))
    }

    /// The account that the person would sign in to.
    private static func account(_ person: ListedPerson, _ domain: [UInt8]) -> [UInt8]? {
        guard !domain.isEmpty else {
            return person.name
        }
        guard let address = person.emailAddress, address.count > domain.count,
            address.suffix(domain.count).equalsIgnoringCase(domain)
        else {
            return nil
        }
        return Array(address.dropLast(domain.count))
    }
}
