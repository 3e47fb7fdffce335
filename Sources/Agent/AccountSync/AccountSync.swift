package import Accounts
import Base
package import Configuration
import Keyring
import Protocol
package import Sessions

/// Brings the store of accounts to what the pool's directory says.
///
/// A directory that cannot be asked, or not to its end, changes nothing.
package struct AccountSync<System: Machine, Control: AccountControl> {
    /// So many lines about people are told by themselves; of the others, how many there are.
    private static var mostLines: Int { 20 }

    private let machine: System
    private let control: Control
    private let settings: Settings
    private let local: LocalNames
    private let path: String
    private let folder: String

    /// Of `machine`, as `settings` has it.
    package init(
        machine: System, control: Control, settings: Settings, local: LocalNames = LocalNames(),
        store path: String = AccountStore.defaultPath, files folder: String = "/etc"
    ) {
        self.machine = machine
        self.control = control
        self.settings = settings
        self.local = local
        self.path = path
        self.folder = folder
    }

    /// Does so.
    ///
    /// - Parameters:
    ///   - allowed: How many people may lose their accounts, or a mapped group; nil: as account_removal_limit says.
    ///   - dryRun: Only says what would be done.
    ///   - report: Gets a line for what is done; whether it is a fault.
    /// - Returns: false where something was not done that should have been.
    package func run(removing allowed: Int?, dryRun: Bool, report: (LogLine, Bool) -> Void) -> Bool {
        do throws(Fault) {
            guard settings.accounts == .directory else {
                throw Fault(
                    """
                    accounts on this machine do not come from the pool's directory. To use the directory, set \
                    accounts = directory
                    """)
            }
            let directory = try DirectoryPeople(by: settings, on: machine)
            var round = SyncRound(settings, local, allowed, machine.time)
            let others = machine.otherSources(about: round.questions(about: directory, store: path))
            try round.apply(directory, others, to: path, dryRun: dryRun)
            tell(round, directory, dryRun, report)
            return round.isDone && (dryRun || end(round.out, report))
        } catch {
            report("accounts not synchronised: \(error.line). The accounts are unchanged", true)
            return false
        }
    }

    /// Gives subordinate ids to every user with a session here who has none, if that is configured; returns whether all
    /// have some.
    package func giveSubordinateIDs(report: (LogLine, Bool) -> Void) -> Bool {
        guard settings.accounts != .none, settings.accountSubordinateIDs, let store = try? AccountStore(at: path) else {
            return true
        }
        var people: [[UInt8]: AccountRecord] = [:]
        for key in (try? machine.entries()) ?? [] {
            guard let entry = machine.readEntry(key), entry.state == .open, people[entry.user] == nil,
                let record = (try? store.record(named: entry.user)) ?? nil, record.state == .enabled
            else {
                continue
            }
            people[entry.user] = record
        }
        let sorted = people.values.sorted { one, other in one.uid < other.uid }
        return SubordinateFiles(folder: folder, reserved: settings.accountUIDs).give(to: sorted, report: report)
    }

    private func tell(
        _ round: SyncRound, _ directory: DirectoryPeople, _ dryRun: Bool, _ report: (LogLine, Bool) -> Void
    ) {
        for line in round.notes {
            report(line, false)
        }
        let refused = directory.refused + round.refused
        for line in refused.prefix(Self.mostLines) {
            report("no account: \(line)", true)
        }
        if refused.count > Self.mostLines {
            report("no account: \(refused.count - Self.mostLines) further users, for similar reasons", true)
        }
        for line in round.faults {
            report("\(line)", true)
        }
        report(
            .event(
                dryRun ? .accountsWouldBeSynchronised : .accountsSynchronised,
                [
                    "groups": "\(directory.groupCount)",
                    "people": "\(directory.members.count + directory.refused.count)", "entered": "\(round.entered)",
                    "changed": "\(round.changed)", "locked": "\(round.locked)", "held_back": "\(round.heldBack)",
                    "refused": "\(refused.count)",
                ]), false)
    }

    // MARK: Who is out

    /// Ends what runs with a group of group_map that its person has lost, where sign-ins alone say who is in which
    /// (`accounts = sign-in`); whether nothing is left.
    package func endLostGroups(report: (LogLine, Bool) -> Void) -> Bool {
        let mapped = settings.groupMap.flatMap(\.unix)
        let ids = Set(mapped.compactMap(control.groupID))
        guard settings.accounts == .signIn, !ids.isEmpty else {
            return true
        }
        // Where there is no round of the directory's, this one ends a host that keeps others from coming in.
        _ = try? AccountWriter(at: path)
        let range = settings.accountUIDs
        let present = control.processGroups(from: range.lowest, to: range.highest)
        guard let store = try? AccountStore(at: path) else {
            return true
        }
        var out: [SyncRound.Eviction] = []
        for (uid, groups) in present where !groups.isDisjoint(with: ids) {
            // Of a record that is not believed the log tells already.
            guard let record = (try? store.record(uid: uid)) ?? nil else {
                continue
            }
            let lost = mapped.filter { group in !record.currentGroups.contains(group) }
            out.append(
                SyncRound.Eviction(
                    name: record.name, uid: uid, why: "the user was removed from a Unix group before this run",
                    scope: .processes(inOneOf: lost)))
        }
        return end(out, report)
    }

    /// Ends what is left of people who are out, be it of this round or of one that was broken off; whether nothing is
    /// left.
    private func end(_ out: [SyncRound.Eviction], _ report: (LogLine, Bool) -> Void) -> Bool {
        guard let lowest = out.map(\.uid).min(), let highest = out.map(\.uid).max() else {
            return true
        }
        var isDone = true
        let present = control.processGroups(from: lowest, to: highest)
        let ours = out.filter { one in
            isOut(one, by: present[one.uid] ?? []) && isOurs(one)
        }
        let people = Dictionary(ours.map { one in (one.name, one) }, uniquingKeysWith: { first, _ in first })
        for key in (try? machine.entries()) ?? [] where !endSession(key, ofOneOf: people, report) {
            isDone = false
        }
        for one in ours {
            let who: AuditFields = ["user": .outside(one.name), "uid": "\(one.uid)"]
            if one.scope == .account, control.forbidLinger(of: one.name) {
                report(.event(.lingerForbidden, who), false)
            }
            guard present[one.uid] != nil else {
                continue
            }
            let isOver = control.endProcesses(of: one.uid)
            report(.event(isOver ? .processesEnded : .processesNotEnded, who, text: one.why), !isOver)
            isDone = isDone && isOver
        }
        return isDone
    }

    /// Whether something of theirs is to end, whose processes are in `groups`.
    private func isOut(_ one: SyncRound.Eviction, by groups: Set<UInt32>) -> Bool {
        guard case .processes(let lost) = one.scope else {
            return true
        }
        let kept = groups.intersection(lost.compactMap(control.groupID))
        // Root may have put them into it by another way than group_map.
        return !kept.isEmpty && !kept.isSubset(of: control.loginGroups(of: one.name, uid: one.uid))
    }

    /// Whether no local user has the user id: a local user with that id or name is another one by now.
    private func isOurs(_ one: SyncRound.Eviction) -> Bool {
        do throws(ErrorNumber) {
            return try local.conflict(with: one.name, one.uid) == nil
        } catch {
            return false
        }
    }

    /// Ends a session of the registry, if it is one of theirs; false where Cognito has not said yes.
    private func endSession(
        _ key: RootKey, ofOneOf people: [[UInt8]: SyncRound.Eviction], _ report: (LogLine, Bool) -> Void
    ) -> Bool {
        guard let entry = machine.readEntry(key), let out = people[entry.user],
            entry.pidNamespace == machine.pidNamespace
        else {
            return true
        }
        let who = AuditSubject(key, entry, ["process": "\(entry.host.id)"])
        let ending = SessionEnding(machine: machine)
        guard ending.destroyTokens(key, forLock: holderPatience, because: out.scope.reason) else {
            report(who.line(.signOutNotFinished, text: "another process is signing out the session"), true)
            return false
        }
        let end = ending.end(key, mode: nil, waiting: 10_000, trying: .once)
        end.tell(of: who, because: out.why, report: report)
        return switch end {
        case .left: false
        case .done, .busy, .handedOver: true
        }
    }
}
