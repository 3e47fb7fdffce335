import Accounts
import Base
import Configuration
import Sessions

/// One synchronisation: what it changes in the store, and what it has to say of it.
struct SyncRound {
    /// A user whose processes are to be ended.
    struct Eviction {
        let name: [UInt8]
        let uid: UInt32
        let why: ByteText
        let scope: Scope
    }

    /// What is to end.
    enum Scope: Equatable {
        /// All they have: the account is out.
        case account
        /// All they have: a group was taken away in this round, and what runs may have it.
        case group
        /// All they have, if a process of theirs is in one of these groups, which were taken away before.
        case processes(inOneOf: [[UInt8]])

        var reason: EndReason {
            switch self {
            case .account: .accountLocked
            case .group, .processes: .groupLost
            }
        }
    }

    /// So many new accounts are told by themselves: on the first day there are thousands.
    private static let mostEntered = 20

    private let settings: Settings
    private let local: LocalNames
    private let allowed: Int?
    private let time: Int64

    private(set) var entered = 0
    private(set) var changed = 0
    private(set) var locked = 0
    private(set) var heldBack = 0
    /// What was done, who was refused an account, and what is wrong, each in a line.
    private(set) var notes: [LogLine] = []
    private(set) var refused: [ByteText] = []
    private(set) var faults: [ByteText] = []
    private(set) var out: [Eviction] = []

    init(_ settings: Settings, _ local: LocalNames, _ allowed: Int?, _ time: Int64) {
        self.settings = settings
        self.local = local
        self.allowed = allowed
        self.time = time
    }

    /// Whether everything was done. Users who cannot have an account are reported, and wait for the administrator.
    var isDone: Bool { faults.isEmpty && heldBack == 0 }

    /// The questions for other sources of names. They are asked before the store is locked, so that no source can hold
    /// the lock.
    func questions(about directory: DirectoryPeople, store path: String) -> [SourceQuestion] {
        directory.members.map { member in
            let known = (try? AccountStore(at: path).record(named: member.account)).flatMap { known in known }
            return SourceQuestion(member.account, userID(of: member, known) ?? 0)
        }
    }

    /// Brings the store at `path` to what `directory` says, and `others` of its people, in the same order.
    mutating func apply(
        _ directory: DirectoryPeople, _ others: [SourceAnswer], to path: String, dryRun: Bool
    ) throws(Fault) {
        let writer: AccountWriter
        do throws(AccountRefusal) {
            writer = try AccountWriter(at: path)
        } catch {
            throw Fault(error.reason(for: ("accounts" as StaticString).bytes))
        }
        for group in directory.missing {
            faults.append(
                """
                the pool does not have the group \(quoting: group), which allowed_groups, denied_groups or group_map \
                lists, so the group has no members. Create the group in Cognito, or remove it from the configuration
                """)
        }
        let groups = usableGroups()
        var records = try records(of: writer.store)
        let enabled = records.values.filter { record in record.state == .enabled }.count
        var wanted: [AccountRecord] = []
        var kept: Set<[UInt8]> = []
        var answers: [[UInt8]: SourceAnswer] = [:]
        for (member, answer) in zip(directory.members, others) {
            guard let record = record(for: member, groups, records[member.account]) else {
                continue
            }
            // Of two who would have the same name, the pool knows the first one longer.
            guard kept.insert(record.name).inserted else {
                refused.append("\(quoting: record.name) is already the account name of an earlier user of the pool")
                continue
            }
            answers[record.name] = answer
            // A user who has an account loses it to a user whom another source knows now.
            if let objection = answer.objection {
                refused.append(objection.reason(for: record.name))
                continue
            }
            wanted.append(record)
        }
        let people = Dictionary(wanted.map { record in (record.name, record) }, uniquingKeysWith: { first, _ in first })
        let isWanted = { (record: AccountRecord) in people[record.name]?.isSamePerson(as: record) ?? false }
        let gone = records.values.filter { record in record.state == .enabled && !isWanted(record) }
        let poorer = wanted.filter { record in
            records[record.name].map { known in !Self.lost(known, record).isEmpty } ?? false
        }
        let isHeld = !mayGo(gone.count + poorer.count, of: enabled, leaving: enabled - gone.count)
        if isHeld {
            hold(gone.count, poorer.count, of: enabled)
        }
        for var record in wanted {
            if isHeld, let known = records[record.name], !Self.lost(known, record).isEmpty {
                record.groups = known.groups
            }
            let answer = answers[record.name] ?? SourceAnswer(of: record.name, record.uid, .silent([]))
            enter(record, records[record.name], answer, writer, dryRun)
        }
        if !isHeld {
            for record in gone.sorted(by: { left, right in left.uid < right.uid }) {
                lock(record, writer, dryRun)
                records[record.name]?.state = .locked
            }
        }
        for record in records.values where record.state == .barred || record.state != .enabled && !isWanted(record) {
            out.append(
                Eviction(
                    name: record.name, uid: record.uid, why: "the account is \(record.state.word)", scope: .account))
        }
        let told = Set(out.map(\.name))
        let mapped = groups.flatMap(\.unix)
        for record in wanted where !told.contains(record.name) && records[record.name]?.state == .enabled {
            // A round that was broken off, or processes that were not to be ended, have left some behind.
            let known = isHeld ? records[record.name]?.groups ?? [] : []
            let others = mapped.filter { group in !record.groups.contains(group) && !known.contains(group) }
            guard !others.isEmpty, let uid = records[record.name]?.uid else {
                continue
            }
            out.append(
                Eviction(
                    name: record.name, uid: uid, why: "the user was removed from a Unix group before this run",
                    scope: .processes(inOneOf: others)))
        }
    }

    // MARK: What there is

    /// The records that can be read, by their names. One that cannot be is a fault, and is left as it is.
    private mutating func records(of store: borrowing AccountStore) throws(Fault) -> [[UInt8]: AccountRecord] {
        var records: [[UInt8]: AccountRecord] = [:]
        do throws(AccountFault) {
            let names = try store.names()
            while let name = try names.next() {
                do throws(AccountFault) {
                    records[name] = try store.record(named: name)
                } catch {
                    faults.append(error.reason(for: name))
                }
            }
        } catch {
            throw Fault(error.reason(for: ("accounts" as StaticString).bytes))
        }
        return records
    }

    /// The groups of group_map that this machine has; of the others a line is told.
    private mutating func usableGroups() -> [GroupMapping] {
        var told: Set<[UInt8]> = []
        return settings.groupMap.map { mapping in
            let unix = mapping.unix.filter { group in
                let problem = problem(with: group)
                if let problem, told.insert(group).inserted {
                    faults.append("group_map: \(quoting: group) \(problem); no user is added to the group")
                }
                return problem == nil
            }
            return GroupMapping(cognito: mapping.cognito, unix: unix)
        }
    }

    private func problem(with group: [UInt8]) -> ByteText? {
        do throws(ErrorNumber) {
            guard try local.hasGroup(group) else {
                return """
                    is not a group on this machine (/etc/group). Create the group with groupadd(8), or remove it from \
                    group_map
                    """
            }
            return try local.isRootsGroup(group) ? "is root's group (gid 0), which is never assigned" : nil
        } catch {
            return "cannot be looked up in /etc/group (errno \(error.code))"
        }
    }

    // MARK: What there should be

    /// Returns the user id that a user has, or will get; nil if there can be none.
    private func userID(of member: DirectoryMember, _ known: AccountRecord?) -> UInt32? {
        let record = AccountRecord(
            name: member.account, subject: member.person.subject, source: .directory, settings: settings)
        if let known, known.isSamePerson(as: record) {
            return known.uid
        }
        return settings.accountUIDClaim == nil ? record.uid : member.person.uidClaim.flatMap(Accounts.userID(claimed:))
    }

    /// Returns the record that a user should have; nil if there can be none.
    private mutating func record(
        for member: DirectoryMember, _ map: [GroupMapping], _ known: AccountRecord?
    ) -> AccountRecord? {
        let person = member.person
        var record = AccountRecord(
            name: member.account, subject: person.subject, source: .directory, settings: settings)
        if settings.accountUIDClaim != nil {
            guard let claimed = person.uidClaim.flatMap(userID(claimed:)) else {
                refused.append(
                    """
                    \(quoting: member.account) has no number in the attribute that account_uid_claim specifies. Set \
                    the attribute in the pool
                    """
                )
                return nil
            }
            if let known, known.subject == person.subject, known.state != .forgotten, known.uid != claimed {
                faults.append(
                    """
                    \(quoting: member.account) has the user id \(known.uid) on this machine and \(claimed) in the \
                    pool. An account keeps its first user id, so that files do not change owners. Set the user id \
                    \(known.uid) in the pool
                    """)
            }
            record.uid = claimed
        }
        // What the options say is for those who come.
        record.shell = known?.shell ?? record.shell
        record.home = known?.home ?? record.home
        record.realName = AccountRecord.presentable(realName: person.realName ?? [])
        record.groups = map.unixGroups(of: member.groups)
        let keys = PublicKeys(person.publicKeys ?? [], atMost: AccountRecord.mostKeys)
        if keys.refused > 0 {
            refused.append(
                """
                \(keys.refused) ssh keys of \(quoting: member.account) were ignored, because sshd does not accept \
                them or there are too many
                """
            )
        }
        record.keys = keys.keys
        return record
    }

    // MARK: What is done

    /// Whether so many may lose something. A directory that is suddenly empty is not trusted.
    private func mayGo(_ count: Int, of enabled: Int, leaving left: Int) -> Bool {
        if let allowed {
            return count <= allowed
        }
        return settings.accountRemovalLimit.admits(count, of: enabled) && (left > 0 || count < 2)
    }

    private mutating func hold(_ gone: Int, _ poorer: Int, of enabled: Int) {
        heldBack = gone + poorer
        faults.append(
            """
            changes held back: of \(enabled) users, \(gone) would lose their accounts and \(poorer) would lose a group \
            listed in group_map, which is more than account_removal_limit allows in one run. Nothing was removed. If \
            Cognito's data is correct, run: cognito-agent accounts sync --removals \(gone + poorer)
            """)
    }

    private mutating func enter(
        _ record: AccountRecord, _ known: AccountRecord?, _ others: SourceAnswer, _ writer: borrowing AccountWriter,
        _ dryRun: Bool
    ) {
        let rules = AccountRules(settings, local: local)
        let before: AccountRecord?
        if dryRun {
            var record = record
            record.uid = others.uid
            if let objection = rules.objection(toEntering: record, inPlaceOf: known, others) {
                refused.append(objection.reason(for: record.name))
                return
            }
            before = known
            guard known.map({ known in Self.differs(known, record) }) ?? true else {
                return
            }
        } else {
            do throws(AccountRefusal) {
                switch try writer.enter(record, by: rules, others, at: time) {
                case .unchanged: return
                case .entered: before = nil
                case .replaced(let earlier): before = earlier
                }
            } catch {
                refused.append(error.reason(for: record.name))
                return
            }
        }
        note(record, before, dryRun)
    }

    private static func differs(_ known: AccountRecord, _ record: AccountRecord) -> Bool {
        known.state == .locked || known.groups != record.groups || known.keys != record.keys
            || known.realName != record.realName || known.subject != record.subject
    }

    private mutating func note(_ record: AccountRecord, _ before: AccountRecord?, _ dryRun: Bool) {
        let who: AuditFields = ["user": .outside(record.name), "uid": "\(before?.uid ?? record.uid)"]
        guard let before, before.state != .forgotten else {
            entered += 1
            // A dry run, such as before a migration, lists all of them.
            if dryRun {
                notes.append(
                    .event(
                        .accountWouldBeEntered,
                        who + ["home": .outside(record.home), "groups": "\(list: record.groups)"]))
                if let path = record.foreignFile {
                    notes.append(
                        """
                        \(quoting: path) does not belong to the user id \(record.uid), so the user could not access it
                        """)
                }
            } else if entered <= Self.mostEntered {
                notes.append(.event(.accountEntered, who + ["groups": "\(list: record.groups)"]))
            }
            return
        }
        changed += 1
        if before.state == .locked {
            notes.append(.event(.accountOpenedAgain, who))
        }
        if before.keys != record.keys {
            notes.append(
                .event(.sshKeysChanged, who + ["before": "\(before.keys.count)", "now": "\(record.keys.count)"]))
        }
        let lost = Self.lost(before, record)
        if before.groups != record.groups {
            notes.append(
                .event(.groupsChanged, who + ["before": "\(list: before.groups)", "now": "\(list: record.groups)"]))
        }
        if !lost.isEmpty {
            out.append(
                Eviction(
                    name: record.name, uid: before.uid, why: "the user was removed from the group \(list: lost)",
                    scope: .group))
        }
    }

    /// Returns the groups that a user loses; the user's processes still have them.
    private static func lost(_ before: AccountRecord, _ now: AccountRecord) -> [[UInt8]] {
        before.isSamePerson(as: now) ? before.currentGroups.filter { group in !now.groups.contains(group) } : []
    }

    private mutating func lock(_ record: AccountRecord, _ writer: borrowing AccountWriter, _ dryRun: Bool) {
        if !dryRun {
            do throws(AccountRefusal) {
                _ = try writer.set(.locked, of: record.name, at: time)
            } catch {
                faults.append(error.reason(for: record.name))
                return
            }
        }
        locked += 1
        notes.append(
            .event(
                .accountLocked, ["user": .outside(record.name), "uid": "\(record.uid)"],
                text: "the pool no longer admits the user"))
    }
}
