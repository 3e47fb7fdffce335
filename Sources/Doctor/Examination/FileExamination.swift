internal import Commands
internal import Glibc
internal import LinuxHost
internal import Messages

/// What a file is, as lstat(2) tells it.
struct FileFact: Equatable, Sendable {
    /// The kinds that matter.
    enum FileKind: Sendable {
        case regular
        case folder
        case link
        case other
    }

    /// Absolute.
    var path: String
    /// Nil when there is none.
    var kind: FileKind?
    var owner: UInt32
    var group: UInt32
    /// The permission bits.
    var mode: UInt32

    /// A fact from its parts.
    init(_ path: String, _ kind: FileKind?, owner: UInt32 = 0, group: UInt32 = 0, mode: UInt32 = 0) {
        self.path = path
        self.kind = kind
        self.owner = owner
        self.group = group
        self.mode = mode
    }

    /// Whether somebody else than root can change it.
    var isForeign: Bool {
        owner != 0 || mode & 0o022 != 0
    }

    /// Whether a group of people can change it.
    var isGroupsOwn: Bool {
        kind == .regular && group != 0 && mode & 0o020 != 0
    }
}

extension Finding {
    /// About those that are there now.
    static func writableTallies(in folder: String) -> [Finding] {
        let files = fileNames(in: folder).map { name in FileFact(at: "\(folder)/\(name)") }
        return writableTallies(files.filter(\.isGroupsOwn), in: folder)
    }

    /// About the files of pam_faillock(8) in `folder` that others than root can write; none where there are none.
    static func writableTallies(_ files: [FileFact], in folder: String) -> [Finding] {
        guard !files.isEmpty else {
            return []
        }
        let text = (
            what: "Others than root may write what pam_faillock has counted: "
                + "\(files.map(\.path).sorted().joined(separator: ", ")).",
            why: "Members of the group that such a file belongs to keep that account out, or forget its failures."
        )
        return [
            Finding(.warning, text.what, why: text.why, mend: "find \(folder) -type f -perm /020 ! -group 0 -delete")
        ]
    }
}

/// The files that this software is made of and uses.
struct FileFacts: Sendable {
    /// pam_cognito.so where libpam looks for it.
    var module: FileFact
    var worker: FileFact
    var agent: FileFact
    var doctor: FileFact
    /// /run/pam-cognito.
    var runFolder: FileFact
    /// /var/lib/pam-cognito, and the folder of devices in it.
    var stateFolders: [FileFact]
    /// The journal's folder in it.
    var journalFolder: FileFact
    /// The files in /etc/pam.d that ask Cognito, with that folder itself, and the configuration's folder.
    var trusted: [FileFact]
    /// Whether /run/pam-cognito/disabled is there.
    var isSwitchedOff: Bool

    /// What is wrong with them.
    var findings: [Finding] {
        var found: [Finding] = []
        if isSwitchedOff {
            found.append(
                Finding(
                    .warning, "/run/pam-cognito/disabled is there: pam_cognito is switched off.",
                    why: "No service asks Cognito until it is removed or the machine restarts.",
                    mend: "rm /run/pam-cognito/disabled"))
        }
        found += program(
            module, mode: 0o644, needed: 0o444, why: "libpam cannot load it, so no service can ask Cognito.")
        found += program(worker, mode: 0o755, needed: 0o555, why: DoctorWording.workerWhy)
        found += program(agent, mode: 0o755, needed: 0o500, why: DoctorWording.agentWhy)
        found += foreign(doctor, mode: 0o755, why: DoctorWording.programWhy)
        found += runFolderFindings
        found += stateFolders.flatMap { folder in
            hidden(folder, why: "What proves this machine to Cognito as people's device is in there.")
        }
        if let kind = journalFolder.kind, kind != .folder {
            found.append(
                Finding(
                    .warning, DoctorWording.fileFault(journalFolder.path, DoctorWording.fileNoFolder),
                    why: DoctorWording.journalFolderWhy, mend: DoctorWording.inspect(journalFolder.path)))
        } else {
            found += hidden(journalFolder, why: DoctorWording.journalFolderWhy)
        }
        for file in trusted where file.kind != nil {
            found += foreign(
                file, mode: file.kind == .folder ? 0o755 : 0o644, why: "Whoever can change it decides who gets in.")
        }
        return found
    }

    private func program(_ file: FileFact, mode: UInt32, needed: UInt32, why: String) -> [Finding] {
        guard let kind = file.kind else {
            return [
                Finding(
                    .broken, DoctorWording.fileFault(file.path, DoctorWording.fileMissing), why: why,
                    mend: DoctorWording.reinstall)
            ]
        }
        // A link is the administrator's way of having it elsewhere; what is there was looked at.
        guard kind == .regular else {
            return [
                Finding(
                    .broken, DoctorWording.fileFault(file.path, DoctorWording.fileNotRegular), why: why,
                    mend: DoctorWording.reinstall)
            ]
        }
        if file.mode & needed != needed {
            return [
                Finding(
                    .broken, DoctorWording.fileFault(file.path, "has a mode that keeps out those who need it"),
                    why: why,
                    mend: DoctorWording.own(file.path, mode: octal(mode)))
            ]
        }
        return foreign(file, mode: mode, why: DoctorWording.programWhy)
    }

    /// A folder that nobody but root may look into.
    private func hidden(_ folder: FileFact, why: String) -> [Finding] {
        guard folder.kind != nil else {
            return []
        }
        guard folder.owner == 0, folder.mode & 0o077 != 0, folder.mode & 0o022 == 0 else {
            return foreign(folder, mode: 0o700, why: why)
        }
        return [
            Finding(
                .warning, DoctorWording.fileFault(folder.path, DoctorWording.fileReadable), why: why,
                mend: DoctorWording.own(folder.path, mode: "0700"))
        ]
    }

    private func foreign(_ file: FileFact, mode: UInt32, why: String) -> [Finding] {
        guard file.isForeign else {
            return []
        }
        let words = file.owner != 0 ? DoctorWording.fileWrongOwner : DoctorWording.fileWritable
        return [
            Finding(
                .broken, DoctorWording.fileFault(file.path, words), why: why,
                mend: DoctorWording.own(file.path, mode: octal(mode)))
        ]
    }

    private var runFolderFindings: [Finding] {
        guard let kind = runFolder.kind else {
            return [
                Finding(
                    .warning, DoctorWording.fileFault(runFolder.path, DoctorWording.fileMissing),
                    why: DoctorWording.runFolderWhy,
                    mend: "systemd-tmpfiles --create pam-cognito.conf || install -d -m 0755 /run/pam-cognito")
            ]
        }
        guard kind == .folder else {
            return [
                Finding(
                    .broken, DoctorWording.fileFault(runFolder.path, DoctorWording.fileNoFolder),
                    why: DoctorWording.runFolderWhy, mend: DoctorWording.inspect(runFolder.path))
            ]
        }
        return foreign(runFolder, mode: 0o755, why: DoctorWording.runFolderForeignWhy)
    }
}

private func octal(_ mode: UInt32) -> String {
    "0" + String(mode, radix: 8)
}

extension FileFacts {
    /// The files as they are; those that `services` are asked by among them.
    init(_ services: PAMServices, _ modules: ModuleFolder) {
        let state = "/var/lib/pam-cognito"
        let asking = services.ours.flatMap(\.files)
        let trusted = Set(asking).sorted().map(services.path) + [PAMServices.folder, "/etc/security"]
        self.init(
            module: FileFact(at: modules.path(of: "pam_cognito.so")),
            worker: FileFact(at: programFolder + "/cognito-worker"),
            agent: FileFact(at: programFolder + "/cognito-agent"),
            doctor: FileFact(at: programFolder + "/cognito-doctor"),
            runFolder: FileFact(at: "/run/pam-cognito"),
            stateFolders: [FileFact(at: state), FileFact(at: state + "/devices")],
            journalFolder: FileFact(at: state + "/journal"),
            trusted: trusted.map(FileFact.init(at:)),
            isSwitchedOff: LinuxMachine().isDisabled
        )
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

/// Where libpam looks for modules.
struct ModuleFolder {
    private let path: String

    init() {
        #if arch(x86_64)
        let triplet = "x86_64-linux-gnu"
        #elseif arch(arm64)
        let triplet = "aarch64-linux-gnu"
        #else
        let triplet = ""
        #endif
        let candidates = [
            "/usr/lib/\(triplet)/security", "/lib/\(triplet)/security", "/usr/lib64/security", "/lib64/security",
            "/usr/lib/security", "/lib/security",
        ]
        path =
            candidates.first { folder in linuxExists("\(folder)/pam_unix.so") || linuxExists("\(folder)/pam_permit.so")
            }
            ?? candidates[0]
    }

    /// The file of a module as a stack names it.
    func path(of module: String) -> String {
        module.hasPrefix("/") ? module : "\(path)/\(module)"
    }

    func has(_ module: String) -> Bool {
        linuxExists(path(of: module))
    }
}
