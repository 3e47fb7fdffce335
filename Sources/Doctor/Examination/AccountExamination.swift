internal import Base
internal import Glibc
internal import Messages

/// What is known of the account that workers run as.
struct WorkerAccount: Equatable, Sendable {
    var name: String
    var uid: UInt32
    var gid: UInt32
    var shell: String
    var hasUsablePassword: Bool

    /// What is wrong with it; `account` is nil when there is none.
    static func findings(_ account: WorkerAccount?, name: String, names: NameServices = NameServices()) -> [Finding] {
        guard let account else {
            return [
                Finding(
                    .broken, "There is no account \(name).", why: DoctorWording.workerAccountWhy,
                    mend: names.isBlind
                        ? DoctorWording.lookUp("passwd", name)
                        : "useradd --system --user-group --no-create-home --home-dir /nonexistent --shell "
                            + "/usr/sbin/nologin \(name)")
            ]
        }
        if account.uid == 0 || account.gid == 0 {
            return [
                Finding(
                    .broken, "\(name) has root's uid or group.", why: DoctorWording.workerAccountWhy,
                    mend: "userdel --force \(name); \(DoctorWording.makeWorkerAccount(name))")
            ]
        }
        var found: [Finding] = []
        if account.hasUsablePassword {
            found.append(
                Finding(
                    .broken, "\(name) has a password.", why: DoctorWording.workerAccountLoginWhy,
                    mend: "usermod --password '!' \(name)"))
        }
        if !["nologin", "false"].contains(account.shell.split(separator: "/").last.map(String.init) ?? "") {
            found.append(
                Finding(
                    .warning, "\(name) has a shell, \(account.shell).",
                    why: DoctorWording.workerAccountLoginWhy, mend: "usermod --shell /usr/sbin/nologin \(name)"))
        }
        return found
    }
}

extension WorkerAccount {
    /// The account of that name; nil where there is none.
    init?(named name: String) {
        guard let entry = unsafe getpwnam(name) else {
            return nil
        }
        let found = try? Account.named(Array(name.utf8))
        self.init(
            name: name, uid: unsafe entry.pointee.pw_uid, gid: unsafe entry.pointee.pw_gid,
            shell: unsafe entry.pointee.pw_shell.map { text in unsafe String(cString: text) } ?? "",
            hasUsablePassword: found?.hasUsablePassword ?? false)
    }
}
