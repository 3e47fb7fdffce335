import Accounts
import Base
import FoundationEssentials
import Glibc
import Testing

extension Trait where Self == ConditionTrait {
    /// For what only root can try.
    static var needsRoot: ConditionTrait { .enabled(if: geteuid() == 0, "needs root: it is about files of root's") }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// A folder of a test's own.
final class Folder {
    let path: String

    init() {
        let place = getenv("TMPDIR").map { name in String(cString: name) } ?? "/tmp"
        var template = Array("\(place)/pam-cognito-test-XXXXXX".utf8CString)
        path = mkdtemp(&template).map { name in String(cString: name) } ?? "/nonexistent"
        chmod(path, 0o755)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    /// Writes a file, and says where.
    @discardableResult
    func put(_ name: String, _ content: [UInt8], mode: mode_t = 0o644) -> String {
        let descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        _ = write(descriptor, content, content.count)
        fchmod(descriptor, mode)
        close(descriptor)
        return "\(path)/\(name)"
    }
}

/// What somebody is refused with; nil: nothing.
func refusal(_ body: () throws -> Void) -> AccountRefusal? {
    do {
        try body()
        return nil
    } catch let refusal as AccountRefusal {
        return refusal
    } catch {
        Issue.record(error)
        return nil
    }
}

/// A user who has an account.
func person(_ name: String = "ana", subject: String = "5c0a-1", uid: UInt32 = 70_000) -> AccountRecord {
    var record = AccountRecord(
        name: bytes(name), subject: bytes(subject), pool: bytes("eu-west-1_AbCdEf123"), uid: uid,
        shell: bytes("/bin/bash"),
        home: bytes("/home/\(name)"), source: .directory)
    record.realName = bytes("Ana López")
    record.groups = [bytes("www-data"), bytes("dialout")]
    record.keys = [bytes("ssh-ed25519 AAAAC3Nz ana@laptop")]
    record.changed = 1_700_000_000
    return record
}

/// This machine's files, as a test has them.
func localNames(
    in folder: Folder, passwd: String = "", group: String = "", subordinate: String = ""
) -> LocalNames {
    LocalNames(
        passwd: folder.put("passwd", bytes("root:x:0:0:root:/root:/bin/bash\n" + passwd)),
        group: folder.put("group", bytes("root:x:0:\nsudo:x:27:\n" + group)),
        subordinate: [folder.put("subuid", bytes(subordinate)), folder.path + "/subgid"])
}

extension AccountWriter {
    /// Enters a user that no other source of names knows.
    @discardableResult
    func enter(
        _ record: AccountRecord, by rules: AccountRules, at time: Int64
    ) throws(AccountRefusal) -> AccountChange {
        let known = (try? store.record(named: record.name)).flatMap { known in known }
        let isAdopted = known?.state == .forgotten && record.source == .adopted
        let uid =
            known.flatMap { known in known.isSamePerson(as: record) && !isAdopted ? known.uid : nil } ?? record.uid
        return try enter(record, by: rules, SourceAnswer(of: record.name, uid, .nobody), at: time)
    }
}
