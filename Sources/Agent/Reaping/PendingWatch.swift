package import Base
import Keyring
package import Sessions

/// Sign-ins that have tokens and no session yet, watched until one begins or none can begin any more. What is decided
/// of each, and how it is ended, is the reaper's; this is only sooner.
package struct PendingWatch<System: Machine> {
    /// How many are watched at the same time; more than root's key quota usually has room for. The reaper sees to
    /// others.
    static var most: Int { 4096 }
    /// How many are ended in one look: each has an agent and a worker of its own.
    static var mostEnded: Int { 8 }

    private let machine: System
    private var keys: [RootKey] = []

    /// Whether nothing is left to watch.
    package var isEmpty: Bool { keys.isEmpty }

    /// Watches on `machine`, beginning with what waits for a session already: another watch may have been killed.
    package init(machine: System) {
        self.machine = machine
        for serial in (try? machine.serials()) ?? [] {
            if let key = machine.entry(at: serial), pendingEntry(key) != nil {
                watch(key)
            }
        }
    }

    /// Watches the sign-in of that number, too.
    package mutating func add(_ serial: Int32) {
        if let key = machine.entry(at: KeySerial(serial)), !keys.contains(key) {
            watch(key)
        }
    }

    private mutating func watch(_ key: RootKey) {
        if keys.count < Self.most {
            keys.append(key)
        }
    }

    /// Ends the sign-ins that cannot get a session any more, and forgets those that have one.
    ///
    /// - Parameter report: Gets a line for the log; whether it is a fault.
    /// - Returns: The processes that must be watched; some may have ended already.
    package mutating func look(report: (LogLine, Bool) -> Void) -> [ProcessIdentity] {
        var processes: [ProcessIdentity] = []
        var ended = 0
        keys = keys.filter { key in
            guard let entry = pendingEntry(key) else {
                return false
            }
            switch machine.judge(entry) {
            case .leave: break
            case .end(let why) where ended < Self.mostEnded:
                ended += 1
                guard end(key, entry, why, report) else {
                    break
                }
                return false
            case .end: break
            // In both cases it cannot be told from here.
            case .unknown, .foreign: return false
            }
            let isHostGone = machine.life(of: entry.host) == .gone
            processes.append(isHostGone ? entry.parent ?? entry.host : entry.host)
            return true
        }
        return processes
    }

    /// An entry, without its tokens, while it waits for its session.
    private func pendingEntry(_ key: RootKey) -> RegistryEntry? {
        guard let payload = try? machine.read(key), let entry = RegistryEntry.decodeMetadata(payload),
            entry.state == .pending
        else {
            return nil
        }
        return entry
    }

    /// Ends a sign-in; false when another process is doing it.
    private func end(
        _ key: RootKey, _ entry: borrowing RegistryEntry, _ why: ByteText, _ report: (LogLine, Bool) -> Void
    ) -> Bool {
        let who = Candidate.subject(key, entry)
        let ending = SessionEnding(machine: machine).end(
            key, mode: nil, waiting: 0,
            onlyIf: { entry in
                if entry.state == .pending, case .end = machine.judge(entry) { true } else { false }
            })
        ending.tell(of: who, because: why, report: report)
        return ending != .busy
    }
}
