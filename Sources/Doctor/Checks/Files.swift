internal import Base
internal import Commands
internal import Glibc
internal import Messages
internal import Sessions

/// What a file is, as lstat(2) tells it.
struct FileFact: Equatable, Sendable {
    enum FileKind: Sendable {
        case regular, folder, link, other
    }

    var path: String
    /// Nil when there is none.
    var kind: FileKind?
    var owner: UInt32 = 0
    var group: UInt32 = 0
    var mode: UInt32 = 0

    init(_ path: String, _ kind: FileKind?, owner: UInt32 = 0, group: UInt32 = 0, mode: UInt32 = 0) {
        (self.path, self.kind, self.owner, self.group, self.mode) = (path, kind, owner, group, mode)
    }

    /// Whether a group other than root's can change it.
    var isGroupsOwn: Bool { kind == .regular && group != 0 && mode & 0o020 != 0 }

    /// What is wrong where others than root can change it.
    func foreign(mode correct: String, why: String) -> Check? {
        guard owner != 0 || mode & 0o022 != 0 else { return nil }
        let fault = owner != 0 ? FileFault.wrongOwner : .writableByOthers
        return Check(.foreignFile, .broken, "\(path) \(fault.words).", why: why, fix: own(path, mode: correct))
    }

    /// A program or the module, which must be a regular file with these permissions at least.
    func program(mode correct: String, needed: UInt32, why: String) -> Check? {
        switch kind {
        case nil: Check(.missing, .broken, "\(path) does not exist.", why: why, fix: reinstall)
        case .regular? where mode & needed != needed:
            Check(
                .unusableMode, .broken, "\(path) has a mode that is too restrictive.", why: why,
                fix: own(path, mode: correct))
        case .regular?: foreign(mode: correct, why: FileFacts.programWhy)
        case .folder?, .link?, .other?:
            Check(.notRegular, .broken, "\(path) is not a regular file.", why: why, fix: reinstall)
        }
    }

    /// A directory that only root may look into; it need not be there.
    func hidden(why: String) -> Check? {
        guard kind != nil, owner == 0, mode & 0o077 != 0, mode & 0o022 == 0 else {
            return kind == nil ? nil : foreign(mode: "0700", why: why)
        }
        return Check(
            .readableDirectory, .warning, "\(path) \(FileFault.readableByOthers.words).", why: why,
            fix: own(path, mode: "0700"))
    }

    /// What is there must be a directory.
    func directory(_ severity: Severity, why: String) -> Check? {
        guard let kind, kind != .folder else { return nil }
        return Check(.notDirectory, severity, "\(path) is not a directory.", why: why, fix: inspect(path))
    }
}

struct FileFacts: Sendable {
    var module: FileFact
    var worker: FileFact
    var agent: FileFact
    var doctor: FileFact
    var runFolder: FileFact
    /// /var/lib/pam-cognito, and the directory of devices in it.
    var stateFolders: [FileFact]
    var journalFolder: FileFact
    /// The files in /etc/pam.d that ask Cognito, with that directory itself, and the configuration's directory.
    var trusted: [FileFact]
    var isSwitchedOff: Bool

    static let programWhy =
        "An account that can change this file can read every password that is typed, and can take over this machine."
    private static let runFolderForeignWhy =
        "Accounts that can write to this directory could turn pam_cognito off or impersonate the agent. Therefore, "
        + "pam_cognito does not use the directory."
    private static let runFolderWhy =
        "pam-cognito cannot create key sets, locks, the agent's socket or the file that turns pam_cognito off."
    private static let journalWhy =
        "The journal lists the users with open sessions. pam_cognito does not use this directory if an account "
        + "other than root can change it."

    @CheckList var findings: [Check] {
        if isSwitchedOff {
            Check(
                .switchedOff, .warning, "pam_cognito is turned off, because /run/pam-cognito/disabled exists.",
                why: "No service uses Cognito until this file is removed or the machine restarts.",
                fix: "rm /run/pam-cognito/disabled")
        }
        module.program(
            mode: "0644", needed: 0o444,
            why: "libpam cannot load the module, so no service can use Cognito.")
        worker.program(mode: "0755", needed: 0o555, why: CognitoExamination.noWorkerWhy)
        agent.program(mode: "0755", needed: 0o500, why: AgentFacts.agentWhy)
        doctor.foreign(mode: "0755", why: Self.programWhy)
        if runFolder.kind == nil {
            Check(
                .noRunDirectory, .warning, "\(runFolder.path) does not exist.", why: Self.runFolderWhy,
                fix: "systemd-tmpfiles --create pam-cognito.conf || install -d -m 0755 /run/pam-cognito")
        } else {
            runFolder.directory(.broken, why: Self.runFolderWhy)
                ?? runFolder.foreign(mode: "0755", why: Self.runFolderForeignWhy)
        }
        for folder in stateFolders {
            folder.hidden(why: "This directory contains the secrets of remembered devices.")
        }
        journalFolder.directory(.warning, why: Self.journalWhy) ?? journalFolder.hidden(why: Self.journalWhy)
        for file in trusted where file.kind != nil {
            file.foreign(
                mode: file.kind == .folder ? "0755" : "0644",
                why: "An account that can change this path can decide which users are admitted.")
        }
    }
}

/// About the files of pam_faillock(8) in a directory that others than root can write.
@CheckList
func tallyFindings(_ files: [FileFact], in folder: String) -> [Check] {
    let paths = files.filter(\.isGroupsOwn).map(\.path).sorted().joined(separator: ", ")
    if !paths.isEmpty {
        Check(
            .writableTallies, .warning,
            "Accounts other than root can write the failure counts of pam_faillock: \(paths).",
            why: "Members of the file's group can lock out the account or reset its failure count.",
            fix: "find \(folder) -type f -perm /020 ! -group 0 -delete")
    }
}

extension FileFacts {
    /// The files as they are; those that `services` are asked by among them.
    init(_ services: PAMServices, _ modules: ModuleFolder) {
        let state = "/var/lib/pam-cognito"
        let asking = Set(services.ours.flatMap(\.files)).sorted().map(services.path)
        self.init(
            module: FileFact(at: modules.path(of: "pam_cognito.so")),
            worker: FileFact(at: programFolder + "/cognito-worker"),
            agent: FileFact(at: programFolder + "/cognito-agent"),
            doctor: FileFact(at: programFolder + "/cognito-doctor"), runFolder: FileFact(at: "/run/pam-cognito"),
            stateFolders: [FileFact(at: state), FileFact(at: state + "/devices")],
            journalFolder: FileFact(at: state + "/journal"),
            trusted: (asking + [PAMServices.folder, "/etc/security"]).map(FileFact.init(at:)),
            isSwitchedOff: LinuxMachine().isDisabled)
    }
}

extension FileFact {
    /// The file at `path` as it is: a link is one.
    init(at path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            self.init(path, nil)
            return
        }
        let kind: FileKind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            case S_IFLNK: .link
            default: .other
            }
        self.init(path, kind, owner: status.st_uid, group: status.st_gid, mode: status.st_mode & 0o7777)
    }
}

extension FileFault {
    /// What is wrong, to stand behind the file's name.
    var words: String {
        switch self {
        case .missing: "does not exist"
        case .notRegular: "is not a regular file"
        case .wrongOwner: "does not belong to root"
        case .writableByOthers: "can be changed by accounts other than root"
        case .readableByOthers: "can be read by accounts other than root"
        case .tooLarge: "is too large"
        case .unreadable(let error): "cannot be read (errno \(error.code))"
        case .outOfMemory: "cannot be read: out of memory"
        }
    }

    func fix(_ path: String, mode: String) -> String {
        switch self {
        case .missing: "install -m \(mode) /dev/null \(shellWord(path)) && editor \(shellWord(path))"
        case .notRegular, .tooLarge: inspect(path)
        case .wrongOwner, .writableByOthers, .readableByOthers, .unreadable, .outOfMemory: own(path, mode: mode)
        }
    }
}
