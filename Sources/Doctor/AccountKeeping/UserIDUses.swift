internal import Accounts
internal import Base
internal import CLinux
internal import Commands
internal import Messages

/// What has a user id on this machine, so that no other account may get it.
struct UserIDUses {
    let local: LocalNames
    /// Before the paths of homes, mail and jobs.
    let root: String

    private static let files = "/etc/group, /etc/subuid or /etc/subgid"
    private static let spools = ["/var/mail", "/var/spool/mail", "/var/spool/cron", "/var/spool/at"]

    /// Refuses if one of this machine's own files grants something to the name that the number is kept for.
    func refuse(_ uid: UInt32, named name: [UInt8]) throws(Refusal) {
        let files = try tell(uid, Self.files) { () throws(ErrorNumber) in try local.grants(to: name) }
        guard files.isEmpty else {
            let list = files.map(printable).joined(separator: ", ")
            throw Refusal(.fault, AccountWording.stillNamed(printable(name), in: list))
        }
    }

    /// Refuses where something has the number as its user id or group id, or cannot be looked at.
    func refuse(_ uid: UInt32, _ homes: [[UInt8]]) throws(Refusal) {
        for process in try tell(uid, "/proc", processIDs) {
            let numbers: [UInt32]
            do throws(ErrorNumber) {
                let status = try ProcessStatus(of: process)
                numbers = status.numbers("Uid") + status.numbers("Gid") + status.numbers("Groups")
            } catch  where error.isAboutProcess {
                continue
            } catch {
                throw Refusal(.fault, AccountWording.cannotTell(uid, "/proc/\(process)", error.code))
            }
            if numbers.contains(uid) {
                throw Refusal(.fault, AccountWording.stillHas(uid, process: process))
            }
        }
        for place in homes.map({ home in String(decoding: home, as: UTF8.self) }) + Self.spools {
            var found = [CChar](repeating: 0, count: 4096)
            let result = unsafe linux_find_file_of(root + place, uid, &found, found.count)
            let path = found.prefix { character in character != 0 }.map { character in
                UInt8(truncatingIfNeeded: character)
            }
            guard result == 0 else {
                throw Refusal(
                    .fault,
                    result > 0
                        ? AccountWording.stillHas(uid, file: printable(path))
                        : AccountWording.cannotTell(uid, printable(path), -result))
            }
        }
        let files = try tell(uid, Self.files) { () throws(ErrorNumber) in
            let share = try local.subordinateOwner(of: uid)
            return try local.grants(to: ("\(uid)" as ByteText).bytes) + (share.map { share in [share.file] } ?? [])
        }
        if let file = files.first {
            throw Refusal(.fault, AccountWording.stillHas(uid, in: printable(file)))
        }
    }

    /// What is found there; refuses where that cannot be told.
    private func tell<Found>(
        _ uid: UInt32, _ place: String, _ read: () throws(ErrorNumber) -> Found
    ) throws(Refusal) -> Found {
        do throws(ErrorNumber) {
            return try read()
        } catch {
            throw Refusal(.fault, AccountWording.cannotTell(uid, place, error.code))
        }
    }
}
