internal import Messages

/// What a file is, as lstat(2) tells it.
package struct FileFact: Equatable, Sendable {
    /// The kinds that matter.
    package enum Kind: Sendable {
        case regular
        case folder
        case link
        case other
    }

    /// Absolute.
    package var path: String
    /// Nil when there is none.
    package var kind: Kind?
    package var owner: UInt32
    package var group: UInt32
    /// The permission bits.
    package var mode: UInt32

    /// A fact from its parts.
    package init(_ path: String, _ kind: Kind?, owner: UInt32 = 0, group: UInt32 = 0, mode: UInt32 = 0) {
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
    package var isGroupsOwn: Bool {
        kind == .regular && group != 0 && mode & 0o020 != 0
    }
}

extension Finding {
    /// About the files of pam_faillock(8) in `folder` that others than root can write; none where there are none.
    package static func writableTallies(_ files: [FileFact], in folder: String) -> [Finding] {
        guard !files.isEmpty else {
            return []
        }
        let text = DoctorWording.writableTallies(files.map(\.path).sorted().joined(separator: ", "))
        return [Finding(.warning, text.what, why: text.why, mend: DoctorWording.removeTallies(folder))]
    }
}

/// The files that this software is made of and uses.
package struct FileFacts: Sendable {
    /// pam_cognito.so where libpam looks for it.
    package var module: FileFact
    package var worker: FileFact
    package var agent: FileFact
    package var doctor: FileFact
    /// /run/pam-cognito.
    package var runFolder: FileFact
    /// /var/lib/pam-cognito, and the folder of devices in it.
    package var stateFolders: [FileFact]
    /// The journal's folder in it.
    package var journalFolder: FileFact
    /// The files in /etc/pam.d that ask Cognito, with that folder itself, and the configuration's folder.
    package var trusted: [FileFact]
    /// Whether /run/pam-cognito/disabled is there.
    package var isSwitchedOff: Bool

    /// Facts from their parts.
    package init(
        module: FileFact, worker: FileFact, agent: FileFact, doctor: FileFact, runFolder: FileFact,
        stateFolders: [FileFact], journalFolder: FileFact, trusted: [FileFact], isSwitchedOff: Bool
    ) {
        self.module = module
        self.worker = worker
        self.agent = agent
        self.doctor = doctor
        self.runFolder = runFolder
        self.stateFolders = stateFolders
        self.journalFolder = journalFolder
        self.trusted = trusted
        self.isSwitchedOff = isSwitchedOff
    }

    /// What is wrong with them.
    package var findings: [Finding] {
        var found: [Finding] = []
        if isSwitchedOff {
            found.append(
                Finding(
                    .warning, DoctorWording.switchedOff, why: DoctorWording.switchedOffWhy,
                    mend: DoctorWording.switchOn))
        }
        found += program(module, mode: 0o644, needed: 0o444, why: DoctorWording.moduleWhy)
        found += program(worker, mode: 0o755, needed: 0o555, why: DoctorWording.workerWhy)
        found += program(agent, mode: 0o755, needed: 0o500, why: DoctorWording.agentWhy)
        found += foreign(doctor, mode: 0o755, why: DoctorWording.programWhy)
        found += runFolderFindings
        found += stateFolders.flatMap { folder in hidden(folder, why: DoctorWording.stateWhy) }
        if let kind = journalFolder.kind, kind != .folder {
            found.append(
                Finding(
                    .warning, DoctorWording.fileFault(journalFolder.path, DoctorWording.fileNoFolder),
                    why: DoctorWording.journalFolderWhy, mend: DoctorWording.inspect(journalFolder.path)))
        } else {
            found += hidden(journalFolder, why: DoctorWording.journalFolderWhy)
        }
        for file in trusted where file.kind != nil {
            found += foreign(file, mode: file.kind == .folder ? 0o755 : 0o644, why: DoctorWording.trustedWhy)
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
                    .broken, DoctorWording.fileFault(file.path, DoctorWording.fileUnusable), why: why,
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
                    why: DoctorWording.runFolderWhy, mend: DoctorWording.makeFolders)
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
