import Accounts
import Base
import Glibc

/// The processes of people who are out, as they are on this machine.
package struct LinuxAccounts: AccountControl {
    /// How long processes may take to end when they are told to, and then to be gone when they are killed, in
    /// milliseconds.
    private static let grace: Int64 = 2000
    private static let patience: Int64 = 5000
    /// Between looks, in milliseconds.
    private static let interval: UInt32 = 50
    private static let lingering = "/var/lib/systemd/linger"

    package init() {}

    package func processGroups(from lowest: UInt32, to highest: UInt32) -> [UInt32: Set<UInt32>] {
        var found: [UInt32: Set<UInt32>] = [:]
        let people = Self.subordinateIDs()
        for process in (try? processIDs()) ?? [] {
            guard let status = try? ProcessStatus(of: process) else {
                continue
            }
            // The effective group, too: a set-gid copy of a program gives a group to the user who runs it, in all but
            // the real id.
            let groups = status.numbers("Groups") + status.numbers("Gid")
            for uid in Set(status.numbers("Uid").map { uid in Self.person(uid, by: people) })
            where lowest <= uid && uid <= highest {
                found[uid, default: []].formUnion(groups)
            }
        }
        return found
    }

    package func groupID(of name: [UInt8]) -> UInt32? {
        unsafe getgrnam(String(decoding: name, as: UTF8.self)).map { group in unsafe group.pointee.gr_gid }
    }

    package func loginGroups(of name: [UInt8], uid: UInt32) -> Set<UInt32> {
        var groups = [gid_t](repeating: 0, count: 1 << 16)
        var count = CInt(groups.count)
        guard unsafe getgrouplist(String(decoding: name, as: UTF8.self), uid, &groups, &count) >= 0 else {
            return Set(groups)
        }
        return Set(groups.prefix(Int(count)))
    }

    package func endProcesses(of uid: UInt32) -> Bool {
        // What others run as root in sessions of theirs, and what would start their services anew.
        _ = loginctl(["terminate-user", "\(uid)"])
        let began = Instant.now.milliseconds
        let people = Self.subordinateIDs()
        while let left = Self.processes(of: uid, people) {
            guard !left.isEmpty else {
                return true
            }
            let time = Instant.now.milliseconds - began
            guard time < Self.grace + Self.patience else {
                return false
            }
            for process in left {
                // Some wait for the one, some for the other; and no fork is faster than all of them.
                for number in time < Self.grace ? [SIGHUP, SIGTERM, SIGCONT] : [SIGKILL] {
                    try? process.signal(number)
                }
            }
            usleep(Self.interval * 1000)
        }
        return false
    }

    package func forbidLinger(of name: [UInt8]) -> Bool {
        guard !name.isEmpty, !name.contains(UInt8(ascii: "/")), name.first != UInt8(ascii: ".") else {
            return false
        }
        return unsafe unlink("\(Self.lingering)/\(String(decoding: name, as: UTF8.self))") == 0
    }

    /// Returns the user ids that a process has, of any kind; none if it has ended.
    private static func users(_ process: Int32) -> [UInt32] {
        (try? ProcessStatus(of: process).numbers("Uid")) ?? []
    }

    /// Who has which subordinate ids, by their user ids: what runs with them is theirs, as in a container.
    private static func subordinateIDs() -> [(share: SubordinateIDs.Share, uid: UInt32)] {
        SubordinateIDs(parsing: (try? readFile("/etc/subuid")) ?? []).shares.compactMap { share in
            if let uid = userID(claimed: share.owner) {
                return (share, uid)
            }
            return unsafe getpwnam(String(decoding: share.owner, as: UTF8.self)).map { entry in
                unsafe (share, entry.pointee.pw_uid)
            }
        }
    }

    /// Whose a user id is: the one person's who has it among their subordinate ones, or its own.
    private static func person(
        _ uid: UInt32, by people: [(share: SubordinateIDs.Share, uid: UInt32)]
    ) -> UInt32 {
        let owners = Set(
            people.filter { one in one.share.lowest <= uid && uid <= one.share.highest }.map { one in one.uid })
        return owners.count == 1 ? owners.first ?? uid : uid
    }

    /// The processes with rights of that user's; nil where they cannot be seen.
    private static func processes(
        of uid: UInt32, _ people: [(share: SubordinateIDs.Share, uid: UInt32)]
    ) -> [ProcessIdentity]? {
        (try? processIDs())?.filter { process in
            users(process).contains { user in person(user, by: people) == uid }
        }.compactMap { process in
            // One that has ended and waits for its parent is none.
            (try? ProcessStat(of: process)).map { stat in ProcessIdentity(id: process, startTime: stat.startTime) }
        }
    }
}
