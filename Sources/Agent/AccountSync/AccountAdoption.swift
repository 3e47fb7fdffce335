import Accounts
import Base
package import Configuration
package import Sessions

/// Makes users of this machine's own files accounts of Cognito's, with the user ids, homes and shells that they have.
package struct AccountAdoption<System: Machine> {
    private let machine: System
    private let settings: Settings
    private let folder: String
    private let path: String

    /// Of `machine`, as `settings` has it; the files are in `folder`.
    package init(
        machine: System, settings: Settings, files folder: String = "/etc",
        store path: String = AccountStore.defaultPath
    ) {
        self.machine = machine
        self.settings = settings
        self.folder = folder
        self.path = path
    }

    /// Adopts the users, or says which would be adopted.
    ///
    /// - Parameters:
    ///   - names: The names of the users; none: all local users that the directory admits.
    ///   - isApplied: Whether anything is changed.
    ///   - report: Gets a line for each result; whether it is a fault.
    /// - Returns: false if a user was not adopted who should have been.
    package func run(of names: [[UInt8]], applying isApplied: Bool, report: (LogLine, Bool) -> Void) -> Bool {
        do throws(Fault) {
            guard settings.accounts == .directory else {
                throw Fault("users can be adopted only from the pool's directory. First set accounts = directory")
            }
            return try adopt(DirectoryPeople(by: settings, on: machine), names, isApplied, report)
        } catch {
            report("users not adopted: \(error.line)", true)
            return false
        }
    }

    private func adopt(
        _ directory: DirectoryPeople, _ names: [[UInt8]], _ isApplied: Bool, _ report: (LogLine, Bool) -> Void
    ) throws(Fault) -> Bool {
        var (done, left) = (0, 0)
        // Of two who would have the same name, the pool knows the first one longer.
        let people = Dictionary(
            directory.members.map { member in (member.account, member) }, uniquingKeysWith: { first, _ in first })
        for name in names where people[name] == nil {
            left += 1
            report(
                .event(
                    .notAdopted, ["user": .outside(name)],
                    text: "the pool's directory lists no admitted user with this name"),
                true)
        }
        for member in directory.members where people[member.account] == member {
            guard names.isEmpty || names.contains(member.account) else {
                continue
            }
            do throws(Fault) {
                // Anew for each: their lines have gone from the files.
                let users = try LocalUsers(in: folder)
                guard let user = try users.user(member.account) else {
                    if !names.isEmpty {
                        throw Fault("the user is not in \(ByteText(Array(folder.utf8)))/passwd")
                    }
                    continue
                }
                try adopt(user, member, users, isApplied, report)
                done += 1
            } catch {
                left += 1
                report(.event(.notAdopted, ["user": .outside(member.account)], text: error.line), true)
            }
        }
        let count: ByteText = "people=\(directory.members.count) adopted=\(done) left=\(left)"
        report(
            isApplied
                ? "users adopted; \(count). 'cognito-agent accounts sync' assigns their groups and keys"
                : "users would be adopted; \(count). Nothing was changed. To adopt the users, add --apply", false)
        return left == 0
    }

    private func adopt(
        _ user: LocalUser, _ member: DirectoryMember, _ users: borrowing LocalUsers, _ isApplied: Bool,
        _ report: (LogLine, Bool) -> Void
    ) throws(Fault) {
        let record = try record(of: user, member)
        let rules = AccountRules(settings, replacingLocalUser: true)
        let known = try objection(to: record)
        let others = answer(about: record)
        if let objection = users.objection(to: user, called: record.name)
            ?? rules.objection(toEntering: record, inPlaceOf: nil, others)?.reason(for: record.name) ?? known
        {
            throw Fault(objection)
        }
        if isApplied {
            do throws(AccountRefusal) {
                // First the record: a user in neither place would get another user id from the next run.
                _ = try AccountWriter(at: path).enter(record, by: rules, others, at: machine.time)
            } catch {
                throw Fault(error.reason(for: record.name))
            }
            // No other process may have changed the user id or the files since.
            if let objection = try objection(to: record) {
                throw Fault(objection)
            }
            do throws(Fault) {
                try users.remove(record.name)
            } catch {
                throw Fault(
                    """
                    \(error.line) The local password may have been removed. Fix the problem, then run the command \
                    again
                    """)
            }
        }
        report(
            .event(
                isApplied ? .userAdopted : .userWouldBeAdopted,
                [
                    "user": .outside(record.name), "uid": "\(record.uid)", "sub": .outside(record.subject),
                    "name": .outside(user.realName), "pool_name": .outside(member.person.realName ?? []),
                    "groups": "\(list: users.groups(of: record.name))",
                ],
                text: """
                    the user's lines in \(ByteText(Array(folder.utf8)))/passwd, shadow, group and gshadow are \
                    removed, including the local password
                    """), false)
    }

    /// What other sources of names say. `compat`, which is asked last, repeats what is in the files until it is taken
    /// out there.
    private func answer(about record: AccountRecord) -> SourceAnswer {
        let unknown = SourceAnswer(of: record.name, record.uid, .silent([]))
        let answer = machine.otherSources(about: [SourceQuestion(record.name, record.uid)]).first ?? unknown
        guard case .known(let known) = answer.verdict, ("compat" as StaticString).equals(known.source) else {
            return answer
        }
        return SourceAnswer(of: record.name, record.uid, .nobody)
    }

    private func record(of user: LocalUser, _ member: DirectoryMember) throws(Fault) -> AccountRecord {
        var record = AccountRecord(
            name: member.account, subject: member.person.subject, source: .adopted, settings: settings)
        if settings.accountUIDClaim != nil, member.person.uidClaim.flatMap(userID(claimed:)) != user.uid {
            throw Fault(
                """
                the user has the user id \(user.uid) on this machine, but not in the pool: set the attribute specified \
                by account_uid_claim to this user id
                """
            )
        }
        record.uid = user.uid
        record.realName = AccountRecord.presentable(realName: member.person.realName ?? user.realName)
        record.home = user.home
        record.shell = user.shell.isEmpty ? ("/bin/sh" as StaticString).bytes : user.shell
        return record
    }

    /// What the store has against the record, before anything is written.
    private func objection(to record: AccountRecord) throws(Fault) -> ByteText? {
        do throws(AccountFault) {
            let store = try AccountStore(at: path)
            if let known = try store.record(named: record.name), known.state != .forgotten {
                guard known.isSamePerson(as: record) else {
                    return AccountRefusal.otherPerson(known).reason(for: record.name)
                }
                guard known.uid == record.uid else {
                    return """
                        the user has the user id \(known.uid) in \(AccountStore.directory), but \(record.uid) in \
                        passwd. If no files belong to the user id \(known.uid), run 'cognito-session accounts \
                        --forget \(record.name)'
                        """
                }
            }
            if let holder = try store.holder(of: record.uid), holder != record.name {
                return AccountRefusal.taken(record.uid, by: holder).reason(for: record.name)
            }
            return nil
        } catch .directory(.noSuchFileOrDirectory) {
            return nil
        } catch {
            throw Fault(error.reason(for: record.name))
        }
    }
}
