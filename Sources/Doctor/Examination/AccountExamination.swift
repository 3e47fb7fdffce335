internal import Messages

/// What is known of the account that workers run as.
package struct WorkerAccount: Equatable, Sendable {
    package var name: String
    package var uid: UInt32
    package var gid: UInt32
    package var shell: String
    package var hasUsablePassword: Bool

    /// An account from its parts.
    package init(name: String, uid: UInt32, gid: UInt32, shell: String, hasUsablePassword: Bool) {
        self.name = name
        self.uid = uid
        self.gid = gid
        self.shell = shell
        self.hasUsablePassword = hasUsablePassword
    }

    /// What is wrong with it; `account` is nil when there is none.
    package static func findings(_ account: WorkerAccount?, name: String) -> [Finding] {
        guard let account else {
            return [
                Finding(
                    .broken, DoctorWording.noWorkerAccount(name), why: DoctorWording.workerAccountWhy,
                    mend: DoctorWording.makeWorkerAccount(name))
            ]
        }
        if account.uid == 0 || account.gid == 0 {
            return [
                Finding(
                    .broken, DoctorWording.workerAccountIsRoot(name), why: DoctorWording.workerAccountWhy,
                    mend: DoctorWording.remakeWorkerAccount(name))
            ]
        }
        var found: [Finding] = []
        if account.hasUsablePassword {
            found.append(
                Finding(
                    .broken, DoctorWording.workerAccountHasPassword(name), why: DoctorWording.workerAccountLoginWhy,
                    mend: DoctorWording.lockWorkerAccount(name)))
        }
        if !["nologin", "false"].contains(account.shell.split(separator: "/").last.map(String.init) ?? "") {
            found.append(
                Finding(
                    .warning, DoctorWording.workerAccountHasShell(name, account.shell),
                    why: DoctorWording.workerAccountLoginWhy, mend: DoctorWording.unshellWorkerAccount(name)))
        }
        return found
    }
}
