internal import Base
internal import Commands
internal import Glibc
internal import Messages
internal import Sessions

/// What a file is, as lstat(2) tells it: a link is one.
struct FileFact: Equatable, Sendable {
    enum FileKind: Sendable {
        case regular, folder, other
    }

    var path: String
    /// Nil when there is none.
    var kind: FileKind?
    var owner: UInt32 = 0
    var mode: UInt32 = 0

    init(_ path: String, _ kind: FileKind?, owner: UInt32 = 0, mode: UInt32 = 0) {
        (self.path, self.kind, self.owner, self.mode) = (path, kind, owner, mode)
    }

    init(at path: String) {
        var status = stat()
        self.init(path, nil)
        guard unsafe lstat(path, &status) == 0 else { return }
        let kinds = [S_IFREG: FileKind.regular, S_IFDIR: .folder]
        (kind, owner, mode) = (kinds[status.st_mode & S_IFMT] ?? .other, status.st_uid, status.st_mode & 0o7777)
    }

    /// What is wrong with it; nil where all is as it should be.
    ///
    /// - Parameters:
    ///   - wanted: What it has to be; nil: what it is.
    ///   - correct: The mode that it is to get.
    ///   - needed: Without which bits of the mode it is of no use.
    ///   - why: What follows if it is of no use.
    ///   - foreignWhy: What follows if others than root can change it.
    func finding(
        _ wanted: FileKind?, mode correct: UInt32, needed: UInt32 = 0, why: String, foreignWhy: String
    ) -> Check? {
        let isPrivate = correct & 0o077 == 0
        func check(_ words: String, why: String, severity: Severity = .broken, fix: String? = nil) -> Check {
            let mode = "0" + String(correct, radix: 8)
            return Check(.file, severity, "\(path) \(words).", why: why, fix: fix ?? own(path, mode: mode))
        }
        guard let kind else {
            return wanted == .regular ? check(FileFault.missing.words, why: why, fix: reinstall) : nil
        }
        if let wanted, kind != wanted {
            return wanted == .regular
                ? check(FileFault.notRegular.words, why: why, fix: reinstall)
                : check(
                    "is not a directory", why: why, severity: isPrivate ? .warning : .broken, fix: inspect(path))
        }
        if mode & needed != needed { return check("has a mode that is too restrictive", why: why) }
        if owner != 0 { return check(FileFault.wrongOwner.words, why: foreignWhy) }
        if mode & 0o022 != 0 { return check(FileFault.writableByOthers.words, why: foreignWhy) }
        return isPrivate && mode & 0o077 != 0
            ? check(FileFault.readableByOthers.words, why: foreignWhy, severity: .warning) : nil
    }
}

struct FileFacts: Sendable {
    var module: FileFact
    var worker: FileFact
    var agent: FileFact
    var doctor: FileFact
    var runFolder: FileFact
    /// /var/lib/pam-cognito, and the directories of devices and of the journal in it.
    var stateFolders: [FileFact]
    /// The files in /etc/pam.d that ask Cognito, with that directory itself, and the configuration's directory.
    var trusted: [FileFact]
    var isSwitchedOff: Bool

    private static let programWhy =
        "Any user who can change this file can read every password that is typed, and can take over this machine."
    private static let runFolderWhy =
        "pam-cognito needs this directory for key sets, locks, the agent's socket and the file that turns pam_cognito "
        + "off."
    private static let stateWhy =
        "This directory holds the journal and the secrets of remembered devices. pam_cognito does not use the "
        + "directory if accounts other than root can change it."

    @CheckList var findings: [Check] {
        if isSwitchedOff {
            Check(
                .switchedOff, .warning, "pam_cognito is turned off, because /run/pam-cognito/disabled exists.",
                why: "No service uses Cognito until the file is removed or the machine restarts.",
                fix: "rm /run/pam-cognito/disabled")
        }
        module.finding(
            .regular, mode: 0o644, needed: 0o444,
            why: "libpam cannot load the module, so no service can use Cognito.", foreignWhy: Self.programWhy)
        worker.finding(
            .regular, mode: 0o755, needed: 0o555, why: CognitoExamination.noWorkerWhy, foreignWhy: Self.programWhy)
        agent.finding(
            .regular, mode: 0o755, needed: 0o500, why: AgentFacts.agentWhy, foreignWhy: Self.programWhy)
        doctor.finding(nil, mode: 0o755, why: "", foreignWhy: Self.programWhy)
        if runFolder.kind == nil {
            Check(
                .noRunDirectory, .warning, "\(runFolder.path) does not exist.", why: Self.runFolderWhy,
                fix: "systemd-tmpfiles --create pam-cognito.conf || install -d -m 0755 /run/pam-cognito")
        }
        runFolder.finding(
            .folder, mode: 0o755, why: Self.runFolderWhy,
            foreignWhy:
                "Users who can write to this directory could turn pam_cognito off or impersonate the agent. Therefore, "
                + "pam_cognito does not use the directory.")
        for folder in stateFolders {
            folder.finding(.folder, mode: 0o700, why: Self.stateWhy, foreignWhy: Self.stateWhy)
        }
        for file in trusted {
            file.finding(
                nil, mode: file.kind == .folder ? 0o755 : 0o644, why: "",
                foreignWhy: "Any user who can change this path can decide which users are admitted.")
        }
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
            stateFolders: [state, state + "/devices", state + "/journal"].map(FileFact.init(at:)),
            trusted: (asking + [PAMServices.folder, "/etc/security"]).map(FileFact.init(at:)),
            isSwitchedOff: LinuxMachine().isDisabled)
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
